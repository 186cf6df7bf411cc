//! The marginal pseudo-likelihood in closed form (paper, equations 7 and 8): sums over nodes and classes. The factor of
//! one class is in `class_score.rs`, its logarithms of gamma functions in `rising.rs`.

use super::cache::BoundedCache;
use super::class_score::{ClassScore, LocalScore};
use super::classes::{ALWAYS_DENSE, BlanketClasses};
use super::kappa::Alpha;
use super::nats::Nats;
use super::prior::ContextPrior;
use super::rising::{RealRising, RisingTable};
use crate::counts::{Count, CountSource};
use crate::data::Var;
use crate::error::{Error, Result};
use crate::graph::{Graph, VarSet};
use crate::structure::Structure;
use std::cell::{Cell, RefCell};

/// What share of the memory the largest classes of toggles that are evaluated at the same time may take.
const SHARE_OF_TOGGLES: u64 = 8;

/// The most bytes that each memo of a search may take, and the share of the memory given.
const MOST_REMEMBERED: u64 = 96 << 20;
const SHARE_REMEMBERED: u64 = 4;

thread_local! {
    /// Room for counts that a score is read off. It is taken away while it is in use: counts of
    /// a caller's own may let the thread do other work meanwhile.
    static TABLE: Cell<Vec<Count>> = const { Cell::new(Vec::new()) };
    /// The key that is looked for, overwritten by every call.
    static KEY: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
}

/// Scores nodes and structures against counts.
///
/// # Example
/// ```
/// use cmnet::{Alpha, Dataset, RowCounts, Scorer, Structure};
/// let data = Dataset::from_labels(&["a", "b"], [["x", "0"], ["y", "1"], ["x", "0"]])?;
/// let counts = RowCounts::new(&data);
/// let scorer = Scorer::new(&counts, Alpha::default());
/// let score = scorer.log_mpl(&Structure::empty(&[2, 2]))?;
/// // Each column: (1/2 * 3/2) * 1/2 / 3! = 1/16.
/// assert!((score.to_f64() - 2.0 * (1.0f64 / 16.0).ln()).abs() < 1e-12);
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Debug)]
pub struct Scorer<'a, S> {
    source: &'a S,
    score: Family<'a>,
    plain: BoundedCache<Box<[u32]>, Nats>,
    memo_bytes: usize,
    memory: u64,
}

/// Where the scores of classes come from.
#[derive(Debug)]
enum Family<'a> {
    Dirichlet(RisingTable),
    /// Counts that are worth another amount than one.
    Real {
        alpha: f64,
        value: f64,
    },
    Own(&'a dyn LocalScore),
}

/// The score of a structure, part by part.
#[derive(Clone, Debug, PartialEq)]
pub struct StructureScore {
    /// log p(x_j | x_mb(j), C(j)) for every node.
    pub nodes: Vec<Nats>,
    /// The log marginal pseudo-likelihood: the sum over nodes.
    pub log_mpl: Nats,
    /// The log prior; `None` where the prior forbids the structure (a context under eps).
    pub log_prior: Option<Nats>,
}

impl StructureScore {
    /// log_mpl + log_prior; `None` where the prior forbids the structure.
    pub fn total(&self) -> Option<Nats> {
        Some(self.log_mpl + self.log_prior?)
    }
}

impl<'a, S: CountSource> Scorer<'a, S> {
    /// A scorer with the same Dirichlet hyperparameter for every level in every class.
    pub fn new(source: &'a S, alpha: Alpha) -> Self {
        Self::with_memory(source, alpha, u64::MAX)
    }

    /// A scorer that remembers no more than fits an amount of memory in bytes. What it
    /// forgets is computed again. Contexts whose classes take more are refused.
    pub fn with_memory(source: &'a S, alpha: Alpha, memory: u64) -> Self {
        let value = source.value();
        if (value - 1.0).abs() > 0.0 {
            return Self::of_family(source, Family::Real { alpha: alpha.to_f64(), value }, memory);
        }
        let table = RisingTable::new(alpha, source.cardinalities().iter().copied(), source.rows());
        Self::of_family(source, Family::Dirichlet(table), memory)
    }

