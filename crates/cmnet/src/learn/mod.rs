//! The front door: options, checked once, and a table become learned and fitted structures.

mod amounts;
mod choose;
mod confirm;
mod cross_validate;
mod observer;
mod options;
mod proven;
mod refinement;
mod resume;
mod search;

pub use amounts::{parse_bytes, parse_duration};
pub use cross_validate::{
    CrossValidated, CrossValidation, FoldNumbers, FoldResult, FoldState, LeftOut, cross_validate,
    cross_validate_from,
};
pub(crate) use cross_validate::{by_pseudo_likelihood, fold_result, folds_differ};
pub use observer::{FitControl, LearnEvent, LearnObserver};
pub use options::{ContextChoice, LearnOptions, ModelClass, SearchMode, SearchReason, Select};
pub use refinement::{Refine, Refinement};
pub use resume::{LearnState, RunFact, run_identity};
pub(crate) use search::{blankets_of, structure_of};

use crate::control::StopReason;
use crate::counts::{CountSource, CountedTable, PlaneCounts};
use crate::data::{DataDigest, Dataset, Schema};
use crate::error::{Error, OptionName, Result, Unfitted};
use crate::loglinear::Fit;
use crate::model::{Confirmed, Model, Provenance, RefinedScore};
use crate::score::{ContextPrior, Nats, StructureScore};
use crate::search::{ClimbRecord, SearchUsed};
use crate::structure::Structure;
use serde::Serialize;

/// What a choice among structures goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Criterion {
    /// BIC of the likelihood.
    Bic,
    /// BIC of the pseudo-likelihood.
    PseudoBic,
}

/// The structures learned from one table.
#[derive(Clone, Debug)]
pub struct Learned {
    /// One per kappa, in the order asked for; fewer when the search was ended early.
    pub models: Vec<LearnedModel>,
    /// The search that was used.
    pub search: SearchUsed,
    /// Why that one.
    pub search_reason: SearchReason,
    /// Why learning ended: early in the search, or, where every model's own search converged,
    /// while they were fitted.
    pub stop: StopReason,
    /// The chosen model's place; `None` where nothing was to be chosen.
    pub selected: Option<usize>,
    /// What the choice went by.
    pub criterion: Option<Criterion>,
    /// Variables whose blanket a limit kept from growing.
    pub limited: Vec<crate::data::Var>,
}

impl Learned {
    /// Whether every search ended by itself.
    pub fn search_converged(&self) -> bool {
        self.models.iter().all(|model| model.climb.stop == StopReason::Converged)
    }

    /// The model to keep: the chosen one, or where none could be fitted the one with the
    /// smallest kappa.
    pub fn kept(&self, rows: u64) -> Option<&LearnedModel> {
        let smallest = || self.models.iter().min_by_key(|model| model.prior.kappa().log(rows));
        self.selected.map(|place| &self.models[place]).or_else(smallest)
    }

    /// Choices among equals over all climbs.
    pub fn ties(&self) -> u64 {
        self.models.iter().map(|model| model.climb.ties).sum()
    }
}

/// The structure that was learned for one kappa.
#[derive(Clone, Debug)]
pub struct LearnedModel {
    /// The prior.
    pub prior: ContextPrior,
    /// Graph and contexts.
    pub structure: Structure,
    /// Its score, part by part.
    pub score: StructureScore,
    /// The climb that led to it.
    pub climb: ClimbRecord,
    /// What a refinement did to it, where that was asked for.
    pub refinement: Option<Refinement>,
    /// Its parameters, where they were asked for and can be had.
    pub fit: Option<Fit>,
    /// Its fit by pseudo-likelihood, where it is fitted exactly but others cannot be, so that
    /// all are compared by that.
    pub pseudo_fit: Option<Fit>,
    /// Why its parameters cannot be had, or not by the method that all are compared by.
    pub unfitted: Option<Unfitted>,
    /// What the table says about its context elements, where they were to be confirmed.
    pub confirmed: Option<Confirmed>,
    /// Why they could not be.
    pub unconfirmed: Option<Unfitted>,
}

impl LearnedModel {
    /// The fit that the choice among kappas goes by.
    pub fn compared(&self) -> Option<&Fit> {
        self.pseudo_fit.as_ref().or(self.fit.as_ref())
    }

    /// The pseudo-likelihood's BIC, where there is one.
    pub fn pseudo_bic(&self) -> Option<f64> {
        self.compared().filter(|fit| fit.pseudo_log_likelihood.is_some()).map(Fit::bic)
    }

    /// Whether elements were left out that the table did not confirm: then scores of the structure
    /// before are not those of this one.
    fn lost_contexts(&self) -> bool {
        self.confirmed.as_ref().is_some_and(|known| known.elements.len() < known.tested)
    }

    /// The model with its provenance, ready to be saved.
    ///
    /// # Errors
    /// When the table is not the one that it was learned from.
    pub fn to_model(&self, data: &Dataset, options: &LearnOptions, search: &SearchUsed) -> Result<Model> {
        let known = self.fit.as_ref().and_then(|fit| fit.digest.clone());
        let digest = known.unwrap_or_else(|| DataDigest::of(data));
        self.model(
            data.schema(),
            Provenance { rows: data.rows(), ..self.provenance(digest, options, search) },
        )
    }

