//! The phases in order, as steps over a state that can be saved between any two of them.

use super::candidates::{CandidateRule, candidates};
use super::graph_search::{GraphSearch, Scored, node_scores};
use super::neighborhood::{BlanketLimits, Neighborhood, climb};
use super::polish::polish;
use crate::counts::CountSource;
use crate::data::Var;
use crate::error::Result;
use crate::graph::VarSet;
use crate::score::{ContextPrior, Kappa, Scorer};
use crate::search::climb_contexts;
use crate::search::observer::{Event, Observer, Standing};
use crate::search::stop::{Halt, StopReason};
use crate::structure::Structure;
use rayon::prelude::*;

/// Nodes whose blankets are found between two looks at the clock.
const BATCH: usize = 64;

/// A search in mode `blanket`.
#[derive(Debug)]
pub struct BlanketSearch<'a, 'b, S> {
    scorer: &'a Scorer<'b, S>,
    limits: BlanketLimits,
    rule: CandidateRule,
}

/// Where a search in mode `blanket` stands. Blankets and the plain graph serve every kappa.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlanketState {
    /// The blankets found so far, by node.
    pub(super) blankets: Vec<Neighborhood>,
    /// The plain graph so far.
    pub(super) plain: Option<Progress>,
    /// The climb with contexts under the present kappa.
    pub(super) contexts: Option<Progress>,
}

/// A structure on its way up.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Progress {
    /// The structure so far.
    pub(super) structure: Structure,
    /// Toggles taken.
    pub(super) steps: u64,
    /// Whether no toggle improves it.
    pub(super) done: bool,
}

impl BlanketState {
    /// The nodes whose blankets a limit cut short.
    pub fn limited(&self) -> Vec<Var> {
        let limited = self.blankets.iter().enumerate().filter(|(_, found)| found.limited);
        limited.map(|(node, _)| node).collect()
    }

    /// The blankets found so far, by node.
    pub fn blankets(&self) -> impl Iterator<Item = &VarSet> {
        self.blankets.iter().map(|found| &found.blanket)
    }

    /// Where the search stands, in words.
    pub fn progress_line(&self) -> String {
        match (&self.plain, &self.contexts) {
            (_, Some(contexts)) => line("edges and contexts", contexts),
            (Some(plain), None) => line("edges", plain),
            (None, None) => format!("{} blankets", self.blankets.len()),
        }
    }

    /// Edge toggles taken so far.
    pub fn steps(&self) -> u64 {
        [&self.plain, &self.contexts].into_iter().flatten().map(|progress| progress.steps).sum()
    }

    /// Forgets what belongs to one kappa.
    pub fn next_kappa(&mut self) {
        self.contexts = None;
    }
}

impl<'a, 'b, S: CountSource> BlanketSearch<'a, 'b, S> {
    /// A search with these limits and this rule for candidate edges.
    pub fn new(scorer: &'a Scorer<'b, S>, limits: BlanketLimits, rule: CandidateRule) -> Self {
        Self { scorer, limits, rule }
    }

    /// Runs or goes on from a state; `Err` of a reason leaves the state ready to go on.
    ///
    /// # Errors
    /// When an outcome space is too large.
    pub fn run(
        &self,
        state: &mut BlanketState,
        kappa: Kappa,
        observer: &dyn Observer,
    ) -> Result<(Structure, StopReason)> {
        let prior = ContextPrior::new(kappa, self.scorer.rows());
        let stop = match self.phases(state, &prior, observer) {
            Ok(()) => StopReason::Converged,
            Err(Halt::Stopped(reason)) => {
                observer.observe(&Event::Paused(Standing::Blankets(state)));
                reason
            }
            Err(Halt::Failed(error)) => return Err(error),
        };
        let best = state.contexts.as_ref().or(state.plain.as_ref());
        let structure = match best {
            Some(progress) => progress.structure.clone(),
            None => Structure::empty(self.scorer.cardinalities()),
        };
        Ok((structure, stop))
    }

    /// Phase 1 alone: the blankets of all nodes.
    ///
    /// # Errors
    /// When an outcome space is too large.
    pub fn find_all_blankets(&self, state: &mut BlanketState, observer: &dyn Observer) -> Result<StopReason> {
        match self.find_blankets(state, observer) {
            Ok(()) => Ok(StopReason::Converged),
            Err(Halt::Stopped(reason)) => Ok(reason),
            Err(Halt::Failed(error)) => Err(error),
        }
    }

