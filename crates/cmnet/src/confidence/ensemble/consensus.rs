//! What the networks of an ensemble have in common.

use super::super::options::check_share;
use super::super::tally::{Tally, support};
use super::super::{EdgeSupport, ElementSupport};
use super::model::Ensemble;
use crate::data::Schema;
use crate::error::{OptionName, Result};
use crate::model::{Model, Support};
use crate::structure::Structure;

/// Edges and context elements with the number of networks that have them.
#[derive(Clone, Debug, PartialEq)]
pub struct EnsembleConsensus {
    /// Every edge that some network has, in column order.
    pub edges: Vec<EdgeSupport>,
    /// Every configuration in which some network cuts an edge off, in the same order.
    pub elements: Vec<ElementSupport>,
    /// The edges and elements whose support reaches the threshold.
    pub structure: Structure,
    /// The counts of these.
    pub support: Support,
}

impl EnsembleConsensus {
    /// The consensus as a model without parameters, which has the support of its edges and elements.
    ///
    /// # Errors
    /// When the variables are others.
    pub fn to_model(&self, schema: &Schema) -> Result<Model> {
        Model::new(schema.clone(), self.structure.clone())?.with_support(self.support.clone())
    }
}

impl Ensemble {
    /// What so large a share of the networks agree on, counted as [`crate::bootstrap`] counts replicates.
    ///
    /// # Errors
    /// When the threshold is no share.
    pub fn consensus(&self, threshold: f64) -> Result<EnsembleConsensus> {
        check_share(OptionName::Threshold, threshold)?;
        let structures: Vec<&Structure> =
            self.members().iter().map(|member| member.model.structure()).collect();
        let Tally { edges, elements, consensus } =
            Tally::of(&structures, &self.schema().cardinalities(), threshold)?;
        let drawn = (structures.len() as u64, self.drawn().seed);
        let support = support(&consensus, (&edges, &elements), drawn);
        Ok(EnsembleConsensus { edges, elements, structure: consensus, support })
    }
}
