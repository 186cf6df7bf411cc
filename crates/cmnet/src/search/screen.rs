//! Which toggles and pairs are worth a look with contexts, in mode `blanket`.

use super::blanket::PairSearch;
use super::graph_climb::GraphClimb;
use super::observer::SearchObserver;
use super::state::GraphClimbState;
use crate::control::{Control, Halt, Halting, check};
use crate::counts::CountSource;
use crate::error::ErrorKind;
use crate::graph::{Blankets, Edge, Toggled};
use crate::score::Nats;
use rayon::prelude::*;

impl<S: CountSource> GraphClimb<'_, '_, S> {
    /// Whether toggles are looked at before they are evaluated with contexts.
    pub(super) fn screens(&self) -> bool {
        self.swept.is_some() && self.contexts.allows_contexts()
    }

    /// Whether a toggle may pay, by the score without contexts and the contexts of its own edge,
    /// those of all other edges apart. Where that is not known, it may.
    pub(super) fn may_pay(
        &self,
        state: &GraphClimbState,
        edge: Edge,
        control: &dyn Control,
    ) -> Halting<bool> {
        if !self.screens() {
            return Ok(true);
        }
        match self.change_alone(state, edge, control) {
            Ok(change) => Ok(change.is_none_or(|change| change > Nats::ZERO)),
            Err(Halt::Failed(error)) if matches!(error.kind(), ErrorKind::Limit { .. }) => Ok(true),
            Err(halt) => Err(halt),
        }
    }

    /// What a toggle changes where no other edge has contexts; `None` where the limits keep it out.
    fn change_alone(
        &self,
        state: &GraphClimbState,
        edge: Edge,
        control: &dyn Control,
    ) -> Halting<Option<Nats>> {
        check(control)?;
        let graph = state.structure.graph();
        let toggled = Toggled::new(graph, edge);
        if graph.contains(edge) {
            let own = self.contexts.own_gain(graph, edge, control)?;
            return Ok(Some(self.plain_change(state, &toggled, edge)? - own));
        }
        let allow = |end| self.limits.allow(toggled.markov_blanket(end), self.scorer.cardinalities());
        if !(allow(edge.low()) && allow(edge.high())) {
            return Ok(None);
        }
        let own = self.contexts.own_gain(&toggled, edge, control)?;
        Ok(Some(self.plain_change(state, &toggled, edge)? + own))
    }

    /// Pairs with a common neighbour that are not candidates yet and that contexts of their own can
    /// make worthwhile.
    pub(super) fn pairs_for_contexts(
        &self,
        state: &GraphClimbState,
        search: &PairSearch<'_, '_, S>,
        new: &[Edge],
        observer: &dyn SearchObserver,
    ) -> Halting<Vec<Edge>> {
        let mut pairs = search.two_apart()?;
        pairs.retain(|edge| new.binary_search(edge).is_err());
        let pays = |&edge: &Edge| self.may_pay(state, edge, observer);
        let paying: Vec<bool> = pairs.par_iter().map(pays).collect::<Halting<_>>()?;
        let mut paying = paying.into_iter();
        pairs.retain(|_| paying.next().unwrap_or(false));
        Ok(pairs)
    }
}
