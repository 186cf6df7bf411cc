//! The front door: options, checked once, and a table become learned and fitted structures.

mod amounts;
mod backbone;
mod better;
mod by_rows;
mod choose;
mod choose_alone;
mod climb;
mod confirm;
mod contexts_auto;
mod cross_validate;
mod cross_validate_weighted;
mod ground;
mod hopeless;
mod observer;
mod options;
mod pieces;
mod proven;
mod refinement;
mod repeat;
mod replicate;
mod resume;
mod search;
mod target;
mod tune;
mod tuned;
mod weighted;

pub use amounts::{parse_bytes, parse_duration};
pub use backbone::Backbone;
pub use better::StructureBic;
pub use by_rows::ByRows;
pub(crate) use choose::best_of;
pub use contexts_auto::{ContextsBic, ContextsChosen};
pub use cross_validate::{
    CrossValidated, CrossValidation, FoldNumbers, FoldResult, FoldState, LeftOut, cross_validate,
    cross_validate_from,
};
pub(crate) use cross_validate::{by_pseudo_likelihood, fold_options, fold_result, folds_differ};
pub use cross_validate_weighted::cross_validate_weighted;
pub(crate) use observer::Quiet;
pub use observer::{FitControl, LearnEvent, LearnObserver};
pub use options::{ContextChoice, LearnOptions, ModelClass, SearchMode, SearchReason, Select};
pub(crate) use pieces::{Grounded, Whole};
pub use refinement::{Refine, Refinement};
pub use replicate::{CompletedStructure, CompletedTable, CompletionRound, FirstLearning, Replicate};
pub use resume::{LearnState, RunFact, run_identity};
pub(crate) use resume::{cells, estimation_identity, replace, search_identity};
pub use target::TargetModel;
pub use tune::{Chosen, FixedOnly, Judged, Tried, Tune, Tuned, tune};
pub(crate) use tune::{LEAST_ROWS, PARTS};
pub use weighted::learn_weighted;
pub(crate) use weighted::learn_weighted_here;

use crate::control::StopReason;
use crate::counts::{CountSource, CountedTable, PlaneCounts};
use crate::data::{DataDigest, Dataset, IncompleteTable, Schema};
use crate::error::{Error, OptionName, Result, Unfitted};
use crate::loglinear::Fit;
use crate::model::{Confirmed, Model, Provenance, RefinedScore};
use crate::score::{ContextPrior, Kappa, Nats, StructureScore};
use crate::search::{ClimbRecord, SearchUsed};
use crate::structure::Structure;
use choose::Fits;
pub(crate) use search::Begin;
use serde::Serialize;
use std::sync::Arc;

/// What a choice among structures goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Criterion {
    /// BIC of the likelihood.
    Bic,
    /// BIC of the pseudo-likelihood.
    PseudoBic,
    /// The probability of rows that were held out.
    Heldout,
}

/// The structures learned from one table.
#[derive(Clone, Debug)]
pub struct Learned {
    /// One per kappa, in the order asked for; fewer when the search was ended early or kappas were
    /// passed over.
    pub models: Vec<LearnedModel>,
    /// The search that was used.
    pub search: SearchUsed,
    /// Why that one.
    pub search_reason: SearchReason,
    /// Why learning ended: early in the search, or, where every model's own search converged,
    /// while they were fitted, or before while kappas were judged.
    pub stop: StopReason,
    /// The chosen model's place; `None` where nothing was to be chosen.
    pub selected: Option<usize>,
    /// What the choice went by.
    pub criterion: Option<Criterion>,
    /// How well each kappa predicted rows that were held out, where that was to decide; see [`ByRows::is_cut`].
    pub by_rows: Option<ByRows>,
    /// Orders and ridges that were tried on rows that were held out, where that was asked for.
    pub tuned: Option<Tuned>,
    /// Variables whose blanket a limit kept from growing.
    pub limited: Vec<crate::data::Var>,
    /// Kappas that mode `auto` did not search for, since BIC had fallen before them: the last
    /// structure had a lower BIC than the one before it, and a smaller kappa.
    pub passed_over: Vec<Kappa>,
    /// The fit of the chosen model before held-out rows chose its order and ridge, where they did.
    pub untuned: Option<Fit>,
}

