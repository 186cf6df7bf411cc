//! What a table says about confirmed context elements.

use super::names;
use cmnet::{Cell, Confirmed, Edge, ElementEffect, Schema, Structure};
use serde_json::{Value, json};

/// The effects of a structure's confirmed elements, by names.
pub fn confirmed(schema: &Schema, structure: &Structure, confirmed: &Confirmed) -> Value {
    let element = |(&(edge, cell), effect): (&(Edge, Cell), &ElementEffect)| {
        let space = structure.context(edge)?.space();
        let levels = space.variables().iter().zip(space.configuration(cell));
        let levels: Value = levels.map(|known| names::label(schema, known)).collect();
        Some(json!({"edge": names::edge(schema, edge), "given": names::list(schema, space.variables()),
            "element": levels, "log_odds_ratio": effect.log_odds_ratio, "error": effect.error,
            "interval": effect.quantity().interval, "p_value": effect.p_value,
            "probability": effect.probability}))
    };
    let elements: Vec<Value> = confirmed.elements.iter().filter_map(element).collect();
    let removed: Vec<_> = confirmed.removed.iter().map(|&edge| names::edge(schema, edge)).collect();
    json!({"tested": confirmed.tested, "contexts": elements, "removed": removed})
}

/// The same in lines: `a | b given c=x: log odds ratio 0.05 (-0.08 to 0.18)`.
pub fn confirmed_lines(schema: &Schema, structure: &Structure, confirmed: &Confirmed) -> Vec<String> {
    let line = |(&(edge, cell), effect): (&(Edge, Cell), &ElementEffect)| {
        let space = structure.context(edge)?.space();
        let levels = space.variables().iter().zip(space.configuration(cell));
        let given: Vec<String> =
            levels.map(|known| format!("{}={}", schema.name(known.0), names::label(schema, known))).collect();
        let [one, other] = names::edge(schema, edge);
        let [low, high] = effect.quantity().interval.unwrap_or([f64::NAN; 2]);
        Some(format!(
            "{one} | {other} given {}: log odds ratio {:.3} ({low:.3} to {high:.3}), probability of none {:.3}",
            given.join(", "),
            effect.log_odds_ratio,
            effect.probability
        ))
    };
    confirmed.elements.iter().filter_map(line).collect()
}
