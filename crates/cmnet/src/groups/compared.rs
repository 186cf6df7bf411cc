//! All pairs with their differences, observed and permuted.

use super::pair::Pair;
use super::permute::{Labels, p_values};
use crate::control::{Control, StopReason};

/// How much each pair differs between groups, and in each permutation of the labels.
#[derive(Debug)]
pub(super) struct Compared {
    pub(super) pairs: Vec<Pair>,
    pub(super) observed: Vec<f64>,
    /// The differences of all pairs in each permutation.
    pub(super) permuted: Vec<Vec<f64>>,
    pub(super) stop: StopReason,
}

impl Compared {
    /// As far as the control lets it come.
    pub(super) fn of(labels: &Labels, pairs: Vec<Pair>, permutations: u64, control: &dyn Control) -> Self {
        let observed = pairs.iter().map(|pair| pair.difference(&labels.groups, labels.count)).collect();
        let (permuted, stop) = labels.differences(&pairs, permutations, control);
        Self { pairs, observed, permuted, stop }
    }

    /// The most different of the pairs that differ at a level, among some.
    pub(super) fn most_different(&self, level: f64, among: impl Fn(usize) -> bool) -> Option<usize> {
        let values = p_values(&self.observed, &self.permuted);
        let marked = (0..values.len()).filter(|&place| among(place) && values[place].adjusted <= level);
        marked.max_by(|&one, &other| {
            values[one].standard.total_cmp(&values[other].standard).then(other.cmp(&one))
        })
    }

    /// Puts other pairs in the places of some. When that is stopped before its first permutation, all stays as
    /// it is; later, every pair has as many permutations as were finished.
    pub(super) fn replace(&mut self, labels: &Labels, others: Vec<(usize, Pair)>, control: &dyn Control) {
        let (places, pairs): (Vec<usize>, Vec<Pair>) = others.into_iter().unzip();
        let new = Self::of(labels, pairs, self.permuted.len() as u64, control);
        self.stop = new.stop;
        if new.permuted.is_empty() {
            return;
        }
        self.permuted.truncate(new.permuted.len());
        for (row, own) in self.permuted.iter_mut().zip(&new.permuted) {
            places.iter().zip(own).for_each(|(&place, &value)| row[place] = value);
        }
        for ((&place, pair), observed) in places.iter().zip(new.pairs).zip(new.observed) {
            self.pairs[place] = pair;
            self.observed[place] = observed;
        }
    }
}
