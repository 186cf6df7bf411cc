//! Where a learning run stands: finished kappas and the climb under way. Saved between any
//! two steps, it lets another process go on to the same result.

use super::observer::LearnEvent;
use super::{LearnOptions, SearchMode, Select};
use crate::control::StopReason;
use crate::data::{DataDigest, Dataset};
use crate::error::OptionName;
use crate::score::Kappa;
use crate::search::BlanketState;
use crate::search::{ClimbResult, SearchEvent, Standing};
use std::collections::BTreeMap;

/// A run between two steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LearnState {
    /// The kappas that are done, in order.
    pub finished: Vec<ClimbResult>,
    /// The climb of Algorithm 1 under way.
    pub climb: Option<ClimbResult>,
    /// The graph without contexts that the climbs of mode `blanket` start from, as far as it is found.
    pub graph: Option<ClimbResult>,
    /// The blankets found so far, in mode `blanket`.
    pub blankets: Option<BlanketState>,
    /// Structures that tasks found, by the places of their kappas; one that was ended early is where its
    /// climb stood. A kappa that the run passes over is not taken from here. Checkpoints have none.
    pub by_tasks: BTreeMap<usize, ClimbResult>,
    /// The one kappa that is searched for, where held-out rows have chosen it. Checkpoints have none: it
    /// is chosen anew.
    pub chosen: Option<Kappa>,
}

impl LearnState {
    /// Takes over what an event of a search says about where the run stands.
    pub fn follow(&mut self, event: &SearchEvent<'_>) {
        match event {
            SearchEvent::Moved(climb) | SearchEvent::Paused(Standing::Climb(climb)) => {
                let place = if climb.is_groundwork() { &mut self.graph } else { &mut self.climb };
                *place = Some(ClimbResult::of(climb, StopReason::Interrupted));
            }
            SearchEvent::Advanced(blankets) | SearchEvent::Paused(Standing::Blankets(blankets)) => {
                self.blankets = Some((*blankets).clone());
            }
            SearchEvent::Evaluated { .. } | SearchEvent::Bounded { .. } => {}
        }
    }

    /// Takes over what an event outside of the searches says.
    pub fn follow_learning(&mut self, event: &LearnEvent<'_>) {
        match event {
            LearnEvent::Finished(found) => {
                self.finished.push((*found).clone());
                self.climb = None;
            }
            LearnEvent::KappaChosen(kappa) => self.chosen = Some(*kappa),
            LearnEvent::GraphFound(found) => self.graph = Some((*found).clone()),
            _ => {}
        }
    }
}

/// Something that must be the same for a run to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunFact {
    /// The version of this program.
    Version,
    /// The content of the table.
    Data,
    /// What the run does, where it is not learning.
    Kind,
    /// An option.
    Option(OptionName),
}

impl RunFact {
    /// The name in checkpoint files, which have called options by their flags from the first.
    pub fn key(self) -> String {
        match self {
            Self::Version => "program version".to_owned(),
            Self::Data => "data".to_owned(),
            Self::Kind => "kind".to_owned(),
            Self::Option(option) => format!("--{}", option.name()),
        }
    }

    /// The fact that a checkpoint file calls so.
    pub fn of_key(key: &str) -> Option<Self> {
        match key {
            "program version" => Some(Self::Version),
            "data" => Some(Self::Data),
            "kind" => Some(Self::Kind),
            _ => key.strip_prefix("--").and_then(OptionName::named).map(Self::Option),
        }
    }
}

/// All that must be the same for a run to go on: named values, compared one by one.
///
/// Threads, fitting and a choice by BIC are not among them: they do not change the search.
pub fn run_identity(data: &Dataset, options: &LearnOptions) -> Vec<(RunFact, String)> {
    search_identity(&DataDigest::of(data), (data.variables(), data.distinct_rows() as u64), options)
}

/// What must be the same besides, where structures are also refined, confirmed and fitted on the way,
/// and where each table chooses its search for itself.
pub(crate) fn estimation_identity(options: &LearnOptions) -> Vec<(RunFact, String)> {
    let limits = &options.limits;
    vec![
        (RunFact::Option(OptionName::Search), options.search.to_string()),
        (RunFact::Option(OptionName::MaxNeighbors), limits.neighbors.to_string()),
        (RunFact::Option(OptionName::MaxConfigurations), limits.configurations.to_string()),
        (RunFact::Option(OptionName::Candidates), options.candidates.to_string()),
        (RunFact::Option(OptionName::MaxCells), cells(options)),
        (RunFact::Option(OptionName::Order), options.fit.order.to_string()),
        (RunFact::Option(OptionName::Refine), options.refine.to_string()),
        (RunFact::Option(OptionName::Contexts), options.contexts.to_string()),
        // What is remembered, and what is fitted to choose a kappa, goes by the memory.
        (RunFact::Option(OptionName::Memory), options.fit.memory.to_string()),
        (RunFact::Option(OptionName::Method), options.fit.method.to_string()),
        (RunFact::Option(OptionName::Smoothing), options.fit.smoothing.to_string()),
    ]
}

/// The most cells of a junction tree, as it is compared.
pub(crate) fn cells(options: &LearnOptions) -> String {
    options.max_cells.map_or_else(|| "any".to_owned(), |cells| cells.to_string())
}

/// Takes facts over, in place of those with the same names.
pub(crate) fn replace(identity: &mut Vec<(RunFact, String)>, facts: Vec<(RunFact, String)>) {
    identity.retain(|(known, _)| facts.iter().all(|(fact, _)| fact != known));
    identity.extend(facts);
}

/// The same for a table of which the digest and the size are known: variables and distinct rows.
pub(crate) fn search_identity(
    digest: &DataDigest,
    (variables, distinct_rows): (usize, u64),
    options: &LearnOptions,
) -> Vec<(RunFact, String)> {
    let (mode, _) = options.mode(variables, distinct_rows);
    let kappas: Vec<String> = options.kappas.iter().map(ToString::to_string).collect();
    let mut identity = vec![
        (RunFact::Version, env!("CARGO_PKG_VERSION").to_owned()),
        (RunFact::Data, digest.as_str().to_owned()),
        (RunFact::Option(OptionName::Kappa), kappas.join(",")),
        (RunFact::Option(OptionName::Alpha), options.alpha.to_string()),
        (RunFact::Option(OptionName::Search), mode.to_string()),
    ];
    if !options.edge_prior.is_uniform() {
        identity.push((RunFact::Option(OptionName::EdgePrior), options.edge_prior.to_string()));
    }
    if !options.knowledge.is_empty() {
        let known = serde_json::to_string(&options.knowledge).unwrap_or_default();
        identity.push((RunFact::Option(OptionName::Knowledge), known));
    }
    // Held-out rows choose the one kappa that is searched for.
    if matches!(options.select, Select::Heldout | Select::Cv) && options.kappas.len() > 1 {
        let choice = format!("{} with seed {}", options.select, options.tune.seed);
        identity.push((RunFact::Option(OptionName::Select), choice));
    }
    if mode == SearchMode::Blanket {
        let limits = &options.limits;
        identity.extend([
            (RunFact::Option(OptionName::MaxNeighbors), limits.neighbors.to_string()),
            (RunFact::Option(OptionName::MaxConfigurations), limits.configurations.to_string()),
            (RunFact::Option(OptionName::Candidates), options.candidates.to_string()),
        ]);
        if options.max_cells.is_some() {
            identity.push((RunFact::Option(OptionName::MaxCells), cells(options)));
        }
    }
    identity
}