    /// A scorer by another score than the paper's, with an amount of memory in bytes as in [`Scorer::with_memory`].
    ///
    /// # Errors
    /// When the counts are of real weights: a [`LocalScore`] takes whole numbers of observations.
    pub fn with_score(source: &'a S, score: &'a dyn LocalScore, memory: u64) -> Result<Self> {
        let value = source.value();
        if (value - 1.0).abs() > 0.0 {
            let expected = "whole counts: a score of one's own takes no real weights";
            return Err(Error::option("source", format!("counts worth {value:e} each"), expected));
        }
        Ok(Self::of_family(source, Family::Own(score), memory))
    }

    fn of_family(source: &'a S, score: Family<'a>, memory: u64) -> Self {
        let memo_bytes = (memory / SHARE_REMEMBERED).min(MOST_REMEMBERED) as usize;
        Self { source, score, plain: BoundedCache::new(memo_bytes), memo_bytes, memory }
    }

    /// The bytes that a further memo may take.
    pub(crate) fn memo_bytes(&self) -> usize {
        self.memo_bytes
    }

    /// The number of levels of each variable.
    pub fn cardinalities(&self) -> &[u32] {
        self.source.cardinalities()
    }

    /// The number of observations n.
    pub fn rows(&self) -> u64 {
        self.source.rows()
    }

    /// log p(x_j | x_mb(j)) without contexts: every configuration is a class of its own.
    ///
    /// # Errors
    /// When the blanket's outcome space is too large to be numbered.
    pub fn plain_node_score(&self, node: Var, blanket: &VarSet) -> Result<Nats> {
        if let Some(score) = self.known(node, blanket) {
            return Ok(score);
        }
        let class_score = self.class_score(node);
        let score = if self.has_few_configurations(node, blanket) {
            let levels = self.cardinalities()[node] as usize;
            let mut table = TABLE.take();
            self.source.family_table(node, blanket, &mut table)?;
            let classes = table.chunks_exact(levels);
            let score = classes.map(|class| class_score.of_counts(class.iter().copied())).sum();
            TABLE.set(table);
            score
        } else {
            self.source.family(node, blanket)?.iter().map(|(_, counts)| class_score.of(counts)).sum()
        };
        self.remember(node, blanket, score);
        Ok(score)
    }

    /// The plain node scores of a blanket with one candidate added, where they are above a floor: the places of these
    /// candidates, ascending, each with its score.
    ///
    /// # Errors
    /// When an outcome space is too large to be numbered.
    pub(crate) fn extensions_above(
        &self,
        node: Var,
        blanket: &VarSet,
        candidates: &[Var],
        floor: Nats,
    ) -> Result<Vec<(usize, Nats)>> {
        let class_score = self.class_score(node);
        let levels = self.cardinalities()[node] as usize;
        let mut above = Vec::new();
        self.source.extensions(node, blanket, candidates, &mut |place, counts| {
            if class_score.is_at_most(counts, levels, floor) {
                return;
            }
            let classes = counts.chunks_exact(levels);
            let score = classes.map(|class| class_score.of_counts(class.iter().copied())).sum();
            if score > floor {
                above.push((place, score));
            }
        })?;
        above.sort_unstable_by_key(|&(place, _)| place);
        Ok(above)
    }

    /// How many toggles of a graph may be evaluated at the same time, so that the classes of their nodes keep to a
    /// share of the memory. It depends on the graph alone, and on threads not at all.
    pub(crate) fn toggles_at_once(&self, graph: &Graph) -> usize {
        let cardinalities = self.cardinalities();
        let bytes = |node: Var| {
            let levels = graph.markov_blanket(node).iter().map(|other| u64::from(cardinalities[other]));
            let size = levels.fold(1, u64::saturating_mul);
            let of = (size, u64::from(cardinalities[node]));
            BlanketClasses::numbered_bytes(of, self.source.distinct_rows(), self.memory)
        };
        let largest = (0..cardinalities.len()).map(bytes).max().unwrap_or_default();
        let most = (self.memory / SHARE_OF_TOGGLES).checked_div(largest).unwrap_or(u64::MAX);
        usize::try_from(most).unwrap_or(usize::MAX).max(1)
    }

