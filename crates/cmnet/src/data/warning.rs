//! Facts about a table that do not stop the work but that its owner should know. Front ends
//! put them into words.

use super::dataset::Dataset;
use super::encode::number;
use super::incomplete::IncompleteTable;
use super::variable::{Schema, Var, Variable};
use serde::Serialize;

/// Rows from which a column of almost as many values looks like an identifier.
const ENOUGH_ROWS: u64 = 20;

/// Numeric levels above which a column looks like a measurement.
pub(super) const MANY_NUMBERS: usize = 20;

/// Texts that mean "missing" to other programs and not here, unless that is asked for.
const LOOK_MISSING: [&str; 17] = [
    "null", "NULL", "Null", "None", "#N/A", "#NA", "N/A", "n/a", "<NA>", ".", "nan", "NAN", "Nan", "-nan",
    "-NaN", "na", "NaT",
];

/// Levels up to which two spellings of one number are looked for: beyond, it is a measurement.
const MANY_SPELLINGS: usize = 1000;

/// Something about a table that does not stop the work.
///
/// The list is exhaustive on purpose: a new warning does not compile before it has words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
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
    /// A level that elsewhere often means that the value is missing.
    LooksMissing {
        /// The column's name.
        name: String,
        /// The level.
        level: String,
        /// How often it occurs.
        count: u64,
    },
    /// Two levels that are one number written in two ways.
    SameNumber {
        /// The column's name.
        name: String,
        /// The one.
        level: String,
        /// The other.
        other: String,
    },
    /// A column of many different numbers.
    ManyNumbers {
        /// The column's name.
        name: String,
        /// How many levels.
        levels: usize,
    },
    /// A column of many numbers that was not cut, since it has a text among them.
    NotCut {
        /// The column's name.
        name: String,
        /// How many different numbers.
        numbers: usize,
        /// The text.
        level: String,
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
            | Self::LooksMissing { name, .. }
            | Self::SameNumber { name, .. }
            | Self::NotCut { name, .. }
            | Self::ManyNumbers { name, .. } => Some(name),
        }
    }

    /// The warnings that a table's content gives rise to, in column order.
    pub fn of(data: &Dataset) -> Vec<Self> {
        Self::of_counts(data.schema(), data.rows(), |variable| data.level_counts(variable))
    }

    /// The same for a table with holes.
    pub(crate) fn of_incomplete(table: &IncompleteTable) -> Vec<Self> {
        Self::of_counts(table.schema(), table.rows(), |variable| table.level_counts(variable))
    }

    fn of_counts(schema: &Schema, rows: u64, counts: impl Fn(Var) -> Vec<u64>) -> Vec<Self> {
        let mut warnings = Vec::new();
        if schema.len() == 1 {
            warnings.push(Self::SingleColumn { name: schema.name(0).to_owned() });
        }
        if rows == 1 {
            // Every column is constant then: saying so of each would only bury this.
            warnings.push(Self::SingleRow);
            return warnings;
        }
        let columns = schema.variables().iter().enumerate();
        warnings.extend(columns.flat_map(|(variable, column)| of_column(column, rows, &counts(variable))));
        warnings
    }

    /// The same for a table of which columns of many numbers were cut, if they were.
    pub(crate) fn of_cut(data: &Dataset, cut: bool) -> Vec<Self> {
        let mut warnings = Self::of(data);
        if cut {
            warnings.extend((0..data.variables()).filter_map(|variable| not_cut(data, variable)));
        }
        warnings
    }
}

/// The number of numbers in a column that has a text among many of them, and that text.
fn not_cut(data: &Dataset, variable: Var) -> Option<Warning> {
    let column = data.schema().variable(variable);
    let level = column.levels.iter().find(|label| number(label).is_none())?.clone();
    let numbers = column.levels.iter().filter(|label| number(label).is_some()).count();
    (numbers > MANY_NUMBERS).then(|| Warning::NotCut { name: column.name.clone(), numbers, level })
}

fn of_column(column: &Variable, rows: u64, counts: &[u64]) -> Vec<Warning> {
    let name = || column.name.clone();
    let used: Vec<usize> = (0..counts.len()).filter(|&level| counts[level] > 0).collect();
    let mut warnings = Vec::new();
    if let [only] = used[..] {
        warnings.push(Warning::ConstantColumn { name: name(), level: column.levels[only].clone() });
    }
    if used.len() < counts.len() {
        warnings.push(Warning::UnusedLevels { name: name(), count: counts.len() - used.len() });
    }
    let missing = used.iter().filter(|&&level| LOOK_MISSING.contains(&column.levels[level].as_str()));
    warnings.extend(missing.map(|&level| Warning::LooksMissing {
        name: name(),
        level: column.levels[level].clone(),
        count: counts[level],
    }));
    let mut met: Vec<(f64, &String)> = Vec::new();
    if used.len() <= MANY_SPELLINGS {
        met.extend(used.iter().filter_map(|&at| Some((number(&column.levels[at])?, &column.levels[at]))));
        met.sort_by(|one, other| one.0.total_cmp(&other.0));
    }
    warnings.extend(met.windows(2).filter(|pair| pair[0].0.total_cmp(&pair[1].0).is_eq()).map(|pair| {
        Warning::SameNumber { name: name(), level: pair[0].1.clone(), other: pair[1].1.clone() }
    }));
    let levels = used.len();
    let numbers = || column.levels.iter().map(|label| number(label));
    let are_numbers = levels > MANY_NUMBERS && numbers().all(|value| value.is_some());
    // Identifiers have no fractions.
    let are_fractions = are_numbers && numbers().flatten().any(|value| value.fract() != 0.0);
    if rows >= ENOUGH_ROWS && levels as u64 * 10 >= rows * 9 && !are_fractions {
        warnings.push(Warning::MostlyDistinct { name: name(), levels, rows });
    } else if are_numbers {
        warnings.push(Warning::ManyNumbers { name: name(), levels });
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_missing_and_numbers_in_two_spellings_are_told() {
        let rows = [["null", "1"], ["x", "01"], ["x", "1.0"], ["None", "2"]];
        let data = Dataset::from_labels(&["a", "b"], rows).unwrap();
        let looks = |level: &str| Warning::LooksMissing { name: "a".into(), level: level.into(), count: 1 };
        let same = |level: &str, other: &str| Warning::SameNumber {
            name: "b".into(),
            level: level.into(),
            other: other.into(),
        };
        assert_eq!(Warning::of(&data), [looks("None"), looks("null"), same("01", "1"), same("1", "1.0")]);
    }

    #[test]
    fn small_and_plain_tables_give_one_warning_or_none() {
        let plain = Dataset::from_labels(&["a", "b"], [["x", "y"], ["y", "x"], ["x", "x"]]).unwrap();
        assert!(Warning::of(&plain).is_empty());
        let single = Dataset::from_labels(&["a", "b"], [["x", "y"]]).unwrap();
        assert_eq!(Warning::of(&single), [Warning::SingleRow]);
        let column = Dataset::from_labels(&["a"], [["x"], ["y"]]).unwrap();
        assert_eq!(Warning::of(&column), [Warning::SingleColumn { name: "a".to_owned() }]);
    }
}
