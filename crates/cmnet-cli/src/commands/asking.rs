//! What commands that ask a model something share: evidence, options, names.

use super::fitting::bytes;
use super::{explain, explore, export, import, impute, independent, predict, query, sample};
use crate::ask_args::{AskCommand, ExplainArgs, GivenArgs, MethodArgs, QuestionArgs, TreeArgs};
use crate::exit::Outcome;
use crate::{interrupt, output};
use cmnet::{
    ClimbOptions, Edge, Error, Evidence, ExactOptions, GibbsOptions, QueryOptions, QueryPlan, Schema, Var,
    uai,
};
use cmnet_report::answer::names;

pub(crate) fn run(command: &AskCommand) -> anyhow::Result<Outcome> {
    match command {
        AskCommand::Query(arguments) => query::run(arguments),
        AskCommand::Predict(arguments) => predict::run(arguments),
        AskCommand::Impute(arguments) => impute::run(arguments),
        AskCommand::Sample(arguments) => sample::run(arguments),
        AskCommand::Explain(arguments) => explain::run(arguments),
        AskCommand::Independent(arguments) => independent::run(arguments),
        AskCommand::Explore(arguments) => explore::run(arguments),
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
    let rule = arguments.elimination.rule();
    Ok(ExactOptions { memory: bytes(&arguments.memory)?, rule, ..ExactOptions::default() })
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
    Ok(QueryOptions { exact, method: how.method, gibbs: gibbs(how), climb, ..QueryOptions::default() })
}

/// Says what will be done and what it will take, before anything is allocated.
pub(crate) fn announce(arguments: &TreeArgs, what: &str) {
    if !arguments.quiet {
        output::note(what);
    }
}

/// Says what will be done exactly, and heeds Ctrl-C from there on.
pub(crate) fn begin(arguments: &TreeArgs, what: &str) -> anyhow::Result<ExactOptions> {
    announce(arguments, what);
    interrupt::listen();
    exact(arguments)
}

pub(crate) fn announce_plan(arguments: &TreeArgs, plan: &QueryPlan) {
    announce(arguments, &format!("{}: {}", plan.method, plan.reason));
}

/// A level in words: `a = x`.
pub(crate) fn level_text(schema: &Schema, known: (Var, u32)) -> String {
    format!("{} = {}", schema.name(known.0), names::label(schema, known))
}

/// Levels in words: `a = x, b = y`.
pub(crate) fn levels_text(schema: &Schema, levels: impl IntoIterator<Item = (Var, u32)>) -> String {
    levels.into_iter().map(|known| level_text(schema, known)).collect::<Vec<_>>().join(", ")
}

/// The evidence in words: `a = x, b = y`.
pub(crate) fn given_text(schema: &Schema, evidence: &Evidence) -> String {
    let hard = evidence.hard().map(|known| level_text(schema, known));
    let soft = evidence.soft().map(|(v, _)| format!("weights for {}", schema.name(v)));
    hard.chain(soft).collect::<Vec<_>>().join(", ")
}

/// ` given a = x`, where something is.
pub(crate) fn given_phrase(schema: &Schema, evidence: &Evidence) -> String {
    match given_text(schema, evidence) {
        given if given.is_empty() => String::new(),
        given => format!(" given {given}"),
    }
}

/// Refuses explanations of one network, for something that has several.
pub(crate) fn check_shared(arguments: &ExplainArgs, what: &str) -> anyhow::Result<()> {
    let mathematics = arguments.restrictions || arguments.terms || arguments.classes.is_some();
    if mathematics || arguments.intervals {
        let problem = "terms, restrictions, blanket classes and intervals are those of one network";
        return Err(Error::question(problem, format!("explain the {what} without them")).into());
    }
    Ok(())
}

pub(crate) fn edge_text(schema: &Schema, edge: Edge) -> String {
    names::edge(schema, edge).join(" - ")
}
