//! `cmnet learn`: from a table to a learned, fitted and drawn model.

mod backbone;
pub(crate) mod groups;
mod imputed;
mod mixture;
mod outputs;
mod sgm;
mod summary;
mod weighted;

use crate::args::{Format, LearnArgs, Printed, ShareArgs};
use crate::commands::fitting::{TimeLimit, learn_options, time_limit};
use crate::dialect::CommandLine;
use crate::exit::{Outcome, Usage};
use crate::progress::Watch;
use crate::{checkpoint, files, output, share, weights};
use cmnet::{
    Backbone, CheckpointedRun, Checkpointer, DecomposableGraph, Job, LearnOptions, Learned, LoadedIncomplete,
    LoadedTable, LoadedWeighted, ModelClass, OnMissing, Select, Tune, find_variable, learn_from,
};
use cmnet_report::answer::{GroupsAnswer, LearnedAnswer};
use groups::Comparison;
use outputs::Outputs;
use std::path::PathBuf;
use std::time::Duration;
use summary::Told;

pub(crate) fn run(arguments: &Printed<LearnArgs>) -> anyhow::Result<Outcome> {
    let (options, time_limit) = (options(arguments)?, TimeLimit::begin(time_limit(&arguments.search)?));
    let is_sgm = arguments.model == ModelClass::Sgm;
    let outputs = outputs::plan(arguments, if is_sgm { 1 } else { options.kappas.len() })?;
    checkpoint::check_apart(&arguments.checkpoints, &arguments.data.files(), outputs.paths())?;
    let division = share::with_checkpoints(&arguments.share, &arguments.checkpoints)?;
    share::check(&division, &arguments.data.files())?;
    check(arguments, &options)?;
    match read(arguments, &options, time_limit.left())? {
        Read::Complete(loaded) => {
            Complete { arguments, outputs: &outputs, division: &division, time_limit }.run(options, loaded)
        }
        Read::Incomplete(loaded) => {
            only_networks(arguments, "rows with missing values")?;
            imputed::run(arguments, options, &loaded, &outputs, time_limit.left())
        }
        Read::Weighted(loaded) => {
            only_networks(arguments, "weights that are no whole numbers")?;
            weighted::run(arguments, &options, &loaded, &outputs, time_limit.left())
        }
    }
}

/// Refuses, before any work, arguments that do not go together.
fn check(arguments: &LearnArgs, options: &LearnOptions) -> anyhow::Result<()> {
    let is_sgm = arguments.model == ModelClass::Sgm;
    let is_divided = arguments.share.shard.is_some() || arguments.share.known.is_some();
    if is_divided && (is_sgm || arguments.components.is_some()) {
        let refusal = "--shard and --known: only searches of single networks have shares; leave out --components and \
                       --model sgm";
        return Err(Usage(refusal.to_owned()).into());
    }
    if arguments.backbone != Backbone::None && (is_sgm || arguments.components.is_some()) {
        let refusal = "--backbone: only single networks have one; leave out --components and --model sgm";
        return Err(Usage(refusal.to_owned()).into());
    }
    if arguments.components.is_some() {
        mixture::check(arguments)?;
    }
    if arguments.data.reading.on_missing != OnMissing::Model {
        imputed::check_unused(&arguments.completing)?;
    }
    if is_sgm {
        return sgm::check(arguments, options);
    }
    options.check_max_cells(arguments.backbone)?;
    if arguments.seed.is_some() && !draws(arguments, options) {
        let refusal = "--seed: nothing is drawn at random here; --model sgm, --components, --select heldout and cv, \
                       --order auto, --ridge auto, --target, --group and --on-missing model do so";
        return Err(Usage(refusal.to_owned()).into());
    }
    Ok(())
}

/// Learning from rows without missing values.
struct Complete<'a> {
    arguments: &'a Printed<LearnArgs>,
    outputs: &'a Outputs,
    division: &'a ShareArgs,
    time_limit: TimeLimit,
}

