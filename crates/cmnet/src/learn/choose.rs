//! Fit the structures and keep the one with the highest BIC (paper, section 3.2).

use super::{LearnOptions, Learned, Select};
use crate::data::Dataset;
use crate::error::{ErrorKind, Result};
use crate::loglinear::{Estimate, Fit, FitOptions, Method, fit};
use crate::score::Kappa;
use crate::search::{Event, Observer, StopReason};
use crate::structure::Structure;

/// Two criteria that differ by less than this share are equal: structures that are one model,
/// fitted in different coordinates, differ in the last digits.
const ROUNDING: f64 = 1e-10;

/// Fits every structure, each different one once, and selects by BIC among those that can be
/// fitted; where exact fitting is out of reach for one of them, all are compared by
/// pseudo-likelihood.
pub(super) fn choose(
    learned: &mut Learned,
    data: &Dataset,
    options: &LearnOptions,
    observer: &dyn Observer,
) -> Result<()> {
    if options.select == Select::None {
        learned.selected = (learned.models.len() == 1).then_some(0);
        return Ok(());
    }
    fit_all(learned, data, &options.fit, observer)?;
    let mixed =
        |estimate| learned.models.iter().any(|m| m.fit.as_ref().is_some_and(|fit| fit.estimate == estimate));
    let pseudo = mixed(Estimate::Pseudo);
    if pseudo && mixed(Estimate::Exact) {
        let by_pseudo = FitOptions { method: Method::Pseudo, ..options.fit.clone() };
        learned.models.iter_mut().for_each(|model| model.fit = None);
        fit_all(learned, data, &by_pseudo, observer)?;
    }
    learned.criterion = learned.models.iter().any(|model| model.fit.is_some()).then_some(if pseudo {
        "pseudo-bic"
    } else {
        "bic"
    });
    let mut best: Option<(usize, f64, Kappa)> = None;
    for (place, model) in learned.models.iter().enumerate() {
        let Some(bic) = model.fit.as_ref().map(Fit::bic) else { continue };
        let kappa = model.prior.kappa();
        let wins = best.is_none_or(|(_, leader, other)| {
            let rounding = ROUNDING * leader.abs().max(1.0);
            let smaller = kappa.log(data.rows()) < other.log(data.rows());
            if smaller { bic >= leader - rounding } else { bic > leader + rounding }
        });
        if wins {
            best = Some((place, bic, kappa));
        }
    }
    let only = (learned.models.len() == 1).then_some(0);
    learned.selected = best.map(|(place, _, _)| place).or(only);
    Ok(())
}

fn fit_all(
    learned: &mut Learned,
    data: &Dataset,
    options: &FitOptions,
    observer: &dyn Observer,
) -> Result<()> {
    let of = learned.models.len();
    for place in 0..of {
        observer.observe(&Event::Fitting { index: place, of });
        let same = |structure: &Structure| structure == &learned.models[place].structure;
        let known =
            learned.models[..place].iter().find(|model| same(&model.structure)).and_then(|m| m.fit.clone());
        let fitted = match known {
            Some(fitted) => Ok(fitted),
            None => fit(&learned.models[place].structure, data, options),
        };
        match fitted {
            Ok(fitted) => learned.models[place].fit = Some(fitted),
            Err(error) if matches!(error.kind(), ErrorKind::Limit { .. }) => {
                learned.models[place].unfitted = Some(error.to_string());
            }
            Err(error) => return Err(error),
        }
        // A search that was ended early is fitted all the same: it is what there is.
        let asked = observer.stop() == Some(StopReason::Interrupted) && place + 1 < of;
        if asked && learned.stop == StopReason::Converged {
            learned.stop = StopReason::Interrupted;
            break;
        }
    }
    Ok(())
}
