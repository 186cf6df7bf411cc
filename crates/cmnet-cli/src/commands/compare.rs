//! `cmnet compare`: what one model has and another has not.

use crate::args::{CompareArgs, DataArgs, Format};
use crate::exit::{Outcome, Usage};
use crate::{files, output};
use cmnet::Model;
use cmnet::data::Schema;
use cmnet::evaluate::{ContextElement, Difference, difference, divergence, evaluate};
use cmnet::graph::Edge;
use cmnet::loglinear::FitOptions;
use serde_json::{Value, json};
use std::fmt::Write;

pub(crate) fn run(arguments: &CompareArgs) -> anyhow::Result<Outcome> {
    let (one, other) = (files::model(&arguments.one)?, files::model(&arguments.other)?);
    if one.schema != other.schema {
        let problem =
            "the two models differ in their variables, levels or column order; compare models of one table";
        return Err(Usage(problem.to_owned()).into());
    }
    let found = difference(&one.structure, &other.structure)?;
    let kl = [kl_divergence(&one, &other), kl_divergence(&other, &one)];
    let heldout = match &arguments.data {
        Some(data) => Some(heldout(&[&one, &other], arguments, data)?),
        None => None,
    };
    match arguments.format.format {
        Format::Text => output::page(&as_text(&one.schema, &found, kl, heldout.as_deref())?)?,
        Format::Json => output::json(&as_json(&one.schema, &found, kl, heldout.as_deref()))?,
    }
    Ok(Outcome::Done)
}

/// KL divergence in nats where both models are fitted and it can be had.
fn kl_divergence(one: &Model, other: &Model) -> Option<f64> {
    let (one, other) = (one.fit.as_ref()?, other.fit.as_ref()?);
    divergence(&one.parameters, &other.parameters, FitOptions::default().memory).ok()
}

/// Mean log-likelihood per row of both models.
fn heldout(models: &[&Model; 2], arguments: &CompareArgs, data: &str) -> anyhow::Result<Vec<Option<f64>>> {
    let table = DataArgs { data: data.to_owned(), reading: arguments.reading.clone() };
    let data = files::table_for(models[0], &table)?;
    Ok(models.iter().map(|model| evaluate(model.fit.as_ref()?, &data).log_likelihood).collect())
}

fn edge(schema: &Schema, edge: Edge) -> [&str; 2] {
    [schema.name(edge.low()), schema.name(edge.high())]
}

fn given<'a>(schema: &'a Schema, element: &ContextElement) -> Vec<(&'a str, &'a str)> {
    let label = |&(variable, level): &(usize, u32)| {
        let variable = schema.variable(variable);
        (variable.name.as_str(), variable.levels[level as usize].as_str())
    };
    element.given.iter().map(label).collect()
}

fn as_text(
    schema: &Schema,
    found: &Difference,
    kl: [Option<f64>; 2],
    heldout: Option<&[Option<f64>]>,
) -> anyhow::Result<String> {
    let mut page = String::new();
    let same = if found.is_empty() { "The two structures are one model.\n" } else { "" };
    page += same;
    writeln!(
        page,
        "shared: {} edges, {} context elements (after closure)",
        found.shared_edges, found.shared_elements
    )?;
    for (place, which) in ["first", "second"].iter().enumerate() {
        for &only in &found.edges[place] {
            writeln!(page, "only in the {which}: edge {}", edge(schema, only).join(" - "))?;
        }
        for element in &found.elements[place] {
            let given: Vec<String> =
                given(schema, element).iter().map(|(name, level)| format!("{name} = {level}")).collect();
            writeln!(
                page,
                "only in the {which}: {} cut off where {}",
                edge(schema, element.edge).join(" - "),
                given.join(", ")
            )?;
        }
    }
    if let [Some(forth), Some(back)] = kl {
        writeln!(
            page,
            "KL divergence of the second from the first: {forth:.6} nats, the other way {back:.6}"
        )?;
    }
    for (which, value) in ["first", "second"].iter().zip(heldout.unwrap_or_default()) {
        let value = value.map_or("not available".to_owned(), |value| format!("{value:.6}"));
        writeln!(page, "mean log-likelihood of the {which} on the data: {value}")?;
    }
    Ok(page)
}

fn as_json(
    schema: &Schema,
    found: &Difference,
    kl: [Option<f64>; 2],
    heldout: Option<&[Option<f64>]>,
) -> Value {
    let edges = |place: usize| found.edges[place].iter().map(|&only| edge(schema, only)).collect::<Vec<_>>();
    let element = |element: &ContextElement| {
        let given = given(schema, element);
        json!({
            "edge": edge(schema, element.edge),
            "given": given.iter().map(|(name, _)| name).collect::<Vec<_>>(),
            "element": given.iter().map(|(_, level)| level).collect::<Vec<_>>(),
        })
    };
    let elements = |place: usize| found.elements[place].iter().map(element).collect::<Vec<_>>();
    json!({
        "format": "cmnet-compare/1",
        "same_model": found.is_empty(),
        "shared": {"edges": found.shared_edges, "elements": found.shared_elements},
        "first_only": {"edges": edges(0), "elements": elements(0)},
        "second_only": {"edges": edges(1), "elements": elements(1)},
        "kl": kl,
        "log_likelihood": heldout,
    })
}
