//! Labels inside one clique of a stratified graphical model: which configurations of the
//! clique they merge, and when they are regular and maximal.
//!
//! Nodes of a clique are known by their place in it, and its configurations by a number whose
//! bit p is the level of the node at place p.

use cmnet::DisjointSets;

/// One context element: the edge between two places is cut off in a configuration of the
/// others, written with zeros at both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Element {
    pub(super) low: usize,
    pub(super) high: usize,
    pub(super) cell: usize,
}

impl Element {
    fn ends(self) -> usize {
        1 << self.low | 1 << self.high
    }
}

/// A set of elements, as ascending places in [`LabelSpace::elements`].
pub(super) type Labels = Vec<u32>;

/// Every element that a clique's labels may have.
#[derive(Clone, Debug)]
pub(super) struct LabelSpace {
    nodes: usize,
    elements: Vec<Element>,
}

impl LabelSpace {
    /// The elements on these edges, given by places, of a clique of this many nodes.
    pub(super) fn new(nodes: usize, edges: &[(usize, usize)]) -> Self {
        let elements = edges.iter().flat_map(|&(low, high)| {
            let ends = 1 << low | 1 << high;
            (0..1usize << nodes).filter(move |cell| cell & ends == 0).map(move |cell| Element {
                low,
                high,
                cell,
            })
        });
        let elements = if nodes < 3 { Vec::new() } else { elements.collect() };
        Self { nodes, elements }
    }

    pub(super) fn elements(&self) -> &[Element] {
        &self.elements
    }

    /// The places that every labelled edge touches, as bits; all bits without labels.
    pub(super) fn shared(&self, labels: &[u32]) -> usize {
        labels.iter().fold(usize::MAX, |shared, &label| shared & self.elements[label as usize].ends())
    }

    /// The place of the node that all labelled edges share: the lowest, when there is one
    /// labelled edge only. The score is the same for either end.
    pub(super) fn pivot(&self, labels: &[u32]) -> Option<usize> {
        let shared = self.shared(labels);
        (!labels.is_empty() && shared != 0).then(|| shared.trailing_zeros() as usize)
    }

    /// The elements that can be added without breaking the rule of the shared node.
    pub(super) fn addable(&self, labels: &[u32]) -> Labels {
        let shared = self.shared(labels);
        let fits = |&place: &u32| {
            self.elements[place as usize].ends() & shared != 0 && labels.binary_search(&place).is_err()
        };
        (0..self.elements.len() as u32).filter(fits).collect()
    }

    /// For each configuration with a zero at the pivot the lowest one of its group; the
    /// other configurations stand for themselves.
    pub(super) fn groups(&self, labels: &[u32]) -> Vec<usize> {
        let cells = 0..1 << self.nodes;
        let Some(pivot) = self.pivot(labels) else { return cells.collect() };
        let mut sets = DisjointSets::new(cells.len());
        for &label in labels {
            let Element { low, high, cell } = self.elements[label as usize];
            let moved = if low == pivot { high } else { low };
            sets.join(cell, cell | 1 << moved);
        }
        cells.map(|cell| sets.find(cell)).collect()
    }

    /// Whether no element can be added without changing the groups (maximal) and every
    /// labelled edge is needed (regular).
    pub(super) fn is_regular_and_maximal(&self, labels: &[u32]) -> bool {
        let Some(pivot) = self.pivot(labels) else { return labels.is_empty() };
        let groups = self.groups(labels);
        let mut full = 0;
        let (mut edge, per_edge) = ((usize::MAX, usize::MAX), 1usize << (self.nodes - 2));
        for (place, element) in (0..).zip(&self.elements) {
            if element.ends() >> pivot & 1 == 0 {
                continue;
            }
            let moved = if element.low == pivot { element.high } else { element.low };
            let implied = groups[element.cell] == groups[element.cell | 1 << moved];
            if implied != labels.binary_search(&place).is_ok() {
                return false;
            }
            if edge != (element.low, element.high) {
                (edge, full) = ((element.low, element.high), 0);
            }
            full += usize::from(implied);
            if full == per_edge {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(space: &LabelSpace, low: usize, high: usize, cell: usize) -> u32 {
        space.elements.binary_search(&Element { low, high, cell }).unwrap() as u32
    }

    #[test]
    fn two_labels_merge_three_configurations() {
        let space = LabelSpace::new(3, &[(0, 1), (0, 2), (1, 2)]);
        let mut labels = vec![place(&space, 0, 1, 0), place(&space, 0, 2, 0)];
        labels.sort_unstable();
        assert_eq!(space.pivot(&labels), Some(0));
        let groups = space.groups(&labels);
        assert_eq!([groups[0b010], groups[0b100], groups[0b110]], [0, 0, 0b110]);
        assert!(space.is_regular_and_maximal(&labels));
        // A third edge at the other side would leave no shared node.
        assert!(space.addable(&labels).iter().all(|&e| space.elements[e as usize].low == 0));
    }

    #[test]
    fn full_and_implied_elements_are_noticed() {
        let space = LabelSpace::new(3, &[(0, 1), (0, 2), (1, 2)]);
        let full = vec![place(&space, 0, 1, 0), place(&space, 0, 1, 0b100)];
        assert!(!space.is_regular_and_maximal(&full));
        let space = LabelSpace::new(4, &[(0, 1), (0, 2), (0, 3)]);
        // Round the square of X1 and X2 by three sides: the fourth is implied.
        let sides = [(1, 0), (1, 0b100), (2, 0), (2, 0b010)];
        let all: Vec<u32> = sides.iter().map(|&(high, cell)| place(&space, 0, high, cell)).collect();
        assert!(!space.is_regular_and_maximal(&all[..3]));
        assert!(space.is_regular_and_maximal(&all));
    }
}
