//! The checkpoint of a learning run: written whole, the generation before it kept.

use super::atomic::{check_writable, write_atomic};
use super::checkpoint_record::{Checked, NamedFacts, identity_record};
use super::lock::Lock;
use crate::error::{CheckpointProblem, Error, ErrorKind, Remedies, Remedy, Result};
use crate::learn::RunFact;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The format that this version writes, and the only one so far.
pub(super) const FORMAT: &str = "cmnet-checkpoint/1";

/// What a run is, by name: see [`crate::learn::run_identity`].
pub(super) type Identity = [(RunFact, String)];

/// Saves the record of a state; the file that was there becomes `FILE.previous`.
///
/// Killed at any moment, one of the two is a whole checkpoint.
///
/// # Errors
/// When a file cannot be written.
pub(super) fn save(path: &Path, record: &impl Serialize) -> Result<()> {
    let text = text_of(path, record)?;
    // One that breaks off must not take the place of a whole one.
    if looks_whole(path)? {
        let previous = previous(path);
        std::fs::rename(path, &previous).map_err(|source| Error::io(&previous, "write", source))?;
    }
    write_atomic(path, text.as_bytes())
}

/// A record as the text of a file.
pub(super) fn text_of(path: &Path, record: &impl Serialize) -> Result<String> {
    serde_json::to_string(record).map_err(|error| error_at(path, &error.to_string()))
}

/// Loads the newest whole checkpoint, and what is wrong with a newer one that is not; `None`
/// when there is none yet. `read` makes a state of a record, or says what is wrong with it.
///
/// # Errors
/// When it belongs to another table, other options or another version, saying which; or
/// when both generations are damaged.
pub(super) fn load<R: DeserializeOwned, T>(
    path: &Path,
    identity: &Identity,
    read: impl Fn(R) -> Checked<T>,
) -> Result<Option<(T, Option<Error>)>> {
    newest(path, |file, bytes| {
        // What it belongs to comes first: another kind of run has other fields.
        let head = match parsed::<HeadRecord>(bytes) {
            Ok(head) => head,
            Err(problem) => return Ok(Err(problem)),
        };
        if head.format != FORMAT {
            return Err(error_at(file, &format!("the format is {:?}; expected {FORMAT:?}", head.format)));
        }
        let remedies: [Remedy; 2] = [MADE_WITH.into(), Remedy::StartAgain];
        check_identity(file, &head.identity, &identity_record(identity), remedies)?;
        Ok(parsed::<R>(bytes).and_then(&read))
    })
}

/// The newest of both generations that `read` finds whole, and what is wrong with a newer one.
pub(super) fn newest<T>(
    path: &Path,
    read: impl Fn(&Path, &[u8]) -> Result<Checked<T>>,
) -> Result<Option<(T, Option<Error>)>> {
    let mut damage: Option<(PathBuf, String)> = None;
    for candidate in [path.to_owned(), previous(path)] {
        let bytes = match std::fs::read(&candidate) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(source) => return Err(Error::io(&candidate, "read", source)),
        };
        match read(&candidate, &bytes)? {
            Ok(state) => {
                return Ok(Some((state, damage.map(|(file, problem)| error_at(&file, &problem)))));
            }
            Err(problem) => damage = damage.or(Some((candidate, problem))),
        }
    }
    damage.map_or(Ok(None), |(file, problem)| {
        let (file, at) = (file.display().to_string(), "checkpoint".to_owned());
        let remedies = ["delete the checkpoint".into(), Remedy::StartAgain].into();
        Err(ErrorKind::Model { file, at, problem, remedies }.into())
    })
}

fn parsed<R: DeserializeOwned>(bytes: &[u8]) -> Checked<R> {
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}

/// What a checkpoint is of.
#[derive(Deserialize)]
struct HeadRecord {
    format: String,
    identity: NamedFacts,
}

/// A file that is this run's to write checkpoints to.
#[derive(Debug)]
pub(super) struct Claim {
    /// Keeps other runs from the file while this one goes on.
    pub(super) lock: Lock,
    /// The name under which an earlier checkpoint is kept, if there was one.
    pub(super) kept: Option<PathBuf>,
}

/// Makes sure, before any work, that checkpoints may be written to a file: a run that does
/// not resume keeps an earlier checkpoint as `FILE.old` (`FILE.old2` where that is taken, and
/// so on).
///
/// # Errors
/// When the path is a folder or has none to be in, when nothing can be written there, when
/// another run writes its checkpoints there, or when it or `FILE.previous` is a file that is no
/// checkpoint: those would be replaced.
pub(super) fn claim(path: &Path, resume: bool) -> Result<Claim> {
    let refuse = |file: &Path, problem: &'static str| -> Result<Claim> {
        let (file, problem) = (file.display().to_string(), CheckpointProblem::Unusable(problem));
        let remedies = "name another file for checkpoints".into();
        Err(ErrorKind::Checkpoint { file, problem, remedies }.into())
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return refuse(path, "the folder of this checkpoint does not exist");
    }
    for file in [path, previous(path).as_path()] {
        if file.is_dir() {
            return refuse(file, "this is a folder, and checkpoints go to a file");
        }
        // One that breaks off is a checkpoint, if a damaged one.
        if head(file)?.is_some_and(|head| !is_head(&head, true)) {
            return refuse(file, "this file is no checkpoint and would be replaced by one");
        }
    }
    check_writable(path)?;
    let Some(lock) = Lock::take(&lock_file(path))? else {
        return refuse(path, "another run writes its checkpoints here");
    };
    let kept = if resume { None } else { put_aside(path)? };
    Ok(Claim { lock, kept })
}

