//! Algorithm 1, from wherever it begins to its end.

use crate::control::Outcome;
use crate::counts::CountSource;
use crate::error::Result;
use crate::search::{ClimbRecord, ClimbResult, GraphClimb, GraphClimbState, SearchObserver, climb_graph};

/// Algorithm 1 from the beginning or from where it stood.
pub(super) fn by_climb<S: CountSource>(
    climb: &GraphClimb<'_, '_, S>,
    from: Option<ClimbResult>,
    observer: &dyn SearchObserver,
) -> Result<ClimbResult> {
    match from {
        Some(saved) => go_on(climb, climb.resume(saved.clone(), observer)?, saved, observer),
        None => to_the_end(climb, climb.start()?, observer),
    }
}

/// Algorithm 1 from a state that was derived from another climb. Where that was stopped, the result
/// stands where it stood.
pub(super) fn go_on<S: CountSource>(
    climb: &GraphClimb<'_, '_, S>,
    state: Outcome<GraphClimbState>,
    stood: ClimbResult,
    observer: &dyn SearchObserver,
) -> Result<ClimbResult> {
    match state {
        Outcome::Done(state) => to_the_end(climb, state, observer),
        Outcome::Stopped(stop) => Ok(ClimbResult { climb: ClimbRecord { stop, ..stood.climb }, ..stood }),
    }
}

fn to_the_end<S: CountSource>(
    climb: &GraphClimb<'_, '_, S>,
    mut state: GraphClimbState,
    observer: &dyn SearchObserver,
) -> Result<ClimbResult> {
    let stop = climb_graph(climb, &mut state, observer)?;
    Ok(ClimbResult::of(&state, stop))
}
