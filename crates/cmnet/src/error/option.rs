//! The names of options, and what an option takes, as data: front ends word them.

use std::borrow::Cow;
use std::fmt;

macro_rules! option_names {
    ($($variant:ident = $name:literal,)+) => {
        /// An option that a user can set, whatever a front end calls it: `max-neighbors` is
        /// `--max-neighbors` on the command line and `max_neighbors` in Python.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum OptionName {
            $(#[doc = concat!("The option `", $name, "`.")] $variant,)+
        }

        impl OptionName {
            /// Every option.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The name, in small letters with hyphens between words.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }
    };
}

option_names! {
    Agreement = "agreement",
    Alpha = "alpha",
    Among = "among",
    Backbone = "backbone",
    Bins = "bins",
    Block = "block",
    Bound = "bound",
    Candidates = "candidates",
    Chains = "chains",
    Checkpoint = "checkpoint",
    CheckpointInterval = "checkpoint-interval",
    Columns = "columns",
    Completions = "completions",
    Components = "components",
    Contexts = "contexts",
    Delimiter = "delimiter",
    Drop = "drop",
    DropRows = "drop-rows",
    EdgePrior = "edge-prior",
    Elimination = "elimination",
    Ensemble = "ensemble",
    Exponent = "exponent",
    FoldColumn = "fold-column",
    Folds = "folds",
    Forbid = "forbid",
    Group = "group",
    Kappa = "kappa",
    KappaChoice = "kappa-choice",
    Knowledge = "knowledge",
    Level = "level",
    MaxCells = "max-cells",
    MaxConfigurations = "max-configurations",
    MaxIterations = "max-iterations",
    MaxNeighbors = "max-neighbors",
    Memory = "memory",
    Method = "method",
    Missing = "missing",
    Model = "model",
    NoHeader = "no-header",
    OnMissing = "on-missing",
    OnUnknown = "on-unknown",
    Order = "order",
    Permutations = "permutations",
    Refine = "refine",
    Replicates = "replicates",
    Require = "require",
    Resample = "resample",
    Resume = "resume",
    Ridge = "ridge",
    Rounds = "rounds",
    Rungs = "rungs",
    Schema = "schema",
    Search = "search",
    Seed = "seed",
    Seeds = "seeds",
    Select = "select",
    Shard = "shard",
    Share = "share",
    Smoothing = "smoothing",
    Start = "start",
    StopEarly = "stop-early",
    Sweeps = "sweeps",
    Threads = "threads",
    Target = "target",
    TimeLimit = "time-limit",
    Threshold = "threshold",
    Tolerance = "tolerance",
    WarmUp = "warm-up",
    Weights = "weights",
    WeightsAs = "weights-as",
}

impl OptionName {
    /// The option of a name.
    ///
    /// # Example
    /// ```
    /// use cmnet::OptionName;
    /// assert_eq!(OptionName::named("max-neighbors"), Some(OptionName::MaxNeighbors));
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|option| option.name() == name)
    }
}

/// What a refused value was given for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// An option.
    Option(OptionName),
    /// An option that has this value, which needs something else.
    Setting(OptionName, &'static str),
    /// An argument of a function, by its name there.
    Argument(&'static str),
}

impl From<OptionName> for Subject {
    fn from(option: OptionName) -> Self {
        Self::Option(option)
    }
}

impl From<&'static str> for Subject {
    fn from(argument: &'static str) -> Self {
        Self::Argument(argument)
    }
}

/// A word that an option takes, and what it asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChoiceWord {
    /// The word, such as `paper`.
    pub word: &'static str,
    /// What it asks for: one sentence.
    pub help: &'static str,
}

/// What would have been accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expected {
    /// One of these words.
    Choices(&'static [ChoiceWord]),
    /// A whole number, this or more.
    AtLeast(u64),
    /// A whole number, this or less.
    AtMost(u64),
    /// A whole number from the first to the second.
    Between(u64, u64),
    /// What these words say; they name no option.
    Described(Cow<'static, str>),
}

impl From<&'static str> for Expected {
    fn from(description: &'static str) -> Self {
        Self::Described(description.into())
    }
}

impl From<String> for Expected {
    fn from(description: String) -> Self {
        Self::Described(description.into())
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Choices(choices) => f.write_str(&alternatives(choices)),
            Self::AtLeast(least) => write!(f, "a whole number, {least} or more"),
            Self::AtMost(most) => write!(f, "a whole number up to {most}"),
            Self::Between(least, most) => write!(f, "a whole number from {least} to {most}"),
            Self::Described(description) => f.write_str(description),
        }
    }
}

/// `auto, paper or blanket`; where `or` is itself a choice, commas alone.
fn alternatives(choices: &[ChoiceWord]) -> String {
    let words: Vec<&str> = choices.iter().map(|choice| choice.word).collect();
    match words.split_last() {
        Some((last, first @ [_, ..])) if !words.contains(&"or") => {
            format!("{} or {last}", first.join(", "))
        }
        _ => words.join(", "),
    }
}

/// An option that takes one of a few words: the words, their help, reading and printing are
/// written once, with the enum.
pub trait Choice: Copy + PartialEq + Sized + 'static {
    /// The option.
    const OPTION: OptionName;
    /// Every value, in the order in which they are told.
    const VALUES: &'static [Self];
    /// The word of each value, in the same order.
    const WORDS: &'static [ChoiceWord];

    /// The word of this value.
    fn word(self) -> &'static str {
        let place = Self::VALUES.iter().position(|value| *value == self);
        place.map_or("", |place| Self::WORDS[place].word)
    }

    /// The value of a word.
    ///
    /// # Errors
    /// When the option does not take this word; the error says which it takes.
    fn from_word(word: &str) -> super::Result<Self> {
        let place = Self::WORDS.iter().position(|choice| choice.word == word);
        place
            .map(|place| Self::VALUES[place])
            .ok_or_else(|| super::Error::option(Self::OPTION, word, Expected::Choices(Self::WORDS)))
    }
}

/// Defines an enum whose values are the words of an option, the default first. The comment of
/// each value is what front ends tell about the word.
macro_rules! choices {
    (
        $(#[$about:meta])+
        pub enum $name:ident of $option:ident {
            $($(#[doc = $help:literal])+ $variant:ident = $word:literal,)+
        }
    ) => {
        $(#[$about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[doc = $help])+ $variant,)+
        }

        impl $crate::error::Choice for $name {
            const OPTION: $crate::error::OptionName = $crate::error::OptionName::$option;
            const VALUES: &'static [Self] = &[$(Self::$variant,)+];
            const WORDS: &'static [$crate::error::ChoiceWord] =
                &[$($crate::error::ChoiceWord { word: $word, help: concat!($($help,)+).trim_ascii() },)+];
        }

        impl Default for $name {
            fn default() -> Self {
                <Self as $crate::error::Choice>::VALUES[0]
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::error::Error;

            fn from_str(word: &str) -> $crate::error::Result<Self> {
                $crate::error::Choice::from_word(word)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad($crate::error::Choice::word(*self))
            }
        }
    };
}
pub(crate) use choices;
