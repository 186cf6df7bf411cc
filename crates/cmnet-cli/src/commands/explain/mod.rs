//! `cmnet explain`: what a model says, and what evidence does to it.

mod words;

use super::asking;
use crate::args::{Format, Printed};
use crate::ask_args::ExplainArgs;
use crate::exit::Outcome;
use crate::{files, output};
use cmnet_report::answer::Explained;

pub(crate) fn run(arguments: &Printed<ExplainArgs>) -> anyhow::Result<Outcome> {
    let model = files::model(&arguments.model.model)?;
    let evidence = asking::evidence(model.schema(), &arguments.given)?;
    let exact = asking::exact(&arguments.tree)?;
    let network = if model.fit().is_some() { Some(model.network()?) } else { None };
    let what = match network.as_ref().map(|network| network.explain_cost(&evidence, &exact)) {
        None => "no parameters, no tables: only what the structure says".to_owned(),
        Some((_, 0)) => "exact: no tables, since there is no edge whose strength they could give".to_owned(),
        Some((cost, bytes)) => {
            format!("exact: the strength of an edge takes at most {bytes} bytes at a time ({cost})")
        }
    };
    asking::announce(&arguments.tree, &what);
    let explained = Explained::of(&model, network.as_ref(), &evidence, &exact)?;
    match arguments.format {
        Format::Text => output::page(&words::of(&explained))?,
        Format::Json => output::answer(&explained)?,
    }
    Ok(Outcome::Done)
}
