//! Recovery curves: tables and figures.

use super::chart::{Chart, Point, Series};
use super::consistency::{Curve, Recovery};
use super::markdown::table;
use super::{OutputFile, Section};
use serde_json::{Map, Value, json};

/// What is counted, with the words and the colour for it.
type Count = (&'static str, usize, fn(&Recovery) -> f64);

const COUNTS: [Count; 4] = [
    ("edges missing", 0, |found| found.edges_missing as f64),
    ("edges extra", 1, |found| found.edges_extra as f64),
    ("elements missing", 2, |found| found.elements_missing as f64),
    ("elements extra", 3, |found| found.elements_extra as f64),
];

pub(super) fn section(curves: &[Curve]) -> Section {
    let mut section = Section {
        markdown: "## Consistency\n\n\
             The structure that BIC chooses against the truth, both in canonical form: mean numbers of edges \
             and context elements that are missing or extra, the share of data sets in which graph and \
             contexts are exactly the true ones, and the mean divergence. The seven-variable model has five \
             parameters that the paper does not publish; the square, which no chordal model can express, is \
             ours.\n\n"
            .to_owned(),
        ..Section::default()
    };
    for (place, curve) in curves.iter().enumerate() {
        let (edges, elements) = curve.truth;
        let heading = format!("### {} ({edges} edges, {elements} context elements)\n\n", curve.name);
        section.add(&(heading + &counts(curve)));
        section.results.insert(curve.name.to_owned(), as_json(curve));
        let text = figure(curve).svg();
        section.files.push(OutputFile { name: format!("recovery_{}.svg", place + 1), text });
    }
    section
}

fn mean(found: &[Recovery], value: impl Fn(&Recovery) -> f64) -> f64 {
    Curve::summary(found, value).map_or(f64::NAN, |summary| summary.mean)
}

fn exact(found: &Recovery) -> f64 {
    f64::from(u8::from(found.exact()))
}

fn counts(curve: &Curve) -> String {
    let row = |(rows, found): &(u32, Vec<Recovery>)| {
        let mut fields = vec![rows.to_string()];
        fields.extend(COUNTS.iter().map(|(_, _, value)| format!("{:.1}", mean(found, value))));
        fields.push(format!("{:.2}", mean(found, exact)));
        fields.push(format!("{:.6}", mean(found, |one| one.divergence)));
        fields
    };
    let rows: Vec<_> = curve.sizes.iter().map(row).collect();
    let header =
        ["n", "edges missing", "edges extra", "elements missing", "elements extra", "exact", "divergence"];
    table(&header, &rows)
}

fn as_json(curve: &Curve) -> Value {
    let mut sizes = Map::new();
    for (rows, found) in &curve.sizes {
        let mut entry = Map::new();
        for (name, _, value) in COUNTS {
            entry.insert(name.replace(' ', "_"), json!(mean(found, value)));
        }
        entry.insert("exact".to_owned(), json!(mean(found, exact)));
        entry.insert("divergence".to_owned(), json!(mean(found, |one| one.divergence)));
        entry.insert("replicates".to_owned(), json!(found.len()));
        sizes.insert(format!("n{rows}"), Value::Object(entry));
    }
    json!({"true_edges": curve.truth.0, "true_elements": curve.truth.1, "sizes": sizes})
}

fn figure(curve: &Curve) -> Chart {
    let x = |rows: u32| libm::log10(f64::from(rows));
    let series = |(name, color, value): Count| {
        let point =
            |(rows, found): &(u32, Vec<Recovery>)| Point { x: x(*rows), y: mean(found, value), spread: None };
        let points = curve.sizes.iter().map(point).collect();
        Series { name: name.to_owned(), color, joined: true, published: false, points }
    };
    let tick = |(rows, _): &(u32, Vec<Recovery>)| (x(*rows), rows.to_string());
    Chart {
        title: format!("Recovery of the structure: {}", curve.name),
        x_title: "sample size n".to_owned(),
        y_title: "mean number".to_owned(),
        ticks: curve.sizes.iter().map(tick).collect(),
        log_y: false,
        series: COUNTS.into_iter().map(series).collect(),
    }
}
