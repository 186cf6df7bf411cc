//! Answers by names, in the one form that the command line prints as JSON and that Python
//! returns: `docs/formats.md` describes them.

pub mod approximation;
pub mod compared;
pub mod described;
pub mod explained;
pub mod names;

pub use compared::Compared;
pub use described::Description;
pub use explained::Explained;
