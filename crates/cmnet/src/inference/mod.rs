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
//! | rows drawn from it | [`Network::sampler`] |
//! | files for other engines, and from them | [`crate::io::uai`] |
//!
//! # Example
//! ```
//! use cmnet::inference::{Ask, Evidence, GibbsOptions, Methods, Network, QueryMethod};
//! use cmnet::io::uai;
//! // Three binary variables in a row: neighbours agree with odds of 3 to 1.
//! let text = "MARKOV 3 2 2 2 2 2 0 1 2 1 2 4 3 1 1 3 4 3 1 1 3";
//! let read = uai::read_network(text, "agree.uai")?;
//! let network = Network::new(&read.schema, &read.structure, read.parameters)?;
//! let given = Evidence::read(network.schema(), "X0=1")?;
//! let (ask, methods) = (Ask::default(), Methods::default());
//!
//! let posterior = network.posterior(&given, &ask)?;
//! assert!((posterior.marginal(2)[1] - 10.0 / 16.0).abs() < 1e-12);
//! assert!((posterior.log_evidence(&ask)? - libm::log(0.5)).abs() < 1e-12);
//!
//! let answer = network.marginals(&[2], &given, &ask, &methods)?; // the same, and by which method
//! assert_eq!(answer.choice.method.to_string(), "exact");
//! let joint = network.joint_by(&[1, 2], &given, &ask, &methods)?.joint;
//! assert!((joint.probabilities()[3] - 9.0 / 16.0).abs() < 1e-12);
//! let best = network.completion_by(None, &given, &ask, &methods)?;
//! assert_eq!(best.levels, [(1, 1), (2, 1)]);
//! assert!(network.mutual_information((&[0], &[2]), &[1], &Evidence::none(), &ask)? < 1e-12);
//!
//! let explained = network.explain(&Evidence::none(), &ask)?;
//! let apart = explained.separations().next().ok_or("none")?;
//! assert_eq!((apart.pair, apart.given.as_slice()), ((0, 2), &[1][..]));
//!
//! let sampler = network.sampler(&given, &ask, QueryMethod::Auto, &GibbsOptions::default())?;
//! assert!(sampler.rows(0..10).iter().all(|row| row[0] == 1));
//! let export = uai::network_to_text(network.cardinalities(), &network.factors(&Evidence::none(), 1 << 20)?);
//! assert!(export.starts_with("MARKOV\n3\n2 2 2\n2\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
pub mod network;
pub mod posterior;
pub mod predict;
mod region;
pub mod sample;
pub mod session;
mod tally;

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
pub use network::Network;
pub use posterior::Posterior;
pub use predict::{Prediction, Predictor};
pub use sample::Sampler;
pub use session::Session;
