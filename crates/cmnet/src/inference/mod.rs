//! Inference: the junction tree that fitting and questions to a model share, and the
//! questions themselves.
//!
//! [`crate::Model::network`] turns a fitted model into a [`Network`]. Questions take
//! [`Evidence`] and [`Ask`], how much memory and which elimination rule:
//!
//! | question | here |
//! |---|---|
//! | marginals, log-probability of evidence, entropy, exact samples | [`Network::posterior`] |
//! | joint distribution of a chosen set | [`Network::joint`] |
//! | most probable completion, of all or of some variables | [`Network::most_probable`] |
//! | the same three by the best method that fits | [`Network::marginals`], [`Network::joint_by`], [`Network::completion_by`] |
//! | (conditional) mutual information | [`Network::mutual_information`] |
//! | evidence that changes step by step | [`Session`] |
//! | a class from its Markov blanket | [`Predictor`] |
//! | what the evidence does to the graph | [`Explanation`] |

mod approximate;
pub mod ask;
pub mod belief;
mod bucket;
pub mod climb;
pub mod condition;
pub mod evidence;
pub mod explain;
pub mod factors;
pub mod gibbs;
pub mod joint;
pub mod junction_tree;
pub mod network;
mod plan;
pub mod posterior;
pub mod predict;
pub mod propagate;
mod region;
pub mod sample;
pub mod session;
pub mod shape;
mod tally;
pub mod triangulate;

pub use approximate::{CompletionAnswer, JointAnswer};
pub use ask::{Answer, Approximation, Ask, Choice, MethodUsed, Methods, QueryMethod};
pub use belief::{Belief, BeliefOptions};
pub use climb::{Climb, ClimbOptions, Start};
pub use condition::{Conditioned, cut_edges};
pub use evidence::{Evidence, find_level, find_variable};
pub use explain::{EdgeStrength, Explanation, Separation};
pub use factors::Factors;
pub use gibbs::{Gibbs, GibbsOptions};
pub use joint::{Completion, Joint};
pub use junction_tree::{Clique, JunctionTree};
pub use network::Network;
pub use plan::TreeCost;
pub(crate) use plan::{TreePlan, best_plan};
pub use posterior::Posterior;
pub use predict::{Prediction, Predictor};
pub use propagate::Propagation;
pub use sample::Sampler;
pub use session::Session;
pub use shape::{Shape, Walk};
pub use triangulate::{Elimination, EliminationRule, eliminate};
