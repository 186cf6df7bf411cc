//! What the owner of a table should know, in words.

use cmnet::{Dialect, OptionName, Remedy, Warning, quoted};

/// A warning as a sentence in the words of a front end.
pub fn warning_text(warning: &Warning, dialect: &dyn Dialect) -> String {
    match warning {
        Warning::SingleRow => {
            "the table has a single row: nothing can be learned from one observation".to_owned()
        }
        Warning::SingleColumn { name } => format!(
            "the table has a single column, {}: there is no edge to learn \
             (if the fields are separated by something else, give {})",
            quoted(name),
            dialect.option(OptionName::Delimiter)
        ),
        Warning::ConstantColumn { name, level } => {
            format!("column {} is constant (always {}): it can have no edge", quoted(name), quoted(level))
        }
        Warning::UnusedLevels { name, count } => format!(
            "column {} has {count} {} in the outcome space",
            quoted(name),
            if *count == 1 {
                "level that never occurs: it still counts"
            } else {
                "levels that never occur: they still count"
            }
        ),
        Warning::MostlyDistinct { name, levels, rows } => format!(
            "column {} has {levels} different values in {rows} rows and looks like an identifier: {} it",
            quoted(name),
            dialect.option(OptionName::Drop)
        ),
        Warning::LooksMissing { name, level, count } => format!(
            "column {} has the level {} ({count} rows), which looks like a missing value: if it is one, name it in {}",
            quoted(name),
            quoted(level),
            dialect.option(OptionName::Missing)
        ),
        Warning::SameNumber { name, level, other } => format!(
            "column {} has the levels {} and {}, one number written in two ways: they count as two levels",
            quoted(name),
            quoted(level),
            quoted(other)
        ),
        Warning::ManyNumbers { name, levels } => format!(
            "column {} has {levels} different numbers and looks like a measurement: {}",
            quoted(name),
            Remedy::CutNumbers.words(dialect)
        ),
        Warning::NotCut { name, numbers, level } => format!(
            "column {} has {numbers} different numbers and is not cut, since it has the text {} too: name that in {} \
             if it means missing",
            quoted(name),
            quoted(level),
            dialect.option(OptionName::Missing)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cmnet::{Dataset, Plain, Schema, Variable};

    fn texts(data: &Dataset) -> Vec<String> {
        Warning::of(data).iter().map(|warning| warning_text(warning, &Plain)).collect()
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
                "column \"id\" has 100 different values in 100 rows and looks like an identifier: `drop` it",
                "column \"age\" has 25 different numbers and looks like a measurement: \
                 cut its numbers into classes: `bins` = 4",
                "column \"site\" is constant (always \"x\"): it can have no edge",
            ]
        );
    }

    #[test]
    fn unused_levels_are_counted() {
        let levels = ["a", "b", "c"].map(str::to_owned).to_vec();
        let schema = Schema::new(vec![
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
