//! Known structures with contexts and rows drawn from them, by a seed: what benchmarks and
//! tests measure recovery against.

mod grid;
mod recovery;
mod two_tree;

pub use grid::ising_field;
pub use recovery::{Agreement, Recovery, recovery};
pub use two_tree::{TwoTree, two_tree};

use crate::data::{Codes, Dataset, Schema, Variable, collapse::collapse};
use crate::error::Result;
use rand::RngCore;
use rand_pcg::Pcg64Mcg;

/// A uniform number in [0, 1) with 53 digits: the same on every platform and release.
fn uniform(generator: &mut Pcg64Mcg) -> f64 {
    (generator.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// A uniform number below a bound that is far below 2^64.
fn below(generator: &mut Pcg64Mcg, bound: usize) -> usize {
    (generator.next_u64() % bound.max(1) as u64) as usize
}

/// Binary columns as a table with names x0, x1, ... and levels 0, 1.
fn binary_table(columns: Vec<Vec<u8>>) -> Result<Dataset> {
    let rows = columns.first().map_or(0, Vec::len);
    let variable =
        |index: usize| Variable { name: format!("x{index}"), levels: vec!["0".into(), "1".into()] };
    let schema = Schema::new((0..columns.len()).map(variable).collect());
    let packed = |column: Vec<u8>| Codes::from_codes(column.into_iter().map(u16::from));
    let columns: Vec<Codes> = columns.into_iter().map(packed).collect();
    collapse(schema, &columns, &vec![1; rows])
}
