//! Sweeps that serve several steps, in mode `blanket` with contexts.
//!
//! A step that is the best of all toggles needs every toggle evaluated. Where blankets are large,
//! one step changes what nearly every toggle is worth, so that each step needs another sweep over
//! all of them. A sweep that costs much serves more than one step: the toggles that improved are
//! gone through from the best on. Each is evaluated again on the graph as it is then, and taken if it
//! still improves. When none is left, the next sweep follows. Sweeps of this kind go through a bounded
//! number of configurations; then the last one ends, no other follows, and that is told. Costs are counts and no times,
//! so that a run has the same result on every machine and after it was resumed.

use super::graph_climb::{GraphClimb, unless_too_large};
use super::live::Places;
use super::observer::SearchObserver;
use super::state::{Evaluated, GraphClimbState};
use crate::control::{Halting, check};
use crate::counts::CountSource;
use crate::graph::{Edge, Toggled};
use crate::score::Nats;
use rayon::prelude::*;
use std::cmp::Reverse;

/// How much sweeps may cost, in configurations that the context climbs of their toggles go through.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// What a sweep may cost for one step: below a tenth of a second.
    pub(super) cheap: u64,
    /// What all other sweeps of a climb cost before no other begins: some seconds.
    pub(super) most: u64,
    /// Toggles that are evaluated before a sweep looks at what they cost; twice as many follow while that is cheap.
    pub(super) at_once: usize,
}

impl Budget {
    pub(super) const DEFAULT: Self = Self { cheap: 1 << 21, most: 1 << 26, at_once: 16 };
}

/// What toggles cost. That of a toggle depends on the graph alone.
fn work_of(evaluated: &[Option<Evaluated>]) -> u64 {
    evaluated.iter().flatten().map(|evaluated| evaluated.work).sum()
}

impl<S: CountSource> GraphClimb<'_, '_, S> {
    /// The toggles that improve besides the one that is taken, the best last. There are none where
    /// another sweep is cheap or the mode is `paper`: each step is the best of all there.
    pub(super) fn begin_round(&self, state: &mut GraphClimbState, taken: usize) -> Vec<Edge> {
        if self.swept.is_none() || work_of(&state.evaluated) <= self.budget.cheap {
            return Vec::new();
        }
        self.count_sweep(state);
        let change = |place: usize| state.evaluated[place].as_ref().and_then(|evaluated| evaluated.change);
        let others = (0..state.candidates.len()).filter(|&place| place != taken);
        let mut improving: Vec<(Nats, Reverse<Edge>)> = others
            .filter_map(|place| Some((change(place)?, Reverse(state.candidates[place]))))
            .filter(|&(change, _)| change > Nats::ZERO)
            .collect();
        improving.sort_unstable();
        improving.into_iter().map(|(_, Reverse(edge))| edge).collect()
    }

    /// Adds what the last sweep cost; no other follows where all of this reaches the bound.
    pub(super) fn count_sweep(&self, state: &mut GraphClimbState) {
        state.rounds.sweeps += 1;
        self.count(state, work_of(&state.evaluated));
    }

    fn count(&self, state: &mut GraphClimbState, work: u64) {
        state.rounds.work += work;
        if !state.rounds.spent && state.rounds.work >= self.budget.most {
            state.rounds.spent = true;
            state.note_bound(&state.limited()); // as it is now: it is not found out again
        }
    }

