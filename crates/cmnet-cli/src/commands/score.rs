//! `cmnet score`: the score of a given structure, node by node.

use crate::args::{Format, Printed, ScoreArgs};
use crate::exit::{Outcome, Usage};
use crate::weights::{self, Weighed};
use crate::{files, output};
use cmnet::{
    Alpha, ContextPrior, CountSource, EdgePrior, Kappa, Model, RowCounts, Scorer, StructureScore,
    WeightedCounts,
};
use cmnet_report::align::{columns, left};
use cmnet_report::answer::ScoredAnswer;
use std::sync::Arc;

pub(crate) fn run(arguments: &Printed<ScoreArgs>) -> anyhow::Result<Outcome> {
    let model = files::model(&arguments.model.model)?;
    let alpha = alpha(&model, arguments.alpha.as_deref())?;
    let (prior, score) = match weights::weighed_for(&model, &arguments.data, &arguments.weighing)? {
        Weighed::Whole(data) => scored(&model, &RowCounts::new(&data), alpha, arguments)?,
        Weighed::Real(table) => scored(&model, &WeightedCounts::new(&table), alpha, arguments)?,
    };
    match arguments.format {
        Format::Text => output::page(&as_text(&model, &prior, alpha, &score))?,
        Format::Json => output::answer(&ScoredAnswer::of(model.schema(), &prior, alpha, &score))?,
    }
    Ok(Outcome::Done)
}

/// The prior, and the score of the model's structure.
fn scored<S: CountSource>(
    model: &Model,
    counts: &S,
    alpha: Alpha,
    arguments: &ScoreArgs,
) -> anyhow::Result<(ContextPrior, StructureScore)> {
    let prior = prior(model, counts.rows(), arguments)?;
    let score = Scorer::new(counts, alpha).score(model.structure(), &prior)?;
    Ok((prior, score))
}

/// The prior asked for, else the model's, for so many observations.
pub(super) fn prior(model: &Model, rows: u64, arguments: &ScoreArgs) -> anyhow::Result<ContextPrior> {
    let kappa = kappa(model, arguments.kappa.as_deref())?;
    let edges = match &arguments.edge_prior {
        Some(text) => text.parse()?,
        None => model.provenance().map_or_else(EdgePrior::default, |learned| learned.edge_prior),
    };
    let known = model.provenance().map(|learned| learned.knowledge.rules(model.schema())).transpose()?;
    let prior = ContextPrior::new(kappa, rows).with_edges(edges, model.schema().len());
    Ok(prior.with_rules(Arc::new(known.unwrap_or_default())))
}

/// The kappa asked for, else the model's.
fn kappa(model: &Model, given: Option<&str>) -> anyhow::Result<Kappa> {
    match (given, model.provenance()) {
        (Some(text), _) => Ok(text.parse()?),
        (None, Some(learned)) => Ok(learned.kappa),
        (None, None) if model.structure().context_elements() == 0 => Ok(Kappa::Epsilon),
        (None, None) => {
            Err(Usage("the model says no kappa; give one with --kappa, such as --kappa n^-0.5".to_owned())
                .into())
        }
    }
}

/// The alpha asked for, else the model's, else one half.
pub(super) fn alpha(model: &Model, given: Option<&str>) -> anyhow::Result<Alpha> {
    Ok(match given {
        Some(text) => text.parse()?,
        None => model.provenance().map(|learned| learned.alpha).unwrap_or_default(),
    })
}

fn as_text(model: &Model, prior: &ContextPrior, alpha: Alpha, score: &StructureScore) -> String {
    let schema = output::printable(model.schema());
    let width = schema.variables().iter().map(|variable| columns(&variable.name)).max().unwrap_or(0).max(9);
    let mut lines = vec!["log p(x_j | x_mb(j), C(j)) of each variable".to_owned()];
    for (variable, node) in schema.variables().iter().zip(&score.nodes) {
        lines.push(format!("  {}  {:>16.6}", left(&variable.name, width), node.to_f64()));
    }
    let mut number = |name, value, note: &str| lines.push(format!("{name:width$}    {value:>16.6}{note}"));
    number("log MPL", score.log_mpl.to_f64(), "");
    if let (Some(log_prior), Some(total)) = (score.log_prior, score.total()) {
        let edges = prior.edges();
        let edges = if edges.is_uniform() { String::new() } else { format!(", edge prior {edges}") };
        let note = format!("  (kappa {}, alpha {alpha}{edges})", prior.kappa());
        number("log prior", log_prior.to_f64(), &note);
        number("score", total.to_f64(), "");
    } else {
        let problem = if prior.log_kappa().is_none() && prior.rules().hold(model.structure().graph()) {
            "The prior with kappa eps forbids contexts: this structure has probability 0."
        } else {
            "What is known about edges does not hold in this structure: it has probability 0."
        };
        lines.push(problem.to_owned());
    }
    lines.join("\n") + "\n"
}
