//! Parts of a run, as they go from machine to machine: findings with what they belong to.

use super::checkpoint_file::{self, MADE_WITH, check_identity, text_of};
use super::checkpoint_record::identity_record;
use super::checkpointer::{Opened, opened};
use super::lock::Lock;
use super::part_record::{PartHead, PartRecord};
use crate::data::Dataset;
use crate::error::{CheckpointProblem, Error, ErrorKind, Remedies, Result};
use crate::io::OpenedCheckpoint;
use crate::learn::RunFact;
use crate::task::{Findings, Job, Shard};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// The format that this version writes, and the only one so far.
const FORMAT: &str = "cmnet-part/1";

/// What some tasks of a run found, with what the run is.
///
/// # Example
/// ```
/// use cmnet::{Dataset, Findings, Job, LearnOptions, Part, learn, learn_from};
/// let data = Dataset::from_labels(&["a", "b"], [["0", "0"], ["1", "1"]].repeat(20))?;
/// let job = Job::Learn(LearnOptions::default());
/// let mut known = Findings::default();
/// for task in job.tasks(&data, &known.clone(), 4) {
///     // Anywhere, in any order.
///     let found = job.run(&task, &known, &data, &())?;
///     let text = Part::new(&job, &data, found).to_text()?;
///     // Where the results come together.
///     known.add(Part::from_text("a worker", &text)?.of(&job, &data)?)?;
/// }
/// let learned = learn_from(known.learn_state(), &data, job.options(), &())?;
/// let alone = learn(&data, job.options(), &())?;
/// assert_eq!(learned.models[0].structure, alone.models[0].structure);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub struct Part {
    /// The file, or what stands for it.
    name: String,
    head: PartHead,
    findings: Findings,
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Part")
            .field("name", &self.name)
            .field("shard", &self.head.shard)
            .finish_non_exhaustive()
    }
}

impl Part {
    /// Findings of a run on a table.
    pub fn new(job: &Job, data: &Dataset, findings: Findings) -> Self {
        Self::with_identity(&job.identity(data), job, data, findings)
    }

    /// The same for a caller that knows the [identity](Job::identity) of the run: the digest of a large
    /// table takes its time.
    pub fn with_identity(
        identity: &[(RunFact, String)],
        job: &Job,
        data: &Dataset,
        findings: Findings,
    ) -> Self {
        let head = PartHead {
            run: job.name().to_owned(),
            identity: identity_record(identity),
            levels: data.schema().cardinalities(),
            shard: None,
            finished: false,
        };
        Self { name: "a part".to_owned(), head, findings }
    }

    /// The same, of one share, which is finished or not.
    #[must_use]
    pub fn of_shard(mut self, shard: Shard, finished: bool) -> Self {
        (self.head.shard, self.head.finished) = (Some(shard), finished);
        self
    }

    /// The part as a text.
    ///
    /// # Errors
    /// Never for what this library made.
    pub fn to_text(&self) -> Result<String> {
        text_of(Path::new(&self.name), &self.record())
    }

    fn record(&self) -> PartRecord {
        PartRecord::new(FORMAT, &self.head, &self.findings)
    }

    /// Reads a part; `name` stands for it in errors.
    ///
    /// # Errors
    /// When the text is no part.
    pub fn from_text(name: &str, text: &str) -> Result<Self> {
        let refused = |problem: String| not_a_part(name, &problem);
        let record: PartRecord = serde_json::from_str(text).map_err(|error| refused(error.to_string()))?;
        if record.format != FORMAT {
            return Err(refused(format!("the format is {:?}; expected {FORMAT:?}", record.format)));
        }
        let (head, findings) = record.read().map_err(refused)?;
        Ok(Self { name: name.to_owned(), head, findings })
    }

