//! The baseline's search under other readings of its description: whether one of them gives the
//! values that ours does not.

use super::host::{Host, Task, run};
use super::markdown::table;
use super::measure::{Judge, Measured, Trial, stratified};
use super::published::{REAL, Row};
use super::real_data::Cut;
use super::statistics::Summary;
use super::{Plan, Section};
use crate::sgm::{Kept, LabelTiming, Proposal, Reading, SgmOptions, SizePrior};
use cmnet::Result;
use serde_json::{Map, Value, json};

/// Shuffles beyond which readings are not compared further.
const MOST_SEEDS: u32 = 5;

const OURS: Reading = Reading {
    proposal: Proposal::Redraw,
    prior: SizePrior::Graph,
    labels: LabelTiming::Once,
    kept: Kept::Best,
};

/// A reading with what it is called, and how many times as many graphs are proposed.
struct Tried {
    name: &'static str,
    reading: Reading,
    longer: u32,
}

impl Tried {
    /// A reading with as many graphs as ours.
    const fn new(name: &'static str, reading: Reading) -> Self {
        Self { name, reading, longer: 1 }
    }
}

const TRIED: [Tried; 9] = [
    Tried::new("ours", OURS),
    Tried::new("toggles go on until the graph is chordal", Reading { proposal: Proposal::Walk, ..OURS }),
    Tried::new(
        "a graph that is not chordal is a refused proposal",
        Reading { proposal: Proposal::Refuse, ..OURS },
    ),
    Tried::new("labels are searched anew for each graph", Reading { labels: LabelTiming::Anew, ..OURS }),
    Tried::new("labels are searched last, for the best graph", Reading { labels: LabelTiming::Last, ..OURS }),
    Tried::new(
        "the prior counts the parameters that labels leave",
        Reading { prior: SizePrior::Labelled, ..OURS },
    ),
    Tried::new("uniform prior", Reading { prior: SizePrior::Uniform, ..OURS }),
    Tried::new("the last state is kept", Reading { kept: Kept::Last, ..OURS }),
    Tried { longer: 10, ..Tried::new("ten times as many graphs", OURS) },
];

