//! Options of fitting that several commands share.

use crate::args::{FitMethod, FittingArgs};
use cmnet::learn::parse_bytes;
use cmnet::loglinear::{FitOptions, Method};

pub(crate) fn fit_options(arguments: &FittingArgs) -> anyhow::Result<FitOptions> {
    Ok(FitOptions {
        method: match arguments.method {
            FitMethod::Auto => Method::Auto,
            FitMethod::Exact => Method::Exact,
            FitMethod::Pseudo => Method::Pseudo,
        },
        smoothing: arguments.smoothing,
        memory: bytes(&arguments.memory)?,
        ..FitOptions::default()
    })
}

/// Reads an amount of memory such as 500M, 2G or 1048576.
pub(crate) fn bytes(text: &str) -> anyhow::Result<u64> {
    Ok(parse_bytes("--memory", text)?)
}
