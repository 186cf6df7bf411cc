//! Tables whose weights are real numbers.

use crate::args::{DataArgs, WeighingArgs};
use crate::{files, output};
use cmnet::{
    ErrorKind, InputProblem, LevelOrder, LoadedWeighted, Model, ReadOptions, Source, WeightDoubt, WeightKind,
    WeightedTable, read_csv, read_weighted,
};

/// Weights may stand for so many times the observations that there are before that is worth a word.
const FAR: f64 = 1.5;

/// The table, where it has a column of weights that are not all whole numbers. A table with other faults
/// is left to those who read it next.
pub(crate) fn table(arguments: &DataArgs, weighing: &WeighingArgs) -> anyhow::Result<Option<LoadedWeighted>> {
    loaded(arguments, &files::options(&arguments.reading)?, weighing)
}

/// The same with the columns and levels of a model.
pub(crate) fn table_for(
    model: &Model,
    arguments: &DataArgs,
    weighing: &WeighingArgs,
) -> anyhow::Result<Option<WeightedTable>> {
    let mut options = files::options(&arguments.reading)?;
    if options.columns.is_none() && options.drop.is_empty() {
        options.columns =
            Some(model.schema().variables().iter().map(|variable| variable.name.clone()).collect());
    }
    options.schema.get_or_insert_with(|| LevelOrder::of(model.schema()));
    let loaded = loaded(arguments, &options, weighing)?;
    Ok(loaded.map(|loaded| loaded.table.arranged(model.schema())).transpose()?)
}

fn loaded(
    arguments: &DataArgs,
    options: &ReadOptions,
    weighing: &WeighingArgs,
) -> anyhow::Result<Option<LoadedWeighted>> {
    let source = Source::from_argument(&arguments.data);
    // Standard input can be read once alone: its weights are whole numbers.
    if options.weights.is_none() || source == Source::Stdin {
        return Ok(None);
    }
    let real = match read_csv(&source, options) {
        Err(error) => matches!(
            error.kind(),
            ErrorKind::Input { problem: InputProblem::Weight { doubt: WeightDoubt::NotDigits, .. }, .. }
        ),
        Ok(_) => false,
    };
    if !real {
        return Ok(None);
    }
    let loaded = read_weighted(&source, options, weighing.weights_as)?;
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
    Ok(Some(loaded))
}

/// What the weights are, on one line.
pub(crate) fn words(table: &WeightedTable) -> String {
    let meaning = match table.kind() {
        WeightKind::Design => "they are scaled to that",
        WeightKind::Counts => "they count as they are",
    };
    format!(
        "real weights of {} rows add up to {:.6}; effective sample size {:.2} (Kish); {meaning}: n = {}",
        table.observations(),
        table.sum(),
        table.effective(),
        table.rows()
    )
}
