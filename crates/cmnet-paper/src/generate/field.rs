//! Sparse pairwise binary fields, drawn by Gibbs sampling.

use super::{below, table_of, uniform};
use cmnet::{Dataset, Edge, Graph, Result};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

/// Sweeps between two rows: neighbours in a sparse field of this strength forget each other
/// quickly.
const SWEEPS: usize = 12;
/// Sweeps before the first row.
const WARM_UP: usize = 100;
/// The strength of an interaction: the log odds that two neighbours agree.
const STRENGTH: f64 = 1.2;

/// A random tree with a few more edges, each node with at most four neighbours, and rows of
/// the pairwise field over it: every edge says that its two ends agree or that they differ.
///
/// # Errors
/// When there is no row.
pub fn ising_field(variables: usize, rows: usize, seed: u64) -> Result<(Graph, Dataset)> {
    let mut generator = Pcg64Mcg::seed_from_u64(seed);
    let graph = sparse_graph(variables, &mut generator)?;
    let mut signs: Vec<Vec<(usize, f64)>> = vec![Vec::new(); variables];
    for edge in graph.edges() {
        let sign = if below(&mut generator, 2) == 1 { STRENGTH } else { -STRENGTH };
        signs[edge.low()].push((edge.high(), sign));
        signs[edge.high()].push((edge.low(), sign));
    }
    let mut state: Vec<u8> = (0..variables).map(|_| below(&mut generator, 2) as u8).collect();
    let mut columns = vec![Vec::with_capacity(rows); variables];
    sweep(&mut state, &signs, WARM_UP, &mut generator);
    for _ in 0..rows {
        sweep(&mut state, &signs, SWEEPS, &mut generator);
        columns.iter_mut().zip(&state).for_each(|(column, &level)| column.push(u16::from(level)));
    }
    Ok((graph, table_of(columns, 2)?))
}

/// A random tree with a few more edges, each node with at most four neighbours.
pub(super) fn sparse_graph(variables: usize, generator: &mut Pcg64Mcg) -> Result<Graph> {
    let mut graph = Graph::empty(variables);
    let room = |graph: &Graph, node: usize| graph.markov_blanket(node).len() < 4;
    for node in 1..variables {
        let earlier = node.min(20);
        let mut parent = node - 1 - below(generator, earlier);
        while !room(&graph, parent) {
            parent = (parent + 1) % node;
        }
        graph.toggle(Edge::new(parent, node)?);
    }
    for _ in 0..variables / 5 {
        let (one, other) = (below(generator, variables), below(generator, variables));
        if one != other && room(&graph, one) && room(&graph, other) {
            graph.add_edge(Edge::new(one, other)?);
        }
    }
    Ok(graph)
}

fn sweep(state: &mut [u8], signs: &[Vec<(usize, f64)>], times: usize, generator: &mut Pcg64Mcg) {
    for _ in 0..times {
        for node in 0..state.len() {
            let spin = |level: u8| f64::from(level) * 2.0 - 1.0;
            let field: f64 = signs[node].iter().map(|&(other, sign)| sign * spin(state[other])).sum();
            state[node] = u8::from(uniform(generator) < 1.0 / (1.0 + libm::exp(-field)));
        }
    }
}
