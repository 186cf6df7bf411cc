//! The two hyperparameters as the user writes them: kappa and alpha (paper, sections 3.1-3.2).

use super::decimal::Decimal;
use super::nats::Nats;
use crate::error::{Error, OptionName, Result};
use std::fmt;
use std::str::FromStr;

/// The weight of the structure prior: how strongly the data must support a context element.
///
/// # Example
/// ```
/// use cmnet::Kappa;
/// let kappa: Kappa = "n^-0.5".parse()?;
/// assert_eq!(kappa.to_string(), "n^-0.5");
/// assert!((kappa.log(100).unwrap().to_f64() + 0.5 * 100f64.ln()).abs() < 1e-12);
/// assert_eq!("eps".parse::<Kappa>()?.log(100), None);
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kappa {
    /// So small that no context is ever added: plain Markov networks.
    Epsilon,
    /// n^-exponent, n the number of observations.
    Power(f64),
    /// A number in (0, 1].
    Value(Decimal),
}

impl Kappa {
    /// The grid of the paper's experiments: eps, n^-1, n^-1/2, n^-1/4.
    pub fn paper_grid() -> Vec<Self> {
        vec![Self::Epsilon, Self::Power(1.0), Self::Power(0.5), Self::Power(0.25)]
    }

    /// log(kappa) for n observations; `None` stands for minus infinity.
    pub fn log(self, rows: u64) -> Option<Nats> {
        /// Binary digits of an exponent that are exact.
        const BITS: u32 = 16;
        match self {
            Self::Epsilon => None,
            Self::Power(exponent) => {
                let scaled = exponent * f64::from(1u32 << BITS);
                let log = Nats::ln_integer(rows);
                // Logarithms of integers end in enough zero digits for halves and quarters.
                Some(if scaled.fract() == 0.0 {
                    -log.scaled(scaled as i128, BITS)
                } else {
                    Nats::from_f64(-exponent * log.to_f64())
                })
            }
            Self::Value(value) => {
                Some(Nats::ln_integer(value.numerator) - Nats::ln_integer(value.denominator))
            }
        }
    }
}

impl fmt::Display for Kappa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Epsilon => f.write_str("eps"),
            Self::Power(exponent) => write!(f, "n^-{exponent}"),
            Self::Value(value) => value.fmt(f),
        }
    }
}

impl FromStr for Kappa {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let bad =
            || Error::option(OptionName::Kappa, text, "eps, a power such as n^-0.5, or a number in (0, 1]");
        let trimmed = text.trim();
        if trimmed.eq_ignore_ascii_case("eps") {
            return Ok(Self::Epsilon);
        }
        if let Some(power) = trimmed.strip_prefix("n^-") {
            let exponent = match power.split_once('/') {
                Some((over, under)) => {
                    over.parse::<f64>().map_err(|_| bad())? / under.parse::<f64>().map_err(|_| bad())?
                }
                None => power.parse::<f64>().map_err(|_| bad())?,
            };
            return if exponent > 0.0 && exponent <= 64.0 { Ok(Self::Power(exponent)) } else { Err(bad()) };
        }
        let value = Decimal::parse(trimmed).ok_or_else(bad)?;
        if value.numerator == 0 || value.numerator > value.denominator {
            Err(bad())
        } else {
            Ok(Self::Value(value))
        }
    }
}

/// The Dirichlet hyperparameter per level, the same in every class; 1/2 is Jeffreys' prior.
///
/// Held as a fraction, since all arguments of the gamma functions are then integers over
/// one denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alpha(Decimal);

impl Alpha {
    pub(super) fn numerator(self) -> u64 {
        self.0.numerator
    }

    pub(super) fn denominator(self) -> u64 {
        self.0.denominator
    }

    /// The value.
    pub fn to_f64(self) -> f64 {
        self.0.to_f64()
    }
}

impl Default for Alpha {
    fn default() -> Self {
        Self(Decimal { numerator: 1, denominator: 2 })
    }
}

impl fmt::Display for Alpha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Alpha {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Decimal::parse(text.trim())
            .filter(|value| value.numerator > 0 && value.to_f64() <= 1e6)
            .map(Self)
            .ok_or_else(|| {
                Error::option(
                    OptionName::Alpha,
                    text,
                    "a positive number such as 0.5 or 1/2, at most 1000000",
                )
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kappa_reads_what_it_writes() {
        for text in ["eps", "n^-1", "n^-0.5", "n^-0.25", "0.01", "1"] {
            assert_eq!(text.parse::<Kappa>().unwrap().to_string(), text);
        }
        assert_eq!("n^-1/2".parse::<Kappa>().unwrap(), Kappa::Power(0.5));
        assert_eq!("1e-3".parse::<Kappa>().unwrap(), "0.001".parse::<Kappa>().unwrap());
        for text in ["", "0", "2", "-1", "n^0.5", "n^-0", "nan", "n^-inf", "1e9", "e-3", "1/0", "."] {
            assert!(text.parse::<Kappa>().is_err(), "{text}");
        }
    }

    #[test]
    fn roots_of_the_number_of_rows_have_exact_logarithms() {
        for rows in [3, 841, 5_822, 1_000_003] {
            let log = |exponent| Kappa::Power(exponent).log(rows).unwrap();
            assert_eq!(log(1.0), -Nats::ln_integer(rows));
            assert_eq!(log(0.5) + log(0.5), log(1.0));
            assert_eq!(log(0.25) + log(0.25), log(0.5));
        }
    }

    #[test]
    fn fractions_that_do_not_end_stay_fractions() {
        for (text, shown) in [("1/3", "1/3"), ("2/4", "0.5"), ("1.5e-12", "0.0000000000015"), ("0.10", "0.1")]
        {
            let alpha: Alpha = text.parse().unwrap();
            assert_eq!(alpha.to_string(), shown);
            assert_eq!(shown.parse::<Alpha>().unwrap(), alpha);
        }
        assert_eq!("1000000".parse::<Alpha>().unwrap().to_string(), "1000000");
    }

    #[test]
    fn powers_of_n_are_exact() {
        let log = |text: &str| text.parse::<Kappa>().unwrap().log(4).unwrap();
        assert_eq!(log("n^-0.5"), -Nats::ln_integer(2));
        assert_eq!(log("n^-0.25") + log("n^-0.25"), log("n^-0.5"));
        assert_eq!(log("0.25"), log("n^-1"));
        assert_eq!(log("1"), Nats::ZERO);
    }

    #[test]
    fn alpha_is_a_fraction() {
        assert_eq!("0.5".parse::<Alpha>().unwrap(), Alpha::default());
        assert_eq!("1/2".parse::<Alpha>().unwrap(), Alpha::default());
        for text in ["0", "-0.5", "x", "1e-99", ""] {
            assert!(text.parse::<Alpha>().is_err(), "{text}");
        }
    }
}
