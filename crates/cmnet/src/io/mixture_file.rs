//! The file of a mixture.

use super::atomic::write_atomic_with;
use super::json_text::{json_to_text, write_json};
use super::mixture_record::{MixtureFitRecord, MixtureRecord, MixtureText};
use super::model_error::{digest_at, error_at};
use super::model_file::{MIXTURE, Reader, syntax};
use super::model_record::variable_records;
use super::network_record::{Head, NetworkText, read_networks};
use crate::error::{Result, quoted};
use crate::mixture::{Component, Mixture, MixtureFit};
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
            .map(|one| {
                let head = Head { weight: Some(one.weight), ..Head::default() };
                Ok(NetworkText::new(head, one.model.text()?))
            })
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
        let networks =
            read_networks(record.components, &reader, &record.variables, ("components", "weight"), |head| {
                head.weight
            })?;
        let components = networks.into_iter().map(|(weight, model)| Component { weight, model }).collect();
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
    let digest = digest_at(file, "fit.digest", &record.digest)?;
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
