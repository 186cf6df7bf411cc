//! Fit the structures and keep the one with the highest BIC (paper, section 3.2).

use super::choose_alone::choose_alone;
use super::observer::{FitControl, LearnEvent};
use super::{Criterion, Learned, LearnedModel, Select, Step};
use crate::control::{Control, Outcome, StopReason};
use crate::counts::CountSource;
use crate::error::{ErrorKind, Result, Unfitted};
use crate::loglinear::{Estimate, Fit, FitMethod, FitOptions, FitRequest, fit_named};
use crate::score::Kappa;
use crate::structure::Structure;

/// Two criteria that differ by less than this share are equal: structures that are one model,
/// fitted in different coordinates, differ in the last digits.
pub(super) const ROUNDING: f64 = 1e-10;

/// What structures are fitted for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Fits {
    /// Their parameters are asked for.
    #[default]
    All,
    /// One of them is kept, and nothing else of them.
    ToChoose,
}

/// Fits the structures found so far, where parameters are asked for.
pub(super) fn fit_found<S: CountSource>(learned: &mut Learned, step: &Step<'_, '_, S>) -> Result<()> {
    if step.options.select == Select::None || step.fits == Fits::ToChoose {
        return Ok(());
    }
    Fitting { step, options: &step.options.fit, of: step.options.kappas.len() }.fit_all(learned)
}

/// Fits every structure, each different one once, and selects by BIC among those that can be
/// fitted; where exact fitting is out of reach for one of them, all are compared by
/// pseudo-likelihood.
pub(super) fn choose<S: CountSource>(learned: &mut Learned, step: &Step<'_, '_, S>) -> Result<()> {
    let options = step.options;
    if options.select == Select::None {
        learned.selected = (learned.models.len() == 1).then_some(0);
        return Ok(());
    }
    if step.fits == Fits::ToChoose {
        return choose_alone(learned, step);
    }
    let fitting = Fitting { step, options: &options.fit, of: learned.models.len() };
    fitting.fit_all(learned)?;
    let is = |model: &LearnedModel, estimate| model.fit.as_ref().is_some_and(|fit| fit.estimate == estimate);
    let some = |estimate| learned.models.iter().any(|model| is(model, estimate));
    let pseudo = some(Estimate::Pseudo);
    if pseudo && some(Estimate::Exact) {
        // The exact fits stay; for the comparison all are fitted by one method.
        let by_pseudo = FitOptions { method: FitMethod::Pseudo, ..options.fit.clone() };
        let take = |model: &mut LearnedModel| model.fit.take_if(|fit| fit.estimate == Estimate::Exact);
        let exact: Vec<Option<Fit>> = learned.models.iter_mut().map(take).collect();
        Fitting { options: &by_pseudo, ..fitting }.fit_all(learned)?;
        for (model, fit) in learned.models.iter_mut().zip(exact) {
            if fit.is_some() {
                model.pseudo_fit = std::mem::replace(&mut model.fit, fit);
            }
        }
    }
    learned.criterion = learned.models.iter().any(|model| model.fit.is_some()).then_some(if pseudo {
        Criterion::PseudoBic
    } else {
        Criterion::Bic
    });
    learned.selected = best_of(&learned.models, pseudo, step.table.counts().rows());
    Ok(())
}

/// The place of the model with the highest BIC, of equals the one with the smallest kappa: by
/// pseudo-likelihood among those that are compared so. A model alone needs no parameters.
pub(crate) fn best_of(models: &[LearnedModel], pseudo: bool, rows: u64) -> Option<usize> {
    let bic = |model: &LearnedModel| {
        let fit = model.compared().filter(|fit| !pseudo || fit.estimate == Estimate::Pseudo)?;
        Some(fit.bic())
    };
    let only = (models.len() == 1).then_some(0);
    let bics: Vec<Option<f64>> = models.iter().map(bic).collect();
    highest(&models.iter().collect::<Vec<_>>(), &bics, rows).or(only)
}

/// The place of the highest BIC that is known, of equals that of the smallest kappa.
pub(super) fn highest(models: &[&LearnedModel], bics: &[Option<f64>], rows: u64) -> Option<usize> {
    let mut best: Option<(usize, f64, Kappa)> = None;
    for (place, (model, bic)) in models.iter().zip(bics).enumerate() {
        let &Some(bic) = bic else { continue };
        let kappa = model.prior.kappa();
        let wins = best.is_none_or(|(_, leader, other)| {
            let rounding = ROUNDING * leader.abs().max(1.0);
            let smaller = kappa.log(rows) < other.log(rows);
            if smaller { bic >= leader - rounding } else { bic > leader + rounding }
        });
        if wins {
            best = Some((place, bic, kappa));
        }
    }
    best.map(|(place, _, _)| place)
}

