//! `cmnet learn --backbone`: edges that are found first and stay.

use crate::output;
use crate::progress::Watch;
use cmnet::{Backbone, Dataset, DecomposableGraph, LearnOptions, PlaneCounts};
use std::time::{Duration, Instant};

/// What is known once the edges are found.
pub(super) struct Known {
    pub(super) options: LearnOptions,
    pub(super) found: Option<DecomposableGraph>,
    /// What is left of the time.
    pub(super) time_limit: Option<Duration>,
}

/// Finds the edges, requires them, and tells about them.
pub(super) fn find(
    backbone: Backbone,
    mut options: LearnOptions,
    data: &Dataset,
    time_limit: Option<Duration>,
) -> anyhow::Result<Known> {
    if backbone == Backbone::None {
        return Ok(Known { options, found: None, time_limit });
    }
    let (started, counts) = (Instant::now(), PlaneCounts::new(data));
    let found = backbone.require(&counts, data.schema(), &mut options, &Watch::new(time_limit))?;
    if let Some(found) = &found {
        output::note(&format!(
            "backbone: {} edges of a decomposable graph, log marginal likelihood {:.3}, {} moves ({})",
            found.graph.edge_count(),
            found.log_marginal_likelihood,
            found.moves,
            found.stop
        ));
    }
    let time_limit = time_limit.map(|limit| limit.saturating_sub(started.elapsed()));
    Ok(Known { options, found, time_limit })
}
