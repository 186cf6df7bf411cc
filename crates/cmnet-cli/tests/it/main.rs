//! The command `cmnet`, run as users run it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must fail")]

mod bootstrap;
mod choices;
mod cli_answers;
mod cli_golden;
mod cli_hostile;
mod cli_keeps;
mod cli_parameters;
mod cli_promises;
mod cli_readme;
mod cli_refusals;
mod cli_resume;
mod common;
mod compatibility;
mod docs;
mod ensemble;
mod explore;
mod knowledge;
mod missing;
mod mixture;
mod numbers;
mod posterior;
mod query;
mod real_tables;
mod refine;
mod report;
mod shares;
mod trust;
#[cfg(unix)]
mod tutorial;