/// Gives both generations of an earlier run names that are free; empty files hold nothing.
fn put_aside(path: &Path) -> Result<Option<PathBuf>> {
    let has_content = |file: &Path| Ok::<bool, Error>(head(file)?.is_some_and(|head| !head.is_empty()));
    let (_, old) = names_aside(path);
    let mut kept = false;
    for (file, name) in [(path.to_owned(), old.clone()), (previous(path), previous(&old))] {
        if has_content(&file)? {
            std::fs::rename(&file, &name).map_err(|source| Error::io(&name, "write", source))?;
            kept = true;
        }
    }
    Ok(kept.then_some(old))
}

/// The names under which earlier checkpoints are kept, as far as they are taken, and the first
/// that is not.
fn names_aside(path: &Path) -> (Vec<PathBuf>, PathBuf) {
    let mut taken = Vec::new();
    let mut name = with_ending(path, ".old");
    while name.exists() || previous(&name).exists() {
        taken.push(name);
        name = with_ending(path, &format!(".old{}", taken.len() + 1));
    }
    (taken, name)
}

/// Whether a file begins and ends as checkpoints do.
fn looks_whole(path: &Path) -> Result<bool> {
    if !head(path)?.is_some_and(|head| is_head(&head, false)) {
        return Ok(false);
    }
    let mut last = [0];
    let read = std::fs::File::open(path).and_then(|mut file| {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)
    });
    read.map_err(|source| Error::io(path, "read", source))?;
    Ok(last == [b'}'])
}

/// What checkpoints, and parts of them, begin with.
const HEADS: [&[u8]; 2] = [br#"{"format":"cmnet-checkpoint/"#, br#"{"format":"cmnet-part/"#];

/// Whether a file begins as checkpoints do; `broken` lets in one that breaks off there.
fn is_head(head: &[u8], broken: bool) -> bool {
    HEADS.iter().any(|known| head.starts_with(known) || broken && known.starts_with(head))
}

/// The first bytes of a file; `None` when there is none.
fn head(path: &Path) -> Result<Option<Vec<u8>>> {
    let mut head = Vec::new();
    match std::fs::File::open(path).and_then(|file| file.take(64).read_to_end(&mut head)) {
        Ok(_) => Ok(Some(head)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::io(path, "read", source)),
    }
}

/// The files of a run with checkpoints that nothing else may be written to: both generations,
/// those of earlier runs that are kept, where the last one's go, and the lock.
pub fn checkpoint_files(path: &Path) -> Vec<PathBuf> {
    let (taken, free) = names_aside(path);
    let files = [path.to_owned(), free].into_iter().chain(taken);
    files.flat_map(|file| [previous(&file), file]).chain([lock_file(path)]).collect()
}

/// The file that keeps the generation before.
pub(super) fn previous(path: &Path) -> PathBuf {
    with_ending(path, ".previous")
}

fn lock_file(path: &Path) -> PathBuf {
    with_ending(path, ".lock")
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().map(ToOwned::to_owned).unwrap_or_default();
    name.push(ending);
    path.with_file_name(name)
}

/// What to do about a file of another run.
pub(super) const MADE_WITH: &str = "use what it was made with";

/// Refuses a file of another run than this one.
pub(super) fn check_identity(
    path: &Path,
    there: &NamedFacts,
    here: &NamedFacts,
    remedies: impl Into<Remedies>,
) -> Result<()> {
    let own = |name: &str| here.get(name).map_or("-", String::as_str);
    let saved_differs = there.iter().find(|(name, value)| own(name) != value.as_str());
    let missing = here.iter().find(|(name, _)| !there.contains_key(*name));
    let (name, saved, here) = match (saved_differs, missing) {
        (Some((name, value)), _) => (name.clone(), value.clone(), own(name).to_owned()),
        (None, Some((name, value))) => (name.clone(), "-".to_owned(), value.clone()),
        (None, None) => return Ok(()),
    };
    let file = path.display().to_string();
    let problem = match RunFact::of_key(&name) {
        Some(RunFact::Option(option)) => CheckpointProblem::OtherOption { option, saved, here },
        _ => CheckpointProblem::Other { what: name, saved, here },
    };
    Err(ErrorKind::Checkpoint { file, problem, remedies: remedies.into() }.into())
}

pub(super) fn error_at(path: &Path, problem: &str) -> Error {
    Error::model(path.display().to_string(), "checkpoint", problem)
}
