//! What the command and the Python package do alike to prove a structure.

use crate::answer::OptimumAnswer;
use cmnet::{
    Alpha, ContextPrior, DataDigest, Dataset, ErrorKind, Fit, FitControl, FitOptions, Kappa, Knowledge,
    LearnObserver, Model, Optimum, Outcome, PlaneCounts, Result, RowCounts, Scorer, fit_with, optimum,
};
use std::sync::Arc;

/// The structure with the highest score, and its model.
#[derive(Debug)]
pub struct Proof {
    /// What was found.
    pub found: Optimum,
    /// The model, with parameters where they can be had.
    pub model: Model,
    /// Whether the parameters do not fit the memory.
    pub is_too_large: bool,
    prior: ContextPrior,
    alpha: Alpha,
}

impl Proof {
    /// Searches, and estimates the parameters of what is found.
    ///
    /// # Errors
    /// As [`optimum`] and [`fit_with`], but for parameters that do not fit the memory.
    pub fn of(
        data: &Dataset,
        (kappa, alpha, known): (Kappa, Alpha, &Knowledge),
        options: &FitOptions,
        observer: &dyn LearnObserver,
    ) -> Result<Self> {
        let prior = ContextPrior::new(kappa, data.rows()).with_rules(Arc::new(known.rules(data.schema())?));
        let found = optimum(&Scorer::new(&PlaneCounts::new(data), alpha), &prior, observer)?;
        let model = found.to_model(data, &prior, alpha, known)?;
        let control = FitControl { observer, searched: true, fitted: false };
        let (model, is_too_large) =
            match fit_with(model.structure(), &RowCounts::new(data), options, &control) {
                Ok(Outcome::Done(fit)) => {
                    (model.with_fit(Fit { digest: Some(DataDigest::of(data)), ..fit })?, false)
                }
                Ok(Outcome::Stopped(_)) => (model, false),
                Err(error) if matches!(error.kind(), ErrorKind::Limit(_)) => (model, true),
                Err(error) => return Err(error),
            };
        Ok(Self { found, model, is_too_large, prior, alpha })
    }

    /// It in the words of an answer.
    pub fn answer(&self) -> OptimumAnswer<'_> {
        OptimumAnswer { found: &self.found, prior: &self.prior, alpha: self.alpha, model: &self.model }
    }
}
