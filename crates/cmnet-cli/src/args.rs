//! What can be typed: commands, shared flags, help.

use crate::ask_args::AskCommand;
pub(crate) use crate::fit_args::{
    BootstrapArgs, CompareArgs, CvArgs, EvaluateArgs, ExactArgs, FitArgs, PosteriorArgs, ReportArgs,
};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use cmnet::options::{Choice, completing, fitting, grouping, learning, reading, weighing};
use cmnet::{
    Backbone, CandidateRule, ContextChoice, FitMethod, ModelClass, OnMissing, Refine, SearchMode, Select,
    WeightKind,
};
use std::ops::Deref;
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
    Describe(Printed<DataArgs>),
    /// Cut the numbers of a table into classes, and write it
    #[command(after_help = DISCRETIZE_HELP)]
    Discretize(Printed<DiscretizeArgs>),
    /// Learn graph and edge contexts from a table
    #[command(after_help = LEARN_HELP)]
    Learn(Printed<LearnArgs>),
    /// Find the structure with the highest score and prove that it is: for few variables
    #[command(after_help = EXACT_HELP)]
    Exact(Printed<ExactArgs>),
    /// Score a given structure: node scores, prior, total
    #[command(
        after_help = "Example: cmnet score coronary_heart.model.json data/coronary_heart.csv --kappa n^-0.25"
    )]
    Score(Printed<ScoreArgs>),
    /// Re-derive a model's score, regularity and local optimality with independent code
    #[command(
        after_help = "Example: cmnet check coronary_heart.model.json data/coronary_heart.csv\n\nExit code 1 when the referee disagrees: with a score, with parameters, with what the file records\nabout its learning, or with a claim. On the table that it was learned from, a model of a finished\nsearch in mode paper claims to be a local optimum where that search ends, and one of mode exact to\nhave the highest score."
    )]
    Check(Printed<CheckArgs>),
    /// Estimate the parameters of a given structure
    #[command(
        after_help = "Example: cmnet fit coronary_heart.model.json data/coronary_heart.csv -o fitted.model.json"
    )]
    Fit(Printed<FitArgs>),
    /// Tell how probable a fitted model finds these rows
    #[command(after_help = "Example: cmnet evaluate coronary_heart.model.json heldout.csv", mut_arg("on_missing", |arg| arg.default_value("model")))]
    Evaluate(Printed<EvaluateArgs>),
    /// Cross-validate: structure, kappa and parameters learned anew in each fold
    #[command(after_help = "Examples:
  cmnet cv data/coronary_heart.csv --folds 10 --seed 1
  cmnet cv survey.csv --fold-column region")]
    Cv(Printed<CvArgs>),
    /// Say how sure each edge and context is: structures learned anew from resamples
    #[command(after_help = BOOTSTRAP_HELP)]
    Bootstrap(Printed<BootstrapArgs>),
    /// Say how probable each edge and context is: structures drawn from their posterior
    #[command(after_help = POSTERIOR_HELP)]
    Posterior(Printed<PosteriorArgs>),
    /// Put the shares of a run together that --shard divided
    #[command(after_help = MERGE_HELP)]
    Merge(Printed<MergeArgs>),
    /// Compare two models: edges and contexts of one and not the other, divergence
    #[command(
        after_help = "Examples:\n  cmnet compare a.model.json b.model.json --data data/car.csv\n  cmnet compare --groups survey.csv --group country -o groups.svg"
    )]
    Compare(Printed<CompareArgs>),
    /// Write a report to hand on: data, learning, network, contexts, predictability, fit
    #[command(after_help = REPORT_HELP)]
    Report(Printed<ReportArgs>),
    /// Draw a model's labelled graph
    #[command(
        after_help = "Examples:\n  cmnet draw coronary_heart.model.json -o graph.svg\n  cmnet draw plain.model.json -o plain.svg --positions graph.svg --widths\n  cmnet draw coronary_heart.model.json -o -"
    )]
    Draw(Printed<DrawArgs>),
    /// Rerun the paper's numerical section beside its published numbers
    #[command(after_help = crate::commands::experiment::HELP)]
    Experiment(Printed<crate::commands::experiment::ExperimentArgs>),
    #[command(flatten)]
    Ask(AskCommand),
}

