//! `cmnet learn --backbone`: edges that are found first and stay.

use crate::output;
use crate::progress::Watch;
use cmnet::{Backbone, Dataset, DecomposableGraph, LearnOptions, PlaneCounts};
use std::time::Duration;

/// What is known once the edges are found.
pub(super) struct Known {
    pub(super) options: LearnOptions,
    pub(super) found: Option<DecomposableGraph>,
}

/// Finds the edges, requires them, and tells about them.
pub(super) fn find(
    backbone: Backbone,
    mut options: LearnOptions,
    data: &Dataset,
    time_limit: Option<Duration>,
) -> anyhow::Result<Known> {
    if backbone == Backbone::None {
        return Ok(Known { options, found: None });
    }
    let counts = PlaneCounts::new(data);
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
    if found.is_some() && options.relearns_parts() {
        output::note(
            "backbone: its edges were found on all rows, those that are held out among them; so the log-probability \
             of held-out rows may look better than it is",
        );
    }
    Ok(Known { options, found })
}