/// What the paper prints of a model: its name, decimals, and where to find it.
type Printed = (&'static str, usize, fn(&Measured) -> f64, fn(&Row) -> Option<f64>);

const PRINTED: [Printed; 4] = [
    ("sBIC", 4, |found| found.sbic, |row| row.sbic[2]),
    ("predictive accuracy", 4, |found| found.quality, |row| row.predictive[2]),
    ("edges", 1, |found| found.edges as f64, |row| row.edges[2]),
    ("parameters", 1, |found| found.parameters as f64, |row| row.parameters[2]),
];

/// One table under one reading: for each seed the folds.
type Folds = Vec<Measured>;

/// Runs the experiment; `None` when the host asked to stop.
pub(super) fn readings(host: &dyn Host, plan: &Plan) -> Result<Option<Section>> {
    let tried = if plan.quick { &TRIED[..2] } else { &TRIED[..] };
    let seeds = plan.seeds.min(MOST_SEEDS);
    let mut tables: Vec<(&Row, Vec<Cut>)> = Vec::new();
    for row in REAL.iter().filter(|row| row.sbic[2].is_some() && row.size.is_some()) {
        if plan.quick && row.key != "coronary_heart" {
            continue;
        }
        let Some(data) = host.table(row.key)? else { continue };
        let cuts = (1..=seeds).map(|seed| Cut::new(row, &data, seed)).collect::<Result<_>>()?;
        tables.push((row, cuts));
    }
    let mut tasks = Vec::new();
    for (place, one) in tried.iter().enumerate() {
        for (row, cuts) in &tables {
            for (cut, seed) in cuts.iter().zip(1..) {
                let own = plan.sgm();
                let options = SgmOptions {
                    graph_iterations: own.graph_iterations * one.longer,
                    reading: one.reading,
                    ..own
                };
                tasks.push(Task {
                    key: format!("sgm/reading{place}/{}/seed{seed}", row.key),
                    setup: format!(
                        "readings/1, {options:?}, smoothing {}, data {}",
                        plan.smoothing, cut.digest
                    ),
                    compute: Box::new(move || folds(host, plan.smoothing, cut, &options)),
                });
            }
        }
    }
    let Some(found) = run(host, "sgm", &tasks)? else { return Ok(None) };
    drop(tasks);
    let mut chunks = found.chunks(seeds.max(1) as usize);
    let mut section = Section::default();
    let mut results: Vec<(&str, Vec<&[Folds]>)> = Vec::new();
    for one in tried {
        results.push((one.name, tables.iter().filter_map(|_| chunks.next()).collect()));
    }
    let rows: Vec<&Row> = tables.iter().map(|(row, _)| *row).collect();
    section.markdown = markdown(&rows, &results, seeds);
    for (name, of_tables) in &results {
        let entry: Map<String, Value> =
            rows.iter().zip(of_tables).map(|(row, seeds)| (row.key.to_owned(), as_json(seeds))).collect();
        section.results.insert((*name).to_owned(), Value::Object(entry));
    }
    Ok(Some(section))
}

fn folds(host: &dyn Host, smoothing: f64, cut: &Cut, options: &SgmOptions) -> Result<Option<Folds>> {
    let mut found = Folds::new();
    for (seed, part) in cut.folds() {
        let judge = Judge::HeldOut(&part.heldout);
        let trial = Trial { train: &part.training, judge, smoothing, sgm: None };
        found.extend(stratified(host, &trial, &SgmOptions { seed, ..options.clone() })?);
        if host.stop().is_some() {
            return Ok(None);
        }
    }
    Ok(Some(found))
}

fn summary(seeds: &[Folds], value: fn(&Measured) -> f64) -> Option<Summary> {
    let mean = |folds: &Folds| {
        let values: Vec<f64> = folds.iter().map(value).collect();
        Summary::of(&values).map(|summary| summary.mean)
    };
    Summary::of(&seeds.iter().filter_map(mean).collect::<Vec<_>>())
}

fn markdown(rows: &[&Row], results: &[(&str, Vec<&[Folds]>)], seeds: u32) -> String {
    let mut text = format!(
        "## Readings of the baseline's search\n\n\
         The description of the search for SGM leaves choices open. Each reading below differs from ours in one of \
         them. Entries are means over {seeds} seeds and ten folds ± the standard deviation between seeds. A star marks \
         an entry from which the paper's value lies more than three standard deviations and its rounding.\n\n"
    );
    let mut within = vec![[0usize; 2]; results.len()];
    for (place, row) in rows.iter().enumerate() {
        let mut lines = vec![published(row)];
        for (number, (name, of_tables)) in results.iter().enumerate() {
            let mut line = vec![(*name).to_owned()];
            for (_, decimals, value, paper) in PRINTED {
                let Some(summary) = of_tables.get(place).and_then(|seeds| summary(seeds, value)) else {
                    continue;
                };
                let distance = paper(row).and_then(|paper| summary.distance(paper, decimals));
                let far = distance.is_some_and(|distance| distance > 3.0);
                within[number][1] += 1;
                within[number][0] += usize::from(!far);
                line.push(summary.text(decimals) + if far { " *" } else { "" });
            }
            lines.push(line);
        }
        let header: Vec<&str> = std::iter::once("reading").chain(PRINTED.map(|printed| printed.0)).collect();
        text.extend(["### ", row.name, "\n\n", &table(&header, &lines)]);
    }
    let counts = results.iter().zip(&within);
    let lines: Vec<Vec<String>> = counts
        .map(|((name, _), count)| vec![(*name).to_owned(), format!("{} of {}", count[0], count[1])])
        .collect();
    text + "### Published values within three standard deviations\n\n"
        + &table(&["reading", "values"], &lines)
}

fn published(row: &Row) -> Vec<String> {
    let value = |(_, decimals, _, paper): Printed| {
        paper(row).map_or("-".to_owned(), |value| format!("{value:.decimals$}"))
    };
    std::iter::once("**paper**".to_owned()).chain(PRINTED.map(value)).collect()
}

fn as_json(seeds: &[Folds]) -> Value {
    let entry = |(name, _, value, _): Printed| {
        let found = summary(seeds, value);
        let numbers =
            json!({"mean": found.map(|one| one.mean), "deviation": found.and_then(|one| one.deviation)});
        (name.replace(' ', "_").to_lowercase(), numbers)
    };
    Value::Object(PRINTED.map(entry).into_iter().collect())
}
