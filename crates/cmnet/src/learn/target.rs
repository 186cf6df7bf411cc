//! Learning for one variable that is to be predicted from the others.
//!
//! A structure that fits the joint distribution well gives its target few neighbours. A variable
//! that many others inform a little is predicted better by terms with each of them, estimated by
//! its conditional likelihood with a ridge: with pairs alone that is multinomial logistic
//! regression on the levels of the others. Rows that are held out choose between the two.

use super::observer::{FitControl, LearnEvent, LearnObserver, Quiet};
use super::tune::{Judged, LEAST_ROWS, Tune, Tuned, held_out, tune};
use super::{LearnOptions, Learned, fold_options, learn_here};
use crate::control::{Outcome, StopReason};
use crate::counts::RowCounts;
use crate::data::{DataDigest, Dataset, Var};
use crate::error::{ErrorKind, Result};
use crate::graph::Edge;
use crate::loglinear::{Fit, FitOptions, FitRequest, Order, fit_named};
use crate::structure::Structure;

/// A model that was made to predict one variable.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetModel {
    /// The variable.
    pub target: Var,
    /// Graph and contexts: those that were learned, or the graph with an edge from the target to
    /// every other variable and without contexts.
    pub structure: Structure,
    /// Whether it is the latter.
    pub is_connected: bool,
    /// The parameters.
    pub fit: Fit,
    /// What was tried for the structure as learned, and for the connected one.
    pub tuned: [Option<Tuned>; 2],
}

impl TargetModel {
    /// The mean log-probability of the target of a held-out row, given the others.
    pub fn predictive(&self) -> Option<f64> {
        self.tuned[usize::from(self.is_connected)].as_ref()?.predictive()
    }
}

/// Makes a model that predicts the target, where there is one, from the structure to be kept.
pub(super) fn run(
    learned: &mut Learned,
    data: &Dataset,
    options: &LearnOptions,
    observer: &dyn LearnObserver,
) -> Result<()> {
    let Some(target) = options.target else { return Ok(()) };
    let Some(place) = learned.selected.filter(|_| learned.stop == StopReason::Converged) else {
        return Ok(());
    };
    let found = &learned.models[place].structure;
    let work = Work { data, options, control: FitControl { observer, searched: true, fitted: true }, target };
    let as_found = FitOptions { target: None, ..options.fit.clone() };
    let order = if options.fit.order == Order::FULL { Order::at_most(2)? } else { options.fit.order };
    let predicting = FitOptions { target: Some(target), order, ..options.fit.clone() };
    // A structure that has seen the rows which judge it would look better than it is.
    let Some(own) = work.relearned(observer)? else { return Ok(()) };
    let own_connected = own.iter().map(|found| connected(found, target)).collect::<Result<Vec<_>>>()?;
    let connected = connected(found, target)?;
    let tuned = [work.tuned(found, &own, &as_found)?, work.tuned(&connected, &own_connected, &predicting)?];
    let value = |tuned: &Option<Tuned>| tuned.as_ref().and_then(Tuned::predictive);
    let is_connected = value(&tuned[1]) > value(&tuned[0]);
    let structure = if is_connected { connected } else { found.clone() };
    let Some(chosen) = &tuned[usize::from(is_connected)] else { return Ok(()) };
    if let Some(fit) = work.fit(&structure, &chosen.options)? {
        let fit = Fit { digest: Some(DataDigest::of(data)), ..fit };
        learned.models[place].target = Some(TargetModel { target, structure, is_connected, fit, tuned });
    }
    Ok(())
}

struct Work<'a> {
    data: &'a Dataset,
    options: &'a LearnOptions,
    control: FitControl<'a>,
    target: Var,
}

impl Work<'_> {
    /// The structure that is learned without each part that is held out. `None` after a stop.
    fn relearned(&self, observer: &dyn LearnObserver) -> Result<Option<Vec<Structure>>> {
        if self.data.rows() < LEAST_ROWS {
            return Ok(Some(Vec::new()));
        }
        let bare = LearnOptions { tune: Tune::NOTHING, target: None, ..fold_options(self.options) };
        let folds = held_out(self.data, self.options.tune.seed)?;
        let mut found = Vec::new();
        for (index, fold) in folds.iter().enumerate() {
            observer.observe_learning(&LearnEvent::Fold { index, of: folds.len() });
            let learned = learn_here(&fold.training, &bare, &[], &Quiet { observer })?;
            let Some(kept) =
                learned.kept(fold.training.rows()).filter(|_| learned.stop == StopReason::Converged)
            else {
                return Ok(None);
            };
            found.push(kept.structure.clone());
        }
        Ok(Some(found))
    }

    /// Order and ridge for a structure, where they were not given.
    fn tuned(
        &self,
        structure: &Structure,
        relearned: &[Structure],
        fit: &FitOptions,
    ) -> Result<Option<Tuned>> {
        let ridge = self.options.tune.ridge || self.options.fit.ridge.is_none();
        let rows = Tune { ridge, ..self.options.tune };
        let judged = Judged { structure, relearned, data: self.data, target: Some(self.target) };
        Ok(tune(judged, fit, rows, &self.control)?.done())
    }

    fn fit(&self, structure: &Structure, options: &FitOptions) -> Result<Option<Fit>> {
        let counts = RowCounts::new(self.data);
        let request = FitRequest::new(structure, &counts, Some(self.data.schema()), options);
        match fit_named(&request, &self.control) {
            Ok(Outcome::Done(fit)) => Ok(Some(fit)),
            Ok(Outcome::Stopped(_)) => Ok(None),
            Err(error) if matches!(error.kind(), ErrorKind::Limit(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// The graph with an edge from the target to every other variable, without contexts.
fn connected(structure: &Structure, target: Var) -> Result<Structure> {
    let mut joined = structure.clone();
    joined.clear_contexts();
    for other in (0..structure.variables()).filter(|&v| v != target) {
        let edge = Edge::new(target, other)?;
        if !joined.graph().contains(edge) {
            joined.toggle_edge(edge)?;
        }
    }
    Ok(joined)
}