/// What fits are made with.
struct Fitting<'a, 't, S> {
    step: &'a Step<'a, 't, S>,
    options: &'a FitOptions,
    /// How many structures there will be.
    of: usize,
}

impl<S: CountSource> Fitting<'_, '_, S> {
    /// Fits the structures that have neither parameters nor a reason to have none.
    fn fit_all(&self, learned: &mut Learned) -> Result<()> {
        for place in 0..learned.models.len() {
            let model = &learned.models[place];
            if model.fit.is_some() || matches!(model.unfitted, Some(Unfitted::Limit(_))) {
                continue;
            }
            self.step.observer.observe_learning(&LearnEvent::Fitting { index: place, of: self.of });
            match self.fit_one(learned, place) {
                Ok(Outcome::Done(fitted)) => {
                    let digest = Some(self.step.table.digest().clone());
                    learned.models[place].fit = Some(Fit { digest, ..fitted });
                    learned.models[place].unfitted = None;
                }
                Ok(Outcome::Stopped(reason)) => {
                    learned.stop = reason;
                    learned.models[place].unfitted = Some(match reason {
                        StopReason::TimeLimit => Unfitted::OutOfTime,
                        _ => Unfitted::Interrupted,
                    });
                }
                Err(error) => match error.kind() {
                    ErrorKind::Limit(limit) => {
                        learned.models[place].unfitted = Some(Unfitted::Limit(limit.clone()));
                    }
                    _ => return Err(error),
                },
            }
        }
        Ok(())
    }

    fn fit_one(&self, learned: &Learned, place: usize) -> Result<Outcome<Fit>> {
        let structure = &learned.models[place].structure;
        let same = |other: &Structure| other == structure;
        let known =
            learned.models[..place].iter().find(|model| same(&model.structure)).and_then(|m| m.fit.clone());
        if let Some(fitted) = known {
            return Ok(Outcome::Done(fitted));
        }
        let control = FitControl {
            observer: self.step.observer,
            searched: learned.search_converged(),
            fitted: learned.models.iter().any(|model| model.fit.is_some()),
        };
        if let Some(reason) = control.stop() {
            return Ok(Outcome::Stopped(reason));
        }
        let (counts, names) = (self.step.table.counts(), Some(self.step.table.schema()));
        fit_named(&FitRequest::new(structure, counts, names, self.options), &control)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{CountedTable, RowCounts};
    use crate::data::Dataset;
    use crate::io::{ReadOptions, Source, read_csv};
    use crate::learn::{LearnObserver, LearnOptions, learn};
    use crate::search::SearchObserver;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Asks to stop after so many questions since the second structure is fitted.
    struct Impatient {
        patience: usize,
        asked: AtomicUsize,
    }

    impl SearchObserver for Impatient {}

    impl LearnObserver for Impatient {
        fn observe_learning(&self, event: &LearnEvent<'_>) {
            if matches!(event, LearnEvent::Fitting { index: 1, .. }) {
                self.asked.store(1, Ordering::Relaxed);
            }
        }
    }

    impl Control for Impatient {
        fn stop(&self) -> Option<StopReason> {
            let begun = self.asked.load(Ordering::Relaxed) > 0;
            let asked = if begun { self.asked.fetch_add(1, Ordering::Relaxed) } else { 0 };
            (asked > self.patience).then_some(StopReason::Interrupted)
        }
    }

    #[test]
    fn fits_that_are_interrupted_keep_what_is_finished() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/economic_activity.csv");
        let data = read_csv(&Source::from_argument(path), &ReadOptions::default()).unwrap().data;
        let kappas = ["n^-0.5", "n^-0.25", "eps"].map(|kappa| kappa.parse().unwrap());
        let options = LearnOptions { kappas: kappas.to_vec(), ..LearnOptions::default() };
        let whole = learn(&data, &options, &()).unwrap();
        assert!(whole.models[1].fit.as_ref().unwrap().iterations > 3);
        for patience in [0, 1, 4] {
            let observer = Impatient { patience, asked: AtomicUsize::new(0) };
            let learned = learn(&data, &options, &observer).unwrap();
            assert_eq!(learned.stop, StopReason::Interrupted);
            assert!(learned.search_converged());
            assert_eq!(learned.selected, Some(0));
            assert_eq!(learned.models.len(), 2); // nothing is searched after an interruption
            let bic = |learned: &Learned| learned.models[0].fit.as_ref().map(Fit::bic);
            assert_eq!(bic(&learned), bic(&whole));
            for (model, same) in learned.models.iter().zip(&whole.models).skip(1) {
                assert_eq!(model.structure, same.structure);
                assert!(model.fit.is_none());
                assert_eq!(model.unfitted, Some(Unfitted::Interrupted));
            }
        }
    }

