//! An edge {i, j}: never a loop, its ends in ascending order.

use crate::data::Var;
use crate::error::{Result, StructureProblem};
use std::fmt;

/// An undirected edge between two different variables. Edges order lexicographically.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    low: u32,
    high: u32,
}

impl Edge {
    /// The edge between two variables, in either order.
    ///
    /// # Errors
    /// When both are the same variable, or one is beyond all that a table can have.
    pub fn new(one: Var, other: Var) -> Result<Self> {
        if one == other {
            return Err(StructureProblem::Loop(one).into());
        }
        let index = |variable: Var| {
            let count = u32::MAX as usize;
            u32::try_from(variable).map_err(|_| StructureProblem::UnknownVariable { variable, count })
        };
        Ok(Self { low: index(one.min(other))?, high: index(one.max(other))? })
    }

    /// The end with the smaller index.
    pub fn low(self) -> Var {
        self.low as Var
    }

    /// The end with the larger index.
    pub fn high(self) -> Var {
        self.high as Var
    }

    /// Both ends, ascending.
    pub fn ends(self) -> (Var, Var) {
        (self.low(), self.high())
    }

    /// The other end, seen from one of them.
    pub fn other(self, end: Var) -> Var {
        if end == self.low() { self.high() } else { self.low() }
    }

    /// Whether a variable is an end.
    pub fn touches(self, variable: Var) -> bool {
        self.low() == variable || self.high() == variable
    }
}

impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.low, self.high)
    }
}
