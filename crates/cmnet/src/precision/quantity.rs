//! A number that was estimated, with its standard error and interval.

/// The standard normal quantile of a two-sided interval of 95 %.
pub(crate) const Z: f64 = 1.959_963_984_540_054;

/// An estimate with its standard error and its interval of 95 %.
///
/// Both are `None` where the data do not bound the number: a margin that it rests on is empty,
/// and its maximum likelihood estimate lies at infinity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    /// The number by the parameters that are used.
    pub value: f64,
    /// The standard error of the number itself.
    pub error: Option<f64>,
    /// The interval of 95 %.
    pub interval: Option<[f64; 2]>,
}

impl Quantity {
    /// A number on the whole line: the interval is symmetric.
    pub(crate) fn on_line(value: f64, variance: Option<f64>) -> Self {
        let error = variance.map(|variance| variance.max(0.0).sqrt());
        Self { value, error, interval: error.map(|error| [value - Z * error, value + Z * error]) }
    }

    /// A probability: the interval is symmetric in the log odds, and stays in the unit interval.
    pub(crate) fn probability(value: f64, variance: Option<f64>) -> Self {
        let plain = Self::on_line(value, variance);
        let spread = value * (1.0 - value);
        if spread <= 0.0 {
            return Self { interval: None, ..plain };
        }
        let interval = plain.error.map(|error| {
            let (middle, half) = (libm::log(value / (1.0 - value)), Z * error / spread);
            [middle - half, middle + half].map(|odds| 1.0 / (1.0 + libm::exp(-odds)))
        });
        Self { interval, ..plain }
    }

    /// The strength of an edge. Its estimate errs by the more the larger it is, and the root of it by nearly the
    /// same everywhere: the upper end is symmetric in the root. Noise never makes a strength negative, so that
    /// near zero the estimate is too large: the lower end is symmetric in the strength itself, which reaches zero
    /// earlier, and cut off there.
    pub(crate) fn strength(value: f64, variance: Option<f64>) -> Self {
        let plain = Self::on_line(value, variance);
        let upper = |error: f64| {
            let half = if value > 0.0 { Z * error / (2.0 * value.sqrt()) } else { 0.0 };
            (value.max(0.0).sqrt() + half) * (value.max(0.0).sqrt() + half)
        };
        let interval = plain.error.map(|error| [(value - Z * error).max(0.0), upper(error)]);
        Self { interval, ..plain }
    }

    /// A number that the structure fixes.
    pub(crate) fn fixed(value: f64) -> Self {
        Self { value, error: Some(0.0), interval: Some([value, value]) }
    }

    /// Whether the interval lies inside (-bound, bound): the number is as good as zero.
    pub fn is_within(&self, bound: f64) -> bool {
        self.interval.is_some_and(|[low, high]| -bound < low && high < bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_stay_where_the_number_lives() {
        let sure = Quantity::on_line(1.0, Some(0.25));
        assert!((sure.interval.unwrap()[0] - (1.0 - 0.5 * Z)).abs() < 1e-12);
        let [low, high] = Quantity::probability(0.98, Some(0.01)).interval.unwrap();
        assert!(low > 0.0 && low < 0.98 && high > 0.98 && high < 1.0);
        let [low, high] = Quantity::strength(0.04, Some(1e-4)).interval.unwrap();
        assert!((low - (0.04 - 0.01 * Z)).abs() < 1e-15);
        // 0.01 is 0.025 in the root of 0.04.
        assert!((high.sqrt() - (0.2 + 0.025 * Z)).abs() < 1e-15 && high > 0.04 + 0.01 * Z);
        assert!(Quantity::strength(0.01, Some(1.0)).interval.unwrap()[0].abs() < 1e-15);
        assert_eq!(Quantity::strength(0.0, Some(0.0)).interval, Some([0.0, 0.0]));
        assert_eq!(Quantity::probability(0.5, None).interval, None);
        assert_eq!(Quantity::probability(1.0, Some(0.1)).interval, None);
        assert!(Quantity::on_line(0.0, Some(1e-4)).is_within(0.2));
        assert!(!Quantity::on_line(0.0, None).is_within(0.2));
    }
}
