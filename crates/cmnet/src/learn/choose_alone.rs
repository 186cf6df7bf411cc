//! The structure with the highest BIC where nothing else is asked of any: most are out of the question before they
//! are fitted.

use super::choose::highest;
use super::observer::LearnObserver;
use super::{Learned, LearnedModel, Step};
use crate::control::{Control, Halt, Halting, StopReason};
use crate::counts::CountSource;
use crate::error::{ErrorKind, Result};
use crate::loglinear::{Estimate, FitMethod, FitOptions, FitRequest, Prepared};

/// A bound may be below BIC by this share: both are rounded, and BIC is that of an optimiser.
const ROUNDING: f64 = 1e-8;

/// Chooses by BIC, as learning does, and keeps no parameters. Structures are fitted from the highest bound on,
/// until no bound left reaches the best BIC. As long as all structures are equal none is fitted.
pub(super) fn choose_alone<S: CountSource>(learned: &mut Learned, step: &Step<'_, '_, S>) -> Result<()> {
    // A search that was ended early is no match for one that ended by itself.
    let is_whole = |model: &LearnedModel| model.climb.stop == StopReason::Converged;
    let some_are_whole = learned.models.iter().any(is_whole);
    let models: Vec<&LearnedModel> =
        learned.models.iter().filter(|model| !some_are_whole || is_whole(model)).collect();
    let rows = step.table.counts().rows();
    match bics(&models, step) {
        Ok(bics) => {
            let smallest = || (0..models.len()).min_by_key(|&place| models[place].prior.kappa().log(rows));
            let chosen = highest(&models, &bics, rows).or_else(smallest).map(|place| models[place]);
            learned.selected =
                chosen.and_then(|chosen| learned.models.iter().position(|model| std::ptr::eq(model, chosen)));
        }
        Err(Halt::Stopped(reason)) => learned.stop = reason,
        Err(Halt::Failed(error)) => return Err(error),
    }
    Ok(())
}

/// BIC of each model that may have the highest one, where there is a choice.
fn bics<S: CountSource>(models: &[&LearnedModel], step: &Step<'_, '_, S>) -> Halting<Vec<Option<f64>>> {
    // The first place of each structure.
    let before =
        |model: &&LearnedModel| models.iter().take_while(|other| other.structure != model.structure).count();
    let first: Vec<usize> = models.iter().map(before).collect();
    let mut bics: Vec<Option<f64>> = vec![None; models.len()];
    if first.iter().all(|&first| first == 0) {
        return Ok(bics);
    }
    let control = Watch { observer: step.observer };
    let places: Vec<usize> = (0..models.len()).filter(|&at| first[at] == at).collect();
    let options = &step.options.fit;
    let by_pseudo = FitOptions { method: FitMethod::Pseudo, ..options.clone() };
    let mut prepared = all_prepared(models, &places, options, step, &control)?;
    // Where one is out of reach of exact fitting, all are compared by pseudo-likelihood.
    let is_exact = |(_, one): &(usize, Prepared<'_>)| one.estimate() == Estimate::Exact;
    if prepared.iter().any(is_exact) && !prepared.iter().all(is_exact) {
        prepared = all_prepared(models, &places, &by_pseudo, step, &control)?;
    }
    let mut asked = Vec::with_capacity(prepared.len());
    for (place, prepared) in prepared {
        let most = prepared.most_bic(&control)?.unwrap_or(f64::INFINITY);
        asked.push((most, place, prepared));
    }
    asked.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    let mut best = f64::NEG_INFINITY;
    for (most, place, prepared) in asked {
        if most < best - ROUNDING * best.abs().max(1.0) {
            break;
        }
        if let Some(bic) = within_limits(prepared.bic(&control))? {
            bics[place] = Some(bic);
            best = best.max(bic);
        }
    }
    Ok(first.iter().map(|&first| bics[first]).collect())
}

/// The structures of some places, made ready to be fitted: those that can be.
fn all_prepared<'a, S: CountSource>(
    models: &[&'a LearnedModel],
    places: &[usize],
    options: &'a FitOptions,
    step: &Step<'a, '_, S>,
    control: &dyn Control,
) -> Halting<Vec<(usize, Prepared<'a>)>> {
    let mut prepared = Vec::with_capacity(places.len());
    for &place in places {
        let names = Some(step.table.schema());
        let request = FitRequest::new(&models[place].structure, step.table.counts(), names, options);
        if let Some(one) = within_limits(Prepared::new(request, control))? {
            prepared.push((place, one));
        }
    }
    Ok(prepared)
}

/// `None` where a limit forbids it.
fn within_limits<T>(found: Halting<T>) -> Halting<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Halt::Failed(error)) if matches!(error.kind(), ErrorKind::Limit(_)) => Ok(None),
        Err(halt) => Err(halt),
    }
}

