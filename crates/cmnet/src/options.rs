//! Every option that the front ends share: its name, its words, its default and one line of
//! help, written once.
//!
//! The command line takes its flags' defaults, words and help from here. Python asks for the
//! same table, and its tests compare every signature with it; so do tests of the documents.

pub use crate::error::{Choice, ChoiceWord, OptionName};

use crate::confidence::{KappaChoice, ReplicateStart, Resample};
use crate::data::{OnMissing, OnUnknown, WeightKind};
use crate::inference::QueryMethod;
use crate::learn::{Backbone, ContextChoice, ModelClass, Refine, SearchMode, Select};
use crate::loglinear::FitMethod;
use crate::search::CandidateRule;
use crate::tree::EliminationChoice;

/// An option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionInfo {
    /// Its name.
    pub name: OptionName,
    /// What holds when it is not given, as a user would write it; `None` where that is nothing,
    /// or is said in the help.
    pub default: Option<&'static str>,
    /// The words that it takes; empty where it takes something else.
    pub choices: &'static [ChoiceWord],
    /// Whether it is on or off and takes no value.
    pub is_switch: bool,
    /// What it does: one line.
    pub help: &'static str,
}

const fn value(name: OptionName, default: &'static str, help: &'static str) -> OptionInfo {
    OptionInfo { name, default: Some(default), choices: &[], is_switch: false, help }
}

const fn optional(name: OptionName, help: &'static str) -> OptionInfo {
    OptionInfo { name, default: None, choices: &[], is_switch: false, help }
}

const fn switch(name: OptionName, help: &'static str) -> OptionInfo {
    OptionInfo { name, default: None, choices: &[], is_switch: true, help }
}

const fn choice<T: Choice>(help: &'static str) -> OptionInfo {
    let (name, choices) = (T::OPTION, T::WORDS);
    OptionInfo { name, default: Some(choices[0].word), choices, is_switch: false, help }
}

/// A choice that the data make where nobody does.
const fn optional_choice<T: Choice>(help: &'static str) -> OptionInfo {
    OptionInfo { name: T::OPTION, default: None, choices: T::WORDS, is_switch: false, help }
}

