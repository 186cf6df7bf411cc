//! What structures are probable: `cmnet posterior`.

use super::names;
use cmnet::{BayesFactor, Chance, ElementPosterior, Schema, StructurePosterior, context_records, edge_names};
use serde_json::{Value, json};

/// `cmnet-posterior/1`: probabilities of edges and context elements.
#[derive(Clone, Copy, Debug)]
pub struct PosteriorAnswer<'a> {
    /// The names of variables and levels.
    pub schema: &'a Schema,
    /// What was found.
    pub found: &'a StructurePosterior,
}

answer_by_json!(PosteriorAnswer, "cmnet-posterior/1");

/// A probability, null where the chains have not mixed.
fn add(mut fields: Value, chance: &Chance, factor: Option<BayesFactor>) -> Value {
    fields["probability"] = json!(chance.probability());
    fields["error"] = json!(chance.error());
    fields["range"] = json!(chance.range);
    fields["r_hat"] = json!(chance.r_hat.is_finite().then_some(chance.r_hat));
    fields["effective"] = json!(chance.effective);
    fields["mixed"] = json!(chance.is_mixed());
    fields["bayes_factor"] = json!(factor.map(|factor| factor.value));
    fields["beyond"] = json!(factor.map(|factor| factor.beyond));
    fields
}

impl PosteriorAnswer<'_> {
    fn to_json(self) -> Value {
        let (schema, found) = (self.schema, self.found);
        let options = &found.options;
        let edges = found.edges.iter().map(|known| {
            add(json!({"edge": names::edge(schema, known.edge)}), &known.chance, known.bayes_factor)
        });
        json!({"kappa": options.kappa.to_string(), "exponent": options.exponent, "seed": options.seed,
            "chains": options.chains, "rungs": options.rungs, "warm_up": options.warm_up,
            "asked": options.sweeps, "sweeps": found.sweeps, "draws": found.draws(), "stop": found.stop,
            "mixed": found.is_mixed(), "edges": edges.collect::<Value>(),
            "contexts": found.elements.iter().map(|known| self.element(known)).collect::<Value>(),
            "best": {"edges": edge_names(schema, &found.best), "contexts": context_records(schema, &found.best)}})
    }

    fn element(self, known: &ElementPosterior) -> Value {
        let mut fields = names::element(self.schema, known.edge, &known.given);
        fields["setting"] = json!(known.setting.probability());
        add(fields, &known.chance, known.bayes_factor)
    }
}
