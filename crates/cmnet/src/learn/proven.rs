//! The result of an exact search as a model.

use crate::data::{DataDigest, Dataset};
use crate::error::Result;
use crate::model::{Model, Provenance};
use crate::score::{Alpha, ContextPrior, Knowledge, Nats};
use crate::search::{Optimum, SearchUsed};

impl Optimum {
    /// The structure with its provenance, without parameters. The table, prior and alpha are
    /// those of the search, and the knowledge is what the rules of the prior were made of.
    ///
    /// # Errors
    /// When the table has other variables.
    pub fn to_model(
        &self,
        data: &Dataset,
        prior: &ContextPrior,
        alpha: Alpha,
        knowledge: &Knowledge,
    ) -> Result<Model> {
        let log_prior = prior.log_prior(&self.structure);
        let learned = Provenance {
            rows: data.rows(),
            digest: DataDigest::of(data),
            weights: None,
            kappa: prior.kappa(),
            alpha,
            edge_prior: prior.edges(),
            knowledge: knowledge.clone(),
            search: SearchUsed::Exact,
            stop: self.stop,
            refined: None,
            log_mpl: (self.score - log_prior.unwrap_or(Nats::ZERO)).to_f64(),
            log_prior: log_prior.map_or(f64::NEG_INFINITY, Nats::to_f64),
        };
        Ok(Model::new(data.schema().clone(), self.structure.clone())?.with_provenance(learned))
    }
}
