//! Fitted parameters as they stand in a model file: phi-terms by names.

use super::model_error::{digest_at, error_at};
use crate::data::{DataDigest, Schema, Var, Weighting};
use crate::error::{Result, quoted};
use crate::graph::VarSet;
use crate::loglinear::{
    Coordinates, Estimate, Fit, FitStatus, Order, Parameters, Ridge, Term, Terms, largest_violation,
};
use crate::structure::Structure;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::fmt;

/// By how much restrictions may be violated: numbers in a file have 17 digits, sums of them
/// a few less.
const LARGEST_VIOLATION: f64 = 1e-6;

/// The most memory for a junction tree that checks a file.
const PARTITION_MEMORY: u64 = 64 << 20;

/// The parameters of a file. Their terms stay the text that they are until they are checked: as
/// values they would take ten times the memory.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FitRecord<'a> {
    method: Estimate,
    status: FitStatus,
    reason: String,
    #[serde(default)]
    order: Option<usize>,
    #[serde(default)]
    target: Option<String>,
    #[serde(default)]
    ridge: Option<Vec<f64>>,
    smoothing: Option<f64>,
    rows: Option<u64>,
    #[serde(default)]
    digest: Option<String>,
    #[serde(default)]
    weights: Option<Weighting>,
    free_parameters: usize,
    #[serde(default)]
    log_likelihood: Option<f64>,
    #[serde(default)]
    pseudo_log_likelihood: Option<f64>,
    #[serde(default)]
    log_partition: Option<f64>,
    gradient: Option<f64>,
    iterations: Option<u64>,
    #[serde(borrow, default)]
    boundary: Vec<&'a RawValue>,
    #[serde(borrow)]
    terms: Vec<TermRecord<'a>>,
}

/// phi_A(x_A): the configuration by names and labels, and the value.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TermRecord<'a> {
    #[serde(borrow, rename = "where")]
    configuration: &'a RawValue,
    phi: f64,
}

/// Parameters as they are written, term by term.
#[derive(Debug, Serialize)]
pub(super) struct FitText<'a> {
    method: Estimate,
    status: FitStatus,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ridge: Option<&'a [f64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    smoothing: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weights: Option<Weighting>,
    free_parameters: usize,
    log_likelihood: Option<f64>,
    pseudo_log_likelihood: Option<f64>,
    log_partition: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gradient: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    iterations: Option<u64>,
    boundary: BoundaryText<'a>,
    terms: TermsText<'a>,
}

#[derive(Debug)]
struct BoundaryText<'a> {
    schema: &'a Schema,
    terms: &'a [Term],
}

impl Serialize for BoundaryText<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_seq(self.terms.iter().map(|term| configuration(self.schema, term)))
    }
}

#[derive(Debug)]
struct TermsText<'a> {
    schema: &'a Schema,
    parameters: &'a Parameters,
}

#[derive(Serialize)]
struct TermText {
    #[serde(rename = "where")]
    configuration: Map<String, Value>,
    phi: f64,
}

impl Serialize for TermsText<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let text = |(term, phi)| TermText { configuration: configuration(self.schema, &term), phi };
        serializer.collect_seq(self.parameters.iter().map(text))
    }
}

impl<'a> FitText<'a> {
    pub(super) fn new(schema: &'a Schema, fit: &'a Fit) -> Self {
        let estimated = fit.estimate != Estimate::Imported;
        Self {
            method: fit.estimate,
            status: fit.status,
            reason: fit.reason.to_string(),
            order: fit.parameters.terms().order().limit(),
            target: fit.target.map(|target| schema.name(target)),
            ridge: (!fit.ridge.is_none()).then(|| fit.ridge.strengths()),
            smoothing: estimated.then_some(fit.smoothing),
            rows: estimated.then_some(fit.rows),
            digest: fit.digest.as_ref().map(DataDigest::as_str),
            weights: fit.weights,
            free_parameters: fit.free_parameters,
            log_likelihood: fit.log_likelihood,
            pseudo_log_likelihood: fit.pseudo_log_likelihood,
            log_partition: fit.parameters.log_partition(),
            gradient: estimated.then_some(fit.gradient),
            iterations: estimated.then_some(fit.iterations),
            boundary: BoundaryText { schema, terms: &fit.boundary },
            terms: TermsText { schema, parameters: &fit.parameters },
        }
    }

    pub(super) fn is_finite(&self) -> bool {
        let facts = [
            self.smoothing,
            self.log_likelihood,
            self.pseudo_log_likelihood,
            self.log_partition,
            self.gradient,
        ];
        let terms = self.terms.parameters.values().iter().copied();
        facts.into_iter().flatten().chain(terms).all(f64::is_finite)
    }
}

