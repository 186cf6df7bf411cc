//! The file of a mixture, and files that are either a network's or a mixture's.

use super::atomic::write_atomic_with;
use super::json_text::{json_to_text, write_json};
use super::mixture_record::{ComponentText, MixtureFitRecord, MixtureRecord, MixtureText};
use super::model_error::error_at;
use super::model_file::{MIXTURE, Reader, read_text, syntax};
use super::model_record::variable_records;
use crate::data::{DataDigest, Schema};
use crate::error::{Error, ErrorKind, Result, quoted};
use crate::mixture::{Component, Mixture, MixtureFit};
use crate::model::Model;
use serde::Deserialize;
use std::path::Path;

impl Mixture {
    /// The text of a mixture's file: the same bytes for the same self.
    ///
    /// # Errors
    /// When a number in it is not finite.
    pub fn to_json(&self) -> Result<String> {
        json_to_text(&self.text()?).map_err(|error| error_at("mixture", "", error.to_string()))
    }

    fn text(&self) -> Result<MixtureText<'_>> {
        let components = self
            .components()
            .iter()
            .map(|one| Ok(ComponentText::new(one.weight, one.model.text()?)))
            .collect::<Result<_>>()?;
        if self.fit().is_some_and(|fit| !(fit.log_likelihood.is_finite() && fit.gain.is_finite())) {
            let problem = "a number in it is not finite, so it cannot be written";
            return Err(error_at("mixture", "fit", problem.to_owned()));
        }
        Ok(MixtureText {
            format: MIXTURE,
            program: concat!("cmnet ", env!("CARGO_PKG_VERSION")),
            variables: variable_records(self.schema()),
            fit: self.fit().map(MixtureFitRecord::from),
            components,
        })
    }

    /// Reads and checks the text of a mixture's file; `file` names it in errors.
    ///
    /// # Errors
    /// Says where in the document something is wrong and what was expected.
    pub fn from_json(text: &str, file: &str) -> Result<Self> {
        let record: MixtureRecord<'_> =
            serde_json::from_str(text).map_err(|error| syntax(file, text, &error))?;
        if record.format != MIXTURE {
            let problem = format!("the format is {}; expected {MIXTURE:?}", quoted(&record.format));
            return Err(error_at(file, "format", problem));
        }
        let reader = Reader { file };
        reader.schema(&record.variables)?;
        let fit = record.fit.as_ref().map(|fit| facts(file, fit)).transpose()?;
        let mut components = Vec::new();
        for (place, one) in record.components.into_iter().enumerate() {
            let (weight, network) = one.into_model(&record.variables);
            let model = reader.model(&network).map_err(|error| within(error, place))?;
            components.push(Component { weight, model });
        }
        Self::new(components, fit).map_err(|error| error_at(file, "components", error.to_string()))
    }

    /// Writes a mixture's file whole or not at all.
    ///
    /// # Errors
    /// When a number in it is not finite, or the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let text = self.text()?;
        write_atomic_with(path, |file| write_json(&text, file))
    }
}

fn facts(file: &str, record: &MixtureFitRecord) -> Result<MixtureFit> {
    let digest = DataDigest::parse(&record.digest).ok_or_else(|| {
        error_at(file, "fit.digest", "expected sha256: and 64 hexadecimal digits".to_owned())
    })?;
    if record.rows == 0 {
        return Err(error_at(file, "fit.rows", "0; expected at least 1".to_owned()));
    }
    Ok(MixtureFit {
        rows: record.rows,
        digest,
        seed: record.seed,
        log_likelihood: record.log_likelihood,
        steps: record.steps,
        gain: record.gain,
        converged: record.converged,
    })
}

/// An error about the network of a class, with the place of the class.
fn within(error: Error, place: usize) -> Error {
    match error.kind() {
        ErrorKind::Model { file, at, problem, remedies } => ErrorKind::Model {
            file: file.clone(),
            at: format!("components[{place}].{at}"),
            problem: problem.clone(),
            remedies: remedies.clone(),
        }
        .into(),
        _ => error,
    }
}

/// What a model file can hold.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyModel {
    /// One network.
    Network(Box<Model>),
    /// A mixture of networks.
    Mixture(Mixture),
}

#[derive(Deserialize)]
struct Declared {
    format: String,
}

impl AnyModel {
    /// Reads and checks a file of either kind.
    ///
    /// # Errors
    /// As [`Model::load`].
    pub fn load(path: &Path) -> Result<Self> {
        Self::from_json(&read_text(path)?, &path.display().to_string())
    }

    /// Reads and checks the text of such a file; `file` names it in errors.
    ///
    /// # Errors
    /// As [`Model::from_json`].
    pub fn from_json(text: &str, file: &str) -> Result<Self> {
        let declared = serde_json::from_str::<Declared>(text);
        if declared.is_ok_and(|declared| declared.format == MIXTURE) {
            return Mixture::from_json(text, file).map(Self::Mixture);
        }
        Model::from_json(text, file).map(|model| Self::Network(Box::new(model)))
    }

    /// Names and levels.
    pub fn schema(&self) -> &Schema {
        match self {
            Self::Network(model) => model.schema(),
            Self::Mixture(mixture) => mixture.schema(),
        }
    }
}
