//! Known structures with contexts and rows drawn from them, by a seed: what benchmarks and
//! tests measure recovery against.

mod field;
mod hubs;
mod k_tree;
mod potts;
mod recovery;
mod triangle_grid;

pub use field::ising_field;
use field::sparse_graph;
pub use hubs::{Hubs, hubs};
pub use k_tree::{KTree, k_tree, two_tree};
pub use potts::{Field, grid_field, sparse_field};
pub use recovery::{Agreement, Recovery, recovery};
pub use triangle_grid::triangle_grid;

use cmnet::{Codes, Dataset, Parameters, Result, Schema, Structure, Variable, collapse};
use rand::RngCore;
use rand_pcg::Pcg64Mcg;

/// A known structure and rows drawn from a distribution that is faithful to it.
#[derive(Clone, Debug)]
pub struct Known {
    /// Graph and contexts.
    pub structure: Structure,
    /// The distribution that the rows are drawn from.
    pub parameters: Parameters,
    /// The rows.
    pub data: Dataset,
}

/// A uniform number in [0, 1) with 53 digits: the same on every platform and release.
fn uniform(generator: &mut Pcg64Mcg) -> f64 {
    (generator.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// A uniform number below a bound that is far below 2^64.
fn below(generator: &mut Pcg64Mcg, bound: usize) -> usize {
    (generator.next_u64() % bound.max(1) as u64) as usize
}

/// Columns as a table with names x0, x1, ... and levels 0, 1, ...
fn table_of(columns: Vec<Vec<u16>>, levels: u32) -> Result<Dataset> {
    let rows = columns.first().map_or(0, Vec::len);
    let variable = |index: usize| Variable {
        name: format!("x{index}"),
        levels: (0..levels).map(|level| level.to_string()).collect(),
    };
    let schema = Schema::new_unchecked((0..columns.len()).map(variable).collect());
    let columns: Vec<Codes> = columns.into_iter().map(Codes::from_codes).collect();
    collapse(schema, &columns, &vec![1; rows])
}
