//! Fitted parameters as they stand in a model file: phi-terms by names.

use super::model_file::complaint;
use crate::data::Schema;
use crate::error::{Result, shown};
use crate::graph::VarSet;
use crate::loglinear::{Estimate, Fit, FitStatus, Parameters, Term, Terms, largest_violation};
use crate::structure::Structure;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// By how much restrictions may be violated: numbers in a file have 17 digits, sums of them
/// a few less.
const LARGEST_VIOLATION: f64 = 1e-6;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FitRecord {
    method: Estimate,
    status: FitStatus,
    reason: String,
    smoothing: f64,
    rows: u64,
    free_parameters: usize,
    log_likelihood: Option<f64>,
    pseudo_log_likelihood: Option<f64>,
    log_partition: Option<f64>,
    gradient: f64,
    iterations: u64,
    boundary: Vec<Map<String, Value>>,
    terms: Vec<TermRecord>,
}

/// phi_A(x_A): the configuration by names and labels, and the value.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TermRecord {
    #[serde(rename = "where")]
    configuration: Map<String, Value>,
    phi: f64,
}

impl FitRecord {
    pub(super) fn new(schema: &Schema, fit: &Fit) -> Self {
        let term = |(term, phi): (Term, f64)| TermRecord { configuration: configuration(schema, &term), phi };
        Self {
            method: fit.estimate,
            status: fit.status,
            reason: fit.reason.clone(),
            smoothing: fit.smoothing,
            rows: fit.rows,
            free_parameters: fit.free_parameters,
            log_likelihood: fit.log_likelihood,
            pseudo_log_likelihood: fit.pseudo_log_likelihood,
            log_partition: fit.parameters.log_partition(),
            gradient: fit.gradient,
            iterations: fit.iterations,
            boundary: fit.boundary.iter().map(|term| configuration(schema, term)).collect(),
            terms: fit.parameters.iter().map(term).collect(),
        }
    }

    /// Checks the record against the structure: every term once, none besides, restrictions
    /// kept.
    pub(super) fn to_fit(&self, file: &str, schema: &Schema, structure: &Structure) -> Result<Fit> {
        let terms = Terms::new(structure, Some(schema))?;
        let mut values: Vec<Option<f64>> = vec![None; terms.len()];
        for (place, record) in self.terms.iter().enumerate() {
            let at = format!("parameters.terms[{place}]");
            let term = read_term(file, schema, &record.configuration, &at)?;
            let Some(number) = terms.number(&term) else {
                let problem = "the graph has no such term; expected connected variables at levels other than their first";
                return Err(complaint(file, &at, problem.to_owned()));
            };
            if values[number].replace(record.phi).is_some() {
                return Err(complaint(file, &at, "this term appears twice".to_owned()));
            }
        }
        let missing = values.iter().position(Option::is_none).map(|number| terms.term(number));
        if let Some(term) = missing {
            let problem = format!("the term {} is missing", Value::from(configuration(schema, &term)));
            return Err(complaint(file, "parameters.terms", problem));
        }
        let values: Vec<f64> = values.into_iter().flatten().collect();
        self.check_numbers(file)?;
        let violation = largest_violation(structure, &terms, &values);
        if violation > LARGEST_VIOLATION {
            let problem = format!("the values break the contexts' restrictions by {violation:e}");
            return Err(complaint(file, "parameters.terms", problem));
        }
        let term = |(place, record): (usize, &Map<String, Value>)| {
            read_term(file, schema, record, &format!("parameters.boundary[{place}]"))
        };
        Ok(Fit {
            boundary: self.boundary.iter().enumerate().map(term).collect::<Result<_>>()?,
            parameters: Parameters::new(terms, values, self.log_partition),
            estimate: self.method,
            reason: self.reason.clone(),
            smoothing: self.smoothing,
            free_parameters: self.free_parameters,
            rows: self.rows,
            log_likelihood: self.log_likelihood,
            pseudo_log_likelihood: self.pseudo_log_likelihood,
            status: self.status,
            gradient: self.gradient,
            iterations: self.iterations,
        })
    }

    fn check_numbers(&self, file: &str) -> Result<()> {
        let exact = self.method == Estimate::Exact;
        let has = [self.log_partition.is_some(), self.log_likelihood.is_some()];
        if has != [exact; 2] {
            let problem = "log_partition and log_likelihood belong to exact estimates, and only to them";
            return Err(complaint(file, "parameters", problem.to_owned()));
        }
        if self.rows == 0 || self.smoothing < 0.0 {
            return Err(complaint(file, "parameters", "rows and smoothing must be counts".to_owned()));
        }
        Ok(())
    }
}

fn configuration(schema: &Schema, term: &Term) -> Map<String, Value> {
    let label = |(variable, &level): (usize, &u32)| {
        let variable = schema.variable(variable);
        (variable.name.clone(), Value::from(variable.levels[level as usize].as_str()))
    };
    term.variables.iter().zip(&term.levels).map(label).collect()
}

fn read_term(file: &str, schema: &Schema, record: &Map<String, Value>, at: &str) -> Result<Term> {
    let mut pairs = Vec::new();
    for (name, label) in record {
        let Some(variable) = schema.find(name) else {
            return Err(complaint(file, at, format!("there is no variable {}", shown(name))));
        };
        let level = label.as_str().and_then(|label| schema.variable(variable).level(label));
        let Some(level) = level else {
            return Err(complaint(file, at, format!("{label} is not a level of {}", shown(name))));
        };
        pairs.push((variable, level));
    }
    pairs.sort_unstable();
    let variables: VarSet = pairs.iter().map(|&(variable, _)| variable).collect();
    Ok(Term { variables, levels: pairs.iter().map(|&(_, level)| level).collect() })
}
