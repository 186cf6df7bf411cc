//! The referee of cmnet: the paper's definitions written down once more, as plainly as they
//! can be (paper, sections 2 and 3).
//!
//! Nothing here is shared with the library `cmnet`: other types, floating point instead of
//! integer scores, another optimiser. Where the library is clever, this crate lists the whole
//! outcome space and counts. Two programs that agree although they have nothing in common
//! are hard to doubt; where they disagree, this is the one to read.
//!
//! | file | paper | holds |
//! |---|---|---|
//! | `table` | 2.1 | the observations, as level numbers with weights |
//! | `space` | 2.1 | an outcome space as a list |
//! | `structure` | 2.2, Definition 2 | a labelled graph and what may be wrong with it |
//! | `partition` | 3.2, Figure 4 | the classes of the Markov blanket of a node |
//! | `score` | 3.1 and 3.2, eq. (7) | marginal pseudo-likelihood and structure prior |
//!
//! Variables and levels are numbers from 0. A configuration of several variables lists their
//! levels in ascending order of the variables.

mod error;
mod partition;
mod score;
mod space;
mod structure;
mod table;

pub use error::CheckError;
pub use partition::{class_numbers, classes};
pub use score::{Score, Scoring, log_prior, node_score, score};
pub use space::{LARGEST_SPACE, configurations, position};
pub use structure::{Complaint, Configuration, Contexts, Edge, Labelled};
pub use table::Table;
