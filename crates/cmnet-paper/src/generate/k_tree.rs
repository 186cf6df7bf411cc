//! Random k-trees with contexts: each new node is tied to a clique of k earlier ones, and on
//! half of them one of its edges is cut off at one configuration of the others.

use super::{Known, below, table_of, uniform};
use cmnet::{Cell, Edge, OutcomeSpace, Parameters, Result, Structure, Terms, Var, VarSet};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

/// The most neighbours of a node of a tree with k = 2: beyond that its blanket cannot be
/// learned from thousands of rows. One more for each further parent.
const MOST_NEIGHBORS: usize = 6;
/// The least probability of a level.
const LEAST: f64 = 0.08;

/// What a k-tree is to be like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KTree {
    /// The number of variables.
    pub variables: usize,
    /// k: the size of the clique that a new node is tied to.
    pub parents: usize,
    /// The number of levels of every variable.
    pub levels: u32,
}

/// One node: its earlier neighbours and, for each of their configurations, the probabilities
/// of its levels.
struct Node {
    parents: Vec<Var>,
    /// The parent that is cut off, and the configuration of the others where it is.
    cut: Option<(Var, Cell)>,
    probabilities: Vec<Vec<f64>>,
}

/// Draws a 2-tree over binary variables and `rows` rows from it.
///
/// # Errors
/// When there is no row.
pub fn two_tree(variables: usize, rows: usize, seed: u64) -> Result<Known> {
    k_tree(KTree { variables, parents: 2, levels: 2 }, rows, seed)
}

/// Draws a k-tree and `rows` rows from it.
///
/// An edge with a context is not built upon, so that its only common neighbours are the
/// other parents and the context is exactly the one that the conditional table has.
///
/// # Errors
/// When there is no row, or a node's parents have too many configurations.
pub fn k_tree(tree: KTree, rows: usize, seed: u64) -> Result<Known> {
    let mut generator = Pcg64Mcg::seed_from_u64(seed);
    let nodes = grow(tree, &mut generator)?;
    let mut structure = Structure::empty(&vec![tree.levels; tree.variables]);
    for (node, drawn) in nodes.iter().enumerate() {
        for &parent in &drawn.parents {
            structure.toggle_edge(Edge::new(parent, node)?)?;
        }
    }
    for (node, drawn) in nodes.iter().enumerate() {
        if let Some((parent, cell)) = drawn.cut {
            structure.add_context_element(Edge::new(parent, node)?, cell)?;
        }
    }
    let tables = nodes.iter().enumerate().map(|(node, drawn)| {
        let scope = drawn.parents.iter().copied().chain([node]).collect();
        (scope, drawn.probabilities.iter().flatten().map(|&p| libm::log(p)).collect())
    });
    let parameters = Parameters::from_tables(Terms::new(&structure, None)?, tables)?;
    let data = table_of(draw(&nodes, tree.levels, rows, &mut generator), tree.levels)?;
    Ok(Known { structure, parameters, data })
}

fn grow(tree: KTree, generator: &mut Pcg64Mcg) -> Result<Vec<Node>> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut open: Vec<Vec<Var>> = vec![Vec::new()];
    let mut degree: Vec<usize> = vec![0; tree.variables];
    for node in 0..tree.variables {
        let parents = match node {
            node if node <= tree.parents => (0..node).collect(),
            _ => pick(&open, &degree, MOST_NEIGHBORS + tree.parents.saturating_sub(2), generator),
        };
        for &parent in &parents {
            degree[parent] += 1;
            degree[node] += 1;
        }
        let others = u64::from(tree.levels).pow(parents.len().saturating_sub(1) as u32);
        let cut = (parents.len() > 1 && parents.len() == tree.parents && below(generator, 2) == 1)
            .then(|| (parents[below(generator, parents.len())], below(generator, others as usize) as Cell));
        if node >= tree.parents {
            open.extend(cliques(&parents, node, cut.map(|(parent, _)| parent)));
        } else if node + 1 == tree.parents {
            open = vec![(0..=node).collect()];
        }
        let probabilities = table(&parents, cut, tree.levels, generator)?;
        nodes.push(Node { parents, cut, probabilities });
    }
    Ok(nodes)
}

