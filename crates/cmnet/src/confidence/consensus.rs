//! The consensus of replicates as a model like any other.

use super::tally::support;
use super::{Bootstrap, BootstrapOptions};
use crate::control::{Outcome, StopReason};
use crate::counts::PlaneCounts;
use crate::data::{DataDigest, Dataset};
use crate::error::{ErrorKind, Result};
use crate::learn::{FitControl, LearnObserver};
use crate::loglinear::{Fit, fit_with};
use crate::model::{Model, Provenance, Support};
use crate::score::{ContextPrior, Kappa, Nats, Scorer};
use crate::search::SearchUsed;
use std::sync::Arc;

impl Bootstrap {
    /// The consensus, fitted to the table, with the support of its edges and elements; `None`
    /// when no replicate was finished. Where the structure is too large to be fitted, or fitting
    /// was stopped, it has no parameters.
    ///
    /// It is scored with the kappa that most replicates chose, among those that allow contexts
    /// where it has some.
    ///
    /// # Errors
    /// When the table is not the one that was resampled.
    pub fn to_model(
        &self,
        data: &Dataset,
        options: &BootstrapOptions,
        observer: &dyn LearnObserver,
    ) -> Result<Option<Model>> {
        if self.finished == 0 {
            return Ok(None);
        }
        let model = Model::new(data.schema().clone(), self.consensus.clone())?;
        let (counts, digest) = (PlaneCounts::new(data), DataDigest::of(data));
        let alpha = options.learn.alpha;
        let edges = options.learn.edge_prior;
        let rules = Arc::new(options.learn.knowledge.rules(data.schema())?);
        let prior = ContextPrior::new(self.kappa(data.rows()), data.rows());
        let prior = prior.with_edges(edges, data.variables()).with_rules(rules);
        let score =
            Scorer::with_memory(&counts, alpha, options.learn.fit.memory).score(&self.consensus, &prior)?;
        let model = model.with_support(self.support())?.with_provenance(Provenance {
            rows: data.rows(),
            digest: digest.clone(),
            weights: None,
            kappa: prior.kappa(),
            alpha,
            edge_prior: edges,
            knowledge: options.learn.knowledge.clone(),
            search: SearchUsed::Bootstrap,
            stop: self.stop,
            refined: None,
            log_mpl: score.log_mpl.to_f64(),
            log_prior: score.log_prior.map_or(f64::NEG_INFINITY, Nats::to_f64),
        });
        let control = FitControl { observer, searched: self.stop == StopReason::Converged, fitted: false };
        match fit_with(&self.consensus, &counts, &options.learn.fit, &control) {
            Ok(Outcome::Done(fit)) => Ok(Some(model.with_fit(Fit { digest: Some(digest), ..fit })?)),
            Ok(Outcome::Stopped(_)) => Ok(Some(model)),
            Err(error) if matches!(error.kind(), ErrorKind::Limit(_)) => Ok(Some(model)),
            Err(error) => Err(error),
        }
    }

    /// The kappa of most replicates; of equals the smaller.
    fn kappa(&self, rows: u64) -> Kappa {
        let usable = |kappa: Kappa| self.consensus.context_elements() == 0 || kappa != Kappa::Epsilon;
        let usual = self.kappas.iter().filter(|count| usable(count.kappa));
        let best = usual.max_by_key(|count| (count.chosen, std::cmp::Reverse(count.kappa.log(rows))));
        best.map_or(Kappa::Epsilon, |count| count.kappa)
    }

    /// The counts of the consensus.
    fn support(&self) -> Support {
        support(&self.consensus, (&self.edges, &self.elements), (self.finished, self.seed))
    }
}
