//! The words for what is wrong with a table and what to do about it.

use super::dialect::{Action, Dialect};
use super::input::{InputProblem, MissingValues, RowDoubt, WeightDoubt};
use super::option::OptionName;
use super::quoting::quoted;
use super::remedy::Remedy;

impl InputProblem {
    /// The problem and what to do about it, in the words of a front end; `in_memory` for a
    /// table that is in no file.
    pub fn words(&self, dialect: &dyn Dialect, in_memory: bool) -> String {
        match self {
            Self::NotFound { .. }
            | Self::Directory
            | Self::NotText { .. }
            | Self::Compressed { .. }
            | Self::Columnar { .. }
            | Self::EmptyFile
            | Self::InvalidUtf8 { .. }
            | Self::Points { .. }
            | Self::Schema { .. }
            | Self::Knowledge { .. } => self.words_of_file(dialect),
            Self::NoRows { .. }
            | Self::RaggedRow { .. }
            | Self::RowTooLong { .. }
            | Self::OpenQuote { .. }
            | Self::TextAfterQuote
            | Self::HeaderTwice
            | Self::TooManyRows { .. }
            | Self::Weight { .. } => self.words_of_row(dialect),
            Self::TooManyLevels { .. }
            | Self::NotANumber { .. }
            | Self::CutsAndLevels { .. }
            | Self::OtherColumns { .. } => self.words_of_numbers(dialect),
            Self::Missing(missing) => missing.words(dialect, in_memory),
            Self::TooManyColumns { limit } => format!(
                "there are more than {limit} columns; choose some by {}, or check the delimiter",
                dialect.option(OptionName::Columns)
            ),
            Self::AllMissing => format!(
                "every value of this column is missing; leave it out with {}, or give rows that have it",
                dialect.option(OptionName::Drop)
            ),
            _ => self.words_of_column(dialect, in_memory),
        }
    }

    fn words_of_file(&self, dialect: &dyn Dialect) -> String {
        match self {
            Self::NotFound { remedy } => format!("there is no such file; {}", remedy.words(dialect)),
            Self::Directory => format!(
                "this is a directory; name a CSV or TSV file in it, {}",
                dialect.action(Action::PassTable)
            ),
            Self::NotText { what } => {
                format!("this is not a UTF-8 text but {what}; save the table as CSV or TSV in UTF-8")
            }
            Self::Compressed { what } => {
                format!("the compressed data is damaged: {what}; fetch or compress the file again")
            }
            Self::Columnar { format, what } => {
                format!(
                    "this file of {format} cannot be read: {what}; write it again, or save the table as CSV"
                )
            }
            Self::InvalidUtf8 { text } => format!("the text {text} is not UTF-8; convert the file to UTF-8"),
            Self::Knowledge { what } => format!(
                "{what}; expected lists require, forbid, no_contexts and tiers, and tables [[prior]] with edge and p"
            ),
            Self::Points { what } => {
                format!("the cut points are not usable; expected {what}, such as: age = [18, 40, 65]")
            }
            Self::Schema { what } => format!(
                "{what}; expected a TOML table [levels] with a list of texts per column, such as: \
                 grade = [\"low\", \"high\"]"
            ),
            _ => "the file is empty; expected a header line and one row per observation".to_owned(),
        }
    }

    fn words_of_row(&self, dialect: &dyn Dialect) -> String {
        match self {
            Self::NoRows { why } => format!("no rows are left ({why}); expected at least one row"),
            Self::RaggedRow { expected, found, text, doubt } => {
                let fields = if *found == 1 { "field" } else { "fields" };
                let were = if *expected == 1 { "was" } else { "were" };
                let doubt = match doubt {
                    Some(RowDoubt::RowNames) => {
                        "; are these row names without a name in the header line?".to_owned()
                    }
                    Some(RowDoubt::RunsOnTo(line)) => format!("; a quote makes it run on to line {line}"),
                    None => String::new(),
                };
                format!(
                    "this row has {found} {fields} where {expected} {were} expected ({text}){doubt}; \
                     add or remove fields, quote a field that contains the delimiter, or give {}",
                    dialect.option(OptionName::Delimiter)
                )
            }
            Self::RowTooLong { limit } => format!(
                "this row is longer than {limit} bytes; a quote opened in it is never closed, or this is no table"
            ),
            Self::OpenQuote { text } => format!(
                "the quote opened before {text} is never closed; close it, or double a quote that is part of the text"
            ),
            Self::TextAfterQuote => {
                "text follows the closing quote of a field; double a quote that is part of the text, or \
                 remove the quotes"
                    .to_owned()
            }
            Self::TooManyRows { total, limit } => format!(
                "the rows add up to {total}, beyond the limit of {limit}; sample the table or divide the weights"
            ),
            Self::Weight { text, doubt } => format!(
                "the weight {text} is not a count; expected a whole number, 0 or more{}",
                doubt.words(dialect)
            ),
            _ => format!(
                "this row repeats the header line; remove it (two files were joined?), or {}",
                no_header(dialect)
            ),
        }
    }

