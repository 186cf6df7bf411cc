//! The two hyperparameters as the user writes them: kappa and alpha (paper, sections 3.1-3.2).

use super::nats::Nats;
use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// The weight of the structure prior: how strongly the data must support a context element.
///
/// # Example
/// ```
/// use cmnet::score::Kappa;
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
        let bad = || {
            Error::option(
                "--kappa",
                text,
                "eps, a power such as n^-0.5, or a number in (0, 1] with up to 18 decimals",
            )
        };
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

/// The most decimal digits after the point: ten to this power is the largest that fits.
const DIGITS: u32 = 18;

/// A non-negative number as the fraction that its decimal digits say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    numerator: u64,
    denominator: u64,
}

impl Decimal {
    /// Reads digits with at most one point, [`DIGITS`] of them after it with an exponent
    /// counted in, or a fraction `a/b`.
    fn parse(text: &str) -> Option<Self> {
        if let Some((over, under)) = text.split_once('/') {
            let (numerator, denominator) = (digits(over)?, digits(under)?);
            return (denominator > 0).then(|| Self::reduced(numerator, denominator));
        }
        if let Some((mantissa, exponent)) = text.split_once(['e', 'E']) {
            let shift = exponent.strip_prefix('-')?.parse::<u32>().ok().filter(|&shift| shift <= DIGITS)?;
            let value = Self::parse(mantissa)?;
            return Some(Self::reduced(value.numerator, value.denominator.checked_mul(10u64.pow(shift))?));
        }
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        if fraction.len() > DIGITS as usize || (whole.is_empty() && fraction.is_empty()) {
            return None;
        }
        let scale = 10u64.pow(fraction.len() as u32);
        let whole = if whole.is_empty() { 0 } else { digits(whole)? };
        let fraction = if fraction.is_empty() { 0 } else { digits(fraction)? };
        Some(Self::reduced(whole.checked_mul(scale)?.checked_add(fraction)?, scale))
    }

    fn reduced(numerator: u64, denominator: u64) -> Self {
        let (mut a, mut b) = (numerator, denominator);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        Self { numerator: numerator / a.max(1), denominator: denominator / a.max(1) }
    }

    fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

impl fmt::Display for Decimal {
    /// As digits where they end, else as a fraction: what is read back is the same number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(places) = (0..=DIGITS).find(|&places| 10u64.pow(places) % self.denominator == 0) else {
            return write!(f, "{}/{}", self.numerator, self.denominator);
        };
        write!(f, "{}", self.numerator / self.denominator)?;
        if places == 0 {
            return Ok(());
        }
        // The scale is a multiple of the denominator, so no digit is lost.
        let scale = 10u64.pow(places) / self.denominator;
        let fraction = self.numerator % self.denominator * scale;
        write!(f, ".{fraction:0width$}", width = places as usize)
    }
}

fn digits(text: &str) -> Option<u64> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
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
                    "--alpha",
                    text,
                    "a positive number such as 0.5 or 1/2, at most 1000000, with up to 18 decimals",
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

    proptest::proptest! {
        #[test]
        fn every_number_reads_back_as_it_was(over in 1u64..1 << 60, under in 1u64..1 << 60) {
            let kappa: Kappa = format!("{}/{}", over.min(under), over.max(under)).parse().unwrap();
            proptest::prop_assert_eq!(kappa.to_string().parse::<Kappa>().unwrap(), kappa);
        }

        #[test]
        fn every_float_as_python_writes_it_reads_back(value in 1e-2f64..1.0) {
            let text = value.to_string();
            let alpha: Alpha = text.parse().unwrap();
            proptest::prop_assert_eq!(alpha.to_string(), text);
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