macro_rules! group {
    ($(#[$about:meta])+ $module:ident { $($constant:ident = $option:expr;)+ }) => {
        $(#[$about])+
        pub mod $module {
            use super::*;

            $(
                #[doc = concat!("`", stringify!($constant), "`")]
                pub const $constant: OptionInfo = $option;
            )+

            /// All of them.
            pub const ALL: &[OptionInfo] = &[$($constant,)+];
        }
    };
}

group! {
    /// How a table is read.
    reading {
        DELIMITER = optional(
            OptionName::Delimiter,
            "Character between fields: a character, tab, comma, semicolon, pipe or space [default: sniffed]",
        );
        NO_HEADER = switch(OptionName::NoHeader, "The first line is a row; the columns are named X1, X2, ...");
        COLUMNS = optional(
            OptionName::Columns,
            "Use only these columns: name,name, a name with commas in double quotes",
        );
        DROP = optional(
            OptionName::Drop,
            "Leave out these columns: name,name, a name with commas in double quotes",
        );
        WEIGHTS = optional(
            OptionName::Weights,
            "Column that says how often each row was observed; to learn, fit, score, check, evaluate, cross-validate and bootstrap also real numbers",
        );
        MISSING = value(
            OptionName::Missing,
            ",NA,NaN,?",
            "Texts that mean \"missing\" [default: the empty text, NA, NaN and ?]",
        );
        ON_MISSING = choice::<OnMissing>("What to do with rows that have missing values");
        SCHEMA = optional(
            OptionName::Schema,
            "TOML file with the order of levels: a table `[levels]` with a list per column",
        );
        BINS = optional(
            OptionName::Bins,
            "Cut columns of numbers into classes: 4 or frequency:4 (equal frequency), width:4, graph:4 (by the \
             neighbours) for all columns of more than 20 numbers, age=4 or age=at:18,65 for one; several times for several",
        );
    }
}

group! {
    /// What weights mean.
    weighing {
        WEIGHTS_AS = optional_choice::<WeightKind>(
            "What weights mean [default: counts where all are whole numbers, design elsewhere]",
        );
    }
}

group! {
    /// How rows are read by a model that knows its levels.
    rows {
        ON_UNKNOWN = choice::<OnUnknown>("What becomes of a value that is no level of its variable");
    }
}

group! {
    /// How structures are learned.
    learning {
        KAPPA = value(
            OptionName::Kappa,
            "eps,n^-1,n^-0.5,n^-0.25",
            "Weights of the context prior: eps (no contexts), powers such as n^-0.5, numbers in (0, 1]",
        );
        MODEL = choice::<ModelClass>(
            "Which class of models: contextual Markov networks, or the decomposable stratified graphical \
             models of the paper's comparison (binary variables; no kappa, no search mode)",
        );
        SEED = value(
            OptionName::Seed,
            "1",
            "Seed of the rows that are held out, of missing values that are drawn, of permutations of groups, of the \
             starts of a mixture, and of the random search for stratified graphical models",
        );
        TARGET = optional(
            OptionName::Target,
            "Variable to be predicted from the others: rows that are held out choose between the learned \
             model and one with terms of this variable with each other, estimated by its conditional \
             likelihood",
        );
        COMPONENTS = optional(
            OptionName::Components,
            "Learn a mixture: a latent class of so many values with a network for each; auto takes the number \
             with the highest BIC, or that predicts held-out rows best, as select says",
        );
        BACKBONE = choice::<Backbone>(
            "Edges that are found first, by the joint distribution of all variables, and stay: for tables with many \
             levels or with variables that nearly determine others",
        );
        SELECT = choice::<Select>("How to choose among the kappas");
        SEARCH = choice::<SearchMode>("How to search");
        CONTEXTS = choice::<ContextChoice>("Which context elements a structure has");
        ALPHA = value(OptionName::Alpha, "0.5", "Dirichlet hyperparameter per level");
        EDGE_PRIOR = value(
            OptionName::EdgePrior,
            "uniform",
            "Prior of graphs: uniform, or gamma, which weighs each end of an edge by d^-gamma, d the \
             number of variables",
        );
        REQUIRE = optional(
            OptionName::Require,
            "Edges that every graph has: two names with a hyphen between, * for any characters, such as a-b or a-*; \
             several times for several",
        );
        FORBID = optional(OptionName::Forbid, "Edges that no graph has, written as those that are required");
        KNOWLEDGE = optional(
            OptionName::Knowledge,
            "TOML file with what is known: lists require, forbid, no_contexts and tiers, and tables [[prior]] with \
             edge and p",
        );
        REFINE = choice::<Refine>(
            "Refine each structure by a log-linear score, which charges each parameter once; where no edge \
             prior is given, gamma is 1; mode auto is blanket then",
        );
        MAX_CELLS = optional(
            OptionName::MaxCells,
            "Mode blanket and refinement add no edge that would give the junction tree more table cells than this, so \
             that exact inference stays possible; a clique of the backbone has no more either; mode auto is blanket then",
        );
        THREADS = value(OptionName::Threads, "0", "Threads; 0 takes one per core");
        TIME_LIMIT = optional(
            OptionName::TimeLimit,
            "End searching and fitting after this time and keep the best of what is fitted by then: 30s, 5m, 2h; \
             a number is seconds",
        );
        MAX_NEIGHBORS =
            value(OptionName::MaxNeighbors, "50", "Mode blanket: the most neighbours of a variable");
        MAX_CONFIGURATIONS = value(
            OptionName::MaxConfigurations,
            "1125899906842624",
            "Mode blanket: the most configurations of a variable's neighbours",
        );
        CANDIDATES = choice::<CandidateRule>(
            "Mode blanket: an edge is considered when one end (or) or both (and) ask for it",
        );
        CHECKPOINT = optional(
            OptionName::Checkpoint,
            "Save the search here now and then; the generation before is kept as FILE.previous",
        );
        RESUME =
            switch(OptionName::Resume, "Go on from the checkpoint, to the same result as without a break");
        CHECKPOINT_INTERVAL =
            value(OptionName::CheckpointInterval, "5s", "The least time between two checkpoints");
    }
}

group! {
    /// How groups of rows are compared.
    grouping {
        GROUP = optional(
            OptionName::Group,
            "Column whose levels are groups: it is adjacent to all variables, so that a dependence may vanish in a \
             group, and pairs of variables are compared between groups",
        );
        BLOCK = optional(
            OptionName::Block,
            "Column of pairs, persons or other blocks within which labels of groups are exchanged; it is no variable",
        );
        AMONG = optional(
            OptionName::Among,
            "Variables that the group is adjacent to: name,name [default: all]",
        );
        PERMUTATIONS = value(OptionName::Permutations, "999", "How often labels of groups are exchanged");
        LEVEL = value(OptionName::Level, "0.05", "Level of the tests of differences, adjusted for all pairs");
    }
}

group! {
    /// How structures are learned from tables with missing values.
    completing {
        COMPLETIONS = value(
            OptionName::Completions,
            "10",
            "Missing values as the model says: completed tables that a structure is learned from",
        );
        ROUNDS = value(
            OptionName::Rounds,
            "10",
            "Missing values as the model says: the most rounds of drawing and searching; fewer where the graph \
             stays as it is",
        );
        AGREEMENT = value(
            OptionName::Agreement,
            "0.6",
            "Missing values as the model says: share of the completed tables from which on an edge or a context \
             element is kept: above 0, at most 1",
        );
    }
}

group! {
    /// How parameters are estimated.
    fitting {
        METHOD = choice::<FitMethod>("Which estimate: auto is exact when the junction tree fits the memory");
        ORDER = value(
            OptionName::Order,
            "full",
            "Most variables of a log-linear term: 2 (pairs), 3, ..., or full; higher terms are zero, and BIC \
             counts what is left free; auto takes what predicts held-out rows best",
        );
        RIDGE = value(
            OptionName::Ridge,
            "0",
            "Strength of a ridge that draws interactions towards zero: half of it times the sum of their \
             squares is taken off the log-likelihood; one for each order from 2 on, such as 0.5,2; \
             BIC is judged without it; auto takes what predicts held-out rows best",
        );
        SMOOTHING = value(
            OptionName::Smoothing,
            "1",
            "Sum of the pseudo-counts, spread evenly over all joint outcomes, that keep probabilities \
             positive; 0 gives the bare maximum likelihood estimate, by which BIC always judges (where \
             that lies at infinity, the parameters end at pseudo-counts of 1e-7 for each row, at \
             most one)",
        );
        MEMORY = value(
            OptionName::Memory,
            "256M",
            "Memory for the tables of exact fitting, and for what a search remembers (two memos of a \
             quarter of it each, at most 96M)",
        );
    }
}

group! {
    /// How a table is divided for cross-validation.
    validation {
        FOLDS = value(OptionName::Folds, "10", "Number of folds");
        SEED = value(OptionName::Seed, "1", "Seed of the shuffle");
        FOLD_COLUMN = optional(
            OptionName::FoldColumn,
            "Column that names the fold of each row, instead of a shuffle; no variable of the models",
        );
    }
}

group! {
    /// How a table is resampled.
    resampling {
        REPLICATES = value(OptionName::Replicates, "200", "Resamples that a structure is learned from");
        SEED = value(OptionName::Seed, "1", "What determines the draws");
        THRESHOLD = value(
            OptionName::Threshold,
            "0.6",
            "Support from which on an edge or a context element is in the consensus: above 0, at most 1",
        );
        RESAMPLE = choice::<Resample>("How a resample is drawn");
        SHARE = optional(
            OptionName::Share,
            "Rows of a resample as a share of those of the table, above 0, at most 1; without it \
             0.632 for part, and 1 for rows",
        );
        START = choice::<ReplicateStart>("Where the search of a replicate starts");
        KAPPA_CHOICE = choice::<KappaChoice>("The kappa of a replicate, where there are several");
        BOUND = value(
            OptionName::Bound,
            "10",
            "The most work of a replicate, as a multiple of what learning from the whole table takes; a search \
             that needs more ends there, with what it has found",
        );
        STOP_EARLY = switch(
            OptionName::StopEarly,
            "End before all replicates when more would not change the answer: asked after every 50",
        );
        DROP_ROWS = optional(
            OptionName::DropRows,
            "Also how much of the structure is found again when these shares of the rows are dropped, such as \
             0.1,0.3,0.5: as many parts of the rows as replicates for each",
        );
        ENSEMBLE = optional(
            OptionName::Ensemble,
            "Also fit each replicate to its own resample: together they answer query and predict with the spread \
             over the replicates",
        );
    }
}

group! {
    /// How structures are drawn from their posterior.
    drawing {
        KAPPA = value(
            OptionName::Kappa,
            "n^-0.5",
            "Weight of the context prior: eps (no contexts), a power such as n^-0.5, a number in (0, 1]",
        );
        ALPHA = learning::ALPHA;
        EDGE_PRIOR = learning::EDGE_PRIOR;
        REQUIRE = learning::REQUIRE;
        FORBID = learning::FORBID;
        KNOWLEDGE = learning::KNOWLEDGE;
        EXPONENT = value(
            OptionName::Exponent,
            "1",
            "Power of the marginal pseudo-likelihood, above 0, at most 1; it sees each dependence from both ends, \
             and 0.5 undoes that about",
        );
        CHAINS = value(OptionName::Chains, "4", "Chains from different graphs; at least two");
        SWEEPS = value(OptionName::Sweeps, "2000", "Sweeps of each chain that count");
        WARM_UP = value(OptionName::WarmUp, "500", "Sweeps of each chain before");
        RUNGS = value(OptionName::Rungs, "3", "Temperatures of each chain; 1 is no tempering");
        SEED = value(OptionName::Seed, "1", "What determines the random numbers");
        THREADS = learning::THREADS;
        TIME_LIMIT = optional(
            OptionName::TimeLimit,
            "End after this time with the sweeps that all chains have finished: 30s, 5m, 2h; a number is seconds",
        );
        MEMORY = value(OptionName::Memory, "256M", "Memory for what the chains remember");
    }
}

group! {
    /// How a model is asked.
    asking {
        MEMORY = value(OptionName::Memory, "1G", "Memory for tables");
        ELIMINATION = choice::<EliminationChoice>("Which variable goes next when the graph is triangulated");
        METHOD = choice::<QueryMethod>("Which method: auto is exact when the tables fit the memory, else gibbs");
        CHAINS = value(OptionName::Chains, "4", "Gibbs: chains; so many are annealed for the most probable completion");
        SWEEPS = value(OptionName::Sweeps, "4000", "Gibbs: sweeps of each chain that count");
        WARM_UP = value(OptionName::WarmUp, "1000", "Gibbs: sweeps of each chain before");
        SEED = value(OptionName::Seed, "1", "What determines the random numbers");
    }
}

/// Every group that the command line and Python share, by its name.
pub const GROUPS: [(&str, &[OptionInfo]); 10] = [
    ("reading", reading::ALL),
    ("rows", rows::ALL),
    ("learning", learning::ALL),
    ("grouping", grouping::ALL),
    ("completing", completing::ALL),
    ("fitting", fitting::ALL),
    ("validation", validation::ALL),
    ("resampling", resampling::ALL),
    ("drawing", drawing::ALL),
    ("asking", asking::ALL),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confidence::{BootstrapOptions, CompletionOptions, PosteriorOptions};
    use crate::inference::{ExactOptions, GibbsOptions, QueryOptions};
    use crate::io::ReadOptions;
    use crate::learn::{LearnOptions, Tune, parse_bytes, parse_duration};
    use crate::loglinear::FitOptions;
    use crate::score::{Kappa, Knowledge};
    use crate::search::BlanketLimits;

    fn read<T: std::str::FromStr>(option: OptionInfo) -> T {
        option.default.unwrap().parse().unwrap_or_else(|_| panic!("{option:?}"))
    }

    #[test]
    fn the_defaults_are_those_of_the_types() {
        let memory = |option: OptionInfo| parse_bytes(option.name, option.default.unwrap()).unwrap();
        let kappas = learning::KAPPA.default.unwrap().split(',');
        let fit = FitOptions {
            method: read(fitting::METHOD),
            order: read(fitting::ORDER),
            ridge: read(fitting::RIDGE),
            smoothing: read(fitting::SMOOTHING),
            memory: memory(fitting::MEMORY),
            ..FitOptions::default()
        };
        let told = LearnOptions {
            kappas: kappas.map(|kappa| kappa.parse::<Kappa>().unwrap()).collect(),
            search: read(learning::SEARCH),
            alpha: read(learning::ALPHA),
            edge_prior: read(learning::EDGE_PRIOR),
            knowledge: Knowledge::default(),
            refine: read(learning::REFINE),
            max_cells: None,
            select: read(learning::SELECT),
            contexts: read(learning::CONTEXTS),
            fit,
            tune: Tune { seed: read(learning::SEED), ..Tune::NOTHING },
            target: None,
            threads: read(learning::THREADS),
            limits: BlanketLimits {
                neighbors: read(learning::MAX_NEIGHBORS),
                configurations: read(learning::MAX_CONFIGURATIONS),
            },
            candidates: read(learning::CANDIDATES),
        };
        assert_eq!(told, LearnOptions::default());
        let chains = GibbsOptions {
            chains: read(asking::CHAINS),
            sweeps: read(asking::SWEEPS),
            warm_up: read(asking::WARM_UP),
            seed: read(asking::SEED),
        };
        assert_eq!(chains, GibbsOptions::default());
        assert_eq!(memory(asking::MEMORY), ExactOptions::default().memory);
        assert_eq!(read::<QueryMethod>(asking::METHOD), QueryOptions::default().method);
        assert_eq!(read::<EliminationChoice>(asking::ELIMINATION).rule(), ExactOptions::default().rule);
        assert_eq!(read::<OnMissing>(reading::ON_MISSING), ReadOptions::default().on_missing);
        let missing: Vec<&str> = reading::MISSING.default.unwrap().split(',').collect();
        assert_eq!(ReadOptions::default().missing, missing);
        let interval = learning::CHECKPOINT_INTERVAL;
        assert!(parse_duration(interval.name, interval.default.unwrap()).is_ok());
    }

    #[test]
    fn the_defaults_of_confidence_are_those_of_the_types() {
        let resamples = BootstrapOptions {
            replicates: read(resampling::REPLICATES),
            seed: read(resampling::SEED),
            threshold: read(resampling::THRESHOLD),
            resample: read(resampling::RESAMPLE),
            share: None,
            start: read(resampling::START),
            kappa_choice: read(resampling::KAPPA_CHOICE),
            bound: read(resampling::BOUND),
            stop_early: false,
            learn: LearnOptions::default(),
        };
        assert_eq!(resamples, BootstrapOptions::default());
        let completions = CompletionOptions {
            completions: read(completing::COMPLETIONS),
            rounds: read(completing::ROUNDS),
            seed: read(learning::SEED),
            agreement: read(completing::AGREEMENT),
            learn: LearnOptions::default(),
        };
        assert_eq!(completions, CompletionOptions::default());
        let draws = PosteriorOptions {
            kappa: read(drawing::KAPPA),
            alpha: read(drawing::ALPHA),
            edge_prior: read(drawing::EDGE_PRIOR),
            knowledge: Knowledge::default(),
            exponent: read(drawing::EXPONENT),
            chains: read(drawing::CHAINS),
            sweeps: read(drawing::SWEEPS),
            warm_up: read(drawing::WARM_UP),
            rungs: read(drawing::RUNGS),
            seed: read(drawing::SEED),
            threads: read(drawing::THREADS),
            memory: parse_bytes(OptionName::Memory, drawing::MEMORY.default.unwrap()).unwrap(),
        };
        assert_eq!(draws, PosteriorOptions::default());
    }

    #[test]
    fn a_group_has_an_option_once_and_a_line_of_help() {
        for (group, options) in GROUPS {
            for (place, option) in options.iter().enumerate() {
                assert!(
                    options[..place].iter().all(|other| other.name != option.name),
                    "{group}: {option:?}"
                );
                assert!(!option.help.is_empty() && !option.help.contains('\n'), "{group}: {option:?}");
            }
        }
    }

    #[test]
    fn words_are_read_back_and_others_refused_with_what_there_is() {
        for mode in SearchMode::VALUES {
            assert_eq!(mode.to_string().parse::<SearchMode>().unwrap(), *mode);
        }
        let refused = "quick".parse::<SearchMode>().unwrap_err();
        let text = "option search: \"quick\" is not usable; expected auto, paper, blanket or exact";
        assert_eq!(refused.to_string(), text);
        let refused = "xor".parse::<CandidateRule>().unwrap_err().to_string();
        assert!(refused.ends_with("expected or, and"), "{refused}");
    }
}
