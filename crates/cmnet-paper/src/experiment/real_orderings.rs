//! What the paper says about which method is ahead on real data, and whether it holds here.

use super::markdown::table;
use super::measure::Measured;
use super::published::Row;
use super::real_data::TableResult;
use super::report_real::{BARE, SMOOTHED, Value1};
use super::statistics::Summary;

/// A statement: one method has more of something than another.
struct Ordering {
    says: &'static str,
    paper: &'static str,
    /// The one that is ahead, and the other.
    methods: (usize, usize),
    value: Value1,
    published: fn(&Row, usize) -> Option<f64>,
}

/// Printed numbers that differ by less are equal.
const ROUNDING: f64 = 0.000_05;

const SBIC: Value1 = |found: &Measured| Some(found.sbic);
const EDGES: Value1 = |found: &Measured| Some(found.edges as f64);
const PARAMETERS: Value1 = |found: &Measured| Some(found.parameters as f64);

const ORDERINGS: [Ordering; 10] = [
    statement("sBIC of CMN above MN", "all ten", (0, 1), SBIC, |row, method| row.sbic[method]),
    statement("sBIC of CMN above SGM", "all five", (0, 2), SBIC, |row, method| row.sbic[method]),
    statement("predictive accuracy of CMN above MN, smoothed", "eight of ten", (0, 1), SMOOTHED, predictive),
    statement("predictive accuracy of CMN above MN, bare", "eight of ten", (0, 1), BARE, predictive),
    statement("predictive accuracy of CMN above SGM, smoothed", "all five", (0, 2), SMOOTHED, predictive),
    statement("predictive accuracy of CMN above SGM, bare", "all five", (0, 2), BARE, predictive),
    statement("more edges in CMN than in MN", "all", (0, 1), EDGES, |row, method| row.edges[method]),
    statement("fewer edges in CMN than in SGM", "all", (2, 0), EDGES, |row, method| row.edges[method]),
    statement("fewer parameters in CMN than in MN", "all", (1, 0), PARAMETERS, parameters),
    statement("fewer parameters in CMN than in SGM", "all", (2, 0), PARAMETERS, parameters),
];

const fn statement(
    says: &'static str,
    paper: &'static str,
    methods: (usize, usize),
    value: Value1,
    published: fn(&Row, usize) -> Option<f64>,
) -> Ordering {
    Ordering { says, paper, methods, value, published }
}

fn predictive(row: &Row, method: usize) -> Option<f64> {
    row.predictive[method]
}

fn parameters(row: &Row, method: usize) -> Option<f64> {
    row.parameters[method]
}

/// How a statement fares on some tables.
#[derive(Default)]
struct Verdicts {
    holds: usize,
    ties: Vec<&'static str>,
    fails: Vec<&'static str>,
}

impl Verdicts {
    fn add(&mut self, name: &'static str, difference: f64, margin: f64) {
        if difference.abs() <= margin {
            self.ties.push(name);
        } else if difference > 0.0 {
            self.holds += 1;
        } else {
            self.fails.push(name);
        }
    }

    fn text(&self) -> String {
        let list = |what: &str, names: &[&str]| match names {
            [] => String::new(),
            _ => format!("; {what}: {}", names.join(", ")),
        };
        let of = self.holds + self.ties.len() + self.fails.len();
        format!("{} of {of}{}{}", self.holds, list("tie", &self.ties), list("the other way", &self.fails))
    }
}

/// A column of paired differences.
struct Column {
    title: &'static str,
    methods: (usize, usize),
    value: Value1,
    published: fn(&Row, usize) -> Option<f64>,
}

const fn column(
    title: &'static str,
    methods: (usize, usize),
    value: Value1,
    published: fn(&Row, usize) -> Option<f64>,
) -> Column {
    Column { title, methods, value, published }
}

