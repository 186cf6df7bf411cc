//! The likelihood's gradient by junction tree, beside plain enumeration.

use crate::usage::Meter;
use anyhow::Result;
use cmnet::{Coordinates, Enumeration, FitOptions, Likelihood, Terms, fit};
use cmnet_paper::generate::two_tree;

/// Memory for the junction tree, in bytes.
const MEMORY: u64 = 1 << 30;

pub(crate) fn run() -> Result<()> {
    let tree = two_tree(16, 5000, 1)?;
    let likelihood = Likelihood::new(&tree.structure, &tree.data, MEMORY)?;
    let beta = vec![0.1; likelihood.coordinates().len()];
    let by_tree = seconds(2000, || {
        std::hint::black_box(likelihood.evaluate(&beta));
    });
    let terms = Terms::new(&tree.structure, None)?;
    let coordinates = Coordinates::new(&tree.structure, &terms)?;
    let phi = coordinates.expand(&beta);
    let means = vec![0.1; terms.len()];
    let meter = Meter::start();
    for _ in 0..5 {
        let listed = Enumeration::new(&terms, &phi)?;
        std::hint::black_box(listed.gradient(&terms, &coordinates, &means));
    }
    let by_list = meter.wall() / 5.0;
    println!(
        "gradient, 16 binary variables: junction tree {:.1} us, enumeration {:.0} us: ratio {:.0}",
        by_tree * 1e6,
        by_list * 1e6,
        by_list / by_tree
    );
    let large = two_tree(200, 5000, 1)?;
    let likelihood = Likelihood::new(&large.structure, &large.data, MEMORY)?;
    let beta = vec![0.1; likelihood.coordinates().len()];
    let each = seconds(200, || {
        std::hint::black_box(likelihood.evaluate(&beta));
    });
    let meter = Meter::start();
    let fitted = fit(&large.structure, &large.data, &FitOptions::default())?;
    println!(
        "gradient, 200 variables: {:.1} us; whole exact fit {:.2} s, {} parameters, {}",
        each * 1e6,
        meter.wall(),
        fitted.free_parameters,
        fitted.status
    );
    Ok(())
}

fn seconds(times: u32, mut work: impl FnMut()) -> f64 {
    let meter = Meter::start();
    (0..times).for_each(|_| work());
    meter.wall() / f64::from(times)
}
