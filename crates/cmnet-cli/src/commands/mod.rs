//! One file per subcommand: read, call the library, render.

pub(crate) mod approximation;
pub(crate) mod asking;
pub(crate) mod bootstrap;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod cv;
pub(crate) mod describe;
pub(crate) mod draw;
pub(crate) mod evaluate;
pub(crate) mod exact;
pub(crate) mod experiment;
pub(crate) mod explain;
pub(crate) mod explore;
pub(crate) mod export;
pub(crate) mod fit;
pub(crate) mod fitting;
pub(crate) mod import;
pub(crate) mod independent;
pub(crate) mod learn;
pub(crate) mod merge;
pub(crate) mod predict;
pub(crate) mod query;
pub(crate) mod report;
pub(crate) mod sample;
pub(crate) mod score;
