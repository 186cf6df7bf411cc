//! The words of the command line, in which the tests compare whole messages.

use cmnet::error::{Action, Dialect, OptionName, Plain};

pub(crate) struct CommandLine;

impl Dialect for CommandLine {
    fn option(&self, option: OptionName) -> String {
        format!("--{}", option.name())
    }

    fn setting(&self, option: OptionName, value: &str) -> String {
        format!("--{} {value}", option.name())
    }

    fn switch(&self, option: OptionName) -> String {
        self.option(option)
    }

    fn file(&self, option: OptionName) -> String {
        format!("a --{} file", option.name())
    }

    fn action(&self, action: Action) -> String {
        Plain.action(action)
    }
}
