//! `cmnet learn`: from a table to a learned, fitted and drawn model.

mod imputed;
mod outputs;
mod sgm;
mod summary;
mod weighted;

use crate::args::{Format, LearnArgs, Printed};
use crate::commands::fitting::{learn_options, time_limit};
use crate::dialect::CommandLine;
use crate::exit::{Outcome, Usage};
use crate::progress::Watch;
use crate::{checkpoint, files, output, weights};
use cmnet::{
    LearnOptions, Learned, LoadedIncomplete, LoadedTable, LoadedWeighted, ModelClass, OnMissing, Select,
    Tune, find_variable, learn_from,
};
use cmnet_report::answer::LearnedAnswer;
use outputs::Outputs;
use std::time::Duration;
use summary::Told;

pub(crate) fn run(arguments: &Printed<LearnArgs>) -> anyhow::Result<Outcome> {
    let options = options(arguments)?;
    let is_sgm = arguments.model == ModelClass::Sgm;
    let outputs = outputs::plan(arguments, if is_sgm { 1 } else { options.kappas.len() })?;
    checkpoint::check_apart(&arguments.checkpoints, &arguments.data.files(), outputs.paths())?;
    let time_limit = time_limit(&arguments.search)?;
    if is_sgm {
        sgm::check(arguments, &options)?;
    } else if arguments.seed.is_some() && !draws(arguments, &options) {
        let refusal = "--seed: nothing is drawn at random here; --model sgm, --select heldout and cv, --order auto, \
                       --ridge auto, --target and --on-missing model do so";
        return Err(Usage(refusal.to_owned()).into());
    }
    match read(arguments)? {
        Read::Complete(loaded) if is_sgm => sgm::run(arguments, &loaded, &outputs, &Watch::new(time_limit)),
        Read::Complete(loaded) => run_complete(arguments, options, &loaded, &outputs, time_limit),
        Read::Incomplete(_) if is_sgm => {
            let problem =
                "--on-missing model: --model sgm needs rows without missing values; use --on-missing drop";
            Err(Usage(problem.to_owned()).into())
        }
        Read::Incomplete(loaded) => imputed::run(arguments, options, &loaded, &outputs, time_limit),
        Read::Weighted(loaded) => weighted::run(arguments, &options, &loaded, &outputs, time_limit),
    }
}

/// Learns from rows without missing values.
fn run_complete(
    arguments: &Printed<LearnArgs>,
    options: LearnOptions,
    loaded: &LoadedTable,
    outputs: &Outputs,
    time_limit: Option<Duration>,
) -> anyhow::Result<Outcome> {
    let find = |name: &String| find_variable(loaded.data.schema(), name);
    let options = LearnOptions { target: arguments.target.as_ref().map(find).transpose()?, ..options };
    let (checkpointer, state) = checkpoint::open(&arguments.checkpoints, &loaded.data, &options)?;
    let watch = Watch::with_checkpoints(time_limit, checkpointer);
    let learned = learn_from(state, &loaded.data, &options, &watch)?;
    // A disk that is full must not swallow the answer: it is printed either way.
    let checkpointed = watch.finish();
    let written = outputs.write(&learned, &loaded.data, &options);
    let paths = written.as_deref().unwrap_or_default();
    match arguments.format {
        Format::Text => output::page(&summary::render(&learned, &Told::of(loaded), paths)?)?,
        Format::Json => {
            output::answer(&LearnedAnswer::of(&learned, &loaded.data, loaded.dropped_rows, &CommandLine))?;
            outputs::note_written(paths);
        }
    }
    written?;
    checkpointed?;
    Ok(ended(&learned))
}

/// How the command ends.
fn ended(learned: &Learned) -> Outcome {
    let unfitted = learned.models.iter().any(|model| model.unfitted.is_some());
    match Outcome::of(learned.stop) {
        Outcome::Done if unfitted => Outcome::Limited,
        outcome => outcome,
    }
}

/// Whether rows are held out by a seed.
fn draws(arguments: &LearnArgs, options: &LearnOptions) -> bool {
    let by_rows = matches!(options.select, Select::Heldout | Select::Cv);
    let by_model = arguments.data.reading.on_missing == OnMissing::Model;
    by_rows || by_model || !options.tune.is_nothing() || arguments.target.is_some()
}

/// A table as it was read.
enum Read {
    Complete(LoadedTable),
    Incomplete(LoadedIncomplete),
    Weighted(LoadedWeighted),
}

/// Reads the table; one without missing values is the same whatever is to be done about them.
fn read(arguments: &LearnArgs) -> anyhow::Result<Read> {
    let table = if arguments.data.reading.on_missing == OnMissing::Model {
        let read =
            |loaded: LoadedIncomplete| loaded.complete().map_or(Read::Incomplete(loaded), Read::Complete);
        files::incomplete_table(&arguments.data).map(read)
    } else {
        files::table(&arguments.data).map(Read::Complete)
    };
    match table {
        Err(error) if weights::are_real(&error, &arguments.data) => {
            Ok(Read::Weighted(weights::table(&arguments.data, &arguments.weighing)?))
        }
        table => table,
    }
}

/// What was typed becomes what the library understands; the target waits for the table.
fn options(arguments: &LearnArgs) -> anyhow::Result<LearnOptions> {
    let options = learn_options(&arguments.search)?;
    let tune = Tune { seed: arguments.seed.unwrap_or(options.tune.seed), ..options.tune };
    Ok(LearnOptions { select: arguments.select, tune, ..options })
}
