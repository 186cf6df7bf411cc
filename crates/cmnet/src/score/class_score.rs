//! What one class of a blanket contributes to a node's score: the Dirichlet factor of equation
//! (7), or a score of the caller's own.

use super::nats::Nats;
use super::rising::{RealRising, Rising};
use crate::counts::Count;
use std::fmt::Debug;

/// A score that is a sum over the classes of each node's blanket, as equation (7) is.
///
/// The search needs nothing else: [`Scorer::with_score`](super::Scorer::with_score) takes any
/// implementation. The prior of contexts and BIC stay as they are. A class knows neither its node nor its blanket: a
/// price of each neighbour is a prior of edges ([`EdgePrior`](super::EdgePrior)).
///
/// # Example
/// The maximal log-likelihood of a class, with half a logarithm of n for each free probability. [`Nats`] are
/// integers, so that their sum does not depend on the order of the counts:
/// ```
/// use cmnet::{Count, Dataset, LocalScore, Nats, RowCounts, Scorer};
/// #[derive(Debug)]
/// struct Bic { log_rows: f64 }
/// impl LocalScore for Bic {
///     fn class(&self, levels: u32, counts: &mut dyn Iterator<Item = Count>) -> Nats {
///         let (mut total, mut sum) = (0, Nats::ZERO);
///         for count in counts.map(u64::from) {
///             total += count;
///             sum += Nats::ln_integer(count) * count;
///         }
///         let penalty = f64::from(levels - 1) / 2.0 * self.log_rows;
///         sum - Nats::ln_integer(total) * total - Nats::from_f64(penalty)
///     }
/// }
/// let data = Dataset::from_labels(&["a", "b"], [["x", "0"], ["y", "1"]].repeat(8))?;
/// let counts = RowCounts::new(&data);
/// let bic = Bic { log_rows: libm::log(16.0) };
/// let scorer = Scorer::with_score(&counts, &bic, 1 << 30)?;
/// let alone = scorer.plain_node_score(0, &[].into_iter().collect())?;
/// let with_b = scorer.plain_node_score(0, &[1].into_iter().collect())?;
/// assert!(with_b > alone);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub trait LocalScore: Debug + Send + Sync {
    /// The contribution of one class: a function of how often each level of the node was
    /// observed in it.
    ///
    /// Only positive counts come, at least one of them, in any order; the result must not
    /// depend on it. A class without observations contributes nothing and is not asked for.
    fn class(&self, levels: u32, counts: &mut dyn Iterator<Item = Count>) -> Nats;
}

/// The score of a class for one node.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ClassScore<'a> {
    /// The factor of equation (7).
    Dirichlet { level: Rising<'a>, class: Rising<'a> },
    /// The same of counts that are worth another amount than one.
    Real { level: RealRising, class: RealRising },
    /// A score of the caller's own.
    Own { score: &'a dyn LocalScore, levels: u32 },
}

impl ClassScore<'_> {
    /// From the (level, count) pairs of a class.
    pub(crate) fn of(&self, counts: &[(u32, Count)]) -> Nats {
        self.of_counts(counts.iter().map(|&(_, count)| count))
    }

    /// Whether classes of so many levels, one run of counts each, add up to no more than a score. What is cheap to
    /// tell is told; `false` where it is not.
    ///
    /// Each logarithm is wrong by less than one unit of 2^-32 nat.
    #[inline]
    pub(crate) fn is_at_most(&self, runs: &[Count], levels: usize, score: Nats) -> bool {
        let Self::Dirichlet { level, class } = self else { return false };
        let mut sum = (runs.len() + runs.len() / levels) as i64;
        for run in runs.chunks_exact(levels) {
            let mut total = 0;
            for &count in run {
                let Some(value) = level.coarse_ln(count) else { return false };
                sum += value;
                total += count;
            }
            let Some(value) = class.coarse_ln(total) else { return false };
            sum -= value;
        }
        sum <= score.coarse()
    }

    /// From the counts of a class, zeros allowed.
    #[inline]
    pub(crate) fn of_counts(&self, counts: impl Iterator<Item = Count>) -> Nats {
        let mut counts = counts.filter(|&count| count > 0);
        match self {
            Self::Dirichlet { level, class } => factor(counts, |n| level.ln(n), |n| class.ln(n)),
            Self::Real { level, class } => factor(counts, |n| level.ln(n), |n| class.ln(n)),
            Self::Own { score, levels } => match counts.next() {
                Some(first) => score.class(*levels, &mut std::iter::once(first).chain(counts)),
                None => Nats::ZERO,
            },
        }
    }
}

/// The factor of equation (7), from the logarithms of rising factorials.
#[inline]
fn factor(
    counts: impl Iterator<Item = Count>,
    level: impl Fn(Count) -> Nats,
    class: impl Fn(Count) -> Nats,
) -> Nats {
    let mut total = 0;
    let mut score = Nats::ZERO;
    for count in counts {
        total += count;
        score += level(count);
    }
    score - class(total)
}
