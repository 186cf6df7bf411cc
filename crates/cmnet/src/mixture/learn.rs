//! From a table to a mixture: classes by clustering, a structure for each by the present search, parameters
//! by EM, and the number of classes by BIC or by rows that are held out.

use super::cluster::{Clustering, cluster};
use super::em::{Asking, Class, Mixed, climb};
use super::evaluate::mean_log_likelihood;
use super::memberships::Memberships;
use super::model::{Component, Mixture, MixtureFit};
use super::options::{ComponentCount, MixtureOptions};
use crate::control::StopReason;
use crate::data::{DataDigest, Dataset, FoldPlan, Folds};
use crate::error::{Error, ErrorKind, Remedy, Result, Unfitted};
use crate::learn::{
    Chosen, Criterion, LEAST_ROWS, LearnEvent, LearnObserver, LearnOptions, Learned, LearnedModel, PARTS,
    Select, in_pool, learn_part,
};
use crate::loglinear::{Fit, FitMethod, FitOptions};

/// Numbers of classes that `auto` tries, one after the other.
const LADDER: [usize; 14] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128];
/// A class of this weight is none.
const NOTHING: f64 = 1e-12;
/// After so many in a row that are no better than the best, no further one is tried.
const PATIENCE: usize = 2;

/// A mixture as it was learned.
#[derive(Clone, Debug)]
pub struct LearnedMixture {
    /// The mixture. It has fewer classes than asked for where some got no rows.
    pub mixture: Mixture,
    /// What was learned from the rows of each class: all kappas, and which one was chosen.
    pub parts: Vec<Learned>,
    /// Why learning ended.
    pub stop: StopReason,
    /// Numbers of classes that were tried, where that decided.
    pub tried: Vec<TriedComponents>,
    /// What the choice among them went by.
    pub criterion: Option<Criterion>,
}

/// A number of classes, and how well it did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriedComponents {
    /// How many classes were asked for.
    pub components: usize,
    /// The BIC per row, or the mean log-probability of a held-out row.
    pub value: f64,
}

/// Learns a mixture of networks.
///
/// The rows are divided into classes by latent class analysis, the best of several seeded starts. The rows
/// of each class are learned from as [`crate::learn`] does. Then soft EM estimates the parameters of all
/// networks and the weights of the classes, with the structures held fixed. `auto` raises the number of
/// classes while that helps: by BIC, or with [`Select::Heldout`] and [`Select::Cv`] by rows that are held out.
///
/// An observer that asks to stop ends the work: what was found is kept. A class whose search ends at a time
/// limit keeps what it has, and the next class is searched: an observer may give each class its own time.
///
/// # Errors
/// As [`crate::learn`]; when an option has no meaning for a mixture; when a network cannot be fitted exactly
/// within the memory.
pub fn learn_mixture(
    data: &Dataset,
    options: &LearnOptions,
    mixture: &MixtureOptions,
    observer: &dyn LearnObserver,
) -> Result<LearnedMixture> {
    mixture.check(options)?;
    let fit = FitOptions { method: FitMethod::Exact, ..options.fit.clone() };
    let options = LearnOptions { fit, ..options.clone() };
    in_pool(&options, || {
        let work = Work { options: &options, mixture, observer };
        match mixture.components {
            Chosen::Given(count) => work.learn(data, count),
            Chosen::Auto if data.rows() < LEAST_ROWS => work.learn(data, ComponentCount::default()),
            Chosen::Auto if options.select == Select::Bic => work.by_bic(data),
            Chosen::Auto => work.by_rows(data),
        }
    })
}

struct Work<'a> {
    options: &'a LearnOptions,
    mixture: &'a MixtureOptions,
    observer: &'a dyn LearnObserver,
}

