//! `cmnet learn`: from a table to a learned, fitted and drawn model.

mod outputs;
mod sgm;
mod summary;

use crate::args::{Format, LearnArgs, Printed};
use crate::commands::fitting::{learn_options, time_limit};
use crate::dialect::CommandLine;
use crate::exit::{Outcome, Usage};
use crate::progress::Watch;
use crate::{checkpoint, files, output, share};
use cmnet::{Job, LearnOptions, ModelClass, Select, Tune, find_variable, learn_from};
use cmnet_report::answer::LearnedAnswer;

pub(crate) fn run(arguments: &Printed<LearnArgs>) -> anyhow::Result<Outcome> {
    let options = options(arguments)?;
    let is_sgm = arguments.model == ModelClass::Sgm;
    let outputs = outputs::plan(arguments, if is_sgm { 1 } else { options.kappas.len() })?;
    checkpoint::check_apart(&arguments.checkpoints, &arguments.data.files(), outputs.paths())?;
    let division = share::with_checkpoints(&arguments.share, &arguments.checkpoints)?;
    share::check(&division, &arguments.data.files())?;
    let time_limit = time_limit(&arguments.search)?;
    if is_sgm {
        sgm::check(arguments, &options)?;
    } else if arguments.seed.is_some() && !draws(arguments, &options) {
        let refusal = "--seed: nothing is drawn at random here; --model sgm, --select heldout and cv, --order auto, \
                       --ridge auto and --target do so";
        return Err(Usage(refusal.to_owned()).into());
    }
    let loaded = files::table(&arguments.data)?;
    let find = |name: &String| find_variable(loaded.data.schema(), name);
    let options = LearnOptions { target: arguments.target.as_ref().map(find).transpose()?, ..options };
    if is_sgm {
        return sgm::run(arguments, &loaded, &outputs, &Watch::new(time_limit));
    }
    let job = Job::Learn(options.clone());
    if let Some(outcome) = share::run(&division, &job, &loaded.data, &Watch::new(time_limit))? {
        return Ok(outcome);
    }
    let known = share::known(&division, &job, &loaded.data)?;
    share::note_rest(&job, &loaded.data, &known);
    let (checkpointer, state) = checkpoint::open(&arguments.checkpoints, &loaded.data, &options)?;
    let state = if division.known.is_some() { known.learn_state() } else { state };
    let watch = Watch::with_checkpoints(time_limit, checkpointer);
    let learned = learn_from(state, &loaded.data, &options, &watch)?;
    // A disk that is full must not swallow the answer: it is printed either way.
    let checkpointed = watch.finish();
    let written = outputs.write(&learned, &loaded.data, &options);
    let paths = written.as_deref().unwrap_or_default();
    match arguments.format {
        Format::Text => output::page(&summary::render(&learned, &loaded, paths)?)?,
        Format::Json => {
            output::answer(&LearnedAnswer::of(&learned, &loaded.data, loaded.dropped_rows, &CommandLine))?;
            outputs::note_written(paths);
        }
    }
    written?;
    checkpointed?;
    let unfitted = learned.models.iter().any(|model| model.unfitted.is_some());
    Ok(match Outcome::of(learned.stop) {
        Outcome::Done if unfitted => Outcome::Limited,
        outcome => outcome,
    })
}

/// Whether rows are held out by a seed.
fn draws(arguments: &LearnArgs, options: &LearnOptions) -> bool {
    let by_rows = matches!(options.select, Select::Heldout | Select::Cv);
    by_rows || !options.tune.is_nothing() || arguments.target.is_some()
}

/// What was typed becomes what the library understands; the target waits for the table.
fn options(arguments: &LearnArgs) -> anyhow::Result<LearnOptions> {
    let options = learn_options(&arguments.search)?;
    let tune = Tune { seed: arguments.seed.unwrap_or(options.tune.seed), ..options.tune };
    Ok(LearnOptions { select: arguments.select, tune, ..options })
}
