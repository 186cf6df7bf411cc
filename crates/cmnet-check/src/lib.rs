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
//! | `context_climb` | 3.3, Algorithm 2 | the contexts of a given graph |
//! | `graph_climb` | 3.3, Algorithm 1 | the graph, and local optimality |
//! | `loglinear` | 2.1 and 2.2, Proposition 2 | phi-terms, restrictions, parameter count |
//! | `rational` | - | exact elimination |
//! | `likelihood` | 2.1 and 4 | the likelihood of given phi, by listing the joint space |
//! | `conditional_bic` | - | the score of a refinement |
//! | `mixture` | - | a mixture of log-linear models |
//! | `groups` | - | a pair of variables in groups of rows |
//! | `newton` | 4 | maximum likelihood, by an optimiser of its own |
//!
//! Variables and levels are numbers from 0. A configuration of several variables lists their
//! levels in ascending order of the variables.
//!
//! ```
//! use cmnet_check::{Labelled, Scoring, Table, graph_hill_climb, score};
//!
//! // Two binary variables that always agree.
//! let rows = vec![vec![0, 0], vec![1, 1]];
//! let table = Table::new(vec![2, 2], rows, vec![20, 20])?;
//! let scoring = Scoring::with_kappa(1.0)?;
//! let climb = graph_hill_climb(&table, &scoring, &mut |_, _| true)?;
//! assert!(climb.structure.edges.contains(&(0, 1)));
//! assert!(climb.score > score(&table, &Labelled::default(), &scoring)?.total());
//! # Ok::<(), cmnet_check::CheckError>(())
//! ```

mod conditional_bic;
mod context_climb;
mod error;
mod graph_climb;
mod groups;
mod likelihood;
mod loglinear;
mod mixture;
mod newton;
mod observed;
mod partition;
mod pseudo;
mod rational;
mod ridge;
mod score;
mod space;
mod structure;
mod table;

pub use conditional_bic::{ConditionalBic, conditional_bic};
pub use context_climb::{ContextClimb, TIE_MARGIN, context_hill_climb};
pub use error::CheckError;
pub use graph_climb::{GraphClimb, GraphStep, Optimality, Progress, graph_hill_climb, is_locally_optimal};
pub use groups::{GroupPair, InGroup, OfGroups, pair_of_groups};
pub use likelihood::{likelihood_gradient_norm, log_likelihood, restriction_violation};
pub use loglinear::{LogLinear, Restriction, Term, is_implied};
pub use mixture::{Class, MixtureFound, mixture};
pub use newton::{Ending, Fit, maximum_likelihood};
pub use observed::{HoledRow, ObservedFit, observed_maximum};
pub use partition::{class_numbers, classes};
pub use pseudo::{
    PseudoCounts, maximum_pseudo_likelihood, pseudo_gradient_norm, pseudo_log_likelihood,
    target_gradient_norm,
};
pub use score::{KnownEdges, Score, Scoring, log_prior, node_score, score};
pub use space::{LARGEST_SPACE, configurations, position};
pub use structure::{Complaint, Configuration, Contexts, Edge, Labelled};
pub use table::Table;
