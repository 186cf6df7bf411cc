//! Variables, levels, edges and evidence by their names.

use cmnet::{Edge, Evidence, Schema, Var, VarSet};
use serde_json::{Map, Value, json};

/// The label of a variable's level.
pub fn label(schema: &Schema, (variable, level): (Var, u32)) -> &str {
    &schema.variable(variable).levels[level as usize]
}

/// The names of some variables.
pub fn list<'a>(schema: &'a Schema, set: &VarSet) -> Vec<&'a str> {
    set.iter().map(|variable| schema.name(variable)).collect()
}

/// The names of an edge's ends.
pub fn edge(schema: &Schema, edge: Edge) -> [&str; 2] {
    [schema.name(edge.low()), schema.name(edge.high())]
}

/// An edge in a configuration of its common neighbours: the fields `edge`, `given` and `element`.
pub fn element(schema: &Schema, of: Edge, given: &[(Var, u32)]) -> Value {
    json!({"edge": edge(schema, of),
        "given": given.iter().map(|&(variable, _)| schema.name(variable)).collect::<Value>(),
        "element": given.iter().map(|&level| label(schema, level)).collect::<Value>()})
}

/// The names of the ends of several edges.
pub fn edges<'a>(schema: &'a Schema, edges: &[Edge]) -> Vec<[&'a str; 2]> {
    edges.iter().map(|&each| edge(schema, each)).collect()
}

/// Numbers by the labels of a variable's levels.
pub fn by_level(schema: &Schema, variable: Var, numbers: &[f64]) -> Value {
    let labels = schema.variable(variable).levels.iter().cloned();
    Value::Object(labels.zip(numbers.iter().map(|&number| json!(number))).collect())
}

/// The levels that are known.
pub fn given(schema: &Schema, evidence: &Evidence) -> Value {
    let named = |known: (Var, u32)| (schema.name(known.0).to_owned(), Value::from(label(schema, known)));
    Value::Object(evidence.hard().map(named).collect::<Map<_, _>>())
}

/// The weights of levels that are known.
pub fn soft(schema: &Schema, evidence: &Evidence) -> Value {
    let named = |(variable, weights): (Var, &[f64])| {
        (schema.name(variable).to_owned(), by_level(schema, variable, weights))
    };
    Value::Object(evidence.weights().map(named).collect::<Map<_, _>>())
}