    /// A chain that can be fitted exactly in a kilobyte, and a complete graph that cannot.
    fn mixed() -> (Dataset, Learned, LearnOptions) {
        let row =
            |row: usize| (0..7).map(move |v| if (row >> v).is_multiple_of(3) { "0" } else { "1" }.to_owned());
        let names: Vec<String> = (0..7).map(|v| format!("x{v}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let data = Dataset::from_labels(&names, (0..200).map(|r| row(r).collect::<Vec<_>>())).unwrap();
        let kappas = ["eps", "n^-0.5"].map(|kappa| kappa.parse().unwrap()).to_vec();
        let fit = FitOptions { memory: 1 << 10, ..FitOptions::default() };
        let none = LearnOptions { kappas, fit, select: Select::None, ..LearnOptions::default() };
        let mut learned = learn(&data, &none, &()).unwrap();
        let chain: Vec<(usize, usize)> = (1..7).map(|v| (v - 1, v)).collect();
        let all: Vec<(usize, usize)> = (0..7).flat_map(|i| (i + 1..7).map(move |j| (i, j))).collect();
        for (model, edges) in learned.models.iter_mut().zip([chain, all]) {
            let mut structure = Structure::empty(&[2; 7]);
            for (i, j) in edges {
                structure.toggle_edge(crate::graph::Edge::new(i, j).unwrap()).unwrap();
            }
            model.structure = structure;
        }
        (data, learned, LearnOptions { select: Select::Bic, ..none })
    }

    /// Where one structure is out of reach, all are compared by pseudo-likelihood, and those
    /// that can be fitted exactly stay so.
    #[test]
    fn a_mixed_comparison_keeps_exact_fits() {
        let (data, mut learned, options) = mixed();
        let counts = RowCounts::new(&data);
        let table = CountedTable::new(&counts, data.schema()).unwrap();
        choose(&mut learned, &Step { table: &table, options: &options, observer: &(), fits: Fits::All })
            .unwrap();
        let estimate = |fit: Option<&Fit>| fit.map(|fit| fit.estimate);
        let [chain, all] = &learned.models[..] else { panic!("two") };
        assert_eq!(estimate(chain.fit.as_ref()), Some(Estimate::Exact));
        assert_eq!(estimate(chain.compared()), Some(Estimate::Pseudo));
        assert_eq!(estimate(all.fit.as_ref()), Some(Estimate::Pseudo));
        assert!(all.fit.as_ref().unwrap().reason.to_string().contains("does not fit"));
        assert_eq!((learned.criterion, learned.selected), (Some(Criterion::PseudoBic), Some(0)));
        assert!(chain.pseudo_bic().unwrap() > all.pseudo_bic().unwrap());
        let by_hand = FitOptions { method: FitMethod::Pseudo, ..FitOptions::default() };
        let by_hand = crate::loglinear::fit(&chain.structure, &data, &by_hand).unwrap();
        assert_eq!(chain.pseudo_bic(), Some(by_hand.bic()));
    }

    /// Asks to stop from some fit on, counted over both rounds.
    struct Quitter {
        fits: AtomicUsize,
        most: usize,
    }

    impl SearchObserver for Quitter {}

    impl LearnObserver for Quitter {
        fn observe_learning(&self, event: &LearnEvent<'_>) {
            if matches!(event, LearnEvent::Fitting { .. }) {
                self.fits.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    impl Control for Quitter {
        fn stop(&self) -> Option<StopReason> {
            (self.fits.load(Ordering::Relaxed) > self.most).then_some(StopReason::Interrupted)
        }
    }

    #[test]
    fn a_mixed_comparison_that_is_interrupted_says_what_was_not_compared() {
        for (most, fitted, compared) in
            [(0, [false, false], None), (1, [true, false], Some(0)), (2, [true, true], Some(1))]
        {
            let (data, mut learned, options) = mixed();
            let observer = Quitter { fits: AtomicUsize::new(0), most };
            let counts = RowCounts::new(&data);
            let table = CountedTable::new(&counts, data.schema()).unwrap();
            choose(
                &mut learned,
                &Step { table: &table, options: &options, observer: &observer, fits: Fits::All },
            )
            .unwrap();
            assert_eq!(learned.stop, StopReason::Interrupted);
            assert!(learned.search_converged());
            assert_eq!(learned.selected, compared, "{most}");
            for (place, model) in learned.models.iter().enumerate() {
                assert_eq!(model.fit.is_some(), fitted[place], "{most}");
                assert_eq!(model.unfitted.is_none(), Some(place) == compared, "{most}");
            }
        }
    }
}
