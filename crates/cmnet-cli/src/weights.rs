//! Tables whose weights are real numbers.

use crate::args::{DataArgs, WeighingArgs};
use crate::{files, output};
use cmnet::{
    Dataset, ErrorKind, InputProblem, LoadedWeighted, Model, ReadOptions, WeightDoubt, WeightKind,
    WeightedTable, read_weighted,
};

/// Weights may stand for so many times the observations that there are before that is worth a word.
const FAR: f64 = 1.5;

/// Whether a table was refused since its weights are real numbers.
pub(crate) fn are_real(error: &anyhow::Error) -> bool {
    let kind = error.downcast_ref::<cmnet::Error>().map(cmnet::Error::kind);
    let Some(ErrorKind::Input { problem: InputProblem::Weight { doubt, .. }, .. }) = kind else {
        return false;
    };
    *doubt == WeightDoubt::NotDigits
}

/// Whether weights are scaled as those of a design, whole numbers too.
pub(crate) fn are_of_a_design(arguments: &DataArgs, weighing: &WeighingArgs) -> bool {
    arguments.reading.rows.weights.is_some() && weighing.weights_as == Some(WeightKind::Design)
}

/// The table with its real weights.
pub(crate) fn table(arguments: &DataArgs, weighing: &WeighingArgs) -> anyhow::Result<LoadedWeighted> {
    table_sparing(None, arguments, weighing)
}

/// The same; one column is not cut unless it has a rule for itself.
pub(crate) fn table_sparing(
    spared: Option<&str>,
    arguments: &DataArgs,
    weighing: &WeighingArgs,
) -> anyhow::Result<LoadedWeighted> {
    loaded(arguments, &files::options_sparing(&arguments.reading, spared)?, weighing)
}

/// The same with the columns and levels of a model.
pub(crate) fn table_for(
    model: &Model,
    arguments: &DataArgs,
    weighing: &WeighingArgs,
) -> anyhow::Result<WeightedTable> {
    let loaded = loaded(arguments, &files::options_for(model.schema(), arguments)?, weighing)?;
    Ok(loaded.table.arranged(model.schema())?)
}

/// A table for a model, with whole or real weights.
pub(crate) enum Weighed {
    Whole(Dataset),
    Real(WeightedTable),
}

/// What the weights of a table for a model mean: what was typed, or what those meant that it was learned with.
pub(crate) fn meaning(model: &Model, weighing: &WeighingArgs) -> WeighingArgs {
    let recorded = model.provenance().and_then(|learned| learned.weights).map(|weights| weights.kind);
    WeighingArgs { weights_as: weighing.weights_as.or(recorded) }
}

/// Reads the columns of a table that a model speaks of. Where nothing says what the weights mean, they mean what
/// those did that the model was learned with.
pub(crate) fn weighed_for(
    model: &Model,
    arguments: &DataArgs,
    weighing: &WeighingArgs,
) -> anyhow::Result<Weighed> {
    let weighing = &meaning(model, weighing);
    if are_of_a_design(arguments, weighing) {
        return Ok(Weighed::Real(table_for(model, arguments, weighing)?));
    }
    match files::table_for(model, arguments) {
        Ok(data) => Ok(Weighed::Whole(data)),
        Err(error) if are_real(&error) => Ok(Weighed::Real(table_for(model, arguments, weighing)?)),
        Err(error) => Err(error),
    }
}

fn loaded(
    arguments: &DataArgs,
    options: &ReadOptions,
    weighing: &WeighingArgs,
) -> anyhow::Result<LoadedWeighted> {
    let loaded = read_weighted(&*files::source(arguments)?, options, weighing.weights_as)?;
    files::tell(&loaded.cuts, &[]);
    output::note(&format!("{}: {}", loaded.file, words(&loaded.table)));
    if loaded.dropped_rows > 0 {
        output::note(&format!("{} rows with missing values were left out", loaded.dropped_rows));
    }
    if loaded.table.kind() == WeightKind::Counts && loaded.table.sum() > FAR * loaded.table.effective() {
        output::note(
            "warning: the weights add up to far more than the effective sample size, so that scores are too sure; \
             --weights-as design scales them",
        );
    }
    Ok(loaded)
}

/// What the weights are, on one line.
pub(crate) fn words(table: &WeightedTable) -> String {
    let meaning = match table.kind() {
        WeightKind::Design => "they are scaled to that",
        WeightKind::Counts => "they count as they are",
    };
    format!(
        "weights of {} rows add up to {:.6}; effective sample size {:.2} (Kish); {meaning}: n = {}",
        table.observations(),
        table.sum(),
        table.effective(),
        table.rows()
    )
}
