//! How columns of numbers are to be cut into levels.

use super::cuts::{Cuts, listed};
use super::quoted::unquoted;
use crate::error::{Error, Expected, OptionName, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

/// The most classes that can be asked for.
const MOST: usize = 1000;

/// How one column is cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BinRule {
    /// So many classes with about as many rows each.
    Frequency(usize),
    /// So many classes of one width.
    Width(usize),
    /// So many classes whose bounds fit the column's neighbours in the graph best.
    Graph(usize),
    /// Classes with these bounds.
    At(Cuts),
}

impl BinRule {
    /// The word that stands for the rule.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Frequency(_) => "frequency",
            Self::Width(_) => "width",
            Self::Graph(_) => "graph",
            Self::At(_) => "at",
        }
    }

    fn read(text: &str) -> Option<Result<Self>> {
        let (word, rest) = text.split_once(':').unwrap_or(("frequency", text));
        let rest = rest.trim();
        if word.trim() == "at" {
            let points: Option<Vec<f64>> = rest.split(',').map(|point| point.trim().parse().ok()).collect();
            return Some(Cuts::new(points?).map(Self::At));
        }
        let rule = match word.trim() {
            "frequency" => Self::Frequency,
            "width" => Self::Width,
            "graph" => Self::Graph,
            _ => return None,
        };
        let classes: usize = rest.parse().ok()?;
        let bounds = Expected::Between(2, MOST as u64);
        let fits = (2..=MOST).contains(&classes);
        Some(if fits { Ok(rule(classes)) } else { Err(Error::option(OptionName::Bins, rest, bounds)) })
    }
}

impl FromStr for BinRule {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::read(text.trim()).unwrap_or_else(|| {
            let expected = "a number of classes such as 4, frequency:4, width:4, graph:4 or at:18,40, and before it \
                            the name of one column and an equals sign where it is for that column";
            Err(Error::option(OptionName::Bins, text, expected))
        })
    }
}

impl fmt::Display for BinRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Frequency(classes) | Self::Width(classes) | Self::Graph(classes) => {
                write!(f, "{}:{classes}", self.word())
            }
            Self::At(cuts) => write!(f, "at:{}", listed(cuts.points())),
        }
    }
}

/// Which columns of numbers are cut, and how.
///
/// # Example
/// ```
/// use cmnet::{BinRule, Bins};
/// let bins = Bins::read(["4", "age=at:18,65", "income=width:5"])?;
/// assert_eq!(bins.rule("income"), Some(&BinRule::Width(5)));
/// assert_eq!(bins.others(), Some(&BinRule::Frequency(4)));
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bins {
    others: Option<BinRule>,
    columns: BTreeMap<String, BinRule>,
    spared: BTreeSet<String>,
}

impl Bins {
    /// Reads rules such as `4`, `width:5` or `age=at:18,65`. One without a name is for every other
    /// column of many numbers.
    ///
    /// # Errors
    /// When a rule is none, or there are two for one column.
    pub fn read(texts: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self> {
        let mut bins = Self::default();
        for text in texts {
            let text = text.as_ref();
            let before = match text.rsplit_once('=') {
                Some((name, rule)) => bins.columns.insert(unquoted(name), rule.parse()?).is_some(),
                None => bins.others.replace(text.parse()?).is_some(),
            };
            if before {
                return Err(Error::option(OptionName::Bins, text, "one rule for each column"));
            }
        }
        Ok(bins)
    }

    /// The same with a rule for a column.
    #[must_use]
    pub fn with(mut self, column: impl Into<String>, rule: BinRule) -> Self {
        self.columns.insert(column.into(), rule);
        self
    }

    /// The same, where the rule for other columns leaves this one as it is: a column of folds or blocks is no
    /// variable, and its numbers are names. A rule that the column has for itself stays.
    #[must_use]
    pub fn sparing(mut self, column: impl Into<String>) -> Self {
        self.spared.insert(column.into());
        self
    }

    /// Whether this column is no variable: it has folds or blocks.
    pub(crate) fn spares(&self, column: &str) -> bool {
        self.spared.contains(column)
    }

    /// Whether the rule for other columns is for this one.
    pub(crate) fn cuts_other(&self, column: &str) -> bool {
        self.others.is_some() && !self.spared.contains(column)
    }

    /// Whether nothing is cut.
    pub fn is_empty(&self) -> bool {
        self.others.is_none() && self.columns.is_empty()
    }

    /// The rule that a column has for itself.
    pub fn rule(&self, column: &str) -> Option<&BinRule> {
        self.columns.get(column)
    }

    /// The rule for columns of many numbers that have none for themselves.
    pub fn others(&self) -> Option<&BinRule> {
        self.others.as_ref()
    }

    /// The columns that have a rule for themselves.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.keys().map(String::as_str)
    }

    /// Whether the graph is to find cut points.
    pub fn by_graph(&self) -> bool {
        self.columns.values().chain(&self.others).any(|rule| matches!(rule, BinRule::Graph(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(texts: &[&str]) -> String {
        Bins::read(texts).unwrap_err().to_string()
    }

    #[test]
    fn rules_are_read_and_written() {
        for text in ["frequency:4", "width:2", "graph:1000", "at:18,40.5", "at:-1"] {
            assert_eq!(text.parse::<BinRule>().unwrap().to_string(), text);
        }
        let bins = Bins::read(["a=b=graph:3", "\"x y\"=2"]).unwrap();
        assert_eq!(bins.rule("a=b"), Some(&BinRule::Graph(3)));
        assert_eq!(bins.rule("x y"), Some(&BinRule::Frequency(2)));
        assert!(bins.by_graph() && bins.others().is_none() && !bins.is_empty());
        assert_eq!(bins.with("c", BinRule::Width(2)).columns().collect::<Vec<_>>(), ["a=b", "c", "x y"]);
    }

    #[test]
    fn other_texts_are_refused() {
        assert!(refused(&["1"]).contains("\"1\" is not usable; expected a whole number from 2 to 1000"));
        assert!(refused(&["age=frequency:0"]).contains("from 2 to 1000"));
        assert!(refused(&["at:5,3"]).contains("that ascend"));
        assert!(refused(&["at:1,nan"]).contains("NaN is not"));
        assert!(refused(&["at:1,x"]).contains("such as 4, frequency:4"));
        assert!(refused(&["quantile:4"]).contains("such as 4"));
        assert!(refused(&["4", "5"]).contains("one rule for each column"));
        assert!(refused(&["a=4", "a=5"]).contains("one rule for each column"));
    }
}
