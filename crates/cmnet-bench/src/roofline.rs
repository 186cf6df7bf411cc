//! The blanket phase against the machine's own AND and population count on the same words,
//! and whether the counting kernel uses the instructions that the machine has.

#![expect(
    clippy::inline_always,
    reason = "only inlined code is compiled for the instructions chosen at run time"
)]

use crate::usage::{Meter, on_threads};
use anyhow::{Result, ensure};
use cmnet::{
    Alpha, BlanketLimits, BlanketSearch, BlanketState, CandidateRule, CountSource, PlaneCounts, Scorer, Var,
    VarSet,
};
use cmnet_paper::generate::two_tree;
use multiversion::multiversion;

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

/// Words per nanosecond of an AND and population-count loop over as many planes of the same
/// length, in the machine's best instructions.
fn roof(planes: usize, words: usize) -> f64 {
    let (planes, masks) = (rows(planes, words), rows(16, words));
    fastest(planes.len() * masks.len() * words, || {
        widest(&planes, &masks);
    })
}

/// The least by which the counting kernel must beat the same loop in the instructions that every
/// machine has, where the machine has better ones.
const LEAST: f64 = 1.5;

/// Compares the kernel behind [`CountSource::extensions`] with a loop that nothing was chosen
/// for. A kernel that lost its dispatch is as slow as that loop.
pub(crate) fn dispatch() -> Result<()> {
    let tree = two_tree(200, 100_000, 1)?;
    let counts = PlaneCounts::always(&tree.data);
    let candidates: Vec<Var> = (2..200).collect();
    let blanket: VarSet = [1].into_iter().collect();
    let before = counts.words_counted();
    let mut failed = None;
    let mut count = || {
        let counted = counts.extensions(0, &blanket, &candidates, &mut |_, counts| {
            std::hint::black_box(counts);
        });
        failed = counted.err();
    };
    count();
    let kernel = fastest((counts.words_counted() - before) as usize, count);
    failed.map_or(Ok(()), Err)?;
    let (planes, masks) = (rows(200, 1500), rows(4, 1500));
    let plain = fastest(planes.len() * masks.len() * 1500, || plain_loop(&planes, &masks));
    println!("counting kernel: {kernel:.2} words/ns, {:.1} times a plain loop", kernel / plain);
    ensure!(
        !has_wide_registers() || kernel > LEAST * plain,
        "the kernel does not use the machine's instructions: less than {LEAST} times a plain loop"
    );
    Ok(())
}

/// Rows of words that look random.
fn rows(count: usize, words: usize) -> Vec<Vec<u64>> {
    let row = |seed: u64| -> Vec<u64> {
        (0..words as u64)
            .map(|word| (word + seed * 31).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(17))
            .collect()
    };
    (0..count as u64).map(row).collect()
}

/// Words per nanosecond of work on so many words: the best of some runs.
fn fastest(words: usize, mut work: impl FnMut()) -> f64 {
    let mut best = 0.0f64;
    for _ in 0..7 {
        let meter = Meter::start();
        work();
        best = best.max(words as f64 / meter.wall() / 1e9);
    }
    best
}

/// Whether the machine has better instructions than those that every one has.
fn has_wide_registers() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// [`plain_loop`] in the machine's best instructions.
#[multiversion(targets(
    "x86_64+avx+avx2+avx512bw+avx512dq+avx512f+avx512vl+avx512vpopcntdq+bmi1+bmi2+popcnt",
    "x86_64+avx+avx2+bmi1+bmi2+popcnt"
))]
fn widest(planes: &[Vec<u64>], masks: &[Vec<u64>]) {
    plain_loop(planes, masks);
}

/// AND and population count of every plane with every mask.
#[inline(always)]
fn plain_loop(planes: &[Vec<u64>], masks: &[Vec<u64>]) {
    let mut total = 0;
    for plane in planes {
        for mask in masks {
            total += plane.iter().zip(mask).map(|(a, b)| u64::from((a & b).count_ones())).sum::<u64>();
        }
    }
    std::hint::black_box(total);
}
