//! Loading a model: time grows with its size, not with the square of it.

use crate::usage::Meter;
use anyhow::{Result, ensure};
use cmnet::{Edge, Model, Schema, Structure, Variable};

/// The most by which the time may grow when the number of variables grows eightfold: a loader
/// that looks at every name for every edge takes 64 times as long.
const MOST: f64 = 24.0;

pub(crate) fn run() -> Result<()> {
    let (small, large) = (seconds(1000)?, seconds(8000)?);
    println!(
        "loading a chain: {:.2} ms with 1,000 variables, {:.2} ms with 8,000: factor {:.1}",
        1e3 * small,
        1e3 * large,
        large / small
    );
    ensure!(large < MOST * small, "eight times the variables take more than {MOST} times as long to load");
    Ok(())
}

/// The shortest time to load a chain of this many binary variables.
fn seconds(variables: usize) -> Result<f64> {
    let variable = |v| Variable {
        name: format!("a variable with the number {v}"),
        levels: vec!["no".to_owned(), "yes".to_owned()],
    };
    let schema = Schema::new((0..variables).map(variable).collect())?;
    let mut structure = Structure::empty(&schema.cardinalities());
    for v in 1..variables {
        structure.add_edge(Edge::new(v - 1, v)?)?;
    }
    let text = Model::new(schema, structure)?.to_json()?;
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let meter = Meter::start();
        std::hint::black_box(Model::from_json(&text, "a chain")?);
        best = best.min(meter.wall());
    }
    Ok(best)
}
