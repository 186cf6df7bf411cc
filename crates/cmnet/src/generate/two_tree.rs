//! Random 2-trees of binary variables with contexts: each new node is tied to an edge, and
//! on half of them one of its two edges is cut off at one level of the other end.

use super::{below, binary_table, uniform};
use crate::data::{Dataset, Var};
use crate::error::Result;
use crate::graph::Edge;
use crate::structure::Structure;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

/// The most neighbours of a node: beyond that its blanket cannot be learned from thousands
/// of rows.
const MOST_NEIGHBORS: usize = 6;

/// A known structure and rows drawn from a distribution that is faithful to it.
#[derive(Clone, Debug)]
pub struct TwoTree {
    /// Graph and contexts.
    pub structure: Structure,
    /// The rows.
    pub data: Dataset,
}

/// One node: its earlier neighbours and p(x = 1) for each of their configurations.
struct Node {
    parents: Vec<Var>,
    /// The parent that is cut off, and the level of the other one where it is.
    cut: Option<(Var, u8)>,
    probabilities: [f64; 4],
}

/// Draws a 2-tree over `variables` nodes and `rows` rows from it.
///
/// An edge with a context is not built upon, so that its only common neighbour is the other
/// parent and the context is exactly the one that the conditional table has.
///
/// # Errors
/// When there is no row.
pub fn two_tree(variables: usize, rows: usize, seed: u64) -> Result<TwoTree> {
    let mut generator = Pcg64Mcg::seed_from_u64(seed);
    let nodes = grow(variables, &mut generator);
    let mut structure = Structure::empty(&vec![2; variables]);
    for (node, drawn) in nodes.iter().enumerate() {
        for &parent in &drawn.parents {
            structure.toggle_edge(Edge::new(parent, node)?)?;
        }
    }
    for (node, drawn) in nodes.iter().enumerate() {
        if let Some((parent, level)) = drawn.cut {
            structure.add_context_element(Edge::new(parent, node)?, u64::from(level))?;
        }
    }
    Ok(TwoTree { structure, data: binary_table(draw(&nodes, rows, &mut generator))? })
}

fn grow(variables: usize, generator: &mut Pcg64Mcg) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut open: Vec<(Var, Var)> = Vec::new();
    let mut degree: Vec<usize> = vec![0; variables];
    for node in 0..variables {
        let parents = match node {
            0 => vec![],
            1 => vec![0],
            _ => {
                let (one, other) = pick(&open, &degree, generator);
                vec![one, other]
            }
        };
        for &parent in &parents {
            degree[parent] += 1;
            degree[node] += 1;
        }
        let cut = (parents.len() == 2 && below(generator, 2) == 1)
            .then(|| (parents[below(generator, 2)], below(generator, 2) as u8));
        open.extend(
            parents.iter().filter(|&&parent| cut.is_none_or(|(cut, _)| cut != parent)).map(|&p| (p, node)),
        );
        let probabilities = table(&parents, cut, generator);
        nodes.push(Node { parents, cut, probabilities });
    }
    nodes
}

/// An edge to build upon, among those whose ends still have room where possible.
fn pick(open: &[(Var, Var)], degree: &[usize], generator: &mut Pcg64Mcg) -> (Var, Var) {
    for _ in 0..1000 {
        let (one, other) = open[below(generator, open.len())];
        if degree[one] < MOST_NEIGHBORS && degree[other] < MOST_NEIGHBORS {
            return (one, other);
        }
    }
    open[open.len() - 1]
}

/// Four well separated probabilities in random order; where the context holds, the cut
/// parent makes no difference.
fn table(parents: &[Var], cut: Option<(Var, u8)>, generator: &mut Pcg64Mcg) -> [f64; 4] {
    let mut values = match parents.len() {
        0 => return [0.5; 4],
        1 => return [0.2, 0.2, 0.8, 0.8],
        _ => [0.08, 0.35, 0.65, 0.92],
    };
    for last in (1..4).rev() {
        values.swap(last, below(generator, last + 1));
    }
    if let Some((cut, level)) = cut {
        let (cut_bit, given_bit) = if parents[0] == cut { (2, 1) } else { (1, 2) };
        let fixed = if level == 1 { given_bit } else { 0 };
        values[fixed | cut_bit] = values[fixed];
    }
    values
}

fn draw(nodes: &[Node], rows: usize, generator: &mut Pcg64Mcg) -> Vec<Vec<u8>> {
    let mut columns: Vec<Vec<u8>> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let level = |row: usize| {
            let cell = match node.parents.as_slice() {
                [one, other] => usize::from(columns[*one][row]) << 1 | usize::from(columns[*other][row]),
                [one] => usize::from(columns[*one][row]) << 1,
                _ => 0,
            };
            u8::from(uniform(generator) < node.probabilities[cell])
        };
        columns.push((0..rows).map(level).collect());
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_two_tree_has_its_edges_and_its_contexts() {
        let tree = two_tree(60, 10, 1).unwrap();
        assert_eq!(tree.structure.graph().edge_count(), 2 * 60 - 3);
        let contexts: Vec<_> = tree.structure.contexts().collect();
        assert!(contexts.len() > 15);
        assert!(contexts.iter().all(|context| context.space().size() == 2 && context.len() == 1));
        assert_eq!(two_tree(60, 10, 1).unwrap().data, tree.data);
        assert_ne!(two_tree(60, 10, 2).unwrap().data, tree.data);
    }
}
