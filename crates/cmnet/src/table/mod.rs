//! Tables over sets of variables: their layout, walks between layouts, and the transforms
//! between phi-terms, log potentials and margins (paper, section 2.1 and eq. 1-4).

mod outcome;
mod shape;
mod transform;

pub use outcome::{Cell, OutcomeSpace, Projection};
pub use shape::{Shape, Walk};
pub(crate) use transform::{margins_of_cells, sum_of_terms, terms_of_sum};
