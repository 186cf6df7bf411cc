//! What can be typed after `fit`, `evaluate`, `cv`, `bootstrap`, `exact`, `report` and `compare`.

use crate::args::{
    CheckpointArgs, DataArgs, FittedArgs, FittingArgs, GroupArgs, KnowledgeArgs, ModelArgs, ReadingArgs,
    SearchArgs, ShareArgs, WeighingArgs, choice,
};
use clap::Args;
use cmnet::options::{drawing, learning, resampling, validation};
use cmnet::{KappaChoice, ReplicateStart, Resample};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct FitArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) weighing: WeighingArgs,
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
    #[command(flatten)]
    pub(crate) weighing: WeighingArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CvArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) weighing: WeighingArgs,
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
    #[command(flatten)]
    pub(crate) weighing: WeighingArgs,
    #[arg(long, value_name = "R", help = resampling::REPLICATES.help, default_value = resampling::REPLICATES.default)]
    pub(crate) replicates: u64,
    #[arg(long, value_name = "N", help = resampling::SEED.help, default_value = resampling::SEED.default)]
    pub(crate) seed: u64,
    #[arg(long, value_name = "SHARE", help = resampling::THRESHOLD.help, default_value = resampling::THRESHOLD.default)]
    pub(crate) threshold: f64,
    #[arg(long, help = resampling::RESAMPLE.help, value_parser = choice::<Resample>(), default_value = resampling::RESAMPLE.default)]
    pub(crate) resample: Resample,
    #[arg(long, value_name = "SHARE", help = resampling::SHARE.help)]
    pub(crate) share: Option<f64>,
    #[arg(long, help = resampling::START.help, value_parser = choice::<ReplicateStart>(), default_value = resampling::START.default)]
    pub(crate) start: ReplicateStart,
    #[arg(long, help = resampling::KAPPA_CHOICE.help, value_parser = choice::<KappaChoice>(), default_value = resampling::KAPPA_CHOICE.default)]
    pub(crate) kappa_choice: KappaChoice,
    #[arg(long, value_name = "TIMES", help = resampling::BOUND.help, default_value = resampling::BOUND.default)]
    pub(crate) bound: u64,
    #[arg(long, help = resampling::STOP_EARLY.help)]
    pub(crate) stop_early: bool,
    #[arg(long, value_name = "SHARES", value_delimiter = ',', help = resampling::DROP_ROWS.help)]
    pub(crate) drop_rows: Vec<f64>,
    #[arg(long, value_name = "FILE", help = resampling::ENSEMBLE.help)]
    pub(crate) ensemble: Option<PathBuf>,
    /// Also a picture of the supports with their intervals: .svg
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// Model file to write: the consensus, fitted, with its support
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) checkpoints: CheckpointArgs,
    #[command(flatten)]
    pub(crate) division: ShareArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PosteriorArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[arg(long, help = drawing::KAPPA.help, default_value = drawing::KAPPA.default)]
    pub(crate) kappa: String,
    #[arg(long, help = drawing::ALPHA.help, default_value = drawing::ALPHA.default)]
    pub(crate) alpha: String,
    #[arg(long, value_name = "GAMMA", allow_hyphen_values = true, help = drawing::EDGE_PRIOR.help, default_value = drawing::EDGE_PRIOR.default)]
    pub(crate) edge_prior: String,
    #[command(flatten)]
    pub(crate) knowledge: KnowledgeArgs,
    #[arg(long, help = drawing::EXPONENT.help, default_value = drawing::EXPONENT.default)]
    pub(crate) exponent: f64,
    #[arg(long, value_name = "N", help = drawing::CHAINS.help, default_value = drawing::CHAINS.default)]
    pub(crate) chains: usize,
    #[arg(long, value_name = "N", help = drawing::SWEEPS.help, default_value = drawing::SWEEPS.default)]
    pub(crate) sweeps: usize,
    #[arg(long, value_name = "N", help = drawing::WARM_UP.help, default_value = drawing::WARM_UP.default)]
    pub(crate) warm_up: usize,
    #[arg(long, value_name = "N", help = drawing::RUNGS.help, default_value = drawing::RUNGS.default)]
    pub(crate) rungs: usize,
    #[arg(long, value_name = "N", help = drawing::SEED.help, default_value = drawing::SEED.default)]
    pub(crate) seed: u64,
    #[arg(long, help = drawing::THREADS.help, default_value = drawing::THREADS.default)]
    pub(crate) threads: usize,
    #[arg(long, value_name = "TIME", help = drawing::TIME_LIMIT.help)]
    pub(crate) time_limit: Option<String>,
    #[arg(long, value_name = "AMOUNT", help = drawing::MEMORY.help, default_value = drawing::MEMORY.default)]
    pub(crate) memory: String,
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
    #[command(flatten)]
    pub(crate) knowledge: KnowledgeArgs,
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
    /// First and second model file
    #[arg(value_name = "MODEL", num_args = 2, required_unless_present = "groups")]
    pub(crate) models: Vec<PathBuf>,
    /// Table to evaluate both on
    #[arg(long, value_name = "DATA", conflicts_with = "groups")]
    pub(crate) data: Option<String>,
    /// Instead of two models, compare the groups of this table: the networks of --group COLUMN
    #[arg(long, value_name = "DATA", conflicts_with = "models", requires = "group")]
    pub(crate) groups: Option<String>,
    /// Picture to write with the network of each group: .svg
    #[arg(short, long, value_name = "FILE", requires = "groups")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) grouping: GroupArgs,
    /// What determines the permutations
    #[arg(long, value_name = "N", default_value_t = 1, requires = "groups")]
    pub(crate) seed: u64,
    #[arg(long, help = learning::THREADS.help, default_value = learning::THREADS.default)]
    pub(crate) threads: usize,
    #[arg(long, value_name = "TIME", help = learning::TIME_LIMIT.help)]
    pub(crate) time_limit: Option<String>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}
