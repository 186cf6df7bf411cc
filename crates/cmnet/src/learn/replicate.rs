//! What resampling learns: the structure of the whole table, and one of each resample.

use crate::graph::Graph;
use crate::score::Kappa;
use crate::structure::Structure;

/// What learning from the whole table gave, before any resample.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstLearning {
    /// The graph of each kappa.
    pub graphs: Vec<Graph>,
    /// How much work it was: questions to its control.
    pub questions: u64,
}

/// The structure that one resample gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Replicate {
    /// Kappa, which was chosen where there were several.
    pub kappa: Kappa,
    /// The structure, closed where that is affordable.
    pub structure: Structure,
    /// Whether it is closed.
    pub closed: bool,
    /// Whether its search ended at the bound of its work.
    pub bounded: bool,
}
