//! The partition of a Markov blanket's outcome space into classes (paper, section 3.2 and
//! its partition figure).

use crate::data::Var;
use crate::error::{Error, Remedy, Result};
use crate::graph::DisjointSets;
use crate::structure::Structure;
use crate::table::{Cell, OutcomeSpace};

/// The largest outcome space that is partitioned cell by cell.
const MOST_CELLS: u64 = 1 << 26;

/// The classes of X_mb(j): configurations in one class share one conditional distribution
/// of X_j.
///
/// Two configurations are in one class when a chain of single-variable changes links them,
/// each change in some i in mb(j) made while the configuration of cn(i,j) is in C(i,j). The
/// chain may lead through configurations that nobody observed: classes are built over the
/// whole space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    space: OutcomeSpace,
    class: Vec<u32>,
    classes: usize,
}

impl Partition {
    /// The partition that a structure's contexts induce at a node.
    ///
    /// # Errors
    /// When the outcome space has more than 2^26 configurations.
    ///
    /// # Complexity
    /// Near-linear in the size of X_mb(j) times the number of its contexts.
    pub fn of(structure: &Structure, node: Var) -> Result<Self> {
        let space = structure.blanket_space(node)?;
        if space.size() > MOST_CELLS {
            return Err(Error::limit(
                format!("the Markov blanket of variable {node} with {} configurations", space.size()),
                "2^26 for an explicit partition",
                [Remedy::LeaveOutVariables, Remedy::GroupLevels],
            ));
        }
        let mut sets = DisjointSets::new(space.size() as usize);
        for (neighbor, context) in structure.contexts_at(node) {
            let Some(position) = space.variables().position(neighbor) else { continue };
            let given = space.projection(context.space());
            let (stride, levels) = (space.stride(position), u64::from(space.cardinalities()[position]));
            let bases = (0..space.size()).filter(|&cell| cell / stride % levels == 0);
            for base in bases.filter(|&cell| context.contains(given.apply(cell))) {
                for level in 1..levels {
                    sets.join(base as usize, (base + level * stride) as usize);
                }
            }
        }
        let (class, classes) = sets.numbered();
        Ok(Self { space, class, classes })
    }

    /// The outcome space X_mb(j).
    pub fn space(&self) -> &OutcomeSpace {
        &self.space
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The class of a configuration; classes are numbered by their first configuration.
    pub fn class(&self, cell: Cell) -> usize {
        self.class[cell as usize] as usize
    }

    /// The configurations of every class, ascending.
    pub fn members(&self) -> Vec<Vec<Cell>> {
        let mut members = vec![Vec::new(); self.classes];
        for (cell, &class) in self.class.iter().enumerate() {
            members[class as usize].push(cell as Cell);
        }
        members
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Edge;

    /// The labelled six-node graph of the paper's Figure 1(b), all variables ternary.
    fn figure_1b() -> Structure {
        let mut structure = Structure::empty(&[3; 6]);
        let edge = |i: usize, j: usize| Edge::new(i - 1, j - 1).unwrap();
        for (i, j) in [(1, 2), (2, 3), (1, 4), (4, 5), (2, 5), (3, 5)] {
            structure.toggle_edge(edge(i, j)).unwrap();
        }
        structure.add_context_element(edge(2, 5), 0).unwrap();
        structure.add_context_element(edge(3, 5), 1).unwrap();
        structure.add_context_element(edge(3, 5), 2).unwrap();
        structure
    }

    #[test]
    fn the_papers_figure_has_nine_classes() {
        let partition = Partition::of(&figure_1b(), 4).unwrap();
        assert_eq!(partition.classes(), 9);
        let mut sizes: Vec<usize> = partition.members().iter().map(Vec::len).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [1, 1, 1, 1, 1, 1, 7, 7, 7]);
        // The figure's last column: the class of (0,0,x4) for each x4.
        for x4 in 0..3 {
            let cell = |x2, x3| partition.class(partition.space().cell(&[x2, x3, x4]));
            for (x2, x3) in [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)] {
                assert_eq!(cell(x2, x3), cell(0, 0));
            }
            assert_ne!(cell(0, 1), cell(0, 0));
            assert_ne!(cell(0, 1), cell(0, 2));
        }
    }

    #[test]
    fn without_contexts_every_configuration_is_a_class() {
        let mut structure = figure_1b();
        structure.clear_contexts();
        assert_eq!(Partition::of(&structure, 4).unwrap().classes(), 27);
        assert_eq!(Partition::of(&structure, 5).unwrap().classes(), 1);
    }
}
