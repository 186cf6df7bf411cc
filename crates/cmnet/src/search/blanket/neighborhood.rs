//! Phase 1: a Markov blanket for each node, by greedy addition and deletion.

use crate::control::{Control, Halting, check};
use crate::counts::CountSource;
use crate::data::Var;
use crate::error::Result;
use crate::graph::{Edge, VarSet};
use crate::score::{ContextPrior, Nats, Scorer};
use crate::search::limits::BlanketLimits;

/// A node's blanket and whether a limit kept it from growing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Neighborhood {
    pub(super) blanket: VarSet,
    pub(super) limited: bool,
}

/// What a neighbourhood may become.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds<'a> {
    pub(super) limits: BlanketLimits,
    /// What is known about edges, and how probable they are.
    pub(super) prior: &'a ContextPrior,
}

/// Adds the best candidate while that improves the node's score; after each addition
/// deletes the best while that improves it. The first best wins. Required neighbours are there
/// from the start and stay; forbidden ones never come.
///
/// All candidates are looked at for the first addition. The next ones are looked for among those that improved the
/// score then. When none of them does any more, all are looked at again. So a variable that matters only beside
/// others is found as well, and at the end no variable improves the score.
///
/// # Complexity
/// O(t d) counts for a blanket that took t looks at all candidates.
pub(super) fn climb<S: CountSource>(
    scorer: &Scorer<'_, S>,
    node: Var,
    bounds: Bounds<'_>,
    control: &dyn Control,
) -> Halting<Neighborhood> {
    let view = View { scorer, node, bounds };
    let (mut blanket, others) = view.start()?;
    let mut score = scorer.plain_node_score(node, &blanket)?;
    let mut promising: Vec<Var> = Vec::new();
    loop {
        check(control)?;
        let mut better = view.better_additions(&blanket, &promising, score)?;
        if better.is_empty() {
            better = view.better_additions(&blanket, &others, score)?;
            promising = better.iter().map(|addition| addition.member).collect();
        }
        let Some(added) = first_best(better) else { break };
        blanket.toggle(added.member);
        score = added.score;
        while let Some(deleted) = view.best_deletion(&blanket)?.filter(|best| best.worth > score) {
            check(control)?;
            blanket.toggle(deleted.member);
            score = deleted.score;
        }
    }
    let limited = view.is_limited(&blanket, &others, score)?;
    Ok(Neighborhood { blanket, limited })
}

/// A node and what is known about its edges.
struct View<'a, 'b, S> {
    scorer: &'a Scorer<'b, S>,
    node: Var,
    bounds: Bounds<'a>,
}

/// A change of the blanket by one member.
#[derive(Clone, Copy)]
struct Change {
    member: Var,
    /// The node's score with the change.
    score: Nats,
    /// The same with what the prior adds to it.
    worth: Nats,
}

impl<S: CountSource> View<'_, '_, S> {
    /// The required neighbours, and those that may be added.
    fn start(&self) -> Result<(VarSet, Vec<Var>)> {
        let (mut required, mut others) = (VarSet::default(), Vec::new());
        for other in (0..self.scorer.cardinalities().len()).filter(|&other| other != self.node) {
            let edge = Edge::new(self.node, other)?;
            if self.bounds.prior.rules().requires(edge) {
                required.toggle(other);
            } else if self.bounds.prior.rules().allows(edge) {
                others.push(other);
            }
        }
        Ok((required, others))
    }

    /// The candidates within the limits that are worth more than the score so far.
    fn better_additions(&self, blanket: &VarSet, candidates: &[Var], so_far: Nats) -> Result<Vec<Change>> {
        self.better(blanket, &self.parted(blanket, candidates).0, so_far)
    }

    /// Whether a limit keeps out a candidate that is worth more than the score so far.
    fn is_limited(&self, blanket: &VarSet, candidates: &[Var], so_far: Nats) -> Result<bool> {
        Ok(!self.better(blanket, &self.parted(blanket, candidates).1, so_far)?.is_empty())
    }

    /// The candidates outside the blanket that the limits allow, and those that they keep out.
    fn parted(&self, blanket: &VarSet, candidates: &[Var]) -> (Vec<Var>, Vec<Var>) {
        let cardinalities = self.scorer.cardinalities();
        let room = self.bounds.limits.room(blanket, cardinalities);
        let open = candidates.iter().copied().filter(|&other| !blanket.contains(other));
        open.partition(|&other| u64::from(cardinalities[other]) <= room)
    }

    /// The candidates that are worth more than the score so far, in their order.
    fn better(&self, blanket: &VarSet, candidates: &[Var], so_far: Nats) -> Result<Vec<Change>> {
        if candidates.is_empty() {
            return Ok(Vec::new());
        }
        let prior = self.bounds.prior;
        let floor = so_far - prior.highest_edge_end();
        let mut better = Vec::new();
        for (place, score) in self.scorer.extensions_above(self.node, blanket, candidates, floor)? {
            let member = candidates[place];
            let worth = score + prior.edge_end(Edge::new(self.node, member)?);
            if worth > so_far {
                better.push(Change { member, score, worth });
            }
        }
        Ok(better)
    }

    fn best_deletion(&self, blanket: &VarSet) -> Result<Option<Change>> {
        let mut changes = Vec::new();
        for member in blanket.iter() {
            let edge = Edge::new(self.node, member)?;
            if self.bounds.prior.rules().requires(edge) {
                continue;
            }
            let score = self.scorer.plain_node_score(self.node, &blanket.toggled(member))?;
            changes.push(Change { member, score, worth: score - self.bounds.prior.edge_end(edge) });
        }
        Ok(first_best(changes))
    }
}

fn first_best(changes: Vec<Change>) -> Option<Change> {
    let better = |best: Change, change: Change| if change.worth > best.worth { change } else { best };
    changes.into_iter().reduce(better)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::RowCounts;
    use crate::data::Dataset;
    use crate::score::{Alpha, Kappa};

    #[test]
    fn the_first_of_equals_is_taken_and_a_limit_is_told() {
        // The last variable says both others, which are the same to it.
        let rows = [["0", "0", "0"], ["0", "1", "1"], ["1", "0", "2"], ["1", "1", "3"]].repeat(20);
        let data = Dataset::from_labels(&["a", "b", "c"], rows).unwrap();
        let counts = RowCounts::new(&data);
        let scorer = Scorer::new(&counts, Alpha::default());
        let prior = ContextPrior::new(Kappa::Epsilon, data.rows());
        let found = |neighbors| {
            let limits = BlanketLimits { neighbors, ..BlanketLimits::default() };
            let found = climb(&scorer, 2, Bounds { limits, prior: &prior }, &()).unwrap();
            (found.blanket.as_slice().to_vec(), found.limited)
        };
        assert_eq!(found(1), (vec![0], true));
        assert_eq!(found(2), (vec![0, 1], false));
    }
}
