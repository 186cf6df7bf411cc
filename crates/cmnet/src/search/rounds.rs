//! Sweeps that serve several steps, in mode `blanket` with contexts.
//!
//! A step that is the best of all toggles needs every toggle evaluated. Where blankets are large,
//! one step changes what nearly every toggle is worth, so that each step would need another sweep over
//! all of them. So the toggles that improve wait, with what each changed: its promise. The next steps look at
//! the best promises alone. When no toggle waits any more, the next sweep follows: the last one finds none that
//! improves.
//!
//! - After a cheap sweep the best promises are evaluated again until each of them holds, and the best of them
//!   is taken.
//! - After a sweep that costs much each is taken in its turn, if it still improves on the graph as it is then.
//!   Sweeps of this kind go through a bounded number of configurations; then the last one ends, no other
//!   follows, and that is told.
//!
//! Costs are counts and no times, and what was remembered does not matter: a run has the same result on every
//! machine, with any number of threads and after it was resumed.

use super::graph_climb::GraphClimb;
use super::observer::SearchObserver;
use super::state::{Evaluated, GraphClimbState, Rounds};
use crate::control::{Halting, check};
use crate::counts::CountSource;
use crate::data::Var;
use crate::graph::{Edge, Toggled};
use crate::score::Nats;
use rayon::prelude::*;
use std::cmp::Reverse;

/// How many of the best promises are evaluated before the best of them is taken.
const AHEAD: usize = 4;

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
    /// What serves the steps after the one that is to be taken: the other toggles that improve, the best last. There are
    /// none in mode `paper` and without contexts: each step is the best of all there. Also the variables that the bound of
    /// sweeps keeps from what is better, where this sweep reaches it.
    ///
    /// The state is left as it is: where the step is stopped, the sweep is made again.
    pub(super) fn begin_round(&self, state: &GraphClimbState, taken: usize) -> (Rounds, Vec<Var>) {
        if !self.is_by_rounds() {
            return Default::default();
        }
        let work = work_of(&state.evaluated);
        let in_turn = work > self.budget.cheap;
        let change = |place: usize| state.evaluated[place].as_ref().and_then(|evaluated| evaluated.change);
        let others = (0..state.candidates.len()).filter(|&place| place != taken);
        let improving = others.filter_map(|place| Some((state.candidates[place], change(place)?)));
        let mut pending: Vec<(Edge, Nats)> = improving.filter(|&(_, change)| change > Nats::ZERO).collect();
        pending.sort_unstable_by_key(rank);
        let mut rounds = Rounds { pending, in_turn, ..state.rounds.clone() };
        rounds.sweeps += u64::from(in_turn);
        let is_last = in_turn && self.add(&mut rounds, work);
        (rounds, if is_last { state.limited() } else { Vec::new() })
    }

    /// Adds what the last sweep cost; no other follows where all of this reaches the bound.
    pub(super) fn count_sweep(&self, state: &mut GraphClimbState) {
        state.rounds.sweeps += 1;
        self.count(state, work_of(&state.evaluated));
    }

    fn count(&self, state: &mut GraphClimbState, work: u64) {
        if self.add(&mut state.rounds, work) {
            state.note_bound(&state.limited()); // as it is now: it is not found out again
        }
    }

    /// Adds work; whether it reaches the bound.
    fn add(&self, rounds: &mut Rounds, work: u64) -> bool {
        rounds.work += work;
        let reached = !rounds.spent && rounds.work >= self.budget.most;
        rounds.spent |= reached;
        reached
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

    /// Takes the best of the toggles that wait, or in turn the next one that still improves; whether there was one.
    pub(super) fn take_pending(
        &self,
        state: &mut GraphClimbState,
        observer: &dyn SearchObserver,
    ) -> Halting<bool> {
        loop {
            let tied = self.renew_promises(state, observer)?;
            let Some(&(edge, _)) = state.rounds.pending.last() else { return Ok(false) };
            let evaluated = self.evaluate_pending(state, edge, observer)?;
            let improving = evaluated.change.filter(|&change| change > Nats::ZERO);
            let change = improving.filter(|_| self.is_within(state, edge));
            if improving.is_some() && change.is_none() {
                state.note_bound(&[edge.low(), edge.high()]);
            }
            if let Some(change) = change {
                self.take(state, edge, change, observer)?;
                state.ties += evaluated.ties + state.trace.ties() + tied;
                state.promising = state.rounds.pending.len() as u64;
            }
            // Only now: a climb that was stopped above goes on with this toggle.
            state.rounds.pending.pop();
            state.moves += 1;
            if state.rounds.in_turn {
                self.count(state, evaluated.work);
            }
            if change.is_some() {
                return Ok(true);
            }
        }
    }

    /// Evaluates the best of the toggles that wait until each of them promises what it changes. Those that improve no
    /// more wait no longer: the next sweep evaluates them. Returns the choices among equals that this leaves.
    ///
    /// A promise that holds is found to hold again after a climb was resumed: the same toggles are then the best.
    fn renew_promises(&self, state: &mut GraphClimbState, observer: &dyn SearchObserver) -> Halting<u64> {
        // In turn what the others change now is not known.
        if state.rounds.in_turn {
            return Ok(0);
        }
        loop {
            let pending = &state.rounds.pending;
            let least = pending.get(pending.len().saturating_sub(AHEAD)).map(|&(_, promise)| promise);
            // With all that promise as much as the last of them.
            let first = pending.partition_point(|&(_, promise)| Some(promise) < least);
            let best = &pending[first..];
            let places: Vec<usize> = best.iter().filter_map(|&(edge, _)| state.place(edge)).collect();
            if places.iter().all(|&place| state.evaluated[place].is_some()) {
                return Ok(choices(best, &places, &state.evaluated));
            }
            self.evaluate(state, &places, observer)?;
            for (edge, promise) in state.rounds.pending.split_off(first) {
                let Some(evaluated) = state.place(edge).and_then(|place| state.evaluated[place].as_ref())
                else {
                    continue;
                };
                if evaluated.change != Some(promise) {
                    state.moves += 1;
                    state.ties += evaluated.ties;
                }
                let improving = evaluated.change.filter(|&change| change > Nats::ZERO);
                state.rounds.pending.extend(improving.map(|change| (edge, change)));
            }
            state.rounds.pending.sort_unstable_by_key(rank);
        }
    }

    /// What a toggle that waits changes now.
    fn evaluate_pending(
        &self,
        state: &mut GraphClimbState,
        edge: Edge,
        observer: &dyn SearchObserver,
    ) -> Halting<Evaluated> {
        let place = state.place(edge);
        self.evaluate(state, place.as_slice(), observer)?;
        let known = place.and_then(|place| state.evaluated[place].clone());
        // An edge that is no candidate is left alone.
        Ok(known.unwrap_or_else(|| Evaluated::forbidden(Vec::new(), None)))
    }
}

