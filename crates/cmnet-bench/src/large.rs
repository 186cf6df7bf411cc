//! Many variables with contexts: time, memory and recovery on random 2-trees.

use crate::usage::{Meter, peak_megabytes};
use anyhow::Result;
use cmnet::generate::{recovery, two_tree};
use cmnet::learn::{LearnOptions, SearchMode, Select, learn};

pub(crate) fn run(variables: usize, rows: usize, paper: bool) -> Result<()> {
    let tree = two_tree(variables, rows, 1)?;
    let options = LearnOptions {
        kappas: vec!["n^-0.5".parse()?],
        search: if paper { SearchMode::Paper } else { SearchMode::Blanket },
        select: Select::None,
        ..LearnOptions::default()
    };
    let meter = Meter::start();
    let learned = learn(&tree.data, &options, &())?;
    let (wall, processor) = (meter.wall(), meter.processor());
    let found = recovery(&tree.structure, &learned.models[0].structure);
    println!(
        "2-tree d = {variables}, n = {rows}, mode {}: {wall:.2} s wall, {processor:.2} s processor, peak {:.0} MB; \
         edges P {:.4} R {:.4} F1 {:.4}; context elements P {:.4} R {:.4} F1 {:.4}",
        learned.search,
        peak_megabytes(),
        found.edges.precision,
        found.edges.recall,
        found.edges.f1(),
        found.elements.precision,
        found.elements.recall,
        found.elements.f1(),
    );
    Ok(())
}
