//! `cmnet explain`: what a model says, and what evidence does to it, in sentences.

use super::asking;
use crate::args::Format;
use crate::ask_args::ExplainArgs;
use crate::exit::Outcome;
use crate::{files, output};
use cmnet::Model;
use cmnet::data::Schema;
use cmnet::graph::VarSet;
use cmnet::inference::{Evidence, Explanation};
use cmnet::report::sentence;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

pub(crate) fn run(arguments: &ExplainArgs) -> anyhow::Result<Outcome> {
    let model = files::model(&arguments.model)?;
    let evidence = asking::evidence(&model.schema, &arguments.given)?;
    let explanation = match &model.fit {
        Some(_) => model.network()?.explain(&evidence, &asking::ask(&arguments.tree)?)?,
        None => Explanation::of_structure(&model.structure, &evidence),
    };
    match arguments.format.format {
        Format::Text => output::text(&as_text(&model, &evidence, &explanation))?,
        Format::Json => output::json(&as_json(&model, &evidence, &explanation))?,
    }
    Ok(Outcome::Done)
}

fn names(schema: &Schema, set: &VarSet) -> String {
    let names: Vec<&str> = set.iter().map(|v| schema.name(v)).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

fn as_text(model: &Model, evidence: &Evidence, explanation: &Explanation) -> String {
    let schema = &model.schema;
    let given = asking::given_text(schema, evidence);
    let mut text = String::from("Markov blankets\n");
    for v in 0..schema.len() {
        let blanket = model.structure.markov_blanket(v);
        let _ = match blanket.len() {
            0 => writeln!(text, "  {} is independent of all other variables.", schema.name(v)),
            _ => writeln!(
                text,
                "  {} depends on all others only through {}.",
                schema.name(v),
                names(schema, blanket)
            ),
        };
    }
    if model.structure.context_elements() > 0 {
        text += "\nContexts\n";
        for context in model.structure.contexts() {
            let _ = writeln!(text, "  {}.", sentence(schema, context));
        }
    }
    if !evidence.is_empty() {
        let _ = writeln!(text, "\nGiven {given}");
        for &edge in &explanation.cut {
            let (low, high) = edge.ends();
            let _ = writeln!(
                text,
                "  The edge {} is cut: {} and {} no longer depend on each other directly.",
                asking::edge_text(schema, edge),
                schema.name(low),
                schema.name(high)
            );
        }
        if explanation.cut.is_empty() {
            text += "  No edge is cut beyond those at the given variables.\n";
        }
    }
    text += &edges_text(schema, evidence, explanation);
    text + &groups_text(schema, explanation)
}

fn edges_text(schema: &Schema, evidence: &Evidence, explanation: &Explanation) -> String {
    let left = if evidence.is_empty() { "Edges" } else { "Edges that are left" };
    let mut text = format!("\n{left}, with the information in nats that the ends share given all else\n");
    let mut edges: Vec<_> = explanation.edges.iter().collect();
    edges.sort_by(|one, other| other.information.unwrap_or(-1.0).total_cmp(&one.information.unwrap_or(-1.0)));
    for strength in edges {
        let edge = asking::edge_text(schema, strength.edge);
        let _ = match strength.information {
            Some(information) if strength.given_all => writeln!(text, "  {information:.6}  {edge}"),
            Some(information) => {
                let given = names(schema, &strength.given);
                writeln!(text, "  {information:.6}  {edge} (given only {given}: all else is too large)")
            }
            None => writeln!(text, "  {:8}  {edge}", "?"),
        };
    }
    if explanation.edges.is_empty() {
        text += "  none\n";
    }
    if explanation.edges.iter().any(|strength| strength.information.is_none()) {
        text += "  ?: no parameters (run cmnet fit), or too large a table\n";
    }
    text
}

fn groups_text(schema: &Schema, explanation: &Explanation) -> String {
    let mut text = String::from("\nIndependence\n");
    if let [only] = explanation.groups.as_slice() {
        let _ = writeln!(text, "  {} hang together.", names(schema, only));
        return text;
    }
    text += "  These groups are independent of each other:\n";
    for group in &explanation.groups {
        let _ = writeln!(text, "    {}", names(schema, group));
    }
    text
}

fn as_json(model: &Model, evidence: &Evidence, explanation: &Explanation) -> Value {
    let schema = &model.schema;
    let list = |set: &VarSet| set.iter().map(|v| schema.name(v)).collect::<Vec<_>>();
    let blankets: Map<String, Value> = (0..schema.len())
        .map(|v| (schema.name(v).to_owned(), json!(list(model.structure.markov_blanket(v)))))
        .collect();
    let left: Map<String, Value> = explanation
        .free
        .iter()
        .map(|v| (schema.name(v).to_owned(), json!(list(explanation.graph.markov_blanket(v)))))
        .collect();
    let context = |context: &cmnet::context::EdgeContext| {
        let label = |(v, level): (usize, u32)| schema.variable(v).levels[level as usize].clone();
        let element = |cell| -> Vec<String> {
            let levels = context.space().configuration(cell);
            context.space().variables().iter().zip(levels).map(label).collect()
        };
        json!({"edge": asking::edge_json(schema, context.edge()), "given": list(context.space().variables()),
            "elements": context.elements().map(element).collect::<Vec<_>>(), "sentence": sentence(schema, context)})
    };
    let edges = explanation.edges.iter().map(|strength| {
        json!({"edge": asking::edge_json(schema, strength.edge), "information": strength.information,
            "given": list(&strength.given), "given_all": strength.given_all})
    });
    json!({
        "format": "cmnet-explain/1",
        "given": asking::given_json(schema, evidence),
        "blankets": blankets,
        "contexts": model.structure.contexts().map(context).collect::<Vec<_>>(),
        "cut_edges": explanation.cut.iter().map(|&edge| asking::edge_json(schema, edge)).collect::<Vec<_>>(),
        "edges": edges.collect::<Vec<_>>(),
        "blankets_left": left,
        "independent_groups": explanation.groups.iter().map(list).collect::<Vec<_>>(),
    })
}
