//! The synthetic table, the representative structures and the conditional tables beside the
//! paper's.

use super::chart::{Chart, Point, Series};
use super::markdown::{outline, table};
use super::measure::Measured;
use super::published::{CONDITIONALS, SYNTHETIC};
use super::statistics::Summary;
use super::synthetic_data::{Size, Synthetic};
use super::synthetic_orderings;
use super::{OutputFile, Section};
use cmnet::{Result, Structure};
use cmnet_report::{Drawing, LabelStyle, Places, svg};
use serde_json::{Value, json};

const METHODS: [&str; 3] = ["CMN", "MN", "SGM"];

/// The two measured quantities.
type Value2 = (&'static str, fn(&Measured) -> f64);
const QUANTITIES: [Value2; 2] = [("sbic", |found| found.sbic), ("divergence", |found| found.quality)];

pub(super) fn section(found: &Synthetic) -> Result<Section> {
    let mut section = Section {
        markdown: "## Synthetic data\n\n\
             The true model has seven binary variables and 19 parameters. 14 are forced by the paper's \
             conditional tables; **five are not published**, P(X2=1), P(X6=1|X5) and P(X7=1|X5,X6), and are \
             chosen so that the entropy (4.2532 nats) fits the published sBIC. Levels of sBIC and divergence \
             therefore depend on that choice; the experiment `sensitivity` draws others.\n\n\
             Entries are means over data sets ± the standard error of the mean, the paper's value in \
             brackets. That is a mean over ten data sets of its own; a star marks it where it lies more than \
             three standard errors, of both means together, from ours.\n\n"
            .to_owned(),
        ..Section::default()
    };
    for (place, (key, value)) in QUANTITIES.into_iter().enumerate() {
        let title = ["sBIC", "Kullback-Leibler divergence from the truth"][place];
        section.add(&format!("### {title}\n\n{}", size_table(found, place, value)));
        let text = figure(found, place, value).svg();
        section.files.push(OutputFile { name: format!("synthetic_{key}.svg"), text });
    }
    section.markdown += &synthetic_orderings::section(found);
    section.markdown += &structures(found, &mut section.files)?;
    section.markdown += &conditionals(found);
    section.results = results(found);
    let seconds = |part: fn(&super::measure::Seconds) -> f64| -> f64 {
        found.sizes.iter().flat_map(|size| &size.cells).map(|cell| part(&cell.seconds)).sum()
    };
    section.timing.insert("search".to_owned(), json!(seconds(|s| s.search)));
    section.timing.insert("fit".to_owned(), json!(seconds(|s| s.fit)));
    section.timing.insert("sgm".to_owned(), json!(seconds(|s| s.sgm)));
    Ok(section)
}

fn published(rows: u32, place: usize) -> Option<[f64; 3]> {
    let row = SYNTHETIC.iter().find(|row| row.0 == rows)?;
    Some(if place == 0 { row.1 } else { row.2 })
}

/// The data sets behind each of the paper's means.
const PAPER_REPLICATES: usize = 10;

fn size_table(found: &Synthetic, place: usize, value: fn(&Measured) -> f64) -> String {
    let mut largest: f64 = 0.0;
    let mut rows = Vec::new();
    for size in &found.sizes {
        let paper = published(size.rows, place);
        let mut row = vec![size.rows.to_string()];
        for method in 0..3 {
            let gap = entry(size.summary(method, value), paper.map(|row| row[method]), &mut row);
            largest = largest.max(gap.unwrap_or(0.0));
        }
        for (one, other) in [(0, 1), (0, 2)] {
            let paper = paper.map(|row| row[one] - row[other]);
            let gap = entry(
                size.averages(|cell| cell.difference(one, other, |found| Some(value(found)))),
                paper,
                &mut row,
            );
            largest = largest.max(gap.unwrap_or(0.0));
        }
        rows.push(row);
    }
    let table = table(&["n", "CMN", "MN", "SGM", "CMN - MN", "CMN - SGM"], &rows);
    format!("{table}The largest distance of a published value is {largest:.1} standard errors.\n\n")
}

/// Appends an entry to a row; returns its distance from the published value.
fn entry(summary: Option<Summary>, paper: Option<f64>, row: &mut Vec<String>) -> Option<f64> {
    let mut text = summary.map_or("-".to_owned(), |summary| match summary.error() {
        Some(error) => format!("{:.4} ± {error:.4}", summary.mean),
        None => format!("{:.4}", summary.mean),
    });
    let gap = summary.zip(paper).and_then(|(one, paper)| one.gap_to_mean(paper, PAPER_REPLICATES, 4));
    if let Some(paper) = paper {
        text = format!("{text} ({paper:.4}){}", if gap > Some(3.0) { " *" } else { "" });
    }
    row.push(text);
    gap
}

fn structures(found: &Synthetic, files: &mut Vec<OutputFile>) -> Result<String> {
    let schema = found.model.schema();
    let cardinalities = schema.cardinalities();
    let mut rows = vec![vec!["truth".to_owned(), String::new(), outline(found.model.structure())]];
    // All panels have their variables where the true structure has them.
    let truth = Drawing::new(schema, found.model.structure())?.with_labels(LabelStyle::Codes);
    // Room for labels that the true structure does not have.
    let places = Places::of(&truth).spread(1.4);
    let mut panels = Vec::new();
    let mut draw = |name: &str, title: String, structure: &Structure| -> Result<()> {
        let drawing = Drawing::new(schema, structure)?.with_title(title).with_labels(LabelStyle::Codes);
        let drawing = drawing.with_places(&places)?;
        panels.push(svg::render(&drawing.clone().without_reading()));
        files.push(OutputFile { name: format!("graph_{name}.svg"), text: svg::render(&drawing) });
        Ok(())
    };
    draw("truth", "True structure".to_owned(), found.model.structure())?;
    for method in [0, 2] {
        for size in found.sizes.iter().filter(|size| [250, 1000, 4000].contains(&size.rows)) {
            let Some(structure) = size.representative(method, &cardinalities)? else { continue };
            let name = METHODS[method];
            rows.push(vec![name.to_owned(), size.rows.to_string(), outline(&structure)]);
            let file = format!("{}_{}", name.to_lowercase(), size.rows);
            draw(&file, format!("{name}, n = {}", size.rows), &structure)?;
        }
    }
    let note = "A dashed line has contexts in which it is cut off; its label gives the values of the common neighbours \
                by number, and * is any value.";
    let combined = svg::panels("True and representative structures", note, &panels, 4);
    files.push(OutputFile { name: "graphs.svg".to_owned(), text: combined });
    Ok(format!(
        "### Representative structures\n\nOf each sample size the replicate nearest to all others, in \
         canonical form (every implied context element added). Labels give values of the common neighbours.\n\n{}",
        table(&["method", "n", "edges and labels"], &rows)
    ))
}

fn conditionals(found: &Synthetic) -> String {
    let mut rows = Vec::new();
    let mut largest: f64 = 0.0;
    for place in 0u32..8 {
        let bits = [place >> 2 & 1, place >> 1 & 1, place & 1];
        let mut row: Vec<String> = vec![format!("{} {} {} 1", bits[0], bits[1], bits[2])];
        for (variable, other) in [(2, 3), (3, 2)] {
            let given = [(0, bits[0]), (1, bits[1]), (other, bits[2]), (4, 1)];
            let computed = found.model.conditional(variable, &given)[0];
            let printed = CONDITIONALS[variable - 2][place as usize];
            largest = largest.max((computed - printed).abs());
            row.push(format!("{computed:.4} ({printed:.4})"));
        }
        rows.push(row);
    }
    let header =
        ["X1 X2 X4 X5, or X1 X2 X3 X5", "p(X3=0 given X1, X2, X4, X5)", "p(X4=0 given X1, X2, X3, X5)"];
    format!(
        "### Conditional distributions of the true model\n\n{}Largest difference from the printed four \
         decimals: {largest:.6}.\n\n",
        table(&header, &rows)
    )
}

fn results(found: &Synthetic) -> serde_json::Map<String, Value> {
    let mut results = serde_json::Map::new();
    for size in &found.sizes {
        let mut quantities = serde_json::Map::new();
        for (place, (key, value)) in QUANTITIES.into_iter().enumerate() {
            let mut methods = serde_json::Map::new();
            for (method, name) in METHODS.into_iter().enumerate() {
                let summary = size.summary(method, value);
                let entry = json!({
                    "mean": summary.map(|summary| summary.mean),
                    "standard_error": summary.and_then(|summary| summary.error()),
                    "published": published(size.rows, place).map(|row| row[method]),
                });
                methods.insert(name.to_owned(), entry);
            }
            quantities.insert(key.to_owned(), Value::Object(methods));
        }
        quantities.insert("replicates".to_owned(), json!(size.cells.len()));
        results.insert(format!("n{}", size.rows), Value::Object(quantities));
    }
    results
}

fn figure(found: &Synthetic, place: usize, value: fn(&Measured) -> f64) -> Chart {
    let mut series = Vec::new();
    for (method, name) in METHODS.into_iter().enumerate() {
        let here = |size: &Size| {
            let summary = size.summary(method, value)?;
            Some(Point { x: libm::log10(f64::from(size.rows)), y: summary.mean, spread: summary.error() })
        };
        let paper = |size: &Size| {
            let y = published(size.rows, place)?[method];
            Some(Point { x: libm::log10(f64::from(size.rows)), y, spread: None })
        };
        for (suffix, published) in [("", false), (", paper", true)] {
            let sizes = found.sizes.iter();
            let points =
                if published { sizes.filter_map(paper).collect() } else { sizes.filter_map(here).collect() };
            series.push(Series {
                name: format!("{name}{suffix}"),
                color: method,
                joined: true,
                published,
                points,
            });
        }
    }
    let tick = |size: &Size| (libm::log10(f64::from(size.rows)), size.rows.to_string());
    Chart {
        title: [
            "sBIC, synthetic data. Bars: one standard error. Hollow, dashed: the paper",
            "Divergence from the truth. Bars: one standard error. Hollow, dashed: the paper",
        ][place]
            .to_owned(),
        x_title: "sample size n".to_owned(),
        y_title: ["sBIC", "Kullback-Leibler divergence"][place].to_owned(),
        ticks: found.sizes.iter().map(tick).collect(),
        log_y: place == 1,
        series,
    }
}
