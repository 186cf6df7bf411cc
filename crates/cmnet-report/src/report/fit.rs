//! How well the model fits, on its own rows and on held-out ones.

use super::Report;
use super::html::{Page, fixed};
use crate::{Chart, ChartPoint, ChartSeries};
use cmnet::{Control, CrossValidated, CrossValidation, Result, evaluate_under};

pub(super) fn write(report: &Report<'_>, page: &mut Page, control: &dyn Control) -> Result<()> {
    page.heading("Fit");
    let Some(fit) = report.model.fit() else {
        page.paragraph("The model has no parameters.");
        return Ok(());
    };
    let mut facts = vec![
        ("estimate".to_owned(), fit.estimate.to_string()),
        ("because".to_owned(), fit.reason.to_string()),
        ("ended".to_owned(), fit.status.to_string()),
        ("rows".to_owned(), fit.rows.to_string()),
        ("free parameters".to_owned(), fit.free_parameters.to_string()),
        ("pseudo-counts in the parameters".to_owned(), fit.smoothing.to_string()),
    ];
    if let Some(order) = fit.parameters.terms().order().limit() {
        facts.push(("most variables of a term".to_owned(), order.to_string()));
    }
    if !fit.ridge.is_none() {
        facts.push(("ridge".to_owned(), fit.ridge.to_string()));
    }
    if !fit.boundary.is_empty() {
        facts.push(("terms without a finite estimate".to_owned(), fit.boundary.len().to_string()));
    }
    if let Some(table) = report.table {
        let found = evaluate_under(&report.model.normalized_fit_under(control)?, table, control)?;
        facts.push(("mean log-likelihood of a row".to_owned(), fixed(found.log_likelihood, 6)));
        facts.push((
            "mean pseudo-log-likelihood of a row".to_owned(),
            fixed(Some(found.pseudo_log_likelihood), 6),
        ));
        facts.push(("BIC / n of these parameters".to_owned(), fixed(found.sbic(), 6)));
    }
    page.facts(&facts);
    if let Some(validated) = report.validated.filter(|validated| validated.finished > 0) {
        cross_validation(validated, page);
    }
    Ok(())
}

fn cross_validation(validated: &CrossValidation, page: &mut Page) {
    page.heading("Cross-validation");
    page.paragraph(&format!(
        "Structure, kappa and parameters were learned anew in each of {} folds{}, and asked for the probability of the held-out \
         rows. CMN chooses kappa by BIC in each fold; MN has no contexts.",
        validated.finished,
        validated.seed.map_or(String::new(), |seed| format!(" (seed {seed})"))
    ));
    let row = |row: &CrossValidated| {
        vec![
            row.method.clone(),
            fixed(Some(row.predictive), 4),
            fixed(Some(row.spread[1]), 4),
            fixed(Some(row.sbic), 4),
            fixed(Some(row.edges), 1),
            fixed(Some(row.parameters), 1),
        ]
    };
    let rows: Vec<_> = validated.rows.iter().map(row).collect();
    page.table(
        "Means over folds",
        &["method", "predictive", "its deviation", "BIC / n", "edges", "parameters"],
        &rows,
    );
    page.figure(
        &chart(validated).svg(),
        "Mean natural-log probability of a held-out row, with the standard deviation over folds. Higher is better.",
    );
    if !validated.exact {
        page.paragraph(
            "Exact fitting was out of reach or not asked for: all numbers are of the pseudo-likelihood.",
        );
    }
}

fn chart(validated: &CrossValidation) -> Chart {
    let rows = || validated.rows.iter().enumerate();
    let point = |(place, row): (usize, &CrossValidated)| ChartPoint {
        x: place as f64,
        y: row.predictive,
        spread: Some(row.spread[1]),
    };
    Chart {
        title: "Held-out rows".to_owned(),
        x_title: "method".to_owned(),
        y_title: "log probability of a row".to_owned(),
        ticks: rows().map(|(place, row)| (place as f64, row.method.clone())).collect(),
        log_y: false,
        series: vec![ChartSeries {
            name: "predictive".to_owned(),
            color: 0,
            joined: false,
            hollow: false,
            points: rows().map(point).collect(),
        }],
    }
}
