//! Options of searching and fitting that several commands share.

use crate::args::{FittingArgs, KnowledgeArgs, SearchArgs};
use cmnet::{
    Backbone, BlanketLimits, Chosen, FitOptions, Knowledge, LearnOptions, OptionName, Order, Ridge, Tune,
    parse_bytes, parse_duration,
};
use std::time::{Duration, Instant};

/// What was typed becomes what the library understands.
pub(crate) fn learn_options(arguments: &SearchArgs) -> anyhow::Result<LearnOptions> {
    Ok(LearnOptions {
        kappas: arguments.kappa.iter().map(|text| text.parse()).collect::<Result<_, _>>()?,
        search: arguments.search,
        contexts: arguments.contexts,
        alpha: arguments.alpha.parse()?,
        edge_prior: arguments.edge_prior.parse()?,
        knowledge: knowledge(&arguments.knowledge)?,
        refine: arguments.refine,
        max_cells: arguments.max_cells,
        fit: fit_options(&arguments.fitting)?,
        tune: tune_options(&arguments.fitting)?,
        threads: arguments.threads,
        limits: BlanketLimits {
            neighbors: arguments.max_neighbors,
            configurations: arguments.max_configurations,
        },
        candidates: arguments.candidates,
        ..LearnOptions::default()
    })
}

/// The same for commands that have no backbone.
pub(crate) fn options_without_backbone(arguments: &SearchArgs) -> anyhow::Result<LearnOptions> {
    let options = learn_options(arguments)?;
    options.check_max_cells(Backbone::None)?;
    Ok(options)
}

/// What a file says about edges, and what was typed.
pub(crate) fn knowledge(arguments: &KnowledgeArgs) -> anyhow::Result<Knowledge> {
    let file = arguments.knowledge.as_deref().map(Knowledge::read).transpose()?.unwrap_or_default();
    let patterns = |texts: &[String]| texts.iter().map(|text| text.as_str().into()).collect();
    let (require, forbid) = (patterns(&arguments.require), patterns(&arguments.forbid));
    Ok(file.and(Knowledge { require, forbid, ..Knowledge::default() }))
}

/// When a search is to end.
pub(crate) fn time_limit(arguments: &SearchArgs) -> anyhow::Result<Option<Duration>> {
    let limit = arguments.time_limit.as_deref();
    Ok(limit.map(|text| parse_duration(OptionName::TimeLimit, text)).transpose()?)
}

/// The time limit of a whole command. Its steps share it.
#[derive(Clone, Copy)]
pub(crate) struct TimeLimit {
    limit: Option<Duration>,
    begun: Instant,
}

impl TimeLimit {
    /// The limit of a command that begins now.
    pub(crate) fn begin(limit: Option<Duration>) -> Self {
        Self { limit, begun: Instant::now() }
    }

    /// What is left of it.
    pub(crate) fn left(self) -> Option<Duration> {
        self.limit.map(|limit| limit.saturating_sub(self.begun.elapsed()))
    }
}

pub(crate) fn fit_options(arguments: &FittingArgs) -> anyhow::Result<FitOptions> {
    Ok(FitOptions {
        method: arguments.method,
        order: arguments.order.parse::<Chosen<Order>>()?.value(),
        ridge: arguments.ridge.parse::<Chosen<Ridge>>()?.value(),
        smoothing: arguments.smoothing,
        memory: bytes(&arguments.memory)?,
        ..FitOptions::default()
    })
}

/// What rows that are held out choose.
pub(crate) fn tune_options(arguments: &FittingArgs) -> anyhow::Result<Tune> {
    Ok(Tune {
        order: arguments.order.parse::<Chosen<Order>>()?.is_auto(),
        ridge: arguments.ridge.parse::<Chosen<Ridge>>()?.is_auto(),
        ..Tune::NOTHING
    })
}

/// Reads an amount of memory such as 500M, 2G or 1048576.
pub(crate) fn bytes(text: &str) -> anyhow::Result<u64> {
    Ok(parse_bytes(OptionName::Memory, text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_of_a_command_share_its_time() {
        let earlier = |seconds: u64| Instant::now().checked_sub(Duration::from_secs(seconds)).unwrap();
        let limit = |seconds: u64| Some(Duration::from_secs(seconds));
        assert_eq!(TimeLimit { limit: limit(2), begun: earlier(3) }.left(), limit(0));
        let left = TimeLimit { limit: limit(60), begun: earlier(20) }.left().unwrap();
        assert!(left <= Duration::from_secs(40) && left > Duration::from_secs(10), "{left:?}");
        assert_eq!(TimeLimit::begin(None).left(), None);
    }
}
