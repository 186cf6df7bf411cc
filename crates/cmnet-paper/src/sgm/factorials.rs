//! Logarithms of factorials in a table: every hyperparameter of the SGM score is a whole
//! number, so that its gamma functions are factorials.

use cmnet::{IntegerLogs, Nats};

/// The largest factorial that is tabulated; beyond it lnGamma is evaluated.
const LARGEST: u64 = 1 << 20;

/// ln(n!) for n up to a bound.
#[derive(Clone, Debug)]
pub(super) struct LogFactorials {
    sums: Vec<Nats>,
}

impl LogFactorials {
    /// A table up to `largest`, or to what is reasonable.
    pub(super) fn up_to(largest: u64) -> Self {
        let largest = largest.min(LARGEST);
        let logs = IntegerLogs::up_to(largest);
        let sum = |sum: &mut Nats, n: u64| {
            *sum += logs.ln(n);
            Some(*sum)
        };
        Self { sums: (0..=largest).scan(Nats::ZERO, sum).collect() }
    }

    /// ln Gamma(argument) of a positive whole number.
    fn ln_gamma(&self, argument: u64) -> Nats {
        match self.sums.get(argument.saturating_sub(1) as usize) {
            Some(&sum) => sum,
            None => Nats::from_f64(libm::lgamma(argument as f64)),
        }
    }

    /// The log probability of one sequence of outcomes with these counts under a
    /// Dirichlet-multinomial distribution with `alpha` per outcome.
    pub(super) fn dirichlet_multinomial(&self, counts: impl Iterator<Item = u32>, alpha: u64) -> Nats {
        let (mut outcomes, mut rows, mut sum) = (0, 0, Nats::ZERO);
        for count in counts {
            outcomes += 1;
            rows += u64::from(count);
            sum += self.ln_gamma(alpha + u64::from(count)) - self.ln_gamma(alpha);
        }
        sum + self.ln_gamma(outcomes * alpha) - self.ln_gamma(outcomes * alpha + rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One observation after the other, each with the probability that the urn then gives it.
    fn by_urn(counts: &[u32], alpha: u64) -> f64 {
        let (mut log, mut seen) = (0.0, 0.0);
        for &count in counts {
            for drawn in 0..count {
                let weight = alpha as f64 + f64::from(drawn);
                log += libm::log(weight / (alpha as f64 * counts.len() as f64 + seen));
                seen += 1.0;
            }
        }
        log
    }

    #[test]
    fn the_table_is_polyas_urn() {
        let table = LogFactorials::up_to(40);
        for counts in [vec![0, 0], vec![3, 0, 7, 1], vec![100, 50], vec![1]] {
            for alpha in [1, 2, 8] {
                let found = table.dirichlet_multinomial(counts.iter().copied(), alpha).to_f64();
                assert!((found - by_urn(&counts, alpha)).abs() < 1e-9, "{counts:?} {alpha}");
            }
        }
    }
}
