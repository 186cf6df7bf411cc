//! Contexts that the table confirms: each configuration of each edge's common neighbours is tested in the fit of the
//! graph without contexts, and the edge is cut off where that holds there. What a search cut off and does not hold is
//! left out, and so is an edge without a dependence anywhere.
//!
//! A search misses weak edges, and their contexts with them: unless a refinement was asked for or ruled out by its
//! size, the refined graph is confirmed too, and the better of both is kept.

use super::better::is_better;
use super::contexts_auto::{ContextsChosen, choose_contexts};
use super::observer::FitControl;
use super::refinement::Refinement;
use super::{ContextChoice, Learned, LearnedModel, Refine, Step};
use crate::control::{Control, Halt, Halting, Outcome, StopReason};
use crate::counts::CountSource;
use crate::error::{ErrorKind, Result, Unfitted};
use crate::graph::{Blankets, Edge};
use crate::loglinear::{Estimated, FitOptions, FitRequest, Ridge, fit_named};
use crate::model::Confirmed;
use crate::precision::{ElementEffect, Precision};
use crate::refine::{Refined, refine};
use crate::score::{EdgeRules, Kappa, Scorer};
use crate::structure::Structure;
use crate::table::Cell;
use std::collections::BTreeMap;

/// An element is left out when it is less probable than this that its odds ratios are one.
const PROBABLE: f64 = 0.5;

/// Keeps what the table confirms, where that was asked for or is better, and scores it.
pub(super) fn confirm<S: CountSource>(learned: &mut Learned, step: &Step<'_, '_, S>) -> Result<()> {
    let &Step { table, options, observer, .. } = step;
    if options.contexts == ContextChoice::All {
        return Ok(());
    }
    let scorer = Scorer::with_memory(table.counts(), options.alpha, options.fit.memory);
    // Where the choice is open, what the search found is there: the time limit ends the tests.
    let fitted = options.contexts == ContextChoice::Auto;
    let control = FitControl { observer, searched: learned.search_converged(), fitted };
    for place in 0..learned.models.len() {
        // Such a model has no contexts, and must not get any.
        if learned.models[place].prior.kappa() == Kappa::Epsilon {
            let confirmed = options.contexts == ContextChoice::Confirmed;
            learned.models[place].confirmed = confirmed.then(Confirmed::default);
            continue;
        }
        match best(&learned.models[place], step, &control) {
            Ok(best) => {
                let model = &mut learned.models[place];
                model.contexts_chosen = best.chosen;
                let kept = best.chosen.is_none_or(|chosen| chosen.kept == ContextChoice::Confirmed);
                if kept && best.structure != model.structure {
                    model.score = scorer.score(&best.structure, &model.prior)?;
                    (model.fit, model.pseudo_fit, model.unfitted) = (None, None, None);
                    model.structure = best.structure;
                }
                model.confirmed = kept.then_some(best.confirmed);
                if let Some((refined, better)) = best.refined {
                    learned.limited.extend(&refined.limited);
                    if refined.stop != StopReason::Converged {
                        learned.stop = refined.stop;
                    }
                    let kept = kept && better;
                    model.refinement =
                        Some(Refinement::of(&best.found, &refined, options.refinement(), kept));
                }
            }
            Err(Halt::Stopped(reason)) => {
                learned.models[place].unconfirmed = Some(Unfitted::Interrupted);
                learned.stop = reason;
            }
            Err(Halt::Failed(error)) => match error.kind() {
                ErrorKind::Limit(limit) => {
                    learned.models[place].unconfirmed = Some(Unfitted::Limit(limit.clone()));
                }
                _ => return Err(error),
            },
        }
    }
    learned.limited.sort_unstable();
    learned.limited.dedup();
    Ok(())
}

/// What is kept of a model.
struct Best {
    /// The structure that the search found.
    found: Structure,
    structure: Structure,
    confirmed: Confirmed,
    /// The refined graph, where there was one to confirm, and whether it is kept.
    refined: Option<(Refined, bool)>,
    /// Whether this is kept or what the search found, where that is to be chosen.
    chosen: Option<ContextsChosen>,
}

/// What is kept of a model, and what that is to be chosen by.
fn best<S: CountSource>(
    model: &LearnedModel,
    step: &Step<'_, '_, S>,
    control: &dyn Control,
) -> Halting<Best> {
    let mut best = best_confirmed(model, step, control)?;
    if step.options.contexts == ContextChoice::Auto {
        let both = [&best.found, &best.structure];
        best.chosen = Some(choose_contexts(both, model.prior.rules(), step, control)?);
    }
    Ok(best)
}

