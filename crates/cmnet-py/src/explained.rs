//! What a model says given evidence, with the names that `cmnet explain` has in its JSON.

use crate::answers::edge_names;
use cmnet::Structure;
use cmnet::context::EdgeContext;
use cmnet::data::{Schema, Var};
use cmnet::graph::{Edge, VarSet};
use cmnet::inference::{Evidence, Explanation, cut_edges};
use cmnet::report::sentence;
use serde_json::{Map, Value, json};

/// Pairs without an edge that are listed, as on the command line.
const MOST_PAIRS: usize = 1000;

/// An explanation and what it is about.
pub(crate) struct Explained<'a> {
    pub(crate) model: &'a cmnet::Model,
    pub(crate) evidence: &'a Evidence,
    pub(crate) explanation: Explanation,
    /// The structure with what its contexts imply together, where that can be had.
    pub(crate) closed: Option<&'a Structure>,
}

impl Explained<'_> {
    /// All of it; `bytes` is what the tables take.
    pub(crate) fn facts(&self, soft: &[(Var, Vec<f64>)], bytes: u64) -> Value {
        let (schema, explanation) = (&self.model.schema, &self.explanation);
        let structure = &self.model.structure;
        let named = |v: Var, set: &VarSet| (schema.name(v).to_owned(), json!(self.list(set)));
        let left = |v: Var| named(v, explanation.graph.markov_blanket(v));
        let edges = explanation.edges.iter().map(|strength| {
            json!({"edge": edge_names(schema, strength.edge), "information": strength.information,
                "given": self.list(&strength.given), "given_all": strength.given_all})
        });
        let groups = |groups: &[VarSet]| groups.iter().map(|group| self.list(group)).collect::<Vec<_>>();
        let pairs = explanation.separations().take(MOST_PAIRS).map(|separation| {
            let (one, other) = separation.pair;
            json!({"pair": [schema.name(one), schema.name(other)], "given": self.list(&separation.given)})
        });
        json!({
            "given": self.evidence.hard().map(|observed| label(schema, observed)).collect::<Map<String, Value>>(),
            "soft": soft.iter().map(|(v, weights)| weighed(schema, *v, weights)).collect::<Map<String, Value>>(),
            "blankets": (0..schema.len()).map(|v| named(v, structure.markov_blanket(v))).collect::<Map<_, _>>(),
            "contexts": structure.contexts().map(|context| self.context(context)).collect::<Vec<_>>(),
            "implied_contexts": self.implied_contexts(),
            "cut_edges": names(schema, &explanation.cut),
            "implied_cut_edges": self.implied_cuts(),
            "edges": edges.collect::<Vec<_>>(),
            "blankets_left": explanation.free.iter().map(left).collect::<Map<String, Value>>(),
            "independent_groups": groups(&explanation.groups),
            "newly_independent": explanation.splits.iter().map(|parts| groups(parts)).collect::<Vec<_>>(),
            "independent_pairs": pairs.collect::<Vec<_>>(),
            "independent_pairs_left_out": explanation.separation_count().saturating_sub(MOST_PAIRS),
            "tables": {"bytes": bytes},
        })
    }

    fn list(&self, set: &VarSet) -> Vec<&str> {
        set.iter().map(|v| self.model.schema.name(v)).collect()
    }

    fn context(&self, context: &EdgeContext) -> Value {
        let schema = &self.model.schema;
        let label = |(v, level): (Var, u32)| schema.variable(v).levels[level as usize].clone();
        let element = |cell| -> Vec<String> {
            let levels = context.space().configuration(cell);
            context.space().variables().iter().zip(levels).map(label).collect()
        };
        json!({"edge": edge_names(schema, context.edge()), "given": self.list(context.space().variables()),
            "elements": context.elements().map(element).collect::<Vec<_>>(),
            "sentence": sentence(schema, context)})
    }

    /// Contexts with elements that others imply.
    fn implied_contexts(&self) -> Vec<Value> {
        let more = |context: &&EdgeContext| {
            let known = self.model.structure.context(context.edge());
            known.is_none_or(|known| known.space() == context.space() && known.len() < context.len())
        };
        let closed = self.closed.into_iter().flat_map(Structure::contexts);
        closed.filter(more).map(|context| self.context(context)).collect()
    }

    /// The cut edges that take more than their own context.
    fn implied_cuts(&self) -> Value {
        let own = cut_edges(&self.model.structure, &self.model.structure, self.evidence);
        let cut = self.explanation.cut.iter().copied();
        names(&self.model.schema, &cut.filter(|edge| !own.contains(edge)).collect::<Vec<_>>())
    }
}

fn names(schema: &Schema, edges: &[Edge]) -> Value {
    edges.iter().map(|&edge| edge_names(schema, edge)).collect()
}

fn label(schema: &Schema, (v, level): (Var, u32)) -> (String, Value) {
    (schema.name(v).to_owned(), Value::from(schema.variable(v).levels[level as usize].as_str()))
}

fn weighed(schema: &Schema, v: Var, weights: &[f64]) -> (String, Value) {
    let pairs = schema.variable(v).levels.iter().cloned().zip(weights.iter().map(|&weight| json!(weight)));
    (schema.name(v).to_owned(), Value::Object(pairs.collect()))
}
