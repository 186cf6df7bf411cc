//! Answers as plain values, with the names that the command line has in its JSON.

use cmnet::Result;
use cmnet::data::{Schema, Var};
use cmnet::evaluate::{ContextElement, difference};
use cmnet::graph::{Edge, VarSet};
use cmnet::inference::{Approximation, Evidence, Explanation};
use cmnet::report::sentence;
use serde_json::{Map, Value, json};

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

/// Pairs without an edge that are listed, as on the command line.
const MOST_PAIRS: usize = 1000;

pub(crate) fn explained(model: &cmnet::Model, evidence: &Evidence, explanation: &Explanation) -> Value {
    let schema = &model.schema;
    let list = |set: &VarSet| set.iter().map(|v| schema.name(v)).collect::<Vec<_>>();
    let blanket = |v: Var| (schema.name(v).to_owned(), json!(list(model.structure.markov_blanket(v))));
    let left = |v: Var| (schema.name(v).to_owned(), json!(list(explanation.graph.markov_blanket(v))));
    let edges = explanation.edges.iter().map(|strength| {
        json!({"edge": edge_names(schema, strength.edge), "information": strength.information,
            "given": list(&strength.given), "given_all": strength.given_all})
    });
    let label = |(v, level): (Var, u32)| {
        (schema.name(v).to_owned(), Value::from(schema.variable(v).levels[level as usize].as_str()))
    };
    let groups = |groups: &[VarSet]| groups.iter().map(list).collect::<Vec<_>>();
    let pairs = explanation.separations().take(MOST_PAIRS).map(|separation| {
        let (one, other) = separation.pair;
        json!({"pair": [schema.name(one), schema.name(other)], "given": list(&separation.given)})
    });
    json!({
        "given": evidence.hard().map(label).collect::<Map<String, Value>>(),
        "blankets": (0..schema.len()).map(blanket).collect::<Map<String, Value>>(),
        "sentences": model.structure.contexts().map(|context| sentence(schema, context)).collect::<Vec<_>>(),
        "cut_edges": explanation.cut.iter().map(|&edge| edge_names(schema, edge)).collect::<Vec<_>>(),
        "edges": edges.collect::<Vec<_>>(),
        "blankets_left": explanation.free.iter().map(left).collect::<Map<String, Value>>(),
        "independent_groups": groups(&explanation.groups),
        "newly_independent": explanation.splits.iter().map(|parts| groups(parts)).collect::<Vec<_>>(),
        "independent_pairs": pairs.collect::<Vec<_>>(),
        "independent_pairs_left_out": explanation.separation_count().saturating_sub(MOST_PAIRS),
    })
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
