//! A fitted model as inference sees it: phi-terms over complete sets (paper, eq. 1).

use super::evidence::Evidence;
use crate::data::{Schema, Var};
use crate::error::{Error, Result, quoted};
use crate::loglinear::{Parameters, Terms};
use crate::structure::Structure;
use std::sync::OnceLock;

/// The largest sum of absolute terms: beyond it differences between configurations are lost
/// to rounding, and far beyond it sums overflow.
const LARGEST_ENERGY: f64 = 1e12;

/// A distribution given by phi-terms, with the names and contexts that go with it.
///
/// Made by [`crate::Model::network`]; answers questions through its methods.
#[derive(Clone, Debug)]
pub struct Network {
    schema: Schema,
    structure: Structure,
    /// The structure with what its contexts imply, as far as that is known.
    closed: Structure,
    parameters: Parameters,
    /// log Z, once a question took it where the fit does not know it.
    pub(super) partition: OnceLock<f64>,
}

impl Network {
    /// A network that reads its terms from parameters, which are shared and not copied.
    ///
    /// # Errors
    /// When schema, structure and parameters do not fit each other, or a value is not finite.
    pub fn new(schema: &Schema, structure: &Structure, parameters: Parameters) -> Result<Self> {
        let unfit = |problem: &str| Error::question(problem, "use a model file that cmnet wrote");
        let (terms, values) = (parameters.terms(), parameters.values());
        let cardinalities = structure.cardinalities();
        if schema.cardinalities() != cardinalities || terms.cardinalities() != cardinalities {
            return Err(unfit("the levels of the variables do not fit the structure"));
        }
        if !terms.cliques().iter().all(|clique| structure.graph().is_complete(clique)) {
            return Err(unfit("there are terms over variables that are not connected"));
        }
        if !values.iter().all(|value| value.is_finite()) {
            return Err(unfit("the terms of a set are not one finite number each"));
        }
        if values.iter().map(|value| value.abs()).sum::<f64>() > LARGEST_ENERGY {
            return Err(unfit("the terms are so large that their sums mean nothing"));
        }
        let (schema, structure) = (schema.clone(), structure.clone());
        Ok(Self { schema, closed: structure.clone(), structure, parameters, partition: OnceLock::new() })
    }

    /// The same network, with a structure that says all that its contexts imply: more context
    /// elements, and perhaps fewer edges. Evidence then cuts the implied edges too.
    ///
    /// The caller vouches that the terms satisfy its restrictions.
    ///
    /// # Errors
    /// When that structure has other variables, or an edge that the network's has not.
    pub fn with_closure(mut self, closed: Structure) -> Result<Self> {
        let known = |edge| self.structure.graph().contains(edge);
        if closed.cardinalities() != self.cardinalities() || !closed.graph().edges().all(known) {
            let problem = "the closure is not one of this network's structure";
            return Err(Error::question(problem, "take it with loglinear::canonical"));
        }
        self.closed = closed;
        Ok(self)
    }

    /// Names and levels.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Graph and contexts.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// Graph and contexts with what they imply, as far as that is known.
    pub fn closed(&self) -> &Structure {
        &self.closed
    }

    /// The number of levels of each variable.
    pub fn cardinalities(&self) -> &[u32] {
        self.structure.cardinalities()
    }

    /// The terms with their values.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The terms.
    pub(super) fn terms(&self) -> &Terms {
        self.parameters.terms()
    }

    /// The variables that are not given.
    pub(crate) fn free(&self, evidence: &Evidence) -> Result<Vec<Var>> {
        let free: Vec<Var> = (0..self.schema().len()).filter(|&v| evidence.level(v).is_none()).collect();
        if free.is_empty() {
            return Err(Error::question("every variable is given", "leave out what you want to know"));
        }
        Ok(free)
    }

    /// Targets exist, stand once and are not given.
    pub(crate) fn check_targets(&self, targets: &[Var], evidence: &Evidence) -> Result<()> {
        let schema = self.schema();
        for (place, &target) in targets.iter().enumerate() {
            if target >= schema.len() {
                let problem = format!("there is no variable {target}");
                return Err(Error::question(problem, format!("there are {}, counted from 0", schema.len())));
            }
            let name = quoted(schema.name(target));
            if evidence.level(target).is_some() {
                return Err(Error::question(
                    format!("{name} is both a target and given"),
                    "ask about it, or give it, but not both",
                ));
            }
            if targets[..place].contains(&target) {
                return Err(Error::question(format!("{name} is asked for twice"), "name each variable once"));
            }
        }
        Ok(())
    }
}
