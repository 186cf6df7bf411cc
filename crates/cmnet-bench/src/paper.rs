//! Mode `paper` against the referee, and two threads against one.

use crate::usage::Meter;
use anyhow::Result;
use cmnet::{Dataset, LearnOptions, Nats, ReadOptions, SearchMode, Select, Source, learn, read_csv};
use cmnet_check::{Scoring, Table, graph_hill_climb};

/// Runs of the learner, of which the fastest counts.
const REPEATS: usize = 25;

pub(crate) fn run(data: &str) -> Result<()> {
    let loaded = read_csv(
        &Source::from_argument(format!("{data}/congressional_voting.csv")),
        &ReadOptions::default(),
    )?;
    let one = fastest(&loaded.data, "n^-0.5", 1)?;
    let meter = Meter::start();
    let kappa: cmnet::Kappa = "n^-0.5".parse()?;
    let scoring = Scoring::new(0.5, kappa.log(loaded.data.rows()).map(Nats::to_f64))?;
    let climbed = graph_hill_climb(&table(&loaded.data)?, &scoring, &mut |_, _| true)?;
    let referee = meter.wall();
    println!("mode paper, congressional_voting, kappa n^-0.5, one thread");
    println!(
        "  learner {one:.4} s, referee {referee:.2} s: ratio {:.0} (score {:.4})",
        referee / one,
        climbed.score
    );
    let one = fastest(&loaded.data, "n^-0.25", 1)?;
    let two = fastest(&loaded.data, "n^-0.25", 2)?;
    println!(
        "mode paper, congressional_voting, kappa n^-0.25: one thread {one:.3} s, two {two:.3} s: ratio {:.2}",
        one / two
    );
    Ok(())
}

fn fastest(data: &Dataset, kappa: &str, threads: usize) -> Result<f64> {
    let options = LearnOptions {
        kappas: vec![kappa.parse()?],
        search: SearchMode::Paper,
        select: Select::None,
        threads,
        ..LearnOptions::default()
    };
    let mut best = f64::INFINITY;
    for _ in 0..REPEATS {
        let meter = Meter::start();
        learn(data, &options, &())?;
        best = best.min(meter.wall());
    }
    Ok(best)
}

fn table(data: &Dataset) -> Result<Table> {
    let wide = |levels: Vec<u32>| levels.into_iter().map(|level| level as usize).collect::<Vec<_>>();
    let rows = (0..data.distinct_rows()).map(|row| wide(data.row(row))).collect();
    let weights = data.weights().iter().map(|&weight| u64::from(weight)).collect();
    Ok(Table::new(wide(data.schema().cardinalities()), rows, weights)?)
}
