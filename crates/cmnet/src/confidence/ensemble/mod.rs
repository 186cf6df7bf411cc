//! Ensembles: the networks of resamples, each fitted to its own resample, that answer together.
//!
//! An answer is the mean of the networks' answers, and the spread over them says how far it hangs on the rows.
//! No network counts more than another, whatever is given: this is no mixture, whose classes are weighed
//! by what is known.

mod ask;
mod consensus;
mod evaluate;
mod fit;
mod model;
mod predict;
mod spread;

pub use ask::{EnsembleAnswer, EnsembleNetwork};
pub use consensus::EnsembleConsensus;
pub use evaluate::{EnsembleEvaluation, EnsembleObserved};
pub use model::{Drawn, Ensemble, Member};
pub use predict::{EnsemblePrediction, EnsemblePredictor};
pub use spread::Spread;
