//! Tables in files: CSV, TSV and their kin, plain or compressed, and what is read as they are.
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
use super::read_options::ReadOptions;
use super::records::Records;
use super::source::Source;
use super::table::{Opened, TableRows, each_kind};
use super::text::{Text, other_format};
use crate::control::Under;
use crate::data::{Intake, LoadedIncomplete, LoadedTable, LoadedWeighted, Survey, WeightKind};
use crate::error::{Error, InputProblem, Place, Result, quoted_list};
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
    taken_in(source, options, Whole)?.finish_under(options.on_missing, options.control())
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
    let text = Text::open(name.to_owned(), reader, options.control())?;
    let mut taken = Taken::new(options, Whole);
    taken.add(Opened::Text(Records::open(text, options.delimiter)?), name)?;
    taken.finish(name)?.finish_under(options.on_missing, options.control())
}

/// Finds out which levels a table has, as a first look at a part of one.
///
/// # Errors
/// As [`read_csv`].
pub fn survey_csv<'a>(source: &Source, options: impl Into<Under<'a, ReadOptions>>) -> Result<Survey> {
    let options = options.into();
    Ok(taken_in(source, options, Levelled)?.survey())
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
    taken_in(source, options, Holed)?.finish_incomplete(options.control())
}

/// Reads a table whose column of weights holds real numbers, 0 or more. Where no kind is given, weights that are
/// all whole numbers are counts, and others are those of a design.
///
/// # Errors
/// As [`read_csv`]; when a weight is negative or not finite.
///
/// # Example
/// ```
/// use cmnet::{ReadOptions, Source, WeightKind, read_weighted};
/// let source = Source::bytes("example", "a,b,w\nx,1,0.5\ny,2,1.5\n");
/// let options = ReadOptions { weights: Some("w".into()), ..ReadOptions::default() };
/// let loaded = read_weighted(&source, &options, Some(WeightKind::Design))?;
/// assert_eq!((loaded.table.sum(), loaded.table.effective()), (2.0, 1.6));
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn read_weighted<'a>(
    source: &Source,
    options: impl Into<Under<'a, ReadOptions>>,
    kind: Option<WeightKind>,
) -> Result<LoadedWeighted> {
    let options = options.into();
    taken_in(source, options, Weighed)?.finish_weighted(options.on_missing, kind)
}

/// What is made of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// A table of complete rows.
    Whole,
    /// A table whose rows may have missing values.
    Holed,
    /// A table with real weights.
    Weighed,
    /// No table, but the levels that it has.
    Levelled,
}
use Purpose::{Holed, Levelled, Weighed, Whole};

/// All rows of a source.
fn taken_in(source: &Source, options: Under<'_, ReadOptions>, purpose: Purpose) -> Result<Intake> {
    let mut taken = Taken::new(options, purpose);
    match source {
        Source::Files { paths, .. } => {
            for path in paths {
                let file = Source::Path(path.clone());
                taken.add(Opened::open(&file, options)?, &file.name())?;
            }
        }
        _ => taken.add(Opened::open(source, options)?, &source.name())?,
    }
    taken.finish(&source.name())
}

/// The rows of files with the same columns, as one table.
struct Taken<'a> {
    options: Under<'a, ReadOptions>,
    purpose: Purpose,
    /// The first file and the names of its columns.
    first: Option<(String, Vec<String>)>,
    intake: Option<Intake>,
}

impl<'a> Taken<'a> {
    fn new(options: Under<'a, ReadOptions>, purpose: Purpose) -> Self {
        Self { options, purpose, first: None, intake: None }
    }

    /// Adds the rows of a file.
    fn add(&mut self, mut opened: Opened<'_>, name: &str) -> Result<()> {
        let columns = opened.columns(&self.options)?;
        if let Some((first, names)) = &self.first
            && columns.names() != names.as_slice()
        {
            let names = quoted_list(names.iter().map(String::as_str));
            let problem = InputProblem::OtherColumns { first: first.clone(), columns: names };
            return Err(Error::input(Place::file(name), problem));
        }
        let known = opened.choose(&columns, columns.variables())?;
        let intake = match &mut self.intake {
            Some(intake) => intake,
            None => self.intake.insert(match self.purpose {
                Levelled => columns.survey(&self.options, known)?,
                Holed => columns.intake(&self.options, known)?.keeping_incomplete_rows(),
                Whole | Weighed => columns.intake(&self.options, known)?,
            }),
        };
        self.first.get_or_insert_with(|| (name.to_owned(), columns.names().to_vec()));
        intake.rename(name);
        let (options, is_weighed) = (self.options, self.purpose == Weighed);
        each_kind!(opened, rows => take_rows(rows, &columns, intake, options, is_weighed))
    }

