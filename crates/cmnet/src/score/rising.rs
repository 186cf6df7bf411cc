//! Logarithms of rising factorials in a table: every gamma function of equation (7).

use super::integer_logs::IntegerLogs;
use super::kappa::Alpha;
use super::nats::Nats;
use std::collections::BTreeMap;

/// The largest integer whose logarithm is tabulated; beyond it lnGamma is evaluated.
const LARGEST: u64 = 1 << 22;

/// Prefix sums of ln(alpha-multiples), from which every rising factorial is a difference.
///
/// With alpha = p/q each factor is an integer over q, and a multiple r p = s + m q starts
/// its product at step m of the residue s: one table of prefix sums per residue serves
/// every number of levels.
#[derive(Clone, Debug)]
pub(crate) struct RisingTable {
    alpha: Alpha,
    prefixes: BTreeMap<u64, Prefix>,
}

/// The sums of one residue, and the same rounded down to what [`Nats::coarse`] keeps.
#[derive(Clone, Debug)]
struct Prefix {
    sums: Vec<Nats>,
    coarse: Vec<i64>,
}

impl RisingTable {
    /// A table for the multiples `levels * alpha` and for alpha itself, up to n = `rows`.
    pub(crate) fn new(alpha: Alpha, levels: impl IntoIterator<Item = u32>, rows: u64) -> Self {
        let denominator = alpha.denominator();
        let mut lengths: BTreeMap<u64, u64> = BTreeMap::new();
        for multiple in levels.into_iter().chain([1]) {
            let (first, residue) = start(alpha, multiple);
            let fits = LARGEST.saturating_sub(residue) / denominator;
            let length = lengths.entry(residue).or_default();
            *length = (*length).max((first + rows).min(fits));
        }
        let largest = lengths.iter().map(|(residue, length)| residue + length * denominator).max();
        let logs = IntegerLogs::up_to(largest.unwrap_or(1).min(LARGEST));
        let log_denominator = Nats::ln_integer(denominator);
        let prefix = |(residue, length): (u64, u64)| {
            let mut sums = vec![Nats::ZERO];
            sums.extend((0..length).scan(Nats::ZERO, |sum, step| {
                *sum += logs.ln(residue + step * denominator) - log_denominator;
                Some(*sum)
            }));
            let coarse = sums.iter().map(|sum| sum.coarse()).collect();
            (residue, Prefix { sums, coarse })
        };
        Self { alpha, prefixes: lengths.into_iter().map(prefix).collect() }
    }

    /// The rising factorials that begin at `multiple * alpha`.
    pub(crate) fn starting_at(&self, multiple: u32) -> Rising<'_> {
        let (first, residue) = start(self.alpha, multiple);
        let from = first as usize;
        let prefix = self.prefixes.get(&residue);
        let sums = prefix.and_then(|prefix| prefix.sums.get(from..)).unwrap_or_default();
        let coarse = prefix.and_then(|prefix| prefix.coarse.get(from..)).unwrap_or_default();
        Rising {
            sums,
            coarse,
            before: sums.first().copied().unwrap_or_default(),
            start: f64::from(multiple) * self.alpha.to_f64(),
        }
    }
}

/// Where a multiple of alpha stands: its whole part, and what is left in units of 1/q.
fn start(alpha: Alpha, multiple: u32) -> (u64, u64) {
    let (start, denominator) =
        (u128::from(multiple) * u128::from(alpha.numerator()), u128::from(alpha.denominator()));
    ((start / denominator) as u64, (start % denominator) as u64)
}

/// ln of the rising factorials a (a+1) ... (a+n-1) = G(a+n) / G(a) for one a.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rising<'a> {
    sums: &'a [Nats],
    coarse: &'a [i64],
    before: Nats,
    start: f64,
}

impl Rising<'_> {
    /// ln of the rising factorial with n factors.
    #[inline]
    pub(crate) fn ln(&self, n: u32) -> Nats {
        match self.sums.get(n as usize) {
            Some(&sum) => sum - self.before,
            None => self.beyond_table(n),
        }
    }

    /// The same in units of 2^-32 nat, by less than one wrong; `None` beyond the table.
    #[inline]
    pub(crate) fn coarse_ln(&self, n: u32) -> Option<i64> {
        Some(self.coarse.get(n as usize)? - self.coarse.first()?)
    }

    #[cold]
    fn beyond_table(&self, n: u32) -> Nats {
        Nats::from_f64(libm::lgamma(self.start + f64::from(n)) - libm::lgamma(self.start))
    }
}

/// ln of G(a + n v) / G(a) for one a, where a count n is worth v observations. Equal counts have equal
/// values, so that sums of them do not depend on their order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RealRising {
    start: f64,
    value: f64,
    before: f64,
}

impl RealRising {
    pub(crate) fn new(start: f64, value: f64) -> Self {
        Self { start, value, before: libm::lgamma(start) }
    }

    pub(crate) fn ln(&self, n: u32) -> Nats {
        Nats::from_f64(libm::lgamma(self.start + f64::from(n) * self.value) - self.before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_difference_of_log_gammas() {
        for text in
            ["0.5", "1", "0.3", "2.5", "0.123456", "1/3", "0.30000000000000004", "7.123456789012345678"]
        {
            let alpha: Alpha = text.parse().unwrap();
            let table = RisingTable::new(alpha, [2, 3, 4, 7], 1000);
            for multiple in [1, 2, 3, 4, 7] {
                for n in [0, 1, 2, 17, 500, 1000, 100_000] {
                    let start = f64::from(multiple) * alpha.to_f64();
                    let expected = libm::lgamma(start + f64::from(n)) - libm::lgamma(start);
                    let found = table.starting_at(multiple).ln(n).to_f64();
                    assert!(
                        (found - expected).abs() <= 1e-12 * expected.abs().max(1.0),
                        "{text} {multiple} {n}"
                    );
                }
            }
        }
    }
}
