//! The structure with the highest score, proven: branch and bound over graphs and contexts.
//!
//! The score is a sum over nodes. Left alone, every node would take the blanket and contexts that
//! suit it best, and the sum of these is an upper bound. Neighbours that disagree, about an edge or
//! about an element of its context, are told to agree in one way and in the other; a branch whose
//! bound does not exceed the best structure known is given up. The greedy search gives the first
//! structure to beat.

mod contexts;
mod graphs;
mod node;

use super::graph_climb::{GraphClimb, climb_graph};
use super::observer::{SearchEvent, SearchObserver};
use crate::control::StopReason;
use crate::counts::CountSource;
use crate::error::{Error, Remedy, Result};
use crate::score::{ContextPrior, Nats, Scorer};
use crate::structure::Structure;

/// The most variables whose graphs are searched: each has half of 2^16 blankets.
pub(super) const MOST_VARIABLES: usize = 16;

/// The best structure of all, or the best that was found, with what is known about all others.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimum {
    /// The best structure found.
    pub structure: Structure,
    /// Its score, log MPL and log prior.
    pub score: Nats,
    /// No structure has a higher score than this. Equal to `score` when the search has ended.
    pub bound: Nats,
    /// The score that the greedy search of the paper reached.
    pub greedy: Nats,
    /// Branches that were examined.
    pub branches: u64,
    /// Why the search ended: `Converged` means that the structure is proven to be the best.
    pub stop: StopReason,
}

impl Optimum {
    /// Whether no structure has a higher score.
    pub fn is_proven(&self) -> bool {
        self.bound <= self.score
    }
}

/// Finds the structure with the highest score and proves it.
///
/// Without contexts (kappa eps) up to 16 variables; with contexts as long as no Markov blanket
/// can have more than 16 configurations, as with five binary variables. Among structures with the
/// same score the greedy one is kept, else the first that was met. An observer that asks to stop
/// ends the search with the best structure so far and a bound. Only graphs that keep to the rules
/// of the prior are looked at.
///
/// # Errors
/// When there are too many variables or configurations.
///
/// # Example
/// ```
/// use cmnet::{Alpha, ContextPrior, Dataset, Kappa, RowCounts, Scorer, optimum};
/// let data = Dataset::from_labels(&["a", "b", "c"], [["0", "0", "1"], ["1", "1", "1"]].repeat(20))?;
/// let counts = RowCounts::new(&data);
/// let scorer = Scorer::new(&counts, Alpha::default());
/// let found = optimum(&scorer, &ContextPrior::new("eps".parse::<Kappa>()?, data.rows()), &())?;
/// assert!(found.is_proven());
/// assert_eq!(found.structure.graph().edge_count(), 1);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn optimum<S: CountSource>(
    scorer: &Scorer<'_, S>,
    prior: &ContextPrior,
    observer: &dyn SearchObserver,
) -> Result<Optimum> {
    check_size(scorer.cardinalities(), prior)?;
    let climb = GraphClimb::new(scorer, prior.clone());
    let mut state = climb.start()?;
    climb_graph(&climb, &mut state, observer)?;
    let progress = Progress::new(observer, (state.structure().clone(), state.score()));
    let found = match prior.log_kappa() {
        None => graphs::search(scorer, prior, progress)?,
        Some(_) => contexts::search(scorer, prior, progress)?,
    };
    let (structure, score) = found.best;
    let (bound, stop) = (found.open.map_or(score, |open| open.max(score)), found.stop);
    Ok(Optimum { structure, score, bound, greedy: state.score(), branches: found.branches, stop })
}

fn check_size(cardinalities: &[u32], prior: &ContextPrior) -> Result<()> {
    if cardinalities.len() > MOST_VARIABLES {
        let remedies = [Remedy::Advice("search greedily, or choose some of the columns".into())];
        return Err(Error::limit("the number of variables of an exact search", MOST_VARIABLES, remedies));
    }
    if prior.log_kappa().is_none() {
        return Ok(());
    }
    let cells = |node: usize| -> u64 {
        let others = cardinalities.iter().enumerate().filter(|&(v, _)| v != node);
        others.fold(1u64, |product, (_, &levels)| product.saturating_mul(levels.into()))
    };
    if (0..cardinalities.len()).any(|node| cells(node) > node::MOST_CELLS as u64) {
        let what = "the number of configurations of a Markov blanket in an exact search with contexts";
        let remedies = [Remedy::Advice("use kappa eps, or choose some of the columns".into())];
        return Err(Error::limit(what, node::MOST_CELLS, remedies));
    }
    Ok(())
}

/// The best structure so far, what is examined, and who may end it.
struct Progress<'o> {
    observer: &'o dyn SearchObserver,
    best: (Structure, Nats),
    branches: u64,
    /// The largest bound of what was left open.
    open: Option<Nats>,
    stop: StopReason,
}

impl<'o> Progress<'o> {
    fn new(observer: &'o dyn SearchObserver, best: (Structure, Nats)) -> Self {
        Self { observer, best, branches: 0, open: None, stop: StopReason::Converged }
    }

    /// Counts a branch with its bound; a reason ends the search.
    fn examine(&mut self, bound: Nats) -> Option<StopReason> {
        self.branches += 1;
        if self.branches % 4096 == 1 {
            let (branches, best) = (self.branches, self.best.1);
            self.observer.observe(&SearchEvent::Bounded { branches, best, bound });
        }
        self.observer.stop()
    }

    /// Ends the search; these bounds are of what is left.
    fn leave(&mut self, stop: StopReason, bounds: impl Iterator<Item = Nats>) {
        self.stop = stop;
        self.open = bounds.chain(self.open).max();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_is_that_of_the_other_variables_together() {
        let prior = |kappa: &str| ContextPrior::new(kappa.parse().unwrap(), 100);
        let fits = |cardinalities: &[u32], kappa| check_size(cardinalities, &prior(kappa)).is_ok();
        assert!(fits(&[2; 5], "n^-0.5") && !fits(&[2; 6], "n^-0.5"));
        assert!(fits(&[17], "n^-0.5") && !fits(&[17, 2], "n^-0.5") && fits(&[16, 16], "n^-0.5"));
        assert!(fits(&[2; MOST_VARIABLES], "eps") && !fits(&[2; MOST_VARIABLES + 1], "eps"));
    }
}
