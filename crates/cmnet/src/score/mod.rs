//! The marginal pseudo-likelihood of a structure and its prior (paper, sections 3.1-3.2).

mod cache;
mod class_score;
mod classes;
mod decimal;
mod edge_rules;
mod integer_logs;
mod kappa;
mod knowledge;
mod mpl;
mod nats;
mod prior;
mod rising;

pub(crate) use cache::BoundedCache;
pub use class_score::LocalScore;
pub use classes::BlanketPartition;
pub(crate) use classes::{BlanketClasses, EdgeView, Gain};
pub use edge_rules::EdgeRules;
pub use integer_logs::IntegerLogs;
pub use kappa::{Alpha, Kappa};
pub use knowledge::{EdgePattern, EdgeProbability, Knowledge};
pub use mpl::{Scorer, StructureScore};
pub use nats::Nats;
pub use prior::{ContextPrior, EdgePrior};
pub(crate) use rising::RisingTable;
