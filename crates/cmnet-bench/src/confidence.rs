//! Calibration of bootstrap supports on known structures: of what is reported with a support,
//! the share that is true; and what a consensus gains over one learning.

use crate::calibration::Calibration;
use crate::confirm::{NEARLY, largest_effect};
use crate::known::known;
use crate::usage::Meter;
use anyhow::{Context, Result};
use cmnet::{
    Bootstrap, BootstrapOptions, ContextElement, LearnOptions, Select, Structure, bootstrap, canonical,
    difference, learn,
};
use cmnet_paper::generate::{Known, recovery};
use std::collections::BTreeSet;

const THRESHOLDS: [f64; 6] = [0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

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
        let select = if how.learn.kappas.len() == 1 { Select::None } else { Select::Bic };
        let learning = LearnOptions { threads: 1, select, ..how.learn.clone() };
        let meter = Meter::start();
        let learned = learn(&truth.data, &learning, &())?;
        plain += meter.processor();
        let chosen = learned.kept(truth.data.rows()).context("nothing was learned")?;
        add(&mut sums[0], &truth.structure, &chosen.structure);
        let options = BootstrapOptions {
            replicates: replicates as u64,
            learn: LearnOptions { threads: 0, ..learning },
            ..how.clone()
        };
        let meter = Meter::start();
        let found = bootstrap(&truth.data, &options, &())?;
        resampled += meter.processor();
        bounded += found.bounded;
        calibrations.add(&truth, &found)?;
        for (sum, &threshold) in sums[1..].iter_mut().zip(&THRESHOLDS) {
            let found = found.clone().with_threshold(threshold)?;
            add(sum, &truth.structure, &found.consensus);
        }
    }
    println!(
        "{kind}, {variables} variables, {rows} rows, tables {first} to {}, {replicates} replicates of {} {:.3} from {}, kappa {}, contexts {}; {bounded} bounded",
        first + tables - 1,
        how.resample,
        how.share(),
        how.start,
        kappas(how),
        how.learn.contexts
    );
    calibrations.edges.print("edges");
    calibrations.elements.print("elements");
    calibrations.nearly.print("nearly");
    let names = THRESHOLDS.iter().map(|threshold| format!("consensus {threshold:.1}"));
    for (name, sum) in std::iter::once("one learning".to_owned()).chain(names).zip(sums) {
        let [edge, precision, recall, f1] = sum.map(|total| total / tables as f64);
        println!("  {name:<14} edge F1 {edge:.3}; elements P {precision:.3} R {recall:.3} F1 {f1:.3}");
    }
    let ratio = resampled / plain / replicates as f64;
    println!("  one learning {:.3} s of processor, a replicate {ratio:.2} of that", plain / tables as f64);
    Ok(())
}

/// The kappa, or of several how one is chosen.
fn kappas(how: &BootstrapOptions) -> String {
    match how.learn.kappas.as_slice() {
        [one] => one.to_string(),
        several => format!("{} of {}", how.kappa_choice, several.len()),
    }
}

fn add(sum: &mut [f64; 4], truth: &Structure, found: &Structure) {
    let found = recovery(truth, &canonical(found).unwrap_or_else(|_| found.clone()));
    let elements = found.elements;
    let numbers = [found.edges.f1(), elements.precision, elements.recall, elements.f1()];
    sum.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
}

/// How often edges and context elements of some support are true, and elements nearly so.
#[derive(Default)]
struct Calibrations {
    edges: Calibration,
    elements: Calibration,
    nearly: Calibration,
}

impl Calibrations {
    fn add(&mut self, truth: &Known, found: &Bootstrap) -> Result<()> {
        let structure = &truth.structure;
        let empty = Structure::empty(structure.cardinalities());
        let known: BTreeSet<ContextElement> =
            difference(structure, &empty)?.elements[0].iter().cloned().collect();
        for edge in &found.edges {
            self.edges.add(edge.found.support(), structure.graph().contains(edge.edge));
        }
        for element in &found.elements {
            let named = ContextElement { edge: element.edge, given: element.given.clone() };
            let (support, is_true) = (element.found.support(), known.contains(&named));
            let given = element.given.iter().copied().collect();
            self.elements.add(support, is_true);
            self.nearly.add(support, is_true || largest_effect(truth, element.edge, &given) < NEARLY);
        }
        Ok(())
    }
}
