//! The boundary at which a run is divided among machines: tasks, and what they find.
//!
//! A [`Job`] is a run: what is to be learned, and how. Its [`Task`]s are pure: the table, the options
//! and what is known already determine what they find. So a task may be run anywhere, in any
//! order, and again where it was lost. [`Findings`] add up in any order to what one machine would
//! have found.
//!
//! A cluster asks a job for [tasks](Job::tasks) round by round, until there is none. A batch queue
//! gives each of its jobs a [share](Job::share). [`Part`](crate::io::Part) brings findings to files.

mod findings;
mod job;
mod run;
mod shard;
#[allow(clippy::module_inception, reason = "the room is named for what it holds")]
mod task;

pub use findings::Findings;
pub use job::Job;
pub use shard::Shard;
pub use task::Task;
