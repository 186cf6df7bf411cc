//! What can be typed to ask a model something.

use crate::args::{DATA, FittedArgs, ModelArgs, Printed, ReadingArgs, RowsArgs, choice, choice_with};
use clap::{ArgGroup, Args, Subcommand};
use cmnet::options::asking;
use cmnet::{EliminationChoice, QueryMethod};
use std::path::{Path, PathBuf};

const QUERY_HELP: &str = "\
Examples:
  cmnet query heart.model.json --given smoking=yes --target lipoprotein_ratio
  cmnet query heart.model.json --given smoking=yes,strenuous_physical_work=no --map
  cmnet query heart.model.json --soft smoking=yes:0.8,no:0.2 --joint \
    --target strenuous_mental_work,strenuous_physical_work

A level in --given may contain commas and equals signs as it is, or stand in double quotes; in --soft
what contains commas or colons stands in double quotes.";

const EXPLAIN_HELP: &str = "\
Examples:
  cmnet explain heart.model.json
  cmnet explain heart.model.json --given lipoprotein_ratio='>=3' --format json
  cmnet explain heart.model.json --restrictions --terms
  cmnet explain heart.model.json --classes smoking --data data/coronary_heart.csv
  cmnet explain heart.model.json --intervals

A model without parameters is explained too, except for the strength of its edges and the values of its
terms. With --restrictions, --classes or --terms the text tells these alone; JSON has all.";

const INDEPENDENT_HELP: &str = "\
Examples:
  cmnet independent heart.model.json smoking --of family_anamnesis
  cmnet independent heart.model.json smoking --of systolic_blood_pressure \
    --given strenuous_physical_work,strenuous_mental_work --context lipoprotein_ratio='>=3'

Exit code 0 when they are independent, 1 when they are not. A yes holds for every distribution of the
structure. A no holds for almost every one: numbers can make more independent than the structure says.
Where a structure is too large to look for implied contexts, a no says so.";

const EXPLORE_HELP: &str = "\
Examples:
  cmnet explore heart.model.json -o heart.html --open
  cmnet explore heart.model.json -o heart.html --data data/coronary_heart.csv

The page needs no other file, no server and no network. It answers by the model's junction tree; where
that has more than 524,288 cells, by rows drawn from the model, and says so. A model without parameters
is shown as a structure.";

/// The commands that use a model.
#[derive(Debug, Subcommand)]
pub(crate) enum AskCommand {
    /// Ask a fitted model: distributions given evidence, or the most probable completion
    #[command(after_help = QUERY_HELP)]
    Query(Printed<QueryArgs>),
    /// Predict one variable row by row from its Markov blanket
    #[command(after_help = "Example: cmnet predict car.model.json new_cars.csv --target acceptability")]
    Predict(Printed<PredictArgs>),
    /// Fill the missing values of a table by a fitted model
    #[command(after_help = IMPUTE_HELP)]
    Impute(Printed<ImputeArgs>),
    /// Draw rows from a fitted model
    #[command(after_help = "Example: cmnet sample heart.model.json -n 1000 --seed 7 > rows.csv")]
    Sample(Printed<SampleArgs>),
    /// Explain a model: blankets, contexts, and what evidence cuts
    #[command(after_help = EXPLAIN_HELP)]
    Explain(Printed<ExplainArgs>),
    /// Say whether variables are independent of others given variables and a context, and why
    #[command(after_help = INDEPENDENT_HELP)]
    Independent(Printed<IndependentArgs>),
    /// Write a page to explore a model in a browser: set evidence, see edges vanish
    #[command(after_help = EXPLORE_HELP)]
    Explore(Printed<ExploreArgs>),
    /// Write a fitted model for other inference engines (UAI)
    #[command(after_help = "Example: cmnet export heart.model.json -o heart.uai")]
    Export(Printed<ExportArgs>),
    /// Read a UAI network of the kind MARKOV as a model
    #[command(after_help = "Example: cmnet import grid.uai -o grid.model.json")]
    Import(Printed<ImportArgs>),
}

const IMPUTE_HELP: &str = "\
Examples:
  cmnet impute heart.model.json survey.csv -o filled.csv
  cmnet impute heart.model.json survey.csv --draws 5 --seed 7 -o draws.csv

The rows keep their order, and the columns are those of the model. Values are assumed to be missing at
random: see docs/tables.md.";

// A heading per argument: one set for a whole struct would also cover what follows it.
const KNOWN: &str = "What is known";
const INFERENCE: &str = "Inference";

