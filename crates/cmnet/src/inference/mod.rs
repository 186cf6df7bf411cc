//! Questions to a fitted model.
//!
//! [`crate::Model::query`] begins a question by names; [`crate::Model::network`] gives the
//! [`Network`] that many questions can be asked of. A network reads the fitted parameters
//! themselves.
//!
//! | question | here |
//! |---|---|
//! | distributions of targets, by the best method that fits | [`Query::run`] |
//! | joint distribution of targets | [`Query::joint`] |
//! | most probable levels of all or of some variables | [`Query::map`] |
//! | rows drawn from it | [`Query::sampler`] |
//! | what an answer will take, before anything is allocated | [`Query::plan`] |
//! | marginals, log-probability of evidence, entropy, exactly | [`Network::posterior`] |
//! | joint distribution and most probable levels, exactly | [`Network::joint_exact`], [`Network::map_exact`] |
//! | (conditional) mutual information | [`Network::mutual_information`] |
//! | evidence that changes step by step | [`Session`] |
//! | a class from its Markov blanket | [`Predictor`] |
//! | what the evidence does to the graph | [`Explanation`] |
//! | files for other engines, and from them | [`crate::io::uai`] |
//!
//! # Example
//! ```
//! use cmnet::{Evidence, ExactOptions, Network, uai};
//! // Three binary variables in a row: neighbours agree with odds of 3 to 1.
//! let text = "MARKOV 3 2 2 2 2 2 0 1 2 1 2 4 3 1 1 3 4 3 1 1 3";
//! let read = uai::read_network(text, "agree.uai")?;
//! let network = Network::new(&read.schema, &read.structure, read.parameters)?;
//!
//! let query = network.query().given("X0=1")?;
//! let answer = query.clone().target("X2")?.run()?;
//! assert!((answer.marginals[0].1[1] - 10.0 / 16.0).abs() < 1e-12);
//! assert_eq!(answer.plan.method.to_string(), "exact");
//! let joint = query.clone().target("X1,X2")?.joint()?.joint;
//! assert!((joint.probabilities()[3] - 9.0 / 16.0).abs() < 1e-12);
//! assert_eq!(query.map()?.levels, [(1, 1), (2, 1)]);
//! assert!(query.sampler()?.rows(0..10)?.iter().all(|row| row[0] == 1));
//!
//! let (given, exact) = (Evidence::read(network.schema(), "X0=1")?, ExactOptions::default());
//! let posterior = network.posterior(&given, &exact)?;
//! assert!((posterior.log_evidence(&exact)? - libm::log(0.5)).abs() < 1e-12);
//! assert!(network.mutual_information((&[0], &[2]), &[1], &Evidence::none(), &exact)? < 1e-12);
//!
//! let explained = network.explain(&Evidence::none(), &exact)?;
//! let apart = explained.separations().next().ok_or("none")?;
//! assert_eq!((apart.pair, apart.given.as_slice()), ((0, 2), &[1][..]));
//!
//! let export = uai::network_to_text(network.cardinalities(), &network.factors(&Evidence::none(), 1 << 20)?);
//! assert!(export.starts_with("MARKOV\n3\n2 2 2\n2\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod approximate;
mod belief;
mod bucket;
mod climb;
mod condition;
mod evidence;
mod explain;
mod factors;
mod gibbs;
mod joint;
mod marginals;
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
pub use condition::{Conditioned, cut_edges};
pub use evidence::{Evidence, find_level, find_variable};
pub use explain::{EdgeStrength, Explanation, Separation};
pub use factors::Factors;
pub use gibbs::Gibbs;
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
pub use sample::Sampler;
pub use session::Session;
