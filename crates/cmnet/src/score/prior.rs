//! The structure prior p(C|G): kappa to the number of restricted interactions (paper,
//! section 3.2).

use super::kappa::Kappa;
use super::nats::Nats;
use crate::graph::Edge;
use crate::structure::Structure;

/// log p(C|G) = log(kappa) times the sum over edges of |C(i,j)| (r_i-1)(r_j-1), not
/// normalised; graphs are uniform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContextPrior {
    kappa: Kappa,
    log_kappa: Option<Nats>,
}

impl ContextPrior {
    /// The prior for n observations.
    pub fn new(kappa: Kappa, rows: u64) -> Self {
        Self { kappa, log_kappa: kappa.log(rows) }
    }

    /// Kappa as given.
    pub fn kappa(&self) -> Kappa {
        self.kappa
    }

    /// log(kappa); `None` for eps, where contexts are not allowed.
    pub fn log_kappa(&self) -> Option<Nats> {
        self.log_kappa
    }

    /// What one element on this edge adds to the log prior; `None` where it is forbidden.
    pub fn element(&self, edge: Edge, cardinalities: &[u32]) -> Option<Nats> {
        let factor = |end: usize| u64::from(cardinalities[end].saturating_sub(1));
        Some(self.log_kappa? * (factor(edge.low()) * factor(edge.high())))
    }

    /// The log prior of a structure; `None` (probability 0) for a context under eps.
    pub fn log_prior(&self, structure: &Structure) -> Option<Nats> {
        structure
            .contexts()
            .map(|context| {
                Some(self.element(context.edge(), structure.cardinalities())? * context.len() as u64)
            })
            .sum()
    }
}
