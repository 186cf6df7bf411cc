//! What commands that ask a model something share: evidence, options, names.

use super::fitting::bytes;
use super::{explain, export, import, predict, query, sample};
use crate::ask_args::{
    AskCommand, Elimination, GivenArgs, InferenceMethod, MethodArgs, QuestionArgs, TreeArgs,
};
use crate::exit::Outcome;
use crate::output;
use cmnet::data::Schema;
use cmnet::graph::Edge;
use cmnet::inference::{
    ClimbOptions, Evidence, ExactOptions, GibbsOptions, QueryMethod, QueryOptions, QueryPlan,
};
use cmnet::io::uai;
use cmnet::tree::EliminationRule;
use cmnet_report::answer::names;
use serde_json::{Value, json};

pub(crate) fn run(command: &AskCommand) -> anyhow::Result<Outcome> {
    match command {
        AskCommand::Query(arguments) => query::run(arguments),
        AskCommand::Predict(arguments) => predict::run(arguments),
        AskCommand::Sample(arguments) => sample::run(arguments),
        AskCommand::Explain(arguments) => explain::run(arguments),
        AskCommand::Export(arguments) => export::run(arguments),
        AskCommand::Import(arguments) => import::run(arguments),
    }
}

pub(crate) fn evidence(schema: &Schema, arguments: &GivenArgs) -> anyhow::Result<Evidence> {
    let mut evidence = Evidence::none();
    for text in &arguments.given {
        evidence.add(schema, text)?;
    }
    if let Some(path) = &arguments.evidence {
        uai::read_evidence(&uai::read_text(path)?, &path.display().to_string(), schema, &mut evidence)?;
    }
    for text in &arguments.soft {
        evidence.add_weights(schema, text)?;
    }
    Ok(evidence)
}

pub(crate) fn exact(arguments: &TreeArgs) -> anyhow::Result<ExactOptions> {
    let rule = match arguments.elimination {
        Elimination::Best => None,
        Elimination::MinFill => Some(EliminationRule::MinFill),
        Elimination::MinWeight => Some(EliminationRule::MinWeight),
    };
    Ok(ExactOptions { memory: bytes(&arguments.memory)?, rule, ..ExactOptions::default() })
}

fn method(arguments: &MethodArgs) -> QueryMethod {
    match arguments.method {
        InferenceMethod::Auto => QueryMethod::Auto,
        InferenceMethod::Exact => QueryMethod::Exact,
        InferenceMethod::Gibbs => QueryMethod::Gibbs,
        InferenceMethod::Bp => QueryMethod::Belief,
    }
}

fn gibbs(arguments: &MethodArgs) -> GibbsOptions {
    GibbsOptions {
        chains: arguments.chains,
        sweeps: arguments.sweeps,
        warm_up: arguments.warm_up,
        seed: arguments.seed,
    }
}

pub(crate) fn options(arguments: &QuestionArgs) -> anyhow::Result<QueryOptions> {
    let how = &arguments.method;
    let climb = ClimbOptions { chains: how.chains, ..ClimbOptions::default() };
    let exact = exact(&arguments.tree)?;
    Ok(QueryOptions { exact, method: method(how), gibbs: gibbs(how), climb, ..QueryOptions::default() })
}

/// Says what will be done and what it will take, before anything is allocated.
pub(crate) fn announce(arguments: &TreeArgs, what: &str) {
    if !arguments.quiet {
        output::note(what);
    }
}

pub(crate) fn announce_plan(arguments: &TreeArgs, plan: &QueryPlan) {
    announce(arguments, &format!("{}: {}", plan.method, plan.reason));
}

/// The evidence in words: `a = x, b = y`.
pub(crate) fn given_text(schema: &Schema, evidence: &Evidence) -> String {
    let hard =
        evidence.hard().map(|known| format!("{} = {}", schema.name(known.0), names::label(schema, known)));
    let soft = evidence.soft().map(|(v, _)| format!("weights for {}", schema.name(v)));
    hard.chain(soft).collect::<Vec<_>>().join(", ")
}

pub(crate) fn edge_text(schema: &Schema, edge: Edge) -> String {
    names::edge(schema, edge).join(" - ")
}

/// What exact inference costs or would cost, and what is held.
pub(crate) fn tree_json(plan: &QueryPlan) -> Value {
    let cost = plan.cost;
    json!({"cells": cost.cells, "largest_clique": cost.width, "largest_table": cost.largest,
        "at_least": cost.at_least, "bytes": plan.bytes})
}

/// A field of a CSV file, quoted where that is needed.
pub(crate) fn csv_field(text: &str) -> String {
    let plain =
        !text.is_empty() && text.trim() == text && !text.contains([',', '"', '\n', '\r', ';', '\t', '|']);
    if plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}
