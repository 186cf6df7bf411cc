//! Edge contexts: where the dependence along an edge vanishes (paper, Definition 2).

mod edge_context;
mod label;

pub use edge_context::EdgeContext;
pub use label::{Label, Symbol};
