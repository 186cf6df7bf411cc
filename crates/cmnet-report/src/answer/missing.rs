//! What is missing of a table, what is assumed about it, and where it goes along with other values.

use cmnet::{IncompleteTable, MissingTest, Schema, Var, missing_tests};
use serde::Serialize;

/// Tests at this level, over all pairs of columns.
const LEVEL: f64 = 0.05;
/// Patterns and tests that are told in words.
const TOLD: usize = 5;
/// Patterns that are listed.
const LISTED: usize = 100;

/// What is assumed of missing values.
const ASSUMPTION: &str = "missing at random";

/// What is missing of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MissingAnswer {
    /// Rows, by weight.
    pub rows: u64,
    /// Those with missing values.
    pub incomplete_rows: u64,
    /// Missing values as a share of all values.
    pub share: f64,
    /// What is assumed about them.
    pub assumption: &'static str,
    /// The columns with missing values.
    pub columns: Vec<MissingColumn>,
    /// What is missing together, the most frequent first; at most a hundred.
    pub patterns: Vec<PatternRows>,
    /// Columns whose missing values go along with the values of another, the most evident first.
    pub informative: Vec<InformativeMissing>,
}

/// A column with missing values.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MissingColumn {
    /// Its name.
    pub name: String,
    /// Its missing values, by weight.
    pub missing: u64,
    /// The same as a share of the rows.
    pub share: f64,
}

/// Columns that are missing together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PatternRows {
    /// Their names.
    pub columns: Vec<String>,
    /// The rows in which just these are missing, by weight.
    pub rows: u64,
    /// The same as a share of the rows.
    pub share: f64,
}

/// A column whose missing values go along with the values of another: see [`missing_tests`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InformativeMissing {
    /// The column with missing values.
    pub column: String,
    /// The other.
    pub other: String,
    /// Pearson's chi-square.
    pub statistic: f64,
    /// Its degrees of freedom.
    pub degrees: usize,
    /// The exact p-value of the level that stands out the most, adjusted for the number of levels and pairs.
    pub p: f64,
}

impl MissingAnswer {
    /// What is missing of a table; `None` where nothing is.
    pub fn of(table: &IncompleteTable) -> Option<Self> {
        Self::with_names(table, table.schema())
    }

    /// The same with names that can be printed.
    pub fn with_names(table: &IncompleteTable, schema: &Schema) -> Option<Self> {
        let (rows, incomplete_rows) = (table.rows(), table.incomplete_rows());
        if incomplete_rows == 0 {
            return None;
        }
        let share = |count: u64| count as f64 / rows as f64;
        let column = |v: Var| {
            let missing = table.missing(v);
            MissingColumn { name: schema.name(v).to_owned(), missing, share: share(missing) }
        };
        let columns: Vec<MissingColumn> =
            (0..schema.len()).map(column).filter(|column| column.missing > 0).collect();
        let cells = columns.iter().map(|column| column.share).sum::<f64>() / schema.len() as f64;
        let names = |variables: &[Var]| variables.iter().map(|&v| schema.name(v).to_owned()).collect();
        let patterns = table.patterns();
        let patterns = patterns.iter().filter(|pattern| !pattern.variables.is_empty()).take(LISTED);
        let test = |test: MissingTest| InformativeMissing {
            column: schema.name(test.column).to_owned(),
            other: schema.name(test.other).to_owned(),
            statistic: test.statistic,
            degrees: test.degrees,
            p: test.p,
        };
        Some(Self {
            rows,
            incomplete_rows,
            share: cells,
            assumption: ASSUMPTION,
            columns,
            patterns: patterns
                .map(|pattern| PatternRows {
                    columns: names(&pattern.variables),
                    rows: pattern.rows,
                    share: share(pattern.rows),
                })
                .collect(),
            informative: missing_tests(table, LEVEL).into_iter().map(test).collect(),
        })
    }

    /// The same in words: what is missing, and what is missing together.
    pub fn facts(&self) -> [String; 2] {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let columns: Vec<String> =
            self.columns.iter().map(|column| format!("{} {}", column.name, percent(column.share))).collect();
        let patterns: Vec<String> = self
            .patterns
            .iter()
            .take(TOLD)
            .map(|pattern| format!("{} ({} rows)", pattern.columns.join(" + "), pattern.rows))
            .collect();
        [
            format!(
                "{} of {} rows ({}) have missing values: {}",
                self.incomplete_rows,
                self.rows,
                percent(self.incomplete_rows as f64 / self.rows as f64),
                columns.join(", ")
            ),
            format!("missing together, the most frequent: {}", patterns.join("; ")),
        ]
    }

    /// What is assumed, in words.
    pub fn assumption_in_words(&self) -> String {
        format!(
            "assumed: {}. Whether a value is missing may depend on the known values of its row, not on the value itself",
            self.assumption
        )
    }

    /// Where missing values go along with others, in words.
    pub fn warnings(&self) -> Vec<String> {
        let told = self.informative.iter().take(TOLD).map(|test| {
            format!(
                "whether {} is missing goes along with {} (chi-square {:.1}, {} degrees of freedom, adjusted \
                 p {:.2e}): leaving rows out would distort the model",
                test.column, test.other, test.statistic, test.degrees, test.p
            )
        });
        told.collect()
    }
}