/// Methods that work otherwise with --map, which the library does not know.
const OF_MAP: [(&str, &str); 2] = [
    ("gibbs", "Gibbs sampling; for --map annealed, then climbing by blocks"),
    ("bp", "Loopy belief propagation; for --map with maxima, then climbing by blocks"),
];

/// What is known.
#[derive(Debug, Args)]
pub(crate) struct GivenArgs {
    /// Levels of variables: name=level,name=level; may be repeated
    #[arg(help_heading = KNOWN, long, value_name = "LEVELS", allow_hyphen_values = true)]
    pub(crate) given: Vec<String>,
    /// Weights of a variable's levels: name=level:weight,level:weight; may be repeated
    #[arg(help_heading = KNOWN, long, value_name = "WEIGHTS", allow_hyphen_values = true)]
    pub(crate) soft: Vec<String>,
    /// UAI evidence file: how many, then the numbers of variable and level
    #[arg(help_heading = KNOWN, long, value_name = "FILE")]
    pub(crate) evidence: Option<PathBuf>,
}

impl GivenArgs {
    /// The files that are read: the model's and that of the evidence.
    pub(crate) fn files<'a>(&'a self, model: &'a FittedArgs) -> Vec<&'a Path> {
        let evidence = self.evidence.as_deref().into_iter();
        evidence.chain([model.model.as_path()]).collect()
    }
}

/// How exact inference works.
#[derive(Debug, Args)]
pub(crate) struct TreeArgs {
    #[arg(help_heading = INFERENCE, long, value_name = "AMOUNT", help = asking::MEMORY.help, default_value = asking::MEMORY.default)]
    pub(crate) memory: String,
    #[arg(help_heading = INFERENCE, long, help = asking::ELIMINATION.help, value_parser = choice::<EliminationChoice>(), default_value = asking::ELIMINATION.default)]
    pub(crate) elimination: EliminationChoice,
    /// Do not say on standard error what will be done and what the tables will take
    #[arg(help_heading = INFERENCE, long, short)]
    pub(crate) quiet: bool,
}

/// Which method, and how it works when it is not exact.
#[derive(Debug, Args)]
pub(crate) struct MethodArgs {
    #[arg(help_heading = INFERENCE, long, help = asking::METHOD.help, value_parser = choice_with::<QueryMethod>(&OF_MAP), default_value = asking::METHOD.default)]
    pub(crate) method: QueryMethod,
    /// Gibbs: chains; for --map so many that are annealed
    #[arg(help_heading = INFERENCE, long, value_name = "N", default_value = asking::CHAINS.default)]
    pub(crate) chains: usize,
    #[arg(help_heading = INFERENCE, long, value_name = "N", help = asking::SWEEPS.help, default_value = asking::SWEEPS.default)]
    pub(crate) sweeps: usize,
    #[arg(help_heading = INFERENCE, long, value_name = "N", help = asking::WARM_UP.help, default_value = asking::WARM_UP.default)]
    pub(crate) warm_up: usize,
    #[arg(help_heading = INFERENCE, long, value_name = "S", help = asking::SEED.help, default_value = asking::SEED.default)]
    pub(crate) seed: u64,
}

/// What is known, and how the answer is computed.
#[derive(Debug, Args)]
pub(crate) struct QuestionArgs {
    #[command(flatten)]
    pub(crate) given: GivenArgs,
    #[command(flatten)]
    pub(crate) tree: TreeArgs,
    #[command(flatten)]
    pub(crate) method: MethodArgs,
}

/// Whether intervals are asked for, and the table that the model was fitted to.
#[derive(Debug, Args)]
pub(crate) struct IntervalArgs {
    /// Also the standard error and the 95 % interval of each probability
    #[arg(long, conflicts_with = "map")]
    pub(crate) intervals: bool,
    /// Table that the model was fitted to: intervals of maximum pseudo-likelihood estimates take its
    /// rows
    #[arg(long, value_name = "DATA", requires = "intervals")]
    pub(crate) data: Option<String>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

#[derive(Debug, Args)]
pub(crate) struct QueryArgs {
    #[command(flatten)]
    pub(crate) model: FittedArgs,
    /// Variables to ask about [default: all that are not given]
    #[arg(long, value_name = "NAMES", allow_hyphen_values = true)]
    pub(crate) target: Vec<String>,
    /// The most probable levels together instead of each variable's distribution
    #[arg(long, conflicts_with_all = ["joint", "information"])]
    pub(crate) map: bool,
    /// Also the joint distribution of the targets
    #[arg(long)]
    pub(crate) joint: bool,
    /// Also entropies and the mutual information of each pair of targets, in nats
    #[arg(long)]
    pub(crate) information: bool,
    #[command(flatten)]
    pub(crate) rows: IntervalArgs,
    #[command(flatten)]
    pub(crate) question: QuestionArgs,
}

/// A table whose columns and levels are known.
#[derive(Debug, Args)]
pub(crate) struct KnownTableArgs {
    #[arg(value_name = "DATA", help = DATA)]
    pub(crate) data: String,
    #[command(flatten)]
    pub(crate) reading: RowsArgs,
}

impl KnownTableArgs {
    /// The files that are read: the model's and the table.
    pub(crate) fn files<'a>(&'a self, model: &'a FittedArgs) -> [&'a Path; 2] {
        [&model.model, Path::new(&self.data)]
    }
}