    fn words_of_numbers(&self, dialect: &dyn Dialect) -> String {
        let option = |option| dialect.option(option);
        match self {
            Self::TooManyLevels { limit } => format!(
                "more than {limit} different values; this column looks like an identifier or a measurement: \
                 {} it, or {}",
                option(OptionName::Drop),
                Remedy::CutNumbers.words(dialect)
            ),
            Self::NotANumber { text, levels } => {
                let known = levels.as_ref().map_or(String::new(), |levels| format!(", nor one of {levels}"));
                format!(
                    "the value {text} is no finite number{known}; the numbers of this column are cut: mend the row, \
                     or name the text in {} if it means missing",
                    option(OptionName::Missing)
                )
            }
            Self::CutsAndLevels { levels, points } => format!(
                "{levels} levels and {points} cut points; expected one level more than cut points, in their order"
            ),
            Self::OtherColumns { first, columns } => {
                format!(
                    "the columns are not those of {first} ({columns}); files of one table have the same columns"
                )
            }
            _ => String::new(),
        }
    }

    fn words_of_column(&self, dialect: &dyn Dialect, in_memory: bool) -> String {
        let option = |option| dialect.option(option);
        match self {
            Self::DuplicateColumn { name, first } => {
                let or = if in_memory { String::new() } else { format!(", or {}", no_header(dialect)) };
                format!(
                    "the column name {name} appears twice (first as column {first}); rename one of them{or}"
                )
            }
            Self::EmptyColumnName if in_memory => "this column has no name; rename it".to_owned(),
            Self::EmptyColumnName => format!(
                "this column has no name; name it in the header line, remove it (row numbers, or a \
                 delimiter at the end of the line?), or {}",
                no_header(dialect)
            ),
            Self::UnknownColumn { name, known, near } => {
                let near = near.as_deref().map(quoted);
                let hint =
                    near.map_or("check the spelling".to_owned(), |near| format!("did you mean {near}?"));
                format!("there is no column {name} (the table has {known}); {hint}")
            }
            Self::WeightsAsVariable => format!(
                "this column holds the weights and cannot be a variable too; take it out of {} or {}",
                option(OptionName::Columns),
                option(OptionName::Weights)
            ),
            Self::UnknownLevel { text, levels, near } => {
                let near = near.as_deref().map(quoted);
                let hint = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
                format!(
                    "the value {text} is not a level of this variable ({levels}){hint}; mend the row, or \
                     learn with this level in {}",
                    dialect.file(OptionName::Schema)
                )
            }
            Self::NotCategories { what, remedies } => {
                format!("this column holds {what}, not categories; {}", remedies.words(dialect))
            }
            Self::DuplicateLevel { level } => {
                format!("the level {level} is listed twice; remove one of them")
            }
            Self::NoLevels => "this variable has no level; list at least one".to_owned(),
            Self::CodeOutOfRange { code, levels } => {
                format!(
                    "the code {code} is not a level of this variable; it has {levels} levels, counted from 0"
                )
            }
            _ => format!(
                "no column is left to learn from; keep at least one with {} or {}",
                option(OptionName::Columns),
                option(OptionName::Drop)
            ),
        }
    }
}

fn no_header(dialect: &dyn Dialect) -> String {
    format!("give {} if the first line is a row", dialect.switch(OptionName::NoHeader))
}

impl WeightDoubt {
    fn words(self, dialect: &dyn Dialect) -> String {
        match self {
            Self::Empty => "; write 0, or remove the row".to_owned(),
            Self::Negative => "; a count cannot be negative".to_owned(),
            Self::TooLarge { limit } => format!(", at most {limit}; divide the weights"),
            Self::NotDigits => {
                let real = dialect.action(Action::ReadRealWeights);
                format!(" in plain digits; round or multiply the weights, or {real}")
            }
            Self::NotFinite => ", or a finite number; mend the row".to_owned(),
            Self::OtherColumn => {
                format!("; is this the right {} column?", dialect.option(OptionName::Weights))
            }
        }
    }
}

impl MissingValues {
    fn words(&self, dialect: &dyn Dialect, in_memory: bool) -> String {
        const MOST: usize = 8;
        let mut columns: Vec<String> = self
            .columns
            .iter()
            .take(MOST)
            .map(|(name, count)| format!("{}: {count}", quoted(name)))
            .collect();
        if self.columns.len() > MOST {
            columns.push(format!("and {} more columns", self.columns.len() - MOST));
        }
        format!(
            "missing values in {} of {} rows, first in {} ({}); give {} to leave those rows out, {} to learn, fit or \
             evaluate with what is known of them, {} to leave out a column, or {} to say which texts mean missing",
            self.rows,
            self.of,
            dialect.line(self.first_line, in_memory),
            columns.join(", "),
            dialect.setting(OptionName::OnMissing, "drop"),
            dialect.setting(OptionName::OnMissing, "model"),
            dialect.option(OptionName::Drop),
            dialect.option(OptionName::Missing)
        )
    }
}
