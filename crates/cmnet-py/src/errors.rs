//! Errors of the library as Python exceptions with their places.

use cmnet::data::intake::TABLE;
use cmnet::error::{InputProblem, Place};
use cmnet::{Error, ErrorKind};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::io::ErrorKind as IoKind;

/// The Python exception of an error: a class for its kind, attributes for its facts.
pub(crate) fn to_python(py: Python<'_>, error: &Error) -> PyErr {
    let facts = PyDict::new(py);
    build(py, error, &facts).unwrap_or_else(|failure| failure)
}

fn build(py: Python<'_>, error: &Error, facts: &Bound<'_, PyDict>) -> PyResult<PyErr> {
    let mut message = in_python_words(&error.to_string());
    let class = match error.kind() {
        ErrorKind::Input { place, problem } => {
            message = of_table(place, problem);
            place_facts(place, facts)?;
            input_facts(problem, facts)?
        }
        ErrorKind::Model { file, at, .. } => {
            facts.set_item("file", file)?;
            facts.set_item("at", at)?;
            "ModelFileError"
        }
        ErrorKind::Structure(_) => "StructureError",
        ErrorKind::Mismatch { .. } => "MismatchError",
        ErrorKind::Checkpoint { file, .. } => {
            facts.set_item("file", file)?;
            "CheckpointError"
        }
        ErrorKind::Option { name, found, expected } => {
            facts.set_item("option", name.trim_start_matches('-').replace('-', "_"))?;
            facts.set_item("found", found)?;
            facts.set_item("expected", expected)?;
            "OptionError"
        }
        ErrorKind::Question { hint, .. } => {
            facts.set_item("hint", in_python_words(hint))?;
            "QuestionError"
        }
        ErrorKind::Limit { what, limit, hint } => {
            facts.set_item("what", what)?;
            facts.set_item("limit", limit)?;
            facts.set_item("hint", in_python_words(hint))?;
            "LimitError"
        }
        ErrorKind::Io { path, source, .. } => {
            facts.set_item("file", path.display().to_string())?;
            facts.set_item("errno", errno(source))?;
            message = error.to_string();
            "FileError"
        }
        _ => "CmnetError",
    };
    raise(py, class, &message, facts)
}

/// An exception of one of the package's classes.
fn raise(py: Python<'_>, class: &str, message: &str, facts: &Bound<'_, PyDict>) -> PyResult<PyErr> {
    let class = py.import("cmnet._errors")?.getattr(class)?;
    let exception = class.call1((message,))?;
    for (name, value) in facts {
        exception.setattr(name.cast::<pyo3::types::PyString>()?, value)?;
    }
    Ok(PyErr::from_value(exception))
}

/// The operating system's number of an error, also where only its kind was kept.
fn errno(error: &std::io::Error) -> Option<i32> {
    error.raw_os_error().or(match error.kind() {
        IoKind::NotFound => Some(NO_SUCH_FILE),
        IoKind::PermissionDenied => Some(13),
        IoKind::AlreadyExists => Some(17),
        IoKind::NotADirectory => Some(20),
        IoKind::IsADirectory => Some(21),
        IoKind::StorageFull => Some(28),
        IoKind::ReadOnlyFilesystem => Some(30),
        _ => None,
    })
}

/// ENOENT.
const NO_SUCH_FILE: i32 = 2;

/// An Arrow stream that cannot be read, or broke off.
pub(crate) fn stream(py: Python<'_>, what: &str) -> PyErr {
    let message = format!(
        "{TABLE}: its Arrow stream cannot be read: {what}; check that it is one of rows with named columns, \
         and the query or file behind it"
    );
    raise(py, "InputError", &message, &PyDict::new(py)).unwrap_or_else(|failure| failure)
}

/// A defect of this program, as an exception instead of the end of the interpreter.
pub(crate) fn internal(py: Python<'_>, what: &str) -> PyErr {
    let message = format!("an internal error of cmnet: {what}; please report it");
    raise(py, "InternalError", &message, &PyDict::new(py)).unwrap_or_else(|failure| failure)
}

fn place_facts(place: &Place, facts: &Bound<'_, PyDict>) -> PyResult<()> {
    let memory = place.file == TABLE;
    facts.set_item("file", (!memory).then_some(&place.file))?;
    facts.set_item("line", place.line.filter(|_| !memory))?;
    facts.set_item("row", place.line.filter(|_| memory).map(|line| line.saturating_sub(1)))?;
    facts.set_item("column", place.column)?;
    facts.set_item("name", &place.name)
}

