//! `cmnet learn --weights COLUMN` with weights that are real numbers.

use super::outputs::{self, Outputs};
use super::summary::{self, Told};
use crate::args::{Format, LearnArgs, Printed};
use crate::dialect::CommandLine;
use crate::exit::{Outcome, Usage};
use crate::progress::Watch;
use crate::{output, weights};
use cmnet::{CountedTable, LearnOptions, LoadedWeighted, ModelClass, WeightedCounts, learn_weighted};
use cmnet_report::answer::LearnedAnswer;
use std::time::Duration;

pub(super) fn run(
    arguments: &Printed<LearnArgs>,
    options: &LearnOptions,
    loaded: &LoadedWeighted,
    outputs: &Outputs,
    time_limit: Option<Duration>,
) -> anyhow::Result<Outcome> {
    let refused = [
        ("--model sgm", arguments.model == ModelClass::Sgm),
        ("--target", arguments.target.is_some()),
        ("--checkpoint", arguments.checkpoints.checkpoint.is_some()),
    ];
    if let Some((flag, _)) = refused.into_iter().find(|(_, asked)| *asked) {
        let problem =
            format!("{flag}: not with weights that are no whole numbers; leave it out, or round the weights");
        return Err(Usage(problem).into());
    }
    let (table, watch) = (&loaded.table, Watch::new(time_limit));
    let counts = WeightedCounts::new(table);
    let counted = CountedTable::with_digest(&counts, table.schema(), || table.digest())?;
    let learned = learn_weighted(table, options, &watch)?;
    watch.finish()?;
    let written = match learned.kept(table.rows()) {
        Some(kept) => outputs.write_model(&kept.to_model_of(&counted, options, &learned.search)?),
        None => Ok(Vec::new()),
    };
    let paths = written.as_deref().unwrap_or_default();
    match arguments.format {
        Format::Text => {
            let told = Told::of_weighted(loaded, weights::words(table));
            output::page(&summary::render(&learned, &told, paths)?)?;
        }
        Format::Json => {
            output::answer(&LearnedAnswer::of_weighted(&learned, table, loaded.dropped_rows, &CommandLine))?;
            outputs::note_written(paths);
        }
    }
    written?;
    Ok(super::ended(&learned))
}
