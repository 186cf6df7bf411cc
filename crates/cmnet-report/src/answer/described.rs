//! What a table holds: `cmnet describe`.

use super::Answer;
use super::missing::MissingAnswer;
use crate::align::{columns, left};
use crate::{many, warning_text};
use cmnet::{Cuts, Dataset, Dialect, LoadedIncomplete, LoadedTable, Plain, Schema, Var, Warning};
use serde::{Serialize, Serializer};
use std::fmt;

/// Levels listed per variable in the text form.
const LISTED_LEVELS: usize = 6;

/// The longest name or label in the text form.
const LONGEST_TEXT: usize = 24;

/// Variables, levels and counts of a table; prints as aligned text and serialises as
/// `cmnet-describe/1`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Description {
    /// Where the table came from, if from somewhere.
    pub file: Option<String>,
    /// Observations, counted by weight.
    pub rows: u64,
    /// Distinct rows.
    pub distinct_rows: usize,
    /// Rows of the file left out for their missing values.
    pub dropped_rows: u64,
    /// The weight of those rows.
    pub dropped_weight: u64,
    /// The size of the joint outcome space.
    pub outcome_space: OutcomeSpaceSize,
    /// The variables in column order.
    pub variables: Vec<VariableDescription>,
    /// What its owner should know.
    pub warnings: Vec<Notice>,
    /// What is missing, where something is and rows with missing values are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<MissingAnswer>,
}

/// The number of joint outcomes of all variables.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OutcomeSpaceSize {
    /// The exact number, unless it is beyond 128 bits; beyond 64 bits it is `null` in JSON,
    /// where few readers would keep its digits.
    #[serde(serialize_with = "up_to_64_bits")]
    pub size: Option<u128>,
    /// Its logarithm to base 10.
    pub log10: f64,
}

/// A variable with its levels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VariableDescription {
    /// The column's name.
    pub name: String,
    /// The levels in order, each with its number of observations.
    pub levels: Vec<LevelCount>,
    /// Missing values in the file.
    pub missing: u64,
    /// Where its numbers were cut; absent where they were not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuts: Option<Cuts>,
}

/// A level and how often it was observed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LevelCount {
    /// The label.
    pub label: String,
    /// Observations, counted by weight.
    pub count: u64,
}

/// A warning with its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Notice {
    /// The warning's facts.
    #[serde(flatten)]
    pub warning: Warning,
    /// The warning in words.
    pub message: String,
}

impl Description {
    /// Describes a table.
    pub fn of(data: &Dataset) -> Self {
        let sizes = (data.rows(), data.distinct_rows());
        Self::of_counts(data.schema(), sizes, |variable| data.level_counts(variable))
            .with_warnings(&Warning::of(data))
    }

    /// Describes a table whose rows with missing values are kept.
    pub fn of_incomplete(loaded: &LoadedIncomplete) -> Self {
        let table = &loaded.table;
        let sizes = (table.rows(), table.distinct_rows());
        let described = Self::of_counts(table.schema(), sizes, |variable| table.level_counts(variable));
        let mut described = described.with_warnings(&loaded.warnings);
        described.file = Some(loaded.file.clone());
        for (variable, &missing) in described.variables.iter_mut().zip(&loaded.missing) {
            variable.missing = missing;
        }
        described.missing = MissingAnswer::of(table);
        described
    }

    fn of_counts(
        schema: &Schema,
        (rows, distinct_rows): (u64, usize),
        counts: impl Fn(Var) -> Vec<u64>,
    ) -> Self {
        let variables = schema.variables().iter().enumerate().map(|(variable, column)| {
            let levels = column.levels.iter().zip(counts(variable));
            VariableDescription {
                name: column.name.clone(),
                levels: levels.map(|(label, count)| LevelCount { label: label.clone(), count }).collect(),
                missing: 0,
                cuts: schema.cuts(variable).cloned(),
            }
        });
        Self {
            file: None,
            rows,
            distinct_rows,
            dropped_rows: 0,
            dropped_weight: 0,
            outcome_space: OutcomeSpaceSize::of(&schema.cardinalities()),
            variables: variables.collect(),
            warnings: Vec::new(),
            missing: None,
        }
    }

