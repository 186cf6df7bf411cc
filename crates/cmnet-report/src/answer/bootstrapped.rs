//! What resamples say: `cmnet bootstrap`.

use super::{Answer, names};
use cmnet::{
    Bootstrap, Cell, Edge, EdgeSupport, ElementSupport, Frequency, Model, Schema, Structure, Support,
    context_records, edge_names,
};
use serde::{Serialize, Serializer};
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
}

impl Answer for BootstrappedAnswer<'_> {
    const FORMAT: &'static str = "cmnet-bootstrap/1";
}

impl Serialize for BootstrappedAnswer<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

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
            "threshold": found.threshold, "stop": found.stop, "kappas": kappas.collect::<Value>(),
            "settled": found.settled, "bounded": found.bounded, "unclosed": found.unclosed, "edges": counted_edges(schema, &found.edges),
            "contexts": counted_elements(schema, &found.elements),
            "consensus": self.consensus.map(consensus)})
    }
}

/// How often each edge was there.
pub(super) fn counted_edges(schema: &Schema, edges: &[EdgeSupport]) -> Value {
    edges.iter().map(|known| add(json!({"edge": names::edge(schema, known.edge)}), known.found)).collect()
}

/// How often each edge was cut off in each configuration.
pub(super) fn counted_elements(schema: &Schema, elements: &[ElementSupport]) -> Value {
    let element = |known: &ElementSupport| {
        let given = known.given.iter();
        let fields = json!({"edge": names::edge(schema, known.edge),
            "given": given.clone().map(|&(variable, _)| schema.name(variable)).collect::<Value>(),
            "element": given.map(|&level| names::label(schema, level)).collect::<Value>(),
            "holds": known.holds.support()});
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
        let levels = space.variables().iter().zip(space.configuration(cell));
        let fields = json!({"edge": names::edge(schema, edge), "given": names::list(schema, space.variables()),
            "element": levels.map(|known| names::label(schema, known)).collect::<Value>()});
        Some(add(fields, Frequency { count, of }))
    };
    json!({"replicates": of, "seed": support.seed, "edges": edges.collect::<Value>(),
        "contexts": support.elements.iter().filter_map(element).collect::<Value>()})
}

fn consensus(model: &Model) -> Value {
    json!({"edges": edge_names(model.schema(), model.structure()),
        "contexts": context_records(model.schema(), model.structure()),
        "score": model.provenance().map(cmnet::Provenance::score),
        "kappa": model.provenance().map(|learned| learned.kappa.to_string()),
        "parameters": model.fit().map(|fit| fit.free_parameters),
        "bic": model.fit().map(cmnet::Fit::bic)})
}
