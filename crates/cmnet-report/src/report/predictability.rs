//! How well each variable is predicted by all others, beside its base rate.

use super::Report;
use super::html::{Page, percent};
use crate::wording::shown;
use crate::{Chart, ChartPoint, ChartSeries};
use cmnet::{Control, Dataset, ErrorKind, ExactOptions, Network, Predictor, Result, Var};

/// Variables up to which there is a chart.
const MOST_IN_CHART: usize = 40;

/// How well one variable is predicted.
#[derive(Debug)]
struct Predicted {
    name: String,
    /// The share of the commonest level.
    base_rate: f64,
    /// The share of rows in which the most probable level is the right one.
    accuracy: f64,
    /// The share of its entropy that the others take away.
    explained: f64,
}

pub(super) fn write(
    report: &Report<'_>,
    network: Option<&Network>,
    page: &mut Page,
    control: &dyn Control,
) -> Result<()> {
    page.heading("Predictability");
    let (Some(network), Some(table)) = (network, report.table) else {
        let what = if network.is_none() { "The model has no parameters." } else { "There is no table." };
        page.paragraph(&format!("{what} How well the variables predict each other takes both."));
        return Ok(());
    };
    let mut found = Vec::new();
    let mut too_large = 0;
    for v in 0..table.variables() {
        match predicted(network, table, v, control) {
            Ok(one) => found.push(one),
            Err(error) if matches!(error.kind(), ErrorKind::Limit { .. }) => too_large += 1,
            Err(error) => return Err(error),
        }
    }
    page.paragraph(
        "Each variable, predicted from all others by the model, on the rows of the table. The base rate is that of always saying \
         the commonest level. Explained is the share of the variable's entropy that the others take away. On rows that the \
         model was learned from, these numbers are optimistic.",
    );
    if found.len() <= MOST_IN_CHART {
        page.figure(&chart(&found).svg(), "Share of rows predicted rightly, beside the base rate.");
    }
    let row = |one: &Predicted| {
        vec![one.name.clone(), percent(one.base_rate), percent(one.accuracy), percent(one.explained)]
    };
    let rows: Vec<_> = found.iter().map(row).collect();
    page.table(
        "Predictability of each variable",
        &["variable", "base rate", "predicted rightly", "explained"],
        &rows,
    );
    if too_large > 0 {
        page.paragraph(&format!("{too_large} variables are left out: their tables are too large."));
    }
    Ok(())
}

fn predicted(network: &Network, table: &Dataset, v: Var, control: &dyn Control) -> Result<Predicted> {
    let exact = ExactOptions::default();
    let mut predictor = Predictor::under(network, v, &exact, control)?;
    let counts = table.level_counts(v);
    let rows = table.rows() as f64;
    let (mut right, mut surprise) = (0u64, 0.0);
    for row in 0..table.distinct_rows() {
        let levels = table.row(row);
        let known: Vec<Option<u32>> = levels.iter().map(|&level| Some(level)).collect();
        let weight = table.weights()[row];
        let prediction = predictor.predict(&known)?;
        right += if prediction.level == levels[v] { u64::from(weight) } else { 0 };
        surprise -= f64::from(weight) * libm::log(prediction.probabilities[levels[v] as usize]);
    }
    let share = |&count: &u64| count as f64 / rows;
    let entropy: f64 = counts.iter().map(share).filter(|&p| p > 0.0).map(|p| -p * libm::log(p)).sum();
    Ok(Predicted {
        name: shown(table.schema().name(v)),
        base_rate: counts.iter().map(share).fold(0.0, f64::max),
        accuracy: right as f64 / rows,
        explained: if entropy > 0.0 { (1.0 - surprise / rows / entropy).max(0.0) } else { 0.0 },
    })
}

fn chart(found: &[Predicted]) -> Chart {
    let series = |name: &str, color: usize, value: fn(&Predicted) -> f64| ChartSeries {
        name: name.to_owned(),
        color,
        joined: false,
        hollow: color == 1,
        points: found
            .iter()
            .enumerate()
            .map(|(place, one)| ChartPoint { x: place as f64, y: value(one), spread: None })
            .collect(),
    };
    Chart {
        title: "Predictability".to_owned(),
        x_title: String::new(),
        y_title: "share of rows".to_owned(),
        ticks: found.iter().enumerate().map(|(place, one)| (place as f64, one.name.clone())).collect(),
        log_y: false,
        series: vec![
            series("predicted rightly", 0, |one| one.accuracy),
            series("base rate", 1, |one| one.base_rate),
        ],
    }
}
