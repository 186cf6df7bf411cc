//! The targets of `cargo fuzz`: one body each.
#![allow(clippy::expect_used, clippy::panic, reason = "a body that cannot go on has found something")]

pub mod bodies;
