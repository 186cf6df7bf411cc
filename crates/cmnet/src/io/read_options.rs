//! How a table is read, whatever it comes from.

use super::schema_file::LevelOrder;
use crate::data::Bins;
pub(super) use crate::data::OnMissing;

/// How to read a table; the default reads a file with a header line and no missing values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadOptions {
    /// What separates the fields of a file; found in the first rows when not given.
    pub delimiter: Option<u8>,
    /// Whether the first line of a file holds the names; else they are X1, X2, and so on.
    pub header: bool,
    /// The columns to read; all when not given. Their order does not matter.
    pub columns: Option<Vec<String>>,
    /// Columns to leave out.
    pub drop: Vec<String>,
    /// The column that says how often each row was observed: whole numbers, 0 or more.
    pub weights: Option<String>,
    /// The texts that mean "missing".
    pub missing: Vec<String>,
    /// What to do about missing values.
    pub on_missing: OnMissing,
    /// The levels of some columns, in order.
    pub schema: Option<LevelOrder>,
    /// How columns of numbers are cut into levels; none is cut by default.
    pub bins: Bins,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            delimiter: None,
            header: true,
            columns: None,
            drop: Vec::new(),
            weights: None,
            missing: ["", "NA", "NaN", "?"].map(str::to_owned).to_vec(),
            on_missing: OnMissing::default(),
            schema: None,
            bins: Bins::default(),
        }
    }
}
