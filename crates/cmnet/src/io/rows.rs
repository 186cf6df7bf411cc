//! The rows of a table one by one, in the order of the file, as a model's levels: what
//! prediction reads. Cells and whole columns may be missing.

use super::csv::{ReadOptions, parse_weight};
use super::header::Columns;
use super::records::Records;
use super::source::Source;
use crate::data::{Coder, Found, Schema};
use crate::error::{Error, InputProblem, Result, choices, quoted_bytes};

/// The cells of one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row<'a> {
    /// The level of each variable of the schema; `None` where it is missing.
    pub levels: &'a [Option<u32>],
    /// How often it was observed.
    pub weight: u64,
}

choices! {
    /// What becomes of a value that is no level of its variable.
    pub enum OnUnknown of OnUnknown {
        /// It is refused, with its place.
        Error = "error",
        /// It counts as missing.
        Missing = "missing",
    }
}

/// Visits the rows of a table; returns which of the schema's variables are columns of it.
///
/// Columns that the schema does not name are not looked into. Of the options, the missing
/// texts, delimiter, header and weights count.
///
/// # Errors
/// When the source cannot be read, has none of the variables, or holds a value that is no
/// level of its variable; or what `visit` says.
pub fn visit(
    source: &Source,
    (options, unknown): (&ReadOptions, OnUnknown),
    schema: &Schema,
    mut visit: impl FnMut(Row<'_>) -> Result<()>,
) -> Result<Vec<bool>> {
    let mut records = Records::open(source.open()?, options.delimiter)?;
    let names = ReadOptions { columns: None, schema: None, ..options.clone() };
    let columns = Columns::new(&records, &names)?;
    let mut reader = Reader::new(schema, columns, (options, unknown))?;
    let mut more = !options.header || records.advance()?;
    while more {
        reader.read(&records)?;
        visit(Row { levels: &reader.levels, weight: reader.weight })?;
        more = records.advance()?;
    }
    Ok(reader.places.iter().map(Option::is_some).collect())
}

struct Reader {
    columns: Columns,
    /// The column of each variable.
    places: Vec<Option<usize>>,
    coders: Vec<Coder>,
    unknown: OnUnknown,
    levels: Vec<Option<u32>>,
    weight: u64,
}

impl Reader {
    fn new(schema: &Schema, columns: Columns, (options, unknown): (&ReadOptions, OnUnknown)) -> Result<Self> {
        let used = |column: &usize| columns.variables.contains(column);
        let place = |name: &str| columns.names.iter().position(|known| known == name).filter(used);
        let places: Vec<Option<usize>> =
            schema.variables().iter().map(|variable| place(&variable.name)).collect();
        if places.iter().all(Option::is_none) {
            return Err(Error::mismatch(
                "the data have none of the model's columns",
                "check the header line",
            ));
        }
        let missing: Vec<String> = options.missing.iter().map(|text| text.trim_ascii().to_owned()).collect();
        let coders =
            schema.variables().iter().map(|variable| Coder::declared(&variable.levels, &missing)).collect();
        Ok(Self { columns, unknown, levels: vec![None; places.len()], places, coders, weight: 1 })
    }

    fn read(&mut self, records: &Records<'_>) -> Result<()> {
        if records.len() != self.columns.names.len() {
            return Err(records.ragged(self.columns.names.len(), false));
        }
        for (v, place) in self.places.iter().enumerate() {
            let Some(column) = *place else { continue };
            let field = records.field(column);
            self.levels[v] = match self.coders[v].find(field) {
                Found::Level(code) => Some(u32::from(code)),
                Found::Missing => None,
                Found::New if self.unknown == OnUnknown::Missing => None,
                Found::New => {
                    let at = self.columns.place(column).at_line(records.line());
                    let code = self.coders[v].add(field).map_err(|problem| Error::input(at, problem))?;
                    Some(u32::from(code))
                }
            };
        }
        if let Some(column) = self.columns.weights {
            let field = records.field(column);
            self.weight = parse_weight(field).map_err(|doubt| {
                let place = self.columns.place(column).at_line(records.line());
                Error::input(place, InputProblem::Weight { text: quoted_bytes(field), doubt })
            })?;
        }
        Ok(())
    }
}
