//! Tables of text: CSV, TSV and their kin, plain or gzip-compressed.
//!
//! The table is read once, row by row; only codes and distinct labels are kept. What the
//! reader takes for granted:
//!
//! - Fields may be quoted with `"`, a quote inside is doubled, a quoted field may run over
//!   several lines. Blanks (ASCII white space) around a field are not part of it, quoted or
//!   not. Lines of nothing but blanks are no rows, in a table of one column neither: write
//!   `NA` or `""` there.
//! - The delimiter is found in the first rows among comma, tab, semicolon and pipe, unless
//!   given. Lines end in `\n`, `\r\n` or `\r`. The text is UTF-8, with or without a byte
//!   order mark.
//! - Variables keep the column order of the file, in whatever order they were selected.
//! - Levels are in the order of the schema; else by value when every label is a finite
//!   number (equal values such as `1` and `1.0` stay distinct); else by bytes. The order of
//!   rows never matters.
//! - A level that occurs only in rows left out for a missing value is no level. A level that
//!   occurs only in rows of weight 0 is one. A level that the schema declares is a level even
//!   where its text would mean "missing" in other columns.
//! - Columns that are not selected are not looked into.

use super::columns::Columns;
use super::header;
use super::read_options::ReadOptions;
use super::records::Records;
use super::source::Source;
use super::text::Text;
use crate::control::Under;
use crate::data::{Intake, Levels, LoadedTable, Survey};
use crate::error::{Error, InputProblem, Result};
use ::csv::{QuoteStyle, WriterBuilder};
use std::io::Read;

/// Reads a table.
///
/// # Errors
/// When the source cannot be read or is not a table; every error names file, line,
/// column, the offending text and what to do. When the control asks to stop.
///
/// # Example
/// ```
/// use cmnet::{ReadOptions, Source, read_csv};
/// let source = Source::bytes("example", "smokes,age\nyes,<40\nno,40+\nno,<40\n");
/// let loaded = read_csv(&source, &ReadOptions::default())?;
/// assert_eq!(loaded.data.schema().variable(0).levels, ["no", "yes"]);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn read_csv<'a>(source: &Source, options: impl Into<Under<'a, ReadOptions>>) -> Result<LoadedTable> {
    let options = options.into();
    read_text(source.open(options.control())?, options)
}

/// Reads a table from any reader; `name` stands for the file in errors.
///
/// # Errors
/// As [`read_csv`].
pub fn read_csv_from<'a>(
    name: &str,
    reader: impl Read,
    options: impl Into<Under<'a, ReadOptions>>,
) -> Result<LoadedTable> {
    let options = options.into();
    read_text(Text::open(name.to_owned(), reader, options.control())?, options)
}

/// Finds out which levels a table has, as a first look at a part of one.
///
/// # Errors
/// As [`read_csv`].
pub fn survey_csv<'a>(source: &Source, options: impl Into<Under<'a, ReadOptions>>) -> Result<Survey> {
    let options = options.into();
    Ok(take_in(source.open(options.control())?, options, Columns::survey)?.survey())
}

fn read_text(text: Text<'_>, options: Under<'_, ReadOptions>) -> Result<LoadedTable> {
    take_in(text, options, Columns::intake)?.finish_under(options.on_missing, options.control())
}

/// Takes in every row of a text.
fn take_in(
    text: Text<'_>,
    options: Under<'_, ReadOptions>,
    begin: impl Fn(&Columns, &ReadOptions, Vec<Levels>) -> Result<Intake>,
) -> Result<Intake> {
    let mut records = Records::open(text, options.delimiter)?;
    let columns = header::columns(&records, &options)?;
    let known = vec![Levels::Observed; columns.variables().len()];
    let mut intake = begin(&columns, &options, known)?;
    let mut more = !options.header || records.advance()?;
    while more {
        take_row(&records, &columns, &mut intake, options)?;
        more = records.advance()?;
    }
    Ok(intake)
}

fn take_row(
    records: &Records<'_>,
    columns: &Columns,
    intake: &mut Intake,
    options: Under<'_, ReadOptions>,
) -> Result<()> {
    let names = columns.names();
    if records.len() != names.len() {
        return Err(records.ragged(names.len(), options.header && intake.rows() == 0));
    }
    if options.header && header::is_header(records, names) {
        let place = records.place().at_line(records.line());
        return Err(Error::input(place, InputProblem::HeaderTwice));
    }
    let line = || records.line();
    let weight = columns.weight(|column| Some(records.raw(column)), line)?;
    let variables = columns.variables();
    intake.push_at(options.control(), line, weight, |variable| Some(records.raw(variables[variable])))
}

/// A text as a field of a CSV file that [`read_csv`] takes for the same text: in quotes where it is
/// empty, has blanks around it, or holds a quote, a line break or anything that might be taken
/// for a delimiter.
pub fn csv_field(text: &str) -> String {
    let plain =
        !text.is_empty() && text.trim() == text && !text.contains([',', '"', '\n', '\r', ';', '\t', '|']);
    if plain {
        return text.to_owned();
    }
    let mut line = WriterBuilder::new().quote_style(QuoteStyle::Always).from_writer(Vec::new());
    // Writing to memory cannot fail.
    let _ = line.write_record([text]);
    let line = line.into_inner().unwrap_or_default();
    String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(&line)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_a_reader_needs_it() {
        for text in ["plain", "p(<40)"] {
            assert_eq!(csv_field(text), text);
        }
        assert_eq!(csv_field("say \"hi\""), "\"say \"\"hi\"\"\"");
        for text in ["", " x", "a,b", "a;b", "a|b", "a\tb", "a\nb", "a\rb"] {
            assert_eq!(csv_field(text), format!("\"{text}\""));
        }
    }
}
