//! Mixtures: a latent class with a contextual Markov network for each of its values.
//!
//! p(x) = sum over classes k of weight_k p_k(x). Every network p_k is exact, so that every answer is the
//! mixture of the networks' answers, weighed by the chances of the classes given what is known.

mod ask;
mod cluster;
mod edges;
mod em;
mod evaluate;
mod learn;
mod maximum;
mod memberships;
mod model;
mod options;
mod predict;
mod sample;

pub use ask::{ClassChances, MixtureAnswer, MixtureNetwork};
pub use edges::{ClassEdge, class_edges};
pub(crate) use evaluate::log_sum;
pub use learn::{LearnedMixture, TriedComponents, learn_mixture};
pub use maximum::MixtureMaximum;
pub use model::{Component, Mixture, MixtureFit};
pub use options::{ComponentCount, MixtureOptions};
pub use predict::MixturePredictor;
pub use sample::MixtureSampler;
