//! A number that every network of an ensemble gives.

/// The mean of a number over the networks of an ensemble, and how far it spreads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The standard deviation over the networks; `None` of a single one.
    pub deviation: Option<f64>,
    /// The standard error for a table of as many rows as were resampled: the deviation in the scale of the
    /// resamples; `None` where they do not tell it. See [`crate::Drawn::scale`].
    pub error: Option<f64>,
    /// What 5 % and 95 % of the networks do not exceed.
    pub range: [f64; 2],
}

/// The shares of networks below the ends of the range.
const ENDS: [f64; 2] = [0.05, 0.95];

impl Spread {
    /// Of the numbers of all networks: at least one.
    pub(super) fn of(values: &[f64], scale: Option<f64>) -> Self {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        let deviation = (values.len() > 1).then(|| (squares / (count - 1.0)).sqrt());
        let error = deviation.zip(scale).map(|(deviation, scale)| deviation * scale);
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        Self { mean, deviation, error, range: ENDS.map(|share| quantile(&sorted, share)) }
    }
}

/// A quantile of sorted numbers, linear between neighbours.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, part) = (place.floor() as usize, place.fract());
    let above = sorted[(below + 1).min(sorted.len() - 1)];
    sorted[below] + part * (above - sorted[below])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_that_of_a_sample() {
        let found = Spread::of(&[0.3, 0.1, 0.2, 0.5, 0.4], Some(2.0));
        assert!((found.mean - 0.3).abs() < 1e-15);
        assert!((found.deviation.unwrap() - 0.025f64.sqrt()).abs() < 1e-15);
        assert!((found.error.unwrap() - 2.0 * 0.025f64.sqrt()).abs() < 1e-15);
        assert!((found.range[0] - 0.12).abs() < 1e-12 && (found.range[1] - 0.48).abs() < 1e-12);
        let one = Spread::of(&[0.3], Some(2.0));
        assert_eq!((one.mean, one.deviation, one.error, one.range), (0.3, None, None, [0.3, 0.3]));
    }
}
