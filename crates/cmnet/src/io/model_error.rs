//! What is wrong with a model file, and where in it.

use crate::error::Error;

/// The error at a place inside a model file.
pub(super) fn error_at(file: &str, at: &str, problem: String) -> Error {
    Error::model(file, at, problem)
}
