//! Time per likelihood gradient, beside listing the joint space in the same run; and whole
//! fits of large structures. `cargo bench -p cmnet --bench loglinear`
#![allow(clippy::expect_used, clippy::disallowed_macros, clippy::disallowed_methods)] // not the library

use cmnet::{
    Coordinates, Dataset, Edge, Enumeration, FitMethod, FitOptions, Likelihood, Schema, Structure, Terms,
    Variable, fit,
};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::time::{Duration, Instant};

fn main() {
    println!("| case | time |");
    println!("|---|---|");
    gradients();
    fits();
}

fn report(case: &str, time: Duration) {
    println!("| {case} | {time:.1?} |");
}

/// The median time of some runs.
fn median(runs: usize, mut work: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[runs / 2]
}

/// Sixteen binary variables in a ring of triangles, with contexts: joint space 2^16.
fn gradients() {
    let mut random = Pcg64Mcg::seed_from_u64(1);
    let mut structure = band(&[2; 16], 2);
    for edge in structure.graph().edges().collect::<Vec<_>>() {
        structure.add_context_element(edge, 0).ok();
    }
    let data = uniform(&mut random, &structure, 1000);
    let terms = Terms::new(&structure, None).expect("few terms");
    let coordinates = Coordinates::new(&structure, &terms).expect("small fractions");
    let likelihood = Likelihood::new(&structure, &data, 1 << 20).expect("a small tree");
    let beta: Vec<f64> = (0..coordinates.len()).map(|_| random.random_range(-1.0..1.0)).collect();
    let means = vec![0.5; terms.len()];
    let tree = median(201, || {
        std::hint::black_box(likelihood.evaluate(&beta));
    });
    let list = median(3, || {
        let joint = Enumeration::new(&terms, &coordinates.expand(&beta)).expect("2^16 configurations");
        std::hint::black_box(joint.gradient(&terms, &coordinates, &means));
    });
    report("gradient, 16 binary variables, junction tree", tree);
    report("gradient, 16 binary variables, listing 2^16 configurations", list);
    println!("| ratio | {:.0} |", list.as_secs_f64() / tree.as_secs_f64());
    // The fastest way to list: the joint space as one clique, summed by the same sweeps.
    let joint = Likelihood::new(&band(&[2; 16], 15), &data, 1 << 24).expect("one clique");
    let saturated = vec![0.01; joint.coordinates().len()];
    let table = median(5, || {
        std::hint::black_box(joint.evaluate(&saturated));
    });
    report("gradient, 16 binary variables, one table of 2^16 cells", table);
    println!("| ratio | {:.0} |", table.as_secs_f64() / tree.as_secs_f64());
    let grid = grid(10);
    let data = uniform(&mut random, &grid, 1000);
    let likelihood = Likelihood::new(&grid, &data, 1 << 28).expect("a tree of a few thousand cells");
    let beta = vec![0.1; likelihood.coordinates().len()];
    let case = format!("gradient, 10 x 10 binary grid, {}", likelihood.tree().cost());
    let time = median(21, || {
        std::hint::black_box(likelihood.evaluate(&beta));
    });
    report(&case, time);
}

fn fits() {
    let mut random = Pcg64Mcg::seed_from_u64(2);
    let cardinalities: Vec<u32> = (0..200).map(|_| random.random_range(2..=3)).collect();
    let structure = band(&cardinalities, 3);
    let data = uniform(&mut random, &structure, 5000);
    fit_and_report("200 variables, cliques of 4, closed form", &structure, &data, FitMethod::Exact);
    let mut contexts = structure.clone();
    for edge in contexts.graph().edges().collect::<Vec<_>>() {
        contexts.add_context_element(edge, 1).ok();
    }
    fit_and_report(
        "200 variables, cliques of 4, a context on every edge",
        &contexts,
        &data,
        FitMethod::Exact,
    );
    let grid = grid(16);
    let data = uniform(&mut random, &grid, 5000);
    fit_and_report("16 x 16 binary grid, pseudo-likelihood", &grid, &data, FitMethod::Pseudo);
}

fn fit_and_report(case: &str, structure: &Structure, data: &Dataset, method: FitMethod) {
    let options = FitOptions { method, ..FitOptions::default() };
    let start = Instant::now();
    let fitted = fit(structure, data, &options).expect("a fit");
    let time = start.elapsed();
    let (k, steps, status) = (fitted.free_parameters, fitted.iterations, fitted.status);
    report(&format!("fit, {case}: {k} parameters, {steps} iterations, {status}"), time);
}

/// Each variable connected to the next few.
fn band(cardinalities: &[u32], width: usize) -> Structure {
    let mut structure = Structure::empty(cardinalities);
    for i in 0..cardinalities.len() {
        for j in i + 1..=(i + width).min(cardinalities.len() - 1) {
            structure.toggle_edge(Edge::new(i, j).expect("two nodes")).expect("known nodes");
        }
    }
    structure
}

fn grid(side: usize) -> Structure {
    let mut structure = Structure::empty(&vec![2; side * side]);
    for node in 0..side * side {
        let right = (node % side + 1 < side).then_some(node + 1);
        let below = (node + side < side * side).then_some(node + side);
        for other in [right, below].into_iter().flatten() {
            structure.toggle_edge(Edge::new(node, other).expect("two nodes")).expect("known nodes");
        }
    }
    structure
}

fn uniform(random: &mut Pcg64Mcg, structure: &Structure, rows: usize) -> Dataset {
    let variable = |(index, &levels): (usize, &u32)| Variable {
        name: format!("x{index}"),
        levels: (0..levels).map(|level| level.to_string()).collect(),
    };
    let schema = Schema::new_unchecked(structure.cardinalities().iter().enumerate().map(variable).collect());
    let column = |&levels: &u32| (0..rows).map(|_| random.random_range(0..levels)).collect();
    let columns: Vec<Vec<u32>> = structure.cardinalities().iter().map(column).collect();
    Dataset::from_columns(schema, &columns, None).expect("codes in range")
}
