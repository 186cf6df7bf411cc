//! What resampling learns: the structure of the whole table, and one of each resample. What completed
//! tables give: one structure for each kappa of each of them.

use crate::data::Var;
use crate::graph::Graph;
use crate::score::Kappa;
use crate::structure::Structure;

/// What learning from the whole table gave, before any resample.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstLearning {
    /// The graphs that searches of resamples may start at, one for each of their kappas.
    pub graphs: Vec<Graph>,
    /// The kappa that was chosen.
    pub kappa: Kappa,
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

/// The structures that one completed table gave.
#[derive(Clone, Debug, PartialEq)]
pub struct CompletedTable {
    /// One for each kappa, in the order asked for.
    pub found: Vec<CompletedStructure>,
    /// The place of the one that BIC chose.
    pub chosen: usize,
    /// Variables whose blanket a limit kept from growing.
    pub limited: Vec<Var>,
}

/// The structure of one kappa in a completed table.
#[derive(Clone, Debug, PartialEq)]
pub struct CompletedStructure {
    /// The structure, closed where that is affordable.
    pub structure: Structure,
    /// Toggles considered.
    pub moves: u64,
    /// Choices among equals.
    pub ties: u64,
}

/// A round of drawing missing cells and searching the completed tables.
#[derive(Clone, Debug, PartialEq)]
pub struct CompletionRound {
    /// The graph of the model that missing cells were drawn from.
    pub drawn_from: Graph,
    /// What each completed table gave.
    pub tables: Vec<CompletedTable>,
}

impl CompletionRound {
    /// The edges that the chosen structure of some completed table has: the graph that the next round
    /// draws from. Cells drawn without an edge weaken it, so an edge in doubt is kept.
    pub fn union(&self) -> Graph {
        let mut union = Graph::empty(self.drawn_from.nodes());
        let chosen = self.tables.iter().filter_map(|table| table.found.get(table.chosen));
        for edge in chosen.flat_map(|one| one.structure.graph().edges()) {
            union.add_edge(edge);
        }
        union
    }
}
