//! What can be typed: commands, shared flags, help.

use crate::ask_args::AskCommand;
pub(crate) use crate::fit_args::{CompareArgs, CvArgs, EvaluateArgs, FitArgs};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::{Path, PathBuf};

/// Learn, check and draw contextual Markov networks from tables of categories.
///
/// A contextual Markov network is an undirected graph that says which variables depend
/// directly on each other, and on every edge the contexts (values of the common neighbours)
/// in which that dependence vanishes.
///
/// Exit codes: 0 done; 1 the answer is "no"; 2 usage or input; 3 a limit was hit;
/// 130 interrupted, with what was found saved; 70 internal error.
#[derive(Debug, Parser)]
#[command(name = "cmnet", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Tell what is in a table: variables, levels, counts, missing values, warnings
    #[command(after_help = "Example: cmnet describe data/car.csv")]
    Describe(DescribeArgs),
    /// Learn graph and edge contexts from a table
    #[command(after_help = LEARN_HELP)]
    Learn(LearnArgs),
    /// Score a given structure: node scores, prior, total
    #[command(
        after_help = "Example: cmnet score coronary_heart.model.json data/coronary_heart.csv --kappa n^-0.25"
    )]
    Score(ScoreArgs),
    /// Re-derive a model's score, regularity and local optimality with independent code
    #[command(
        after_help = "Example: cmnet check coronary_heart.model.json data/coronary_heart.csv\n\nExit code 1 when the referee disagrees: with a score, with parameters, or with the claim to be a\nlocal optimum, which a model makes of the table that a finished search in mode paper learned it from."
    )]
    Check(CheckArgs),
    /// Estimate the parameters of a given structure
    #[command(
        after_help = "Example: cmnet fit coronary_heart.model.json data/coronary_heart.csv -o fitted.model.json"
    )]
    Fit(FitArgs),
    /// Tell how probable a fitted model finds these rows
    #[command(after_help = "Example: cmnet evaluate coronary_heart.model.json heldout.csv")]
    Evaluate(EvaluateArgs),
    /// Cross-validate: structure, kappa and parameters learned anew in each fold
    #[command(after_help = "Examples:
  cmnet cv data/coronary_heart.csv --folds 10 --seed 1
  cmnet cv survey.csv --fold-column region")]
    Cv(CvArgs),
    /// Compare two models: edges and contexts of one and not the other, divergence
    #[command(after_help = "Example: cmnet compare a.model.json b.model.json --data data/car.csv")]
    Compare(CompareArgs),
    /// Draw a model's labelled graph
    #[command(
        after_help = "Examples:\n  cmnet draw coronary_heart.model.json -o graph.svg\n  cmnet draw coronary_heart.model.json -o -"
    )]
    Draw(DrawArgs),
    /// Rerun the paper's numerical section beside its published numbers
    #[command(after_help = crate::commands::experiment::HELP)]
    Experiment(crate::commands::experiment::ExperimentArgs),
    #[command(flatten)]
    Ask(AskCommand),
}

const LEARN_HELP: &str = "\
Examples:
  cmnet learn data/coronary_heart.csv
  cmnet learn survey.tsv.gz --weights count --kappa n^-0.5 -o survey.model.json
  cmnet learn data/car.csv --select none --format json

Ctrl-C ends the search and keeps what was found so far (exit code 130).";

// A heading per argument: one set for a whole struct would also cover what follows it.
const READING: &str = "Reading the table";
const LONG_RUNS: &str = "Long runs";
const FITTING: &str = "Fitting";

/// How answers are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    #[default]
    Text,
    /// One JSON document on standard output.
    Json,
}

