//! How sure an edge or a context is: structures learned anew from resamples of the table.

mod bounded;
mod completed;
mod consensus;
mod ensemble;
mod frequency;
mod numbered;
mod options;
mod pieces;
mod posterior;
mod resample;
mod run;
mod settled;
mod stability;
mod state;
mod tally;

use crate::learn::Replicate;
pub use completed::{
    Agreement, CompletedLearning, CompletionOptions, CompletionState, completion_identity, learn_incomplete,
    learn_incomplete_from,
};
pub use ensemble::{
    Drawn, Ensemble, EnsembleAnswer, EnsembleConsensus, EnsembleEvaluation, EnsembleNetwork,
    EnsembleObserved, EnsemblePrediction, EnsemblePredictor, Member, Spread,
};
pub use frequency::{Frequency, Verdict};
pub use options::{BootstrapOptions, KappaChoice, ReplicateStart, Resample};
pub(crate) use pieces::{first_learning, open_replicates, some_replicates};
pub use posterior::{
    BayesFactor, Chance, EdgePosterior, ElementPosterior, Moves, PosteriorOptions, StructurePosterior,
    structure_posterior,
};
pub use run::{bootstrap, bootstrap_from, bootstrap_weighted};
pub use stability::{Similarity, Stability, StabilityPoint, stability};
pub use state::{BootstrapState, bootstrap_identity};
use tally::Tally;

use crate::control::StopReason;
use crate::data::Var;
use crate::graph::Edge;
use crate::score::Kappa;
use crate::structure::Structure;
use crate::table::Cell;

/// How often an edge was there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeSupport {
    /// The edge.
    pub edge: Edge,
    /// In how many replicates.
    pub found: Frequency,
}

/// How often an edge was cut off in a configuration of its common neighbours in the consensus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElementSupport {
    /// The edge.
    pub edge: Edge,
    /// The common neighbours with their levels, ascending.
    pub given: Vec<(Var, u32)>,
    /// The same as a number.
    pub cell: Cell,
    /// In how many replicates the edge was there, and cut off in all of this configuration.
    pub found: Frequency,
    /// In how many the edge was there and held somewhere in this configuration. In the others
    /// there was no edge.
    pub holds: Frequency,
}

/// How often a kappa was chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct KappaCount {
    /// The kappa.
    pub kappa: Kappa,
    /// In how many replicates.
    pub chosen: u64,
}

/// What resamples say about a structure: see [`bootstrap`].
#[derive(Clone, Debug, PartialEq)]
pub struct Bootstrap {
    /// Replicates that were asked for.
    pub asked: u64,
    /// Replicates that were finished; everything here is over these, the first so many.
    pub finished: u64,
    /// The seed that they were drawn with.
    pub seed: u64,
    /// The support from which on edges and elements are in the consensus.
    pub threshold: f64,
    /// How the resamples were drawn.
    pub resample: Resample,
    /// Their rows as a share of those of the table.
    pub share: f64,
    /// Where their searches started.
    pub start: ReplicateStart,
    /// How their kappas were chosen.
    pub kappa_choice: KappaChoice,
    /// Why it ended.
    pub stop: StopReason,
    /// Every kappa that was asked for, in that order.
    pub kappas: Vec<KappaCount>,
    /// Whether it ended before all replicates because the answer was settled.
    pub settled: bool,
    /// Replicates whose search ended at the bound of its work, with what it had found by then.
    pub bounded: u64,
    /// Replicates whose structure was too large for its closure, and was counted as it is.
    pub unclosed: u64,
    /// Every edge that some replicate has, in column order. All other pairs have support 0.
    pub edges: Vec<EdgeSupport>,
    /// Every configuration in which some replicate cuts an edge off, in the same order.
    pub elements: Vec<ElementSupport>,
    /// The edges and elements whose support reaches the threshold.
    pub consensus: Structure,
    /// The structure of each replicate, closed where that is affordable.
    pub structures: Vec<Structure>,
}
