//! The log-linear side of the paper: phi-terms, restrictions, parameters (sections 2.1, 2.2
//! and 4).

pub mod closure;
pub mod coordinates;
mod modular;
pub mod rank;
mod ratio;
pub mod restriction;
pub mod term;

pub use closure::{canonical, same_model};
pub use coordinates::Coordinates;
pub use rank::parameter_count;
pub use ratio::Ratio;
pub use restriction::{Restriction, largest_violation, restrictions};
pub use term::{MOST_CLIQUE_CELLS, MOST_TERMS, Term, TermSet, Terms};
