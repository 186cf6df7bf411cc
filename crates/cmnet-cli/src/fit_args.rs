//! What can be typed after `fit`, `evaluate`, `cv`, `bootstrap`, `exact`, `report` and `compare`.

use crate::args::{DataArgs, FittedArgs, FittingArgs, ModelArgs, ReadingArgs, SearchArgs, ShareArgs};
use clap::Args;
use cmnet::options::{learning, resampling, validation};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct FitArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Model file to write, with the parameters
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) fitting: FittingArgs,
}

#[derive(Debug, Args)]
pub(crate) struct EvaluateArgs {
    #[command(flatten)]
    pub(crate) model: FittedArgs,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CvArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[arg(long, value_name = "N", conflicts_with = "fold_column", help = validation::FOLDS.help, default_value = validation::FOLDS.default)]
    pub(crate) folds: usize,
    #[arg(long, value_name = "N", conflicts_with = "fold_column", help = validation::SEED.help, default_value = validation::SEED.default)]
    pub(crate) seed: u64,
    #[arg(long, value_name = "COLUMN", help = validation::FOLD_COLUMN.help)]
    pub(crate) fold_column: Option<String>,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) share: ShareArgs,
}

#[derive(Debug, Args)]
pub(crate) struct BootstrapArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[arg(long, value_name = "R", help = resampling::REPLICATES.help, default_value = resampling::REPLICATES.default)]
    pub(crate) replicates: u64,
    #[arg(long, value_name = "N", help = resampling::SEED.help, default_value = resampling::SEED.default)]
    pub(crate) seed: u64,
    #[arg(long, value_name = "SHARE", help = resampling::THRESHOLD.help, default_value = resampling::THRESHOLD.default)]
    pub(crate) threshold: f64,
    /// Model file to write: the consensus, fitted, with its support
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Table to learn from, or model file, which ends in .json
    #[arg(value_name = "DATA|MODEL")]
    pub(crate) input: String,
    /// Page to write: .html
    #[arg(short, long, value_name = "REPORT")]
    pub(crate) output: PathBuf,
    /// Table of a model
    #[arg(long, value_name = "DATA")]
    pub(crate) data: Option<String>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    /// Folds of the cross-validation; 0 leaves it out
    #[arg(long, value_name = "N", default_value = validation::FOLDS.default)]
    pub(crate) folds: usize,
    #[arg(long, value_name = "N", help = validation::SEED.help, default_value = validation::SEED.default)]
    pub(crate) seed: u64,
    /// Open the page in the browser
    #[arg(long)]
    pub(crate) open: bool,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ExactArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Weight of the context prior: eps (no contexts), a power such as n^-0.5, a number in (0, 1]
    #[arg(long, default_value = "eps")]
    pub(crate) kappa: String,
    #[arg(long, help = learning::ALPHA.help, default_value = learning::ALPHA.default)]
    pub(crate) alpha: String,
    #[arg(long, value_name = "TIME", help = learning::TIME_LIMIT.help)]
    pub(crate) time_limit: Option<String>,
    /// Model file to write, fitted
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) fitting: FittingArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// First model file
    #[arg(value_name = "MODEL")]
    pub(crate) one: PathBuf,
    /// Second model file
    #[arg(value_name = "MODEL")]
    pub(crate) other: PathBuf,
    /// Table to evaluate both on
    #[arg(long, value_name = "DATA")]
    pub(crate) data: Option<String>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}
