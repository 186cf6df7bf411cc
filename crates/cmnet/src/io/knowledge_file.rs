//! The file of knowledge: what a user knows about edges.
//!
//! ```toml
//! require = ["smoking-pressure"]
//! forbid = ["family-*", ["a name with-hyphens", "smoking"]]
//! no_contexts = ["smoking-*"]
//! tiers = [["age", "sex"], ["smoking"], ["pressure"]]
//!
//! [[prior]]
//! edge = "work-*"
//! p = 0.1
//! ```

use super::schema_file::{parse_toml, read_text};
use crate::error::{InputProblem, Result};
use crate::score::Knowledge;
use std::path::Path;

impl Knowledge {
    /// Reads a file of knowledge.
    ///
    /// # Errors
    /// When the file cannot be read or [`Knowledge::parse`] refuses its text.
    pub fn read(path: &Path) -> Result<Self> {
        let (file, text) = read_text(path, |what| InputProblem::Knowledge { what })?;
        Self::parse(&file, &text)
    }

    /// Reads the text of a file of knowledge; `file` is its name in errors.
    ///
    /// # Errors
    /// When the text is not TOML or has other entries than these, with the line.
    ///
    /// # Example
    /// ```
    /// use cmnet::Knowledge;
    /// let known = Knowledge::parse("known.toml", "require = ['a-b']\nforbid = ['b-*']")?;
    /// assert_eq!(known.require.len(), 1);
    /// # Ok::<(), cmnet::Error>(())
    /// ```
    pub fn parse(file: &str, text: &str) -> Result<Self> {
        parse_toml(file, text, |what| InputProblem::Knowledge { what })
    }
}
