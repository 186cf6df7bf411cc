//! `cmnet learn --components`: a latent class with a network for each of its values.

use super::outputs::{self, Outputs};
use crate::args::{Format, LearnArgs, Printed};
use crate::dialect::CommandLine;
use crate::exit::{Outcome, Usage};
use crate::output;
use crate::progress::Watch;
use cmnet::{
    Chosen, ComponentCount, Criterion, LearnOptions, LearnedMixture, LoadedTable, MixtureOptions, ModelClass,
    StopReason, learn_mixture,
};
use cmnet_report::answer::{LearnedAnswer, MixtureFacts, class_models};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Refuses what has no meaning for a mixture.
pub(super) fn check(arguments: &LearnArgs) -> anyhow::Result<()> {
    let refuse =
        |flag: &str| Err(Usage(format!("{flag}: --components does not use this; leave it out")).into());
    if arguments.model == ModelClass::Sgm {
        return refuse("--model sgm");
    }
    if arguments.groups.group.is_some() {
        return refuse("--group");
    }
    if arguments.checkpoints.checkpoint.is_some() || arguments.checkpoints.resume {
        return refuse("--checkpoint and --resume");
    }
    Ok(())
}

/// What is learned from, how, and where the result goes.
pub(super) struct Work<'a> {
    pub(super) arguments: &'a Printed<LearnArgs>,
    pub(super) options: &'a LearnOptions,
    pub(super) loaded: &'a LoadedTable,
    pub(super) outputs: &'a Outputs,
}

impl Work<'_> {
    pub(super) fn run(&self, components: Chosen<ComponentCount>, watch: &Watch) -> anyhow::Result<Outcome> {
        let seed = self.options.tune.seed;
        let how = MixtureOptions { components, seed, ..MixtureOptions::default() };
        let learned = learn_mixture(&self.loaded.data, self.options, &how, watch)?;
        // A disk that is full must not swallow the answer: it is printed either way.
        let written = self.write(&learned);
        let paths = written.as_deref().unwrap_or_default();
        match self.arguments.format {
            Format::Text => output::page(&self.as_text(&learned, paths)?)?,
            Format::Json => {
                let LoadedTable { data, dropped_rows, .. } = self.loaded;
                output::answer(&LearnedAnswer::of_mixture(&learned, data, *dropped_rows, &CommandLine))?;
                outputs::note_written(paths);
            }
        }
        written?;
        Ok(Outcome::of(learned.stop))
    }

    /// One class is a network like others.
    fn write(&self, learned: &LearnedMixture) -> anyhow::Result<Vec<PathBuf>> {
        match learned.parts.as_slice() {
            [only] => self.outputs.write(only, &self.loaded.data, self.options),
            _ => self.outputs.write_mixture(&learned.mixture),
        }
    }

    fn as_text(&self, learned: &LearnedMixture, written: &[PathBuf]) -> anyhow::Result<String> {
        let LoadedTable { data, file, dropped_rows, .. } = self.loaded;
        let (rows, distinct, variables) = (data.rows(), data.distinct_rows(), data.variables());
        let mut page = format!("{file}: {rows} rows ({distinct} distinct), {variables} variables\n");
        if *dropped_rows > 0 {
            writeln!(page, "{dropped_rows} rows with missing values were left out")?;
        }
        let facts = MixtureFacts::of(learned);
        writeln!(
            page,
            "\n  {:<7} {:>8} {:>10} {:>5} {:>8} {:>10}",
            "class", "share", "kappa", "edges", "contexts", "parameters"
        )?;
        let models = class_models(learned, data, &CommandLine);
        for (class, (model, weight)) in (1..).zip(models.iter().zip(&facts.weights)) {
            let contexts: usize = model.contexts.iter().map(|context| context.elements.len()).sum();
            let parameters = model.parameters.unwrap_or_default();
            writeln!(
                page,
                "  {class:<7} {weight:>8.4} {:>10} {:>5} {contexts:>8} {parameters:>10}",
                model.kappa,
                model.edges.len()
            )?;
        }
        let number = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.6}"));
        let per_row = facts.log_likelihood.map(|value| value / rows as f64);
        writeln!(
            page,
            "\nlog-likelihood per row {}, {} parameters, BIC / n {}",
            number(per_row),
            facts.parameters,
            number(facts.sbic)
        )?;
        notes(&mut page, learned, &facts)?;
        if let Some(files) = outputs::named(written) {
            writeln!(page, "\nwrote {files}")?;
        }
        Ok(page)
    }
}

/// What a reader must know about the choice and the estimate.
fn notes(page: &mut String, learned: &LearnedMixture, facts: &MixtureFacts) -> anyhow::Result<()> {
    if !facts.tried.is_empty() {
        let what = if learned.criterion == Some(Criterion::Heldout) {
            "log-probability of a held-out row"
        } else {
            "BIC / n"
        };
        let tried: Vec<String> =
            facts.tried.iter().map(|one| format!("{}: {:.5}", one.components, one.value)).collect();
        writeln!(page, "{what} by number of classes: {}", tried.join(", "))?;
    }
    let (steps, gain) = (facts.steps.unwrap_or_default(), facts.gain.unwrap_or_default());
    match facts.converged {
        Some(true) => writeln!(page, "EM ended after {steps} steps; the last gained {gain:.1e} per row")?,
        _ => writeln!(page, "EM was ended after {steps} steps; the last gained {gain:.1e} per row")?,
    }
    if learned.parts.len() == 1 {
        writeln!(page, "one class: the model file is that of a single network")?;
    }
    if learned.stop != StopReason::Converged {
        writeln!(page, "learning was ended early ({}): what was found by then is kept", learned.stop)?;
    }
    Ok(())
}