/// By what toggles change; of two that change as much the earlier edge comes last and is taken first.
fn rank(&(edge, change): &(Edge, Nats)) -> (Nats, Reverse<Edge>) {
    (change, Reverse(edge))
}

/// The choices among equals where the last of some toggles that wait is taken: it may promise as much as the one before,
/// and the contexts of the others may have been a choice.
fn choices(best: &[(Edge, Nats)], places: &[usize], evaluated: &[Option<Evaluated>]) -> u64 {
    let is_tied = matches!(best, [.., (_, one), (_, other)] if one == other);
    let others = places.split_last().map_or(&[][..], |(_, others)| others);
    let ties = others.iter().filter_map(|&place| evaluated[place].as_ref()).map(|evaluated| evaluated.ties);
    u64::from(is_tied) + ties.sum::<u64>()
}

#[cfg(test)]
mod tests {
    use super::super::graph_climb::tests::table;
    use super::super::{BlanketLimits, BlanketSearch, BlanketState, CandidateRule, ClimbResult};
    use super::*;
    use crate::control::{Outcome, StopReason};
    use crate::counts::RowCounts;
    use crate::score::{Alpha, ContextPrior, Scorer};
    use crate::structure::Structure;
    use crate::tree::best_plan;
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
    fn steps_by_promises_end_where_nothing_improves_and_go_on_after_a_stop() {
        let mut rng = Pcg64::seed_from_u64(12);
        let (mut waited, mut steps, mut equal, mut climbs) = (0, 0, 0, 0);
        for case in 0..80 {
            let data = table(&mut rng);
            let counts = RowCounts::new(&data);
            let scorer = Scorer::new(&counts, Alpha::default());
            let kappa = ["n^-0.5", "n^-0.25", "0.9"][case % 3];
            let prior = ContextPrior::new(kappa.parse().unwrap(), data.rows());
            let search = BlanketSearch::new(&scorer, BlanketLimits::default(), CandidateRule::Or);
            let mut blankets = BlanketState::default();
            search.find_blankets(&mut blankets, &()).unwrap();
            let climb = search.climb(&blankets, prior.clone()).unwrap();
            let end = to_the_end(&climb, climb.start().unwrap());
            let mut state = climb.start().unwrap();
            while climb.step(&mut state, &()).unwrap().is_none() {
                assert_eq!(Some(state.score), scorer.score(&state.structure, &prior).unwrap().total());
                assert!(!state.rounds.in_turn && state.rounds.pending.is_sorted_by_key(rank));
                waited += usize::from(!state.rounds.pending.is_empty());
                steps += 1;
                let saved = ClimbResult::of(&state, StopReason::Interrupted);
                let Outcome::Done(resumed) = climb.resume(saved, &()).unwrap() else { panic!("stopped") };
                assert_eq!(to_the_end(&climb, resumed), end, "case {case}");
            }
            assert!(end.climb.rounds.pending.is_empty() && end.climb.rounds.sweeps == 0);
            // A new climb there evaluates every toggle and finds none that improves.
            let Outcome::Done(mut last) = climb.resume(end.clone(), &()).unwrap() else { panic!("stopped") };
            assert_eq!(climb.step(&mut last, &()).unwrap(), Some(StopReason::Converged));
            let changes = last.evaluated.iter().map(|evaluated| evaluated.as_ref().unwrap().change);
            assert!(changes.flatten().all(|change| change <= Nats::ZERO));
            // Where nothing waits, each step is the best of all toggles.
            let mut steepest = climb.start().unwrap();
            while climb.step(&mut steepest, &()).unwrap().is_none() {
                steepest.rounds = Rounds::default();
            }
            equal +=
                usize::from(steepest.score == end.climb.steps.last().map_or(steepest.score, |s| s.score));
            climbs += 1;
        }
        assert!(waited > 40 && steps > waited, "{waited} of {steps}");
        assert!(equal * 10 >= climbs * 9, "{equal} of {climbs}");
    }

