//! Which search found a structure.

use serde::{Serialize, Serializer};
use std::fmt;

/// The search that a structure was found by.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SearchUsed {
    /// Algorithms 1 and 2 of the paper: the result is a local optimum.
    Paper,
    /// Blankets first, then toggles among their edges.
    Blanket,
    /// The consensus of searches on resamples.
    Bootstrap,
    /// The consensus of searches on completed tables, whose missing cells were drawn.
    Imputation,
    /// Branch and bound: the structure is proven to have the highest score.
    Exact,
    /// Another, by the name that a model file gives it.
    Other(String),
}

impl SearchUsed {
    /// The name, as model files and answers have it.
    pub fn name(&self) -> &str {
        match self {
            Self::Paper => "paper",
            Self::Blanket => "blanket",
            Self::Bootstrap => "bootstrap",
            Self::Imputation => "imputation",
            Self::Exact => "exact",
            Self::Other(name) => name,
        }
    }
}

impl From<&str> for SearchUsed {
    fn from(name: &str) -> Self {
        match name {
            "paper" => Self::Paper,
            "blanket" => Self::Blanket,
            "bootstrap" => Self::Bootstrap,
            "imputation" => Self::Imputation,
            "exact" => Self::Exact,
            _ => Self::Other(name.to_owned()),
        }
    }
}

impl fmt::Display for SearchUsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for SearchUsed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_kept() {
        for name in ["paper", "blanket", "imputation", "by hand", ""] {
            assert_eq!(SearchUsed::from(name).to_string(), name);
        }
        assert_eq!(SearchUsed::from("paper"), SearchUsed::Paper);
    }
}
