//! How good a fitted model is (paper, section 4).

pub mod divergence;

pub use divergence::{divergence, divergence_from_table};