impl FitRecord<'_> {
    /// Checks the record against the structure: every term once, none besides, restrictions
    /// kept.
    pub(super) fn to_fit(&self, file: &str, schema: &Schema, structure: &Structure) -> Result<Fit> {
        let order = self.order(file)?;
        let terms = Terms::of_order(structure, order, Some(schema))?;
        let mut values: Vec<Option<f64>> = vec![None; terms.len()];
        for (place, record) in self.terms.iter().enumerate() {
            let at = format!("parameters.terms[{place}]");
            let term = read_term(file, schema, record.configuration, &at)?;
            let Some(number) = terms.number(&term) else {
                let problem = "the graph has no such term; expected connected variables at levels other than their first";
                return Err(error_at(file, &at, problem.to_owned()));
            };
            if values[number].replace(record.phi).is_some() {
                return Err(error_at(file, &at, "this term appears twice".to_owned()));
            }
        }
        let missing = values.iter().position(Option::is_none).map(|number| terms.term(number));
        if let Some(term) = missing {
            let problem = format!("the term {} is missing", Value::from(configuration(schema, &term)));
            return Err(error_at(file, "parameters.terms", problem));
        }
        let values: Vec<f64> = values.into_iter().flatten().collect();
        self.check_numbers(file)?;
        let free = Coordinates::new(structure, &terms)?.len();
        if self.free_parameters != free {
            let problem =
                format!("{} is not the number of free parameters; that is {free}", self.free_parameters);
            return Err(error_at(file, "parameters.free_parameters", problem));
        }
        let violation = largest_violation(structure, &terms, &values);
        if violation > LARGEST_VIOLATION {
            let problem = format!("the values break the contexts' restrictions by {violation:e}");
            return Err(error_at(file, "parameters.terms", problem));
        }
        let parameters = Parameters::new(terms, values, self.log_partition);
        check_partition(file, structure, &parameters)?;
        Ok(Fit {
            boundary: self.boundary(file, schema, parameters.terms())?,
            parameters,
            estimate: self.method,
            reason: self.reason.as_str().into(),
            smoothing: self.smoothing.unwrap_or_default(),
            target: self.target(file, schema)?,
            ridge: self.ridge(file)?,
            free_parameters: self.free_parameters,
            rows: self.rows.unwrap_or_default(),
            digest: self.digest(file)?,
            weights: self.weights,
            log_likelihood: self.log_likelihood,
            pseudo_log_likelihood: self.pseudo_log_likelihood,
            status: self.status,
            gradient: self.gradient.unwrap_or_default(),
            iterations: self.iterations.unwrap_or_default(),
        })
    }

    /// The terms without a finite estimate.
    fn boundary(&self, file: &str, schema: &Schema, terms: &Terms) -> Result<Vec<Term>> {
        let term = |(place, record): (usize, &&RawValue)| {
            let at = format!("parameters.boundary[{place}]");
            let term = read_term(file, schema, record, &at)?;
            match terms.number(&term) {
                Some(_) => Ok(term),
                None => Err(error_at(file, &at, "the graph has no such term".to_owned())),
            }
        };
        self.boundary.iter().enumerate().map(term).collect()
    }

    fn order(&self, file: &str) -> Result<Order> {
        let refuse = |_| {
            let problem = "expected a number of variables from 2 on, or no such field".to_owned();
            error_at(file, "parameters.order", problem)
        };
        Ok(self.order.map(Order::at_most).transpose().map_err(refuse)?.unwrap_or_default())
    }

    fn ridge(&self, file: &str) -> Result<Ridge> {
        let refuse = |_| {
            let problem = "expected strengths from 0 to 1e9, one for each order from 2 on".to_owned();
            error_at(file, "parameters.ridge", problem)
        };
        Ridge::by_order(self.ridge.clone().unwrap_or_default()).map_err(refuse)
    }

    fn target(&self, file: &str, schema: &Schema) -> Result<Option<Var>> {
        let Some(name) = &self.target else { return Ok(None) };
        let refuse = || error_at(file, "parameters.target", format!("there is no variable {}", quoted(name)));
        schema.find(name).map(Some).ok_or_else(refuse)
    }

    fn digest(&self, file: &str) -> Result<Option<DataDigest>> {
        self.digest.as_ref().map(|text| digest_at(file, "parameters.digest", text)).transpose()
    }

    fn check_numbers(&self, file: &str) -> Result<()> {
        let refuse = |problem: &str| Err(error_at(file, "parameters", problem.to_owned()));
        if self.weights.is_some_and(|weights| !weights.is_sound()) {
            return refuse("the weights are none: expected positive finite numbers");
        }
        let imported = self.method == Estimate::Imported;
        if imported != (self.status == FitStatus::NotEstimated) {
            return refuse("the status \"not-estimated\" belongs to imported parameters, and only to them");
        }
        let numbers = [
            self.smoothing.is_some(),
            self.rows.is_some(),
            self.gradient.is_some(),
            self.iterations.is_some(),
        ];
        if imported {
            let likelihood = self.log_likelihood.or(self.pseudo_log_likelihood).is_some();
            if numbers.contains(&true)
                || likelihood
                || self.digest.is_some()
                || !self.boundary.is_empty()
                || self.ridge.is_some()
                || self.target.is_some()
            {
                return refuse("imported parameters were not estimated: they have no rows and no likelihood");
            }
            return Ok(());
        }
        if numbers.contains(&false) {
            return refuse("expected rows, smoothing, gradient and iterations of the estimate");
        }
        let exact = self.method == Estimate::Exact;
        let has = [self.log_partition.is_some(), self.log_likelihood.is_some()];
        if has != [exact; 2] {
            return refuse("log_partition and log_likelihood belong to exact estimates, and only to them");
        }
        if self.pseudo_log_likelihood.is_some() == exact {
            return refuse(
                "pseudo_log_likelihood belongs to estimates by pseudo-likelihood, and only to them",
            );
        }
        if self.status == FitStatus::Boundary && self.boundary.is_empty()
            || self.status == FitStatus::Converged && !self.boundary.is_empty()
        {
            return refuse(
                "the status \"boundary\" is that of estimates with boundary terms, and only of them",
            );
        }
        if self.gradient.is_some_and(|gradient| gradient < 0.0) {
            return refuse("the gradient is the size of a derivative, 0 or more");
        }
        if self.rows == Some(0) || self.smoothing.is_some_and(|smoothing| smoothing < 0.0) {
            return refuse("rows and smoothing must be counts");
        }
        Ok(())
    }
}