    fn phases(
        &self,
        state: &mut BlanketState,
        prior: &ContextPrior,
        observer: &dyn Observer,
    ) -> std::result::Result<(), Halt> {
        self.find_blankets(state, observer)?;
        let edges = candidates(&state.blankets, self.rule)?;
        let search = |contexts| GraphSearch {
            scorer: self.scorer,
            prior,
            limits: self.limits,
            candidates: &edges,
            contexts,
        };
        if state.plain.is_none() {
            state.plain = Some(Progress::start(Structure::empty(self.scorer.cardinalities())));
        }
        self.climb(&search(false), state, Stage::Plain, observer)?;
        if prior.log_kappa().is_none() {
            return Ok(());
        }
        if let (None, Some(plain)) = (&state.contexts, &state.plain) {
            let (structure, _) = climb_contexts(self.scorer, prior, plain.structure.graph())?;
            state.contexts = Some(Progress::start(structure));
        }
        self.climb(&search(true), state, Stage::Contexts, observer)?;
        if let Some(progress) = &mut state.contexts {
            let nodes = node_scores(self.scorer, &progress.structure)?;
            let scored = Scored { structure: &progress.structure, nodes: &nodes };
            progress.structure = polish(self.scorer, prior, scored, observer)?;
        }
        Ok(())
    }

    /// Phase 1, in batches of nodes.
    fn find_blankets(
        &self,
        state: &mut BlanketState,
        observer: &dyn Observer,
    ) -> std::result::Result<(), Halt> {
        let nodes = self.scorer.cardinalities().len();
        while state.blankets.len() < nodes {
            let batch: Vec<Var> = (state.blankets.len()..nodes.min(state.blankets.len() + BATCH)).collect();
            let find = |&node: &Var| match observer.stop() {
                Some(reason) => Err(Halt::Stopped(reason)),
                None => Ok(climb(self.scorer, node, self.limits)?),
            };
            let found: Vec<Neighborhood> =
                batch.par_iter().map(find).collect::<std::result::Result<_, Halt>>()?;
            state.blankets.extend(found);
            observer.observe(&Event::Advanced(state));
        }
        Ok(())
    }

    /// Phase 3: toggles until none improves.
    fn climb(
        &self,
        search: &GraphSearch<'_, '_, S>,
        state: &mut BlanketState,
        stage: Stage,
        observer: &dyn Observer,
    ) -> std::result::Result<(), Halt> {
        let Some(progress) = state.stage(stage).as_mut().filter(|progress| !progress.done) else {
            return Ok(());
        };
        let mut nodes = node_scores(self.scorer, &progress.structure)?;
        let mut toggles =
            search.evaluate_all(Scored { structure: &progress.structure, nodes: &nodes }, observer)?;
        while let Some(place) = GraphSearch::<S>::best(&toggles) {
            let (edge, Some(toggle)) = (search.candidates[place], toggles[place].take()) else { break };
            let Some(progress) = state.stage(stage) else { break };
            let changed = GraphSearch::<S>::take(&mut progress.structure, &mut nodes, edge, &toggle)?;
            progress.steps += 1;
            let scored = Scored { structure: &progress.structure, nodes: &nodes };
            search.refresh(scored, &mut toggles, &changed, observer)?;
            observer.observe(&Event::Advanced(state));
        }
        if let Some(progress) = state.stage(stage) {
            progress.done = true;
        }
        observer.observe(&Event::Advanced(state));
        Ok(())
    }
}

/// The two climbs over candidate edges.
#[derive(Clone, Copy, Debug)]
enum Stage {
    Plain,
    Contexts,
}

impl BlanketState {
    fn stage(&mut self, stage: Stage) -> &mut Option<Progress> {
        match stage {
            Stage::Plain => &mut self.plain,
            Stage::Contexts => &mut self.contexts,
        }
    }
}

fn line(phase: &str, progress: &Progress) -> String {
    format!("{phase}: step {}, {} edges", progress.steps, progress.structure.graph().edge_count())
}

impl Progress {
    fn start(structure: Structure) -> Self {
        Self { structure, steps: 0, done: false }
    }
}
