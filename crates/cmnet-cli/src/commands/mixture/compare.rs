//! `cmnet compare` where one of the two is a mixture: how probable both find the same rows.

use crate::args::{CompareArgs, DataArgs, Format, Printed};
use crate::exit::Outcome;
use crate::{files, output};
use cmnet::{AnyModel, Error, Evaluation, evaluate};
use cmnet_report::Together;
use cmnet_report::answer::Answer;
use serde::Serialize;

/// `cmnet-compare/1` of mixtures: rows alone tell how they differ.
#[derive(Debug, Serialize)]
struct ComparedOnRows {
    log_likelihood: [Option<f64>; 2],
    parameters: [usize; 2],
    sbic: [Option<f64>; 2],
}

impl Answer for ComparedOnRows {
    const FORMAT: &'static str = "cmnet-compare/1";
}

pub(crate) fn run(
    arguments: &Printed<CompareArgs>,
    one: &AnyModel,
    other: &AnyModel,
) -> anyhow::Result<Outcome> {
    let Some(data) = &arguments.data else {
        let problem = "a mixture is compared by the probability of rows, and none are given";
        return Err(Error::question(problem, "give a table that both know").into());
    };
    let table = DataArgs { data: data.clone(), reading: arguments.reading.clone() };
    let found = [on_rows(one, &table)?, on_rows(other, &table)?];
    let compared = ComparedOnRows {
        log_likelihood: found.map(|one| one.log_likelihood),
        parameters: found.map(|one| one.parameters),
        sbic: found.map(|one| one.sbic()),
    };
    match arguments.format {
        Format::Json => output::answer(&compared)?,
        Format::Text => {
            let line = |which: &str, one: &Evaluation| {
                let number = one.log_likelihood.map_or("not available".to_owned(), |v| format!("{v:.6}"));
                format!(
                    "mean log-likelihood of the {which} on the data: {number}, {} parameters\n",
                    one.parameters
                )
            };
            output::page(&(line("first", &found[0]) + &line("second", &found[1])))?;
        }
    }
    Ok(Outcome::Done)
}

fn on_rows(model: &AnyModel, table: &DataArgs) -> anyhow::Result<Evaluation> {
    Ok(match model {
        AnyModel::Network(model) => evaluate(&model.normalized_fit()?, &files::table_for(model, table)?),
        AnyModel::Mixture(mixture) => mixture.evaluate(&files::table_for(mixture.first(), table)?, &())?,
        AnyModel::Ensemble(_) => return Err(files::not_of_ensembles()),
    })
}
