//! What is wrong with a model file, and where in it.

use crate::data::DataDigest;
use crate::error::{Error, Result};

/// The error at a place inside a model file.
pub(super) fn error_at(file: &str, at: &str, problem: String) -> Error {
    Error::model(file, at, problem)
}

/// The digest of a table that a model file has at a place.
pub(super) fn digest_at(file: &str, at: &str, text: &str) -> Result<DataDigest> {
    DataDigest::parse(text)
        .ok_or_else(|| error_at(file, at, "expected sha256: and 64 hexadecimal digits".to_owned()))
}
