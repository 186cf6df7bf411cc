//! `cmnet explain`: what a model says, and what evidence does to it.

mod words;

use super::asking;
use crate::args::Format;
use crate::ask_args::ExplainArgs;
use crate::exit::Outcome;
use crate::{files, output};
use cmnet::context::EdgeContext;
use cmnet::data::Schema;
use cmnet::graph::{Edge, VarSet};
use cmnet::inference::{Evidence, Explanation, cut_edges};
use cmnet::loglinear::affordable_canonical;
use cmnet::report::sentence;
use cmnet::{Model, Structure};
use serde_json::{Map, Value, json};

/// Pairs without an edge that are listed.
const MOST_PAIRS: usize = 1000;

pub(crate) fn run(arguments: &ExplainArgs) -> anyhow::Result<Outcome> {
    let model = files::model(&arguments.model.model)?;
    let evidence = asking::evidence(&model.schema, &arguments.given)?;
    let ask = asking::ask(&arguments.tree)?;
    let (explanation, closed, bytes) = if model.fit.is_some() {
        let network = model.network()?;
        let (cost, bytes) = network.explain_cost(&evidence, &ask);
        let what = match bytes {
            0 => "exact: no tables, since there is no edge whose strength they could give".to_owned(),
            _ => format!("exact: the strength of an edge takes at most {bytes} bytes at a time ({cost})"),
        };
        asking::announce(&arguments.tree, &what);
        (network.explain(&evidence, &ask)?, Some(network.closed().clone()), bytes)
    } else {
        asking::announce(&arguments.tree, "no parameters, no tables: only what the structure says");
        let closed = affordable_canonical(&model.structure);
        let own = closed.as_ref().unwrap_or(&model.structure);
        (Explanation::of_structure(&model.structure, own, &evidence), closed, 0)
    };
    let told = Told::new(&model, &evidence, explanation, closed.as_ref());
    match arguments.format.format {
        Format::Text => output::page(&told.as_text())?,
        Format::Json => output::json(&told.as_json(bytes))?,
    }
    Ok(Outcome::Done)
}

/// Everything that there is to say.
struct Told<'a> {
    model: &'a Model,
    schema: &'a Schema,
    evidence: &'a Evidence,
    explanation: Explanation,
    /// The cut edges that take more than their own context.
    implied: Vec<Edge>,
    /// Contexts with elements that others imply.
    implied_contexts: Vec<EdgeContext>,
}

impl<'a> Told<'a> {
    fn new(
        model: &'a Model,
        evidence: &'a Evidence,
        explanation: Explanation,
        closed: Option<&Structure>,
    ) -> Self {
        let structure = &model.structure;
        let own = cut_edges(structure, structure, evidence);
        let implied = explanation.cut.iter().copied().filter(|edge| !own.contains(edge)).collect();
        let more = |context: &&EdgeContext| {
            let known = structure.context(context.edge());
            known.is_none_or(|known| known.space() == context.space() && known.len() < context.len())
        };
        let implied_contexts =
            closed.into_iter().flat_map(Structure::contexts).filter(more).cloned().collect();
        Self { model, schema: &model.schema, evidence, explanation, implied, implied_contexts }
    }

    fn list(&self, set: &VarSet) -> Vec<&str> {
        set.iter().map(|v| self.schema.name(v)).collect()
    }

    fn context_json(&self, context: &EdgeContext) -> Value {
        let label = |(v, level): (usize, u32)| self.schema.variable(v).levels[level as usize].clone();
        let element = |cell| -> Vec<String> {
            let levels = context.space().configuration(cell);
            context.space().variables().iter().zip(levels).map(label).collect()
        };
        json!({"edge": asking::edge_json(self.schema, context.edge()),
            "given": self.list(context.space().variables()),
            "elements": context.elements().map(element).collect::<Vec<_>>(),
            "sentence": sentence(self.schema, context)})
    }

    fn as_json(&self, bytes: u64) -> Value {
        let (schema, explanation) = (self.schema, &self.explanation);
        let structure = &self.model.structure;
        let named = |v: usize, set: &VarSet| (schema.name(v).to_owned(), json!(self.list(set)));
        let blankets: Map<String, Value> =
            (0..schema.len()).map(|v| named(v, structure.markov_blanket(v))).collect();
        let left: Map<String, Value> =
            explanation.free.iter().map(|v| named(v, explanation.graph.markov_blanket(v))).collect();
        let edges = explanation.edges.iter().map(|strength| {
            json!({"edge": asking::edge_json(schema, strength.edge), "information": strength.information,
                "given": self.list(&strength.given), "given_all": strength.given_all})
        });
        let groups = |groups: &[VarSet]| groups.iter().map(|group| self.list(group)).collect::<Vec<_>>();
        let pairs = explanation.separations().take(MOST_PAIRS).map(|separation| {
            let (one, other) = separation.pair;
            json!({"pair": [schema.name(one), schema.name(other)], "given": self.list(&separation.given)})
        });
        json!({
            "format": "cmnet-explain/1",
            "given": asking::given_json(schema, self.evidence),
            "soft": asking::soft_json(schema, self.evidence),
            "blankets": blankets,
            "contexts": structure.contexts().map(|context| self.context_json(context)).collect::<Vec<_>>(),
            "implied_contexts": self.implied_contexts.iter().map(|c| self.context_json(c)).collect::<Vec<_>>(),
            "cut_edges": asking::edges_json(schema, &explanation.cut),
            "implied_cut_edges": asking::edges_json(schema, &self.implied),
            "edges": edges.collect::<Vec<_>>(),
            "blankets_left": left,
            "independent_groups": groups(&explanation.groups),
            "newly_independent": explanation.splits.iter().map(|parts| groups(parts)).collect::<Vec<_>>(),
            "independent_pairs": pairs.collect::<Vec<_>>(),
            "independent_pairs_left_out": explanation.separation_count().saturating_sub(MOST_PAIRS),
            "tables": {"bytes": bytes},
        })
    }
}