/// The better of what is confirmed in the graph of the search and in the refined graph.
fn best_confirmed<S: CountSource>(
    model: &LearnedModel,
    step: &Step<'_, '_, S>,
    control: &dyn Control,
) -> Halting<Best> {
    let (found, rules) = (&model.structure, model.prior.rules());
    let (structure, confirmed) = confirmed_in(found, rules, step, control)?;
    let best = Best { found: found.clone(), structure, confirmed, refined: None, chosen: None };
    if step.options.refine != Refine::No {
        return Ok(best);
    }
    let refined = refine(found, step.table.counts(), &step.options.refinement(), rules, control)?;
    if refined.stop != StopReason::Converged || refined.structure.graph() == found.graph() {
        return Ok(Best { refined: Some((refined, false)), ..best });
    }
    match confirmed_in(&refined.structure, rules, step, control) {
        Ok((structure, confirmed)) if is_better(&structure, &best.structure, rules, step)? => {
            Ok(Best { structure, confirmed, refined: Some((refined, true)), ..best })
        }
        Ok(_) => Ok(Best { refined: Some((refined, false)), ..best }),
        // Too large: the graph of the search is not.
        Err(Halt::Failed(error)) if matches!(error.kind(), ErrorKind::Limit(_)) => Ok(best),
        Err(halt) => Err(halt),
    }
}

/// The graph of a structure with the elements that are confirmed, and their effects. An edge that is probably cut off
/// in every configuration goes, the most probable one first, and the rest is tested again.
fn confirmed_in<S: CountSource>(
    structure: &Structure,
    rules: &EdgeRules,
    step: &Step<'_, '_, S>,
    control: &dyn Control,
) -> Halting<(Structure, Confirmed)> {
    let mut found = structure.clone();
    let mut kept = Confirmed::default();
    loop {
        let effects = effects(&found, step, control)?;
        kept.tested = effects.len();
        let Some(edge) = weak_edge(&effects, &found, rules)? else {
            found.clear_contexts();
            for ((edge, cell), effect) in effects {
                let probable = effect.filter(|effect| effect.probability >= PROBABLE);
                if let Some(effect) = probable.filter(|_| rules.allows_contexts(edge)) {
                    kept.elements.insert((edge, cell), effect);
                }
            }
            spare(&mut kept, &found);
            for &(edge, cell) in kept.elements.keys() {
                found.add_context_element(edge, cell)?;
            }
            return Ok((found, kept));
        };
        found.toggle_edge(edge)?;
        kept.removed.push(edge);
    }
}

/// What the fit without contexts says about each configuration.
type Effects = BTreeMap<(Edge, Cell), Option<ElementEffect>>;

fn effects<S: CountSource>(
    found: &Structure,
    step: &Step<'_, '_, S>,
    control: &dyn Control,
) -> Halting<Effects> {
    let graph = found.graph();
    if !graph.edges().any(|edge| graph.have_common_neighbor(edge)) {
        return Ok(Effects::new());
    }
    let mut plain = found.clone();
    plain.clear_contexts();
    let (counts, options) = (step.table.counts(), &step.options.fit);
    let bare = FitOptions { ridge: Ridge::NONE, ..options.clone() };
    let request = FitRequest::new(&plain, counts, Some(step.table.schema()), &bare);
    let fit = match fit_named(&request, control)? {
        Outcome::Done(fit) => fit,
        Outcome::Stopped(reason) => return Err(Halt::Stopped(reason)),
    };
    let estimated = Estimated { structure: &plain, fit: &fit, counts: Some(counts), memory: options.memory };
    Ok(Precision::within(estimated, control)?.element_effects(found, counts, control)?)
}

/// The edge that is most probably cut off in every configuration, if there is one that may go.
fn weak_edge(effects: &Effects, found: &Structure, rules: &EdgeRules) -> Result<Option<Edge>> {
    let mut least: BTreeMap<Edge, (u64, f64)> = BTreeMap::new();
    for (&(edge, _), effect) in effects {
        let (cells, smallest) = least.entry(edge).or_insert((0, 1.0));
        *cells += 1;
        *smallest = smallest.min(effect.map_or(0.0, |effect| effect.probability));
    }
    let mut weakest: Option<(Edge, f64)> = None;
    for (edge, (cells, smallest)) in least {
        let everywhere = smallest >= PROBABLE && cells == found.context_space(edge)?.size();
        if everywhere && !rules.requires(edge) && weakest.is_none_or(|(_, known)| smallest > known) {
            weakest = Some((edge, smallest));
        }
    }
    Ok(weakest.map(|(edge, _)| edge))
}

