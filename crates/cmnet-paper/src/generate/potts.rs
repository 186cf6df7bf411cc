//! Pairwise fields over any graph and any number of levels, drawn by Gibbs sampling.

use super::hubs::{permutation, pick};
use super::{Known, below, sparse_graph, table_of};
use cmnet::{Edge, Graph, Parameters, Result, Structure, Terms, Var};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

/// Sweeps between two rows, and before the first.
const SWEEPS: usize = 12;
const WARM_UP: usize = 200;

/// What a field is to be like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// The number of levels of every variable.
    pub levels: u32,
    /// The log odds that a variable takes the level that a neighbour asks for.
    pub strength: f64,
}

/// A random tree with a few more edges, each node with at most four neighbours, and rows of
/// the field over it.
///
/// # Errors
/// When there is no row.
pub fn sparse_field(field: Field, variables: usize, rows: usize, seed: u64) -> Result<Known> {
    let mut generator = Pcg64Mcg::seed_from_u64(seed);
    let graph = sparse_graph(variables, &mut generator)?;
    field_over(field, &graph, rows, &mut generator)
}

/// A square grid of `side` x `side` nodes, and rows of the field over it.
///
/// # Errors
/// When there is no row.
pub fn grid_field(field: Field, side: usize, rows: usize, seed: u64) -> Result<Known> {
    let mut graph = Graph::empty(side * side);
    for node in 0..side * side {
        if node % side + 1 < side {
            graph.toggle(Edge::new(node, node + 1)?);
        }
        if node + side < side * side {
            graph.toggle(Edge::new(node, node + side)?);
        }
    }
    field_over(field, &graph, rows, &mut Pcg64Mcg::seed_from_u64(seed))
}

/// For each neighbour of a node and each of its levels, the level that it asks for.
type Asked = Vec<Vec<(Var, Vec<usize>)>>;

fn field_over(field: Field, graph: &Graph, rows: usize, generator: &mut Pcg64Mcg) -> Result<Known> {
    let levels = field.levels as usize;
    let mut asked: Asked = vec![Vec::new(); graph.nodes()];
    for edge in graph.edges() {
        let forth = permutation(levels, generator);
        let mut back = vec![0; levels];
        forth.iter().enumerate().for_each(|(from, &to)| back[to] = from);
        asked[edge.high()].push((edge.low(), forth));
        asked[edge.low()].push((edge.high(), back));
    }
    let mut state: Vec<u16> = asked.iter().map(|_| below(generator, levels) as u16).collect();
    let mut columns = vec![Vec::with_capacity(rows); graph.nodes()];
    for row in 0..rows {
        for _ in 0..if row == 0 { WARM_UP } else { SWEEPS } {
            for node in 0..state.len() {
                let mut odds = vec![0.0; levels];
                for (other, wanted) in &asked[node] {
                    odds[wanted[state[*other] as usize]] += field.strength;
                }
                state[node] = pick(&odds, generator);
            }
        }
        columns.iter_mut().zip(&state).for_each(|(column, &level)| column.push(level));
    }
    let structure = Structure::from_graph(graph.clone(), &vec![field.levels; graph.nodes()])?;
    let parameters = Parameters::from_tables(Terms::new(&structure, None)?, tables(&asked, field.strength))?;
    Ok(Known { structure, parameters, data: table_of(columns, field.levels)? })
}

/// For each edge its ends and its part of the logarithm of the distribution, the last fastest.
fn tables(asked: &Asked, strength: f64) -> Vec<(Vec<Var>, Vec<f64>)> {
    let mut tables = Vec::new();
    for (node, neighbors) in asked.iter().enumerate() {
        for (other, wanted) in neighbors.iter().filter(|(other, _)| *other < node) {
            let mut table = vec![0.0; wanted.len() * wanted.len()];
            for (from, to) in wanted.iter().enumerate() {
                table[from * wanted.len() + to] = strength;
            }
            tables.push((vec![*other, node], table));
        }
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_ask_for_levels_in_both_directions() {
        let known = grid_field(Field { levels: 3, strength: 3.0 }, 2, 400, 1).unwrap();
        assert_eq!(known.structure.graph().edge_count(), 4);
        let mut pairs = [[0u32; 3]; 3];
        for (row, &weight) in known.data.weights().iter().enumerate() {
            let row = known.data.row(row);
            pairs[row[0] as usize][row[1] as usize] += weight;
        }
        // Each level of one goes with one level of the other, most of the time.
        let largest: u32 = pairs.iter().map(|row| row.iter().max().unwrap()).sum();
        assert!(largest > 300, "{pairs:?}");
    }
}
