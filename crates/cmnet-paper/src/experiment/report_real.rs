//! The real-data tables beside the paper's, and what lies outside the noise.

use super::chart::{Chart, Point, Series};
use super::markdown::table;
use super::measure::Measured;
use super::published::{AVERAGE, Row};
use super::real_data::TableResult;
use super::real_orderings;
use super::statistics::Summary;
use super::{OutputFile, Plan, Section};
use cmnet_report::svg;
use serde_json::{Map, Value, json};

/// The methods by place: CMN, MN, SGM, then the four kappas.
const METHODS: [&str; 7] = ["CMN", "MN", "SGM", "eps", "n^-1", "n^-1/2", "n^-1/4"];

/// What is measured of a model; `None` where it is not finite.
pub(super) type Value1 = fn(&Measured) -> Option<f64>;

/// What the paper prints in a row at the place of a method.
type Published = fn(&Row, usize) -> Option<f64>;

/// One of the paper's tables.
struct Quantity {
    key: &'static str,
    title: &'static str,
    decimals: usize,
    methods: &'static [usize],
    /// The methods whose published values stand in no table before.
    new: &'static [usize],
    /// Whether the highest value of a row is printed bold, as in the paper.
    marked: bool,
    value: Value1,
    published: Published,
}

impl Quantity {
    /// How large the models are: none is the best.
    const fn size((key, title): (&'static str, &'static str), value: Value1, published: Published) -> Self {
        Self { key, title, decimals: 1, methods: MODELS, new: MODELS, marked: false, value, published }
    }
}

/// Predictive accuracy by the smoothed estimate.
pub(super) const SMOOTHED: Value1 = |found| Some(found.quality);
/// Predictive accuracy by the bare estimate.
pub(super) const BARE: Value1 = |found| found.bare;

/// What the paper prints at the place of a method of the table of fixed kappas.
fn by_kappa(row: &Row, method: usize) -> Option<f64> {
    if method == 0 { row.predictive[0] } else { row.by_kappa.get(method - 3).copied() }
}

const MODELS: &[usize] = &[0, 1, 2];
const KAPPAS: &[usize] = &[0, 3, 4, 5, 6];
const NEW_KAPPAS: &[usize] = &[4, 5, 6];

const QUANTITIES: [Quantity; 7] = [
    Quantity {
        key: "sbic",
        title: "sBIC",
        decimals: 4,
        methods: MODELS,
        new: MODELS,
        marked: true,
        value: |found| Some(found.sbic),
        published: |row, method| row.sbic[method],
    },
    Quantity {
        key: "predictive",
        title: "Predictive accuracy, smoothed estimate",
        decimals: 4,
        methods: MODELS,
        new: MODELS,
        marked: true,
        value: SMOOTHED,
        published: |row, method| row.predictive[method],
    },
    Quantity {
        key: "predictive_bare",
        title: "Predictive accuracy, bare estimate",
        decimals: 4,
        methods: MODELS,
        new: &[],
        marked: true,
        value: BARE,
        published: |row, method| row.predictive[method],
    },
    Quantity::size(("edges", "Edges"), |found| Some(found.edges as f64), |row, method| row.edges[method]),
    Quantity::size(
        ("parameters", "Parameters"),
        |found| Some(found.parameters as f64),
        |row, method| row.parameters[method],
    ),
    Quantity {
        key: "predictive_by_kappa",
        title: "Predictive accuracy under different priors, smoothed estimate",
        decimals: 4,
        methods: KAPPAS,
        new: NEW_KAPPAS,
        marked: true,
        value: SMOOTHED,
        published: by_kappa,
    },
    Quantity {
        key: "predictive_by_kappa_bare",
        title: "Predictive accuracy under different priors, bare estimate",
        decimals: 4,
        methods: KAPPAS,
        new: &[],
        marked: true,
        value: BARE,
        published: by_kappa,
    },
];

