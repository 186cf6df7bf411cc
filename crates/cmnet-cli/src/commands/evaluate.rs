//! `cmnet evaluate`: how probable a fitted model finds these rows.

use crate::args::{EvaluateArgs, Format, Printed};
use crate::exit::Outcome;
use crate::{files, output};
use cmnet::{AnyModel, evaluate};
use cmnet_report::answer::EvaluatedAnswer;

pub(crate) fn run(arguments: &Printed<EvaluateArgs>) -> anyhow::Result<Outcome> {
    let found = match files::any_model(&arguments.model.model)? {
        AnyModel::Network(model) => {
            files::fit_of(&model, &arguments.model.model)?;
            let fit = model.normalized_fit()?;
            evaluate(&fit, &files::table_for(&model, &arguments.data)?)
        }
        AnyModel::Mixture(mixture) => {
            mixture.evaluate(&files::table_for_mixture(&mixture, &arguments.data)?, &())?
        }
    };
    let found = EvaluatedAnswer::from(&found);
    let number = |value: Option<f64>| {
        value.map_or("not available: the model is not normalised".to_owned(), |v| format!("{v:.6}"))
    };
    match arguments.format {
        Format::Text => output::page(&format!(
            "rows                         {}\n\
             mean log-likelihood          {}\n\
             mean pseudo-log-likelihood   {:.6}\n\
             parameters                   {}\n\
             BIC                          {}\n\
             BIC / n                      {}\n",
            found.rows,
            number(found.log_likelihood),
            found.pseudo_log_likelihood,
            found.parameters,
            number(found.bic),
            number(found.sbic),
        ))?,
        Format::Json => output::answer(&found)?,
    }
    Ok(Outcome::Done)
}
