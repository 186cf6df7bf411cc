//! How a front end words the facts of an error.

use super::option::OptionName;

/// What people do differently in each front end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// Estimating the parameters of a model that has none.
    EstimateParameters,
    /// Reading weights that are real numbers, after `round the weights, or `.
    ReadRealWeights,
    /// Passing a table that is not in a file, after `name a file in it, `.
    PassTable,
    /// Writing a model file, after `expected a model file as `.
    WriteModel,
}

/// The words of a front end for options, places and actions. Everything else in a message is
/// the same everywhere.
pub trait Dialect {
    /// An option in a sentence, such as `--drop`.
    fn option(&self, option: OptionName) -> String;

    /// An option with a value, such as `--on-missing drop`.
    fn setting(&self, option: OptionName, value: &str) -> String {
        format!("{} {value}", self.option(option))
    }

    /// An option that is on or off, turned on, such as `--no-header`.
    fn switch(&self, option: OptionName) -> String {
        self.option(option)
    }

    /// What is given by an option that takes a file, such as `a --schema file`.
    fn file(&self, option: OptionName) -> String {
        format!("a {} file", self.option(option))
    }

    /// How to do something.
    fn action(&self, action: Action) -> String;

    /// An option at the head of a message.
    fn heading(&self, option: OptionName) -> String {
        self.option(option)
    }

    /// A row by its line, counted from 1; `in_memory` for a table that is in no file.
    fn line(&self, line: u64, in_memory: bool) -> String {
        let _ = in_memory;
        format!("line {line}")
    }
}

/// The words of the library itself, which belong to no front end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl Dialect for Plain {
    fn option(&self, option: OptionName) -> String {
        format!("`{}`", option.name())
    }

    fn setting(&self, option: OptionName, value: &str) -> String {
        format!("`{}` = {value}", option.name())
    }

    fn file(&self, option: OptionName) -> String {
        self.option(option)
    }

    fn action(&self, action: Action) -> String {
        match action {
            Action::EstimateParameters => "estimate them from a table first",
            Action::ReadRealWeights => "read them with read_weighted",
            Action::PassTable => "or pass the table itself",
            Action::WriteModel => "this program writes it",
        }
        .to_owned()
    }

    fn heading(&self, option: OptionName) -> String {
        format!("option {}", option.name())
    }
}

/// The words of the command line, for tests of the texts that most people see.
#[cfg(test)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct CommandLine;

#[cfg(test)]
impl Dialect for CommandLine {
    fn option(&self, option: OptionName) -> String {
        format!("--{}", option.name())
    }

    fn action(&self, action: Action) -> String {
        Plain.action(action)
    }
}