const LEARN_HELP: &str = "\
Examples:
  cmnet learn data/coronary_heart.csv
  cmnet learn survey.tsv.gz --weights count --kappa n^-0.5 -o survey.model.json
  cmnet learn data/car.csv --select none --format json
  cmnet learn data/coronary_heart.csv --contexts confirmed
  cmnet learn survey.csv --components auto --select heldout
  cmnet learn survey.csv --backbone decomposable --ridge auto
  cmnet learn survey.csv --bins 4 --bins age=at:18,40,65
  cmnet learn survey.csv --group country
  cmnet learn survey.csv --on-missing model --seed 7

Ctrl-C ends the search and keeps what was found so far (exit code 130).";

const DISCRETIZE_HELP: &str = "\
Examples:
  cmnet discretize survey.csv -o survey.cut.csv
  cmnet discretize survey.csv -o survey.cut.csv --bins graph:3 --bins age=at:18,40,65
  cmnet learn other.csv --schema survey.cut.schema.toml

Beside TABLE it writes a schema with levels and cut points. With that schema another table of raw numbers is
cut at the same points.";

const EXACT_HELP: &str = "\
Examples:
  cmnet exact data/coronary_heart.csv
  cmnet exact data/coronary_heart.csv --drop family_anamnesis --kappa n^-0.5 -o best.model.json

Without contexts (kappa eps) for at most 16 variables; with contexts for blankets of at most 16
configurations, such as those of five binary variables. Ctrl-C and the time limit keep the best
structure so far and say what no structure exceeds (exit codes 130 and 3).";

const BOOTSTRAP_HELP: &str = "\
Examples:
  cmnet bootstrap data/coronary_heart.csv
  cmnet bootstrap data/car.csv --replicates 1000 --kappa n^-0.5 -o consensus.model.json
  cmnet bootstrap data/car.csv --replicates 5000 --stop-early --checkpoint car.checkpoint --resume
  cmnet bootstrap data/coronary_heart.csv --ensemble heart.ensemble.json

One kappa is kept for all resamples. Of several, each resample chooses anew by BIC, which takes longer;
--kappa-choice table keeps the one that is chosen for the whole table. With --search auto the whole table
is searched for as learn does it, and resamples in mode blanket, where one graph serves all kappas.
An edge is conclusive when the 95 % interval of its support lies above 0.75, absent when it lies
below 0.25, and else inconclusive. The interval tells what the number of replicates leaves open.

Ctrl-C and the time limit end the work and keep the replicates before the first that is not finished
(exit codes 130 and 3).";

const MERGE_HELP: &str = "\
Example, each of the first four on a machine of its own:
  cmnet learn survey.csv --shard 1/4 --part 1.part
  ...
  cmnet learn survey.csv --shard 4/4 --part 4.part
  cmnet merge 1.part 2.part 3.part 4.part -o all.part
  cmnet learn survey.csv --known all.part

The last command ends the run: its answer is that of one machine, to the last byte.";

const POSTERIOR_HELP: &str = "\
Examples:
  cmnet posterior data/coronary_heart.csv
  cmnet posterior data/coronary_heart.csv --kappa eps --exponent 0.5

A probability is printed where the chains have mixed: split R-hat below 1.05 and at least 100
effective draws. Where they have not, the line says so; run more sweeps or rungs.

Ctrl-C and the time limit end the chains with the sweeps that all of them have finished (exit codes 130 and 3).";

const REPORT_HELP: &str = "\
Examples:
  cmnet report data/coronary_heart.csv -o heart.html --open
  cmnet report heart.model.json --data data/coronary_heart.csv -o heart.html --folds 0

Of a table, it learns as `cmnet learn` does. Of a model with --data, it reports on that model; the
cross-validation learns anew in each fold. Support is shown where `cmnet bootstrap -o` wrote the model.";

