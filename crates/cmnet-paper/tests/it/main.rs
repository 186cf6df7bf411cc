//! The experiments and the baseline of the paper.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must fail")]

mod experiment;
mod sgm;
