//! Recovery curves: tables and figures.

use super::chart::{Chart, Point, Series};
use super::consistency::{Curve, PROVEN, RECOVERED, Recovery};
use super::markdown::table;
use super::statistics::Summary;
use super::{OutputFile, Section};
use serde_json::{Map, Value, json};
use std::ops::Range;

/// What is counted, with the words and the colour for it.
type Count = (&'static str, usize, fn(&Recovery) -> f64);

const COUNTS: [Count; 4] = [
    ("edges missing", 0, |found| found.edges_missing as f64),
    ("edges extra", 1, |found| found.edges_extra as f64),
    ("elements missing", 2, |found| found.elements_missing as f64),
    ("elements extra", 3, |found| found.elements_extra as f64),
];

/// Colours of what is compared, by place: the choice by BIC, eps (not shown), and three kappas.
const COLORS: [usize; 5] = [0, 3, 2, 3, 1];

pub(super) fn section(curves: &[Curve]) -> Section {
    let mut section = Section {
        markdown: "## Consistency\n\n\
             The theorem is about the structure with the highest score. Found structures are compared with the \
             truth, both in canonical form: mean numbers of edges and context elements that are missing or extra, \
             the share of data sets in which graph and contexts are exactly the true ones, and the mean divergence. \
             The seven-variable model has five parameters that the paper does not publish; the square, which no \
             chordal model can express, is ours. The first four variables are small enough for `cmnet exact`: the \
             columns `argmax` of their table are the structures that are proven to have the highest score.\n\n"
            .to_owned(),
        ..Section::default()
    };
    for (place, curve) in curves.iter().enumerate() {
        let (edges, elements) = curve.truth;
        let heading = format!("### {} ({edges} edges, {elements} context elements)\n\n", curve.name);
        section.add(&(heading + "The structure that BIC chooses:\n\n" + &counts(curve)));
        let parts = "elements missing, elements extra, share exact";
        section.add(&format!("By kappa, greedy search: {parts}.\n\n{}", by_kappa(curve, 1..PROVEN)));
        let proven = PROVEN..others(curve).end;
        if !proven.is_empty() {
            section.add(&format!(
                "By kappa, the highest score, proven: {parts}.\n\n{}",
                by_kappa(curve, proven)
            ));
        }
        section.results.insert(curve.name.to_owned(), as_json(curve));
        for (name, chart) in [("recovery", figure(curve)), ("exact_share", shares(curve))] {
            let text = chart.svg();
            section.files.push(OutputFile { name: format!("{name}_{}.svg", place + 1), text });
        }
    }
    section
}

fn mean(found: &[Vec<Recovery>], which: usize, value: impl Fn(&Recovery) -> f64) -> f64 {
    Curve::summary(found, which, value).map_or(f64::NAN, |summary| summary.mean)
}

fn exact(found: &Recovery) -> f64 {
    f64::from(u8::from(found.exact()))
}

fn counts(curve: &Curve) -> String {
    let row = |(rows, found): &(u32, Vec<Vec<Recovery>>)| {
        let mut fields = vec![rows.to_string()];
        fields.extend(COUNTS.iter().map(|(_, _, value)| format!("{:.1}", mean(found, 0, value))));
        fields.push(format!("{:.2}", mean(found, 0, exact)));
        fields.push(format!("{:.6}", mean(found, 0, |one| one.divergence)));
        fields
    };
    let rows: Vec<_> = curve.sizes.iter().map(row).collect();
    let header =
        ["n", "edges missing", "edges extra", "elements missing", "elements extra", "exact", "divergence"];
    table(&header, &rows)
}

/// What was looked for, by place, without the choice by BIC.
fn others(curve: &Curve) -> Range<usize> {
    let known = curve.sizes.iter().flat_map(|(_, found)| found).map(Vec::len).max().unwrap_or(0);
    1..known.min(RECOVERED.len())
}

fn by_kappa(curve: &Curve, which: Range<usize>) -> String {
    let mut header = vec!["n"];
    header.extend(which.clone().map(|which| RECOVERED[which]));
    let row = |(rows, found): &(u32, Vec<Vec<Recovery>>)| {
        let cell = |which| {
            let missing = mean(found, which, |one| one.elements_missing as f64);
            let extra = mean(found, which, |one| one.elements_extra as f64);
            format!("{missing:.1}, {extra:.1}, {:.2}", mean(found, which, exact))
        };
        std::iter::once(rows.to_string()).chain(which.clone().map(cell)).collect::<Vec<_>>()
    };
    table(&header, &curve.sizes.iter().map(row).collect::<Vec<_>>())
}

fn as_json(curve: &Curve) -> Value {
    let mut sizes = Map::new();
    for (rows, found) in &curve.sizes {
        let numbers = |which: usize| {
            let mut entry = Map::new();
            for (name, _, value) in COUNTS {
                entry.insert(name.replace(' ', "_"), json!(mean(found, which, value)));
            }
            entry.insert("exact".to_owned(), json!(mean(found, which, exact)));
            entry
        };
        let mut entry = numbers(0);
        entry.insert("divergence".to_owned(), json!(mean(found, 0, |one| one.divergence)));
        entry.insert("replicates".to_owned(), json!(found.len()));
        let named = others(curve).map(|which| (RECOVERED[which].to_owned(), Value::Object(numbers(which))));
        entry.insert("by_kappa".to_owned(), Value::Object(named.collect()));
        sizes.insert(format!("n{rows}"), Value::Object(entry));
    }
    json!({"true_edges": curve.truth.0, "true_elements": curve.truth.1, "sizes": sizes})
}

fn place(rows: u32) -> f64 {
    libm::log10(f64::from(rows))
}

fn chart(curve: &Curve, title: String, y_title: &str, series: Vec<Series>) -> Chart {
    Chart {
        title,
        x_title: "sample size n".to_owned(),
        y_title: y_title.to_owned(),
        ticks: curve.sizes.iter().map(|(rows, _)| (place(*rows), rows.to_string())).collect(),
        log_y: false,
        series,
    }
}

fn figure(curve: &Curve) -> Chart {
    let series = |(name, color, value): Count| {
        let point = |(rows, found): &(u32, Vec<Vec<Recovery>>)| {
            let Summary { mean, .. } = Curve::summary(found, 0, value)?;
            let spread = Curve::summary(found, 0, value)?.error();
            Some(Point { x: place(*rows), y: mean, spread })
        };
        let points = curve.sizes.iter().filter_map(point).collect();
        Series { name: name.to_owned(), color, joined: true, published: false, points }
    };
    let title = format!("Recovery by BIC: {}. Bars: one standard error", curve.name);
    chart(curve, title, "mean number", COUNTS.into_iter().map(series).collect())
}

/// The share of data sets in which everything is found, with its standard error.
fn shares(curve: &Curve) -> Chart {
    let series = |which: usize| {
        let point = |(rows, found): &(u32, Vec<Vec<Recovery>>)| {
            let share = Curve::summary(found, which, exact)?;
            let error = libm::sqrt(share.mean * (1.0 - share.mean) / share.count as f64);
            Some(Point {
                x: place(*rows) + if which >= PROVEN { 0.03 } else { 0.0 },
                y: share.mean,
                spread: Some(error),
            })
        };
        let points = curve.sizes.iter().filter_map(point).collect();
        // A kappa has one colour; proven structures are dashed, and a little to the right.
        let proven = which >= PROVEN;
        let color = COLORS[if proven { which - 4 } else { which }];
        Series {
            name: RECOVERED[which].to_owned(),
            color: color % 4,
            joined: true,
            published: proven,
            points,
        }
    };
    // The plain Markov network has no contexts to be exact about.
    let shown = (0..others(curve).end).filter(|&which| which % 4 != 1);
    let dashed = if others(curve).end > PROVEN { ". Hollow, dashed: proven" } else { "" };
    let title = format!("Share exact: {}. Bars: one standard error{dashed}", curve.name);
    chart(curve, title, "share of data sets", shown.map(series).collect())
}
