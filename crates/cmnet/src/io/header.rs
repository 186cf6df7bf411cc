//! The first line of a file: the names of its columns.

use super::columns::Columns;
use super::read_options::ReadOptions;
use super::records::Records;
use crate::data::{Origin, check_columns};
use crate::error::{Error, InputProblem, Result, quoted_bytes};

/// Takes the names from the row just read, or makes them up, and chooses the columns.
pub(super) fn columns(first: &Records<'_>, options: &ReadOptions) -> Result<Columns> {
    let names = if options.header { header_names(first)? } else { numbered_names(first.len()) };
    let origin = Origin::File { name: first.place().file, delimiter: Some(first.delimiter()) };
    Columns::of(origin, names, options)
}

/// Whether a row says the same as the header line.
pub(super) fn is_header(row: &Records<'_>, names: &[String]) -> bool {
    names.iter().enumerate().all(|(column, name)| row.field(column) == name.as_bytes())
}

fn header_names(first: &Records<'_>) -> Result<Vec<String>> {
    let place = |column| first.place().at_line(first.line()).at_column(column, None);
    let mut names = Vec::with_capacity(first.len());
    for column in 0..first.len() {
        let field = first.field(column);
        let name = str::from_utf8(field).map_err(|_| {
            Error::input(place(column + 1), InputProblem::InvalidUtf8 { text: quoted_bytes(field) })
        })?;
        names.push(name.to_owned());
    }
    check_columns(names.iter().map(String::as_str))
        .map_err(|(column, problem)| Error::input(place(column), problem))?;
    Ok(names)
}

fn numbered_names(width: usize) -> Vec<String> {
    (1..=width).map(|column| format!("X{column}")).collect()
}
