//! `cmnet learn`: from a table to a learned, fitted and drawn model.

mod groups;
mod mixture;
mod outputs;
mod sgm;
mod summary;

use crate::args::{Format, LearnArgs, Printed};
use crate::commands::fitting::{learn_options, time_limit};
use crate::dialect::CommandLine;
use crate::exit::{Outcome, Usage};
use crate::progress::Watch;
use crate::{checkpoint, files, output};
use cmnet::{LearnOptions, ModelClass, Select, Tune, find_variable, learn_from};
use cmnet_report::answer::LearnedAnswer;

pub(crate) fn run(arguments: &Printed<LearnArgs>) -> anyhow::Result<Outcome> {
    let options = options(arguments)?;
    let is_sgm = arguments.model == ModelClass::Sgm;
    let outputs = outputs::plan(arguments, if is_sgm { 1 } else { options.kappas.len() })?;
    checkpoint::check_apart(&arguments.checkpoints, &arguments.data.files(), outputs.paths())?;
    let time_limit = time_limit(&arguments.search)?;
    if arguments.components.is_some() {
        mixture::check(arguments)?;
    }
    if is_sgm {
        sgm::check(arguments, &options)?;
    } else if arguments.seed.is_some() && !draws(arguments, &options) {
        let refusal = "--seed: nothing is drawn at random here; --model sgm, --components, --select heldout and cv, \
                       --order auto, --ridge auto, --target and --group do so";
        return Err(Usage(refusal.to_owned()).into());
    }
    let mut loaded = files::table(&arguments.data, &options, &Watch::new(time_limit))?;
    let (options, grouping) = groups::prepare(&arguments.groups, arguments.seed, options, &mut loaded)?;
    let find = |name: &String| find_variable(loaded.data.schema(), name);
    let options = LearnOptions { target: arguments.target.as_ref().map(find).transpose()?, ..options };
    if is_sgm {
        return sgm::run(arguments, &loaded, &outputs, &Watch::new(time_limit));
    }
    if let Some(components) = &arguments.components {
        let work = mixture::Work { arguments, options: &options, loaded: &loaded, outputs: &outputs };
        return work.run(components.parse()?, &Watch::new(time_limit));
    }
    let (checkpointer, state) = checkpoint::open(&arguments.checkpoints, &loaded.data, &options)?;
    let watch = Watch::with_checkpoints(time_limit, checkpointer);
    let learned = learn_from(state, &loaded.data, &options, &watch)?;
    // A disk that is full must not swallow the answer: it is printed either way.
    let checkpointed = watch.finish();
    let comparison = groups::compare(grouping.as_ref(), &learned, &loaded, &options, time_limit)?;
    let written = outputs.write(&learned, &loaded.data, &options).and_then(|mut written| {
        written.extend(groups::draw(grouping.as_ref(), &learned, &loaded, &outputs)?);
        Ok(written)
    });
    let paths = written.as_deref().unwrap_or_default();
    match arguments.format {
        Format::Text => {
            let page = summary::render(&learned, &loaded, paths)?;
            output::page(&comparison.as_ref().map_or(page.clone(), |found| format!("{page}\n{found}")))?;
        }
        Format::Json => {
            let answer = LearnedAnswer::of(&learned, &loaded.data, loaded.dropped_rows, &CommandLine);
            output::answer(&answer.with_groups(comparison))?;
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
    let asked =
        arguments.target.is_some() || arguments.components.is_some() || arguments.groups.group.is_some();
    by_rows || !options.tune.is_nothing() || asked
}

/// What was typed becomes what the library understands; the target waits for the table.
fn options(arguments: &LearnArgs) -> anyhow::Result<LearnOptions> {
    let options = learn_options(&arguments.search)?;
    let tune = Tune { seed: arguments.seed.unwrap_or(options.tune.seed), ..options.tune };
    Ok(LearnOptions { select: arguments.select, tune, ..options })
}