// A heading per argument: one set for a whole struct would also cover what follows it.
const READING: &str = "Reading the table";
const LONG_RUNS: &str = "Long runs";
const HOLES: &str = "Missing values (with --on-missing model)";
const KNOWLEDGE: &str = "What is known about edges";
const FITTING: &str = "Fitting";
const GROUPS: &str = "Groups of rows";
const SHARES: &str = "Shares of a batch queue";

/// Reads one of the words of an option; the library says which there are and what they do.
pub(crate) fn choice<T: Choice + Send + Sync>() -> impl TypedValueParser<Value = T> {
    choice_with(&[])
}

/// The same, with other help for some of the words.
pub(crate) fn choice_with<T: Choice + Send + Sync>(
    help: &'static [(&str, &str)],
) -> impl TypedValueParser<Value = T> {
    let words = T::WORDS.iter().map(|choice| {
        let own = help.iter().find(|(word, _)| *word == choice.word).map(|(_, help)| *help);
        PossibleValue::new(choice.word).help(own.unwrap_or(choice.help.trim_end_matches('.')))
    });
    PossibleValuesParser::new(words).try_map(|word| T::from_word(&word))
}

/// How answers are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    #[default]
    Text,
    /// One JSON document on standard output.
    Json,
}

/// The arguments of a command, and the flag that every command has.
#[derive(Debug, Args)]
pub(crate) struct Printed<T: Args> {
    #[command(flatten)]
    own: T,
    /// How to print the answer
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

impl<T: Args> Deref for Printed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.own
    }
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

/// What a table is read from.
pub(crate) const DATA: &str = "CSV or TSV file, .gz and .zst too, Parquet or Arrow file, 'part-*.csv' for several, or - for standard input";

/// A table and how to read it.
#[derive(Clone, Debug, Args)]
pub(crate) struct DataArgs {
    #[arg(value_name = "DATA", help = DATA)]
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
    #[arg(help_heading = READING, long, value_name = "NAMES", help = reading::COLUMNS.help)]
    pub(crate) columns: Option<Vec<String>>,
    #[arg(help_heading = READING, long, help = reading::ON_MISSING.help, value_parser = choice::<OnMissing>(), default_value = reading::ON_MISSING.default)]
    pub(crate) on_missing: OnMissing,
    #[arg(help_heading = READING, long, value_name = "FILE", help = reading::SCHEMA.help)]
    pub(crate) schema: Option<PathBuf>,
    #[arg(help_heading = READING, long, value_name = "RULE", help = reading::BINS.help)]
    pub(crate) bins: Vec<String>,
}

/// What weights mean.
#[derive(Clone, Debug, Args)]
pub(crate) struct WeighingArgs {
    #[arg(help_heading = READING, long, help = weighing::WEIGHTS_AS.help, value_parser = choice::<WeightKind>(), requires = "weights")]
    pub(crate) weights_as: Option<WeightKind>,
}

/// How to read the rows of a table whose columns and levels are known.
#[derive(Clone, Debug, Args)]
pub(crate) struct RowsArgs {
    #[arg(help_heading = READING, long, value_name = "CHAR", help = reading::DELIMITER.help)]
    pub(crate) delimiter: Option<String>,
    #[arg(help_heading = READING, long, help = reading::NO_HEADER.help)]
    pub(crate) no_header: bool,
    #[arg(help_heading = READING, long, value_name = "NAMES", help = reading::DROP.help)]
    pub(crate) drop: Vec<String>,
    #[arg(help_heading = READING, long, value_name = "COLUMN", help = reading::WEIGHTS.help)]
    pub(crate) weights: Option<String>,
    #[arg(help_heading = READING, long, value_name = "TEXTS", value_delimiter = ',', allow_hyphen_values = true, help = reading::MISSING.help)]
    pub(crate) missing: Option<Vec<String>>,
}