impl Work<'_> {
    /// The number of classes with the highest BIC.
    fn by_bic(&self, data: &Dataset) -> Result<LearnedMixture> {
        let mut best: Option<LearnedMixture> = None;
        let (tried, stop) = climb_ladder(data, |count| {
            let found = self.learn(data, count)?;
            let value = found.mixture.bic().unwrap_or(f64::NEG_INFINITY) / data.rows() as f64;
            let stop = found.stop;
            if best.as_ref().and_then(|best| best.mixture.bic()) < found.mixture.bic() {
                best = Some(found);
            }
            Ok((value, stop))
        })?;
        let Some(best) = best else { return self.least(data, stop) };
        // The best may have come to its end before another number of classes was cut.
        Ok(LearnedMixture { tried, stop: stop.unwrap_or(best.stop), criterion: Some(Criterion::Bic), ..best })
    }

    /// The number of classes that predicts held-out rows best.
    fn by_rows(&self, data: &Dataset) -> Result<LearnedMixture> {
        let folds = Folds::deal(data, FoldPlan::Drawn { folds: PARTS, seed: self.mixture.seed })?;
        let parts = if self.options.select == Select::Cv { PARTS } else { 1 };
        self.observer.observe_learning(&LearnEvent::PartsAhead);
        let judged = climb_ladder(data, |count| {
            let (mut sum, mut rows) = (0.0, 0.0);
            for (index, fold) in folds.iter().take(parts).enumerate() {
                self.observer.observe_learning(&LearnEvent::Fold { index, of: parts });
                let fold = fold?;
                let found = self.learn(&fold.training, count)?;
                if found.stop != StopReason::Converged {
                    return Ok((f64::NEG_INFINITY, found.stop));
                }
                let held = fold.heldout.rows() as f64;
                sum += held * mean_log_likelihood(&found.mixture, &fold.heldout);
                rows += held;
            }
            Ok((sum / rows, StopReason::Converged))
        });
        self.observer.observe_learning(&LearnEvent::PartsEnded);
        let (tried, stop) = judged?;
        let better = |best: TriedComponents, next: TriedComponents| {
            if next.value > best.value { next } else { best }
        };
        let Some(best) = tried.iter().copied().reduce(better) else { return self.least(data, stop) };
        let found = match self.learn(data, ComponentCount::new(best.components)?) {
            Ok(found) => found,
            Err(error) => match error.kind() {
                ErrorKind::Stopped(reason) => return self.least(data, Some(*reason)),
                _ => return Err(error),
            },
        };
        let stop = stop.unwrap_or(found.stop);
        Ok(LearnedMixture { tried, stop, criterion: Some(Criterion::Heldout), ..found })
    }

    /// One class, where no number of classes is known to be better. After a stop its search ends at once, and what it
    /// has is fitted; that is an error where nobody waits for it.
    fn least(&self, data: &Dataset, stop: Option<StopReason>) -> Result<LearnedMixture> {
        let found = self.learn(data, ComponentCount::default())?;
        Ok(LearnedMixture { stop: stop.unwrap_or(found.stop), ..found })
    }

    /// A mixture of so many classes.
    fn learn(&self, data: &Dataset, count: ComponentCount) -> Result<LearnedMixture> {
        let members = self.clustered(data, count);
        let mut classes: Vec<Class> = Vec::new();
        let mut parts: Vec<Learned> = Vec::new();
        let mut stop = StopReason::Converged;
        let tables = members.tables(data)?;
        for (index, table) in tables.iter().enumerate() {
            let of = tables.len();
            self.observer.observe_learning(&LearnEvent::Component { index, of });
            let learned = learn_part(table, self.options, self.observer)?;
            if learned.stop != StopReason::Converged {
                stop = learned.stop;
            }
            classes.push(self.class(&learned, table, data)?);
            parts.push(learned);
        }
        let components = classes.len();
        self.observer.observe_learning(&LearnEvent::Component { index: components, of: components });
        let mixed = climb(data, classes, self.mixture, self.observer)?;
        let stop = mixed.stop.unwrap_or(stop);
        let mixture = self.assembled(data, &mixed, &parts, &tables)?;
        Ok(LearnedMixture { mixture, parts, stop, tried: Vec::new(), criterion: None })
    }

    fn clustered(&self, data: &Dataset, count: ComponentCount) -> Memberships {
        let MixtureOptions { seed, starts, .. } = *self.mixture;
        let starts = if count.get() == 1 { 1 } else { starts };
        cluster(data, Clustering { classes: count.get(), seed, starts }, &Asking(self.observer))
    }

    /// The structure that was learned from the rows of a class, with its first parameters.
    fn class(&self, learned: &Learned, table: &Dataset, data: &Dataset) -> Result<Class> {
        let kept = learned.kept(table.rows()).ok_or_else(|| Error::from(learned.stop))?;
        let fit = kept.fit.clone().ok_or_else(|| unfitted(kept))?;
        let options =
            learned.tuned.as_ref().map_or_else(|| self.options.fit.clone(), |tuned| tuned.options.clone());
        let weight = table.rows() as f64 / data.rows() as f64;
        Ok(Class { structure: kept.structure.clone(), options, fit, weight })
    }

    fn assembled(
        &self,
        data: &Dataset,
        mixed: &Mixed,
        parts: &[Learned],
        tables: &[Dataset],
    ) -> Result<Mixture> {
        let rows = data.rows() as f64;
        let mut components = Vec::new();
        for ((class, learned), table) in mixed.classes.iter().zip(parts).zip(tables) {
            let kept = learned.kept(table.rows()).ok_or_else(|| Error::from(learned.stop))?;
            let model = kept.to_model(table, self.options, &learned.search)?;
            // The rows of the class are weighed: no table stands behind the parameters alone.
            let fit = Fit { digest: None, ..class.fit.clone() };
            components.push(Component { weight: class.weight, model: model.with_fit(fit)? });
        }
        components.retain(|component| component.weight > NOTHING);
        let sum: f64 = components.iter().map(|component| component.weight).sum();
        for component in &mut components {
            component.weight /= sum;
        }
        let fit = MixtureFit {
            rows: data.rows(),
            digest: DataDigest::of(data),
            seed: self.mixture.seed,
            log_likelihood: mean_of(&components, data)? * rows,
            steps: mixed.steps.len() as u64 - 1,
            gain: mixed.gain() / rows,
            converged: mixed.converged,
        };
        Mixture::new(components, Some(fit))
    }
}

