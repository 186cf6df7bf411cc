//! Contextual Markov networks learned from tables of categories by marginal
//! pseudo-likelihood.
//!
//! A contextual Markov network is an undirected graph that says which variables depend
//! directly on each other, and on every edge the *contexts*, values of the common
//! neighbours, in which that dependence vanishes. The method is that of J. Pensar, H. Nyman
//! and J. Corander, *Structure Learning of Contextual Markov Networks using Marginal
//! Pseudo-likelihood*, Scandinavian Journal of Statistics 44 (2017) 455-479, "the paper"
//! throughout these pages.
//!
//! # Notation
//!
//! | paper | here |
//! |---|---|
//! | X_j, outcomes 0..r_j-1 | [`data::Variable`], [`data::Var`] |
//! | X_S, the joint outcome space | [`table::OutcomeSpace`], a configuration is a [`table::Cell`] |
//! | G = (V, E), {i, j} | [`graph::Graph`], [`graph::Edge`] |
//! | mb(j), cn(i,j) | [`graph::Graph::markov_blanket`], [`graph::Graph::common_neighbors`] |
//! | C(i,j) | [`context::EdgeContext`], drawn as a [`context::Label`] |
//! | (G, C) | [`Structure`] |

pub mod context;
pub mod control;
pub mod counts;
pub mod data;
pub mod error;
pub mod evaluate;
pub mod graph;
pub mod inference;
pub mod io;
pub mod learn;
pub mod loglinear;
mod model;
pub mod options;
pub mod score;
pub mod search;
mod structure;
pub mod table;
pub mod tree;

pub use error::{Error, ErrorKind, Result};
pub use model::{Model, Provenance};
pub use structure::Structure;
