//! What a table says about confirmed context elements.

use super::names;
use cmnet::{Cell, Confirmed, Edge, ElementEffect, Quantity, Schema, Structure};
use serde_json::{Value, json};

/// The effects of a structure's confirmed elements, by names.
pub fn confirmed(schema: &Schema, structure: &Structure, confirmed: &Confirmed) -> Value {
    let element = |(&(edge, cell), effect): (&(Edge, Cell), &ElementEffect)| {
        let space = structure.context(edge)?.space();
        let levels = space.variables().iter().zip(space.configuration(cell));
        let levels: Value = levels.map(|known| names::label(schema, known)).collect();
        Some(json!({"edge": names::edge(schema, edge), "given": names::list(schema, space.variables()),
            "element": levels, "log_odds_ratio": effect.log_odds_ratio.map(|(value, _)| value),
            "error": effect.log_odds_ratio.map(|(_, error)| error),
            "interval": effect.quantity().and_then(|known| known.interval), "p_value": effect.p_value,
            "probability": effect.probability}))
    };
    let elements: Vec<Value> = confirmed.elements.iter().filter_map(element).collect();
    let removed: Vec<_> = confirmed.removed.iter().map(|&edge| names::edge(schema, edge)).collect();
    json!({"tested": confirmed.tested, "contexts": elements, "removed": removed})
}

/// The same in lines: `a | b given c=x: log odds ratio 0.05 (-0.08 to 0.18)`, or that an end is constant there.
pub fn confirmed_lines(schema: &Schema, structure: &Structure, confirmed: &Confirmed) -> Vec<String> {
    let line = |(&(edge, cell), effect): (&(Edge, Cell), &ElementEffect)| {
        let space = structure.context(edge)?.space();
        let levels = space.variables().iter().zip(space.configuration(cell));
        let given: Vec<String> =
            levels.map(|known| format!("{}={}", schema.name(known.0), names::label(schema, known))).collect();
        let [one, other] = names::edge(schema, edge);
        let found = match effect.quantity() {
            Some(Quantity { value, interval: Some([low, high]), .. }) => {
                format!("log odds ratio {value:.3} ({low:.3} to {high:.3}), probability of none")
            }
            _ => format!("only one level of {one} or {other} occurs, probability of no dependence"),
        };
        Some(format!("{one} | {other} given {}: {found} {:.3}", given.join(", "), effect.probability))
    };
    confirmed.elements.iter().filter_map(line).collect()
}
