//! Greedy search for the best structure: Algorithms 1 and 2 of the paper as step, state,
//! loop, observer and stop reason.

pub mod blanket;
mod context_climb;
mod graph_climb;
mod limits;
mod live;
mod memo;
mod node_start;
mod observer;
mod replay;
mod state;
mod trace;
mod used;

pub use crate::control::StopReason;
pub use context_climb::climb_contexts;
pub use graph_climb::{GraphClimb, run};
pub(crate) use memo::NodeMemo;
pub use observer::{Event, Observer, Standing};
pub use state::{ClimbResult, GraphClimbState, GraphStep};
pub use used::SearchUsed;