    /// Evaluates the toggles at these places until that has cost what sweeps may still cost; whether these are all. Once a
    /// sweep is not cheap any more, the toggles that promise most without contexts come first.
    pub(super) fn sweep(
        &self,
        state: &mut GraphClimbState,
        mut rest: Vec<usize>,
        observer: &dyn SearchObserver,
    ) -> Halting<bool> {
        let left = self.budget.most.saturating_sub(state.rounds.work);
        let (mut work, mut is_ordered, mut at_once) = (0, false, self.budget.at_once);
        while !rest.is_empty() {
            let later = rest.split_off(rest.len().min(at_once));
            self.evaluate(state, &rest, observer)?;
            // Remembered or not: a climb that was resumed goes the same way.
            work += rest.iter().map(|&place| work_of(&state.evaluated[place..=place])).sum::<u64>();
            rest = later;
            let is_cheap = work <= self.budget.cheap;
            if work >= left && !is_cheap && !rest.is_empty() {
                for place in rest {
                    state.evaluated[place] = None;
                }
                return Ok(false);
            }
            at_once = if is_cheap { 2 * at_once } else { self.budget.at_once };
            if !is_cheap && !is_ordered {
                self.order(state, &mut rest, observer)?;
                is_ordered = true;
            }
        }
        Ok(true)
    }

    /// Orders toggles by what they change where contexts stay as they are, the best first.
    fn order(
        &self,
        state: &GraphClimbState,
        places: &mut [usize],
        observer: &dyn SearchObserver,
    ) -> Halting<()> {
        let change = |&place: &usize| {
            check(observer)?;
            let edge = state.candidates[place];
            // Where it cannot be counted, that is found out when it is evaluated.
            let change = self.plain_change(state, &Toggled::new(state.structure.graph(), edge), edge).ok();
            Ok((place, change))
        };
        let changes: Vec<(usize, Option<Nats>)> = places.par_iter().map(change).collect::<Halting<_>>()?;
        let mut ordered: Vec<(Reverse<Option<Nats>>, usize)> =
            changes.into_iter().map(|(place, change)| (Reverse(change), place)).collect();
        ordered.sort_unstable();
        places.iter_mut().zip(ordered).for_each(|(place, (_, best))| *place = best);
        Ok(())
    }

