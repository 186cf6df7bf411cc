//! What to do about an error, as data.

use super::dialect::{Action, Dialect};
use super::option::OptionName;
use super::quoting::quoted;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One thing that may help.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Remedy {
    /// Something that names no option and is the same in every front end.
    Advice(Cow<'static, str>),
    /// A name, level or file that was probably meant.
    DidYouMean(String),
    /// More memory.
    MoreMemory,
    /// Fewer variables.
    LeaveOutVariables,
    /// Fewer levels.
    GroupLevels,
    /// Numbers cut into classes.
    CutNumbers,
    /// The table without the column.
    DropColumn,
    /// A graph with fewer edges.
    LearnSparserGraph,
    /// A column of groups that is adjacent to fewer variables.
    NameNeighborsOfGroup,
    /// A smaller weight of the context prior.
    SmallerKappa,
    /// The search whose neighbourhoods are bounded.
    SearchBlankets,
    /// The estimate that needs no junction tree.
    FitByPseudoLikelihood,
    /// The method that goes by the memory.
    AutomaticMethod,
    /// The parameters of a model that has none.
    EstimateParameters,
    /// The columns of the model, out of those of the table.
    ChooseColumns,
    /// The levels of the model, for the table.
    GiveLevels,
    /// The levels of a column, for the table.
    ListLevels,
    /// A run from the beginning.
    StartAgain,
    /// A file as this program writes it.
    ExpectModelFile,
}

impl Remedy {
    /// The remedy in the words of a front end.
    pub fn words(&self, dialect: &dyn Dialect) -> String {
        match self {
            Self::Advice(advice) => return advice.clone().into_owned(),
            Self::DidYouMean(near) => return format!("did you mean {}?", quoted(near)),
            Self::MoreMemory => "give more memory",
            Self::LeaveOutVariables => "leave out variables",
            Self::GroupLevels => "group levels",
            Self::CutNumbers => {
                return format!("cut its numbers into classes: {}", dialect.setting(OptionName::Bins, "4"));
            }
            Self::DropColumn => return format!("leave it out with {}", dialect.option(OptionName::Drop)),
            Self::LearnSparserGraph => "learn a sparser graph",
            Self::NameNeighborsOfGroup => {
                let among = dialect.option(OptionName::Among);
                return format!("name with {among} the variables that the group may be adjacent to");
            }
            Self::SmallerKappa => return format!("use a smaller {}", dialect.option(OptionName::Kappa)),
            Self::SearchBlankets => {
                let setting = dialect.setting(OptionName::Search, "blanket");
                return format!("use {setting}, which bounds neighbourhoods");
            }
            Self::FitByPseudoLikelihood => {
                return format!(
                    "fit by pseudo-likelihood: {}",
                    dialect.setting(OptionName::Method, "pseudo")
                );
            }
            Self::AutomaticMethod => {
                return format!("take {}", dialect.setting(OptionName::Method, "auto"));
            }
            Self::EstimateParameters => return dialect.action(Action::EstimateParameters),
            Self::ChooseColumns => {
                let (columns, drop) = (dialect.option(OptionName::Columns), dialect.option(OptionName::Drop));
                return format!("choose the model's columns with {columns} or {drop}");
            }
            Self::GiveLevels => {
                return format!("give the model's levels in {}", dialect.file(OptionName::Schema));
            }
            Self::ListLevels => {
                return format!(
                    "list its levels in {} where they are categories",
                    dialect.file(OptionName::Schema)
                );
            }
            Self::StartAgain => {
                return format!("start again without {}", dialect.switch(OptionName::Resume));
            }
            Self::ExpectModelFile => {
                return format!("expected a model file as {}", dialect.action(Action::WriteModel));
            }
        }
        .to_owned()
    }
}

/// What may help: one thing or one of several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remedies(Vec<Remedy>);

/// Alternatives of so many words at most need no comma between the two of them.
const SHORT: usize = 4;

impl Remedies {
    /// Each of them.
    pub fn as_slice(&self) -> &[Remedy] {
        &self.0
    }

    /// The remedies in the words of a front end: `this, that, or another`.
    pub fn words(&self, dialect: &dyn Dialect) -> String {
        let words: Vec<String> = self.0.iter().map(|remedy| remedy.words(dialect)).collect();
        let is_short = |text: &String| text.split(' ').count() <= SHORT;
        match words.split_last() {
            None => String::new(),
            Some((last, [])) => last.clone(),
            Some((last, [first])) if is_short(first) && is_short(last) => format!("{first} or {last}"),
            Some((last, first)) => format!("{}, or {last}", first.join(", ")),
        }
    }
}

impl From<Remedy> for Remedies {
    fn from(remedy: Remedy) -> Self {
        Self(vec![remedy])
    }
}

impl<const N: usize> From<[Remedy; N]> for Remedies {
    fn from(remedies: [Remedy; N]) -> Self {
        Self(remedies.into())
    }
}

impl From<&'static str> for Remedies {
    fn from(advice: &'static str) -> Self {
        Remedy::Advice(advice.into()).into()
    }
}

impl From<String> for Remedies {
    fn from(advice: String) -> Self {
        Remedy::Advice(advice.into()).into()
    }
}

impl From<&'static str> for Remedy {
    fn from(advice: &'static str) -> Self {
        Self::Advice(advice.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{CommandLine, Error, Plain};

    #[test]
    fn alternatives_are_joined_by_their_length() {
        let words = |remedies: Remedies| remedies.words(&CommandLine);
        assert_eq!(words(Remedies::default()), "");
        assert_eq!(words(Remedy::MoreMemory.into()), "give more memory");
        let short = [Remedy::LeaveOutVariables, Remedy::GroupLevels];
        assert_eq!(words(short.into()), "leave out variables or group levels");
        let long = [Remedy::MoreMemory, Remedy::FitByPseudoLikelihood];
        assert_eq!(words(long.into()), "give more memory, or fit by pseudo-likelihood: --method pseudo");
        let three = [Remedy::LeaveOutVariables, Remedy::GroupLevels, Remedy::SearchBlankets];
        let text = "leave out variables, group levels, or use --search blanket, which bounds neighbourhoods";
        assert_eq!(words(three.into()), text);
    }

    #[test]
    fn the_library_itself_names_options_without_a_dialect() {
        let error = Error::limit("the tree", "1 MiB", [Remedy::MoreMemory, Remedy::AutomaticMethod]);
        let text = "the tree goes beyond the limit of 1 MiB; give more memory or take `method` = auto";
        assert_eq!(error.to_string(), text);
        assert_eq!(error.words(&Plain), text);
        assert_eq!(Remedy::DidYouMean("a\tb".to_owned()).words(&Plain), "did you mean \"a\\tb\"?");
    }
}
