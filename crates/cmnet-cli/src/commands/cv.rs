//! `cmnet cv`: the paper's ten-fold protocol.

use crate::args::{CvArgs, Format};
use crate::commands::fitting::fit_options;
use crate::exit::Outcome;
use crate::progress::Watch;
use crate::{files, output};
use cmnet::learn::{CrossValidation, LearnOptions, cross_validate};
use cmnet::search::StopReason;
use serde_json::json;
use std::fmt::Write;

pub(crate) fn run(arguments: &CvArgs) -> anyhow::Result<Outcome> {
    let options = LearnOptions {
        kappas: arguments.kappa.iter().map(|text| text.parse()).collect::<Result<_, _>>()?,
        alpha: arguments.alpha.parse()?,
        search: arguments.search.into(),
        fit: fit_options(&arguments.fitting)?,
        threads: arguments.threads,
        ..LearnOptions::default()
    };
    let data = files::table(&arguments.data)?.data;
    let found = cross_validate(&data, (arguments.folds, arguments.seed), &options, &Watch::new(None))?;
    match arguments.format.format {
        Format::Text => output::text(&as_text(&found, arguments)?)?,
        Format::Json => output::json(&json!({
            "format": "cmnet-cv/1",
            "folds": arguments.folds,
            "finished": found.finished,
            "seed": arguments.seed,
            "exact": found.exact,
            "stop": found.stop,
            "rows": found.rows,
        }))?,
    }
    Ok(if found.stop == StopReason::Converged { Outcome::Done } else { Outcome::Interrupted })
}

fn as_text(found: &CrossValidation, arguments: &CvArgs) -> anyhow::Result<String> {
    let mut page = format!("{} folds, seed {}; means over folds\n\n", arguments.folds, arguments.seed);
    writeln!(
        page,
        "{:<10} {:>12} {:>12} {:>8} {:>11}",
        "method", "BIC / n", "predictive", "edges", "parameters"
    )?;
    for row in &found.rows {
        writeln!(
            page,
            "{:<10} {:>12.4} {:>12.4} {:>8.1} {:>11.1}",
            row.method, row.sbic, row.predictive, row.edges, row.parameters
        )?;
    }
    writeln!(page, "\nCMN: the kappa with the highest BIC in each fold. MN: no contexts (kappa eps).")?;
    writeln!(
        page,
        "Predictive: mean natural-log probability per held-out row, smoothing {}.",
        arguments.fitting.smoothing
    )?;
    if !found.exact {
        writeln!(page, "Exact fitting was out of reach: the numbers are of the pseudo-likelihood.")?;
    }
    if found.stop != StopReason::Converged {
        writeln!(
            page,
            "Ended early ({}): the means are over {} finished folds.",
            found.stop, found.finished
        )?;
    }
    Ok(page)
}
