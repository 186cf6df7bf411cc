//! Drawings, and the XML in them read back.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must fail")]

mod answers;
mod drawing;
mod drawing_support;
