//! How strongly interactions are drawn towards zero.

use crate::error::{Error, OptionName, Result};
use std::fmt;
use std::str::FromStr;

/// The largest strength: interactions are then gone.
const LARGEST: f64 = 1e9;

/// The strength of a ridge for each order of interaction, from 2 on; the last holds for all
/// higher ones. Main effects are free.
///
/// With it the parameters maximise the log-likelihood less half the sum of strength times squared
/// interactions. An interaction is theta_A(x_A) of the decomposition of log p into parts that sum
/// to zero over the levels of each of their variables, so that no level is special. The phi-terms
/// of the paper do depend on which level comes first.
///
/// # Example
/// ```
/// use cmnet::Ridge;
/// let ridge: Ridge = "0.5,2".parse()?;
/// assert_eq!([2, 3, 7].map(|order| ridge.strength(order)), [0.5, 2.0, 2.0]);
/// assert_eq!(ridge.strength(1), 0.0);
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ridge(Vec<f64>);

impl Ridge {
    /// No ridge.
    pub const NONE: Self = Self(Vec::new());

    /// A ridge with these strengths for interactions of two variables, of three, and so on.
    ///
    /// # Errors
    /// When a strength is negative, above 1e9 or not a number.
    pub fn by_order(strengths: Vec<f64>) -> Result<Self> {
        if let Some(refuse) = strengths.iter().find(|strength| !(0.0..=LARGEST).contains(*strength)) {
            return Err(refused(&format!("{refuse:?}")));
        }
        if strengths.iter().all(|&strength| strength == 0.0) {
            return Ok(Self::NONE);
        }
        Ok(Self(strengths))
    }

    /// The strength for interactions of so many variables.
    pub fn strength(&self, order: usize) -> f64 {
        if order < 2 {
            return 0.0;
        }
        self.0.get(order - 2).or(self.0.last()).copied().unwrap_or_default()
    }

    /// Whether nothing is drawn towards zero.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// The strengths from order 2 on.
    pub fn strengths(&self) -> &[f64] {
        &self.0
    }
}

impl fmt::Display for Ridge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.write_str("0");
        }
        let texts: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&texts.join(","))
    }
}

impl FromStr for Ridge {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let number = |part: &str| part.trim().parse::<f64>().map_err(|_| refused(text));
        Self::by_order(text.split(',').map(number).collect::<Result<_>>()?)
    }
}

fn refused(text: &str) -> Error {
    let expected = "a strength from 0 to 1e9, or one for each order from 2 on: 0.5,2";
    Error::option(OptionName::Ridge, text, expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strengths_are_read_back_and_others_refused() {
        for text in ["0", "1", "0.5", "0.5,2", "0,3"] {
            assert_eq!(text.parse::<Ridge>().unwrap().to_string(), text);
        }
        assert_eq!("0,0".parse::<Ridge>().unwrap(), Ridge::NONE);
        for text in ["", "-1", "nan", "inf", "1;2", "1,", "strong"] {
            assert!(text.parse::<Ridge>().is_err(), "{text}");
        }
    }
}