#[derive(Debug, Args)]
pub(crate) struct DiscretizeArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Table to write, a CSV file; its schema goes beside it, with the ending .schema.toml
    #[arg(short, long, value_name = "TABLE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct LearnArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) weighing: WeighingArgs,
    /// Model file to write, and beside it a drawing with the ending .svg; files of these names
    /// are replaced [default for text: the table's name with .model.json, in the current
    /// folder; for JSON: none]
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) output: Option<PathBuf>,
    /// Write no files
    #[arg(long, conflicts_with = "output")]
    pub(crate) no_output: bool,
    #[arg(long, help = learning::MODEL.help, value_parser = choice::<ModelClass>(), default_value = learning::MODEL.default)]
    pub(crate) model: ModelClass,
    /// Seed of the rows that are held out, of missing values that are drawn, of permutations of groups, of
    /// the starts of a mixture, and of the random search of --model sgm [default: 1]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    #[arg(long, value_name = "COLUMN", help = learning::TARGET.help)]
    pub(crate) target: Option<String>,
    #[arg(long, value_name = "K|auto", help = learning::COMPONENTS.help)]
    pub(crate) components: Option<String>,
    #[arg(long, help = learning::BACKBONE.help, value_parser = choice::<Backbone>(), default_value = learning::BACKBONE.default)]
    pub(crate) backbone: Backbone,
    #[arg(long, help = learning::SELECT.help, value_parser = choice::<Select>(), default_value = learning::SELECT.default)]
    pub(crate) select: Select,
    #[command(flatten)]
    pub(crate) groups: GroupArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) completing: CompletingArgs,
    #[command(flatten)]
    pub(crate) checkpoints: CheckpointArgs,
    #[command(flatten)]
    pub(crate) share: ShareArgs,
}

/// How groups of rows are compared.
#[derive(Debug, Args)]
pub(crate) struct GroupArgs {
    #[arg(help_heading = GROUPS, long, value_name = "COLUMN", help = grouping::GROUP.help)]
    pub(crate) group: Option<String>,
    #[arg(help_heading = GROUPS, long, value_name = "COLUMN", requires = "group", help = grouping::BLOCK.help)]
    pub(crate) block: Option<String>,
    #[arg(help_heading = GROUPS, long, value_name = "NAMES", requires = "group", help = grouping::AMONG.help)]
    pub(crate) among: Vec<String>,
    #[arg(help_heading = GROUPS, long, value_name = "N", requires = "group", help = grouping::PERMUTATIONS.help, default_value = grouping::PERMUTATIONS.default)]
    pub(crate) permutations: u64,
    #[arg(help_heading = GROUPS, long, value_name = "P", requires = "group", help = grouping::LEVEL.help, default_value = grouping::LEVEL.default)]
    pub(crate) level: f64,
}

/// How structures are learned from tables with missing values.
#[derive(Debug, Args)]
pub(crate) struct CompletingArgs {
    #[arg(help_heading = HOLES, long, value_name = "N", help = completing::COMPLETIONS.help, default_value = completing::COMPLETIONS.default)]
    pub(crate) completions: u64,
    #[arg(help_heading = HOLES, long, value_name = "N", help = completing::ROUNDS.help, default_value = completing::ROUNDS.default)]
    pub(crate) rounds: u64,
    #[arg(help_heading = HOLES, long, value_name = "SHARE", help = completing::AGREEMENT.help, default_value = completing::AGREEMENT.default)]
    pub(crate) agreement: f64,
}

