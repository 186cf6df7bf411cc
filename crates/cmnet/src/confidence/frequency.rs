//! How often something was found in replicates, and what that says.

use crate::precision::Z;
use serde::Serialize;
use std::fmt;

/// So many of so many replicates.
///
/// # Example
/// ```
/// use cmnet::{Frequency, Verdict};
/// let often = Frequency { count: 196, of: 200 };
/// assert_eq!(often.support(), 0.98);
/// assert_eq!(often.verdict(), Verdict::Conclusive);
/// assert_eq!(Frequency { count: 4, of: 4 }.verdict(), Verdict::Inconclusive);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frequency {
    /// Replicates in which it was found.
    pub count: u64,
    /// All replicates: at least one.
    pub of: u64,
}

/// What a frequency says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The interval of the support lies above [`Frequency::CONCLUSIVE`].
    Conclusive,
    /// Neither of the others.
    Inconclusive,
    /// The interval of the support lies below [`Frequency::ABSENT`].
    Absent,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Conclusive => "conclusive",
            Self::Inconclusive => "inconclusive",
            Self::Absent => "absent",
        })
    }
}

impl Frequency {
    /// Supports above this are conclusive, when the simulation leaves no doubt of it.
    pub const CONCLUSIVE: f64 = 0.75;
    /// Supports below this mean that it is absent, when the simulation leaves no doubt of it.
    pub const ABSENT: f64 = 0.25;

    /// The share of replicates.
    pub fn support(self) -> f64 {
        self.count as f64 / self.of.max(1) as f64
    }

    /// The standard error that comes from the number of replicates: binomial.
    pub fn error(self) -> f64 {
        let share = self.support();
        (share * (1.0 - share) / self.of.max(1) as f64).sqrt()
    }

    /// The interval of 95 % for the support that endless replicates would give: Wilson's.
    pub fn interval(self) -> [f64; 2] {
        let (share, of, squared) = (self.support(), self.of.max(1) as f64, Z * Z);
        let center = (share + squared / (2.0 * of)) / (1.0 + squared / of);
        let half = Z / (1.0 + squared / of) * (share * (1.0 - share) / of + squared / (4.0 * of * of)).sqrt();
        // Rounding must not leave the unit interval, nor miss its ends.
        let low = if self.count == 0 { 0.0 } else { (center - half).max(0.0) };
        let high = if self.count == self.of { 1.0 } else { (center + half).min(1.0) };
        [low, high]
    }

    /// Conclusive, inconclusive or absent: by the interval, so that few replicates decide
    /// nothing.
    pub fn verdict(self) -> Verdict {
        match self.interval() {
            [low, _] if low > Self::CONCLUSIVE => Verdict::Conclusive,
            [_, high] if high < Self::ABSENT => Verdict::Absent,
            _ => Verdict::Inconclusive,
        }
    }

    /// Whether the support is at least this.
    pub(super) fn reaches(self, threshold: f64) -> bool {
        // 0.6 * 5 is a little above 3.
        self.count as f64 >= threshold * self.of as f64 - 1e-9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_wilsons() {
        let near = |one: [f64; 2], other: [f64; 2]| {
            assert!(one.iter().zip(other).all(|(a, b)| (a - b).abs() < 1e-4), "{one:?} {other:?}");
        };
        near(Frequency { count: 8, of: 10 }.interval(), [0.4902, 0.9433]);
        near(Frequency { count: 0, of: 10 }.interval(), [0.0, 0.2775]);
        near(Frequency { count: 10, of: 10 }.interval(), [0.7225, 1.0]);
        assert!((Frequency { count: 50, of: 100 }.error() - 0.05).abs() < 1e-12);
    }

    #[test]
    fn few_replicates_decide_nothing() {
        let verdict = |count, of| Frequency { count, of }.verdict();
        assert_eq!(verdict(10, 10), Verdict::Inconclusive);
        assert_eq!(verdict(20, 20), Verdict::Conclusive);
        assert_eq!(verdict(0, 10), Verdict::Inconclusive);
        assert_eq!(verdict(0, 20), Verdict::Absent);
        assert_eq!(verdict(100, 200), Verdict::Inconclusive);
    }

    #[test]
    fn a_threshold_is_reached_in_spite_of_rounding() {
        assert!(Frequency { count: 3, of: 5 }.reaches(0.6));
        assert!(!Frequency { count: 2, of: 5 }.reaches(0.6));
        assert!(Frequency { count: 5, of: 5 }.reaches(1.0));
    }
}