/// Goes up the ladder while that helps: what was tried, and what cut it. A number of classes that is cut leaves the
/// best of those before it; so does one above the first that does not fit the memory.
fn climb_ladder(
    data: &Dataset,
    mut value: impl FnMut(ComponentCount) -> Result<(f64, StopReason)>,
) -> Result<(Vec<TriedComponents>, Option<StopReason>)> {
    let mut tried: Vec<TriedComponents> = Vec::new();
    let (mut best, mut patience) = (f64::NEG_INFINITY, PATIENCE);
    let enough = |&count: &usize| count == 1 || count as u64 <= data.rows() / LEAST_ROWS;
    for components in LADDER.into_iter().filter(enough) {
        let (value, stop) = match value(ComponentCount::new(components)?) {
            Err(error) => match error.kind() {
                ErrorKind::Stopped(reason) => (f64::NEG_INFINITY, *reason),
                ErrorKind::Limit { .. } if !tried.is_empty() => (f64::NEG_INFINITY, StopReason::Converged),
                _ => return Err(error),
            },
            known => known?,
        };
        if value.is_finite() {
            tried.push(TriedComponents { components, value });
        }
        patience = if value > best { PATIENCE } else { patience - 1 };
        best = best.max(value);
        if stop != StopReason::Converged {
            return Ok((tried, Some(stop)));
        }
        if patience == 0 {
            break;
        }
    }
    Ok((tried, None))
}

fn mean_of(components: &[Component], data: &Dataset) -> Result<f64> {
    Ok(mean_log_likelihood(&Mixture::new(components.to_vec(), None)?, data))
}

/// Why a class has no parameters.
fn unfitted(kept: &LearnedModel) -> Error {
    match &kept.unfitted {
        Some(Unfitted::Limit(limit)) => Error::limit(
            limit.what.clone(),
            limit.limit.clone(),
            [Remedy::MoreMemory, Remedy::LearnSparserGraph],
        ),
        Some(Unfitted::OutOfTime) => StopReason::TimeLimit.into(),
        _ => StopReason::Interrupted.into(),
    }
}
