//! Labels of groups in another order, and what they say about all pairs at once.

use super::pair::Pair;
use crate::control::{Control, Halt, Halting, StopReason};
use crate::data::{below, mix_seed};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;

/// Permutations between two questions to the control.
const BATCH: u64 = 32;

/// The labels of groups, and the observations among which they may be exchanged.
#[derive(Debug)]
pub(super) struct Labels {
    pub(super) groups: Vec<u16>,
    pub(super) count: usize,
    /// The observations of each block.
    pub(super) blocks: Vec<Vec<usize>>,
    pub(super) seed: u64,
}

impl Labels {
    /// The labels in the order of one permutation, which its number and the seed determine.
    fn permuted(&self, number: u64) -> Vec<u16> {
        let mut generator = Pcg64Mcg::seed_from_u64(mix_seed(self.seed ^ mix_seed(number)));
        let mut groups = self.groups.clone();
        for block in &self.blocks {
            for place in (1..block.len()).rev() {
                let other = below(&mut generator, place as u64 + 1) as usize;
                groups.swap(block[place], block[other]);
            }
        }
        groups
    }

    /// How much each pair differs in each permutation, as far as the control lets it come.
    pub(super) fn differences(
        &self,
        pairs: &[Pair],
        permutations: u64,
        control: &dyn Control,
    ) -> (Vec<Vec<f64>>, StopReason) {
        let one = |number: u64| -> Halting<Vec<f64>> {
            let groups = self.permuted(number);
            let difference = |pair: &Pair| {
                crate::control::check(control)?;
                Ok(pair.difference(&groups, self.count))
            };
            pairs.iter().map(difference).collect()
        };
        let mut all = Vec::new();
        for first in (0..permutations).step_by(BATCH as usize) {
            let numbers = first..permutations.min(first + BATCH);
            let batch: Vec<Halting<Vec<f64>>> = numbers.into_par_iter().map(one).collect();
            for result in batch {
                match result {
                    Ok(differences) => all.push(differences),
                    Err(Halt::Stopped(reason)) => return (all, reason),
                    Err(Halt::Failed(_)) => return (all, StopReason::Interrupted),
                }
            }
        }
        (all, StopReason::Converged)
    }
}

/// Whether a difference is no smaller than another. Labels that are exchanged between equal tables give the same
/// number but for rounding, and count as reaching it.
fn reaches(value: f64, other: f64) -> bool {
    value >= other - 1e-9 * other.abs().max(1.0)
}

/// The p-values of pairs: each alone, and adjusted for all of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PValues {
    /// The difference in units of the spread of those of permutations.
    pub(super) standard: f64,
    pub(super) alone: f64,
    pub(super) adjusted: f64,
}

/// The p-values of observed differences by those of permutations.
///
/// The adjusted ones are those of Westfall and Young's step-down procedure on differences in units of
/// their spread: the probability of so large a difference somewhere among the pairs that differ no
/// more.
pub(super) fn p_values(observed: &[f64], permuted: &[Vec<f64>]) -> Vec<PValues> {
    let all = permuted.len() as f64 + 1.0;
    let scale = |pair: usize| {
        let values = || permuted.iter().map(|row| row[pair]).chain([observed[pair]]);
        let mean = values().sum::<f64>() / all;
        let spread = libm::sqrt(values().map(|value| (value - mean) * (value - mean)).sum::<f64>() / all);
        (mean, spread)
    };
    let scales: Vec<(f64, f64)> = (0..observed.len()).map(scale).collect();
    let standard = |pair: usize, value: f64| {
        let (mean, spread) = scales[pair];
        if spread > 0.0 { (value - mean) / spread } else { 0.0 }
    };
    let own: Vec<f64> = (0..observed.len()).map(|pair| standard(pair, observed[pair])).collect();
    let mut order: Vec<usize> = (0..observed.len()).collect();
    order.sort_by(|&one, &other| own[other].total_cmp(&own[one]).then(one.cmp(&other)));
    let mut reached = vec![1.0; observed.len()];
    for row in permuted {
        let mut largest = f64::NEG_INFINITY;
        for (place, &pair) in order.iter().enumerate().rev() {
            largest = largest.max(standard(pair, row[pair]));
            if reaches(largest, own[pair]) {
                reached[place] += 1.0;
            }
        }
    }
    let mut values = vec![PValues { standard: 0.0, alone: 1.0, adjusted: 1.0 }; observed.len()];
    let mut last: f64 = 0.0;
    for (place, &pair) in order.iter().enumerate() {
        last = last.max(reached[place] / all);
        let alone = permuted.iter().filter(|row| reaches(row[pair], observed[pair])).count();
        let alone = (1.0 + alone as f64) / all;
        values[pair] = PValues { standard: own[pair], alone, adjusted: last };
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_stay_in_their_blocks() {
        let labels = Labels {
            groups: vec![0, 1, 0, 1, 2, 0],
            count: 3,
            blocks: vec![vec![0, 1], vec![2, 3, 4, 5]],
            seed: 3,
        };
        let mut moved = false;
        for number in 0..20 {
            let groups = labels.permuted(number);
            let sorted = |some: &[u16]| {
                let mut some = some.to_vec();
                some.sort_unstable();
                some
            };
            assert_eq!((sorted(&groups[..2]), sorted(&groups[2..])), (vec![0, 1], vec![0, 0, 1, 2]));
            moved |= groups != labels.groups;
            assert_eq!(groups, labels.permuted(number));
        }
        assert!(moved);
    }

    #[test]
    fn p_values_count_permutations_and_adjusting_never_lowers_them() {
        let permuted: Vec<Vec<f64>> =
            (0..99).map(|row| vec![f64::from(row), f64::from(row * 7 % 99)]).collect();
        let values = p_values(&[1000.0, 50.0], &permuted);
        assert!((values[0].alone - 0.01).abs() < 1e-12 && (values[0].adjusted - 0.01).abs() < 1e-12);
        assert!((values[1].alone - 0.5).abs() < 1e-12);
        assert!(values.iter().all(|value| value.adjusted >= value.alone - 1e-12));
        // A difference is reached by either pair more often than by one.
        let values = p_values(&[95.0, 95.0], &permuted);
        assert!(values[0].adjusted > values[0].alone);
    }
}
