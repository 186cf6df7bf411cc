//! `cmnet independent`: whether a structure makes variables independent, and why.

use super::asking::{edge_text, given_text, levels_text};
use crate::args::{Format, Printed};
use crate::ask_args::IndependentArgs;
use crate::exit::Outcome;
use crate::{files, output};
use cmnet::{Independence, IndependenceQuestion, Schema, VarSet, independent};
use cmnet_report::answer::{IndependentAnswer, names};
use std::fmt::Write as _;

/// Cases that are told.
const MOST_CASES: usize = 20;

pub(crate) fn run(arguments: &Printed<IndependentArgs>) -> anyhow::Result<Outcome> {
    let model = files::model(&arguments.model.model)?;
    let schema = model.schema();
    let mut question = IndependenceQuestion::read(schema, &arguments.variables, &arguments.of)?;
    for names in &arguments.given {
        question = question.given(schema, names)?;
    }
    for levels in &arguments.context {
        question = question.in_context(schema, levels)?;
    }
    question.check(schema)?;
    let found = independent(model.structure(), &question, &())?;
    let answer = IndependentAnswer { schema, question: &question, found: &found };
    match arguments.format {
        Format::Text => output::page(&as_text(&answer))?,
        Format::Json => output::answer(&answer)?,
    }
    Ok(if found.is_independent() { Outcome::Done } else { Outcome::No })
}

fn as_text(answer: &IndependentAnswer<'_>) -> String {
    let schema = &output::printable(answer.schema);
    let question = answer.question;
    let word = if answer.found.is_independent() { "yes" } else { "no" };
    let not = if answer.found.is_independent() { "" } else { "not " };
    let be = if question.one.len() == 1 { "is" } else { "are" };
    let mut text = format!(
        "{word}: {} {be} {not}independent of {}{}\n",
        list(schema, &question.one),
        list(schema, &question.other),
        known(schema, question)
    );
    match answer.found {
        Independence::Open(path) => {
            let names: Vec<&str> = path.variables.iter().map(|&v| schema.name(v)).collect();
            let when = if path.levels.is_empty() {
                String::new()
            } else {
                format!(" when {}", levels_text(schema, path.levels.iter().copied()))
            };
            let _ = writeln!(text, "  This path is open{when}: {}", names.join(" - "));
            if !path.is_closed {
                text += "  Contexts that others imply were not looked for: the structure is too large.\n";
            }
        }
        Independence::Holds(_) if answer.reason() == "graph" => {
            text += "  In the graph no path leads past what is given.\n";
        }
        Independence::Holds(cases) => {
            for case in cases.iter().take(MOST_CASES) {
                let when = if case.levels.is_empty() {
                    "  Contexts".to_owned()
                } else {
                    format!("  When {}, contexts", levels_text(schema, case.levels.iter().copied()))
                };
                let cut: Vec<String> = case.cut.iter().map(|&edge| edge_text(schema, edge)).collect();
                let _ = if cut.is_empty() {
                    writeln!(text, "{when} need cut nothing: no path leads past what is given.")
                } else {
                    writeln!(text, "{when} cut {}. No path is left.", cut.join(", "))
                };
            }
            if cases.len() > MOST_CASES {
                let _ = writeln!(text, "  ... and {} more cases (--format json)", cases.len() - MOST_CASES);
            }
        }
    }
    text
}

fn list(schema: &Schema, set: &VarSet) -> String {
    names::list(schema, set).join(", ")
}

fn known(schema: &Schema, question: &IndependenceQuestion) -> String {
    let context = given_text(schema, &question.context);
    match (question.given.is_empty(), context.is_empty()) {
        (true, true) => String::new(),
        (true, false) => format!(" when {context}"),
        (false, true) => format!(" given {}", list(schema, &question.given)),
        (false, false) => format!(" given {} when {context}", list(schema, &question.given)),
    }
}
