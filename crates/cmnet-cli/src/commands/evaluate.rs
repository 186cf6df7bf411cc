//! `cmnet evaluate`: how probable a fitted model finds these rows.

use crate::args::{DataArgs, EvaluateArgs, Format, Printed, ReadingArgs, WeighingArgs};
use crate::commands::missing;
use crate::exit::{Outcome, Usage};
use crate::weights::{self, Weighed};
use crate::{files, output};
use cmnet::{
    AnyModel, ErrorKind, Evaluation, FitOptions, IncompleteTable, InputProblem, Model, OnMissing, Schema,
    evaluate, evaluate_incomplete,
};
use cmnet_report::Together;
use cmnet_report::answer::EvaluatedAnswer;

pub(crate) fn run(arguments: &Printed<EvaluateArgs>) -> anyhow::Result<Outcome> {
    let found = judged(arguments)?;
    match arguments.format {
        Format::Text => output::page(&as_text(&found))?,
        Format::Json => output::answer(&found)?,
    }
    Ok(Outcome::Done)
}

/// What the file that was named says of the rows.
fn judged(arguments: &EvaluateArgs) -> anyhow::Result<EvaluatedAnswer> {
    match files::any_model(&arguments.model.model)? {
        AnyModel::Network(model) => {
            files::fit_of(&model, &arguments.model.model)?;
            let complete = |data: &DataArgs| complete(&model, data, &arguments.weighing);
            let known = |table: &IncompleteTable| {
                // What is known of a row has a whole number of observations.
                if weights::are_of_a_design(&arguments.data, &weights::meaning(&model, &arguments.weighing)) {
                    return Err(no_real_weights());
                }
                Ok(EvaluatedAnswer::from(&evaluate_incomplete(&model, table, memory(), &())?))
            };
            evaluated(model.schema(), &arguments.data, complete, known)
        }
        AnyModel::Mixture(mixture) => by_several(&mixture, &arguments.data),
        AnyModel::Ensemble(ensemble) => by_several(&ensemble, &arguments.data),
    }
}

/// What networks that answer together say of the rows.
fn by_several(networks: &impl Together, arguments: &DataArgs) -> anyhow::Result<EvaluatedAnswer> {
    let complete = |data: &DataArgs| Ok(networks.evaluated(&files::table_for(networks.first(), data)?, &())?);
    let known = |table: &IncompleteTable| Ok(networks.evaluated_incomplete(table, memory(), &())?);
    evaluated(networks.first().schema(), arguments, complete, known)
}

fn as_text(found: &EvaluatedAnswer) -> String {
    let number = |value: Option<f64>, why: &str| {
        value.map_or(format!("not available: {why}"), |value| format!("{value:.6}"))
    };
    let unnormalised = if found.alone.is_some() {
        "its networks have parameters of their own"
    } else {
        "the model is not normalised"
    };
    let incomplete = found.incomplete_rows.filter(|&rows| rows > 0);
    let holes = incomplete.map_or(String::new(), |rows| {
        let share = found
            .missing_share
            .map_or(String::new(), |share| format!("values missing               {:.1} %\n", 100.0 * share));
        format!(
            "with missing values          {rows}: the log-likelihood is that of the known values\n{share}"
        )
    });
    let alone = found.alone.map_or(String::new(), |alone| {
        let spread = alone.spread.deviation.map_or(String::new(), |sd| format!(", sd {sd:.6}"));
        format!("by each network alone        {:.6}{spread}\n", alone.mean)
    });
    let parameters = found.parameters.map_or("not available: an ensemble".to_owned(), |n| n.to_string());
    format!(
        "rows                         {}\n\
                 {holes}\
                 mean log-likelihood          {}\n\
                 {alone}\
                 mean pseudo-log-likelihood   {}\n\
                 parameters                   {parameters}\n\
                 BIC                          {}\n\
                 BIC / n                      {}\n",
        found.rows,
        number(found.log_likelihood, unnormalised),
        number(found.pseudo_log_likelihood, "values are missing"),
        number(found.bic, unnormalised),
        number(found.sbic, unnormalised),
    )
}

/// Complete rows, or what is known of all where values are missing and that is no error.
fn evaluated(
    schema: &Schema,
    arguments: &DataArgs,
    complete: impl Fn(&DataArgs) -> anyhow::Result<EvaluatedAnswer>,
    known: impl Fn(&IncompleteTable) -> anyhow::Result<EvaluatedAnswer>,
) -> anyhow::Result<EvaluatedAnswer> {
    if arguments.reading.on_missing != OnMissing::Model {
        return complete(arguments);
    }
    // Held in memory, where it is standard input, before the options are those of complete rows.
    let _held = files::source(arguments)?;
    let reading = ReadingArgs { on_missing: OnMissing::Error, ..arguments.reading.clone() };
    match complete(&DataArgs { data: arguments.data.clone(), reading }) {
        Err(error) if is_missing(&error) => {}
        answer => return answer,
    }
    let table = files::incomplete_for(schema, arguments)
        .map_err(|error| if weights::are_real(&error) { no_real_weights() } else { error })?;
    missing::tell(&arguments.data, &table);
    Ok(known(&table)?.of_rows(&table))
}

/// Whether a table was refused since values are missing.
fn is_missing(error: &anyhow::Error) -> bool {
    let kind = error.downcast_ref::<cmnet::Error>().map(cmnet::Error::kind);
    matches!(kind, Some(ErrorKind::Input { problem: InputProblem::Missing(_), .. }))
}

fn no_real_weights() -> anyhow::Error {
    let problem = "--weights: rows with missing values take weights that are counts; leave those rows out with \
                   --on-missing drop";
    Usage(problem.to_owned()).into()
}

/// The memory for tables in which missing values are summed out.
fn memory() -> u64 {
    FitOptions::default().memory
}

/// Complete rows, with whole or real weights.
fn complete(model: &Model, arguments: &DataArgs, weighing: &WeighingArgs) -> anyhow::Result<EvaluatedAnswer> {
    let found = match weights::weighed_for(model, arguments, weighing)? {
        Weighed::Whole(data) => evaluate(&model.normalized_fit()?, &data),
        Weighed::Real(table) => {
            let found = evaluate(&model.normalized_fit()?, table.units());
            Evaluation { rows: table.rows(), ..found }
        }
    };
    Ok(EvaluatedAnswer::from(&found))
}