/// The flag that every command has.
#[derive(Debug, Args)]
pub(crate) struct FormatArgs {
    /// How to print the answer
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

/// A model.
#[derive(Debug, Args)]
pub(crate) struct ModelArgs {
    /// Model file
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
}

/// A model that can be asked.
#[derive(Debug, Args)]
pub(crate) struct FittedArgs {
    /// Model file with parameters
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
}

/// A table and how to read it.
#[derive(Clone, Debug, Args)]
pub(crate) struct DataArgs {
    /// CSV or TSV file, .gz too, or - for standard input
    #[arg(value_name = "DATA")]
    pub(crate) data: String,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

impl DataArgs {
    /// The files that are read: the table and that of its levels.
    pub(crate) fn files(&self) -> Vec<&Path> {
        let schema = self.reading.schema.as_deref().into_iter();
        schema.chain([Path::new(&self.data)]).collect()
    }
}

/// How to read a table.
#[derive(Clone, Debug, Args)]
pub(crate) struct ReadingArgs {
    #[command(flatten)]
    pub(crate) rows: RowsArgs,
    /// Use only these columns: name,name, a name with commas in double quotes
    #[arg(help_heading = READING, long, value_name = "NAMES")]
    pub(crate) columns: Option<Vec<String>>,
    /// What to do with rows that have missing values
    #[arg(help_heading = READING, long, value_enum, default_value_t)]
    pub(crate) on_missing: OnMissing,
    /// TOML file with the order of levels: a table `[levels]` with a list per column
    #[arg(help_heading = READING, long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,
}

/// How to read the rows of a table whose columns and levels are known.
#[derive(Clone, Debug, Args)]
pub(crate) struct RowsArgs {
    /// Character between fields: a character, tab, comma, semicolon, pipe or space [default: sniffed]
    #[arg(help_heading = READING, long, value_name = "CHAR")]
    pub(crate) delimiter: Option<String>,
    /// The first line is a row; the columns are named X1, X2, ...
    #[arg(help_heading = READING, long)]
    pub(crate) no_header: bool,
    /// Leave out these columns: name,name, a name with commas in double quotes
    #[arg(help_heading = READING, long, value_name = "NAMES")]
    pub(crate) drop: Vec<String>,
    /// Column that says how often each row was observed
    #[arg(help_heading = READING, long, value_name = "COLUMN")]
    pub(crate) weights: Option<String>,
    /// Texts that mean "missing" [default: the empty text, NA, NaN and ?]
    #[arg(help_heading = READING, long, value_name = "TEXTS", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) missing: Option<Vec<String>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnMissing {
    /// Refuse, saying how many rows and which columns.
    #[default]
    Error,
    /// Leave those rows out.
    Drop,
}

#[derive(Debug, Args)]
pub(crate) struct DescribeArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, Args)]
pub(crate) struct LearnArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Model file to write, and beside it a drawing with the ending .svg; files of these names
    /// are replaced [default for text: the table's name with .model.json, in the current
    /// folder; for JSON: none]
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) output: Option<PathBuf>,
    /// Write no files
    #[arg(long, conflicts_with = "output")]
    pub(crate) no_output: bool,
    /// Which class of models: contextual Markov networks, or the decomposable stratified
    /// graphical models of the paper's comparison (binary variables; no kappa, no search mode)
    #[arg(long, value_enum, default_value_t)]
    pub(crate) model: ModelClass,
    /// Seed of the random search of --model sgm [default: 1]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// How to choose among the kappas
    #[arg(long, value_enum, default_value_t)]
    pub(crate) select: Select,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) checkpoints: CheckpointArgs,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// How structures are searched for, and fitted.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// Weights of the context prior: eps (no contexts), powers such as n^-0.5, numbers in (0, 1]
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "eps,n^-1,n^-0.5,n^-0.25")]
    pub(crate) kappa: Vec<String>,
    /// How to search
    #[arg(long, value_enum, default_value_t)]
    pub(crate) search: Search,
    /// Dirichlet hyperparameter per level
    #[arg(long, default_value = "0.5")]
    pub(crate) alpha: String,
    /// Threads; 0 takes one per core
    #[arg(long, default_value_t = 0)]
    pub(crate) threads: usize,
    /// End the search after this time and keep what was found: 30s, 5m, 2h; a number is seconds
    #[arg(long, value_name = "TIME")]
    pub(crate) time_limit: Option<String>,
    /// Mode blanket: the most neighbours of a variable
    #[arg(long, value_name = "N", default_value_t = 12)]
    pub(crate) max_neighbors: usize,
    /// Mode blanket: the most configurations of a variable's neighbours
    #[arg(long, value_name = "N", default_value_t = 65536)]
    pub(crate) max_configurations: u64,
    /// Mode blanket: an edge is considered when one end (or) or both (and) ask for it
    #[arg(long, value_enum, default_value_t)]
    pub(crate) candidates: Candidates,
    #[command(flatten)]
    pub(crate) fitting: FittingArgs,
}

