//! The words of the command line, in which the tests compare whole messages.

use cmnet::{Action, Dialect, OptionName, Plain};

pub(crate) struct CommandLine;

impl Dialect for CommandLine {
    fn option(&self, option: OptionName) -> String {
        format!("--{}", option.name())
    }

    fn action(&self, action: Action) -> String {
        match action {
            Action::EstimateParameters => "estimate them from a table first: cmnet fit MODEL DATA".to_owned(),
            Action::PassTable => "or - for standard input".to_owned(),
            _ => Plain.action(action),
        }
    }
}
