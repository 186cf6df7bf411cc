//! Tables from memory, for programs that hold their data already.

use super::codes::Codes;
use super::collapse::collapse;
use super::dataset::Dataset;
use super::intake::{Intake, Levels, Origin, UNNAMED_TABLE};
use super::tally::OnMissing;
use super::variable::Schema;
use crate::error::{Error, InputProblem, Place, Result, quoted};

impl Dataset {
    /// A table from codes: one list per variable, each code below the variable's number of
    /// levels, and how often each row was observed (once each by default).
    ///
    /// # Errors
    /// When columns differ in number or length from schema and weights, a code is out of
    /// range, or the rows by weight are none or more than [`MAX_ROWS`](super::MAX_ROWS).
    ///
    /// # Example
    /// ```
    /// use cmnet::{Dataset, Schema, Variable};
    /// let levels = vec!["no".to_owned(), "yes".to_owned()];
    /// let schema = Schema::new(vec![
    ///     Variable { name: "a".to_owned(), levels: levels.clone() },
    ///     Variable { name: "b".to_owned(), levels },
    /// ])?;
    /// let data = Dataset::from_columns(schema, &[vec![0, 1, 1], vec![1, 0, 0]], None)?;
    /// assert_eq!((data.rows(), data.distinct_rows()), (3, 2));
    /// # Ok::<(), cmnet::Error>(())
    /// ```
    pub fn from_columns(schema: Schema, columns: &[Vec<u32>], weights: Option<&[u32]>) -> Result<Self> {
        let rows = columns.first().map_or(0, Vec::len);
        let mut narrow = Vec::with_capacity(columns.len());
        for (column, variable) in columns.iter().zip(schema.variables()) {
            let mut codes = Codes::default();
            let levels = variable.levels.len();
            for (row, &code) in (1..).zip(column) {
                if code as usize >= levels {
                    let place = Place::file(UNNAMED_TABLE)
                        .at_line(row)
                        .at_column(narrow.len() + 1, Some(&variable.name));
                    return Err(Error::input(place, InputProblem::CodeOutOfRange { code, levels }));
                }
                codes.push(code as u16);
            }
            narrow.push(codes);
        }
        if narrow.len() != columns.len() {
            return Err(Error::option(
                "columns",
                format!("{} columns", columns.len()),
                "one list of codes per variable",
            ));
        }
        match weights {
            Some(weights) => collapse(schema, &narrow, weights),
            None => collapse(schema, &narrow, &vec![1; rows]),
        }
    }

    /// A table from labels, one list per row; the order of levels is that of a file without
    /// a schema: by value when every label is a number, else by bytes. Labels are taken as
    /// they are: none is missing, spaces are part of them.
    ///
    /// # Errors
    /// When names are empty or doubled, a row is longer or shorter than the names, a variable
    /// has more than [`MAX_LEVELS`](super::MAX_LEVELS) labels, or there is no row.
    ///
    /// # Example
    /// ```
    /// use cmnet::Dataset;
    /// let data = Dataset::from_labels(&["smokes", "age"], [["yes", "<40"], ["no", "40+"]])?;
    /// assert_eq!(data.schema().variable(0).levels, ["no", "yes"]);
    /// # Ok::<(), cmnet::Error>(())
    /// ```
    pub fn from_labels<R>(names: &[&str], rows: impl IntoIterator<Item = R>) -> Result<Self>
    where
        R: IntoIterator,
        R::Item: AsRef<str>,
    {
        let columns = names.iter().map(|&name| (name.to_owned(), Levels::Observed)).collect();
        let mut intake = Intake::of(Origin::Labels, columns, &[])?;
        let mut fields: Vec<R::Item> = Vec::new();
        for labels in rows {
            fields.clear();
            fields.extend(labels);
            if fields.len() != names.len() {
                return Err(ragged(&fields, names.len(), intake.rows() + 1));
            }
            intake.push(1, |variable| Some(fields[variable].as_ref().as_bytes()))?;
        }
        Ok(intake.finish(OnMissing::Error)?.data)
    }
}

/// The complaint about a row that is longer or shorter than the names.
fn ragged<L: AsRef<str>>(fields: &[L], expected: usize, row: u64) -> Error {
    let texts: Vec<&str> = fields.iter().map(AsRef::as_ref).collect();
    let (found, text) = (fields.len(), quoted(&texts.join(",")));
    let problem = InputProblem::RaggedRow { expected, found, text, doubt: None };
    Error::input(Place::file(UNNAMED_TABLE).at_line(row), problem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Variable;

    fn schema() -> Schema {
        let levels = vec!["no".to_owned(), "yes".to_owned()];
        let variable = |name: &str| Variable { name: name.to_owned(), levels: levels.clone() };
        Schema::new(vec![variable("a"), variable("b")]).unwrap()
    }

    #[test]
    fn codes_and_labels_give_the_same_table() {
        let from_labels =
            Dataset::from_labels(&["a", "b"], [["yes", "no"], ["no", "yes"], ["yes", "no"]]).unwrap();
        let codes = [vec![1, 0], vec![0, 1]];
        assert_eq!(Dataset::from_columns(schema(), &codes, Some(&[2, 1])).unwrap(), from_labels);
        let rows = [["yes", "no"], ["no", "yes"]].map(|row| row.map(str::to_owned));
        let borrowed = Dataset::from_labels(&["a", "b"], rows.iter().chain(&rows[..1])).unwrap();
        assert_eq!(borrowed, from_labels);
    }

    #[test]
    fn what_does_not_fit_is_refused_with_its_place() {
        let message = |result: Result<Dataset>| result.unwrap_err().to_string();
        let found = message(Dataset::from_columns(schema(), &[vec![0, 2], vec![0, 0]], None));
        assert_eq!(
            found,
            "the table, line 2, column 1 (\"a\"): the code 2 is not a level of this variable; \
             it has 2 levels, counted from 0"
        );
        assert!(Dataset::from_columns(schema(), &[vec![0]], None).is_err());
        assert!(Dataset::from_columns(schema(), &[vec![0], vec![0], vec![0]], None).is_err());
        assert!(Dataset::from_columns(schema(), &[vec![0], vec![0, 1]], None).is_err());
        assert!(Dataset::from_columns(schema(), &[vec![], vec![]], None).is_err());
        assert!(Dataset::from_columns(schema(), &[vec![0], vec![0]], Some(&[0])).is_err());
        let found = message(Dataset::from_labels(&["a", "b"], [vec!["x", "y"], vec!["x"]]));
        assert!(found.starts_with("the table, line 2: this row has 1 field where 2"), "{found}");
        assert!(Dataset::from_labels(&["a", "a"], [["x", "y"]]).is_err());
        assert!(Dataset::from_labels(&[], [[""; 0]]).is_err());
        assert!(Dataset::from_labels::<[&str; 1]>(&["a"], []).is_err());
    }
}
