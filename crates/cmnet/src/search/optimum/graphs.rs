//! Graphs without contexts: nodes choose among all their blankets.

use super::Progress;
use crate::control::ask;
use crate::counts::CountSource;
use crate::error::Result;
use crate::graph::{Edge, Graph, VarSet};
use crate::score::{ContextPrior, Nats, Scorer};
use crate::structure::Structure;

/// All blankets of a node as sets of bits, the best first.
type Ranked = Vec<(Nats, u32)>;

/// Which edges are required and which excluded, and what each node takes then.
#[derive(Clone)]
struct Branch {
    required: Vec<u32>,
    excluded: Vec<u32>,
    /// The place of each node's choice among its blankets.
    choice: Vec<usize>,
    bound: Nats,
}

pub(super) fn search<'o, S: CountSource>(
    scorer: &Scorer<'_, S>,
    prior: &ContextPrior,
    mut progress: Progress<'o>,
) -> Result<Progress<'o>> {
    let nodes = scorer.cardinalities().len();
    let mut ranked: Vec<Ranked> = Vec::with_capacity(nodes);
    for node in 0..nodes {
        match rank(scorer, prior, node, &progress) {
            Ok(blankets) => ranked.push(blankets),
            Err(error) => {
                let stop = progress.observer.stop().ok_or(error)?;
                // Probabilities: no structure has a score above that of its prior.
                progress.leave(stop, std::iter::once(prior.highest()));
                return Ok(progress);
            }
        }
    }
    let search = GraphSearch { ranked };
    let mut open = vec![search.root()];
    while let Some(branch) = open.pop() {
        if branch.bound <= progress.best.1 {
            continue;
        }
        if let Some(stop) = progress.examine(branch.bound) {
            progress.leave(stop, open.iter().map(|one| one.bound).chain([branch.bound]));
            return Ok(progress);
        }
        match search.split(&branch) {
            None => {
                let graph = search.graph(&branch)?;
                progress.best = (Structure::from_graph(graph, scorer.cardinalities())?, branch.bound);
            }
            Some([worse, better]) => open.extend([worse, better]),
        }
    }
    Ok(progress)
}

fn rank<S: CountSource>(
    scorer: &Scorer<'_, S>,
    prior: &ContextPrior,
    node: usize,
    progress: &Progress<'_>,
) -> Result<Ranked> {
    let nodes = scorer.cardinalities().len();
    let (mut required, mut forbidden) = (0u32, 1u32 << node);
    let mut ends = vec![Nats::ZERO; nodes];
    for other in (0..nodes).filter(|&other| other != node) {
        let edge = Edge::new(node, other)?;
        required |= u32::from(prior.rules().requires(edge)) << other;
        forbidden |= u32::from(!prior.rules().allows(edge)) << other;
        ends[other] = prior.edge_end(edge);
    }
    let mut ranked = Ranked::new();
    for mask in (0..1u32 << nodes).filter(|mask| mask & forbidden == 0 && mask & required == required) {
        ask(progress.observer)?;
        let blanket: VarSet = (0..nodes).filter(|v| mask >> v & 1 == 1).collect();
        let edges: Nats = blanket.iter().map(|other| ends[other]).sum();
        ranked.push((scorer.plain_node_score(node, &blanket)? + edges, mask));
    }
    // Among equals the smaller set comes first: an edge must improve the score.
    ranked.sort_by_key(|&(score, mask)| (std::cmp::Reverse(score), mask.count_ones(), mask));
    Ok(ranked)
}

struct GraphSearch {
    ranked: Vec<Ranked>,
}

impl GraphSearch {
    fn root(&self) -> Branch {
        let none = vec![0; self.ranked.len()];
        let bound = self.ranked.iter().map(|blankets| blankets[0].0).sum();
        Branch { required: none.clone(), excluded: none, choice: vec![0; self.ranked.len()], bound }
    }

    fn chosen(&self, branch: &Branch, node: usize) -> u32 {
        self.ranked[node][branch.choice[node]].1
    }

    /// The two branches of the disagreement that costs most, the better one last; `None` where all
    /// nodes agree.
    fn split(&self, branch: &Branch) -> Option<[Branch; 2]> {
        let mut worst: Option<(Nats, [Branch; 2])> = None;
        for low in 0..self.ranked.len() {
            for high in low + 1..self.ranked.len() {
                let (one, other) = (self.chosen(branch, low), self.chosen(branch, high));
                if one >> high & 1 == other >> low & 1 {
                    continue;
                }
                let with = self.decide(branch, (low, high), true);
                let without = self.decide(branch, (low, high), false);
                let upper = with.bound.max(without.bound);
                if worst.as_ref().is_none_or(|(bound, _)| upper < *bound) {
                    let ordered = if with.bound > without.bound { [without, with] } else { [with, without] };
                    worst = Some((upper, ordered));
                }
            }
        }
        worst.map(|(_, branches)| branches)
    }

    /// The branch with an edge required or excluded.
    fn decide(&self, branch: &Branch, (low, high): (usize, usize), present: bool) -> Branch {
        let mut next = branch.clone();
        for (node, other) in [(low, high), (high, low)] {
            let side = if present { &mut next.required } else { &mut next.excluded };
            side[node] |= 1 << other;
            let before = self.ranked[node][branch.choice[node]].0;
            next.choice[node] =
                self.first(node, branch.choice[node], next.required[node], next.excluded[node]);
            next.bound += self.ranked[node][next.choice[node]].0 - before;
        }
        next
    }

    /// The best blanket from a place on that has what is required and nothing excluded.
    fn first(&self, node: usize, from: usize, required: u32, excluded: u32) -> usize {
        let fits = |&(_, mask): &(Nats, u32)| mask & required == required && mask & excluded == 0;
        // The required set itself is among them.
        from + self.ranked[node][from..].iter().position(fits).unwrap_or(0)
    }

    fn graph(&self, branch: &Branch) -> Result<Graph> {
        let mut graph = Graph::empty(self.ranked.len());
        for low in 0..self.ranked.len() {
            let mask = self.chosen(branch, low);
            for high in (low + 1..self.ranked.len()).filter(|high| mask >> high & 1 == 1) {
                graph.add_edge(Edge::new(low, high)?);
            }
        }
        Ok(graph)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_better_branch_of_a_disagreement_comes_last() {
        // The first node wants the edge, the other does not.
        let split = |without: i128, with: i128| {
            let units = Nats::from_units;
            let ranked =
                vec![vec![(units(-1), 2), (units(without), 0)], vec![(units(-1), 0), (units(with), 1)]];
            let search = GraphSearch { ranked };
            search.split(&search.root()).unwrap().map(|branch| branch.bound)
        };
        assert_eq!(split(-5, -2), [-6, -3].map(Nats::from_units));
        assert_eq!(split(-2, -5), [-6, -3].map(Nats::from_units));
    }
}