impl Learned {
    /// Before anything was learned in this mode.
    fn nothing(mode: SearchMode, search_reason: SearchReason) -> Self {
        let search = match mode {
            SearchMode::Blanket => SearchUsed::Blanket,
            SearchMode::Exact => SearchUsed::Exact,
            SearchMode::Auto | SearchMode::Paper => SearchUsed::Paper,
        };
        Self::none(search, search_reason, StopReason::Converged)
    }

    /// No model by this search, which ended for this reason.
    pub(crate) fn none(search: SearchUsed, search_reason: SearchReason, stop: StopReason) -> Self {
        Self {
            models: Vec::new(),
            search,
            search_reason,
            stop,
            selected: None,
            criterion: None,
            by_rows: None,
            tuned: None,
            limited: Vec::new(),
            passed_over: Vec::new(),
            untuned: None,
        }
    }

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
    /// Which contexts it has, where the search's own and the confirmed ones were compared.
    pub contexts_chosen: Option<ContextsChosen>,
    /// The model that was made of it to predict one variable, where that was asked for.
    pub target: Option<TargetModel>,
}

impl LearnedModel {
    /// A structure that was found, and nothing else yet.
    pub(crate) fn found(
        prior: ContextPrior,
        structure: Structure,
        score: StructureScore,
        climb: ClimbRecord,
    ) -> Self {
        Self {
            prior,
            structure,
            score,
            climb,
            refinement: None,
            fit: None,
            pseudo_fit: None,
            unfitted: None,
            confirmed: None,
            unconfirmed: None,
            contexts_chosen: None,
            target: None,
        }
    }

    /// The fit that the choice among kappas goes by.
    pub fn compared(&self) -> Option<&Fit> {
        self.pseudo_fit.as_ref().or(self.fit.as_ref())
    }

    /// The pseudo-likelihood's BIC, where there is one.
    pub fn pseudo_bic(&self) -> Option<f64> {
        self.compared().filter(|fit| fit.pseudo_log_likelihood.is_some()).map(Fit::bic)
    }

    /// Whether contexts or edges were changed by what the table confirms: then scores of the structure
    /// before are not those of this one.
    fn lost_contexts(&self) -> bool {
        self.confirmed.as_ref().is_some_and(|known| known.tested > 0 || !known.removed.is_empty())
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
        let (rows, weights) = (table.counts().rows(), table.counts().weighting());
        self.model(table.schema(), Provenance { rows, weights, ..provenance })
    }

    /// The same for a model that was learned from a table with holes.
    pub(crate) fn to_model_of_incomplete(
        &self,
        table: &IncompleteTable,
        options: &LearnOptions,
        search: &SearchUsed,
    ) -> Result<Model> {
        let provenance = self.provenance(table.digest(), options, search);
        self.model(table.schema(), Provenance { rows: table.rows(), ..provenance })
    }