impl Complete<'_> {
    fn run(&self, options: LearnOptions, mut loaded: LoadedTable) -> anyhow::Result<Outcome> {
        let Self { arguments, outputs, division, time_limit } = *self;
        let (options, grouping) = groups::prepare(&arguments.groups, arguments.seed, options, &mut loaded)?;
        let find = |name: &String| find_variable(loaded.data.schema(), name);
        let options = LearnOptions { target: arguments.target.as_ref().map(find).transpose()?, ..options };
        let backbone::Known { options, found: backbone } =
            backbone::find(arguments.backbone, options, &loaded.data, time_limit.left())?;
        if arguments.model == ModelClass::Sgm {
            return sgm::run(arguments, &loaded, outputs, &Watch::new(time_limit.left()));
        }
        if let Some(components) = &arguments.components {
            let work = mixture::Work { arguments, options: &options, loaded: &loaded, outputs };
            return work.run(components.parse()?, &Watch::new(time_limit.left()));
        }
        let job = Job::Learn(options.clone());
        if let Some(outcome) = share::run(division, &job, &loaded.data, &Watch::new(time_limit.left()))? {
            return Ok(outcome);
        }
        let known = share::known(division, &job, &loaded.data)?;
        share::note_rest(&job, &loaded.data, &known);
        let checkpoints = &arguments.checkpoints;
        let run = CheckpointedRun { data: &loaded.data, options: &options };
        let open = |path, pace| Checkpointer::open(path, checkpoints.resume, run, pace);
        let (checkpointer, state) = checkpoint::open(checkpoints, open)?;
        let state = if division.known.is_some() { known.learn_state() } else { state };
        let watch = Watch::with_checkpoints(time_limit.left(), checkpointer);
        let learned = learn_from(state, &loaded.data, &options, &watch)
            .map_err(|error| groups::advised(error, grouping.as_ref()))?;
        // A disk that is full must not swallow the answer: it is printed either way. Nor must a comparison that
        // is cut or fails: the model is written before it.
        let checkpointed = watch.finish();
        let written = outputs.write(&learned, &loaded.data, &options).and_then(|mut written| {
            written.extend(groups::draw(grouping.as_ref(), &learned, &loaded, outputs.groups())?);
            Ok(written)
        });
        let compared = groups::compare(grouping.as_ref(), &learned, &loaded, &options, time_limit.left());
        let (comparison, failed) = compared.map_or_else(|e| (Comparison::default(), Err(e)), |c| (c, Ok(())));
        let found = (&learned, backbone.as_ref(), comparison.found);
        self.answer(&loaded, found, written.as_deref().unwrap_or_default())?;
        written?;
        checkpointed?;
        failed?;
        Ok(match (ended(&learned), comparison.cut) {
            (Outcome::Done, Some(reason)) => Outcome::of(reason),
            (outcome, _) => outcome,
        })
    }

    /// Prints what was learned and what the groups differ in.
    fn answer(
        &self,
        loaded: &LoadedTable,
        (learned, backbone, groups): (&Learned, Option<&DecomposableGraph>, Option<GroupsAnswer>),
        paths: &[PathBuf],
    ) -> anyhow::Result<()> {
        match self.arguments.format {
            Format::Text => {
                let page = summary::render(learned, &Told::of(loaded), paths)?;
                output::page(&groups.as_ref().map_or(page.clone(), |found| format!("{page}\n{found}")))
            }
            Format::Json => {
                let answer = LearnedAnswer::of(learned, &loaded.data, loaded.dropped_rows, &CommandLine);
                output::answer(&answer.with_groups(groups).with_backbone(backbone))?;
                outputs::note_written(paths);
                Ok(())
            }
        }
    }
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
    let asked =
        arguments.target.is_some() || arguments.components.is_some() || arguments.groups.group.is_some();
    by_rows || by_model || !options.tune.is_nothing() || asked
}

/// Refuses what is learned from complete rows with whole weights alone.
fn only_networks(arguments: &LearnArgs, what: &str) -> anyhow::Result<()> {
    let flag = if arguments.model == ModelClass::Sgm {
        "--model sgm"
    } else if arguments.components.is_some() {
        "--components"
    } else if arguments.groups.group.is_some() {
        "--group"
    } else if arguments.backbone != Backbone::None {
        "--backbone"
    } else if arguments.share.shard.is_some() || arguments.share.known.is_some() {
        "--shard and --known"
    } else {
        return Ok(());
    };
    Err(Usage(format!("{flag}: this cannot be learned from {what}")).into())
}

/// A table as it was read.
enum Read {
    Complete(LoadedTable),
    Incomplete(LoadedIncomplete),
    Weighted(LoadedWeighted),
}

/// Reads the table; one without missing values is the same whatever is to be done about them.
fn read(arguments: &LearnArgs, options: &LearnOptions, time_limit: Option<Duration>) -> anyhow::Result<Read> {
    if weights::are_of_a_design(&arguments.data, &arguments.weighing) {
        return Ok(Read::Weighted(weights::table(&arguments.data, &arguments.weighing)?));
    }
    let block = arguments.groups.block.as_deref();
    let table = if arguments.data.reading.on_missing == OnMissing::Model {
        let read =
            |loaded: LoadedIncomplete| loaded.complete().map_or(Read::Incomplete(loaded), Read::Complete);
        files::incomplete_table(block, &arguments.data, options, &Watch::new(time_limit)).map(read)
    } else {
        files::table(block, &arguments.data, options, &Watch::new(time_limit)).map(Read::Complete)
    };
    match table {
        Err(error) if weights::are_real(&error) => {
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
