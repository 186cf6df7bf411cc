//! Cross-examination of the library: against the referee, against itself under changes that
//! must not matter, against the paper's figures and against golden results.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on must fail"
)]

mod bad_tables;
mod blanket;
mod bootstrap;
mod by_rows;
mod checkpoints;
#[cfg(feature = "parquet")]
mod columnar;
/// The words of the command line, in which the tests compare whole messages.
#[path = "../../../cmnet-cli/src/dialect.rs"]
mod command_line;
mod common;
mod contexts_auto;
mod control;
mod cross_validation;
mod csv_input;
mod ensemble;
mod figures;
mod fuzz;
mod golden;
mod groups;
mod house;
mod independence;
mod inference_approximate;
mod inference_exact;
mod inference_query;
mod inference_sampling;
mod inference_support;
mod inference_uai;
mod knowledge;
mod loglinear_boundary;
mod loglinear_fit;
mod loglinear_gradient;
mod loglinear_order;
mod loglinear_pseudo;
mod loglinear_ridge;
mod loglinear_structure;
mod loglinear_support;
mod loglinear_target;
mod metamorphic;
mod missing;
mod missing_learn;
mod mixture;
mod model_file;
mod optimum;
mod posterior;
mod precision;
mod referee;
mod refine;
mod sources;
mod tasks;
mod weights;
