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
use crate::data::{Intake, Levels, LoadedIncomplete, LoadedTable, LoadedWeighted, Survey, WeightKind};
use crate::error::{Error, InputProblem, Place, Result, quoted_list};
use ::csv::{QuoteStyle, WriterBuilder};
use std::io::Read;
use std::path::PathBuf;

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
    taken_in(source, options, |intake| intake)?.finish_under(options.on_missing, options.control())
}

/// The rows of files with the same columns, as one table.
fn files_taken_in(
    name: &str,
    paths: &[PathBuf],
    options: Under<'_, ReadOptions>,
    prepared: fn(Intake) -> Intake,
) -> Result<Intake> {
    let mut taken: Option<(Intake, Vec<String>)> = None;
    for path in paths {
        let file = Source::Path(path.clone());
        let records = Records::open(file.open(options.control())?, options.delimiter)?;
        let columns = header::columns(&records, &options)?;
        let (intake, names) = match &mut taken {
            Some(known) => known,
            None => taken.insert((prepared(empty(&columns, options)?), columns.names().to_vec())),
        };
        if columns.names() != names.as_slice() {
            let first = paths.first().map(|path| path.display().to_string()).unwrap_or_default();
            let problem =
                InputProblem::OtherColumns { first, columns: quoted_list(names.iter().map(String::as_str)) };
            return Err(Error::input(records.place(), problem));
        }
        intake.rename(&file.name());
        take_rows(records, &columns, intake, options)?;
    }
    let Some((mut intake, _)) = taken else {
        return Err(Error::input(Place::file(name), InputProblem::EmptyFile));
    };
    intake.rename(name);
    Ok(intake)
}

/// An empty table of the columns of a file.
fn empty(columns: &Columns, options: Under<'_, ReadOptions>) -> Result<Intake> {
    columns.intake(&options, vec![Levels::Observed; columns.variables().len()])
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
    let records = Records::open(source.open(options.control())?, options.delimiter)?;
    let columns = header::columns(&records, &options)?;
    let mut intake = columns.survey(&options, vec![Levels::Observed; columns.variables().len()])?;
    take_rows(records, &columns, &mut intake, options)?;
    Ok(intake.survey())
}

/// Reads a table and keeps its rows with missing values. A level that occurs only in such rows is a
/// level. What the options say about missing values does not matter.
///
/// # Errors
/// As [`read_csv`], and when every value of a column is missing.
///
/// # Example
/// ```
/// use cmnet::{ReadOptions, Source, read_incomplete};
/// let source = Source::bytes("example", "smokes,age\nyes,<40\nno,\n,<40\n");
/// let loaded = read_incomplete(&source, &ReadOptions::default())?;
/// assert_eq!((loaded.table.rows(), loaded.table.incomplete_rows()), (3, 2));
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn read_incomplete<'a>(
    source: &Source,
    options: impl Into<Under<'a, ReadOptions>>,
) -> Result<LoadedIncomplete> {
    let options = options.into();
    taken_in(source, options, Intake::keeping_incomplete_rows)?.finish_incomplete(options.control())
}

/// Reads a table whose column of weights holds real numbers, 0 or more.
///
/// # Errors
/// As [`read_csv`]; when a weight is negative or not finite.
///
/// # Example
/// ```
/// use cmnet::{ReadOptions, Source, WeightKind, read_weighted};
/// let source = Source::bytes("example", "a,b,w\nx,1,0.5\ny,2,1.5\n");
/// let options = ReadOptions { weights: Some("w".into()), ..ReadOptions::default() };
/// let loaded = read_weighted(&source, &options, WeightKind::Design)?;
/// assert_eq!((loaded.table.sum(), loaded.table.effective()), (2.0, 1.6));
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn read_weighted<'a>(
    source: &Source,
    options: impl Into<Under<'a, ReadOptions>>,
    kind: WeightKind,
) -> Result<LoadedWeighted> {
    let options = options.into();
    let mut records = Records::open(source.open(options.control())?, options.delimiter)?;
    let columns = header::columns(&records, &options)?;
    let mut intake = columns.intake(&options, vec![Levels::Observed; columns.variables().len()])?;
    let mut more = !options.header || records.advance()?;
    while more {
        check_row(&records, &columns, &intake, options.header)?;
        let line = || records.line();
        let weight = columns.real_weight(|column| Some(records.raw(column)), line)?;
        let variables = columns.variables();
        intake.push_weighted_at(line, weight, |variable| Some(records.raw(variables[variable])))?;
        more = records.advance()?;
    }
    intake.finish_weighted(options.on_missing, kind)
}

