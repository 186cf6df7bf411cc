//! What one model has and another has not.

use super::names;
use cmnet::{
    ContextElement, Control, DataDigest, Dataset, Deviance, Difference, Error, ErrorKind, Fit, FitMethod,
    FitOptions, LikelihoodRatio, Model, Outcome, Result, RowCounts, Schema, Terms, deviance,
    difference_under, divergence_under, evaluate_under, fit_with, likelihood_ratio,
};
use serde_json::{Value, json};

/// Two models of the same variables, compared after closure.
#[derive(Clone, Debug)]
pub struct Compared<'a> {
    /// The variables of both.
    pub schema: &'a Schema,
    /// Edges and context elements.
    pub difference: Difference,
    /// KL(first || second) in nats and KL(second || first), where both are
    /// fitted and it can be had.
    pub kl: [Option<f64>; 2],
    /// Mean log-likelihood per row of both, where rows are given.
    pub log_likelihood: Option<[Option<f64>; 2]>,
    /// The test of one model inside the other: both estimated by maximum likelihood, from the
    /// rows where some are given, else from one table.
    pub likelihood_ratio: Option<LikelihoodRatio>,
    /// How far each of these estimates is from the best fit of the rows, where some are given.
    pub deviance: Option<[Option<Deviance>; 2]>,
}

answer_by_json!(Compared, "cmnet-compare/1");

impl<'a> Compared<'a> {
    /// Compares two models of the same variables, also on rows where some are given.
    ///
    /// # Errors
    /// When the variables differ, naming the first difference; and as [`cmnet::difference`].
    pub fn of(one: &'a Model, other: &Model, rows: Option<&Dataset>) -> Result<Self> {
        Self::under(one, other, rows, &())
    }

    /// As [`Compared::of`], under a control that may stop it.
    ///
    /// # Errors
    /// As [`Compared::of`]; when the control asks to stop.
    pub fn under(
        one: &'a Model,
        other: &Model,
        rows: Option<&Dataset>,
        control: &dyn Control,
    ) -> Result<Self> {
        if let Some(first) = one.schema().first_difference(other.schema()) {
            let problem = format!("the two models do not match: {first}");
            return Err(Error::mismatch(problem, "compare models of one table"));
        }
        // The comparison itself knows no names; a clique that is too large should have them.
        // Without contexts a structure is its own closure, and there is no term to look at.
        for model in [one, other].into_iter().filter(|model| model.structure().context_elements() > 0) {
            Terms::of_order(model.structure(), model.order(), Some(model.schema()))?;
        }
        let mean = |model: &Model, rows: &Dataset| {
            let found =
                model.normalized_fit_under(control).and_then(|fit| evaluate_under(&fit, rows, control));
            Ok::<_, Error>(unless_stopped(found)?.and_then(|found| found.log_likelihood))
        };
        let fits = [estimate(one, rows, control)?, estimate(other, rows, control)?];
        let ratio = match &fits {
            [Some(first), Some(second)] => {
                likelihood_ratio((one.structure(), first), (other.structure(), second), control)?
            }
            _ => None,
        };
        let far = |fit: &Option<Fit>, rows: &Dataset| fit.as_ref().and_then(|fit| deviance(fit, rows));
        let deviance = rows.map(|rows| [far(&fits[0], rows), far(&fits[1], rows)]);
        Ok(Self {
            schema: one.schema(),
            likelihood_ratio: ratio,
            deviance,
            difference: difference_under(one.structure(), other.structure(), control)?,
            kl: [kl_divergence(one, other, control)?, kl_divergence(other, one, control)?],
            log_likelihood: rows
                .map(|rows| Ok::<_, Error>([mean(one, rows)?, mean(other, rows)?]))
                .transpose()?,
        })
    }

    /// All of it by names.
    fn to_json(&self) -> Value {
        let found = &self.difference;
        let element = |element: &ContextElement| {
            let given = element.given.iter();
            json!({"edge": names::edge(self.schema, element.edge),
                "given": given.clone().map(|&(variable, _)| self.schema.name(variable)).collect::<Value>(),
                "element": given.map(|&known| names::label(self.schema, known)).collect::<Value>()})
        };
        let only = |place: usize| {
            json!({"edges": names::edges(self.schema, &found.edges[place]),
                "elements": found.elements[place].iter().map(element).collect::<Value>()})
        };
        json!({"same_model": found.is_empty(),
            "shared": {"edges": found.shared_edges, "elements": found.shared_elements},
            "first_only": only(0), "second_only": only(1), "kl": self.kl,
            "log_likelihood": self.log_likelihood,
            "likelihood_ratio": self.likelihood_ratio.map(ratio), "deviance": self.deviance.map(deviances)})
    }
}

fn ratio(found: LikelihoodRatio) -> Value {
    let inner = if found.inner == 0 { "first" } else { "second" };
    json!({"inner": inner, "statistic": found.statistic, "degrees": found.degrees,
        "p_value": found.p_value, "boundary": found.boundary})
}

fn deviances(found: [Option<Deviance>; 2]) -> Value {
    let one = |known: Deviance| json!({"deviance": known.deviance, "degrees": known.degrees});
    found.map(|known| known.map(one)).into_iter().collect()
}

/// The maximum likelihood estimate of a model's structure: from rows, where some are given, else
/// its own. `None` where it cannot be had.
fn estimate(model: &Model, rows: Option<&Dataset>, control: &dyn Control) -> Result<Option<Fit>> {
    let own = model.fit().filter(|fit| fit.log_likelihood.is_some());
    let Some(rows) = rows else { return Ok(own.cloned()) };
    let digest = DataDigest::of(rows);
    if let Some(known) = own.filter(|fit| fit.digest.as_ref() == Some(&digest)) {
        return Ok(Some(known.clone()));
    }
    let options = FitOptions { method: FitMethod::Exact, order: model.order(), ..FitOptions::default() };
    let found = fit_with(model.structure(), &RowCounts::new(rows), &options, control);
    Ok(match unless_stopped(found)? {
        Some(Outcome::Done(fit)) => Some(Fit { digest: Some(digest), ..fit }),
        Some(Outcome::Stopped(reason)) => return Err(reason.into()),
        None => None,
    })
}

fn kl_divergence(one: &Model, other: &Model, control: &dyn Control) -> Result<Option<f64>> {
    let (Some(one), Some(other)) = (one.fit(), other.fit()) else { return Ok(None) };
    let memory = FitOptions::default().memory;
    unless_stopped(divergence_under(&one.parameters, &other.parameters, memory, control))
}

/// What the answer can do without, where it cannot be had; a stop is no such place.
fn unless_stopped<T>(found: Result<T>) -> Result<Option<T>> {
    match found {
        Err(error) if matches!(error.kind(), ErrorKind::Stopped(_)) => Err(error),
        found => Ok(found.ok()),
    }
}