/// How structures are searched for, and fitted.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    #[arg(long, value_name = "LIST", value_delimiter = ',', help = learning::KAPPA.help, default_value = learning::KAPPA.default)]
    pub(crate) kappa: Vec<String>,
    #[arg(long, help = learning::SEARCH.help, value_parser = choice::<SearchMode>(), default_value = learning::SEARCH.default)]
    pub(crate) search: SearchMode,
    #[arg(long, help = learning::CONTEXTS.help, value_parser = choice::<ContextChoice>(), default_value = learning::CONTEXTS.default)]
    pub(crate) contexts: ContextChoice,
    #[arg(long, help = learning::ALPHA.help, default_value = learning::ALPHA.default)]
    pub(crate) alpha: String,
    #[arg(long, value_name = "GAMMA", allow_hyphen_values = true, help = learning::EDGE_PRIOR.help, default_value = learning::EDGE_PRIOR.default)]
    pub(crate) edge_prior: String,
    #[command(flatten)]
    pub(crate) knowledge: KnowledgeArgs,
    #[arg(long, help = learning::REFINE.help, value_parser = choice::<Refine>(), default_value = learning::REFINE.default)]
    pub(crate) refine: Refine,
    #[arg(long, value_name = "N", help = learning::MAX_CELLS.help)]
    pub(crate) max_cells: Option<u64>,
    #[arg(long, help = learning::THREADS.help, default_value = learning::THREADS.default)]
    pub(crate) threads: usize,
    #[arg(long, value_name = "TIME", help = learning::TIME_LIMIT.help)]
    pub(crate) time_limit: Option<String>,
    #[arg(long, value_name = "N", help = learning::MAX_NEIGHBORS.help, default_value = learning::MAX_NEIGHBORS.default)]
    pub(crate) max_neighbors: usize,
    #[arg(long, value_name = "N", help = learning::MAX_CONFIGURATIONS.help, default_value = learning::MAX_CONFIGURATIONS.default)]
    pub(crate) max_configurations: u64,
    #[arg(long, help = learning::CANDIDATES.help, value_parser = choice::<CandidateRule>(), default_value = learning::CANDIDATES.default)]
    pub(crate) candidates: CandidateRule,
    #[command(flatten)]
    pub(crate) fitting: FittingArgs,
}

/// What is known about edges.
#[derive(Debug, Args)]
pub(crate) struct KnowledgeArgs {
    #[arg(help_heading = KNOWLEDGE, long, value_name = "EDGE", allow_hyphen_values = true, help = learning::REQUIRE.help)]
    pub(crate) require: Vec<String>,
    #[arg(help_heading = KNOWLEDGE, long, value_name = "EDGE", allow_hyphen_values = true, help = learning::FORBID.help)]
    pub(crate) forbid: Vec<String>,
    #[arg(help_heading = KNOWLEDGE, long, value_name = "FILE", help = learning::KNOWLEDGE.help)]
    pub(crate) knowledge: Option<PathBuf>,
}

/// Long runs that survive a crash.
#[derive(Debug, Args)]
pub(crate) struct CheckpointArgs {
    #[arg(help_heading = LONG_RUNS, long, value_name = "FILE", help = learning::CHECKPOINT.help)]
    pub(crate) checkpoint: Option<PathBuf>,
    #[arg(help_heading = LONG_RUNS, long, help = learning::RESUME.help)]
    pub(crate) resume: bool,
    #[arg(help_heading = LONG_RUNS, long, value_name = "TIME", help = learning::CHECKPOINT_INTERVAL.help, default_value = learning::CHECKPOINT_INTERVAL.default)]
    pub(crate) checkpoint_interval: String,
}

/// One share of a run, for batch queues.
#[derive(Clone, Debug, Args)]
pub(crate) struct ShareArgs {
    /// Do one share of the run, such as 2/8, and write it with --part; `cmnet merge` puts the shares together
    #[arg(help_heading = SHARES, long, value_name = "I/N")]
    pub(crate) shard: Option<String>,
    /// Where the share goes (or --checkpoint, where there is one); what is there already is not done again
    #[arg(help_heading = SHARES, long, value_name = "FILE")]
    pub(crate) part: Option<PathBuf>,
    /// What earlier shares of this run found, from `cmnet merge`: it is not done again
    #[arg(help_heading = SHARES, long, value_name = "FILE")]
    pub(crate) known: Option<PathBuf>,
}

/// The parts to put together.
#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// The parts of all shares of one run
    #[arg(value_name = "PART", required = true)]
    pub(crate) parts: Vec<PathBuf>,
    /// Where what they know together goes
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

