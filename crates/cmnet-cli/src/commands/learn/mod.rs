//! `cmnet learn`: from a table to a learned, fitted and drawn model.

mod answer;
mod outputs;
mod sgm;
mod summary;

use crate::args::{Candidates, Format, LearnArgs, ModelClass, Search, Select};
use crate::commands::fitting::fit_options;
use crate::exit::Outcome;
use crate::progress::Watch;
use crate::{checkpoint, files, output};
use cmnet::learn::{LearnOptions, SearchMode, Select as Choice, learn_from, parse_duration};
use cmnet::score::Kappa;
use cmnet::search::StopReason;
use cmnet::search::blanket::{BlanketLimits, CandidateRule};
use std::path::Path;

pub(crate) fn run(arguments: &LearnArgs) -> anyhow::Result<Outcome> {
    let options = options(arguments)?;
    let is_sgm = arguments.model == ModelClass::Sgm;
    let outputs = outputs::plan(arguments, if is_sgm { 1 } else { options.kappas.len() })?;
    if let Some(path) = &arguments.checkpoints.checkpoint {
        files::check_output(path, Path::new(&arguments.data.data))?;
    }
    let loaded = files::table(&arguments.data)?;
    let time_limit =
        arguments.time_limit.as_deref().map(|text| parse_duration("--time-limit", text)).transpose()?;
    if is_sgm {
        return sgm::run(arguments, &loaded, &outputs, &Watch::new(time_limit));
    }
    let (checkpointer, state) = checkpoint::open(&arguments.checkpoints, &loaded.data, &options)?;
    let watch = Watch::new(time_limit).with_checkpoints(checkpointer);
    let learned = learn_from(state, &loaded.data, &options, &watch)?;
    // A disk that is full must not swallow the answer: it is printed either way.
    let checkpointed = watch.finish();
    let written = outputs.write(&learned, &loaded.data, &options);
    let paths = written.as_deref().unwrap_or_default();
    match arguments.format.format {
        Format::Text => output::text(&summary::render(&learned, &loaded, paths)?)?,
        Format::Json => output::json(&answer::render(&learned, &loaded.data))?,
    }
    written?;
    checkpointed?;
    Ok(match learned.stop {
        StopReason::Interrupted => Outcome::Interrupted,
        StopReason::TimeLimit => Outcome::Limited,
        _ => Outcome::Done,
    })
}

/// What was typed becomes what the library understands.
fn options(arguments: &LearnArgs) -> anyhow::Result<LearnOptions> {
    let kappas: Vec<Kappa> = arguments.kappa.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
    Ok(LearnOptions {
        kappas,
        search: arguments.search.into(),
        alpha: arguments.alpha.parse()?,
        select: match arguments.select {
            Select::Bic => Choice::Bic,
            Select::None => Choice::None,
        },
        fit: fit_options(&arguments.fitting)?,
        threads: arguments.threads,
        limits: BlanketLimits {
            neighbors: arguments.max_neighbors,
            configurations: arguments.max_configurations,
        },
        candidates: match arguments.candidates {
            Candidates::Or => CandidateRule::Or,
            Candidates::And => CandidateRule::And,
        },
    })
}

impl From<Search> for SearchMode {
    fn from(search: Search) -> Self {
        match search {
            Search::Auto => Self::Auto,
            Search::Paper => Self::Paper,
            Search::Blanket => Self::Blanket,
        }
    }
}