    /// The same for a model that was learned from counts.
    ///
    /// # Errors
    /// As [`LearnedModel::to_model`].
    pub fn to_model_of<S: CountSource>(
        &self,
        table: &CountedTable<'_, S>,
        options: &LearnOptions,
        search: &SearchUsed,
    ) -> Result<Model> {
        let provenance = self.provenance(table.digest().clone(), options, search);
        self.model(table.schema(), Provenance { rows: table.counts().rows(), ..provenance })
    }

    fn provenance(&self, digest: DataDigest, options: &LearnOptions, search: &SearchUsed) -> Provenance {
        Provenance {
            rows: 0,
            digest,
            kappa: self.prior.kappa(),
            alpha: options.alpha,
            edge_prior: options.edge_prior,
            search: search.clone(),
            stop: self.climb.stop,
            refined: self
                .refinement
                .as_ref()
                .filter(|refinement| refinement.kept && !self.lost_contexts())
                .map(RefinedScore::of),
            log_mpl: self.score.log_mpl.to_f64(),
            log_prior: self.score.log_prior.map_or(f64::NEG_INFINITY, Nats::to_f64),
        }
    }

    fn model(&self, schema: &Schema, learned: Provenance) -> Result<Model> {
        let mut model = Model::new(schema.clone(), self.structure.clone())?.with_provenance(learned);
        if let Some(confirmed) = &self.confirmed {
            model = model.with_confirmed(confirmed.clone())?;
        }
        match &self.fit {
            Some(fit) => model.with_fit(fit.clone()),
            None => Ok(model),
        }
    }
}

/// Learns one structure per kappa, fits them and chooses one, as the options say.
///
/// Each structure is fitted as soon as its search has ended by itself. An observer that asks to
/// stop ends the work with what was found so far; the result then says so. At a time limit the
/// structures fitted so far are what is chosen from. Where there is none yet, or after an
/// interruption of a search, what was found is fitted all the same; asked to stop while it fits,
/// it keeps the fits that are finished. An edge is left out when its ends would get blankets with too
/// many configurations to count; the ends are listed as `limited`. A structure too large to be
/// fitted has no parameters and says why.
///
/// # Errors
/// When an option cannot be used.
///
/// # Example
/// ```
/// use cmnet::{Dataset, LearnOptions, learn};
/// let rows = [["0", "0"], ["1", "1"]].repeat(20);
/// let data = Dataset::from_labels(&["a", "b"], rows)?;
/// let learned = learn(&data, &LearnOptions::default(), &())?;
/// assert_eq!(learned.models[0].structure.graph().edge_count(), 1);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn learn(data: &Dataset, options: &LearnOptions, observer: &dyn LearnObserver) -> Result<Learned> {
    learn_from(LearnState::default(), data, options, observer)
}

/// As [`learn`], going on from a saved state of the same run: the result is the same to the
/// last byte. See [`run_identity`] for what must be the same.
///
/// # Errors
/// As [`learn`], and when the state does not belong to the table.
pub fn learn_from(
    state: LearnState,
    data: &Dataset,
    options: &LearnOptions,
    observer: &dyn LearnObserver,
) -> Result<Learned> {
    in_pool(options, || {
        let counts = PlaneCounts::new(data);
        let table = CountedTable::with_digest(&counts, data.schema(), || DataDigest::of(data))?;
        search_and_choose(state, &table, options, observer)
    })
}

/// As [`learn`] with options that were checked, in the threads of the caller.
pub(crate) fn learn_here(
    data: &Dataset,
    options: &LearnOptions,
    observer: &dyn LearnObserver,
) -> Result<Learned> {
    let counts = PlaneCounts::new(data);
    let table = CountedTable::with_digest(&counts, data.schema(), || DataDigest::of(data))?;
    search_and_choose(LearnState::default(), &table, options, observer)
}

/// As [`learn`], from any source of counts: equal counts give equal models. See
/// [`CountSource`] for a source of your own.
///
/// # Errors
/// As [`learn`], and when the counts cannot be had.
pub fn learn_counts<S: CountSource>(
    table: &CountedTable<'_, S>,
    options: &LearnOptions,
    observer: &dyn LearnObserver,
) -> Result<Learned> {
    in_pool(options, || search_and_choose(LearnState::default(), table, options, observer))
}

fn search_and_choose<S: CountSource>(
    state: LearnState,
    table: &CountedTable<'_, S>,
    options: &LearnOptions,
    observer: &dyn LearnObserver,
) -> Result<Learned> {
    // What is refined or confirmed is fitted afterwards.
    let fit = |learned: &mut Learned| match (options.refine, options.contexts) {
        (Refine::No, ContextChoice::All) => choose::fit_found(learned, table, options, observer),
        _ => Ok(()),
    };
    let mut learned = search::run(state, table.counts(), options, observer, fit)?;
    refinement::run(&mut learned, table, options, observer)?;
    confirm::confirm(&mut learned, table, options, observer)?;
    choose::choose(&mut learned, table, options, observer)?;
    Ok(learned)
}

/// Checks the options and works in as many threads as they say.
pub(crate) fn in_pool<T: Send>(options: &LearnOptions, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    options.check()?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build().map_err(|_| {
        Error::option(
            OptionName::Threads,
            options.threads.to_string(),
            "a number of threads that the system can start",
        )
    })?;
    pool.install(work)
}