    /// The classes of a node's blanket, one per configuration, ready to be merged.
    pub(crate) fn classes(&self, node: Var, blanket: &VarSet) -> Result<BlanketClasses<'_>> {
        let class_score = self.class_score(node);
        let classes = if self.has_few_configurations(node, blanket) {
            let mut table = Vec::new();
            self.source.family_table(node, blanket, &mut table)?;
            BlanketClasses::of_table(table, self.cardinalities()[node] as usize, class_score)
        } else {
            BlanketClasses::new(&self.source.family(node, blanket)?, class_score, self.memory)
        };
        self.remember(node, blanket, classes.score());
        Ok(classes)
    }

    /// log p(x_j | x_mb(j), C(j)).
    ///
    /// # Errors
    /// When the blanket's outcome space is too large to be numbered.
    pub fn node_score(&self, structure: &Structure, node: Var) -> Result<Nats> {
        let blanket = structure.markov_blanket(node);
        if structure.contexts_at(node).next().is_none() {
            return self.plain_node_score(node, blanket);
        }
        let mut classes = self.classes(node, blanket)?;
        classes.add_contexts(structure, node)?;
        Ok(classes.score())
    }

    /// The log marginal pseudo-likelihood of a structure.
    ///
    /// # Errors
    /// When a blanket's outcome space is too large to be numbered.
    pub fn log_mpl(&self, structure: &Structure) -> Result<Nats> {
        (0..structure.variables()).map(|node| self.node_score(structure, node)).sum()
    }

    /// Every part of a structure's score.
    ///
    /// # Errors
    /// When a blanket's outcome space is too large to be numbered.
    pub fn score(&self, structure: &Structure, prior: &ContextPrior) -> Result<StructureScore> {
        let nodes: Vec<Nats> =
            (0..structure.variables()).map(|node| self.node_score(structure, node)).collect::<Result<_>>()?;
        let log_mpl = nodes.iter().copied().sum();
        Ok(StructureScore { nodes, log_mpl, log_prior: prior.log_prior(structure) })
    }

    /// The counts of a node's levels in every configuration of a blanket, and the score of a class.
    pub(crate) fn cell_counts(
        &self,
        node: Var,
        blanket: &VarSet,
    ) -> Result<(Vec<Vec<Count>>, ClassScore<'_>)> {
        let family = self.source.family(node, blanket)?;
        let mut cells = vec![vec![0; family.child_levels() as usize]; family.space().size() as usize];
        for (cell, counts) in family.iter() {
            for &(level, count) in counts {
                cells[cell as usize][level as usize] = count;
            }
        }
        Ok((cells, self.class_score(node)))
    }

    /// Whether a blanket has so few configurations that a whole table of counts is best.
    fn has_few_configurations(&self, node: Var, blanket: &VarSet) -> bool {
        let cardinalities = self.cardinalities();
        let mut levels = blanket.iter().map(|v| u64::from(cardinalities[v]));
        let size = levels.try_fold(1, u64::checked_mul);
        size.is_some_and(|size| size <= ALWAYS_DENSE && u64::from(cardinalities[node]) <= ALWAYS_DENSE)
    }

    /// A plain score that was found before.
    fn known(&self, node: Var, blanket: &VarSet) -> Option<Nats> {
        KEY.with_borrow_mut(|key| self.plain.get(plain_key(node, blanket, key)))
    }

    fn remember(&self, node: Var, blanket: &VarSet, score: Nats) {
        KEY.with_borrow_mut(|key| {
            let key = plain_key(node, blanket, key);
            self.plain.insert(key.into(), score, 64 + size_of_val(key));
        });
    }

    pub(super) fn class_score(&self, node: Var) -> ClassScore<'_> {
        let levels = self.cardinalities()[node];
        match &self.score {
            Family::Dirichlet(table) => {
                ClassScore::Dirichlet { level: table.starting_at(1), class: table.starting_at(levels) }
            }
            Family::Real { alpha, value } => ClassScore::Real {
                level: RealRising::new(*alpha, *value),
                class: RealRising::new(*alpha * f64::from(levels), *value),
            },
            Family::Own(score) => ClassScore::Own { score: *score, levels },
        }
    }
}

/// Writes what a plain score is remembered by.
fn plain_key<'k>(node: Var, blanket: &VarSet, key: &'k mut Vec<u32>) -> &'k [u32] {
    key.clear();
    key.push(node as u32);
    key.extend(blanket.iter().map(|variable| variable as u32));
    key
}
