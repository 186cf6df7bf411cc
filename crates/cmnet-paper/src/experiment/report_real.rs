//! The real-data tables beside the paper's, and what lies outside the noise.

use super::chart::{Chart, Point, Series};
use super::markdown::table;
use super::measure::Measured;
use super::published::Row;
use super::real_data::TableResult;
use super::statistics::Summary;
use super::{OutputFile, Section};
use serde_json::{Map, Value, json};

/// The methods by place: CMN, MN, SGM, then the four kappas.
const METHODS: [&str; 7] = ["CMN", "MN", "SGM", "eps", "n^-1", "n^-1/2", "n^-1/4"];

/// One of the paper's tables.
struct Quantity {
    key: &'static str,
    title: &'static str,
    decimals: usize,
    methods: &'static [usize],
    value: fn(&Measured) -> f64,
    published: fn(&Row, usize) -> Option<f64>,
}

impl Quantity {
    /// What the paper prints for CMN, MN and SGM.
    const fn of_models(
        key: &'static str,
        title: &'static str,
        decimals: usize,
        value: fn(&Measured) -> f64,
        published: fn(&Row, usize) -> Option<f64>,
    ) -> Self {
        Self { key, title, decimals, methods: &[0, 1, 2], value, published }
    }
}

const QUANTITIES: [Quantity; 5] = [
    Quantity::of_models("sbic", "sBIC", 4, |found| found.sbic, |row, method| row.sbic[method]),
    Quantity::of_models(
        "predictive",
        "Predictive accuracy",
        4,
        |found| found.quality,
        |row, method| row.predictive[method],
    ),
    Quantity::of_models("edges", "Edges", 1, |found| found.edges as f64, |row, method| row.edges[method]),
    Quantity::of_models(
        "parameters",
        "Parameters",
        1,
        |found| found.parameters as f64,
        |row, method| row.parameters[method],
    ),
    Quantity {
        key: "predictive_by_kappa",
        title: "Predictive accuracy at fixed kappa",
        decimals: 4,
        methods: &[3, 4, 5, 6],
        value: |found| found.quality,
        published: |row, method| row.by_kappa.get(method - 3).copied(),
    },
];

pub(super) fn section(tables: &[TableResult]) -> Section {
    let mut section = Section { markdown: introduction(tables), ..Section::default() };
    let mut outside = Vec::new();
    for quantity in &QUANTITIES {
        section.add(&format!("### {}\n\n", quantity.title));
        section.markdown += &quantity_table(quantity, tables, &mut outside);
    }
    section.markdown += "### Values outside mean ± 3 standard deviations\n\n";
    section.markdown += &outside_list(tables, outside);
    section.markdown += &orderings(tables);
    for result in tables {
        section.results.insert(result.published.key.to_owned(), as_json(result));
        let spent = result.seconds();
        let share = json!({"search": spent.search, "fit": spent.fit, "sgm": spent.sgm});
        section.timing.insert(result.published.key.to_owned(), share);
    }
    section.files.push(OutputFile { name: "predictive.svg".to_owned(), text: figure(tables).svg() });
    section
}

fn introduction(tables: &[TableResult]) -> String {
    let mut text = String::from(
        "## Real-world data\n\n\
         Ten folds of each table, shuffled with seeds 1, 2, ...; structure, kappa and parameters are learned \
         anew in each fold. Every entry is the mean over seeds of the average over folds ± the standard \
         deviation between seeds, beside the paper's value in brackets. A star marks a published value that \
         lies more than three standard deviations (and its rounding) from the mean. The deviation is that of \
         reshuffling the same rows, so it is small where the folds agree.\n\n",
    );
    for result in tables.iter().filter(|result| result.size.is_none()) {
        let why = match result.published.key {
            "finnish_parliament" => "the table is not published and could not be had; no substitute was made",
            "women_mathematics" => {
                "its file is not in the data folder; it is repository data that may not be bundled"
            }
            _ => "its file is not in the data folder; it is bundled with cmnet",
        };
        text.extend(["- **", result.published.name, ": not run**, ", why, ".\n"]);
    }
    text + "\n"
}

/// A published value outside the noise.
struct Outside {
    text: String,
    distance: f64,
}

fn quantity_table(quantity: &Quantity, tables: &[TableResult], outside: &mut Vec<Outside>) -> String {
    let mut header = vec!["table"];
    header.extend(quantity.methods.iter().map(|&method| METHODS[method]));
    let rows: Vec<Vec<String>> = tables
        .iter()
        .map(|result| {
            let mut row = vec![result.published.name.to_owned()];
            for &method in quantity.methods {
                row.push(entry(quantity, result, method, outside));
            }
            row
        })
        .collect();
    table(&header, &rows)
}

