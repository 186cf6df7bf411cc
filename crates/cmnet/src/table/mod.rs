//! Tables over sets of variables: their layout, walks between layouts, and the transforms
//! between phi-terms, log potentials and margins (paper, section 2.1 and eq. 1-4).

mod layout;
mod outcome;
mod potential;
mod potentials;
mod shape;

pub(crate) use layout::{Layout, cells_along};
pub(crate) use outcome::check_size;
pub use outcome::{Cell, OutcomeSpace, Projection};
pub(crate) use potential::{
    SetTerms, add_along, add_energies, add_potentials, log_sum, log_sum_under, margins_of_some_cells,
    shares_of_levels, softmax, softmax_under, sum_of_some_terms, sum_of_terms, terms_of_sum,
};
pub(crate) use potentials::{Homes, Potentials};
pub use shape::{Shape, Walk};
