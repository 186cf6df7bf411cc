//! `cmnet evaluate`: how probable a fitted model finds these rows.

use crate::args::{EvaluateArgs, Format, Printed};
use crate::commands::missing;
use crate::exit::Outcome;
use crate::weights::{self, Weighed};
use crate::{files, output};
use cmnet::{AnyModel, Evaluation, FitOptions, Model, OnMissing, evaluate, evaluate_incomplete};
use cmnet_report::answer::EvaluatedAnswer;

pub(crate) fn run(arguments: &Printed<EvaluateArgs>) -> anyhow::Result<Outcome> {
    let found = match files::any_model(&arguments.model.model)? {
        AnyModel::Network(model) => {
            files::fit_of(&model, &arguments.model.model)?;
            evaluated(&model, arguments)?
        }
        AnyModel::Mixture(mixture) => {
            let data = files::table_for_mixture(&mixture, &arguments.data)?;
            EvaluatedAnswer::from(&mixture.evaluate(&data, &())?)
        }
        AnyModel::Ensemble(ensemble) => {
            let data = files::table_for_ensemble(&ensemble, &arguments.data)?;
            EvaluatedAnswer::from(&ensemble.evaluate(&data, &())?)
        }
    };
    let number = |value: Option<f64>, why: &str| {
        value.map_or(format!("not available: {why}"), |value| format!("{value:.6}"))
    };
    let unnormalised = if found.alone.is_some() {
        "its networks have parameters of their own"
    } else {
        "the model is not normalised"
    };
    match arguments.format {
        Format::Text => {
            let incomplete = found.incomplete_rows.filter(|&rows| rows > 0);
            let holes = incomplete.map_or(String::new(), |rows| {
                format!(
                    "with missing values          {rows}: the log-likelihood is that of the known values\n"
                )
            });
            let alone = found.alone.map_or(String::new(), |alone| {
                let spread = alone.spread.deviation.map_or(String::new(), |sd| format!(", sd {sd:.6}"));
                format!("by each network alone        {:.6}{spread}\n", alone.mean)
            });
            let parameters =
                found.parameters.map_or("not available: an ensemble".to_owned(), |n| n.to_string());
            output::page(&format!(
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
            ))?;
        }
        Format::Json => output::answer(&found)?,
    }
    Ok(Outcome::Done)
}

/// Complete rows, or what is known of all.
fn evaluated(model: &Model, arguments: &EvaluateArgs) -> anyhow::Result<EvaluatedAnswer> {
    let data = if arguments.data.reading.on_missing == OnMissing::Model {
        let table = files::incomplete_for(model, &arguments.data)?;
        let complete = table.complete_rows().filter(|_| table.incomplete_rows() == 0);
        let Some(data) = complete else {
            missing::tell(&arguments.data.data, &table);
            let found = evaluate_incomplete(model, &table, FitOptions::default().memory, &())?;
            return Ok(EvaluatedAnswer::from(&found));
        };
        data
    } else {
        match weights::weighed_for(model, &arguments.data, &arguments.weighing)? {
            Weighed::Whole(data) => data,
            Weighed::Real(table) => {
                let found = evaluate(&model.normalized_fit()?, table.units());
                return Ok(EvaluatedAnswer::from(&Evaluation { rows: table.rows(), ..found }));
            }
        }
    };
    Ok(EvaluatedAnswer::from(&evaluate(&model.normalized_fit()?, &data)))
}
