//! Properties of a table that do not stop the work but are probably not intended.

use super::dataset::Dataset;
use super::encode::number;
use super::variable::Var;
use crate::error::{Dialect, OptionName, Plain, quoted};
use serde::Serialize;
use std::fmt;

/// Rows from which a column of almost as many values looks like an identifier.
const ENOUGH_ROWS: u64 = 20;

/// Numeric levels above which a column looks like a measurement.
const MANY_NUMBERS: usize = 20;

/// Something about a table that does not stop the work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Warning {
    /// A single observation: nothing can be learned from it.
    SingleRow,
    /// A file of one column: there is no edge to learn, or the delimiter is another one.
    SingleColumn {
        /// The column's name.
        name: String,
    },
    /// A column of which one level occurs: it can have no edge.
    ConstantColumn {
        /// The column's name.
        name: String,
        /// The level.
        level: String,
    },
    /// Levels that count in the outcome space and were never observed.
    UnusedLevels {
        /// The column's name.
        name: String,
        /// How many levels.
        count: usize,
    },
    /// A column whose values are almost all distinct.
    MostlyDistinct {
        /// The column's name.
        name: String,
        /// How many levels.
        levels: usize,
        /// Rows in all.
        rows: u64,
    },
    /// A column of many different numbers.
    ManyNumbers {
        /// The column's name.
        name: String,
        /// How many levels.
        levels: usize,
    },
}

impl Warning {
    /// The column that it is about, if it is about one.
    pub fn column(&self) -> Option<&str> {
        match self {
            Self::SingleRow => None,
            Self::SingleColumn { name }
            | Self::ConstantColumn { name, .. }
            | Self::UnusedLevels { name, .. }
            | Self::MostlyDistinct { name, .. }
            | Self::ManyNumbers { name, .. } => Some(name),
        }
    }

    /// The warnings that a table's content gives rise to, in column order.
    pub fn of(data: &Dataset) -> Vec<Self> {
        let mut warnings = Vec::new();
        if data.variables() == 1 {
            warnings.push(Self::SingleColumn { name: data.schema().name(0).to_owned() });
        }
        if data.rows() == 1 {
            // Every column is constant then: saying so of each would only bury this.
            warnings.push(Self::SingleRow);
            return warnings;
        }
        warnings.extend((0..data.variables()).flat_map(|variable| of_column(data, variable)));
        warnings
    }
}

fn of_column(data: &Dataset, variable: Var) -> Vec<Warning> {
    let column = data.schema().variable(variable);
    let name = || column.name.clone();
    let counts = data.level_counts(variable);
    let used: Vec<usize> = (0..counts.len()).filter(|&level| counts[level] > 0).collect();
    let mut warnings = Vec::new();
    if let [only] = used[..] {
        warnings.push(Warning::ConstantColumn { name: name(), level: column.levels[only].clone() });
    }
    if used.len() < counts.len() {
        warnings.push(Warning::UnusedLevels { name: name(), count: counts.len() - used.len() });
    }
    let (levels, rows) = (used.len(), data.rows());
    if rows >= ENOUGH_ROWS && levels as u64 * 10 >= rows * 9 {
        warnings.push(Warning::MostlyDistinct { name: name(), levels, rows });
    } else if levels > MANY_NUMBERS && column.levels.iter().all(|label| number(label).is_some()) {
        warnings.push(Warning::ManyNumbers { name: name(), levels });
    }
    warnings
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words(&Plain))
    }
}

impl Warning {
    /// The warning in the words of a front end.
    pub fn words(&self, dialect: &dyn Dialect) -> String {
        match self {
            Self::SingleRow => {
                "the table has a single row: nothing can be learned from one observation".to_owned()
            }
            Self::SingleColumn { name } => format!(
                "the table has a single column, {}: there is no edge to learn \
                 (if the fields are separated by something else, give {})",
                quoted(name),
                dialect.option(OptionName::Delimiter)
            ),
            Self::ConstantColumn { name, level } => {
                format!("column {} is constant (always {}): it can have no edge", quoted(name), quoted(level))
            }
            Self::UnusedLevels { name, count } => format!(
                "column {} has {count} {} in the outcome space",
                quoted(name),
                if *count == 1 {
                    "level that never occurs: it still counts"
                } else {
                    "levels that never occur: they still count"
                }
            ),
            Self::MostlyDistinct { name, levels, rows } => format!(
                "column {} has {levels} different values in {rows} rows and looks like an identifier: {} it",
                quoted(name),
                dialect.option(OptionName::Drop)
            ),
            Self::ManyNumbers { name, levels } => format!(
                "column {} has {levels} different numbers and looks like a measurement: group them into a few classes",
                quoted(name)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Schema, Variable};
    use crate::error::CommandLine;

    fn texts(data: &Dataset) -> Vec<String> {
        Warning::of(data).iter().map(|warning| warning.words(&CommandLine)).collect()
    }

    #[test]
    fn columns_that_cannot_help_are_named() {
        let rows: Vec<[String; 4]> = (0..100)
            .map(|row| [row.to_string(), (row % 25).to_string(), (row % 2).to_string(), "x".to_owned()])
            .collect();
        let rows = rows.iter().map(|row| row.iter().map(String::as_str));
        let data = Dataset::from_labels(&["id", "age", "sex", "site"], rows).unwrap();
        assert_eq!(
            texts(&data),
            [
                "column \"id\" has 100 different values in 100 rows and looks like an identifier: --drop it",
                "column \"age\" has 25 different numbers and looks like a measurement: \
                 group them into a few classes",
                "column \"site\" is constant (always \"x\"): it can have no edge",
            ]
        );
    }

    #[test]
    fn small_and_plain_tables_give_one_warning_or_none() {
        let plain = Dataset::from_labels(&["a", "b"], [["x", "y"], ["y", "x"], ["x", "x"]]).unwrap();
        assert!(texts(&plain).is_empty());
        let single = Dataset::from_labels(&["a", "b"], [["x", "y"]]).unwrap();
        assert_eq!(Warning::of(&single), [Warning::SingleRow]);
        let column = Dataset::from_labels(&["a"], [["x"], ["y"]]).unwrap();
        assert_eq!(Warning::of(&column), [Warning::SingleColumn { name: "a".to_owned() }]);
    }

    #[test]
    fn unused_levels_are_counted() {
        let levels = ["a", "b", "c"].map(str::to_owned).to_vec();
        let schema = Schema::checked(vec![
            Variable { name: "x".to_owned(), levels: levels.clone() },
            Variable { name: "y".to_owned(), levels },
        ]);
        let data = Dataset::from_columns(schema.unwrap(), &[vec![0, 1, 2], vec![0, 2, 2]], None).unwrap();
        assert_eq!(
            texts(&data),
            ["column \"y\" has 1 level that never occurs: it still counts in the outcome space"]
        );
    }
}
