//! The blanket phase against the machine's own AND and population count on the same words.

use crate::usage::{Meter, on_threads};
use anyhow::Result;
use cmnet::{Alpha, BlanketLimits, BlanketSearch, BlanketState, CandidateRule, PlaneCounts, Scorer};
use cmnet_paper::generate::two_tree;

pub(crate) fn run(variables: usize, rows: usize) -> Result<()> {
    let tree = two_tree(variables, rows, 1)?;
    let counts = PlaneCounts::new(&tree.data);
    let scorer = Scorer::new(&counts, Alpha::default());
    let search = BlanketSearch::new(&scorer, BlanketLimits::default(), CandidateRule::Or);
    on_threads(1, || -> Result<()> {
        let before = counts.words_counted();
        let meter = Meter::start();
        let mut state = BlanketState::default();
        search.find_blankets(&mut state, &())?;
        let seconds = meter.processor();
        let words = (counts.words_counted() - before) as f64;
        let roof = roof(variables, rows.div_ceil(64));
        println!(
            "blanket phase, d = {variables}, n = {rows}, one thread: {seconds:.2} processor s for {words:.3e} words"
        );
        println!(
            "  {:.2} words/ns; the machine's own AND + popcount loop {roof:.2} words/ns: share {:.2}",
            words / seconds / 1e9,
            words / seconds / 1e9 / roof
        );
        Ok(())
    })?
}

/// Words per nanosecond of a plain AND and population-count loop over as many planes of the
/// same length.
fn roof(planes: usize, words: usize) -> f64 {
    let row = |seed: u64| -> Vec<u64> {
        (0..words as u64)
            .map(|word| (word + seed * 31).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(17))
            .collect()
    };
    let planes: Vec<Vec<u64>> = (0..planes as u64).map(row).collect();
    let masks: Vec<Vec<u64>> = (0..16).map(|seed| row(seed + 7)).collect();
    let mut best = 0.0f64;
    for _ in 0..5 {
        let meter = Meter::start();
        let total: u64 = pulp::Arch::new().dispatch(
            #[inline(always)]
            || {
                let mut total = 0;
                for plane in &planes {
                    for mask in &masks {
                        total +=
                            plane.iter().zip(mask).map(|(a, b)| u64::from((a & b).count_ones())).sum::<u64>();
                    }
                }
                total
            },
        );
        std::hint::black_box(total);
        best = best.max((planes.len() * masks.len() * words) as f64 / meter.wall() / 1e9);
    }
    best
}