pub(super) fn section(tables: &[TableResult], plan: &Plan) -> Section {
    let mut section = Section { markdown: introduction(tables, plan), ..Section::default() };
    let mut outside = Vec::new();
    for quantity in &QUANTITIES {
        section.add(&format!("### {}\n\n", quantity.title));
        section.markdown += &quantity_table(quantity, tables, &mut outside);
    }
    section.markdown += "### Values outside mean ± 3 standard deviations\n\n";
    section.markdown += &counted(tables);
    section.markdown += &outside_list(tables, outside);
    section.markdown += &real_orderings::differences(tables);
    section.markdown += &real_orderings::orderings(tables);
    for result in tables {
        section.results.insert(result.published.key.to_owned(), as_json(result));
        let spent = result.seconds();
        let share = json!({"search": spent.search, "fit": spent.fit, "sgm": spent.sgm});
        section.timing.insert(result.published.key.to_owned(), share);
    }
    section.files.push(OutputFile { name: "predictive.svg".to_owned(), text: figure(tables) });
    section
}

/// How many published values there are, each counted once, and how many lie within three
/// standard deviations.
fn counted(tables: &[TableResult]) -> String {
    let mut count = [[0usize; 2]; 2];
    for result in tables.iter().filter(|result| result.seeds.len() > 1) {
        for quantity in &QUANTITIES {
            for &method in quantity.new {
                let summary = result.summary(method, quantity.value);
                let published = (quantity.published)(result.published, method);
                let Some((summary, published)) = summary.zip(published) else { continue };
                let group = &mut count[usize::from(method == 2)];
                group[1] += 1;
                let distance = summary.distance(published, quantity.decimals);
                group[0] += usize::from(distance.is_some_and(|distance| distance <= 3.0));
            }
        }
    }
    let [own, sgm] = count;
    format!(
        "Each published value counts once: the column of CMN in the table of priors repeats the predictive \
         accuracy of CMN, and its column eps that of MN. By the smoothed estimate {} of {} values of CMN, MN and \
         the kappas lie within three standard deviations, and {} of {} of SGM.\n\n",
        own[0], own[1], sgm[0], sgm[1]
    )
}

