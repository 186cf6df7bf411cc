//! What a model says, and what evidence does to it.

use super::{Intervals, Mathematics, confirmed, names, supported};
use crate::sentence;
use cmnet::{
    Edge, EdgeContext, Evidence, ExactOptions, Explanation, Model, Network, Result, Structure, Under, Var,
    VarSet, affordable_canonical, cut_edges,
};
use serde_json::{Map, Value, json};

/// Pairs without an edge that are listed.
const MOST_PAIRS: usize = 1000;

/// An explanation and what it is about.
#[derive(Clone, Debug)]
pub struct Explained<'a> {
    /// The model that is explained.
    pub model: &'a Model,
    /// What is known.
    pub evidence: &'a Evidence,
    /// What follows.
    pub explanation: Explanation,
    /// The cut edges that take more than their own context.
    pub implied_cuts: Vec<Edge>,
    /// Contexts with elements that others imply.
    pub implied_contexts: Vec<EdgeContext>,
    /// What the tables take at a time, in bytes.
    pub bytes: u64,
    /// Terms, restrictions and classes, where they were asked for.
    pub mathematics: Option<Mathematics<'a>>,
    /// Standard errors and intervals, where they are asked for.
    pub intervals: Option<Intervals>,
}

answer_by_json!(Explained, "cmnet-explain/1");

impl<'a> Explained<'a> {
    /// Explains a model, by its network where it is fitted.
    ///
    /// # Errors
    /// As [`Network::explain`].
    pub fn of<'e>(
        model: &'a Model,
        network: Option<&Network>,
        evidence: &'a Evidence,
        exact: impl Into<Under<'e, ExactOptions>>,
    ) -> Result<Self> {
        let exact = exact.into();
        let structure = model.structure();
        let (explanation, closed, bytes) = if let Some(network) = network {
            let bytes = network.explain_cost(evidence, &exact).1;
            (network.explain(evidence, exact)?, Some(network.closed().clone()), bytes)
        } else {
            let closed = affordable_canonical(structure);
            let known = closed.as_ref().unwrap_or(structure);
            (Explanation::of_structure(structure, known, evidence), closed, 0)
        };
        let own = cut_edges(structure, structure, evidence);
        let implied_cuts =
            explanation.cut.iter().copied().filter(|edge| own.binary_search(edge).is_err()).collect();
        let more = |context: &&EdgeContext| {
            let known = structure.context(context.edge());
            known.is_none_or(|known| known.space() == context.space() && known.len() < context.len())
        };
        let implied_contexts = closed.iter().flat_map(Structure::contexts).filter(more).cloned().collect();
        let (mathematics, intervals) = (None, None);
        Ok(Self {
            model,
            evidence,
            explanation,
            implied_cuts,
            implied_contexts,
            bytes,
            mathematics,
            intervals,
        })
    }

    /// The same with standard errors and intervals.
    #[must_use]
    pub fn with_intervals(self, intervals: Option<Intervals>) -> Self {
        Self { intervals, ..self }
    }

    /// All of it by names.
    fn to_json(&self) -> Value {
        let (schema, explanation) = (self.model.schema(), &self.explanation);
        let structure = self.model.structure();
        let list = |set: &VarSet| json!(names::list(schema, set));
        let named = |v: Var, set: &VarSet| (schema.name(v).to_owned(), list(set));
        let blankets = (0..schema.len()).map(|v| named(v, structure.markov_blanket(v)));
        let left = explanation.free.iter().map(|v| named(v, explanation.graph.markov_blanket(v)));
        let edges = explanation.edges.iter().map(|strength| {
            json!({"edge": names::edge(schema, strength.edge), "information": strength.information,
                "given": list(&strength.given), "given_all": strength.given_all})
        });
        let groups = |groups: &[VarSet]| groups.iter().map(list).collect::<Value>();
        let pairs = explanation.separations().take(MOST_PAIRS).map(|separation| {
            let (one, other) = separation.pair;
            json!({"pair": [schema.name(one), schema.name(other)], "given": list(&separation.given)})
        });
        let mut document = json!({
            "given": names::given(schema, self.evidence),
            "soft": names::soft(schema, self.evidence),
            "blankets": blankets.collect::<Map<_, _>>(),
            "contexts": structure.contexts().map(|context| self.context(context)).collect::<Value>(),
            "implied_contexts": self.implied_contexts.iter().map(|c| self.context(c)).collect::<Value>(),
            "cut_edges": names::edges(schema, &explanation.cut),
            "implied_cut_edges": names::edges(schema, &self.implied_cuts),
            "edges": edges.collect::<Value>(),
            "blankets_left": left.collect::<Map<_, _>>(),
            "independent_groups": groups(&explanation.groups),
            "newly_independent": explanation.splits.iter().map(|parts| groups(parts)).collect::<Value>(),
            "independent_pairs": pairs.collect::<Value>(),
            "independent_pairs_left_out": explanation.separation_count().saturating_sub(MOST_PAIRS),
            "tables": {"bytes": self.bytes},
        });
        if let (Some(mathematics), Some(fields)) = (&self.mathematics, document.as_object_mut()) {
            mathematics.write_into(fields);
        }
        if let Some(known) = self.model.confirmed() {
            document["confirmed"] = confirmed(schema, structure, known);
        }
        let support = self.model.support();
        document["support"] = json!(support.map(|support| supported(schema, structure, support)));
        if let Some(intervals) = &self.intervals {
            document["intervals"] = intervals.to_json(schema);
        }
        document
    }

    fn context(&self, context: &EdgeContext) -> Value {
        let schema = self.model.schema();
        let space = context.space();
        let element = |cell| -> Value {
            let levels = space.configuration(cell);
            space.variables().iter().zip(levels).map(|known| names::label(schema, known)).collect()
        };
        json!({"edge": names::edge(schema, context.edge()),
            "given": names::list(schema, space.variables()),
            "elements": context.elements().map(element).collect::<Value>(),
            "sentence": sentence(schema, context)})
    }
}