    /// Takes the next of the toggles in turn that still improves; whether there was one.
    pub(super) fn take_pending(
        &self,
        state: &mut GraphClimbState,
        observer: &dyn SearchObserver,
    ) -> Halting<bool> {
        let mut places = Places::new(state.structure.variables());
        while let Some(&edge) = state.rounds.pending.last() {
            let found = self.change(state, edge, &mut places, observer);
            let evaluated = unless_too_large(found, state.structure.variables())?;
            let change = evaluated.change.filter(|&change| change > Nats::ZERO);
            if let Some(change) = change {
                self.take(state, edge, change, observer)?;
                state.ties += evaluated.ties + state.trace.ties();
            }
            // Only now: a climb that was stopped above goes on with this toggle.
            state.rounds.pending.pop();
            state.moves += 1;
            self.count(state, evaluated.work);
            if change.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::super::graph_climb::tests::table;
    use super::super::{BlanketLimits, BlanketSearch, BlanketState, CandidateRule, ClimbResult};
    use super::*;
    use crate::control::{Outcome, StopReason};
    use crate::counts::RowCounts;
    use crate::score::{Alpha, ContextPrior, Scorer};
    use rand::SeedableRng;
    use rand_pcg::Pcg64;

    fn to_the_end<S: CountSource>(climb: &GraphClimb<'_, '_, S>, mut state: GraphClimbState) -> ClimbResult {
        while climb.step(&mut state, &()).unwrap().is_none() {}
        ClimbResult::of(&state, StopReason::Converged)
    }

    #[test]
    fn toggles_in_turn_end_where_nothing_improves_and_go_on_after_a_stop() {
        let mut rng = Pcg64::seed_from_u64(9);
        let (mut in_turn, mut dropped) = (0, 0);
        for case in 0..80 {
            let data = table(&mut rng);
            let counts = RowCounts::new(&data);
            let scorer = Scorer::new(&counts, Alpha::default());
            let kappa = ["n^-0.5", "n^-0.25", "0.9"][case % 3];
            let prior = ContextPrior::new(kappa.parse().unwrap(), data.rows());
            let search = BlanketSearch::new(&scorer, BlanketLimits::default(), CandidateRule::Or);
            let mut blankets = BlanketState::default();
            search.find_blankets(&mut blankets, &()).unwrap();
            let of = |budget| {
                let mut climb = search.climb(&blankets, prior.clone()).unwrap();
                climb.budget = budget;
                climb
            };
            let climb = of(Budget { cheap: 0, most: u64::MAX, at_once: 16 });
            let end = to_the_end(&climb, climb.start().unwrap());
            let mut state = climb.start().unwrap();
            while climb.step(&mut state, &()).unwrap().is_none() {
                assert_eq!(Some(state.score), scorer.score(&state.structure, &prior).unwrap().total());
                let waiting = state.rounds.pending.len();
                let saved = ClimbResult::of(&state, StopReason::Interrupted);
                let Outcome::Done(resumed) = climb.resume(saved, &()).unwrap() else { panic!("stopped") };
                assert_eq!(to_the_end(&climb, resumed), end, "case {case}");
                in_turn += waiting;
            }
            dropped += usize::from(end.climb.rounds.sweeps > 1);
            assert!(end.climb.rounds.pending.is_empty() && !end.climb.rounds.spent);
            // No toggle of the last graph improves.
            let steepest = of(Budget { cheap: u64::MAX, most: u64::MAX, at_once: 16 });
            let Outcome::Done(mut last) = steepest.resume(end.clone(), &()).unwrap() else {
                panic!("stopped")
            };
            assert_eq!(steepest.step(&mut last, &()).unwrap(), Some(StopReason::Converged));
            // One sweep alone.
            let short = of(Budget { cheap: 0, most: 1, at_once: 16 });
            let bounded = to_the_end(&short, short.start().unwrap());
            assert_eq!(bounded.climb.rounds.spent, end.climb.rounds.sweeps > 0);
            assert_eq!(bounded.climb.rounds.sweeps, end.climb.rounds.sweeps.min(1));
        }
        assert!(in_turn > 20 && dropped > 5, "{in_turn}, {dropped}");
    }

    #[test]
    fn a_sweep_that_costs_too_much_ends_and_goes_on_the_same_way_after_a_stop() {
        let mut rng = Pcg64::seed_from_u64(10);
        let (mut cut, mut without_a_step) = (0, 0);
        for case in 0..80 {
            let data = table(&mut rng);
            let counts = RowCounts::new(&data);
            let scorer = Scorer::new(&counts, Alpha::default());
            let prior = ContextPrior::new(["n^-0.5", "0.9"][case % 2].parse().unwrap(), data.rows());
            let search = BlanketSearch::new(&scorer, BlanketLimits::default(), CandidateRule::Or);
            let mut blankets = BlanketState::default();
            search.find_blankets(&mut blankets, &()).unwrap();
            let mut climb = search.climb(&blankets, prior.clone()).unwrap();
            climb.budget = Budget { cheap: 0, most: 100, at_once: 1 };
            let mut state = climb.start().unwrap();
            let end = to_the_end(&climb, climb.start().unwrap());
            let mut steps = 0;
            loop {
                let saved = ClimbResult::of(&state, StopReason::Interrupted);
                let Outcome::Done(resumed) = climb.resume(saved, &()).unwrap() else { panic!("stopped") };
                assert_eq!(to_the_end(&climb, resumed), end, "case {case}");
                if climb.step(&mut state, &()).unwrap().is_some() {
                    break;
                }
                steps += 1;
                assert_eq!(Some(state.score), scorer.score(&state.structure, &prior).unwrap().total());
            }
            // What was not evaluated is not known, and the answer says that the bound was met.
            let unknown = state.evaluated.iter().any(Option::is_none);
            cut += usize::from(end.climb.rounds.spent && unknown);
            without_a_step += usize::from(end.climb.rounds.spent && steps == 0);
        }
        assert!(cut > 20, "{cut} of which {without_a_step} took no step");
    }
}
