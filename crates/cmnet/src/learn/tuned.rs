//! Order and ridge of the chosen structure, by rows that are held out.

use super::observer::{FitControl, LearnObserver};
use super::tune::{Judged, tune};
use super::{LearnOptions, Learned};
use crate::control::{Outcome, StopReason};
use crate::counts::RowCounts;
use crate::data::{DataDigest, Dataset};
use crate::error::Result;
use crate::loglinear::{Fit, FitRequest, fit_named};

/// Chooses order and ridge for the chosen structure, where that was asked for, and fits it anew.
pub(super) fn run(
    learned: &mut Learned,
    data: &Dataset,
    options: &LearnOptions,
    observer: &dyn LearnObserver,
) -> Result<()> {
    let place = learned.selected.filter(|_| learned.stop == StopReason::Converged);
    let Some(place) = place.filter(|_| !options.tune.is_nothing() && options.target.is_none()) else {
        return Ok(());
    };
    let model = &mut learned.models[place];
    if model.fit.is_none() {
        return Ok(());
    }
    let control = FitControl { observer, searched: true, fitted: true };
    let judged = Judged { structure: &model.structure, relearned: &[], data, target: None };
    let tuned = match tune(judged, &options.fit, options.tune, &control)? {
        Outcome::Done(tuned) => tuned,
        Outcome::Stopped(reason) => {
            learned.stop = reason;
            return Ok(());
        }
    };
    let counts = RowCounts::new(data);
    let names = Some(data.schema());
    let request = FitRequest::new(&model.structure, &counts, names, &tuned.options);
    match fit_named(&request, &control)? {
        Outcome::Done(fit) => {
            learned.untuned = model.fit.replace(Fit { digest: Some(DataDigest::of(data)), ..fit });
            learned.tuned = Some(tuned);
        }
        Outcome::Stopped(reason) => learned.stop = reason,
    }
    Ok(())
}
