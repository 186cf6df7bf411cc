//! Greedy search for the best structure: Algorithms 1 and 2 of the paper as step, state,
//! loop, observer and stop reason.

mod blanket;
mod context_climb;
mod context_steps;
mod decomposable;
mod graph_climb;
mod limits;
mod live;
mod memo;
mod node_start;
mod observer;
mod optimum;
mod rounds;
mod screen;
mod state;
mod trace;
mod used;

pub(crate) use crate::control::StopReason;
pub use blanket::{BlanketLimits, BlanketSearch, BlanketState, CandidateRule};
pub use context_climb::climb_contexts;
pub use decomposable::{DecomposableGraph, DecomposableOptions, decomposable_graph};
pub use graph_climb::{GraphClimb, climb_graph};
pub(crate) use memo::NodeMemo;
pub use observer::{SearchEvent, SearchObserver, Standing};
pub use optimum::{Optimum, optimum};
pub use state::{ClimbRecord, ClimbResult, GraphClimbState, GraphStep, Rounds};
pub use used::SearchUsed;
