//! A sparse pairwise field for the comparison with other programs.

use crate::usage::Meter;
use anyhow::Result;
use cmnet::{Dataset, Kappa, LearnOptions, SearchMode, Select, Structure, learn};
use cmnet_paper::generate::{ising_field, recovery};
use std::fmt::Write;

/// A table of generated levels as CSV.
pub(crate) fn as_text(data: &Dataset) -> String {
    let names: Vec<&str> = data.schema().variables().iter().map(|variable| variable.name.as_str()).collect();
    let mut text = names.join(",") + "\n";
    for (row, &weight) in data.weights().iter().enumerate() {
        let line: Vec<String> = data.row(row).iter().map(ToString::to_string).collect();
        text += &(line.join(",") + "\n").repeat(weight as usize);
    }
    text
}

/// Writes the table and the true edges for a peer to read.
pub(crate) fn write_table(folder: &str, variables: usize, rows: usize) -> Result<()> {
    let (graph, data) = ising_field(variables, rows, 1)?;
    std::fs::write(format!("{folder}/field.csv"), as_text(&data))?;
    let mut edges = String::new();
    for edge in graph.edges() {
        writeln!(edges, "{} {}", edge.low(), edge.high())?;
    }
    std::fs::write(format!("{folder}/field.edges"), edges)?;
    Ok(())
}

/// Learns the same table without contexts, one thread.
pub(crate) fn learn_table(variables: usize, rows: usize) -> Result<()> {
    let (graph, data) = ising_field(variables, rows, 1)?;
    let truth = Structure::from_graph(graph, &data.schema().cardinalities())?;
    let options = LearnOptions {
        kappas: vec![Kappa::Epsilon],
        search: SearchMode::Blanket,
        select: Select::None,
        threads: 1,
        ..LearnOptions::default()
    };
    let meter = Meter::start();
    let learned = learn(&data, &options, &())?;
    let found = recovery(&truth, &learned.models[0].structure);
    println!("cmnet --kappa eps: {:.2} s processor, edges F1 {:.4}", meter.processor(), found.edges.f1());
    Ok(())
}
