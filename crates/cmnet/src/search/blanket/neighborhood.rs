//! Phase 1: a Markov blanket for each node, by greedy addition and deletion.

use crate::control::{Control, Halting, check};
use crate::counts::CountSource;
use crate::data::Var;
use crate::error::Result;
use crate::graph::VarSet;
use crate::score::{Nats, Scorer};
use crate::search::limits::BlanketLimits;

/// A node's blanket and whether a limit kept it from growing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Neighborhood {
    pub(super) blanket: VarSet,
    pub(super) limited: bool,
}

/// What a neighbourhood may become.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) limits: BlanketLimits,
    /// What the prior says to one end of an edge.
    pub(super) end: Nats,
}

/// Adds the best candidate while that improves the node's score; after each addition
/// deletes the best while that improves it. The first best wins.
///
/// # Complexity
/// O(s d) counts for a blanket that took s additions.
pub(super) fn climb<S: CountSource>(
    scorer: &Scorer<'_, S>,
    node: Var,
    bounds: Bounds,
    control: &dyn Control,
) -> Halting<Neighborhood> {
    let Bounds { limits, end } = bounds;
    let mut blanket = VarSet::default();
    let mut score = scorer.plain_node_score(node, &blanket)?;
    let mut limited = false;
    let others: Vec<Var> = (0..scorer.cardinalities().len()).filter(|&other| other != node).collect();
    loop {
        check(control)?;
        let open: Vec<Var> = others.iter().copied().filter(|&other| !blanket.contains(other)).collect();
        let fits = |&other: &Var| limits.allow_with(&blanket, other, scorer.cardinalities());
        let (allowed, refused): (Vec<Var>, Vec<Var>) = open.into_iter().partition(fits);
        let best = best_addition(scorer, node, &blanket, &allowed)?.filter(|&(_, best)| best + end > score);
        if best.is_none() && !limited && !refused.is_empty() {
            limited =
                best_addition(scorer, node, &blanket, &refused)?.is_some_and(|(_, best)| best + end > score);
        }
        let Some((added, better)) = best else { break };
        blanket.toggle(added);
        score = better;
        while let Some((deleted, better)) =
            best_deletion(scorer, node, &blanket)?.filter(|&(_, best)| best > score + end)
        {
            check(control)?;
            blanket.toggle(deleted);
            score = better;
        }
    }
    Ok(Neighborhood { blanket, limited })
}

fn best_addition<S: CountSource>(
    scorer: &Scorer<'_, S>,
    node: Var,
    blanket: &VarSet,
    candidates: &[Var],
) -> Result<Option<(Var, Nats)>> {
    let scores = scorer.extension_scores(node, blanket, candidates)?;
    Ok(first_best(candidates.iter().copied().zip(scores)))
}

fn best_deletion<S: CountSource>(
    scorer: &Scorer<'_, S>,
    node: Var,
    blanket: &VarSet,
) -> Result<Option<(Var, Nats)>> {
    let score = |member| Ok((member, scorer.plain_node_score(node, &blanket.toggled(member))?));
    let scores: Vec<(Var, Nats)> = blanket.iter().map(score).collect::<Result<_>>()?;
    Ok(first_best(scores.into_iter()))
}

fn first_best(scores: impl Iterator<Item = (Var, Nats)>) -> Option<(Var, Nats)> {
    scores.fold(None, |best, next| match best {
        Some((_, leader)) if next.1 <= leader => best,
        _ => Some(next),
    })
}
