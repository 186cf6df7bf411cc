//! The referee against the paper, closed forms and literal transcriptions.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must fail")]

mod common;
mod likelihood;
mod loglinear;
mod partition_and_score;
mod search;
mod table_and_structure;
