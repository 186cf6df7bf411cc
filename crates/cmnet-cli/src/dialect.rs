//! The words of the command line for the facts of an error.

use cmnet::{Action, Dialect, OptionName};

/// Flags, lines of files, commands.
pub(crate) struct CommandLine;

impl Dialect for CommandLine {
    fn option(&self, option: OptionName) -> String {
        format!("--{}", option.name())
    }

    fn action(&self, action: Action) -> String {
        match action {
            Action::EstimateParameters => {
                "estimate them from a table first: cmnet fit MODEL DATA -o MODEL".to_owned()
            }
            Action::ReadRealWeights => {
                "take a command that knows real ones: learn, fit, score, evaluate, cv, bootstrap, check"
                    .to_owned()
            }
            Action::PassTable => "or - for standard input".to_owned(),
            Action::WriteModel => "`cmnet learn -o` writes it".to_owned(),
            _ => String::new(),
        }
    }
}
