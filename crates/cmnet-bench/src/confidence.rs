//! Calibration of bootstrap supports on known structures: of what is reported with a support,
//! the share that is true; and what a consensus gains over one learning.

use crate::known::known;
use crate::usage::Meter;
use anyhow::Result;
use cmnet::{
    Bootstrap, BootstrapOptions, ContextElement, Edge, LearnOptions, Select, Structure, bootstrap, canonical,
    difference, learn,
};
use cmnet_paper::generate::recovery;
use std::collections::BTreeSet;

/// Lower ends of the classes of support.
const CLASSES: [f64; 7] = [0.0, 0.1, 0.25, 0.5, 0.6, 0.75, 0.9];
const THRESHOLDS: [f64; 6] = [0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/// True and all, for each class of support.
#[derive(Default)]
struct Calibration([(u64, u64); CLASSES.len()]);

impl Calibration {
    fn add(&mut self, support: f64, is_true: bool) {
        let place = CLASSES.iter().rposition(|&class| support >= class).unwrap_or(0);
        self.0[place].0 += u64::from(is_true);
        self.0[place].1 += 1;
    }

    fn print(&self, what: &str) {
        for (class, (truth, all)) in CLASSES.iter().zip(self.0) {
            let share = truth as f64 / all.max(1) as f64;
            println!("  {what:<9} support from {class:.2}: {truth:>5} of {all:>5} true, {share:.2}");
        }
    }
}

/// How much is drawn.
pub(crate) struct Amount {
    pub(crate) variables: usize,
    pub(crate) rows: usize,
    pub(crate) tables: usize,
    pub(crate) replicates: usize,
    /// The first table.
    pub(crate) first: usize,
    /// How resamples are drawn and searched.
    pub(crate) how: BootstrapOptions,
}

/// Resamples some tables of one kind, and prints calibration and F1.
pub(crate) fn run(kind: &str, amount: &Amount) -> Result<()> {
    let &Amount { variables, rows, tables, replicates, first, ref how } = amount;
    let mut calibrations = Calibrations::default();
    let mut sums = [[0.0; 4]; THRESHOLDS.len() + 1];
    let (mut plain, mut resampled) = (0.0, 0.0);
    let mut bounded = 0;
    for seed in first as u64..(first + tables) as u64 {
        let truth = known(kind, variables, rows, seed)?;
        let learning = LearnOptions {
            kappas: vec!["n^-0.5".parse()?],
            threads: 1,
            select: Select::None,
            ..LearnOptions::default()
        };
        let meter = Meter::start();
        let learned = learn(&truth.data, &learning, &())?;
        plain += meter.processor();
        add(&mut sums[0], &truth.structure, &learned.models[0].structure);
        let options = BootstrapOptions {
            replicates: replicates as u64,
            learn: LearnOptions { threads: 0, ..learning },
            ..how.clone()
        };
        let meter = Meter::start();
        let found = bootstrap(&truth.data, &options, &())?;
        resampled += meter.processor();
        bounded += found.bounded;
        calibrations.add(&truth.structure, &found)?;
        for (sum, &threshold) in sums[1..].iter_mut().zip(&THRESHOLDS) {
            let found = found.clone().with_threshold(threshold)?;
            add(sum, &truth.structure, &found.consensus);
        }
    }
    println!(
        "{kind}, {variables} variables, {rows} rows, tables {first} to {}, {replicates} replicates of {} {:.3} from {}, kappa n^-0.5; {bounded} bounded",
        first + tables - 1,
        how.resample,
        how.share(),
        how.start
    );
    calibrations.edges.print("edges");
    calibrations.elements.print("elements");
    let names = THRESHOLDS.iter().map(|threshold| format!("consensus {threshold:.1}"));
    for (name, sum) in std::iter::once("one learning".to_owned()).chain(names).zip(sums) {
        let [edge, precision, recall, f1] = sum.map(|total| total / tables as f64);
        println!("  {name:<14} edge F1 {edge:.3}; elements P {precision:.3} R {recall:.3} F1 {f1:.3}");
    }
    let ratio = resampled / plain / replicates as f64;
    println!("  one learning {:.3} s of processor, a replicate {ratio:.2} of that", plain / tables as f64);
    Ok(())
}

fn add(sum: &mut [f64; 4], truth: &Structure, found: &Structure) {
    let found = recovery(truth, &canonical(found).unwrap_or_else(|_| found.clone()));
    let elements = found.elements;
    let numbers = [found.edges.f1(), elements.precision, elements.recall, elements.f1()];
    sum.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
}

/// How often edges and context elements of some support are true.
#[derive(Default)]
struct Calibrations {
    edges: Calibration,
    elements: Calibration,
}

impl Calibrations {
    fn add(&mut self, truth: &Structure, found: &Bootstrap) -> Result<()> {
        let empty = Structure::empty(truth.cardinalities());
        let known: BTreeSet<ContextElement> =
            difference(truth, &empty)?.elements[0].iter().cloned().collect();
        let graph: BTreeSet<Edge> = truth.graph().edges().collect();
        for edge in &found.edges {
            self.edges.add(edge.found.support(), graph.contains(&edge.edge));
        }
        for element in &found.elements {
            let named = ContextElement { edge: element.edge, given: element.given.clone() };
            self.elements.add(element.found.support(), known.contains(&named));
        }
        Ok(())
    }
}
