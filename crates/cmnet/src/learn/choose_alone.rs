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
    match selected(&learned.models, step) {
        Ok(selected) => learned.selected = selected,
        Err(Halt::Stopped(reason)) => learned.stop = reason,
        Err(Halt::Failed(error)) => return Err(error),
    }
    Ok(())
}

fn selected<S: CountSource>(models: &[LearnedModel], step: &Step<'_, '_, S>) -> Halting<Option<usize>> {
    // A search that was ended early is no match for one that ended by itself.
    let is_whole = |model: &LearnedModel| model.climb.stop == StopReason::Converged;
    let some_are_whole = models.iter().any(is_whole);
    let takes_part: Vec<bool> = models.iter().map(|model| !some_are_whole || is_whole(model)).collect();
    // The first place of each structure.
    let first: Vec<usize> = models
        .iter()
        .map(|model| models.iter().take_while(|other| other.structure != model.structure).count())
        .collect();
    if first.iter().zip(&takes_part).all(|(&first, takes_part)| !takes_part || first == 0) {
        return Ok(None);
    }
    let control = Watch { observer: step.observer };
    let places: Vec<usize> = (0..models.len()).filter(|&at| takes_part[at] && first[at] == at).collect();
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
    let mut bics: Vec<Option<f64>> = vec![None; models.len()];
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
    let known: Vec<Option<f64>> =
        first.iter().zip(&takes_part).map(|(&first, &is)| bics[first].filter(|_| is)).collect();
    Ok(highest(models, &known, step.table.counts().rows()))
}

/// The structures of some places, made ready to be fitted: those that can be.
fn all_prepared<'a, S: CountSource>(
    models: &'a [LearnedModel],
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
    use crate::io::{ReadOptions, Source, read_csv};
    use crate::learn::{Begin, LearnOptions, SearchMode, learn_rows};

    #[test]
    fn what_is_kept_is_what_learning_keeps() {
        let mut chosen = std::collections::BTreeSet::new();
        for name in ["coronary_heart", "economic_activity", "car", "congressional_voting", "contraceptive"] {
            let path = format!("{}/../../data/{name}.csv", env!("CARGO_MANIFEST_DIR"));
            let data = read_csv(&Source::from_argument(&path), &ReadOptions::default()).unwrap().data;
            for kappas in ["eps,n^-1,n^-0.5,n^-0.25", "n^-0.25,n^-0.5,eps", "n^-0.5"] {
                // With little memory some structures are compared by pseudo-likelihood.
                for memory in [1 << 30, 1 << 14] {
                    let usual = LearnOptions { search: SearchMode::Blanket, ..LearnOptions::default() };
                    let fit = FitOptions { memory, ..usual.fit.clone() };
                    let kappas = kappas.split(',').map(|kappa| kappa.parse().unwrap()).collect();
                    let options = LearnOptions { kappas, fit, ..usual };
                    let of = |begin| {
                        let learned = learn_rows(begin, &data, &options, &()).unwrap();
                        let kept = learned.kept(data.rows()).unwrap();
                        (
                            kept.prior.kappa(),
                            kept.structure.clone(),
                            learned.models.iter().all(|m| m.fit.is_none()),
                        )
                    };
                    let (all, some) = (of(Begin::of_all()), of(Begin::of_resample(&[])));
                    assert_eq!((&some.0, &some.1), (&all.0, &all.1), "{name}, {memory}");
                    assert!(some.2);
                    chosen.insert(some.0.to_string());
                }
            }
        }
        assert!(chosen.len() > 1, "{chosen:?}");
    }
}