/// Stops when nobody waits any more. A search that its bound ended has found something between which there is a
/// choice.
struct Watch<'a> {
    observer: &'a dyn LearnObserver,
}

impl Control for Watch<'_> {
    fn stop(&self) -> Option<StopReason> {
        self.observer.gives_up().then_some(StopReason::Interrupted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{CountedTable, RowCounts};
    use crate::data::Dataset;
    use crate::graph::Edge;
    use crate::io::{ReadOptions, Source, read_csv};
    use crate::learn::choose::Fits;
    use crate::learn::{Begin, LearnOptions, SearchMode, learn_rows};

    fn bundled(name: &str) -> Dataset {
        let path = format!("{}/../../data/{name}.csv", env!("CARGO_MANIFEST_DIR"));
        read_csv(&Source::from_argument(&path), &ReadOptions::default()).unwrap().data
    }

    fn with_kappas(kappas: &str) -> LearnOptions {
        let kappas = kappas.split(',').map(|kappa| kappa.parse().unwrap()).collect();
        LearnOptions { search: SearchMode::Blanket, kappas, ..LearnOptions::default() }
    }

    #[test]
    fn what_is_kept_is_what_learning_keeps() {
        let mut chosen = std::collections::BTreeSet::new();
        for name in ["coronary_heart", "economic_activity", "car", "congressional_voting", "contraceptive"] {
            let data = bundled(name);
            for kappas in ["eps,n^-1,n^-0.5,n^-0.25", "n^-0.25,n^-0.5,eps", "n^-0.5"] {
                // With little memory some structures are compared by pseudo-likelihood.
                for memory in [1 << 30, 1 << 14] {
                    let usual = with_kappas(kappas);
                    let fit = FitOptions { memory, ..usual.fit.clone() };
                    let options = LearnOptions { fit, ..usual };
                    let of = |begin| {
                        let learned = learn_rows(begin, &data, &options, &()).unwrap();
                        let kept = learned.kept(data.rows()).unwrap();
                        let fitted = learned.models.iter().any(|model| model.fit.is_some());
                        (kept.prior.kappa(), kept.structure.clone(), fitted)
                    };
                    let (all, some) = (of(Begin::of_all()), of(Begin::of_resample(&[])));
                    assert_eq!((&some.0, &some.1), (&all.0, &all.1), "{name}, {memory}");
                    assert!(!some.2);
                    chosen.insert(some.0.to_string());
                }
            }
        }
        assert!(chosen.len() > 1, "{chosen:?}");
    }

    /// Works on models with what `choose_alone` is asked with.
    fn asked<T>(
        data: &Dataset,
        options: &LearnOptions,
        work: impl FnOnce(&Step<'_, '_, RowCounts>) -> T,
    ) -> T {
        let counts = RowCounts::new(data);
        let table = CountedTable::new(&counts, data.schema()).unwrap();
        work(&Step { table: &table, options, observer: &(), fits: Fits::ToChoose })
    }

    #[test]
    fn what_cannot_be_best_is_not_fitted() {
        let pair = Dataset::from_labels(&["a", "b"], [["0", "0"], ["1", "1"]].repeat(20)).unwrap();
        let options = with_kappas("eps,n^-1,n^-0.5,n^-0.25");
        for (data, fewest, most) in [(pair, 0, 0), (bundled("car"), 1, 3)] {
            let learned = learn_rows(Begin::of_resample(&[]), &data, &options, &()).unwrap();
            let models: Vec<&LearnedModel> = learned.models.iter().collect();
            let Ok(bics) = asked(&data, &options, |step| bics(&models, step)) else {
                panic!("nothing stops it")
            };
            let known = bics.iter().flatten().count();
            assert!((fewest..=most).contains(&known), "{bics:?}");
        }
    }

    #[test]
    fn a_search_that_was_ended_early_is_kept_only_where_none_is_whole() {
        let data = bundled("economic_activity");
        let options = with_kappas("n^-0.25,n^-0.5");
        for whole in [true, false] {
            let mut learned = learn_rows(Begin::of_resample(&[]), &data, &options, &()).unwrap();
            let edge = Edge::new(0, 1).unwrap();
            learned.models[1].structure.toggle_edge(edge).unwrap();
            learned.models[1].climb.stop = StopReason::TimeLimit;
            if !whole {
                learned.models[0] = learned.models[1].clone();
            }
            learned.selected = None;
            asked(&data, &options, |step| choose_alone(&mut learned, step)).unwrap();
            assert_eq!(learned.selected, Some(0), "{whole}");
        }
    }
}