    /// The rows of all files, whose common name this is.
    fn finish(self, name: &str) -> Result<Intake> {
        let Some(mut intake) = self.intake else {
            return Err(Error::input(Place::file(name), InputProblem::EmptyFile));
        };
        intake.rename(name);
        Ok(intake)
    }
}

fn take_rows(
    mut rows: impl TableRows,
    columns: &Columns,
    intake: &mut Intake,
    options: Under<'_, ReadOptions>,
    is_weighed: bool,
) -> Result<()> {
    let first = intake.rows();
    // A row that is the names again is to be refused, so that it must not look like data.
    let is_like_names = options.header && columns.names().iter().all(|name| name.len() == 1);
    let mut many = (columns.weights().is_none() && !is_weighed && !is_like_names).then(Patience::default);
    let mut more = rows.begin(options.header)?;
    while more {
        rows.check_width(columns.names(), options.header && intake.rows() == first)?;
        if options.header {
            rows.check_names(columns.names())?;
        }
        take_row(&rows, columns, intake, options, is_weighed)?;
        if many.as_mut().is_some_and(Patience::is_over) {
            let narrow = rows.narrow();
            let offered = narrow.len();
            let taken = intake.push_narrow(options.control(), narrow, columns.variables())?;
            rows.pass(taken);
            if let Some(patience) = &mut many {
                patience.learn(offered, taken);
            }
        }
        more = rows.advance()?;
    }
    Ok(())
}

/// When to try again to take many rows at a time: the later, the more often that was in vain.
#[derive(Default)]
struct Patience {
    rows: usize,
    left: usize,
}

impl Patience {
    /// Rows after which another try can be no great loss.
    const MOST: usize = 1 << 10;
    /// Rows that are worth a try, even if others could not be taken.
    const WORTH: usize = 1 << 6;

    /// Whether it is time, one row later.
    fn is_over(&mut self) -> bool {
        let over = self.left == 0;
        self.left = self.left.saturating_sub(1);
        over
    }

    /// Learns how many of some rows could be taken.
    fn learn(&mut self, offered: usize, taken: usize) {
        let in_vain = taken == 0 || taken < offered.min(Self::WORTH);
        self.rows = if in_vain { (2 * self.rows + 1).min(Self::MOST) } else { 0 };
        self.left = self.rows;
    }
}

#[inline]
fn take_row(
    row: &impl TableRows,
    columns: &Columns,
    intake: &mut Intake,
    options: Under<'_, ReadOptions>,
    is_weighed: bool,
) -> Result<()> {
    let line = || row.line();
    let variables = columns.variables();
    if is_weighed {
        let weight = columns.real_weight(|column| row.cell(column), line)?;
        return intake.push_weighted_at(line, weight, |variable| row.cell(variables[variable]));
    }
    let weight = columns.weight(|column| row.cell(column), line)?;
    intake.push_at(options.control(), line, weight, |variable| row.cell(variables[variable]))
}

/// A text as a field of a CSV file that [`read_csv`] takes for the same text: in quotes where it is
/// empty, has blanks around it, or holds a quote, a line break or anything that might be taken
/// for a delimiter.
pub fn csv_field(text: &str) -> String {
    let plain =
        !text.is_empty() && text.trim() == text && !text.contains([',', '"', '\n', '\r', ';', '\t', '|']);
    // What a file may begin with and what is no part of its text: Excel's line that states the
    // delimiter, the byte order mark, and what tells that it is another format.
    let begins_a_file = text.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("sep="))
        || text.starts_with('\u{feff}')
        || other_format(text.as_bytes()).is_some();
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
        for text in ["", " x", "sep=:", "\u{feff}x", "%PDF-1", "a,b", "a;b", "a|b", "a\tb", "a\nb", "a\rb"] {
            assert_eq!(csv_field(text), format!("\"{text}\""));
        }
    }
}
