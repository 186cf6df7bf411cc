//! How the model was learned: one structure for each kappa, and the choice among them.

use super::Report;
use super::html::{Page, fixed};
use crate::{Chart, ChartPoint, ChartSeries};
use cmnet::{Criterion, Learned, LearnedModel, Nats};

pub(super) fn write(report: &Report<'_>, page: &mut Page) {
    page.heading("How it was learned");
    let Some(learned) = report.learned else {
        match report.model.provenance() {
            Some(known) => page.paragraph(&format!(
                "By search mode {} with kappa {} and alpha {}, from {} rows; the search ended: {}. Log marginal \
                 pseudo-likelihood {:.4}, log prior of the contexts {:.4}.",
                known.search, known.kappa, known.alpha, known.rows, known.stop, known.log_mpl, known.log_prior
            )),
            None => page.paragraph("The structure was written by hand, or comes from another program."),
        }
        return;
    };
    page.paragraph(&format!(
        "Search mode {}; the search ended: {}. Choices among exactly equal steps: {}.",
        learned.search,
        learned.stop,
        learned.ties()
    ));
    let chosen = learned.selected.map(|place| learned.models[place].prior.kappa().to_string());
    match (chosen, learned.criterion) {
        (Some(kappa), Some(Criterion::Bic)) => {
            page.paragraph(&format!("Kappa {kappa} was chosen: it has the highest BIC."));
        }
        (Some(kappa), _) => page.paragraph(&format!(
            "Kappa {kappa} was chosen by the analogue of BIC for the pseudo-likelihood; the likelihood was out of reach."
        )),
        (None, _) => page.paragraph("No kappa was chosen."),
    }
    let rows: Vec<_> =
        learned.models.iter().enumerate().map(|(place, model)| row(learned, place, model)).collect();
    page.table(
        "One structure for each weight kappa of the context prior",
        &[
            "kappa",
            "edges",
            "context elements",
            "log MPL",
            "log prior",
            "parameters",
            "log-likelihood",
            "BIC / n",
        ],
        &rows,
    );
    if learned.models.len() > 1 && learned.models.iter().any(|model| model.compared().is_some()) {
        page.figure(&path(learned).svg(), "BIC per row of each kappa. Higher is better.");
    }
}

fn row(learned: &Learned, place: usize, model: &LearnedModel) -> Vec<String> {
    let mark = if learned.selected == Some(place) { " (chosen)" } else { "" };
    let fit = model.compared();
    vec![
        format!("{}{mark}", model.prior.kappa()),
        model.structure.graph().edge_count().to_string(),
        model.structure.context_elements().to_string(),
        fixed(Some(model.score.log_mpl.to_f64()), 4),
        fixed(model.score.log_prior.map(Nats::to_f64), 4),
        fit.map_or("–".to_owned(), |fit| fit.free_parameters.to_string()),
        fixed(fit.and_then(|fit| fit.log_likelihood.or(fit.pseudo_log_likelihood)), 4),
        fixed(fit.map(cmnet::Fit::sbic), 6),
    ]
}

/// BIC along the kappas.
fn path(learned: &Learned) -> Chart {
    let place = |place: usize| place as f64;
    let models = || learned.models.iter().enumerate();
    let point = |(number, model): (usize, &LearnedModel)| {
        model.compared().map(|fit| ChartPoint { x: place(number), y: fit.sbic(), spread: None })
    };
    let all = ChartSeries {
        name: "BIC / n".to_owned(),
        color: 0,
        joined: true,
        hollow: true,
        points: models().filter_map(point).collect(),
    };
    let chosen = ChartSeries {
        name: "chosen".to_owned(),
        color: 1,
        joined: false,
        hollow: false,
        points: models().filter(|(number, _)| learned.selected == Some(*number)).filter_map(point).collect(),
    };
    Chart {
        title: "BIC by kappa".to_owned(),
        x_title: "kappa".to_owned(),
        y_title: "BIC / n".to_owned(),
        ticks: models().map(|(number, model)| (place(number), model.prior.kappa().to_string())).collect(),
        log_y: false,
        series: vec![all, chosen],
    }
}
