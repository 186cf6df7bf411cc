//! The rows of a table one by one, in the order of the file, as a model's levels: what
//! prediction reads. Cells and whole columns may be missing.

use super::columns::Columns;
use super::read_options::ReadOptions;
use super::source::Source;
use super::table::{Opened, TableRows, each_kind};
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
    let mut opened = Opened::open(source, options)?;
    let all =
        ReadOptions { columns: None, schema: None, bins: Bins::default(), ..ReadOptions::clone(&options) };
    let columns = opened.columns(&all)?;
    let places = columns.places(schema, "check the header line")?;
    let read: Vec<usize> = places.iter().flatten().copied().collect();
    opened.choose(&columns, &read)?;
    let reader = RowLevels::new(schema, &options.missing, on_unknown);
    let mut reader = reader.of_file(source.name(), &places);
    each_kind!(opened, rows => visit_all(rows, (&columns, &places), &mut reader, options.header, visit))?;
    Ok(places.iter().map(Option::is_some).collect())
}

fn visit_all(
    mut rows: impl TableRows,
    (columns, places): (&Columns, &[Option<usize>]),
    reader: &mut RowLevels,
    has_header: bool,
    visit: &mut dyn FnMut(CodedRow<'_>) -> Result<()>,
) -> Result<()> {
    let mut more = rows.begin(has_header)?;
    while more {
        rows.check_width(columns.names(), false)?;
        let line = || rows.line();
        let levels = reader.read_at(line, |variable| rows.cell(places[variable]?))?;
        let weight = columns.weight(|column| rows.cell(column), line)?;
        visit(CodedRow { levels, weight })?;
        more = rows.advance()?;
    }
    Ok(())
}