#[derive(Debug, Args)]
pub(crate) struct PredictArgs {
    #[command(flatten)]
    pub(crate) model: FittedArgs,
    #[command(flatten)]
    pub(crate) table: KnownTableArgs,
    /// Variable to predict
    #[arg(long, value_name = "COLUMN")]
    pub(crate) target: String,
    /// File for the predictions, as CSV [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) tree: TreeArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ImputeArgs {
    #[command(flatten)]
    pub(crate) model: FittedArgs,
    #[command(flatten)]
    pub(crate) table: KnownTableArgs,
    /// Draw so many completed tables, one below the other, numbered in a column `imputation` [default: one table
    /// with the values that are most probable together]
    #[arg(long, value_name = "M", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub(crate) draws: Option<u64>,
    /// What determines the draws; each table has the next seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// CSV file to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[arg(long, value_name = "AMOUNT", help = asking::MEMORY.help, default_value = asking::MEMORY.default)]
    pub(crate) memory: String,
}

#[derive(Debug, Args)]
pub(crate) struct SampleArgs {
    #[command(flatten)]
    pub(crate) model: FittedArgs,
    /// Rows to draw
    #[arg(short = 'n', long = "rows", value_name = "N")]
    pub(crate) rows: usize,
    /// CSV file to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) question: QuestionArgs,
}

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("uses_rows").args(["classes", "intervals"]).multiple(true)))]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// The restrictions that the contexts put on the phi-terms
    #[arg(long)]
    pub(crate) restrictions: bool,
    /// The classes of this variable's Markov blanket, with counts where there is --data
    #[arg(long, value_name = "VARIABLE")]
    pub(crate) classes: Option<String>,
    /// The phi-terms with their values
    #[arg(long)]
    pub(crate) terms: bool,
    /// Table to count the classes of --classes in; intervals of maximum pseudo-likelihood estimates
    /// take the one that the model was fitted to
    #[arg(long, value_name = "DATA", requires = "uses_rows")]
    pub(crate) data: Option<String>,
    /// Also standard errors and 95 % intervals of edge strengths and odds ratios; JSON has those of
    /// the log-linear terms too
    #[arg(long)]
    pub(crate) intervals: bool,
    #[command(flatten)]
    pub(crate) given: GivenArgs,
    #[command(flatten)]
    pub(crate) tree: TreeArgs,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

#[derive(Debug, Args)]
pub(crate) struct IndependentArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Variables that are asked about, with commas between
    #[arg(value_name = "VARIABLES")]
    pub(crate) variables: String,
    /// Variables that they are to be independent of, with commas between
    #[arg(long, value_name = "VARIABLES", allow_hyphen_values = true)]
    pub(crate) of: String,
    /// Variables that are known, with any values; may be repeated
    #[arg(long, value_name = "VARIABLES", allow_hyphen_values = true)]
    pub(crate) given: Vec<String>,
    /// Variables that are known with these levels: name=level,name=level; may be repeated
    #[arg(long, value_name = "LEVELS", allow_hyphen_values = true)]
    pub(crate) context: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ExploreArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Page to write: .html
    #[arg(short, long, value_name = "PAGE")]
    pub(crate) output: PathBuf,
    /// Table whose shares are marked beside the model's
    #[arg(long, value_name = "DATA")]
    pub(crate) data: Option<String>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    /// Open the page in the browser
    #[arg(long)]
    pub(crate) open: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) model: FittedArgs,
    /// File to write: .uai (MARKOV)
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Also a UAI evidence file for what is given
    #[arg(long, value_name = "FILE")]
    pub(crate) evidence_output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) given: GivenArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// UAI file of the kind MARKOV
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Model file to write
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) output: PathBuf,
    /// Model file that has the names and levels [default: X0, X1, ... with levels 0, 1, ...]
    #[arg(long, value_name = "MODEL")]
    pub(crate) names: Option<PathBuf>,
}
