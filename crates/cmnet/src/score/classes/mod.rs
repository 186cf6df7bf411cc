//! The classes of one node's Markov blanket with their counts, as context elements merge
//! them (paper, section 3.2).
//!
//! Two representations with the same answers: [`dense`] numbers every configuration of the
//! blanket; [`sparse`] knows the observed configurations and those that chains of cut-off
//! changes reach from them. Both respect that classes join through configurations nobody
//! observed.

mod dense;
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
use crate::counts::FamilyCounts;
use crate::data::Var;
use crate::error::Result;
use crate::structure::Structure;
use crate::table::{Cell, OutcomeSpace};
use dense::DenseClasses;
use sparse::SparseClasses;

/// Configurations per observed one up to which numbering all of them is cheaper. A small space
/// has fewer configurations than `sparse` may reach, so there the choice refuses nothing.
const DENSE_PER_OBSERVED: u64 = 16;
const SMALL_DENSE_PER_OBSERVED: u64 = 64;
const SMALL: u64 = 1 << 16;
/// The most counts that a dense representation may hold.
const DENSE_COUNTS: u64 = 1 << 22;

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
    /// One class per configuration.
    pub(crate) fn new(counts: &FamilyCounts, score: ClassScore<'a>) -> Self {
        let size = counts.space().size();
        let per_observed = if size <= SMALL { SMALL_DENSE_PER_OBSERVED } else { DENSE_PER_OBSERVED };
        let room = per_observed * (counts.observed() as u64 + 16);
        if size <= room && size.saturating_mul(u64::from(counts.child_levels())) <= DENSE_COUNTS {
            Self::Dense(DenseClasses::new(counts, score))
        } else {
            Self::Sparse(SparseClasses::new(counts, score))
        }
    }

    /// The outcome space of the blanket.
    pub(crate) fn space(&self) -> &OutcomeSpace {
        match self {
            Self::Dense(classes) => classes.space(),
            Self::Sparse(classes) => classes.space(),
        }
    }

    /// About how many bytes the classes take.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Dense(classes) => classes.bytes(),
            Self::Sparse(classes) => classes.bytes(),
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
    pub(crate) fn gains(
        &self,
        view: &EdgeView,
        before: Option<&[Gain]>,
        gains: &mut Vec<Gain>,
        control: &dyn Control,
    ) -> Result<()> {
        match self {
            Self::Dense(classes) => {
                classes.gains(view, before, gains);
                Ok(())
            }
            Self::Sparse(classes) => classes.gains(view, gains, control),
        }
    }

    /// Merges what an element on an edge makes one.
    pub(crate) fn add(&mut self, view: &EdgeView, element: Cell) -> Result<()> {
        match self {
            Self::Dense(classes) => {
                classes.add(view, element);
                Ok(())
            }
            Self::Sparse(classes) => classes.add(view, element),
        }
    }

    /// Merges what the contexts of a structure make one at a node: two configurations are in one
    /// class when a chain of changes of single neighbours i links them, each made while the
    /// configuration of cn(i,j) is in C(i,j) (paper, section 3.2 and its partition figure).
    pub(crate) fn add_contexts(&mut self, structure: &Structure, node: Var) -> Result<()> {
        for (neighbor, context) in structure.contexts_at(node) {
            let view = EdgeView::new(self.space(), neighbor, context.space());
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
