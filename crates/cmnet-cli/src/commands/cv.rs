//! `cmnet cv`: the paper's ten-fold protocol.

use crate::args::{CvArgs, Format};
use crate::commands::fitting::{learn_options, time_limit};
use crate::exit::Outcome;
use crate::progress::Watch;
use crate::{files, output};
use cmnet::learn::{CrossValidation, cross_validate};
use cmnet::search::StopReason;
use serde_json::json;
use std::fmt::Write;

pub(crate) fn run(arguments: &CvArgs) -> anyhow::Result<Outcome> {
    let options = learn_options(&arguments.search)?;
    let watch = Watch::new(time_limit(&arguments.search)?);
    let data = files::table_with_note(&arguments.data)?;
    let found = cross_validate(&data, (arguments.folds, arguments.seed), &options, &watch)?;
    match arguments.format.format {
        Format::Text => output::page(&as_text(&found, arguments)?)?,
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
    Ok(Outcome::of(found.stop))
}

fn as_text(found: &CrossValidation, arguments: &CvArgs) -> anyhow::Result<String> {
    if found.finished == 0 {
        return Ok(format!("No fold was finished ({}); nothing is kept.\n", found.stop));
    }
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
        arguments.search.fitting.smoothing
    )?;
    if arguments.search.fitting.smoothing == 0.0 {
        writeln!(
            page,
            "Without smoothing a held-out row may be impossible; it counts with the small probability where \
             the estimation ended."
        )?;
    }
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
