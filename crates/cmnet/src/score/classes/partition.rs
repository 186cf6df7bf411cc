//! The classes of a blanket listed in full, to be shown (paper, section 3.2 and figure 4).

use super::EdgeView;
use crate::counts::{Count, FamilyCounts};
use crate::data::Var;
use crate::error::{Error, Remedy, Result};
use crate::graph::DisjointSets;
use crate::structure::Structure;
use crate::table::{Cell, OutcomeSpace};

/// The most configurations of a blanket whose classes are listed.
const MOST_LISTED: u64 = 1 << 20;

/// The outcome space of a node's Markov blanket, cut into the classes that its contexts make:
/// within a class the distribution of the node is the same.
///
/// # Example
/// ```
/// use cmnet::{BlanketPartition, Edge, Structure};
/// let mut structure = Structure::empty(&[2, 2, 2]);
/// for (i, j) in [(0, 1), (0, 2), (1, 2)] {
///     structure.toggle_edge(Edge::new(i, j)?)?;
/// }
/// structure.add_context_element(Edge::new(0, 1)?, 1)?; // cut off where X_2 = 1
/// let partition = BlanketPartition::new(&structure, 0)?;
/// // (X_1, X_2) is 00, 01, 10 or 11: X_1 matters for X_0 only where X_2 = 0.
/// assert_eq!(partition.classes(), [vec![0], vec![1, 3], vec![2]]);
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlanketPartition {
    node: Var,
    space: OutcomeSpace,
    classes: Vec<Vec<Cell>>,
}

impl BlanketPartition {
    /// The classes of a node's blanket in a structure.
    ///
    /// # Errors
    /// When the blanket has more than 2^20 configurations.
    pub fn new(structure: &Structure, node: Var) -> Result<Self> {
        let space = structure.blanket_space(node)?;
        if space.size() > MOST_LISTED {
            let what = format!("the number of configurations of the blanket of variable {node} to list");
            return Err(Error::limit(what, MOST_LISTED, [Remedy::LearnSparserGraph]));
        }
        let mut sets = DisjointSets::new(space.size() as usize);
        let mut lines = Vec::new();
        for (neighbor, context) in structure.contexts_at(node) {
            let view = EdgeView::of_context(structure, node, neighbor, context);
            view.write_lines(&mut lines);
            for element in context.elements() {
                let first = view.first(element);
                for start in lines.iter().map(|&line| first + Cell::from(line)) {
                    let line = (1..view.levels).map(|level| start + level * view.stride);
                    line.for_each(|cell| sets.join(start as usize, cell as usize));
                }
            }
        }
        let (numbers, count) = sets.numbered();
        let mut classes = vec![Vec::new(); count];
        for (cell, &class) in numbers.iter().enumerate() {
            classes[class as usize].push(cell as Cell);
        }
        Ok(Self { node, space, classes })
    }

    /// The node.
    pub fn node(&self) -> Var {
        self.node
    }

    /// The outcome space of the blanket.
    pub fn space(&self) -> &OutcomeSpace {
        &self.space
    }

    /// The classes by their first configuration, each with its configurations ascending.
    pub fn classes(&self) -> &[Vec<Cell>] {
        &self.classes
    }

    /// n_ijl: how often each level of the node was observed in each class. The counts must be
    /// of the node and this blanket.
    pub fn counts(&self, counts: &FamilyCounts) -> Vec<Vec<Count>> {
        let mut class_of = vec![0; self.space.size() as usize];
        for (class, cells) in self.classes.iter().enumerate() {
            for &cell in cells {
                class_of[cell as usize] = class;
            }
        }
        let mut sums = vec![vec![0; counts.child_levels() as usize]; self.classes.len()];
        for (cell, observed) in counts.iter() {
            let sum = &mut sums[class_of[cell as usize]];
            for &(level, count) in observed {
                sum[level as usize] += count;
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::figure_1b;
    use super::*;
    use crate::graph::Edge;

    #[test]
    fn partitions_are_listed_up_to_a_limit() {
        let star = |leaves: usize| {
            let mut structure = Structure::empty(&vec![2; leaves + 1]);
            for leaf in 1..=leaves {
                structure.toggle_edge(Edge::new(0, leaf).unwrap()).unwrap();
            }
            structure
        };
        assert_eq!(BlanketPartition::new(&star(20), 0).unwrap().classes().len(), 1 << 20);
        let refused = BlanketPartition::new(&star(21), 0).unwrap_err().to_string();
        assert!(refused.contains("the limit of 1048576"), "{refused}");
    }

    #[test]
    fn the_classes_of_a_partition_have_the_counts_of_their_configurations() {
        let structure = figure_1b();
        let space = structure.blanket_space(4).unwrap();
        let counts = |cell: Cell| [cell + 1, 0, 3 * cell % 4].map(|count| count as u32);
        let entries = |cell| (0..).zip(counts(cell)).map(move |(level, count)| (cell, level, count));
        let family =
            FamilyCounts::from_entries(space.clone(), 3, (0..space.size()).flat_map(entries).collect());
        let partition = BlanketPartition::new(&structure, 4).unwrap();
        let sum = |cells: &Vec<Cell>| -> Vec<u32> {
            (0..3).map(|level| cells.iter().map(|&cell| counts(cell)[level]).sum()).collect()
        };
        let expected: Vec<Vec<u32>> = partition.classes().iter().map(sum).collect();
        assert_eq!(expected.len(), 9);
        assert_eq!(partition.counts(&family), expected);
    }
}
