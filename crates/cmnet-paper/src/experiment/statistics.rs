//! Mean and spread over repetitions.

/// Mean, standard deviation and number of some values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Summary {
    pub(super) mean: f64,
    /// Between values; `None` for a single one.
    pub(super) deviation: Option<f64>,
    pub(super) count: usize,
}

impl Summary {
    /// `None` without values.
    pub(super) fn of(values: &[f64]) -> Option<Self> {
        let count = values.len();
        if count == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        let deviation = (count > 1).then(|| (squares / (count - 1) as f64).sqrt());
        Some(Self { mean, deviation, count })
    }

    /// The standard error of the mean.
    pub(super) fn error(&self) -> Option<f64> {
        Some(self.deviation? / (self.count as f64).sqrt())
    }

    /// How many standard deviations a published value lies from the mean, its rounding to
    /// so many decimals allowed for; `None` without a deviation.
    pub(super) fn distance(&self, published: f64, decimals: usize) -> Option<f64> {
        let rounding = 0.5 * libm::pow(10.0, -(decimals as f64));
        let gap = ((published - self.mean).abs() - rounding).max(0.0);
        let deviation = self.deviation?;
        if gap == 0.0 {
            return Some(0.0);
        }
        // Values that agree to all printed digits and more have no spread to measure by.
        Some(if deviation < 0.02 * rounding { f64::INFINITY } else { gap / deviation })
    }

    /// How many standard errors lie between this mean and a published mean of `others` values
    /// with the same spread, its rounding allowed for.
    pub(super) fn gap_to_mean(&self, published: f64, others: usize, decimals: usize) -> Option<f64> {
        let rounding = 0.5 * libm::pow(10.0, -(decimals as f64));
        let gap = ((published - self.mean).abs() - rounding).max(0.0);
        let error = self.deviation? * (1.0 / self.count as f64 + 1.0 / others as f64).sqrt();
        Some(if gap == 0.0 { 0.0 } else { gap / error })
    }

    /// The mean with its deviation, to so many decimals.
    pub(super) fn text(&self, decimals: usize) -> String {
        match self.deviation {
            Some(deviation) => format!("{:.decimals$} ± {deviation:.decimals$}", self.mean),
            None => format!("{:.decimals$}", self.mean),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_spread_and_distance() {
        let summary = Summary::of(&[1.0, 2.0, 3.0]).unwrap();
        assert_eq!(summary.text(1), "2.0 ± 1.0");
        assert_eq!(summary.distance(2.04, 1), Some(0.0));
        assert!((summary.distance(5.0, 1).unwrap() - 2.95).abs() < 1e-12);
        assert_eq!(Summary::of(&[1.0]).unwrap().distance(2.0, 1), None);
        assert!(Summary::of(&[]).is_none());
    }
}
