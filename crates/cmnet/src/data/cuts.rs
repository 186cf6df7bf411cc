//! Cut points: where numbers become levels, and what such levels are called.

use super::encode::number;
use crate::error::{Error, OptionName, Result};
use serde::Serialize;

/// The most cut points of a variable: more classes are not what cutting is for.
const MOST: usize = 1000;

/// Ascending cut points c_1 < .. < c_m, which make m + 1 levels of all numbers: below c_1, from c_1 to
/// below c_2, and so on, from c_m on.
///
/// # Example
/// ```
/// use cmnet::Cuts;
/// let cuts = Cuts::new(vec![18.0, 40.0])?;
/// assert_eq!(cuts.labels(), ["<18", "18..40", ">=40"]);
/// assert_eq!((cuts.level(17.5), cuts.level(18.0), cuts.level(90.0)), (0, 1, 2));
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Cuts(Vec<f64>);

/// Cut points are finite: each equals itself.
impl Eq for Cuts {}

impl Cuts {
    /// These cut points.
    ///
    /// # Errors
    /// When there is none or too many, one is not finite, or they do not ascend.
    pub fn new(points: Vec<f64>) -> Result<Self> {
        // Zero has two signs and one label.
        let points: Vec<f64> = points.into_iter().map(|point| point + 0.0).collect();
        match Self::fault(&points) {
            Some(expected) => Err(Error::option(OptionName::Bins, listed(&points), expected)),
            None => Ok(Self(points)),
        }
    }

    /// What keeps numbers from being cut points: what was expected instead.
    pub(crate) fn fault(points: &[f64]) -> Option<String> {
        if points.is_empty() || points.len() > MOST {
            return Some(format!("1 to {MOST} cut points"));
        }
        if let Some(point) = points.iter().find(|point| !point.is_finite()) {
            return Some(format!("cut points that are finite numbers; {point} is not"));
        }
        let pair = points.windows(2).find(|pair| pair[0] >= pair[1])?;
        Some(format!("cut points that ascend; {} is followed by {}", pair[0], pair[1]))
    }

    /// The cut points, ascending.
    pub fn points(&self) -> &[f64] {
        &self.0
    }

    /// The level of a number.
    pub fn level(&self, value: f64) -> u32 {
        self.0.partition_point(|&point| point <= value) as u32
    }

    /// The level of a text that is a finite number.
    pub fn level_of(&self, text: &str) -> Option<u32> {
        number(text.trim()).map(|value| self.level(value))
    }

    /// What the levels are called: ranges in their order.
    pub fn labels(&self) -> Vec<String> {
        let (first, last) = (self.0[0], self.0[self.0.len() - 1]);
        let between = self.0.windows(2).map(|pair| format!("{}..{}", pair[0], pair[1]));
        let below = std::iter::once(format!("<{first}"));
        below.chain(between).chain([format!(">={last}")]).collect()
    }
}

/// Numbers as people write them in a list.
pub(crate) fn listed(points: &[f64]) -> String {
    points.iter().map(f64::to_string).collect::<Vec<_>>().join(",")
}

/// The number with the fewest digits above `low` and not above `high`; of several, the one nearest to
/// the middle. A cut there parts the two, and is easy to read.
pub(crate) fn between(low: f64, high: f64) -> f64 {
    let middle = low / 2.0 + high / 2.0;
    let largest = low.abs().max(high.abs());
    let top = libm::ceil(libm::log10(largest.max(f64::MIN_POSITIVE))) as i32;
    for exponent in (top - 17..=top).rev() {
        let nearest = libm::round(scaled(middle, exponent));
        let candidates = [0.0, -1.0, 1.0].map(|step| written(nearest + step, exponent));
        if let Some(found) = candidates.into_iter().flatten().find(|&point| low < point && point <= high) {
            return found + 0.0;
        }
    }
    high
}

/// A number in units of a power of ten.
fn scaled(value: f64, exponent: i32) -> f64 {
    value / libm::pow(10.0, f64::from(exponent))
}

/// The number that is so many units of a power of ten, as its digits say.
fn written(units: f64, exponent: i32) -> Option<f64> {
    format!("{units}e{exponent}").parse().ok().filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn levels_are_ranges_in_their_order() {
        let cuts = Cuts::new(vec![-1.5, 0.0, 1e6]).unwrap();
        assert_eq!(cuts.labels(), ["<-1.5", "-1.5..0", "0..1000000", ">=1000000"]);
        assert_eq!([-2.0, -1.5, -0.0, 0.0, 1e9].map(|value| cuts.level(value)), [0, 1, 2, 2, 3]);
        assert_eq!((cuts.level_of(" 7 "), cuts.level_of("x"), cuts.level_of("inf")), (Some(2), None, None));
        assert_eq!(Cuts::new(vec![-0.0]).unwrap().labels(), ["<0", ">=0"]);
    }

    #[test]
    fn what_does_not_ascend_is_refused() {
        let refused = |points: &[f64]| Cuts::new(points.to_vec()).unwrap_err().to_string();
        assert!(refused(&[]).contains("1 to 1000 cut points"));
        assert!(refused(&[2.0, 1.0]).contains("that ascend; 2 is followed by 1"));
        assert!(refused(&[1.0, 1.0]).contains("ascend"));
        assert!(refused(&[f64::NAN]).contains("NaN is not"));
        assert!(refused(&[1.0, f64::INFINITY]).contains("inf is not"));
    }

    #[test]
    fn cuts_between_numbers_have_few_digits() {
        for (low, high, cut) in [
            (17.0, 18.0, 18.0),
            (1.2345, 1.2391, 1.237),
            (10.0, 25.0, 20.0),
            (-3.0, 4.0, 0.0),
            (0.1, 0.2, 0.2),
            (99.0, 101.0, 100.0),
            (-7.5, -7.25, -7.4),
        ] {
            assert!(between(low, high).total_cmp(&cut).is_eq(), "{low} {high}");
        }
    }

    proptest! {
        #[test]
        fn a_cut_always_parts_its_neighbours(one in any::<f64>(), other in any::<f64>()) {
            prop_assume!(one.is_finite() && other.is_finite() && (one < other || other < one));
            let (low, high) = (one.min(other), one.max(other));
            let cut = between(low, high);
            prop_assert!(low < cut && cut <= high, "{} {} {}", low, cut, high);
        }
    }
}
