//! Cross-examination of the library: against the referee, against itself under changes that
//! must not matter, against the paper's figures and against golden results.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must fail")]

mod blanket;
mod common;
mod figures;
mod golden;
mod house;
mod metamorphic;
mod model_file;
mod referee;