    /// Reads a part from a file.
    ///
    /// # Errors
    /// When the file cannot be read or is no part.
    pub fn load(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|source| Error::io(path, "read", source))?;
        Self::from_text(&path.display().to_string(), &text)
    }

    /// The findings, if they are of this run.
    ///
    /// # Errors
    /// When they are of another: the error says what differs.
    pub fn of(self, job: &Job, data: &Dataset) -> Result<Findings> {
        self.of_identity(&job.identity(data), job, data)
    }

    /// The same for a caller that knows the identity of the run.
    ///
    /// # Errors
    /// As [`Part::of`].
    pub fn of_identity(self, identity: &[(RunFact, String)], job: &Job, data: &Dataset) -> Result<Findings> {
        let path = Path::new(&self.name);
        check_run(&self.name, &self.head.run, job.name())?;
        check_identity(path, &self.head.identity, &identity_record(identity), MADE_WITH)?;
        if self.head.levels != data.schema().cardinalities() {
            return Err(not_a_part(&self.name, "the levels are not those of the table"));
        }
        Ok(self.findings)
    }

    /// Puts the shares of one run together.
    ///
    /// # Errors
    /// When they are not of one run, one is missing, given twice or not finished; the error names it.
    pub fn merge(parts: Vec<Self>) -> Result<Self> {
        let mut parts = parts.into_iter();
        let Some(mut whole) = parts.next() else {
            return Err(Error::option("parts", "none", "the parts of a run"));
        };
        let mut seen = BTreeMap::new();
        let (_, of) = note(&whole, &mut seen)?;
        for part in parts {
            check_run(&part.name, &part.head.run, &whole.head.run)?;
            check_identity(Path::new(&part.name), &part.head.identity, &whole.head.identity, MADE_WITH)?;
            let (number, others) = note(&part, &mut seen)?;
            if others != of {
                let why = format!("this is share {number} of {others}, and others are of {of}");
                return Err(refuse(&part.name, why, "give the parts of one division alone"));
            }
            whole.findings.add(part.findings)?;
        }
        let missing: Vec<u64> = (1..=of).filter(|number| !seen.contains_key(number)).collect();
        if !missing.is_empty() {
            let named: Vec<String> = missing.iter().take(20).map(ToString::to_string).collect();
            let more = if missing.len() > named.len() { ", ..." } else { "" };
            let shares = if missing.len() == 1 { "share" } else { "shares" };
            let why = format!("{shares} {}{more} of {of} missing", named.join(", "));
            return Err(refuse(&whole.name, why, "give every part of the run"));
        }
        (whole.head.shard, whole.head.finished) = (None, true);
        Ok(whole)
    }

    /// Writes the part to a file; a part that was there is kept as `FILE.old`.
    ///
    /// # Errors
    /// When the file cannot be written, or is no part and would be replaced.
    pub fn save(&self, path: &Path) -> Result<()> {
        let _claim = checkpoint_file::claim(path, false)?;
        checkpoint_file::save(path, &self.record())
    }

    /// The kind of run that it is of, as the command is called.
    pub fn run(&self) -> &str {
        &self.head.run
    }
}

/// Notes which share a part is.
fn note(part: &Part, seen: &mut BTreeMap<u64, String>) -> Result<(u64, u64)> {
    let Some(shard) = part.head.shard else {
        let why = "this is no share of a run, but a whole".to_owned();
        return Err(refuse(&part.name, why, "give the parts that it was made of"));
    };
    if !part.head.finished {
        let why = format!("share {shard} is not finished");
        return Err(refuse(&part.name, why, "run it again, going on from this part"));
    }
    if let Some(other) = seen.insert(shard.number(), part.name.clone()) {
        let why = format!("share {shard} is here twice: in {other} too");
        return Err(refuse(&part.name, why, "give every part once"));
    }
    Ok((shard.number(), shard.of()))
}

fn check_run(name: &str, there: &str, here: &str) -> Result<()> {
    if there == here {
        return Ok(());
    }
    let (saved, here) = (there.to_owned(), here.to_owned());
    let problem = CheckpointProblem::Other { what: "kind of run".to_owned(), saved, here };
    let remedies = MADE_WITH.into();
    Err(ErrorKind::Checkpoint { file: name.to_owned(), problem, remedies }.into())
}

fn not_a_part(name: &str, problem: &str) -> Error {
    Error::model(name, "the part of a run", problem)
}

fn refuse(file: &str, why: String, remedies: impl Into<Remedies>) -> Error {
    let (file, problem) = (file.to_owned(), CheckpointProblem::Parts(why));
    ErrorKind::Checkpoint { file, problem, remedies: remedies.into() }.into()
}

/// A file that a part is written to while its tasks are done.
#[derive(Debug)]
pub struct PartFile {
    path: PathBuf,
    /// Keeps other runs from the file.
    _lock: Lock,
}

impl PartFile {
    /// Opens a file for a part, and says what it knows already when the run is to `resume`.
    ///
    /// # Errors
    /// When the file cannot be used, or its part is of another run or share, or damaged.
    pub fn open(
        path: PathBuf,
        resume: bool,
        (job, data): (&Job, &Dataset),
        shard: Option<Shard>,
    ) -> Result<(Self, Findings, OpenedCheckpoint)> {
        let read = |file: &Path, bytes: &[u8]| {
            let name = file.display().to_string();
            let Ok(text) = str::from_utf8(bytes) else { return Ok(Err("the text is not UTF-8".to_owned())) };
            let part = match Part::from_text(&name, text) {
                Ok(part) => part,
                Err(error) => return Ok(Err(error.to_string())),
            };
            if part.head.shard != shard {
                let shown = |shard: Option<Shard>| shard.map_or("none".to_owned(), |shard| shard.to_string());
                let (saved, here) = (shown(part.head.shard), shown(shard));
                let problem =
                    CheckpointProblem::OtherOption { option: crate::error::OptionName::Shard, saved, here };
                let remedies = MADE_WITH.into();
                return Err(ErrorKind::Checkpoint { file: name, problem, remedies }.into());
            }
            part.of(job, data).map(Ok)
        };
        let Opened { state: known, lock, found } =
            opened(&path, resume, || checkpoint_file::newest(&path, read))?;
        Ok((Self { path, _lock: lock }, known, found))
    }

    /// Writes a part; the one before is kept as `FILE.previous`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, part: &Part) -> Result<()> {
        checkpoint_file::save(&self.path, &part.record())
    }
}