fn introduction(tables: &[TableResult], plan: &Plan) -> String {
    let mut text = String::from(
        "## Real-world data\n\n\
         Ten folds of each table, shuffled with seeds 1, 2, ...; structure, kappa and parameters are learned \
         anew in each fold. Every entry is the mean over seeds of the average over folds ± the standard \
         deviation between seeds, beside the paper's value in brackets. A star marks a published value that \
         lies more than three standard deviations (and its rounding) from the mean. The deviation is that of \
         reshuffling the same rows, so it is small where the folds agree. Bold is the highest value of a row, and \
         all that equal it to the printed digits.\n\n",
    );
    if (2..FEW_SEEDS).contains(&plan.seeds) {
        let uncertain = 100.0 / libm::sqrt(2.0 * f64::from(plan.seeds - 1));
        let warning = format!(
            "**Warning: {} seeds.** A standard deviation is then known to about {uncertain:.0} % only, and stars \
             are too many. Use at least {FEW_SEEDS} seeds.\n\n",
            plan.seeds
        );
        text.push_str(&warning);
    }
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

/// Seeds below which deviations mean little.
const FEW_SEEDS: u32 = 10;

/// A published value outside the noise.
struct Outside {
    text: String,
    distance: f64,
}

fn quantity_table(quantity: &Quantity, tables: &[TableResult], outside: &mut Vec<Outside>) -> String {
    let mut header = vec!["table"];
    let name =
        |&method: &usize| if quantity.methods == KAPPAS && method == 0 { "BIC" } else { METHODS[method] };
    header.extend(quantity.methods.iter().map(name));
    let mut rows: Vec<Vec<String>> = Vec::new();
    for result in tables {
        let mut row = vec![result.published.name.to_owned()];
        let best = best_of_row(quantity, result);
        for &method in quantity.methods {
            row.push(entry(quantity, result, (method, best.as_deref()), outside));
        }
        rows.push(row);
    }
    if quantity.methods == KAPPAS {
        rows.extend(averages(quantity, tables));
    }
    table(&header, &rows)
}

/// The highest value of a row as it is printed.
fn best_of_row(quantity: &Quantity, result: &TableResult) -> Option<String> {
    let means = quantity.methods.iter().filter_map(|&method| result.summary(method, quantity.value));
    let best = means.map(|summary| summary.mean).reduce(f64::max)?;
    quantity.marked.then(|| format!("{best:.decimals$}", decimals = quantity.decimals))
}

/// The last row of the paper's table of priors: over the tables that were run, and as printed.
fn averages(quantity: &Quantity, tables: &[TableResult]) -> Option<Vec<String>> {
    let ran: Vec<&TableResult> = tables.iter().filter(|result| !result.seeds.is_empty()).collect();
    let mean = |values: Vec<f64>| Summary::of(&values).map(|summary| summary.mean);
    let mut columns = Vec::new();
    for (&method, printed) in quantity.methods.iter().zip(AVERAGE) {
        let here = ran.iter().filter_map(|result| Some(result.summary(method, quantity.value)?.mean));
        let there = ran.iter().filter_map(|result| (quantity.published)(result.published, method));
        columns.push((mean(here.collect())?, mean(there.collect())?, printed));
    }
    let most = columns.iter().map(|column| column.0).reduce(f64::max)?;
    let cell = |&(here, there, printed): &(f64, f64, f64)| {
        let bold = if format!("{here:.4}") == format!("{most:.4}") { "**" } else { "" };
        format!("{bold}{here:.4}{bold} (same tables {there:.4}, all ten {printed:.4})")
    };
    let first = format!("Average of {} tables", ran.len());
    Some(std::iter::once(first).chain(columns.iter().map(cell)).collect())
}

fn entry(
    quantity: &Quantity,
    result: &TableResult,
    (method, best): (usize, Option<&str>),
    outside: &mut Vec<Outside>,
) -> String {
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
    let mean = format!("{:.decimals$}", summary.mean);
    let shown = if best == Some(&mean) {
        summary.text(decimals).replacen(&mean, &format!("**{mean}**"), 1)
    } else {
        summary.text(decimals)
    };
    format!("{shown}{printed}{}", if far.is_some() { " *" } else { "" })
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

/// Predictive accuracy less that of the plain Markov network: a panel with its own scale for each
/// table, since one scale would squeeze most of them onto zero.
fn figure(tables: &[TableResult]) -> String {
    let panels: Vec<String> = tables.iter().map(|result| panel(result).svg()).collect();
    let title = "Predictive accuracy, gain over the plain Markov network";
    let note = "Filled: here, the bar is one standard deviation between seeds. Hollow: the paper. Each table has \
                its own scale.";
    svg::panels(title, note, &panels, 3)
}

fn panel(result: &TableResult) -> Chart {
    let paper = |method: usize| {
        let base = result.published.predictive[1]?;
        Some(result.published.predictive[method]? - base)
    };
    let mut series = Vec::new();
    for (method, name) in [(0, "CMN"), (2, "SGM")] {
        for (estimate, value) in [("smoothed", SMOOTHED), ("bare", BARE)] {
            let place = method as f64 + if estimate == "bare" { 0.5 } else { 0.0 };
            let gain = result.averages(|cell| cell.difference(method, 1, value));
            let point = gain.map(|gain| Point { x: place, y: gain.mean, spread: gain.deviation });
            let name = format!("{name}, {estimate}");
            let points = Vec::from_iter(point);
            series.push(Series { name, color: method, joined: false, published: false, points });
        }
        let point = paper(method).map(|y| Point { x: method as f64 + 1.0, y, spread: None });
        let (name, points) = (format!("{name}, paper"), Vec::from_iter(point));
        series.push(Series { name, color: method, joined: false, published: true, points });
    }
    series.retain(|one| !one.points.is_empty());
    let zero = vec![Point { x: -0.3, y: 0.0, spread: None }, Point { x: 3.3, y: 0.0, spread: None }];
    series.push(Series { name: "MN".to_owned(), color: 3, joined: true, published: false, points: zero });
    let not_run = if result.seeds.is_empty() { ": not run" } else { "" };
    let ticks =
        [(0.0, "smoothed"), (0.5, "bare"), (1.0, "paper"), (2.0, "smoothed"), (2.5, "bare"), (3.0, "paper")];
    Chart {
        title: format!("{}{not_run}", result.published.name),
        x_title: "CMN to the left, SGM to the right".to_owned(),
        y_title: "nats per held-out row".to_owned(),
        ticks: ticks.map(|(x, text)| (x, text.to_owned())).to_vec(),
        log_y: false,
        series,
    }
}
