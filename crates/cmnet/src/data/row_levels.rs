//! Rows as the levels of a model's variables, one by one and in their order: what prediction
//! takes. Cells and whole columns may be missing.

use super::encode::{Coder, Lookup};
use super::intake::{UNNAMED_TABLE, trimmed};
use super::variable::{Schema, Var};
use crate::error::{Error, Place, Result, choices};

choices! {
    /// What becomes of a value that is no level of its variable.
    pub enum OnUnknown of OnUnknown {
        /// It is refused, with its place.
        Error = "error",
        /// It counts as missing.
        Missing = "missing",
    }
}

/// Reads rows as the levels of a model's variables.
#[derive(Debug)]
pub struct RowLevels {
    source: String,
    names: Vec<String>,
    /// The number of each variable's column in the table, counted from 1, where it is known.
    numbers: Vec<Option<usize>>,
    coders: Vec<Coder>,
    levels: Vec<Option<u32>>,
    on_unknown: OnUnknown,
    rows: u64,
}

impl RowLevels {
    /// A reader of rows of these variables, from memory.
    pub fn new(schema: &Schema, missing: &[String], on_unknown: OnUnknown) -> Self {
        let missing = trimmed(missing);
        let variables = schema.variables();
        Self {
            source: UNNAMED_TABLE.to_owned(),
            names: variables.iter().map(|variable| variable.name.clone()).collect(),
            numbers: vec![None; variables.len()],
            coders: (0..variables.len()).map(|variable| coder(schema, variable, &missing)).collect(),
            levels: vec![None; variables.len()],
            on_unknown,
            rows: 0,
        }
    }

    /// The same reader for the rows of a file, in which the variables have these columns,
    /// counted from 0.
    #[cfg(feature = "csv")]
    #[must_use]
    pub(crate) fn of_file(self, file: String, columns: &[Option<usize>]) -> Self {
        let numbers = columns.iter().map(|column| column.map(|column| column + 1)).collect();
        Self { source: file, numbers, ..self }
    }

    /// The levels of the next row, `None` where one is missing.
    ///
    /// # Errors
    /// When a value is no level of its variable, unless that counts as missing.
    pub fn read<'a>(&mut self, cell: impl Fn(Var) -> Option<&'a [u8]>) -> Result<&[Option<u32>]> {
        let line = self.rows + 1;
        self.read_at(|| line, cell)
    }

    /// The levels of a row that stands in a line of its own choosing.
    #[inline]
    pub(crate) fn read_at<'a>(
        &mut self,
        line: impl Fn() -> u64,
        cell: impl Fn(Var) -> Option<&'a [u8]>,
    ) -> Result<&[Option<u32>]> {
        self.rows += 1;
        for (variable, coder) in self.coders.iter_mut().enumerate() {
            let text = cell(variable).map(<[u8]>::trim_ascii);
            let found = text.map_or(Lookup::Missing, |text| coder.find(text));
            self.levels[variable] = match (found, self.on_unknown) {
                (Lookup::Level(code), _) => Some(code.into()),
                (Lookup::Missing, _) | (Lookup::New, OnUnknown::Missing) => None,
                (Lookup::New, OnUnknown::Error) => {
                    let added = coder.add(text.unwrap_or_default()).map_err(|problem| {
                        let place = Place {
                            name: Some(self.names[variable].clone()),
                            column: self.numbers[variable],
                            ..Place::file(&self.source).at_line(line())
                        };
                        Error::input(place, problem)
                    })?;
                    Some(added.code.into())
                }
            };
        }
        Ok(&self.levels)
    }
}

/// What reads the texts of a variable.
fn coder(schema: &Schema, variable: Var, missing: &[String]) -> Coder {
    let levels = &schema.variable(variable).levels;
    match schema.cuts(variable) {
        Some(cuts) => Coder::cut(levels, cuts.clone(), missing),
        None => Coder::declared(levels, missing),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Variable;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    fn message<T>(result: Result<T>) -> String {
        result.err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn rows_become_levels_of_a_model() {
        let variable = |name: &str| Variable { name: name.to_owned(), levels: texts(&["no", "yes"]) };
        let schema = Schema::new(vec![variable("a"), variable("b")]).unwrap();
        let mut rows = RowLevels::new(&schema, &texts(&["?"]), OnUnknown::Error);
        assert_eq!(rows.read(|v| [Some(b" yes".as_slice()), None][v]).unwrap(), [Some(1), None]);
        assert_eq!(rows.read(|_| Some(b"?")).unwrap(), [None, None]);
        let mut forgiving = RowLevels::new(&schema, &[], OnUnknown::Missing);
        assert_eq!(forgiving.read(|_| Some(b"maybe")).unwrap(), [None, None]);
        assert!(message(rows.read(|_| Some(b"maybe"))).contains("the table, line 3, column \"a\""));
    }
}
