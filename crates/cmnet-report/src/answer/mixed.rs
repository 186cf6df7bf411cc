//! What was learned as a mixture, by names.

use super::learned::{LearnedAnswer, ModelAnswer, TableFacts};
use cmnet::{Dataset, Dialect, LearnedMixture, LearnedModel, MixtureFit};
use serde::Serialize;
use std::collections::BTreeSet;

/// A mixture in numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MixtureFacts {
    /// The share of each class.
    pub weights: Vec<f64>,
    /// Free parameters of all networks and of the shares.
    pub parameters: usize,
    /// The log-likelihood of the table.
    pub log_likelihood: Option<f64>,
    /// The Bayesian information criterion.
    pub bic: Option<f64>,
    /// The criterion per row.
    pub sbic: Option<f64>,
    /// Steps of EM.
    pub steps: Option<u64>,
    /// What the last of them gained per row.
    pub gain: Option<f64>,
    /// Whether that was less than the tolerance.
    pub converged: Option<bool>,
    /// The seed of the starts.
    pub seed: Option<u64>,
    /// Numbers of classes that were tried, where that decided.
    pub tried: Vec<ClassesTried>,
}

/// A number of classes and how well it did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ClassesTried {
    /// How many classes.
    pub components: usize,
    /// The BIC per row, or the mean log-probability of a held-out row.
    pub value: f64,
}

impl MixtureFacts {
    /// The numbers of a mixture that was learned.
    pub fn of(learned: &LearnedMixture) -> Self {
        let tried = learned.tried.iter();
        Self {
            tried: tried.map(|one| ClassesTried { components: one.components, value: one.value }).collect(),
            ..Self::from(&learned.mixture)
        }
    }
}

impl From<&cmnet::Mixture> for MixtureFacts {
    fn from(mixture: &cmnet::Mixture) -> Self {
        let (fit, bic) = (mixture.fit(), mixture.bic());
        let number = |read: fn(&MixtureFit) -> f64| fit.map(read);
        Self {
            weights: mixture.components().iter().map(|component| component.weight).collect(),
            parameters: mixture.free_parameters(),
            log_likelihood: number(|fit| fit.log_likelihood),
            bic,
            sbic: bic.zip(fit).map(|(bic, fit)| bic / fit.rows as f64),
            steps: fit.map(|fit| fit.steps),
            gain: number(|fit| fit.gain),
            converged: fit.map(|fit| fit.converged),
            seed: fit.map(|fit| fit.seed),
            tried: Vec::new(),
        }
    }
}

/// The network of each class as it was learned, with its last parameters.
pub fn class_models(learned: &LearnedMixture, data: &Dataset, dialect: &dyn Dialect) -> Vec<ModelAnswer> {
    let last = |(part, component): (&cmnet::Learned, &cmnet::Component)| {
        let kept = part.kept(data.rows())?;
        let model = LearnedModel { fit: component.model.fit().cloned(), ..kept.clone() };
        Some(ModelAnswer::of(&model, data.schema(), dialect))
    };
    learned.parts.iter().zip(learned.mixture.components()).filter_map(last).collect()
}

impl<'a> LearnedAnswer<'a> {
    /// A mixture that was learned from a table of which so many rows were left out, with reasons in the
    /// words of a front end.
    pub fn of_mixture(
        learned: &LearnedMixture,
        data: &'a Dataset,
        dropped_rows: u64,
        dialect: &dyn Dialect,
    ) -> Self {
        let parts = &learned.parts;
        let limited: BTreeSet<usize> = parts.iter().flat_map(|part| part.limited.iter().copied()).collect();
        let passed = parts.iter().flat_map(|part| part.passed_over.iter().map(ToString::to_string));
        let first = parts.first();
        Self {
            data: TableFacts { dropped_rows: Some(dropped_rows), ..TableFacts::of(data) },
            search: first.map(|part| part.search.to_string()).unwrap_or_default(),
            search_reason: first.map(|part| part.search_reason.to_string()).unwrap_or_default(),
            stop: learned.stop.to_string(),
            ties: parts.iter().map(cmnet::Learned::ties).sum(),
            limited: limited.into_iter().map(|variable| data.schema().name(variable)).collect(),
            passed_over: passed.collect::<BTreeSet<String>>().into_iter().collect(),
            models: class_models(learned, data, dialect),
            selected: None,
            criterion: learned.criterion,
            by_rows: None,
            backbone: None,
            groups: None,
            imputation: None,
            mixture: Some(MixtureFacts::of(learned)),
        }
    }
}