    fn provenance(&self, digest: DataDigest, options: &LearnOptions, search: &SearchUsed) -> Provenance {
        Provenance {
            rows: 0,
            digest,
            weights: None,
            kappa: self.prior.kappa(),
            alpha: options.alpha,
            edge_prior: options.edge_prior,
            knowledge: options.knowledge.clone(),
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
        if let Some(own) = &self.target {
            // What is known about the search is not about this structure.
            return Model::new(schema.clone(), own.structure.clone())?.with_fit(own.fit.clone());
        }
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
    in_pool(options, || learn_rows(Begin { state, ..Begin::default() }, data, options, observer))
}

/// As [`learn`] with options that were checked, in the threads of the caller, and with a model for
/// each kappa.
pub(crate) fn learn_here(
    data: &Dataset,
    options: &LearnOptions,
    observer: &dyn LearnObserver,
) -> Result<Learned> {
    learn_rows(Begin::of_all(), data, options, observer)
}

/// As [`learn`] with options that were checked, in the threads of the caller.
pub(crate) fn learn_part(
    data: &Dataset,
    options: &LearnOptions,
    observer: &dyn LearnObserver,
) -> Result<Learned> {
    learn_rows(Begin::default(), data, options, observer)
}

/// Learns from rows, some of which may be held out to choose by.
pub(crate) fn learn_rows(
    mut begin: Begin<'_>,
    data: &Dataset,
    options: &LearnOptions,
    observer: &dyn LearnObserver,
) -> Result<Learned> {
    let by_rows = by_rows::judge(data, options, observer)?;
    let cut = by_rows.as_ref().map_or(StopReason::Converged, |known| known.stop);
    // A checkpoint is of the run that goes on with a chosen kappa: what is searched for after a cut is not kept in it.
    let quiet = Quiet { observer };
    let observer: &dyn LearnObserver = if cut == StopReason::Converged { observer } else { &quiet };
    let best = by_rows.as_ref().and_then(|known| known.best(data.rows()));
    let decided = best.is_some();
    if let Some(kappa) = best {
        observer.observe_learning(&LearnEvent::KappaChosen(kappa));
        begin.state.by_tasks.clear(); // places are those of all kappas
    } else if by_rows::applies(data, options) {
        // Ended before the choice: what was found before belongs to a kappa that is not known.
        (begin.state.finished, begin.state.climb) = (Vec::new(), None);
    }
    let options = LearnOptions {
        kappas: best.map_or_else(|| options.kappas.clone(), |kappa| vec![kappa]),
        ..options.clone()
    };
    let counts = PlaneCounts::new(data);
    let table = CountedTable::with_digest(&counts, data.schema(), || DataDigest::of(data))?;
    let mut learned = search_and_choose(begin, &table, &options, observer)?;
    if decided {
        learned.criterion = Some(Criterion::Heldout);
    }
    learned.by_rows = by_rows;
    if learned.stop == StopReason::Converged {
        learned.stop = cut;
    }
    tuned::run(&mut learned, data, &options, observer)?;
    target::run(&mut learned, data, &options, observer)?;
    Ok(learned)
}

/// As [`learn`], from any source of counts: equal counts give equal models. See
/// [`CountSource`] for a source of your own.
///
/// # Errors
/// As [`learn`], when the counts cannot be had, and when rows are to be held out.
pub fn learn_counts<S: CountSource>(
    table: &CountedTable<'_, S>,
    options: &LearnOptions,
    observer: &dyn LearnObserver,
) -> Result<Learned> {
    options.check_without_rows()?;
    in_pool(options, || search_and_choose(Begin::default(), table, options, observer))
}

/// As [`learn_counts`] with a model for every kappa: none is passed over.
pub(crate) fn learn_counts_for_all<S: CountSource>(
    table: &CountedTable<'_, S>,
    options: &LearnOptions,
    observer: &dyn LearnObserver,
) -> Result<Learned> {
    options.check_without_rows()?;
    in_pool(options, || search_and_choose(Begin::of_all(), table, options, observer))
}

fn search_and_choose<S: CountSource>(
    begin: Begin<'_>,
    table: &CountedTable<'_, S>,
    options: &LearnOptions,
    observer: &dyn LearnObserver,
) -> Result<Learned> {
    let step = Step { table, options, observer, fits: begin.fits };
    // What is refined or confirmed is fitted afterwards.
    let fit = |learned: &mut Learned| match (options.refine, options.contexts) {
        (Refine::No, ContextChoice::All) => choose::fit_found(learned, &step),
        _ => Ok(()),
    };
    let rules = Arc::new(options.knowledge.rules(table.schema())?);
    let setting = search::Setting { counts: table.counts(), options, rules: &rules };
    let mut learned = search::run(begin, &setting, observer, fit)?;
    refinement::run(&mut learned, &step)?;
    confirm::confirm(&mut learned, &step)?;
    choose::choose(&mut learned, &step)?;
    Ok(learned)
}

/// What a step after the search works with.
struct Step<'a, 't, S> {
    table: &'a CountedTable<'t, S>,
    options: &'a LearnOptions,
    observer: &'a dyn LearnObserver,
    fits: Fits,
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
