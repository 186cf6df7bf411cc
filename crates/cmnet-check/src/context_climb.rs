//! Context-Hill-Climb: the contexts of a given graph (paper, section 3.3, Algorithm 2).
//!
//! Order of candidates: edges (i < j) lexicographic, then configurations as mixed-radix
//! numbers with the last variable fastest; the first best wins, and equal means
//! nearer than [`TIE_MARGIN`].

use std::collections::{BTreeMap, BTreeSet};

use crate::error::CheckError;
use crate::partition::flood;
use crate::score::{Scoring, class_counts, class_score, edge_weight, score};
use crate::space::{configurations, pick, position};
use crate::structure::{Configuration, Edge, Labelled};
use crate::table::Table;

/// What Algorithm 2 found on one graph.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextClimb {
    /// The graph with the contexts found.
    pub structure: Labelled,
    /// Its score, prior included.
    pub score: f64,
    /// The context elements in the order in which they were added.
    pub added: Vec<(Edge, Configuration)>,
}

/// For one node j and each neighbour i: every configuration of cn(i, j), and by how much the
/// score of j changes when it is added to C(i, j).
type Changes = BTreeMap<usize, BTreeMap<Configuration, f64>>;

/// Lines through the outcome space of a Markov blanket along which only one variable varies:
/// the values of the others, and the classes met on the line.
type Lines = BTreeMap<Configuration, BTreeSet<usize>>;

/// By how much a score must exceed another one to count as better, in nats: 2^-20.
///
/// Candidates that are equal as numbers must be treated as equal, and rounding hides that: not
/// only symmetric candidates tie, but also products of different counts (`4! = 3/4 * 2^5` is
/// enough). With no margin, in units of 2^-32 nats, rounding decided the path on up to 4 in 100
/// random small tables at kappa = 1. This margin is far above the rounding of a score, in
/// floating point (1e-15 of its size) as in those units (half a unit for each of some thousand
/// terms), and far below anything of statistical meaning.
pub const TIE_MARGIN: f64 = 1.0 / 1_048_576.0;

/// Algorithm 2, Context-Hill-Climb: from the empty context, again and again add the single
/// element that improves the score most, until none does. Contexts stay regular: an edge
/// never gets its last configuration.
///
/// # Errors
/// Pairs that are not edges i < j, or a space too large to list.
pub fn context_hill_climb(
    table: &Table,
    edges: &BTreeSet<Edge>,
    scoring: &Scoring,
) -> Result<ContextClimb, CheckError> {
    let mut structure = Labelled::plain(edges.clone());
    structure.require_regular(table.cardinalities())?;
    let mut added = Vec::new();
    if let Some(log_kappa) = scoring.log_kappa() {
        let without = &scoring.known().without_contexts;
        let prior_change = |(i, j)| {
            (!without.contains(&(i, j))).then(|| log_kappa * edge_weight(table.cardinalities(), i, j))
        };
        let mut changes = Vec::new();
        for node in 0..table.variables() {
            changes.push(changes_of_node(table, &structure, scoring, node)?);
        }
        while let Some((edge, element)) = first_best(&structure, &changes, prior_change) {
            let context = structure.contexts.entry(edge).or_default();
            context.insert(element.clone());
            added.push((edge, element));
            // The other nodes keep their scores, whatever is added next (section 3.3).
            for node in [edge.0, edge.1] {
                changes[node] = changes_of_node(table, &structure, scoring, node)?;
            }
        }
    }
    let score = score(table, &structure, scoring)?.total();
    Ok(ContextClimb { structure, score, added })
}

