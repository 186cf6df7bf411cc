//! Graph-Hill-Climb, and the question whether a structure is where it ends (paper, section
//! 3.3, Algorithm 1).
//!
//! Neighbouring graphs are tried in lexicographic order of the toggled edge; the first best wins,
//! and equal means nearer than [`TIE_MARGIN`].

use std::collections::BTreeSet;

use crate::context_climb::{ContextClimb, TIE_MARGIN, context_hill_climb};
use crate::error::CheckError;
use crate::score::{Scoring, score};
use crate::structure::{Contexts, Edge, Labelled};
use crate::table::Table;

/// Told how many graphs of the current round have been examined, and of how many; returning
/// `false` stops the work.
pub type Progress<'a> = &'a mut dyn FnMut(usize, usize) -> bool;

/// One accepted step of Algorithm 1.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphStep {
    /// The edge that was added or deleted.
    pub edge: Edge,
    /// Whether it was added.
    pub added: bool,
    /// All contexts after the step.
    pub contexts: Contexts,
    /// The score after the step.
    pub score: f64,
}

/// What Algorithm 1 did.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphClimb {
    /// The last structure.
    pub structure: Labelled,
    /// Its score, prior included.
    pub score: f64,
    /// The accepted steps from the empty graph on.
    pub steps: Vec<GraphStep>,
    /// Whether the climb was stopped before its end by the progress function.
    pub stopped: bool,
}

/// Whether Algorithms 1 and 2 would stay at a structure, and if not, why.
#[derive(Debug, Clone, PartialEq)]
pub enum Optimality {
    /// They would: the contexts are those of Algorithm 2, and no toggled edge scores higher.
    Local {
        /// The score of the structure.
        score: f64,
    },
    /// Algorithm 2 finds other contexts on the same graph. Equal scores mean a tie that was
    /// broken differently.
    OtherContexts {
        /// What Algorithm 2 finds.
        climbed: ContextClimb,
        /// The score of the structure as given.
        score: f64,
    },
    /// Toggling this edge and climbing anew scores higher; it is the first such edge.
    BetterGraph {
        /// The edge to toggle.
        edge: Edge,
        /// What Algorithm 2 finds on the changed graph.
        climbed: ContextClimb,
        /// The score of the structure as given.
        score: f64,
    },
    /// The progress function stopped the examination; nothing was found until then.
    Stopped {
        /// How many toggles had been examined.
        examined: usize,
    },
}

/// Algorithm 1, Graph-Hill-Climb: from the empty graph, or that of the required edges, again and again add or delete the
/// single edge that improves the score most, every neighbouring graph with the contexts that
/// Algorithm 2 finds on it from nothing, until no neighbour is better.
///
/// # Errors
/// A space too large to list.
pub fn graph_hill_climb(
    table: &Table,
    scoring: &Scoring,
    progress: Progress<'_>,
) -> Result<GraphClimb, CheckError> {
    let pairs: Vec<Edge> = free_pairs(table.variables(), scoring).collect();
    let start = context_hill_climb(table, &scoring.known().required, scoring)?;
    let mut climb =
        GraphClimb { structure: start.structure, score: start.score, steps: Vec::new(), stopped: false };
    loop {
        let mut best: Option<(Edge, ContextClimb)> = None;
        let mut best_score = climb.score;
        for (examined, &edge) in pairs.iter().enumerate() {
            if !progress(examined, pairs.len()) {
                climb.stopped = true;
                return Ok(climb);
            }
            let edges = toggled(&climb.structure.edges, edge);
            let neighbor = context_hill_climb(table, &edges, scoring)?;
            if neighbor.score > best_score + TIE_MARGIN {
                best_score = neighbor.score;
                best = Some((edge, neighbor));
            }
        }
        let Some((edge, found)) = best else {
            return Ok(climb);
        };
        climb.steps.push(GraphStep {
            edge,
            added: found.structure.edges.contains(&edge),
            contexts: found.structure.contexts.clone(),
            score: found.score,
        });
        climb.structure = found.structure;
        climb.score = found.score;
    }
}

fn free_pairs(variables: usize, scoring: &Scoring) -> impl Iterator<Item = Edge> {
    let pairs = (0..variables).flat_map(move |i| (i + 1..variables).map(move |j| (i, j)));
    pairs.filter(|&edge| scoring.known().is_free(edge))
}

fn toggled(edges: &BTreeSet<Edge>, edge: Edge) -> BTreeSet<Edge> {
    let mut changed = edges.clone();
    if !changed.remove(&edge) {
        changed.insert(edge);
    }
    changed
}

/// Whether the search would stay at this structure: (a) its contexts are the ones that
/// Algorithm 2 finds on its graph, and (b) no neighbouring graph, with its own contexts from
/// Algorithm 2, scores higher. Names the first thing that is better, in the order of the search.
///
/// # Errors
/// An irregular structure, contexts under kappa = eps, or a space too large to list.
pub fn is_locally_optimal(
    table: &Table,
    structure: &Labelled,
    scoring: &Scoring,
    progress: Progress<'_>,
) -> Result<Optimality, CheckError> {
    let score = score(table, structure, scoring)?.total();
    let climbed = context_hill_climb(table, &structure.edges, scoring)?;
    if climbed.structure.contexts != structure.non_empty_contexts() {
        return Ok(Optimality::OtherContexts { climbed, score });
    }
    let pairs = || free_pairs(table.variables(), scoring);
    let all = pairs().count();
    for (examined, edge) in pairs().enumerate() {
        if !progress(examined, all) {
            return Ok(Optimality::Stopped { examined });
        }
        let climbed = context_hill_climb(table, &toggled(&structure.edges, edge), scoring)?;
        if climbed.score > score + TIE_MARGIN {
            return Ok(Optimality::BetterGraph { edge, climbed, score });
        }
    }
    Ok(Optimality::Local { score })
}
