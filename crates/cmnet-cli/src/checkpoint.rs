//! Saving a long run now and then, and going on from where it was.

use crate::args::CheckpointArgs;
use crate::dialect::CommandLine;
use crate::exit::Usage;
use crate::{files, output};
use cmnet::{CheckpointPace, Checkpointer, OpenedCheckpoint, OptionName, checkpoint_files, parse_duration};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Refuses a checkpoint that would replace the table, or that an output would replace.
pub(crate) fn check_apart<'a>(
    arguments: &CheckpointArgs,
    tables: &[&Path],
    mut outputs: impl Iterator<Item = &'a Path>,
) -> anyhow::Result<()> {
    let Some(path) = &arguments.checkpoint else { return Ok(()) };
    files::check_output(path, tables)?;
    let own = checkpoint_files(path);
    outputs.try_for_each(|output| own.iter().try_for_each(|file| files::check_apart(output, file)))
}

/// The checkpointer that the arguments ask for, and the state to start from: where there is a file, it is opened.
pub(crate) fn open<T: Default>(
    arguments: &CheckpointArgs,
    open: impl FnOnce(PathBuf, CheckpointPace) -> cmnet::Result<(Checkpointer, T, OpenedCheckpoint)>,
) -> anyhow::Result<(Option<Checkpointer>, T)> {
    let Some(path) = arguments.checkpoint.clone() else {
        if arguments.resume {
            return Err(Usage("--resume needs --checkpoint FILE to go on from".to_owned()).into());
        }
        return Ok((None, T::default()));
    };
    let interval = parse_duration(OptionName::CheckpointInterval, &arguments.checkpoint_interval)?;
    let started = Instant::now();
    let clock = Box::new(move || started.elapsed());
    let shown = path.display().to_string();
    let (checkpointer, state, opened) = open(path, CheckpointPace { interval, clock })?;
    if let Some(note) = opened.note(&shown) {
        output::note(&note);
    }
    let warn = |error: &cmnet::Error| {
        output::note(&format!("warning: {}; the search goes on", error.words(&CommandLine)));
    };
    Ok((Some(checkpointer.on_failure(warn)), state))
}