/// Holds the recorded log Z against the terms, where a small junction tree can tell.
fn check_partition(file: &str, structure: &Structure, parameters: &Parameters) -> Result<()> {
    let Some(recorded) = parameters.log_partition() else { return Ok(()) };
    let Ok(normalized) = parameters.clone().normalized(structure.graph(), PARTITION_MEMORY) else {
        return Ok(());
    };
    let found = normalized.log_partition().unwrap_or(f64::NAN);
    if (found - recorded).abs() <= LARGEST_VIOLATION * recorded.abs().max(1.0) {
        return Ok(());
    }
    let problem = format!("{recorded:?} is not the log partition function of the terms; that is {found:?}");
    Err(error_at(file, "parameters.log_partition", problem))
}

fn configuration(schema: &Schema, term: &Term) -> Map<String, Value> {
    let label = |(variable, &level): (usize, &u32)| {
        let variable = schema.variable(variable);
        (variable.name.clone(), Value::from(variable.levels[level as usize].as_str()))
    };
    term.variables.iter().zip(&term.levels).map(label).collect()
}

fn read_term(file: &str, schema: &Schema, record: &RawValue, at: &str) -> Result<Term> {
    let refuse = |problem: String| Err(error_at(file, at, problem));
    let Ok(Labels(labels)) = serde_json::from_str(record.get()) else {
        return refuse("expected an object with names of variables and their levels".to_owned());
    };
    let mut pairs = Vec::new();
    for (name, label) in labels {
        let Some(variable) = schema.find(&name) else {
            return refuse(format!("there is no variable {}", quoted(&name)));
        };
        let Some(level) = schema.variable(variable).level(&label) else {
            return refuse(format!("{} is not a level of {}", quoted(&label), quoted(&name)));
        };
        if pairs.iter().any(|&(known, _)| known == variable) {
            return refuse(format!("the key {} appears twice", quoted(&name)));
        }
        pairs.push((variable, level));
    }
    pairs.sort_unstable();
    let variables: VarSet = pairs.iter().map(|&(variable, _)| variable).collect();
    Ok(Term { variables, levels: pairs.iter().map(|&(_, level)| level).collect() })
}

/// The keys and texts of an object, in order; a map would keep the last of two equal keys.
struct Labels(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Labels {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Labels;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Labels, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Labels(pairs))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}
