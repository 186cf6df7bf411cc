//! The classes of one node's Markov blanket with their counts, as context elements merge
//! them (paper, section 3.2).
//!
//! Two representations with the same answers: [`dense`] numbers every configuration of the
//! blanket; [`sparse`] knows the observed configurations and those that chains of cut-off
//! changes reach from them. Both respect that classes join through configurations nobody
//! observed.

mod dense;
mod joined;
mod merge;
mod partition;
mod sparse;
#[cfg(test)]
mod tests;
mod view;

pub use partition::BlanketPartition;
pub(crate) use view::EdgeView;

use super::class_score::ClassScore;
use super::nats::Nats;
use crate::control::Control;
use crate::counts::{Count, FamilyCounts};
use crate::data::Var;
use crate::error::Result;
use crate::structure::Structure;
use crate::table::Cell;
use dense::DenseClasses;
use sparse::SparseClasses;

/// Configurations per observed one up to which numbering all of them is cheaper. A small space
/// has fewer configurations than `sparse` may reach, so there the choice refuses nothing.
const DENSE_PER_OBSERVED: u64 = 16;
const SMALL_DENSE_PER_OBSERVED: u64 = 64;
const SMALL: u64 = 1 << 16;
/// Observed configurations that are taken for granted, so that the smallest spaces are always
/// numbered: those of up to [`ALWAYS_DENSE`] configurations.
const LEAST_OBSERVED: u64 = 16;
pub(super) const ALWAYS_DENSE: u64 = SMALL_DENSE_PER_OBSERVED * LEAST_OBSERVED;
/// The same once there are contexts: chains of changes may lead through most of a space, and a
/// walk costs far more than a number.
const DENSE_PER_OBSERVED_WITH_CONTEXTS: u64 = 256;
/// The most counts that a dense representation may hold.
const DENSE_COUNTS: u64 = 1 << 22;
/// What share of the memory the classes of one node may take: a search holds a few at a time.
const SHARE_OF_CLASSES: u64 = 4;

/// By how much an element would change a node's score. Elements that merge no observed
/// counts are not listed: their change is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gain {
    pub(crate) element: Cell,
    pub(crate) gain: Nats,
}

/// The classes of X_mb(j), each with the counts of X_j.
#[derive(Clone, Debug)]
pub(crate) enum BlanketClasses<'a> {
    Dense(DenseClasses<'a>),
    Sparse(SparseClasses<'a>),
}

impl<'a> BlanketClasses<'a> {
    /// One class per configuration, within an amount of memory in bytes.
    pub(crate) fn new(counts: &FamilyCounts, score: ClassScore<'a>, memory: u64) -> Self {
        let (size, levels) = (counts.space().size(), u64::from(counts.child_levels()));
        let per_observed = if size <= SMALL { SMALL_DENSE_PER_OBSERVED } else { DENSE_PER_OBSERVED };
        let observed = counts.observed() as u64 + LEAST_OBSERVED;
        let fits = Self::fits(size, levels, memory);
        if fits && size <= per_observed * observed {
            return Self::Dense(DenseClasses::new(counts.table(), levels as usize, score));
        }
        let later = fits && size <= DENSE_PER_OBSERVED_WITH_CONTEXTS * observed;
        Self::Sparse(SparseClasses::new(counts, score, memory, later))
    }

    fn fits(size: u64, levels: u64, memory: u64) -> bool {
        size.saturating_mul(levels) <= DENSE_COUNTS
            && DenseClasses::bytes_of(size, levels) <= memory / SHARE_OF_CLASSES
    }

    /// The bytes that the classes of a blanket with so many configurations take at most once there are contexts
    /// and all are numbered; 0 where they never are.
    pub(crate) fn numbered_bytes((size, levels): (u64, u64), rows: u64, memory: u64) -> u64 {
        let observed = rows.min(size).saturating_add(LEAST_OBSERVED);
        let is_numbered = size <= observed.saturating_mul(DENSE_PER_OBSERVED_WITH_CONTEXTS);
        let fits = is_numbered && Self::fits(size, levels, memory);
        if fits { DenseClasses::bytes_of(size, levels) } else { 0 }
    }

    /// The same from a whole table, for a blanket with few configurations.
    pub(crate) fn of_table(counts: Vec<Count>, levels: usize, score: ClassScore<'a>) -> Self {
        Self::Dense(DenseClasses::new(counts, levels, score))
    }

    /// About how many bytes the classes take.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Dense(classes) => classes.bytes(),
            Self::Sparse(classes) => classes.bytes(),
        }
    }

    /// How many configurations are known.
    pub(crate) fn configurations(&self) -> u64 {
        match self {
            Self::Dense(classes) => classes.configurations(),
            Self::Sparse(classes) => classes.configurations(),
        }
    }

    /// The node's score with the present classes.
    pub(crate) fn score(&self) -> Nats {
        match self {
            Self::Dense(classes) => classes.score(),
            Self::Sparse(classes) => classes.score(),
        }
    }

    /// Appends what each further element on an edge would change, by element ascending;
    /// `before` says what it would have changed before the last element was added, if known.
    /// Returns whether that is as before: then nothing is appended.
    pub(crate) fn gains(
        &self,
        view: &EdgeView,
        before: Option<&[Gain]>,
        gains: &mut Vec<Gain>,
        control: &dyn Control,
    ) -> Result<bool> {
        match self {
            Self::Dense(classes) => Ok(classes.gains(view, before, gains)),
            Self::Sparse(classes) => {
                let from = gains.len();
                classes.gains(view, gains, control)?;
                let same = before.is_some_and(|before| before == &gains[from..]);
                gains.truncate(if same { from } else { gains.len() });
                Ok(same)
            }
        }
    }

    /// Merges what an element on an edge makes one.
    pub(crate) fn add(&mut self, view: &EdgeView, element: Cell) -> Result<()> {
        match self {
            Self::Dense(classes) => {
                classes.add(view, element);
                Ok(())
            }
            Self::Sparse(classes) => {
                let Some(mut dense) = classes.numbered() else { return classes.add(view, element) };
                dense.add(view, element);
                *self = Self::Dense(dense);
                Ok(())
            }
        }
    }

    /// Merges what the contexts of a structure make one at a node: two configurations are in one
    /// class when a chain of changes of single neighbours i links them, each made while the
    /// configuration of cn(i,j) is in C(i,j) (paper, section 3.2 and its partition figure).
    pub(crate) fn add_contexts(&mut self, structure: &Structure, node: Var) -> Result<()> {
        for (neighbor, context) in structure.contexts_at(node) {
            let view = EdgeView::of_context(structure, node, neighbor, context);
            for element in context.elements() {
                self.add(&view, element)?;
            }
        }
        Ok(())
    }

    /// The class of a configuration, where it is known.
    #[cfg(test)]
    fn class(&self, cell: Cell) -> Option<u32> {
        match self {
            Self::Dense(classes) => Some(classes.class(cell)),
            Self::Sparse(classes) => classes.class(cell),
        }
    }
}