/// A required edge without a dependence anywhere gets no context: all configurations are alike.
fn spare(kept: &mut Confirmed, found: &Structure) {
    for edge in found.graph().edges() {
        let own = kept.elements.range((edge, 0)..=(edge, Cell::MAX)).count() as u64;
        if found.context_space(edge).is_ok_and(|space| space.size() == own) {
            kept.elements.retain(|known, _| known.0 != edge);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::choose::Fits;
    use super::*;
    use crate::counts::{CountedTable, PlaneCounts};
    use crate::data::{DataDigest, Dataset, Schema, Variable};
    use crate::learn::LearnOptions;
    use crate::score::Knowledge;

    /// Rows of a, b and c: where c is 0, a and b are independent; where it is 1, b follows a in so many of ten.
    fn rows(follows: usize) -> Vec<[usize; 3]> {
        let one = |row: usize| {
            let (c, a, tenth) = (row % 2, row / 2 % 2, row / 4 % 10);
            let b = usize::from(tenth < if c == 0 || a == 1 { follows } else { 10 - follows });
            // The ends depend on the third.
            [if row.is_multiple_of(7) { c } else { a }, b, c]
        };
        (0..4000).map(one).collect()
    }

    fn confirmed(follows: usize, edges: &[(usize, usize)], rules: &EdgeRules) -> (Structure, Confirmed) {
        let rows = rows(follows).into_iter().map(|row| row.map(|level| level.to_string()));
        let data = Dataset::from_labels(&["a", "b", "c"], rows).unwrap();
        let mut structure = Structure::empty(&[2, 2, 2]);
        for &(i, j) in edges {
            structure.toggle_edge(Edge::new(i, j).unwrap()).unwrap();
        }
        let counts = PlaneCounts::new(&data);
        let table = CountedTable::with_digest(&counts, data.schema(), || DataDigest::of(&data)).unwrap();
        let options = LearnOptions::default();
        let step = Step { table: &table, options: &options, observer: &(), fits: Fits::All };
        confirmed_in(&structure, rules, &step, &()).unwrap()
    }

    const TRIANGLE: [(usize, usize); 3] = [(0, 1), (0, 2), (1, 2)];

    #[test]
    fn a_configuration_that_no_search_found_is_confirmed() {
        let (structure, found) = confirmed(8, &TRIANGLE, &EdgeRules::default());
        let edge = Edge::new(0, 1).unwrap();
        assert_eq!(found.elements.keys().copied().collect::<Vec<_>>(), [(edge, 0)]);
        assert!(found.elements[&(edge, 0)].quantity().unwrap().is_within(0.4), "{found:?}");
        assert_eq!((found.tested, found.removed.len()), (6, 0));
        // The triangle is saturated: by hand the log odds ratio is that of the four counts, with Woolf's error.
        let count = |a: usize, b: usize| rows(8).iter().filter(|row| **row == [a, b, 0]).count() as f64;
        let cells = [count(0, 0), count(0, 1), count(1, 0), count(1, 1)];
        let by_hand = libm::log(cells[0] * cells[3] / (cells[1] * cells[2]));
        let error = cells.iter().map(|count| 1.0 / count).sum::<f64>().sqrt();
        let (value, own) = found.elements[&(edge, 0)].log_odds_ratio.unwrap();
        // The fit has pseudo-counts.
        assert!((value - by_hand).abs() < 2e-3, "{by_hand} {value}");
        assert!((own / error - 1.0).abs() < 2e-3, "{error} {own}");
        assert!(structure.context(edge).unwrap().contains(0));
        // Without common neighbours there is nothing to test.
        let (chain, none) = confirmed(8, &TRIANGLE[1..], &EdgeRules::default());
        assert_eq!((chain.graph().edge_count(), none), (2, Confirmed::default()));
    }

    #[test]
    fn an_edge_without_a_dependence_anywhere_goes_and_a_required_one_gets_no_context() {
        let (structure, found) = confirmed(5, &TRIANGLE, &EdgeRules::default());
        assert_eq!((found.removed.len(), structure.graph().edge_count()), (1, 2), "{found:?}");
        assert!(found.removed[0].touches(1) && found.elements.is_empty());
        let names =
            ["a", "b", "c"].map(|name| Variable { name: name.into(), levels: vec!["0".into(), "1".into()] });
        let known: Knowledge = serde_json::from_str(r#"{"require": [["a", "b"], ["b", "c"]]}"#).unwrap();
        let rules = known.rules(&Schema::new(names.to_vec()).unwrap()).unwrap();
        let (structure, found) = confirmed(5, &TRIANGLE, &rules);
        assert_eq!((structure.graph().edge_count(), structure.context_elements()), (3, 0), "{found:?}");
        assert!(found.removed.is_empty() && found.tested == 6);
    }
}