fn input_facts(problem: &InputProblem, facts: &Bound<'_, PyDict>) -> PyResult<&'static str> {
    Ok(match problem {
        InputProblem::NotFound { .. } => {
            facts.set_item("errno", NO_SUCH_FILE)?;
            "MissingFileError"
        }
        InputProblem::Missing(missing) => {
            facts.set_item("rows", missing.rows)?;
            facts.set_item("of", missing.of)?;
            let columns = PyDict::new(facts.py());
            for (name, count) in &missing.columns {
                columns.set_item(name, count)?;
            }
            facts.set_item("counts", columns)?;
            "MissingValuesError"
        }
        InputProblem::UnknownLevel { .. } => "UnknownLevelError",
        InputProblem::NotCategories { .. } => "NotCategoriesError",
        _ => "InputError",
    })
}

/// The complaint about a table. Rows of one in memory count from 0, as everything in Python
/// does; lines of files from 1. Paths are not looked into for options.
fn of_table(place: &Place, problem: &InputProblem) -> String {
    let said = in_python_words(&problem.to_string());
    if place.file != TABLE {
        return format!("{place}: {said}");
    }
    let mut at = place.to_string();
    if let Some(line) = place.line {
        let row = line.saturating_sub(1);
        at = at.replacen(&format!("{TABLE}, line {line}"), &format!("{TABLE}, row {row}"), 1);
    }
    match problem {
        InputProblem::Missing(missing) => {
            let (line, row) = (missing.first_line, missing.first_line.saturating_sub(1));
            let said = said.replacen(&format!("first in line {line}"), &format!("first in row {row}"), 1);
            format!("{at}: {said}")
        }
        InputProblem::DuplicateColumn { name, first } => {
            format!(
                "{at}: the column name {name} appears twice (first as column {first}); rename one of them"
            )
        }
        InputProblem::EmptyColumnName => format!("{at}: this column has no name; rename it"),
        _ => format!("{at}: {said}"),
    }
}

/// Words of the command line and what they are in Python.
const WORDS: [(&str, &str); 8] = [
    ("--on-missing drop", "on_missing=\"drop\""),
    ("--no-header", "no_header=True"),
    ("a --schema file", "schema="),
    (
        "estimate them from a table first: cmnet fit MODEL DATA -o MODEL",
        "estimate them with model.fit(table)",
    ),
    ("or - for standard input", "or pass an open table"),
    ("`cmnet learn -o` writes", "Model.save writes"),
    ("without --resume", "without resume=True"),
    ("-o MODEL", "a path"),
];

/// A message in which options are named as Python names them: `--on-missing` is `on_missing`.
/// What stands in quotes is the user's, and stays as it is.
pub(crate) fn in_python_words(message: &str) -> String {
    let mut words = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(open) = rest.find('"') {
        let (ours, quoted) = rest.split_at(open);
        let end = closing_quote(quoted);
        words += &translated(ours);
        words += &quoted[..end];
        rest = &quoted[end..];
    }
    words + &translated(rest)
}

/// Where a quoted text, with its quotes, ends.
fn closing_quote(quoted: &str) -> usize {
    let mut escaped = false;
    for (place, letter) in quoted.char_indices().skip(1) {
        match letter {
            '"' if !escaped => return place + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    quoted.len()
}

fn translated(ours: &str) -> String {
    let known = WORDS.iter().fold(ours.to_owned(), |text, (from, to)| text.replace(from, to));
    let mut words = String::with_capacity(known.len());
    let mut rest = known.as_str();
    while let Some(at) = rest.find("--") {
        let (before, after) = rest.split_at(at);
        let name = &after[2..];
        let end = name.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(name.len());
        let is_option = name.starts_with(|c: char| c.is_ascii_lowercase())
            && (before.is_empty() || before.ends_with([' ', '(']));
        words.push_str(before);
        if is_option {
            words.push_str(&name[..end].replace('-', "_"));
        } else {
            words.push_str(&after[..2 + end]);
        }
        rest = &name[end..];
    }
    words + rest
}

/// An option that cannot be used as given, by the name that Python uses.
pub(crate) fn option(py: Python<'_>, name: &str, found: &str, expected: &str) -> PyErr {
    let build = || {
        let facts = PyDict::new(py);
        facts.set_item("option", name)?;
        facts.set_item("found", found)?;
        facts.set_item("expected", expected)?;
        raise(py, "OptionError", &format!("{name}: {found:?} is not usable; expected {expected}"), &facts)
    };
    build().unwrap_or_else(|failure| failure)
}
