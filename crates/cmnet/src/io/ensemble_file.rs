//! The file of an ensemble: how the resamples were drawn, variables once, and the network of each resample.

use super::atomic::write_atomic_with;
use super::json_text::{json_to_text, write_json};
use super::model_error::{digest_at, error_at};
use super::model_file::{ENSEMBLE, Reader, syntax};
use super::model_record::{VariableRecord, VariableText, variable_records};
use super::network_record::{Head, NetworkRecord, NetworkText, read_networks};
use crate::confidence::{Drawn, Ensemble, Member};
use crate::error::{Result, quoted};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// An ensemble's file as it is read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with the fields of an ensemble")]
struct EnsembleRecord<'a> {
    format: String,
    #[serde(default, rename = "program")]
    _program: Option<String>,
    drawn: DrawnRecord,
    variables: Vec<VariableText>,
    #[serde(borrow)]
    members: Vec<NetworkRecord<'a>>,
}

/// How the resamples were drawn.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DrawnRecord {
    rows: u64,
    digest: String,
    seed: u64,
    resample: String,
    share: f64,
    replicates: u64,
}

/// An ensemble's file as it is written.
#[derive(Debug, Serialize)]
struct EnsembleText<'a> {
    format: &'static str,
    program: &'static str,
    drawn: DrawnRecord,
    variables: Vec<VariableRecord<'a>>,
    members: Vec<NetworkText<'a>>,
}

impl Ensemble {
    /// The text of an ensemble's file: the same bytes for the same self.
    ///
    /// # Errors
    /// When a number in it is not finite.
    pub fn to_json(&self) -> Result<String> {
        json_to_text(&self.text()?).map_err(|error| error_at("ensemble", "", error.to_string()))
    }

    fn text(&self) -> Result<EnsembleText<'_>> {
        let members = self.members().iter().map(|one| {
            let head = Head { replicate: Some(one.replicate), ..Head::default() };
            Ok(NetworkText::new(head, one.model.text()?))
        });
        Ok(EnsembleText {
            format: ENSEMBLE,
            program: concat!("cmnet ", env!("CARGO_PKG_VERSION")),
            drawn: DrawnRecord::from(self.drawn()),
            variables: variable_records(self.schema()),
            members: members.collect::<Result<_>>()?,
        })
    }

    /// Reads and checks the text of an ensemble's file; `file` names it in errors.
    ///
    /// # Errors
    /// Says where in the document something is wrong and what was expected.
    pub fn from_json(text: &str, file: &str) -> Result<Self> {
        let record: EnsembleRecord<'_> =
            serde_json::from_str(text).map_err(|error| syntax(file, text, &error))?;
        if record.format != ENSEMBLE {
            let problem = format!("the format is {}; expected {ENSEMBLE:?}", quoted(&record.format));
            return Err(error_at(file, "format", problem));
        }
        let reader = Reader { file };
        reader.schema(&record.variables)?;
        let drawn = record.drawn.read(file)?;
        let networks =
            read_networks(record.members, &reader, &record.variables, ("members", "replicate"), |head| {
                head.replicate
            })?;
        let members = networks.into_iter().map(|(replicate, model)| Member { replicate, model }).collect();
        Self::new(members, drawn).map_err(|error| error_at(file, "members", error.to_string()))
    }

    /// Writes an ensemble's file whole or not at all.
    ///
    /// # Errors
    /// When a number in it is not finite, or the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let text = self.text()?;
        write_atomic_with(path, |file| write_json(&text, file))
    }
}

impl From<&Drawn> for DrawnRecord {
    fn from(drawn: &Drawn) -> Self {
        Self {
            rows: drawn.rows,
            digest: drawn.digest.as_str().to_owned(),
            seed: drawn.seed,
            resample: drawn.resample.to_string(),
            share: drawn.share,
            replicates: drawn.replicates,
        }
    }
}

impl DrawnRecord {
    fn read(&self, file: &str) -> Result<Drawn> {
        let digest = digest_at(file, "drawn.digest", &self.digest)?;
        if self.rows == 0 {
            return Err(error_at(file, "drawn.rows", "0; expected at least 1".to_owned()));
        }
        if !(self.share > 0.0 && self.share <= 1.0) {
            let problem = format!("{}; expected a share above 0 and at most 1", self.share);
            return Err(error_at(file, "drawn.share", problem));
        }
        let resample = self.resample.parse().map_err(|_| {
            let problem = format!("{}; expected part or rows", quoted(&self.resample));
            error_at(file, "drawn.resample", problem)
        })?;
        let Self { rows, seed, share, replicates, .. } = *self;
        Ok(Drawn { rows, digest, seed, resample, share, replicates })
    }
}