/// Lines 4 to 11 of Algorithm 2: the element whose addition improves the score most, the first
/// one among equals. Adding to C(i, j) changes the scores of i and j and the prior, no more; `None`
/// is a prior that allows no contexts there.
fn first_best(
    structure: &Labelled,
    changes: &[Changes],
    prior_change: impl Fn(Edge) -> Option<f64>,
) -> Option<(Edge, Configuration)> {
    let nothing = BTreeSet::new();
    let mut best = None;
    let mut best_gain = 0.0;
    for &(i, j) in &structure.edges {
        let (Some(of_i), Some(of_j)) = (changes[i].get(&j), changes[j].get(&i)) else {
            continue;
        };
        let Some(of_prior) = prior_change((i, j)) else { continue };
        let taken = structure.context(i, j).unwrap_or(&nothing);
        if taken.len() + 1 == of_i.len() {
            continue;
        }
        for ((element, of_i), of_j) in of_i.iter().zip(of_j.values()) {
            let gain = of_i + of_j + of_prior;
            if !taken.contains(element) && gain > best_gain + TIE_MARGIN {
                best_gain = gain;
                best = Some(((i, j), element.clone()));
            }
        }
    }
    best
}

/// How the score of one node answers to every element that could be added around it. Imposing
/// one more element is one step of Figure 4: it joins classes of the partition as it stands.
fn changes_of_node(
    table: &Table,
    structure: &Labelled,
    scoring: &Scoring,
    node: usize,
) -> Result<Changes, CheckError> {
    let blanket = structure.markov_blanket(node);
    let mut candidates = blanket.clone();
    candidates.retain(|&i| !structure.common_neighbors(i, node).is_empty());
    if candidates.is_empty() {
        return Ok(Changes::new());
    }
    let sizes = pick(table.cardinalities(), &blanket);
    let numbers = flood(table.cardinalities(), structure, node)?;
    let counts = class_counts(table, node, &blanket, |y| numbers[position(&y, &sizes)]);
    let space = configurations(&sizes)?;
    let mut changes = Changes::new();
    for neighbor in candidates {
        let common = structure.common_neighbors(neighbor, node);
        let is_common = |&place: &usize| common.contains(&blanket[place]);
        let common: Vec<usize> = (0..blanket.len()).filter(is_common).collect();
        let is_other = |&place: &usize| blanket[place] != neighbor;
        let others: Vec<usize> = (0..blanket.len()).filter(is_other).collect();
        // Element of X_cn(i,j) -> values of all but X_i -> the classes met when X_i varies.
        let mut lines: BTreeMap<Configuration, Lines> = BTreeMap::new();
        for (y, &class) in space.iter().zip(&numbers) {
            let lines = lines.entry(pick(y, &common)).or_default();
            lines.entry(pick(y, &others)).or_default().insert(class);
        }
        let of_neighbor = changes.entry(neighbor).or_default();
        for (element, lines) in lines {
            let joined = join_overlapping(lines);
            let change = joined.iter().map(|set| joining_change(set, &counts, scoring)).sum();
            of_neighbor.insert(element, change);
        }
    }
    Ok(changes)
}

/// Sets of classes that become one class each; sets that share a class become one set.
fn join_overlapping(lines: Lines) -> Vec<BTreeSet<usize>> {
    let mut groups: Vec<BTreeSet<usize>> = Vec::new();
    for mut line in lines.into_values() {
        let (touching, apart) = groups.into_iter().partition(|group| !group.is_disjoint(&line));
        groups = apart;
        line.extend(touching.into_iter().flatten());
        groups.push(line);
    }
    groups
}

/// The score of a class made of several, less the scores of these. Unobserved classes have no
/// counts and score zero.
fn joining_change(joined: &BTreeSet<usize>, counts: &BTreeMap<usize, Vec<f64>>, scoring: &Scoring) -> f64 {
    let observed: Vec<&Vec<f64>> = joined.iter().filter_map(|class| counts.get(class)).collect();
    if observed.len() < 2 {
        return 0.0;
    }
    let levels = observed[0].len();
    let sum: Vec<f64> = (0..levels).map(|level| observed.iter().map(|counts| counts[level]).sum()).collect();
    let parts: f64 = observed.iter().map(|counts| class_score(counts, scoring)).sum();
    class_score(&sum, scoring) - parts
}
