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

    /// A number of at least zero: the interval is cut off there.
    pub(crate) fn at_least_zero(value: f64, variance: Option<f64>) -> Self {
        let plain = Self::on_line(value, variance);
        Self { interval: plain.interval.map(|ends| ends.map(|end| end.max(0.0))), ..plain }
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
        assert!(Quantity::at_least_zero(0.01, Some(1.0)).interval.unwrap()[0].abs() < 1e-15);
        assert_eq!(Quantity::probability(0.5, None).interval, None);
        assert_eq!(Quantity::probability(1.0, Some(0.1)).interval, None);
        assert!(Quantity::on_line(0.0, Some(1e-4)).is_within(0.2));
        assert!(!Quantity::on_line(0.0, None).is_within(0.2));
    }
}
