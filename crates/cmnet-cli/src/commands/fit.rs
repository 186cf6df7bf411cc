//! `cmnet fit`: parameters for a given structure.

use crate::args::{FitArgs, Format, Printed};
use crate::commands::fitting::{fit_options, tune_options};
use crate::commands::missing;
use crate::exit::Outcome;
use crate::weights::{self, Weighed};
use crate::{files, output};
use cmnet::{
    Error, ErrorKind, Fit, FitOptions, FitStatus, FixedOnly, IncompleteTable, Judged, Model, OnMissing,
    Outcome as Work, Schema, WeightedCounts, WeightedTable, fit, fit_incomplete, fit_with, tune,
};
use cmnet_report::answer::FittedAnswer;
use cmnet_report::answer::fitted::term_text;
use std::fmt::Write;

pub(crate) fn run(arguments: &Printed<FitArgs>) -> anyhow::Result<Outcome> {
    if let Some(path) = &arguments.output {
        files::check_output(path, &arguments.data.files())?;
    }
    let model = files::model(&arguments.model.model)?;
    let options = fit_options(&arguments.fitting)?;
    let (fitted, table) = estimate(&model, &options, arguments)?;
    let page = match arguments.format {
        Format::Text => Err(as_text(&output::printable(model.schema()), &fitted, options.smoothing)?),
        Format::Json => {
            let answer = FittedAnswer::of(model.schema(), &fitted);
            Ok(match &table {
                Some(table) => answer.of_incomplete(table),
                None => answer,
            })
        }
    };
    let limited = fitted.status == FitStatus::IterationLimit;
    // A disk that is full must not swallow the estimate: it is printed either way.
    let saved = save(&model.with_fit(fitted)?, arguments);
    match page {
        Ok(answer) => output::answer(&answer)?,
        Err(text) => output::page(&text)?,
    }
    saved?;
    if limited {
        output::note("the estimate did not converge, so its log-likelihood and BIC are only lower bounds");
        return Ok(Outcome::Limited);
    }
    Ok(Outcome::Done)
}

/// The parameters, from complete rows or from what is known of all; the table in the latter case.
fn estimate(
    model: &Model,
    options: &FitOptions,
    arguments: &FitArgs,
) -> anyhow::Result<(Fit, Option<IncompleteTable>)> {
    let tuning = tune_options(&arguments.fitting)?;
    if arguments.data.reading.on_missing != OnMissing::Model {
        let data = match weights::weighed_for(model, &arguments.data, &arguments.weighing)? {
            Weighed::Whole(data) => data,
            Weighed::Real(table) => {
                tuning.check_fixed(FixedOnly::RealWeights)?;
                return Ok((estimate_weighted(model, options, &table)?, None));
            }
        };
        let judged = Judged { structure: model.structure(), relearned: &[], data: &data, target: None };
        let tuned = tune(judged, options, tuning, &())?.done();
        let options = tuned.as_ref().map_or(options, |tuned| &tuned.options);
        return Ok((fit(model.structure(), &data, options)?, None));
    }
    tuning.check_fixed(FixedOnly::MissingValues)?;
    let table = files::incomplete_for(model.schema(), &arguments.data)?;
    missing::tell(&arguments.data.data, &table);
    match fit_incomplete(model.structure(), &table, options, &())? {
        Work::Done(found) => Ok((found.fit, Some(table))),
        // Nobody asks to stop here.
        Work::Stopped(reason) => Err(Error::from(ErrorKind::Stopped(reason)).into()),
    }
}

/// The parameters from rows with real weights.
fn estimate_weighted(model: &Model, options: &FitOptions, table: &WeightedTable) -> anyhow::Result<Fit> {
    match fit_with(model.structure(), &WeightedCounts::new(table), options, &())? {
        Work::Done(fit) => Ok(Fit { digest: Some(table.digest()), ..fit }),
        // Nobody asks to stop here.
        Work::Stopped(reason) => Err(Error::from(ErrorKind::Stopped(reason)).into()),
    }
}

fn save(model: &Model, arguments: &Printed<FitArgs>) -> anyhow::Result<()> {
    if let Some(path) = &arguments.output {
        model.save(path)?;
        output::note(&format!("wrote {}", path.display()));
    } else if arguments.format == Format::Text {
        output::note("the parameters are not saved; give -o MODEL to write them");
    }
    Ok(())
}

fn as_text(schema: &Schema, fit: &Fit, asked: f64) -> anyhow::Result<String> {
    let mut page = String::new();
    writeln!(page, "method           {} ({})", fit.estimate, fit.reason)?;
    writeln!(page, "status           {} after {} iterations", fit.status, fit.iterations)?;
    writeln!(page, "rows             {}", fit.rows)?;
    writeln!(page, "parameters       {}", fit.free_parameters)?;
    if let Some(order) = fit.parameters.terms().order().limit() {
        writeln!(page, "terms            of at most {order} variables")?;
    }
    if let Some(total) = fit.log_likelihood {
        writeln!(page, "log-likelihood   {total:.6}")?;
    }
    if let Some(total) = fit.pseudo_log_likelihood {
        writeln!(page, "pseudo-log-lik.  {total:.6}")?;
    }
    writeln!(page, "BIC              {:.6}", fit.bic())?;
    writeln!(page, "BIC / n          {:.6}", fit.sbic())?;
    writeln!(
        page,
        "smoothing        pseudo-counts of {} in the parameters, none in the numbers above",
        fit.smoothing
    )?;
    if !fit.ridge.is_none() {
        writeln!(
            page,
            "ridge            of strength {} in the parameters, none in the numbers above",
            fit.ridge
        )?;
    }
    if fit.status == FitStatus::Boundary {
        let terms: Vec<String> = fit.boundary.iter().take(12).map(|term| term_text(schema, term)).collect();
        let more = fit.boundary.len().saturating_sub(terms.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        writeln!(
            page,
            "Zero margins leave these terms without a finite estimate: {}{more}",
            terms.join("; ")
        )?;
        if asked == 0.0 {
            writeln!(page, "They end where pseudo-counts of {:e} leave them.", fit.smoothing)?;
        }
    }
    Ok(page)
}
