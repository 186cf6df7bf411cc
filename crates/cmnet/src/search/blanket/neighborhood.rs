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
/// # Complexity
/// O(s d) counts for a blanket that took s additions.
pub(super) fn climb<S: CountSource>(
    scorer: &Scorer<'_, S>,
    node: Var,
    bounds: Bounds<'_>,
    control: &dyn Control,
) -> Halting<Neighborhood> {
    let limits = bounds.limits;
    let view = View { scorer, node, prior: bounds.prior };
    let (mut blanket, others) = view.start()?;
    let mut score = scorer.plain_node_score(node, &blanket)?;
    let mut limited = false;
    loop {
        check(control)?;
        let open: Vec<Var> = others.iter().copied().filter(|&other| !blanket.contains(other)).collect();
        let fits = |&other: &Var| limits.allow_with(&blanket, other, scorer.cardinalities());
        let (allowed, refused): (Vec<Var>, Vec<Var>) = open.into_iter().partition(fits);
        let best = view.best_addition(&blanket, &allowed)?.filter(|best| best.worth > score);
        if best.is_none() && !limited && !refused.is_empty() {
            limited = view.best_addition(&blanket, &refused)?.is_some_and(|best| best.worth > score);
        }
        let Some(added) = best else { break };
        blanket.toggle(added.member);
        score = added.score;
        while let Some(deleted) = view.best_deletion(&blanket)?.filter(|best| best.worth > score) {
            check(control)?;
            blanket.toggle(deleted.member);
            score = deleted.score;
        }
    }
    Ok(Neighborhood { blanket, limited })
}

/// A node and what is known about its edges.
struct View<'a, 'b, S> {
    scorer: &'a Scorer<'b, S>,
    node: Var,
    prior: &'a ContextPrior,
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
            if self.prior.rules().requires(edge) {
                required.toggle(other);
            } else if self.prior.rules().allows(edge) {
                others.push(other);
            }
        }
        Ok((required, others))
    }

    fn best_addition(&self, blanket: &VarSet, candidates: &[Var]) -> Result<Option<Change>> {
        let scores = self.scorer.extension_scores(self.node, blanket, candidates)?;
        let change = |(&member, score): (&Var, Nats)| {
            let end = self.prior.edge_end(Edge::new(self.node, member)?);
            Ok(Change { member, score, worth: score + end })
        };
        first_best(candidates.iter().zip(scores).map(change))
    }

    fn best_deletion(&self, blanket: &VarSet) -> Result<Option<Change>> {
        let mut changes = Vec::new();
        for member in blanket.iter() {
            let edge = Edge::new(self.node, member)?;
            if self.prior.rules().requires(edge) {
                continue;
            }
            let score = self.scorer.plain_node_score(self.node, &blanket.toggled(member))?;
            changes.push(Ok(Change { member, score, worth: score - self.prior.edge_end(edge) }));
        }
        first_best(changes.into_iter())
    }
}

fn first_best(changes: impl Iterator<Item = Result<Change>>) -> Result<Option<Change>> {
    let mut best: Option<Change> = None;
    for change in changes {
        let change = change?;
        if best.is_none_or(|best| change.worth > best.worth) {
            best = Some(change);
        }
    }
    Ok(best)
}
