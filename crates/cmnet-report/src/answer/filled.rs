//! Missing values that were filled: `cmnet impute`.

use super::Answer;
use super::missing::MissingAnswer;
use cmnet::Schema;
use serde::Serialize;

/// `cmnet-impute/1`: what was missing, and what stands there now.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FilledAnswer {
    /// Rows of the table.
    pub rows: u64,
    /// Values that were filled in each completed table.
    pub filled: u64,
    /// Completed tables that were drawn; null where values are the most probable ones together.
    pub draws: Option<u64>,
    /// What determined the draws; null where nothing was drawn.
    pub seed: Option<u64>,
    /// What was missing, and what is assumed about it; null where nothing was.
    pub missing: Option<MissingAnswer>,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The completed tables, row by row; null where they were written to a file.
    pub tables: Option<Vec<Vec<Vec<String>>>>,
    /// The file that was written; null where there is none.
    pub written: Option<String>,
}

impl Answer for FilledAnswer {
    const FORMAT: &'static str = "cmnet-impute/1";
}

impl FilledAnswer {
    /// The labels of completed tables.
    pub fn labels(schema: &Schema, tables: &[Vec<Vec<u32>>]) -> Vec<Vec<Vec<String>>> {
        let label = |(level, variable): (&u32, usize)| {
            let levels = &schema.variable(variable).levels;
            levels[*level as usize].clone()
        };
        let row = |row: &Vec<u32>| row.iter().zip(0..).map(label).collect();
        tables.iter().map(|table| table.iter().map(row).collect()).collect()
    }
}