    /// The same with its warnings in the words of a front end.
    #[must_use]
    pub fn in_words(mut self, dialect: &dyn Dialect) -> Self {
        for notice in &mut self.warnings {
            notice.message = warning_text(&notice.warning, dialect);
        }
        self
    }

    /// Describes a table with what was met while reading it.
    pub fn of_loaded(loaded: &LoadedTable) -> Self {
        let mut description = Self::of(&loaded.data).with_warnings(&loaded.warnings);
        description.file = Some(loaded.file.clone());
        description.dropped_rows = loaded.dropped_rows;
        description.dropped_weight = loaded.dropped_weight;
        for (variable, &missing) in description.variables.iter_mut().zip(&loaded.missing) {
            variable.missing = missing;
        }
        description
    }

    /// The same with these warnings.
    #[must_use]
    pub fn with_warnings(mut self, warnings: &[Warning]) -> Self {
        let notice =
            |warning: &Warning| Notice { warning: warning.clone(), message: warning_text(warning, &Plain) };
        self.warnings = warnings.iter().map(notice).collect();
        self
    }
}

impl Answer for Description {
    const FORMAT: &'static str = "cmnet-describe/1";
}

impl OutcomeSpaceSize {
    /// The product of the numbers of levels.
    pub fn of(cardinalities: &[u32]) -> Self {
        Self {
            size: cardinalities.iter().try_fold(1_u128, |size, &levels| size.checked_mul(levels.into())),
            log10: cardinalities.iter().map(|&levels| libm::log10(f64::from(levels))).sum(),
        }
    }
}

#[expect(clippy::ref_option, reason = "the signature that serde asks for")]
fn up_to_64_bits<S: Serializer>(size: &Option<u128>, serializer: S) -> Result<S::Ok, S::Error> {
    size.and_then(|size| u64::try_from(size).ok()).serialize(serializer)
}

impl fmt::Display for OutcomeSpaceSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.size {
            // Beyond that, nobody reads the digits.
            Some(size) if size < 1_000_000_000_000_000 => write!(f, "{size}"),
            _ => write!(f, "about 10^{:.1}", self.log10),
        }
    }
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            writeln!(f, "{file}")?;
        }
        writeln!(
            f,
            "{}, {} distinct; {}; joint outcomes: {}",
            many(self.rows, "row"),
            self.distinct_rows,
            many(self.variables.len(), "variable"),
            self.outcome_space
        )?;
        if self.dropped_rows > 0 {
            write!(f, "left out for missing values: {}", many(self.dropped_rows, "row"))?;
            if self.dropped_weight != self.dropped_rows {
                write!(f, " ({} by weight)", self.dropped_weight)?;
            }
            writeln!(f)?;
        }
        writeln!(f)?;
        self.write_variables(f)?;
        if let Some(missing) = &self.missing {
            writeln!(f)?;
            missing.facts().iter().try_for_each(|line| writeln!(f, "{}", printable(line)))?;
            writeln!(f, "{}", missing.assumption_in_words())?;
            let told = missing.warnings();
            told.iter().try_for_each(|warning| writeln!(f, "warning: {}", printable(warning)))?;
        }
        if !self.warnings.is_empty() {
            writeln!(f)?;
        }
        self.warnings.iter().try_for_each(|notice| writeln!(f, "warning: {}", notice.message))
    }
}

impl Description {
    fn write_variables(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let any_missing = self.variables.iter().any(|variable| variable.missing > 0);
        let mut lines = vec![["", "variable", "levels", "missing", "counts"].map(str::to_owned)];
        lines.extend((1..).zip(&self.variables).map(|(number, variable): (usize, _)| {
            [
                number.to_string(),
                plain(&variable.name),
                variable.levels.len().to_string(),
                variable.missing.to_string(),
                counts(&variable.levels),
            ]
        }));
        let mut widths = [0; 4];
        for line in &lines {
            for (width, cell) in widths.iter_mut().zip(line) {
                *width = columns(cell).max(*width);
            }
        }
        let [w0, w1, w2, w3] = widths;
        for [number, name, levels, missing, counts] in &lines {
            write!(f, "{number:>w0$}  {}  {levels:>w2$}", left(name, w1))?;
            if any_missing {
                write!(f, "  {missing:>w3$}")?;
            }
            writeln!(f, "  {counts}")?;
        }
        Ok(())
    }
}

