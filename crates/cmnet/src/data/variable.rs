//! Variables with named levels, and the schema of a table (paper, section 2.1).

use crate::error::nearest;
use serde::{Deserialize, Serialize};

/// A variable's index in column order, counted from 0.
pub type Var = usize;

/// The most levels a variable may have.
pub const MAX_LEVELS: usize = 65_535;

/// The most rows a table may have, counted by weight.
pub const MAX_ROWS: u64 = 1 << 31;

/// A named variable X_j with its outcomes 0..r_j-1 in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    /// The column's name.
    pub name: String,
    /// The labels of the levels; level 0 is the reference of the log-linear terms.
    pub levels: Vec<String>,
}

impl Variable {
    /// The number of levels r_j.
    pub fn cardinality(&self) -> u32 {
        self.levels.len() as u32
    }

    /// The code of a label.
    pub fn level(&self, label: &str) -> Option<u32> {
        self.levels.iter().position(|level| level == label).map(|code| code as u32)
    }
}

/// The variables of a table in column order. Names are distinct and not empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    variables: Vec<Variable>,
}

impl Schema {
    /// A schema of these variables; the caller has checked names and levels.
    pub fn new(variables: Vec<Variable>) -> Self {
        Self { variables }
    }

    /// The variables in column order.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The number of variables d.
    pub fn len(&self) -> usize {
        self.variables.len()
    }

    /// Whether there is no variable.
    pub fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }

    /// The variable at an index.
    ///
    /// # Panics
    /// When the index is not below [`Schema::len`].
    pub fn variable(&self, variable: Var) -> &Variable {
        &self.variables[variable]
    }

    /// The name of the variable at an index.
    pub fn name(&self, variable: Var) -> &str {
        &self.variables[variable].name
    }

    /// The index of a name.
    pub fn find(&self, name: &str) -> Option<Var> {
        self.variables.iter().position(|variable| variable.name == name)
    }

    /// The name nearest to one that was not found.
    pub fn suggest(&self, name: &str) -> Option<&str> {
        nearest(name, self.variables.iter().map(|variable| variable.name.as_str()))
    }

    /// The numbers of levels r_1..r_d.
    pub fn cardinalities(&self) -> Vec<u32> {
        self.variables.iter().map(Variable::cardinality).collect()
    }
}
