//! `cmnet explain`: what a model says, and what evidence does to it.

mod intervals;
mod mathematics;
mod words;

use super::asking;
use crate::args::{DataArgs, Format, Printed};
use crate::ask_args::ExplainArgs;
use crate::exit::Outcome;
use crate::interrupt::{self, Interrupt};
use crate::{files, output};
use cmnet::{AnyModel, CountSource, RowCounts, find_variable};
use cmnet_report::answer::{Explained, Intervals, Mathematics, Shown};

pub(crate) fn run(arguments: &Printed<ExplainArgs>) -> anyhow::Result<Outcome> {
    let model = match files::any_model(&arguments.model.model)? {
        AnyModel::Network(model) => *model,
        AnyModel::Mixture(mixture) => return super::mixture::explain::run(arguments, &mixture),
        AnyModel::Ensemble(ensemble) => return super::ensemble::explain::run(arguments, &ensemble),
    };
    let evidence = asking::evidence(model.schema(), &arguments.given)?;
    let shown = Shown {
        restrictions: arguments.restrictions,
        classes: arguments.classes.as_deref().map(|name| find_variable(model.schema(), name)).transpose()?,
        terms: arguments.terms,
    };
    let table = |data: &String| DataArgs { data: data.clone(), reading: arguments.reading.clone() };
    let data = arguments.data.as_ref().map(|data| files::table_for(&model, &table(data))).transpose()?;
    let shown =
        if shown.is_empty() { None } else { Some(Mathematics::of(&model, shown, data.as_ref(), &())?) };
    let alone = evidence.is_empty() && !arguments.intervals;
    if let (Some(shown), Format::Text) = (&shown, arguments.format) {
        let more = if alone { "" } else { "\n" };
        output::page(&(mathematics::of(shown) + more))?;
        if alone {
            return Ok(Outcome::Done);
        }
    }
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
    let explained = Explained { mathematics: shown, ..explained };
    let intervals = if arguments.intervals {
        interrupt::listen();
        let rows = files::fitted_table(&model, arguments.data.as_deref(), &arguments.reading)?;
        let counts = rows.as_ref().map(RowCounts::new);
        let counts = counts.as_ref().map(|counts| counts as &dyn CountSource);
        Some(Intervals::of(&model, counts, &Interrupt)?)
    } else {
        None
    };
    let explained = explained.with_intervals(intervals);
    match arguments.format {
        Format::Text => output::page(&words::of(&explained))?,
        Format::Json => output::answer(&explained)?,
    }
    Ok(Outcome::Done)
}
