//! How often holes are said to go along with other values although each came by chance alone.

use anyhow::Result;
use cmnet::{IncompleteTable, Schema, Variable, missing_tests};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

const COLUMNS: usize = 8;
/// The level of the warnings, over all pairs of columns.
const LEVEL: f64 = 0.05;
/// Shares of the cells that are made missing.
const SHARES: [f64; 3] = [0.01, 0.05, 0.2];
/// Rows, and the shares of the levels: alike, and with rare ones.
const KINDS: [(usize, &[f64]); 2] =
    [(1000, &[0.33, 0.33, 0.34]), (2000, &[0.004, 0.02, 0.1, 0.2, 0.346, 0.33])];

/// The share of tables with a warning, of so many tables of each kind.
pub(crate) fn run(tables: usize) -> Result<()> {
    println!("{:>6} {:>6} {:>7} | tables with a warning", "rows", "levels", "missing");
    for (rows, levels) in KINDS {
        for share in SHARES {
            let mut warned = 0;
            for seed in 1..=tables as u64 {
                let table = table(rows, levels, share, seed)?;
                warned += usize::from(!missing_tests(&table, LEVEL).is_empty());
            }
            let found = warned as f64 / tables as f64;
            println!("{rows:>6} {:>6} {share:>7} | {found:.3} ({warned} of {tables})", levels.len());
        }
    }
    Ok(())
}

/// Columns that follow the one before in half of the rows, with cells that are missing completely at random.
fn table(rows: usize, levels: &[f64], share: f64, seed: u64) -> Result<IncompleteTable> {
    let mut random = Pcg64Mcg::seed_from_u64(seed ^ 0x6d69_7373);
    let variable = |place: usize| Variable {
        name: format!("x{place}"),
        levels: (0..levels.len()).map(|level| level.to_string()).collect(),
    };
    let mut table = IncompleteTable::new(Schema::new((0..COLUMNS).map(variable).collect())?);
    for _ in 0..rows {
        let mut row: Vec<u32> = Vec::new();
        for _ in 0..COLUMNS {
            let before = row.last().copied().filter(|_| random.random_bool(0.5));
            let drawn = drawn(levels, random.random());
            row.push(before.unwrap_or(drawn));
        }
        let holed: Vec<Option<u32>> =
            row.into_iter().map(|level| Some(level).filter(|_| !random.random_bool(share))).collect();
        table.push(&holed, 1)?;
    }
    Ok(table)
}

/// The level that a number between 0 and 1 stands for.
fn drawn(levels: &[f64], mut number: f64) -> u32 {
    for (level, share) in (0..).zip(levels) {
        number -= share;
        if number < 0.0 {
            return level;
        }
    }
    levels.len() as u32 - 1
}
