//! Answers as plain values, with the names that the command line has in its JSON.

use cmnet::Result;
use cmnet::data::{Schema, Var};
use cmnet::evaluate::{ContextElement, difference};
use cmnet::graph::Edge;
use cmnet::inference::Approximation;
use serde_json::{Value, json};

/// What is known about the error of a method that is not exact.
pub(crate) fn approximation(approximation: Option<&Approximation>) -> Value {
    match approximation {
        Some(Approximation::Gibbs(gibbs)) => json!({"chains": gibbs.chains, "sweeps": gibbs.sweeps,
            "r_hat": gibbs.worst_r_hat(), "effective": gibbs.least_effective(), "agrees": gibbs.agrees()}),
        Some(Approximation::Belief(belief)) => {
            json!({"converged": belief.converged, "rounds": belief.rounds, "change": belief.change})
        }
        None => Value::Null,
    }
}

pub(crate) fn edge_names(schema: &Schema, edge: Edge) -> Value {
    json!([schema.name(edge.low()), schema.name(edge.high())])
}

pub(crate) fn compared(
    one: &cmnet::Model,
    other: &cmnet::Model,
    kl: [Option<f64>; 2],
    means: Option<[Option<f64>; 2]>,
) -> Result<Value> {
    let schema = &one.schema;
    let found = difference(&one.structure, &other.structure)?;
    let element = |element: &ContextElement| {
        let label = |&(v, level): &(Var, u32)| schema.variable(v).levels[level as usize].as_str();
        let given: Vec<&str> = element.given.iter().map(|&(v, _)| schema.name(v)).collect();
        json!({"edge": edge_names(schema, element.edge), "given": given,
            "element": element.given.iter().map(label).collect::<Vec<_>>()})
    };
    let only = |place: usize| {
        let edges: Vec<Value> = found.edges[place].iter().map(|&edge| edge_names(schema, edge)).collect();
        json!({"edges": edges, "elements": found.elements[place].iter().map(element).collect::<Vec<_>>()})
    };
    Ok(json!({"same_model": found.is_empty(),
        "shared": {"edges": found.shared_edges, "elements": found.shared_elements},
        "first_only": only(0), "second_only": only(1), "kl": kl, "log_likelihood": means}))
}
