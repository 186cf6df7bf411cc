//! What folds gave: `cmnet cv`.

use super::Answer;
use cmnet::{CrossValidation, Dialect};
use serde::Serialize;
use serde_json::{Value, json};

/// `cmnet-cv/1`: the means over folds of each method, and why some are left out.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct CrossValidatedAnswer(Value);

impl Answer for CrossValidatedAnswer {
    const FORMAT: &'static str = "cmnet-cv/1";
}

impl CrossValidatedAnswer {
    /// What was found, with reasons in the words of a front end.
    pub fn of(found: &CrossValidation, dialect: &dyn Dialect) -> Self {
        let mut document = json!(found);
        for (place, left_out) in found.left_out.iter().enumerate() {
            document["left_out"][place]["reason"] = left_out.reason.words(dialect).into();
        }
        Self(document)
    }
}
