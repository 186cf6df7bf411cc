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

    /// The strength of an edge that rests on so many free parameters.
    ///
    /// Strength / c is about a noncentral chi-square with so many degrees of freedom, where c is variance over
    /// four times the strength: its root errs by the same everywhere. The upper end is symmetric in the root. Noise
    /// alone gives an edge of many parameters some strength, so that the lower end is that of the noncentrality, by
    /// the normal approximation of Sankaran (1959).
    pub(crate) fn strength(value: f64, variance: Option<f64>, parameters: u64) -> Self {
        let plain = Self::on_line(value, variance);
        let ends = |error: f64| {
            let scale = error * error / (4.0 * value);
            if !(scale.is_finite() && scale > 0.0) {
                return [value, value];
            }
            let (found, noise) = (value / scale, parameters.saturating_sub(1) as f64 / 2.0);
            let low = ((found - noise).max(0.0).sqrt() - Z).max(0.0);
            let high = found.sqrt() + Z;
            [(low * low - noise).max(0.0) * scale, high * high * scale]
        };
        Self { interval: plain.error.map(ends), ..plain }
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
        assert_eq!(Quantity::probability(0.5, None).interval, None);
        assert_eq!(Quantity::probability(1.0, Some(0.1)).interval, None);
        assert!(Quantity::on_line(0.0, Some(1e-4)).is_within(0.2));
        assert!(!Quantity::on_line(0.0, None).is_within(0.2));
    }

    #[test]
    fn strengths_are_symmetric_in_the_root_and_lose_what_noise_adds() {
        // 0.01 is 0.025 in the root of 0.04.
        let [low, high] = Quantity::strength(0.04, Some(1e-4), 1).interval.unwrap();
        assert!(
            (low.sqrt() - (0.2 - 0.025 * Z)).abs() < 1e-12 && (high.sqrt() - (0.2 + 0.025 * Z)).abs() < 1e-12
        );
        assert_eq!(Quantity::strength(0.0, Some(0.0), 3).interval, Some([0.0, 0.0]));
        assert_eq!(Quantity::strength(0.1, None, 3).interval, None);
        // Noise alone, k = 2 to 60 parameters and c = 1: zero is left where chi-square has about 2.5 % beyond.
        for parameters in [2, 4, 8, 16, 60] {
            let low =
                |value: f64| Quantity::strength(value, Some(4.0 * value), parameters).interval.unwrap()[0];
            let leaves =
                (1..2000).map(|tenth| f64::from(tenth) / 10.0).find(|&value| low(value) > 0.0).unwrap();
            let beyond = crate::precision::chi_square_tail(leaves, parameters as usize);
            assert!((0.015..0.03).contains(&beyond), "{parameters}: {leaves} {beyond}");
        }
    }
}
