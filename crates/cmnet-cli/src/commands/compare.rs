//! `cmnet compare`: what one model has and another has not.

use crate::args::{CompareArgs, DataArgs, Format, Printed};
use crate::commands::fitting::TimeLimit;
use crate::commands::learn::groups as grouped;
use crate::exit::{Outcome, Usage};
use crate::progress::Watch;
use crate::{files, output};
use cmnet::{AnyModel, LearnOptions, OptionName, Var, learn, parse_duration};
use cmnet_report::answer::{Compared, names};
use std::fmt::Write;

pub(crate) fn run(arguments: &Printed<CompareArgs>) -> anyhow::Result<Outcome> {
    let [one, other] = match (&arguments.groups, arguments.models.as_slice()) {
        (Some(data), _) => return groups(arguments, data),
        (None, [one, other]) => [one, other],
        (None, _) => return Err(Usage("compare takes two model files".to_owned()).into()),
    };
    let (one, other) = match (files::any_model(one)?, files::any_model(other)?) {
        (AnyModel::Network(one), AnyModel::Network(other)) => (*one, *other),
        (AnyModel::Ensemble(_), _) | (_, AnyModel::Ensemble(_)) => return Err(files::not_of_ensembles()),
        (one, other) => return super::mixture::compare::run(arguments, &one, &other),
    };
    let table = |data: &String| DataArgs { data: data.clone(), reading: arguments.reading.clone() };
    let rows = match &arguments.data {
        Some(data) => Some(files::table_for(&one, &table(data))?),
        None => None,
    };
    let compared = Compared::of(&one, &other, rows.as_ref())?;
    match arguments.format {
        Format::Text => output::page(&as_text(&compared)?)?,
        Format::Json => output::answer(&compared)?,
    }
    Ok(Outcome::Done)
}

/// Compares the groups of a table: what `learn --group` says about them, without a model file.
fn groups(arguments: &Printed<CompareArgs>, data: &str) -> anyhow::Result<Outcome> {
    let data = DataArgs { data: data.to_owned(), reading: arguments.reading.clone() };
    if let Some(path) = &arguments.output {
        files::check_output(path, &data.files())?;
    }
    let time_limit = arguments
        .time_limit
        .as_deref()
        .map(|text| parse_duration(OptionName::TimeLimit, text))
        .transpose()?;
    let time_limit = TimeLimit::begin(time_limit);
    let options = LearnOptions { threads: arguments.threads, ..LearnOptions::default() };
    let watch = Watch::new(time_limit.left());
    let block = arguments.grouping.block.as_deref();
    let mut loaded = files::table(block, &data, &options, &watch)?;
    let (options, grouping) =
        grouped::prepare(&arguments.grouping, Some(arguments.seed), options, &mut loaded)?;
    let learned =
        learn(&loaded.data, &options, &watch).map_err(|error| grouped::advised(error, grouping.as_ref()))?;
    watch.finish()?;
    let comparison = grouped::compare(grouping.as_ref(), &learned, &loaded, &options, time_limit.left())?;
    let ended = Outcome::of(comparison.cut.unwrap_or(learned.stop));
    let Some(found) = comparison.found else { return Ok(ended) };
    let drawn = grouped::draw(grouping.as_ref(), &learned, &loaded, arguments.output.clone());
    match arguments.format {
        Format::Text => output::page(&found.to_string())?,
        Format::Json => output::answer(&found)?,
    }
    if let Some(path) = drawn? {
        output::note(&format!("wrote {}", path.display()));
    }
    Ok(ended)
}

fn as_text(compared: &Compared<'_>) -> anyhow::Result<String> {
    let (schema, found) = (&output::printable(compared.schema), &compared.difference);
    let edge = |edge| names::edge(schema, edge).join(" - ");
    let mut page = String::new();
    let same = if found.is_empty() { "The two structures are one model.\n" } else { "" };
    page += same;
    writeln!(
        page,
        "shared: {} edges, {} context elements (after closure)",
        found.shared_edges, found.shared_elements
    )?;
    for (place, which) in ["first", "second"].iter().enumerate() {
        for &only in &found.edges[place] {
            writeln!(page, "only in the {which}: edge {}", edge(only))?;
        }
        for element in &found.elements[place] {
            let known =
                |&known: &(Var, u32)| format!("{} = {}", schema.name(known.0), names::label(schema, known));
            let given: Vec<String> = element.given.iter().map(known).collect();
            writeln!(page, "only in the {which}: {} cut off where {}", edge(element.edge), given.join(", "))?;
        }
    }
    if let [Some(forth), Some(back)] = compared.kl {
        writeln!(page, "KL divergence: first || second {forth:.6} nats, second || first {back:.6}")?;
    }
    for (which, value) in ["first", "second"].iter().zip(compared.log_likelihood.iter().flatten()) {
        let value = value.map_or("not available".to_owned(), |value| format!("{value:.6}"));
        writeln!(page, "mean log-likelihood of the {which} on the data: {value}")?;
    }
    for (which, value) in ["first", "second"].iter().zip(compared.deviance.iter().flatten()) {
        if let Some(value) = value {
            let degrees = value.degrees.map_or("too many to count".to_owned(), |degrees| degrees.to_string());
            writeln!(page, "deviance of the {which}: {:.3}, degrees of freedom {degrees}", value.deviance)?;
        }
    }
    if let Some(test) = &compared.likelihood_ratio {
        let (inner, outer) = if test.inner == 0 { ("first", "second") } else { ("second", "first") };
        writeln!(
            page,
            "likelihood-ratio test of the {inner} inside the {outer}: statistic {:.3}, degrees of freedom {}, p {:.3e}",
            test.statistic, test.degrees, test.p_value
        )?;
        if test.boundary {
            page +=
                "an estimate lies on the boundary: the degrees of freedom are too many and p is too large\n";
        }
    }
    Ok(page)
}