/// The first levels with their counts, and how many more there are.
fn counts(levels: &[LevelCount]) -> String {
    let listed = if levels.len() == LISTED_LEVELS + 1 { levels.len() } else { LISTED_LEVELS };
    let mut parts: Vec<String> =
        levels.iter().take(listed).map(|level| format!("{}: {}", plain(&level.label), level.count)).collect();
    if levels.len() > listed {
        parts.push(format!("and {} more", levels.len() - listed));
    }
    parts.join(", ")
}

/// A text with what could disturb a terminal escaped.
fn printable(text: &str) -> String {
    let escaped = |c: char| if c.is_control() { c.escape_debug().to_string() } else { c.to_string() };
    text.chars().map(escaped).collect()
}

/// A user's text without quotes, cut, with what could disturb a terminal escaped.
fn plain(text: &str) -> String {
    let escaped = |c: char| match c {
        '"' | '\'' | '\\' => c.to_string(),
        _ => c.escape_debug().to_string(),
    };
    let cut: String = text.chars().take(LONGEST_TEXT).map(escaped).collect();
    if text.chars().nth(LONGEST_TEXT).is_some() { cut + "…" } else { cut }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Dataset {
        Dataset::from_labels(&["a", "long name"], [["x", "1"], ["y", "10"], ["x", "1"], ["x", "2"]]).unwrap()
    }

    #[test]
    fn text_is_aligned_and_complete() {
        assert_eq!(
            Description::of(&table()).to_string(),
            "4 rows, 3 distinct; 2 variables; joint outcomes: 6\n\
             \n   variable   levels  counts\n\
             1  a               2  x: 3, y: 1\n\
             2  long name       3  1: 2, 2: 1, 10: 1\n"
        );
    }

    #[test]
    fn missing_values_dropped_rows_and_warnings_are_shown_where_there_are_any() {
        let mut description = Description::of(&table()).with_warnings(&[Warning::SingleRow]);
        description.variables[1].missing = 7;
        (description.dropped_rows, description.dropped_weight) = (5, 50);
        let text = description.to_string();
        assert!(text.contains("left out for missing values: 5 rows (50 by weight)\n"), "{text}");
        assert!(text.contains("2  long name       3        7  1: 2, 2: 1, 10: 1\n"), "{text}");
        assert!(text.ends_with(
            "\nwarning: the table has a single row: nothing can be learned from one observation\n"
        ));
    }

    #[test]
    fn many_levels_are_cut_and_labels_cannot_disturb_a_terminal() {
        let labels: Vec<String> = (0..100).map(|level| format!("{}\u{1b}[2J", 100 + level)).collect();
        let data = Dataset::from_labels(&["x"], labels.iter().map(|label| [label.as_str()])).unwrap();
        let text = Description::of(&data).to_string();
        assert!(text.contains("105\\u{1b}[2J: 1, and 94 more"), "{text}");
    }

    #[test]
    fn outcome_spaces_are_exact_while_they_fit() {
        assert_eq!(OutcomeSpaceSize::of(&[2; 64]).size, Some(1 << 64));
        let huge = OutcomeSpaceSize::of(&[2; 1000]);
        assert_eq!((huge.size, huge.to_string().as_str()), (None, "about 10^301.0"));
        let json =
            |levels: &[u32]| serde_json::to_value(OutcomeSpaceSize::of(levels)).unwrap()["size"].clone();
        assert_eq!(json(&[2; 63]), 1_u64 << 63);
        assert!(json(&[2; 64]).is_null());
    }

    #[test]
    fn json_names_its_format_and_flattens_warnings() {
        let description = Description::of(&table()).with_warnings(&[Warning::SingleRow]);
        let json = crate::answer::fields(&crate::answer::document(&description)).unwrap();
        assert_eq!(json["format"], "cmnet-describe/1");
        assert_eq!(json["outcome_space"]["size"], 6);
        assert_eq!(json["variables"][1]["levels"][2]["label"], "10");
        assert_eq!(json["warnings"][0]["kind"], "single_row");
        assert!(json["warnings"][0]["message"].is_string());
    }
}
