//! The two counting engines beside each other: what one word of AND and population count
//! costs in rows of the row loop, which is how the cheaper one is picked.

use crate::usage::Meter;
use anyhow::Result;
use cmnet::{CountSource, PlaneCounts, RowCounts, VarSet};
use cmnet_paper::generate::two_tree;

const REPEATS: usize = 10;
/// Families counted between two looks at the clock.
const INNER: usize = 50;

pub(crate) fn run() -> Result<()> {
    println!(
        "counting one family, binary: microseconds by planes and by rows, and the engine that is picked"
    );
    println!(
        "{:>7} {:>8} {:>9} {:>9} {:>9} {:>15}",
        "rows", "blanket", "planes", "rows", "picked", "rows per word"
    );
    for rows in [500, 10_000, 200_000] {
        let data = two_tree(60, rows, 1)?.data;
        let by_rows = RowCounts::new(&data);
        let picked = PlaneCounts::new(&data);
        let planes = PlaneCounts::always(&data);
        for size in [0, 1, 2, 3, 4, 5, 6, 8] {
            let blanket: VarSet = (1..=size).collect();
            let [p, r, b] =
                [&planes as &dyn CountSource, &by_rows, &picked].map(|source| time(source, &blanket));
            let (p, r, b) = (p?, r?, b?);
            let words = data.distinct_rows().div_ceil(64) as f64 * f64::from(2 << size);
            let visits = data.distinct_rows() as f64 * (size + 1) as f64;
            println!(
                "{:>7} {size:>8} {:>9.2} {:>9.2} {:>9.2} {:>15.2}",
                data.distinct_rows(),
                1e6 * p,
                1e6 * r,
                1e6 * b,
                (p / words) / (r / visits)
            );
        }
    }
    Ok(())
}

/// The fastest of several runs, in seconds.
fn time(source: &dyn CountSource, blanket: &VarSet) -> Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..REPEATS {
        let meter = Meter::start();
        for _ in 0..INNER {
            std::hint::black_box(source.family(0, blanket)?);
        }
        best = best.min(meter.wall() / INNER as f64);
    }
    Ok(best)
}