/// How parameters are estimated.
#[derive(Debug, Args)]
pub(crate) struct FittingArgs {
    #[arg(help_heading = FITTING, long, help = fitting::METHOD.help, value_parser = choice::<FitMethod>(), default_value = fitting::METHOD.default)]
    pub(crate) method: FitMethod,
    #[arg(help_heading = FITTING, long, value_name = "ORDER", help = fitting::ORDER.help, default_value = fitting::ORDER.default)]
    pub(crate) order: String,
    #[arg(help_heading = FITTING, long, value_name = "R", help = fitting::RIDGE.help, default_value = fitting::RIDGE.default)]
    pub(crate) ridge: String,
    #[arg(help_heading = FITTING, long, help = fitting::SMOOTHING.help, default_value = fitting::SMOOTHING.default)]
    pub(crate) smoothing: f64,
    #[arg(help_heading = FITTING, long, value_name = "AMOUNT", help = fitting::MEMORY.help, default_value = fitting::MEMORY.default)]
    pub(crate) memory: String,
}

/// What is scored, and hyperparameters other than the model's own.
#[derive(Debug, Args)]
pub(crate) struct ScoreArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) weighing: WeighingArgs,
    /// Weight of the context prior [default: the model's]
    #[arg(long)]
    pub(crate) kappa: Option<String>,
    /// Dirichlet hyperparameter per level [default: the model's, else 0.5]
    #[arg(long)]
    pub(crate) alpha: Option<String>,
    /// Prior of graphs: uniform, or gamma [default: the model's, else uniform]
    #[arg(long, value_name = "GAMMA")]
    pub(crate) edge_prior: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) score: ScoreArgs,
    /// Leave out the examination of every neighbouring graph, which is slow on many variables, and the search that the
    /// model records, which is made once more
    #[arg(long)]
    pub(crate) skip_optimality: bool,
    /// Also score tests: of each edge that the model has not, and of each element of its contexts
    #[arg(long)]
    pub(crate) tests: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DrawArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// File to write: .svg, .dot, .tex (TikZ) or .graphml; - prints text
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,
    /// Put the variables where another drawing has them: .svg that cmnet drew, or a model file
    #[arg(long, value_name = "FROM")]
    pub(crate) positions: Option<PathBuf>,
    /// Draw stronger edges wider (SVG, DOT, TikZ); takes a model with parameters
    #[arg(long)]
    pub(crate) widths: bool,
    /// Draw edges fainter that fewer resamples have (SVG, DOT, TikZ); takes a model of bootstrap
    #[arg(long)]
    pub(crate) support: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use cmnet::options::{GROUPS, OptionInfo};

    /// The flag of an option, where a command has one.
    fn flag(command: &str, option: &OptionInfo) -> Option<clap::Arg> {
        let all = Cli::command();
        let command = all.find_subcommand(command)?;
        command.get_arguments().find(|flag| flag.get_long() == Some(option.name.name())).cloned()
    }

    #[test]
    fn every_option_of_the_library_is_a_flag_with_its_words_and_default() {
        let command = |group| match group {
            "reading" | "learning" | "completing" | "grouping" => Some("learn"),
            "fitting" => Some("fit"),
            "validation" => Some("cv"),
            "resampling" => Some("bootstrap"),
            "drawing" => Some("posterior"),
            "asking" => Some("query"),
            // Python alone answers rows with unknown levels.
            "rows" => None,
            other => panic!("which command has the options of {other}?"),
        };
        let all = GROUPS.into_iter().filter_map(|(group, options)| Some((command(group)?, options)));
        for (command, option) in all.flat_map(|(name, all)| all.iter().map(move |one| (name, one))) {
            let flag = flag(command, option).unwrap_or_else(|| panic!("{command} has no {option:?}"));
            let words: Vec<String> =
                flag.get_possible_values().iter().map(|word| word.get_name().to_owned()).collect();
            let own: Vec<&str> = option.choices.iter().map(|choice| choice.word).collect();
            assert!(option.is_switch || words == own, "{command}: {option:?}");
            let told: Vec<_> = flag.get_default_values().iter().filter_map(|text| text.to_str()).collect();
            // The help tells these in words: the seed is for one class of models, and missing texts
            // begin with the empty one.
            let in_words = matches!(option.name.name(), "missing" | "seed") && told.is_empty();
            assert!(
                option.is_switch || in_words || told == Vec::from_iter(option.default),
                "{command}: {option:?}"
            );
        }
    }
}
