//! Saving a long run now and then, and going on from where it was.

use crate::args::CheckpointArgs;
use crate::exit::Usage;
use crate::output;
use cmnet::data::Dataset;
use cmnet::io::Checkpointer;
use cmnet::learn::{LearnOptions, LearnState, parse_duration};
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
    let mut state = LearnState::default();
    if arguments.resume {
        match Checkpointer::saved(&path, data, options)? {
            Some(saved) => state = saved,
            None => {
                output::note(&format!("{}: no checkpoint yet; starting from the beginning", path.display()));
            }
        }
    }
    let interval = parse_duration("--checkpoint-interval", &arguments.checkpoint_interval)?;
    let started = Instant::now();
    let clock = Box::new(move || started.elapsed());
    Ok((Some(Checkpointer::new(path, (data, options), state.clone(), (interval, clock))), state))
}
