//! Which of several fitted structures to keep (paper, section 3.2).

pub mod bic;

pub use bic::{bic, choose};
