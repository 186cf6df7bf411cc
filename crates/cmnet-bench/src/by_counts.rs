//! Another test of contexts, measured beside the one that is built in: a Bayes factor of the counts of a
//! configuration, which needs no finite odds ratios; and why true elements are missed.

use crate::known::known;
use anyhow::Result;
use cmnet::{ContextChoice, Dataset, Edge, LearnOptions, Select, Structure, learn};
use cmnet_paper::generate::{Recovery, recovery};

/// Which elements are looked at.
const WAYS: [&str; 4] = ["all", "confirmed", "found, by counts", "any, by counts"];

/// Learns some tables of one kind, and prints precision, recall and F1 of the elements by each way.
pub(crate) fn run(kind: &str, variables: usize, rows: usize, (first, tables): (usize, usize)) -> Result<()> {
    let mut sums = [[0.0; 3]; WAYS.len()];
    let mut missed = [0u64; 4];
    for seed in first..first + tables {
        let truth = known(kind, variables, rows, seed as u64)?;
        let by = |contexts| -> Result<Structure> {
            let options = LearnOptions {
                kappas: vec!["n^-0.5".parse()?],
                select: Select::None,
                contexts,
                ..LearnOptions::default()
            };
            Ok(learn(&truth.data, &options, &())?.models.remove(0).structure)
        };
        let (all, confirmed) = (by(ContextChoice::All)?, by(ContextChoice::Confirmed)?);
        let found = by_counts(&all, &truth.data, true)?;
        let any = by_counts(&all, &truth.data, false)?;
        for (sum, structure) in sums.iter_mut().zip([&all, &confirmed, &found, &any]) {
            let Recovery { elements, .. } = recovery(&truth.structure, structure);
            let numbers = [elements.precision, elements.recall, elements.f1()];
            sum.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number / tables as f64);
        }
        count_missed(&truth.structure, [&all, &confirmed], &mut missed);
    }
    println!("{kind}, {variables} variables, {rows} rows, tables {first} to {}", first + tables - 1);
    for (way, [precision, recall, f1]) in WAYS.iter().zip(sums) {
        println!("  {way:<18} elements P {precision:.3} R {recall:.3} F1 {f1:.3}");
    }
    let [edge, neighbours, search, test] = missed;
    println!(
        "  missed: {edge} no edge, {neighbours} other common neighbours, {search} not found, {test} not confirmed"
    );
    Ok(())
}

/// Why the true elements are not there: no edge, other common neighbours, not found, not confirmed.
fn count_missed(truth: &Structure, [all, confirmed]: [&Structure; 2], missed: &mut [u64; 4]) {
    for context in truth.contexts() {
        let (edge, own) = (context.edge(), context.space().variables());
        let has =
            |structure: &Structure, cell| structure.context(edge).is_some_and(|found| found.contains(cell));
        for cell in context.elements() {
            if !all.graph().contains(edge) {
                missed[0] += 1;
            } else if all.graph().common_neighbors(edge) != *own {
                missed[1] += 1;
            } else if !has(all, cell) {
                missed[2] += 1;
            } else if !has(confirmed, cell) {
                missed[3] += 1;
            }
        }
    }
}

/// The elements that are more probable than not by the counts of their configurations: of those that were
/// found, or of all.
fn by_counts(structure: &Structure, data: &Dataset, found: bool) -> Result<Structure> {
    let mut left = structure.clone();
    left.clear_contexts();
    for edge in structure.graph().edges() {
        let common = structure.graph().common_neighbors(edge);
        let space = cmnet::OutcomeSpace::new(common, structure.cardinalities())?;
        let mut cells: Vec<(f64, u64)> = Vec::new();
        for cell in 0..space.size() {
            let was = structure.context(edge).is_some_and(|context| context.contains(cell));
            if space.size() > 1 && (was || !found) {
                let levels = space.configuration(cell);
                let given: Vec<(usize, u32)> = space.variables().iter().zip(levels).collect();
                let odds = log_bayes_factor(&counts(data, edge, &given)) - libm::log(space.size() as f64);
                cells.push((odds, cell));
            }
        }
        cells.retain(|&(odds, _)| odds > 0.0);
        cells.sort_by(|one, other| other.0.total_cmp(&one.0));
        // All of them would be no edge at all: the least probable one stays.
        cells.truncate(space.size() as usize - 1);
        for (_, cell) in cells {
            left.add_context_element(edge, cell)?;
        }
    }
    Ok(left)
}

/// The rows of a configuration by the levels of both ends.
fn counts(data: &Dataset, edge: Edge, given: &[(usize, u32)]) -> Vec<Vec<u64>> {
    let levels = data.schema().cardinalities();
    let mut found = vec![vec![0; levels[edge.high()] as usize]; levels[edge.low()] as usize];
    for (row, &weight) in data.weights().iter().enumerate() {
        let row = data.row(row);
        if given.iter().all(|&(v, level)| row[v] == level) {
            found[row[edge.low()] as usize][row[edge.high()] as usize] += u64::from(weight);
        }
    }
    found
}

/// ln p(counts | independent) / p(counts | not), with uniform Dirichlet priors.
fn log_bayes_factor(counts: &[Vec<u64>]) -> f64 {
    let evidence = |counts: &[u64]| {
        let (cells, rows) = (counts.len() as f64, counts.iter().sum::<u64>() as f64);
        let each: f64 = counts.iter().map(|&count| libm::lgamma(count as f64 + 1.0)).sum();
        libm::lgamma(cells) - libm::lgamma(rows + cells) + each
    };
    let low: Vec<u64> = counts.iter().map(|row| row.iter().sum()).collect();
    let high: Vec<u64> = (0..counts[0].len()).map(|b| counts.iter().map(|row| row[b]).sum()).collect();
    evidence(&low) + evidence(&high) - evidence(&counts.concat())
}
