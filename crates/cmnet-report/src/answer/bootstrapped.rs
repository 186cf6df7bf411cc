//! What resamples say: `cmnet bootstrap`.

use super::ensemble::EnsembleFacts;
use super::names;
use cmnet::{
    Bootstrap, Cell, Edge, EdgeSupport, ElementSupport, Ensemble, Frequency, Model, Schema, Similarity,
    Stability, StabilityPoint, Structure, Support, Var, context_records, edge_names,
};
use serde_json::{Value, json};

/// `cmnet-bootstrap/1`: supports of edges and context elements, and the consensus.
#[derive(Clone, Copy, Debug)]
pub struct BootstrappedAnswer<'a> {
    /// The names of variables and levels.
    pub schema: &'a Schema,
    /// What was found.
    pub found: &'a Bootstrap,
    /// The consensus; `None` when no replicate was finished.
    pub consensus: Option<&'a Model>,
    /// What is found again when rows are dropped, where that was asked for.
    pub stability: Option<&'a Stability>,
    /// The networks of the resamples, where they were asked for.
    pub ensemble: Option<&'a Ensemble>,
}

answer_by_json!(BootstrappedAnswer, "cmnet-bootstrap/1");

/// A support and how far the number of replicates leaves it open.
fn add(mut fields: Value, found: Frequency) -> Value {
    fields["support"] = json!(found.support());
    fields["count"] = json!(found.count);
    fields["error"] = json!(found.error());
    fields["interval"] = json!(found.interval());
    fields["verdict"] = json!(found.verdict());
    fields
}

impl BootstrappedAnswer<'_> {
    fn to_json(self) -> Value {
        let (schema, found) = (self.schema, self.found);
        let kappas = found
            .kappas
            .iter()
            .map(|count| json!({"kappa": count.kappa.to_string(), "chosen": count.chosen}));
        json!({"replicates": found.finished, "asked": found.asked, "seed": found.seed,
            "resample": found.resample.to_string(), "share": found.share, "start": found.start.to_string(),
            "kappa_choice": found.kappa_choice.to_string(),
            "threshold": found.threshold, "stop": found.stop, "kappas": kappas.collect::<Value>(),
            "settled": found.settled, "bounded": found.bounded, "unclosed": found.unclosed, "edges": counted_edges(schema, &found.edges),
            "contexts": counted_elements(schema, &found.elements),
            "consensus": self.consensus.map(consensus), "stability": self.stability.map(stable),
            "ensemble": self.ensemble.map(EnsembleFacts::from)})
    }
}

/// How often each edge was there.
pub(super) fn counted_edges(schema: &Schema, edges: &[EdgeSupport]) -> Value {
    edges.iter().map(|known| add(json!({"edge": names::edge(schema, known.edge)}), known.found)).collect()
}

/// How often each edge was cut off in each configuration.
pub(super) fn counted_elements(schema: &Schema, elements: &[ElementSupport]) -> Value {
    let element = |known: &ElementSupport| {
        let mut fields = names::element(schema, known.edge, &known.given);
        fields["holds"] = json!(known.holds.support());
        add(fields, known.found)
    };
    elements.iter().map(element).collect()
}

/// The support of a model's edges and context elements, as its file has it.
pub fn supported(schema: &Schema, structure: &Structure, support: &Support) -> Value {
    let of = support.replicates;
    let edges = support
        .edges
        .iter()
        .map(|(&edge, &count)| add(json!({"edge": names::edge(schema, edge)}), Frequency { count, of }));
    let element = |(&(edge, cell), &count): (&(Edge, Cell), &u64)| {
        let space = structure.context(edge)?.space();
        let given: Vec<(Var, u32)> = space.variables().iter().zip(space.configuration(cell)).collect();
        Some(add(names::element(schema, edge, &given), Frequency { count, of }))
    };
    json!({"replicates": of, "seed": support.seed, "edges": edges.collect::<Value>(),
        "contexts": support.elements.iter().filter_map(element).collect::<Value>()})
}

/// What is found again for each share of rows that was dropped.
fn stable(found: &Stability) -> Value {
    let agreement = |found: Similarity| json!({"mean": found.mean, "least": found.least});
    let point = |point: &StabilityPoint| {
        json!({"dropped": point.dropped, "replicates": point.replicates, "edges": agreement(point.edges),
            "contexts": agreement(point.elements)})
    };
    json!({"coefficient": found.coefficient(), "similar": Stability::SIMILAR, "stop": found.stop,
        "points": found.points.iter().map(point).collect::<Value>()})
}

fn consensus(model: &Model) -> Value {
    json!({"edges": edge_names(model.schema(), model.structure()),
        "contexts": context_records(model.schema(), model.structure()),
        "score": model.provenance().map(cmnet::Provenance::score),
        "kappa": model.provenance().map(|learned| learned.kappa.to_string()),
        "parameters": model.fit().map(|fit| fit.free_parameters),
        "bic": model.fit().map(cmnet::Fit::bic)})
}