/// Long runs that survive a crash.
#[derive(Debug, Args)]
pub(crate) struct CheckpointArgs {
    /// Save the search here now and then; the generation before is kept as FILE.previous
    #[arg(help_heading = LONG_RUNS, long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Go on from the checkpoint, to the same result as without a break
    #[arg(help_heading = LONG_RUNS, long)]
    pub(crate) resume: bool,
    /// The least time between two checkpoints
    #[arg(help_heading = LONG_RUNS, long, value_name = "TIME", default_value = "5s")]
    pub(crate) checkpoint_interval: String,
}

/// How parameters are estimated.
#[derive(Debug, Args)]
pub(crate) struct FittingArgs {
    /// Which estimate: auto is exact when the junction tree fits the memory
    #[arg(help_heading = FITTING, long, value_enum, default_value_t)]
    pub(crate) method: FitMethod,
    /// Imagined observations, spread evenly over all joint outcomes, that keep probabilities
    /// positive; 0 gives the bare maximum likelihood estimate, by which BIC always judges (where
    /// that lies at infinity, the parameters end at 1e-7 imagined observations for each row, at
    /// most one)
    #[arg(help_heading = FITTING, long, default_value_t = 1.0)]
    pub(crate) smoothing: f64,
    /// Memory for the tables of exact fitting, and for what a search remembers (two memos of
    /// a quarter of it each, at most 96M)
    #[arg(help_heading = FITTING, long, value_name = "AMOUNT", default_value = "256M")]
    pub(crate) memory: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FitMethod {
    /// Exact when the junction tree fits the memory, else pseudo.
    #[default]
    Auto,
    /// Maximum likelihood, or a refusal.
    Exact,
    /// Maximum pseudo-likelihood.
    Pseudo,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Candidates {
    /// One end asks for it.
    #[default]
    Or,
    /// Both ends ask for it.
    And,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModelClass {
    /// Contextual Markov networks.
    #[default]
    Cmn,
    /// Decomposable stratified graphical models.
    Sgm,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Search {
    /// Picks by estimated cost and says which.
    #[default]
    Auto,
    /// Algorithms 1 and 2 of the paper, exactly.
    Paper,
    /// Neighbourhoods first, then toggles among their edges: for many variables.
    Blanket,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Select {
    /// Fit each structure and take the highest BIC.
    #[default]
    Bic,
    /// Fit nothing and choose none, unless there is only one.
    None,
}

/// Hyperparameters other than the model's own.
#[derive(Debug, Args)]
pub(crate) struct ScoringArgs {
    /// Weight of the context prior [default: the model's]
    #[arg(long)]
    pub(crate) kappa: Option<String>,
    /// Dirichlet hyperparameter per level [default: the model's, else 0.5]
    #[arg(long)]
    pub(crate) alpha: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ScoreArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) scoring: ScoringArgs,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) scoring: ScoringArgs,
    /// Leave out the examination of every neighbouring graph, which is slow on many variables
    #[arg(long)]
    pub(crate) skip_optimality: bool,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, Args)]
pub(crate) struct DrawArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// File to write: .svg, .dot, .tex (TikZ) or .graphml; - prints text
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}
