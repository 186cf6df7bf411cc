//! `cmnet learn --model sgm`: decomposable stratified graphical models, the paper's baseline.

use super::outputs::{self, Outputs};
use crate::args::{Format, LearnArgs, Printed};
use crate::commands::fitting::fit_options;
use crate::dialect::CommandLine;
use crate::exit::{Outcome, Usage};
use crate::output;
use crate::progress::Watch;
use cmnet::{
    Dataset, Dialect, LearnOptions, LoadedTable, Model, StopReason, context_records, edge_names, fit,
};
use cmnet_paper::sgm::{LearnedSgm, SgmFit, SgmOptions, learn};
use cmnet_report::answer::StratifiedAnswer;
use cmnet_report::answer::learned::TableFacts;
use cmnet_report::{Drawing, text};
use std::fmt::Write;

/// Refuses what has no meaning for stratified models.
pub(super) fn check(arguments: &LearnArgs, options: &LearnOptions) -> anyhow::Result<()> {
    let checkpoints = &arguments.checkpoints;
    let saved = (checkpoints.checkpoint.is_some() || checkpoints.resume)
        .then(|| "--checkpoint and --resume".to_owned());
    let share = &arguments.share;
    let saved = saved.or_else(|| {
        (share.shard.is_some() || share.known.is_some()).then(|| "--shard and --known".to_owned())
    });
    // The variable of a target waits for the table, and so does that of the groups.
    let asked = [("--target", arguments.target.is_some()), ("--group", arguments.groups.group.is_some())];
    let named = asked.into_iter().find(|(_, asked)| *asked).map(|(flag, _)| flag.to_owned());
    match saved.or(named).or_else(|| options.unused_by_sgm().map(|option| CommandLine.option(option))) {
        Some(flag) => Err(Usage(format!("{flag}: --model sgm does not use this; leave it out")).into()),
        None => Ok(()),
    }
}

/// Learns, fits, saves and prints one stratified model. What is printed comes from the closed
/// form; the model file has the same estimate as terms of its log-linear form.
pub(super) fn run(
    arguments: &Printed<LearnArgs>,
    loaded: &LoadedTable,
    outputs: &Outputs,
    watch: &Watch,
) -> anyhow::Result<Outcome> {
    let defaults = SgmOptions::default();
    let options = SgmOptions { seed: arguments.seed.unwrap_or(defaults.seed), ..defaults };
    let learned = learn(&loaded.data, &options, watch)?;
    let structure = learned.best.structure()?;
    let fitting = fit_options(&arguments.search.fitting)?;
    let closed = learned.best.fit(&loaded.data, fitting.smoothing)?;
    let fitted = fit(&structure, &loaded.data, &fitting)?;
    let model = Model::new(loaded.data.schema().clone(), structure)?.with_fit(fitted)?;
    // A disk that is full must not swallow the answer: it is printed either way.
    let saved = outputs.write_model(&model);
    let found = Found { learned: &learned, fit: &closed, model: &model, seed: options.seed };
    let written = saved.as_deref().unwrap_or_default();
    match arguments.format {
        Format::Json => {
            output::answer(&found.answer(&loaded.data))?;
            outputs::note_written(written);
        }
        Format::Text => {
            let mut page = found.as_text(loaded)?;
            if let Some(files) = outputs::named(written) {
                writeln!(page, "\nwrote {files}")?;
            }
            output::page(&page)?;
        }
    }
    saved?;
    Ok(Outcome::of(learned.stop))
}

/// A stratified model that was learned, and its fits.
struct Found<'a> {
    learned: &'a LearnedSgm,
    /// By the closed form.
    fit: &'a SgmFit,
    model: &'a Model,
    seed: u64,
}

impl Found<'_> {
    fn as_text(&self, loaded: &LoadedTable) -> anyhow::Result<String> {
        let Self { learned, fit, model, seed } = self;
        let data = &loaded.data;
        let mut page = format!("{}: {} rows, {} variables\n", loaded.file, data.rows(), data.variables());
        writeln!(
            page,
            "stratified graphical model, seed {seed}: {} of {} proposals accepted",
            learned.accepted, learned.proposals
        )?;
        writeln!(page, "log posterior    {:.6}", learned.best.log_posterior().to_f64())?;
        writeln!(page, "parameters       {}", fit.free_parameters)?;
        writeln!(page, "log-likelihood   {:.6}", fit.log_likelihood)?;
        writeln!(page, "BIC / n          {:.6}\n", fit.bic() / fit.rows as f64)?;
        if learned.stop != StopReason::Converged {
            writeln!(page, "the search was ended early ({}): the best model so far\n", learned.stop)?;
        }
        Ok(page + &text::render(&Drawing::new(model.schema(), model.structure())?))
    }

    fn answer<'a>(&self, data: &'a Dataset) -> StratifiedAnswer<'a> {
        let &Self { learned, fit, model, seed } = self;
        StratifiedAnswer {
            data: TableFacts::of(data),
            seed,
            proposals: learned.proposals,
            accepted: learned.accepted,
            stop: learned.stop,
            log_posterior: learned.best.log_posterior().to_f64(),
            edges: edge_names(model.schema(), model.structure()),
            contexts: context_records(model.schema(), model.structure()),
            parameters: fit.free_parameters,
            log_likelihood: fit.log_likelihood,
            bic: fit.bic(),
            sbic: fit.bic() / fit.rows as f64,
        }
    }
}
