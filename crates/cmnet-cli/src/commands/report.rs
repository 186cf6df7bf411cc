//! `cmnet report`: a page to attach to a paper.

use super::explore::{check_ending, open};
use super::fitting::{options_without_backbone, time_limit};
use crate::args::{DataArgs, Format, Printed, ReportArgs};
use crate::dialect::CommandLine;
use crate::exit::{Outcome, Usage};
use crate::progress::Watch;
use crate::{files, output};
use cmnet::{
    Control, CrossValidation, Dataset, FoldPlan, LearnOptions, Learned, Model, StopReason, cross_validate,
    learn,
};
use cmnet_report::Report;
use cmnet_report::answer::{Description, ReportedAnswer};
use std::path::Path;

/// What a report is about.
struct Subject {
    model: Model,
    table: Option<(Dataset, Description)>,
    learned: Option<Learned>,
}

pub(crate) fn run(arguments: &Printed<ReportArgs>) -> anyhow::Result<Outcome> {
    let page = &arguments.output;
    check_ending(page)?;
    files::check_output(page, &inputs(arguments))?;
    let options = options_without_backbone(&arguments.search)?;
    let watch = Watch::new(time_limit(&arguments.search)?);
    let subject =
        if is_model(arguments) { of_model(arguments)? } else { of_table(arguments, &options, &watch)? };
    let validated = validation(arguments, &subject, &options, &watch)?;
    let html = render(arguments, &subject, validated.as_ref(), &watch)?;
    cmnet::write_atomic(page, html.as_bytes())?;
    let (file, bytes) = (page.display().to_string(), html.len());
    let folds = validated.as_ref().map_or(0, |validated| validated.finished);
    match arguments.format {
        Format::Text => output::note(&format!("wrote {file}")),
        Format::Json => output::answer(&ReportedAnswer { file, bytes, folds })?,
    }
    if arguments.open {
        open(page)?;
    }
    let learned = subject.learned.map_or(StopReason::Converged, |learned| learned.stop);
    Ok(match Outcome::of(learned) {
        Outcome::Done => Outcome::of(validated.map_or(StopReason::Converged, |validated| validated.stop)),
        ended => ended,
    })
}

/// A model file is JSON, and says so by its name.
fn is_model(arguments: &ReportArgs) -> bool {
    Path::new(&arguments.input).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
}

fn inputs(arguments: &ReportArgs) -> Vec<&Path> {
    let named = [Some(&arguments.input), arguments.data.as_ref()];
    named.into_iter().flatten().map(Path::new).chain(arguments.reading.schema.as_deref()).collect()
}

fn of_model(arguments: &ReportArgs) -> anyhow::Result<Subject> {
    let model = files::model(Path::new(&arguments.input))?;
    let table = match &arguments.data {
        Some(data) => {
            let named = DataArgs { data: data.clone(), reading: arguments.reading.clone() };
            let table = files::table_for(&model, &named)?;
            let mut description = Description::of(&table).in_words(&CommandLine);
            description.file = Some(data.clone());
            Some((table, description))
        }
        None => None,
    };
    Ok(Subject { model, table, learned: None })
}

fn of_table(arguments: &ReportArgs, options: &LearnOptions, watch: &Watch) -> anyhow::Result<Subject> {
    if arguments.data.is_some() {
        let problem = "--data: the table is named already; --data goes with a model, which ends in .json";
        return Err(Usage(problem.to_owned()).into());
    }
    let named = DataArgs { data: arguments.input.clone(), reading: arguments.reading.clone() };
    let loaded = files::table(None, &named, options, watch)?;
    let description = Description::of_loaded(&loaded).in_words(&CommandLine);
    let learned = learn(&loaded.data, options, watch)?;
    let Some(kept) = learned.kept(loaded.data.rows()) else {
        return Err(Usage(format!("{}: nothing was learned ({})", arguments.input, learned.stop)).into());
    };
    let model = kept.to_model(&loaded.data, options, &learned.search)?;
    Ok(Subject { model, table: Some((loaded.data, description)), learned: Some(learned) })
}

fn validation(
    arguments: &ReportArgs,
    subject: &Subject,
    options: &LearnOptions,
    watch: &Watch,
) -> anyhow::Result<Option<CrossValidation>> {
    let stopped = subject.learned.as_ref().is_some_and(|learned| learned.stop == StopReason::Interrupted);
    match &subject.table {
        Some((table, _)) if arguments.folds > 0 && !stopped => {
            let plan = FoldPlan::Drawn { folds: arguments.folds, seed: arguments.seed };
            Ok(Some(cross_validate(table, plan, options, watch)?))
        }
        _ => Ok(None),
    }
}

fn render(
    arguments: &ReportArgs,
    subject: &Subject,
    validated: Option<&CrossValidation>,
    watch: &Watch,
) -> anyhow::Result<String> {
    let title = Path::new(&arguments.input).file_stem().map_or_else(
        || arguments.input.clone(),
        |stem| stem.to_string_lossy().trim_end_matches(".model").to_owned(),
    );
    let mut report = Report::new(&subject.model, &title, &command());
    if let Some((table, description)) = &subject.table {
        report = report.with_table(table, description);
    }
    if let Some(learned) = &subject.learned {
        report = report.with_learned(learned);
    }
    if let Some(validated) = validated {
        report = report.with_validation(validated);
    }
    // Work that was ended early is reported as far as it came.
    let ended = |stop: Option<StopReason>| stop.is_some_and(|stop| stop != StopReason::Converged);
    let early = ended(subject.learned.as_ref().map(|learned| learned.stop))
        || ended(validated.map(|validated| validated.stop));
    let control: &dyn Control = if early { &() } else { watch };
    Ok(report.page(control)?)
}

/// The command as it was typed, for a shell.
fn command() -> String {
    let plain = |word: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "-_./=,:^+@%".contains(c))
    };
    let quoted = |word: String| {
        if plain(&word) { word } else { format!("'{}'", word.replace('\'', r"'\''")) }
    };
    let words = std::env::args_os().skip(1).map(|word| quoted(word.to_string_lossy().into_owned()));
    std::iter::once("cmnet".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}
