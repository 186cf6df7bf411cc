//! `cmnet cv`: the paper's ten-fold protocol.

use crate::args::{CvArgs, Format, Printed};
use crate::commands::fitting::{options_without_backbone, time_limit};
use crate::dialect::CommandLine;
use crate::exit::{Outcome, Usage};
use crate::progress::Watch;
use crate::{files, output, share, weights};
use cmnet::{
    CrossValidation, FitMethod, FoldPlan, Job, LearnOptions, StopReason, cross_validate_from,
    cross_validate_weighted, find_variable,
};
use cmnet_report::answer::CrossValidatedAnswer;
use std::fmt::Write;

pub(crate) fn run(arguments: &Printed<CvArgs>) -> anyhow::Result<Outcome> {
    let options = options_without_backbone(&arguments.search)?;
    share::check(&arguments.share, &arguments.data.files())?;
    let watch = Watch::new(time_limit(&arguments.search)?);
    if weights::are_of_a_design(&arguments.data, &arguments.weighing) {
        return weighted(arguments, &options, &watch);
    }
    let read = files::table_with_note(&arguments.data, arguments.fold_column.as_deref(), &options, &watch);
    let data = match read {
        Err(error) if weights::are_real(&error) => return weighted(arguments, &options, &watch),
        read => read?,
    };
    let deal = match &arguments.fold_column {
        Some(column) => FoldPlan::Column(find_variable(data.schema(), column)?),
        None => FoldPlan::Drawn { folds: arguments.folds, seed: arguments.seed },
    };
    let job = Job::CrossValidate { plan: deal, options: options.clone() };
    if let Some(outcome) = share::run(&arguments.share, &job, &data, &watch)? {
        return Ok(outcome);
    }
    let known = share::known(&arguments.share, &job, &data)?;
    share::note_rest(&job, &data, &known);
    let found = cross_validate_from(&known.folds, &data, deal, &options, &watch)?;
    answer(&found, arguments)
}

/// The same with weights that are no whole numbers.
fn weighted(arguments: &Printed<CvArgs>, options: &LearnOptions, watch: &Watch) -> anyhow::Result<Outcome> {
    if arguments.share.shard.is_some() || arguments.share.known.is_some() {
        let problem = "--shard and --known: not with weights that are no whole numbers; leave them out, or round \
                       the weights";
        return Err(Usage(problem.to_owned()).into());
    }
    let loaded =
        weights::table_sparing(arguments.fold_column.as_deref(), &arguments.data, &arguments.weighing)?;
    let deal = match &arguments.fold_column {
        Some(column) => FoldPlan::Column(find_variable(loaded.table.schema(), column)?),
        None => FoldPlan::Drawn { folds: arguments.folds, seed: arguments.seed },
    };
    answer(&cross_validate_weighted(&loaded.table, deal, options, watch)?, arguments)
}

fn answer(found: &CrossValidation, arguments: &Printed<CvArgs>) -> anyhow::Result<Outcome> {
    match arguments.format {
        Format::Text => output::page(&as_text(found, arguments)?)?,
        Format::Json => output::answer(&CrossValidatedAnswer::of(found, &CommandLine))?,
    }
    Ok(match Outcome::of(found.stop) {
        Outcome::Done if !found.left_out.is_empty() => Outcome::Limited,
        outcome => outcome,
    })
}

fn as_text(found: &CrossValidation, arguments: &CvArgs) -> anyhow::Result<String> {
    if found.finished == 0 {
        return Ok(format!("No fold was finished ({}); nothing is kept.\n", found.stop));
    }
    let by = match &found.fold_column {
        Some(column) => format!("by column {column}"),
        None => format!("seed {}", arguments.seed),
    };
    let mut page = format!("{} folds, {by}; means over folds\n\n", found.folds);
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
            "Where the estimate lies at infinity, a held-out row counts as with pseudo-counts of 1e-7 rows for each row \
             (at most one) leave it."
        )?;
    }
    for left_out in &found.left_out {
        writeln!(page, "{} is left out: {}", left_out.method, left_out.reason.words(&CommandLine))?;
    }
    if !found.exact {
        let why = match arguments.search.fitting.method {
            FitMethod::Pseudo => "As asked for",
            FitMethod::Auto | FitMethod::Exact => "Exact fitting was out of reach in some fold",
        };
        writeln!(page, "{why}: all numbers are of the pseudo-likelihood.")?;
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
