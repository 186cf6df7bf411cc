//! The rows of a table one by one, in the order of the file, as a model's levels: what
//! prediction reads. Cells and whole columns may be missing.

use super::header;
use super::read_options::ReadOptions;
use super::records::Records;
use super::source::Source;
use crate::control::Under;
pub(super) use crate::data::OnUnknown;
use crate::data::{Bins, RowLevels, Schema};
use crate::error::Result;

/// The cells of one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodedRow<'a> {
    /// The level of each variable of the schema; `None` where it is missing.
    pub levels: &'a [Option<u32>],
    /// How often it was observed.
    pub weight: u64,
}

/// Visits the rows of a table; returns which of the schema's variables are columns of it.
///
/// Columns that the schema does not name are not looked into. Of the options, the missing
/// texts, delimiter, header and weights count.
///
/// # Errors
/// When the source cannot be read, has none of the variables, or holds a value that is no
/// level of its variable; or what `visit` says; when the control asks to stop.
pub fn visit_rows<'a>(
    source: &Source,
    options: impl Into<Under<'a, ReadOptions>>,
    on_unknown: OnUnknown,
    schema: &Schema,
    mut visit: impl FnMut(CodedRow<'_>) -> Result<()>,
) -> Result<Vec<bool>> {
    let options = options.into();
    match source {
        Source::Files { paths, .. } => {
            let mut met = Vec::new();
            for path in paths {
                met = visit_one(&Source::Path(path.clone()), options, on_unknown, schema, &mut visit)?;
            }
            Ok(met)
        }
        _ => visit_one(source, options, on_unknown, schema, &mut visit),
    }
}

fn visit_one(
    source: &Source,
    options: Under<'_, ReadOptions>,
    on_unknown: OnUnknown,
    schema: &Schema,
    visit: &mut dyn FnMut(CodedRow<'_>) -> Result<()>,
) -> Result<Vec<bool>> {
    let mut records = Records::open(source.open(options.control())?, options.delimiter)?;
    let all =
        ReadOptions { columns: None, schema: None, bins: Bins::default(), ..ReadOptions::clone(&options) };
    let columns = header::columns(&records, &all)?;
    let places = columns.places(schema, "check the header line")?;
    let reader = RowLevels::new(schema, &options.missing, on_unknown);
    let mut reader = reader.of_file(records.place().file, &places);
    let mut more = !options.header || records.advance()?;
    while more {
        if records.len() != columns.names().len() {
            return Err(records.ragged(columns.names().len(), false));
        }
        let line = || records.line();
        let levels = reader.read_at(line, |variable| Some(records.raw(places[variable]?)))?;
        let weight = columns.weight(|column| Some(records.raw(column)), line)?;
        visit(CodedRow { levels, weight })?;
        more = records.advance()?;
    }
    Ok(places.iter().map(Option::is_some).collect())
}