fn entry(quantity: &Quantity, result: &TableResult, method: usize, outside: &mut Vec<Outside>) -> String {
    let published = (quantity.published)(result.published, method);
    let decimals = quantity.decimals;
    let printed = published.map_or(String::new(), |value| format!(" ({value:.decimals$})"));
    let Some(summary) = result.summary(method, quantity.value) else {
        return if printed.is_empty() { "-".to_owned() } else { format!("not run{printed}") };
    };
    let distance = published.and_then(|value| summary.distance(value, decimals));
    let far = distance.filter(|&distance| distance > 3.0);
    if let (Some(distance), Some(value)) = (far, published) {
        let text = format!(
            "{}, {} of {}: {} here, {value:.decimals$} in the paper",
            result.published.name,
            quantity.title.to_lowercase().replace("sbic", "sBIC"),
            METHODS[method],
            summary.text(decimals),
        );
        outside.push(Outside { text, distance });
    }
    format!("{}{printed}{}", summary.text(decimals), if far.is_some() { " *" } else { "" })
}

fn outside_list(tables: &[TableResult], outside: Vec<Outside>) -> String {
    if tables.iter().all(|result| result.seeds.len() < 2) {
        return "A single seed gives no standard deviation.\n\n".to_owned();
    }
    if outside.is_empty() {
        return "None.\n\n".to_owned();
    }
    let line = |one: Outside| {
        if one.distance.is_finite() {
            format!("- {} ({:.1} standard deviations).\n", one.text, one.distance)
        } else {
            format!("- {} (no spread between seeds).\n", one.text)
        }
    };
    outside.into_iter().map(line).collect::<String>() + "\n"
}

fn orderings(tables: &[TableResult]) -> String {
    let ran: Vec<&TableResult> = tables.iter().filter(|result| !result.seeds.is_empty()).collect();
    let mean = |result: &TableResult, method, value: fn(&Measured) -> f64| {
        result.summary(method, value).map(|summary: Summary| summary.mean)
    };
    let count = |one: usize, other: usize, value: fn(&Measured) -> f64| {
        let pairs: Vec<_> =
            ran.iter().filter_map(|r| Some((mean(r, one, value)?, mean(r, other, value)?))).collect();
        (pairs.iter().filter(|(one, other)| one >= other).count(), pairs.len())
    };
    let says = |(kept, of): (usize, usize)| format!("{kept} of {of}");
    format!(
        "### Orderings\n\n\
         - CMN is at least MN in sBIC on {} tables (paper: all ten); at least SGM on {} (paper: all five).\n\
         - CMN is at least MN in predictive accuracy on {} (paper: eight of ten); at least SGM on {} (paper: \
         all five).\n\n",
        says(count(0, 1, |found| found.sbic)),
        says(count(0, 2, |found| found.sbic)),
        says(count(0, 1, |found| found.quality)),
        says(count(0, 2, |found| found.quality)),
    )
}

fn as_json(result: &TableResult) -> Value {
    let mut quantities = Map::new();
    for quantity in &QUANTITIES {
        let mut methods = Map::new();
        for &method in quantity.methods {
            let summary = result.summary(method, quantity.value);
            let value = json!({
                "mean": summary.map(|summary| summary.mean),
                "deviation": summary.and_then(|summary| summary.deviation),
                "published": (quantity.published)(result.published, method),
            });
            methods.insert(METHODS[method].to_owned(), value);
        }
        quantities.insert(quantity.key.to_owned(), Value::Object(methods));
    }
    let choices = result.seeds.iter().flatten().fold([0u32; 4], |mut counts, cell| {
        counts[cell.selected.min(3)] += 1;
        counts
    });
    json!({
        "rows": result.size.map(|size| size.0),
        "variables": result.size.map(|size| size.1),
        "seeds": result.seeds.len(),
        "boundary_fits": result.boundaries(),
        "chosen_by_bic": {"eps": choices[0], "n^-1": choices[1], "n^-1/2": choices[2], "n^-1/4": choices[3]},
        "quantities": quantities,
    })
}

/// Predictive accuracy less that of the plain Markov network, by table.
fn figure(tables: &[TableResult]) -> Chart {
    let here = |method: usize| {
        let point = |(place, result): (usize, &TableResult)| {
            let gain = result.averages(|cell| cell.difference(method, 1, |found| found.quality))?;
            let x = place as f64 - 0.12 + 0.12 * method as f64;
            Some(Point { x, y: gain.mean, spread: gain.deviation })
        };
        tables.iter().enumerate().filter_map(point).collect()
    };
    let paper = |method: usize| {
        let point = |(place, result): (usize, &TableResult)| {
            let base = result.published.predictive[1]?;
            let (x, y) = (place as f64 + 0.06 * method as f64, result.published.predictive[method]? - base);
            Some(Point { x, y, spread: None })
        };
        tables.iter().enumerate().filter_map(point).collect()
    };
    let series = |name: &str, color, published, points| {
        let name = name.to_owned();
        Series { name, color, joined: false, published, points }
    };
    Chart {
        title: "Predictive accuracy, gain over the plain Markov network".to_owned(),
        x_title: String::new(),
        y_title: "nats per held-out row".to_owned(),
        ticks: tables
            .iter()
            .enumerate()
            .map(|(place, r)| (place as f64, r.published.name.to_owned()))
            .collect(),
        log_y: false,
        series: vec![
            series("CMN", 0, false, here(0)),
            series("CMN, paper", 0, true, paper(0)),
            series("SGM", 2, false, here(2)),
            series("SGM, paper", 2, true, paper(2)),
        ],
    }
}
