//! Learning for one variable that is to be predicted from the others.
//!
//! A structure that fits the joint distribution well gives its target few neighbours. A variable
//! that many others inform a little is predicted better by terms with each of them, estimated by
//! its conditional likelihood with a ridge: with pairs alone that is multinomial logistic
//! regression on the levels of the others. Rows that are held out choose between the two.

use super::observer::{FitControl, LearnEvent, LearnObserver, Quiet};
use super::tune::{Judged, LEAST_ROWS, Tune, Tuned, held_out, tune};
use super::{LearnOptions, Learned, fold_options, learn_here};
use crate::control::{Halt, Halting, Outcome, StopReason, outcome};
use crate::counts::RowCounts;
use crate::data::{DataDigest, Dataset, Var};
use crate::error::Result;
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

/// Makes a model that predicts the target, where there is one, from the structure to be kept. Ended early,
/// there is none, and the stop says so.
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
    let work = Work { data, options, control: FitControl { observer, searched: true, fitted: true }, target };
    match outcome(work.model(&learned.models[place].structure, observer))? {
        Outcome::Done(made) => learned.models[place].target = Some(made),
        Outcome::Stopped(reason) => learned.stop = reason,
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
    /// The better one of the structure as learned and the connected one. With few rows none is held out, and it is the first.
    fn model(&self, found: &Structure, observer: &dyn LearnObserver) -> Halting<TargetModel> {
        let (target, options) = (self.target, self.options);
        let as_found = FitOptions { target: None, ..options.fit.clone() };
        let order = if options.fit.order == Order::FULL { Order::at_most(2)? } else { options.fit.order };
        let predicting = FitOptions { target: Some(target), order, ..options.fit.clone() };
        // A structure that has seen the rows which judge it would look better than it is.
        let own = self.relearned(observer)?;
        let own_connected = own.iter().map(|found| connected(found, target)).collect::<Result<Vec<_>>>()?;
        let connected = connected(found, target)?;
        let tuned =
            [self.tuned(found, &own, &as_found)?, self.tuned(&connected, &own_connected, &predicting)?];
        let is_connected = tuned[1].predictive() > tuned[0].predictive();
        let structure = if is_connected { connected } else { found.clone() };
        let fit = self.fit(&structure, &tuned[usize::from(is_connected)].options)?;
        let fit = Fit { digest: Some(DataDigest::of(self.data)), ..fit };
        Ok(TargetModel { target, structure, is_connected, fit, tuned: tuned.map(Some) })
    }

    /// The structure that is learned without each part that is held out.
    fn relearned(&self, observer: &dyn LearnObserver) -> Halting<Vec<Structure>> {
        if self.data.rows() < LEAST_ROWS {
            return Ok(Vec::new());
        }
        let bare = LearnOptions { tune: Tune::NOTHING, target: None, ..fold_options(self.options) };
        let folds = held_out(self.data, self.options.tune.seed)?;
        let mut found = Vec::new();
        for (index, fold) in folds.iter().enumerate() {
            observer.observe_learning(&LearnEvent::Fold { index, of: folds.len() });
            let learned = learn_here(&fold.training, &bare, &Quiet { observer })?;
            if learned.stop != StopReason::Converged {
                return Err(Halt::Stopped(learned.stop));
            }
            // Where none could be fitted, the structure that has seen all rows stands in.
            let Some(kept) = learned.kept(fold.training.rows()) else { return Ok(Vec::new()) };
            found.push(kept.structure.clone());
        }
        Ok(found)
    }

    /// Order and ridge for a structure, where they were not given.
    fn tuned(&self, structure: &Structure, relearned: &[Structure], fit: &FitOptions) -> Halting<Tuned> {
        let ridge = self.options.tune.ridge || self.options.fit.ridge.is_none();
        let rows = Tune { ridge, ..self.options.tune };
        let judged = Judged { structure, relearned, data: self.data, target: Some(self.target) };
        done(tune(judged, fit, rows, &self.control)?)
    }

    fn fit(&self, structure: &Structure, options: &FitOptions) -> Halting<Fit> {
        let counts = RowCounts::new(self.data);
        done(fit_named(
            &FitRequest::new(structure, &counts, Some(self.data.schema()), options),
            &self.control,
        )?)
    }
}

fn done<T>(found: Outcome<T>) -> Halting<T> {
    match found {
        Outcome::Done(found) => Ok(found),
        Outcome::Stopped(reason) => Err(Halt::Stopped(reason)),
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
