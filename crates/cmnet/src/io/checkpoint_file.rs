//! The checkpoint of a learning run: written whole, the generation before it kept.

use super::atomic::write_atomic;
use super::checkpoint_record::CheckpointRecord;
use crate::error::{Error, ErrorKind, Result};
use crate::learn::LearnState;
use std::path::{Path, PathBuf};

/// The format that this version writes, and the only one so far.
pub const FORMAT: &str = "cmnet-checkpoint/1";

/// What a run is, by name: see [`crate::learn::run_identity`].
pub type Identity = [(&'static str, String)];

/// Saves a state; the file that was there becomes `FILE.previous`.
///
/// Killed at any moment, one of the two is a whole checkpoint.
///
/// # Errors
/// When a file cannot be written.
pub fn save(path: &Path, identity: &Identity, state: &LearnState) -> Result<()> {
    let record = CheckpointRecord::new(FORMAT, identity, state);
    let text = serde_json::to_string(&record).map_err(|error| complaint(path, &error.to_string()))?;
    if path.exists() {
        let previous = previous(path);
        std::fs::rename(path, &previous).map_err(|source| Error::io(&previous, "write", source))?;
    }
    write_atomic(path, text.as_bytes())
}

/// Loads the newest whole checkpoint; `None` when there is none yet.
///
/// # Errors
/// When it belongs to another table, other options or another version, saying which; or
/// when both generations are damaged.
pub fn load(path: &Path, identity: &Identity, cardinalities: &[u32]) -> Result<Option<LearnState>> {
    let mut damage = None;
    for candidate in [path.to_owned(), previous(path)] {
        let text = match std::fs::read_to_string(&candidate) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(source) => return Err(Error::io(&candidate, "read", source)),
        };
        match serde_json::from_str::<CheckpointRecord>(&text) {
            Ok(record) => {
                check_identity(&candidate, &record, identity)?;
                return record
                    .state(cardinalities)
                    .map(Some)
                    .map_err(|problem| complaint(&candidate, &problem));
            }
            Err(error) => damage = damage.or(Some(complaint(&candidate, &error.to_string()))),
        }
    }
    damage.map_or(Ok(None), Err)
}

/// The file that keeps the generation before.
pub fn previous(path: &Path) -> PathBuf {
    let mut name = path.file_name().map(ToOwned::to_owned).unwrap_or_default();
    name.push(".previous");
    path.with_file_name(name)
}

fn check_identity(path: &Path, record: &CheckpointRecord, identity: &Identity) -> Result<()> {
    if record.format != FORMAT {
        return Err(complaint(path, &format!("the format is {:?}; expected {FORMAT:?}", record.format)));
    }
    let own = |name: &str| {
        identity.iter().find(|(other, _)| *other == name).map_or("-", |(_, value)| value.as_str())
    };
    let differs = |(name, value): &(&String, &String)| own(name) != value.as_str();
    let saved_differs = record.identity.iter().find(differs);
    let missing = identity.iter().find(|(name, _)| !record.identity.contains_key(*name));
    let (name, saved, here) = match (saved_differs, missing) {
        (Some((name, value)), _) => (name.as_str(), value.as_str(), own(name)),
        (None, Some((name, value))) => (*name, "-", value.as_str()),
        (None, None) => return Ok(()),
    };
    let file = path.display().to_string();
    let problem = format!("this checkpoint has another {name}: {saved} there, {here} here");
    let hint = "use what it was made with, or start again without --resume".to_owned();
    Err(ErrorKind::Checkpoint { file, problem, hint }.into())
}

fn complaint(path: &Path, problem: &str) -> Error {
    let problem = format!("{problem}; delete the checkpoint or start again without --resume");
    ErrorKind::Model { file: path.display().to_string(), at: "checkpoint".to_owned(), problem }.into()
}