fn read_text(text: Text<'_>, options: Under<'_, ReadOptions>) -> Result<LoadedTable> {
    text_taken_in(text, options, |intake| intake)?.finish_under(options.on_missing, options.control())
}

/// All rows of a source, taken in by what `prepared` makes of an empty table.
fn taken_in(
    source: &Source,
    options: Under<'_, ReadOptions>,
    prepared: fn(Intake) -> Intake,
) -> Result<Intake> {
    match source {
        Source::Files { name, paths } => files_taken_in(name, paths, options, prepared),
        _ => text_taken_in(source.open(options.control())?, options, prepared),
    }
}

fn text_taken_in(
    text: Text<'_>,
    options: Under<'_, ReadOptions>,
    prepared: fn(Intake) -> Intake,
) -> Result<Intake> {
    let records = Records::open(text, options.delimiter)?;
    let columns = header::columns(&records, &options)?;
    let mut intake = prepared(empty(&columns, options)?);
    take_rows(records, &columns, &mut intake, options)?;
    Ok(intake)
}

fn take_rows(
    mut records: Records<'_>,
    columns: &Columns,
    intake: &mut Intake,
    options: Under<'_, ReadOptions>,
) -> Result<()> {
    let mut more = !options.header || records.advance()?;
    while more {
        take_row(&records, columns, intake, options)?;
        more = records.advance()?;
    }
    Ok(())
}

fn take_row(
    records: &Records<'_>,
    columns: &Columns,
    intake: &mut Intake,
    options: Under<'_, ReadOptions>,
) -> Result<()> {
    check_row(records, columns, intake, options.header)?;
    let line = || records.line();
    let weight = columns.weight(|column| Some(records.raw(column)), line)?;
    let variables = columns.variables();
    intake.push_at(options.control(), line, weight, |variable| Some(records.raw(variables[variable])))
}

/// Refuses a row that is longer or shorter than the header line, or is that line again.
fn check_row(records: &Records<'_>, columns: &Columns, intake: &Intake, has_header: bool) -> Result<()> {
    let names = columns.names();
    if records.len() != names.len() {
        return Err(records.ragged(names.len(), has_header && intake.rows() == 0));
    }
    if has_header && header::is_header(records, names) {
        let place = records.place().at_line(records.line());
        return Err(Error::input(place, InputProblem::HeaderTwice));
    }
    Ok(())
}

/// A text as a field of a CSV file that [`read_csv`] takes for the same text: in quotes where it is
/// empty, has blanks around it, or holds a quote, a line break or anything that might be taken
/// for a delimiter.
pub fn csv_field(text: &str) -> String {
    let plain =
        !text.is_empty() && text.trim() == text && !text.contains([',', '"', '\n', '\r', ';', '\t', '|']);
    // What a file may begin with and what is no part of its text: Excel's line that states the
    // delimiter, and the byte order mark.
    let begins_a_file =
        text.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("sep=")) || text.starts_with('\u{feff}');
    if plain && !begins_a_file {
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
        for text in ["", " x", "sep=:", "\u{feff}x", "a,b", "a;b", "a|b", "a\tb", "a\nb", "a\rb"] {
            assert_eq!(csv_field(text), format!("\"{text}\""));
        }
    }
}
