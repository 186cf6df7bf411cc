//! Known structures with contexts: time, memory and recovery, one row of a table each.

use crate::usage::{Meter, peak_megabytes};
use anyhow::{Context, Result, bail};
use cmnet::{
    Dataset, Evidence, ExactOptions, LearnOptions, Network, ReadOptions, Schema, SearchMode, Select, Source,
    canonical, learn, read_csv,
};
use cmnet_paper::generate::{
    Field, Hubs, KTree, Known, grid_field, hubs, k_tree, recovery, sparse_field, triangle_grid,
};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

/// The head of the table.
pub(crate) fn head() {
    println!(
        "{:<14} {:>5} {:>6} {:<8} {:>8} {:>8} {:>6} | {:>6} {:>6} {:>6} | {:>6} {:>6} {:>6}",
        "structure", "d", "n", "mode", "wall s", "CPU s", "MB", "edge P", "R", "F1", "ctx P", "R", "F1"
    );
}

/// Learns one known structure and prints its row.
pub(crate) fn run(kind: &str, variables: usize, rows: usize, paper: bool) -> Result<()> {
    let known = known(kind, variables, rows, 1)?;
    let options = LearnOptions {
        kappas: vec!["n^-0.5".parse()?],
        search: if paper { SearchMode::Paper } else { SearchMode::Blanket },
        select: Select::None,
        ..LearnOptions::default()
    };
    let meter = Meter::start();
    let learned = learn(&known.data, &options, &())?;
    let (wall, processor) = (meter.wall(), meter.processor());
    let found = recovery(&known.structure, &learned.models[0].structure);
    let (edges, elements) = (found.edges, found.elements);
    println!(
        "{kind:<14} {variables:>5} {rows:>6} {:<8} {wall:>8.2} {processor:>8.2} {:>6.0} | {:>6.4} {:>6.4} {:>6.4} | {:>6.4} {:>6.4} {:>6.4}",
        learned.search,
        peak_megabytes(),
        edges.precision,
        edges.recall,
        edges.f1(),
        elements.precision,
        elements.recall,
        elements.f1(),
    );
    Ok(())
}

/// Writes a 2-tree's rows as CSV.
pub(crate) fn write_table(path: &str, variables: usize, rows: usize) -> Result<()> {
    Ok(std::fs::write(path, crate::peer::as_text(&known("2-tree", variables, rows, 1)?.data))?)
}

/// Rows drawn from the model that a real table gives with kappa n^-0.5: that model is the truth.
fn like(table: &str, rows: usize, seed: u64) -> Result<Known> {
    let file = format!("data/{table}.csv");
    let data = read_csv(&Source::from_argument(&file), &ReadOptions::default())?.data;
    let options = LearnOptions { kappas: vec!["n^-0.5".parse()?], ..LearnOptions::default() };
    let learned = learn(&data, &options, &())?;
    let best = learned.kept(data.rows()).context("nothing was learned")?;
    let model = best.to_model(&data, &options, &learned.search)?;
    let parameters = model.normalized_fit()?.parameters.clone();
    let network = model.network()?;
    let drawn = drawn(&network, data.schema(), rows, seed)?;
    Ok(Known { structure: canonical(&best.structure)?, parameters, data: drawn })
}

/// The same structure, with rows that are drawn from its distribution one by one, independently.
fn independent(known: Known, rows: usize, seed: u64) -> Result<Known> {
    let Known { structure, parameters, data } = known;
    let whole = parameters.clone().normalized(structure.graph(), 1 << 28)?;
    let network = Network::new(data.schema(), &structure, whole)?;
    let data = drawn(&network, data.schema(), rows, seed)?;
    Ok(Known { structure, parameters, data })
}

fn drawn(network: &Network, schema: &Schema, rows: usize, seed: u64) -> Result<Dataset> {
    let posterior = network.posterior(&Evidence::none(), &ExactOptions::default())?;
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut columns = vec![Vec::with_capacity(rows); schema.len()];
    let mut row = vec![0; schema.len()];
    for _ in 0..rows {
        posterior.draw(&mut random, &mut row);
        columns.iter_mut().zip(&row).for_each(|(column, &level)| column.push(level));
    }
    Ok(Dataset::from_columns(schema.clone(), &columns, None)?)
}

/// A table of a known structure.
pub(crate) fn known(kind: &str, variables: usize, rows: usize, seed: u64) -> Result<Known> {
    let tree = |parents, levels| k_tree(KTree { variables, parents, levels }, rows, seed);
    Ok(match kind {
        "2-tree" => tree(2, 2)?,
        "3-tree" => tree(3, 2)?,
        "ternary-2-tree" => tree(2, 3)?,
        "5-level-tree" => tree(1, 5)?,
        "hubs" => hubs(Hubs { variables, hubs: (variables / 20).max(1), levels: 2 }, rows, seed)?,
        "ternary-hubs" => hubs(Hubs { variables, hubs: (variables / 20).max(1), levels: 3 }, rows, seed)?,
        "field" => sparse_field(Field { levels: 2, strength: 1.2 }, variables, rows, seed)?,
        "ternary-field" => sparse_field(Field { levels: 3, strength: 1.2 }, variables, rows, seed)?,
        "grid" => grid_field(Field { levels: 2, strength: 0.8 }, variables.isqrt(), rows, seed)?,
        "triangle-grid" => triangle_grid(variables.isqrt(), rows, seed)?,
        other if other.starts_with("independent-") => {
            let rest = &other["independent-".len()..];
            independent(known(rest, variables, 10, seed)?, rows, seed)?
        }
        other if other.starts_with("like-") => like(&other["like-".len()..], rows, seed)?,
        other => bail!("{other:?} is not a kind of known structure"),
    })
}
