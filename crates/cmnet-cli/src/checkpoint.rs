//! Saving a long run now and then, and going on from where it was.

use crate::args::CheckpointArgs;
use crate::exit::Usage;
use crate::output;
use cmnet::{
    CheckpointPace, CheckpointedRun, Checkpointer, Dataset, LearnOptions, LearnState, OptionName,
    parse_duration,
};
use std::time::Instant;

/// The checkpointer that the arguments ask for, and the state to start from.
pub(crate) fn open(
    arguments: &CheckpointArgs,
    data: &Dataset,
    options: &LearnOptions,
) -> anyhow::Result<(Option<Checkpointer>, LearnState)> {
    let Some(path) = arguments.checkpoint.clone() else {
        if arguments.resume {
            return Err(Usage("--resume needs --checkpoint FILE to go on from".to_owned()).into());
        }
        return Ok((None, LearnState::default()));
    };
    let interval = parse_duration(OptionName::CheckpointInterval, &arguments.checkpoint_interval)?;
    let started = Instant::now();
    let clock = Box::new(move || started.elapsed());
    let shown = path.display().to_string();
    let (checkpointer, state, opened) = Checkpointer::open(
        path,
        arguments.resume,
        CheckpointedRun { data, options },
        CheckpointPace { interval, clock },
    )?;
    if let Some(note) = opened.note(&shown) {
        output::note(&note);
    }
    Ok((Some(checkpointer), state))
}