const COLUMNS: [Column; 6] = [
    column("sBIC, CMN - MN", (0, 1), SBIC, |row, method| row.sbic[method]),
    column("sBIC, CMN - SGM", (0, 2), SBIC, |row, method| row.sbic[method]),
    column("predictive smoothed, CMN - MN", (0, 1), SMOOTHED, predictive),
    column("predictive bare, CMN - MN", (0, 1), BARE, predictive),
    column("predictive smoothed, CMN - SGM", (0, 2), SMOOTHED, predictive),
    column("predictive bare, CMN - SGM", (0, 2), BARE, predictive),
];

impl Column {
    fn cell(&self, result: &TableResult) -> String {
        let (one, other) = self.methods;
        let printed = (self.published)(result.published, one).zip((self.published)(result.published, other));
        let printed = printed.map_or(String::new(), |(one, other)| format!(" ({:.4})", one - other));
        match result.averages(|cell| cell.difference(one, other, self.value)) {
            Some(summary) => summary.text(4) + &printed,
            None if printed.is_empty() => "-".to_owned(),
            None => format!("not run{printed}"),
        }
    }
}

/// The paired differences of methods on the same folds.
pub(super) fn differences(tables: &[TableResult]) -> String {
    let mut header = vec!["table"];
    header.extend(COLUMNS.iter().map(|column| column.title));
    let row = |result: &TableResult| {
        let cells = COLUMNS.iter().map(|column| column.cell(result));
        std::iter::once(result.published.name.to_owned()).chain(cells).collect::<Vec<_>>()
    };
    let rows: Vec<Vec<String>> = tables.iter().map(row).collect();
    format!(
        "### Paired differences\n\nBoth methods on the same folds: mean over seeds ± the standard deviation between \
         seeds, the difference of the published values in brackets.\n\n{}",
        table(&header, &rows)
    )
}

/// Every statement about which method is ahead, as the paper words it, as its own numbers have it,
/// and here.
pub(super) fn orderings(tables: &[TableResult]) -> String {
    let mut rows = Vec::new();
    for ordering in &ORDERINGS {
        let (mut here, mut printed) = (Verdicts::default(), Verdicts::default());
        let (one, other) = ordering.methods;
        for result in tables {
            let values = (ordering.published)(result.published, one)
                .zip((ordering.published)(result.published, other));
            if let Some((one, other)) = values {
                printed.add(result.published.name, one - other, ROUNDING);
            }
            if let Some(Summary { mean, deviation, .. }) =
                result.averages(|cell| cell.difference(one, other, ordering.value))
            {
                here.add(result.published.name, mean, deviation.unwrap_or(0.0));
            }
        }
        rows.push(vec![ordering.says.to_owned(), ordering.paper.to_owned(), printed.text(), here.text()]);
    }
    rows.extend(choice_of_kappa(tables));
    format!(
        "### Orderings\n\nEvery ordering that the paper states about real data. A tie is a difference within one \
         standard deviation between seeds, or equal printed numbers.\n\n{}",
        table(&["statement", "the paper's text", "its printed numbers", "here"], &rows)
    )
}

/// The choice by BIC against the best fixed kappa, on average over tables.
fn choice_of_kappa(tables: &[TableResult]) -> Vec<Vec<String>> {
    let ran: Vec<&TableResult> = tables.iter().filter(|result| !result.seeds.is_empty()).collect();
    let average = |values: Vec<f64>| Summary::of(&values).map(|summary| summary.mean);
    let line = |name: &str, value: Value1| {
        let here =
            |method| average(ran.iter().filter_map(|r| Some(r.summary(method, value)?.mean)).collect());
        let fixed = (3..7).filter_map(here).reduce(f64::max)?;
        let there = |kappa: usize| average(ran.iter().map(|r| r.published.by_kappa[kappa]).collect());
        let printed = (0..4).filter_map(there).reduce(f64::max)?;
        let chosen = average(ran.iter().filter_map(|r| r.published.predictive[0]).collect())?;
        Some(vec![
            format!("average predictive accuracy of BIC above the best fixed kappa, {name}"),
            "yes".to_owned(),
            format!("by {:.4} on the tables run here", chosen - printed),
            format!("by {:.4}", here(0)? - fixed),
        ])
    };
    [line("smoothed", SMOOTHED), line("bare", BARE)].into_iter().flatten().collect()
}
