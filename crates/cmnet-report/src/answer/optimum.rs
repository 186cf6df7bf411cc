//! The structure with the highest score, with its proof.

use cmnet::{Alpha, ContextPrior, Model, Optimum, context_records, edge_names};
use serde_json::{Value, json};

/// An exact search with the model it gave.
#[derive(Clone, Debug)]
pub struct OptimumAnswer<'a> {
    /// What was found.
    pub found: &'a Optimum,
    /// The prior.
    pub prior: &'a ContextPrior,
    /// The Dirichlet hyperparameter.
    pub alpha: Alpha,
    /// The best structure as a model.
    pub model: &'a Model,
}

answer_by_json!(OptimumAnswer, "cmnet-exact/1");

impl OptimumAnswer<'_> {
    fn to_json(&self) -> Value {
        let found = self.found;
        json!({
            "kappa": self.prior.kappa().to_string(),
            "alpha": self.alpha.to_f64(),
            "score": found.score.to_f64(),
            "proven": found.is_proven(),
            "bound": found.bound.to_f64(),
            "greedy_score": found.greedy.to_f64(),
            "greedy_gap": (found.score - found.greedy).to_f64(),
            "branches": found.branches,
            "stop": found.stop,
            "edges": edge_names(self.model.schema(), self.model.structure()),
            "contexts": context_records(self.model.schema(), self.model.structure()),
            "parameters": self.model.fit().map(|fit| fit.free_parameters),
            "bic": self.model.fit().map(cmnet::Fit::bic),
        })
    }
}
