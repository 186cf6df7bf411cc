//! Questions to a fitted model.

mod approximate;
mod belief;
mod bucket;
mod climb;
mod cut_edges;
mod evidence;
mod explain;
mod factors;
mod gibbs;
mod independent;
mod joint;
mod known;
mod marginals;
mod maximum;
mod neighbourhood;
mod network;
mod options;
mod plan;
mod posterior;
mod predict;
mod query;
mod random;
mod region;
mod sample;
mod session;
mod tally;

pub use approximate::{JointAnswer, MapAnswer};
pub use belief::Belief;
pub use climb::{Climb, Start};
pub use cut_edges::{Conditioned, cut_edges};
pub use evidence::{Evidence, find_level, find_variable, find_variables};
pub use explain::{EdgeStrength, Explanation, Separation};
pub use factors::Factors;
pub use gibbs::Gibbs;
pub(crate) use gibbs::{BATCHES, rate};
pub use independent::{Independence, IndependenceQuestion, IndependentCase, OpenPath, independent};
pub use joint::{Completion, Joint};
pub use marginals::{Approximation, MarginalAnswer};
pub use network::Network;
pub use options::{
    BeliefOptions, ClimbOptions, ExactOptions, GibbsOptions, InferenceMethod, QueryMethod, QueryOptions,
};
pub use plan::QueryPlan;
pub use posterior::Posterior;
pub use predict::{Prediction, Predictor};
pub use query::{Query, Question};
pub(crate) use random::{pick, stream};
pub use sample::Sampler;
pub use session::Session;
