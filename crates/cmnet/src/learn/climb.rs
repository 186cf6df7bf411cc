//! Algorithm 1, from wherever it begins to its end.

use crate::control::Outcome;
use crate::counts::CountSource;
use crate::error::{ErrorKind, Result};
use crate::graph::Graph;
use crate::search::{ClimbRecord, ClimbResult, GraphClimb, GraphClimbState, SearchObserver, climb_graph};

/// Where a climb begins.
pub(super) enum ClimbStart<'a> {
    /// At the graph that has no more edges than are required.
    Empty,
    /// At a graph.
    Graph(&'a Graph),
    /// Where it stood.
    Saved(ClimbResult),
}

impl<'a> ClimbStart<'a> {
    pub(super) fn of(saved: Option<ClimbResult>, graph: Option<&'a Graph>) -> Self {
        saved.map_or_else(|| graph.map_or(Self::Empty, Self::Graph), Self::Saved)
    }
}

/// Algorithm 1 from the beginning, from a graph or from where it stood.
pub(super) fn by_climb<S: CountSource>(
    climb: &GraphClimb<'_, '_, S>,
    from: ClimbStart<'_>,
    observer: &dyn SearchObserver,
) -> Result<ClimbResult> {
    let state = match from {
        ClimbStart::Saved(saved) => {
            return go_on(climb, climb.resume(saved.clone(), observer)?, saved, observer);
        }
        ClimbStart::Graph(graph) => match climb.start_at(graph, observer) {
            Ok(Outcome::Done(state)) => state,
            Ok(Outcome::Stopped(stop)) => return Ok(ClimbResult::of(&climb.start()?, stop)),
            // Fewer rows may not allow as many configurations as the table's own.
            Err(error) if matches!(error.kind(), ErrorKind::Limit(_)) => climb.start()?,
            Err(error) => return Err(error),
        },
        ClimbStart::Empty => climb.start()?,
    };
    to_the_end(climb, state, observer)
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
