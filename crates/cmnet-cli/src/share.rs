//! One share of a run for a batch queue: `--shard`, `--part` and `--known`.

use crate::args::{CheckpointArgs, ShareArgs};
use crate::exit::{Outcome, Usage};
use crate::{files, output};
use cmnet::{Dataset, Findings, Job, LearnObserver, Part, PartFile, Shard};
use std::path::Path;

/// Refuses, before any work, arguments that do not go together.
pub(crate) fn check(arguments: &ShareArgs, inputs: &[&Path]) -> anyhow::Result<()> {
    match (&arguments.shard, &arguments.part) {
        (Some(_), None) => Err(Usage("--shard needs --part FILE to write the share to".to_owned()).into()),
        (None, Some(_)) => {
            Err(Usage("--part needs --shard I/N: which share of the run it is".to_owned()).into())
        }
        (Some(shard), Some(part)) => {
            shard.parse::<Shard>()?;
            files::check_output(part, inputs)
        }
        (None, None) => Ok(()),
    }
}

/// The arguments of a command that has checkpoints too: that of a share is its part. Refuses two files to
/// write a share to, and two states to go on from.
pub(crate) fn with_checkpoints(
    arguments: &ShareArgs,
    checkpoints: &CheckpointArgs,
) -> anyhow::Result<ShareArgs> {
    let ShareArgs { shard, part, known } = arguments.clone();
    let Some(file) = &checkpoints.checkpoint else { return Ok(ShareArgs { shard, part, known }) };
    let problem = match (&shard, &part, &known) {
        (Some(_), None, _) => return Ok(ShareArgs { shard, part: Some(file.clone()), known }),
        (Some(_), Some(_), _) => "--part: a share is written to one file; leave out --checkpoint",
        (None, _, Some(_)) => {
            "--known: a run has one beginning; leave out --checkpoint, or go on from that alone"
        }
        (None, _, None) => return Ok(ShareArgs { shard, part, known }),
    };
    Err(Usage(problem.to_owned()).into())
}

/// What earlier shares of the run found, as `cmnet merge` put it together.
pub(crate) fn known(arguments: &ShareArgs, job: &Job, data: &Dataset) -> anyhow::Result<Findings> {
    match &arguments.known {
        Some(path) => Ok(Part::load(path)?.of(job, data)?),
        None => Ok(Findings::default()),
    }
}

/// Does a share where one is asked for; `None` where the run is to be done as a whole.
pub(crate) fn run(
    arguments: &ShareArgs,
    job: &Job,
    data: &Dataset,
    observer: &dyn LearnObserver,
) -> anyhow::Result<Option<Outcome>> {
    let (Some(shard), Some(path)) = (&arguments.shard, &arguments.part) else { return Ok(None) };
    let shard: Shard = shard.parse()?;
    job.check()?;
    let known = known(arguments, job, data)?;
    let tasks = job.share(data, &known, shard);
    // A queue starts a job again that was ended: what its part has is not done twice.
    let (file, mut found, opened) = PartFile::open(path.clone(), path.exists(), (job, data), Some(shard))?;
    if let Some(note) = opened.note(&path.display().to_string()) {
        output::note(&note);
    }
    let before = found.clone();
    found.add(known)?;
    let identity = job.identity(data);
    let part = |found: &Findings, finished: bool| {
        Part::with_identity(&identity, job, data, found.clone()).of_shard(shard, finished)
    };
    let open = |task: &&cmnet::Task| !before.has(task);
    for task in tasks.iter().filter(open) {
        let start = found.clone();
        found.add(job.run(task, &start, data, observer)?)?;
        let finished = tasks.iter().all(|task| found.has(task));
        file.write(&part(&found, finished))?;
        if let Some(reason) = observer.stop() {
            output::note(&format!(
                "ended early ({reason}); the same command goes on from {}",
                path.display()
            ));
            return Ok(Some(Outcome::of(reason)));
        }
    }
    file.write(&part(&found, true))?;
    let count = if tasks.len() == 1 { "1 task".to_owned() } else { format!("{} tasks", tasks.len()) };
    output::note(&format!("share {shard} of this run ({count}) is in {}", path.display()));
    Ok(Some(Outcome::Done))
}

/// Says what to do when a run that knows parts is not at its end: the next round of shares.
pub(crate) fn note_rest(job: &Job, data: &Dataset, known: &Findings) {
    // How many is not known: some come only when these are done.
    if !job.tasks(data, known, 1).is_empty() && *known != Findings::default() {
        output::note(
            "tasks are left, and are done here; another round of shares with --known could do them too",
        );
    }
}