    #[test]
    fn the_junction_tree_keeps_to_its_cells_and_a_climb_goes_on_the_same_way_after_a_stop() {
        let mut rng = Pcg64::seed_from_u64(11);
        let (mut bounded, mut in_turn) = (0, 0);
        for case in 0..60 {
            let data = table(&mut rng);
            let counts = RowCounts::new(&data);
            let scorer = Scorer::new(&counts, Alpha::default());
            let prior = ContextPrior::new(["eps", "n^-0.5", "0.9"][case % 3].parse().unwrap(), data.rows());
            let search = BlanketSearch::new(&scorer, BlanketLimits::default(), CandidateRule::Or);
            let mut blankets = BlanketState::default();
            search.find_blankets(&mut blankets, &()).unwrap();
            let cells = |structure: &Structure| {
                let all = (0..structure.variables()).collect();
                best_plan(structure.graph(), &all, structure.cardinalities(), u64::MAX).cost.cells
            };
            // Every other case takes toggles in turn.
            let cheap = if case % 2 == 0 { Budget::DEFAULT.cheap } else { 0 };
            let of = |max_cells| {
                let mut climb = search.climb(&blankets, prior.clone()).unwrap().within(max_cells);
                climb.budget = Budget { cheap, most: u64::MAX, at_once: 16 };
                climb
            };
            let free = to_the_end(&of(None), of(None).start().unwrap());
            let (empty, most) = (cells(&Structure::empty(scorer.cardinalities())), cells(&free.structure));
            if most == empty {
                continue;
            }
            let climb = of(Some(most - 1));
            let end = to_the_end(&climb, climb.start().unwrap());
            assert!(!end.limited.is_empty(), "case {case}");
            let mut state = climb.start().unwrap();
            loop {
                assert!(cells(&state.structure) < most, "case {case}");
                let saved = ClimbResult::of(&state, StopReason::Interrupted);
                let Outcome::Done(resumed) = climb.resume(saved, &()).unwrap() else { panic!("stopped") };
                assert_eq!(to_the_end(&climb, resumed), end, "case {case}");
                in_turn += state.rounds.pending.len();
                if climb.step(&mut state, &()).unwrap().is_some() {
                    break;
                }
            }
            // What still improves goes beyond the cells.
            let Outcome::Done(mut last) = of(None).resume(end, &()).unwrap() else { panic!("stopped") };
            let places: Vec<usize> = (0..last.candidates.len()).collect();
            of(None).evaluate(&mut last, &places, &()).unwrap();
            for (edge, evaluated) in last.candidates.iter().zip(&last.evaluated) {
                if evaluated.as_ref().and_then(|e| e.change).is_some_and(|change| change > Nats::ZERO) {
                    assert!(!climb.is_within(&last, *edge), "case {case}");
                    bounded += 1;
                }
            }
        }
        assert!(bounded > 20 && in_turn > 10, "{bounded}, {in_turn}");
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
