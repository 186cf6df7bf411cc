//! The words of Python for the facts of an error.

use cmnet::{Action, Dialect, OptionName};

/// Keywords; rows of tables in memory count from 0, as everything in Python does, and lines of
/// files from 1.
pub(crate) struct Keywords;

/// The keyword of an option.
pub(crate) fn keyword(option: OptionName) -> String {
    option.name().replace('-', "_")
}

impl Dialect for Keywords {
    fn option(&self, option: OptionName) -> String {
        keyword(option)
    }

    fn setting(&self, option: OptionName, value: &str) -> String {
        format!("{}={value:?}", keyword(option))
    }

    fn switch(&self, option: OptionName) -> String {
        format!("{}=True", keyword(option))
    }

    fn file(&self, option: OptionName) -> String {
        format!("{}=", keyword(option))
    }

    fn action(&self, action: Action) -> String {
        match action {
            Action::EstimateParameters => "estimate them with model.fit(table)".to_owned(),
            Action::ReadRealWeights => {
                "give learn, cross_validate, bootstrap, fit or evaluate a cmnet.WeightedTable".to_owned()
            }
            Action::PassTable => "or pass an open table".to_owned(),
            Action::WriteModel => "Model.save writes it".to_owned(),
            _ => String::new(),
        }
    }

    fn line(&self, line: u64, in_memory: bool) -> String {
        if in_memory { format!("row {}", line.saturating_sub(1)) } else { format!("line {line}") }
    }
}
