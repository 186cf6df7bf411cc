//! Errors of the library as Python exceptions with their places.

use crate::dialect::{Keywords, keyword};
use cmnet::{Error, ErrorKind, InputProblem, Place, StopReason, Subject, UNNAMED_TABLE};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::io::ErrorKind as IoKind;

/// The Python exception of an error: a class for its kind, attributes for its facts.
pub(crate) fn to_python(py: Python<'_>, error: &Error) -> PyErr {
    let facts = PyDict::new(py);
    build(py, error, &facts).unwrap_or_else(|failure| failure)
}

/// The library's answers in Python: what was found, or the exception of the error.
pub(crate) trait OrRaise<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for Result<T, Error> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| to_python(py, &error))
    }
}

fn build(py: Python<'_>, error: &Error, facts: &Bound<'_, PyDict>) -> PyResult<PyErr> {
    let class = match error.kind() {
        ErrorKind::Input { place, problem } => {
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
        ErrorKind::Option { subject, found, expected } => {
            let name = match subject {
                Subject::Option(option) | Subject::Setting(option, _) => keyword(*option),
                Subject::Argument(name) => (*name).to_owned(),
            };
            facts.set_item("option", name)?;
            facts.set_item("found", found)?;
            facts.set_item("expected", expected.to_string())?;
            "OptionError"
        }
        ErrorKind::Question { remedies, .. } => {
            facts.set_item("hint", remedies.words(&Keywords))?;
            "QuestionError"
        }
        ErrorKind::Limit(reached) => {
            facts.set_item("what", &reached.what)?;
            facts.set_item("limit", &reached.limit)?;
            facts.set_item("hint", reached.remedies.words(&Keywords))?;
            "LimitError"
        }
        ErrorKind::Io { path, source, .. } => {
            facts.set_item("file", path.display().to_string())?;
            facts.set_item("errno", errno(source))?;
            "FileError"
        }
        ErrorKind::Stopped(StopReason::TimeLimit) => {
            facts.set_item("what", "the time")?;
            facts.set_item("hint", "allow more time")?;
            "LimitError"
        }
        // Whoever asked the work to stop has its own exception to raise: nobody should see this one.
        ErrorKind::Stopped(_) => "Interrupted",
        _ => "CmnetError",
    };
    raise(py, class, &error.words(&Keywords), facts)
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
        "{UNNAMED_TABLE}: its Arrow stream cannot be read: {what}; check that it is one of rows with named columns, \
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
    let memory = place.is_in_memory();
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