/// The new cliques to build upon: the node with all parents but one, without its cut edge.
fn cliques(parents: &[Var], node: Var, cut: Option<Var>) -> Vec<Vec<Var>> {
    let without = |left_out: &Var| parents.iter().copied().filter(|p| p != left_out).chain([node]).collect();
    parents.iter().filter(|&&left_out| cut.is_none_or(|cut| cut == left_out)).map(without).collect()
}

/// A clique to build upon, among those whose members still have room where possible.
fn pick(open: &[Vec<Var>], degree: &[usize], most: usize, generator: &mut Pcg64Mcg) -> Vec<Var> {
    for _ in 0..1000 {
        let clique = &open[below(generator, open.len())];
        if clique.iter().all(|&member| degree[member] < most) {
            return clique.clone();
        }
    }
    open[open.len() - 1].clone()
}

/// Well separated distributions in random order, one per configuration of the parents; where
/// the context holds, the cut parent makes no difference.
fn table(
    parents: &[Var],
    cut: Option<(Var, Cell)>,
    levels: u32,
    generator: &mut Pcg64Mcg,
) -> Result<Vec<Vec<f64>>> {
    let all = OutcomeSpace::new((0..parents.len()).collect(), &vec![levels; parents.len()])?;
    let cells = all.size() as usize;
    let place = |cell: usize| if cells == 1 { 0.5 } else { cell as f64 / (cells - 1) as f64 };
    let mut rows: Vec<Vec<f64>> = (0..cells).map(|cell| distribution(place(cell), levels)).collect();
    for last in (1..cells).rev() {
        rows.swap(last, below(generator, last + 1));
    }
    if let Some((parent, given)) = cut {
        let cut_position = parents.iter().position(|&p| p == parent).unwrap_or_default();
        let others: VarSet = (0..parents.len()).filter(|&position| position != cut_position).collect();
        let projection = all.projection(&OutcomeSpace::new(others, &vec![levels; parents.len()])?);
        let same: Vec<usize> = (0..cells).filter(|&cell| projection.apply(cell as Cell) == given).collect();
        let first = rows[same[0]].clone();
        for &cell in &same[1..] {
            rows[cell].clone_from(&first);
        }
    }
    Ok(rows)
}

/// The distribution whose mass lies around a place between the first level and the last.
fn distribution(place: f64, levels: u32) -> Vec<f64> {
    let steps = f64::from(levels - 1).max(1.0);
    let near = |level: u32| LEAST + (1.0 - (place * steps - f64::from(level)).abs()).max(0.0);
    let weights: Vec<f64> = (0..levels).map(near).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

fn draw(nodes: &[Node], levels: u32, rows: usize, generator: &mut Pcg64Mcg) -> Vec<Vec<u16>> {
    let mut columns: Vec<Vec<u16>> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let level = |row: usize| {
            let digit =
                |cell: usize, &parent: &Var| cell * levels as usize + usize::from(columns[parent][row]);
            let probabilities = &node.probabilities[node.parents.iter().fold(0, digit)];
            let mut left = uniform(generator);
            let found = probabilities.iter().position(|p| {
                left -= p;
                left < 0.0
            });
            found.unwrap_or(probabilities.len() - 1) as u16
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

    #[test]
    fn a_three_tree_of_ternary_variables_has_contexts_over_two_of_them() {
        let tree = k_tree(KTree { variables: 40, parents: 3, levels: 3 }, 10, 1).unwrap();
        assert_eq!(tree.structure.graph().edge_count(), 3 * 40 - 6);
        let contexts: Vec<_> = tree.structure.contexts().collect();
        assert!(contexts.len() > 8);
        assert!(contexts.iter().all(|context| context.space().size() == 9 && context.len() == 1));
    }

    #[test]
    fn where_the_context_holds_the_cut_parent_makes_no_difference() {
        let mut generator = Pcg64Mcg::seed_from_u64(3);
        for given in 0..3 {
            let rows = table(&[4, 7], Some((4, given)), 3, &mut generator).unwrap();
            let at = |cut: usize| &rows[cut * 3 + given as usize];
            assert_eq!((at(0), at(0)), (at(1), at(2)));
            assert!(rows.iter().all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-12));
            let mut different = rows.clone();
            different.sort_by(|a, b| a.partial_cmp(b).unwrap());
            different.dedup();
            assert_eq!(different.len(), 7);
        }
    }
}
