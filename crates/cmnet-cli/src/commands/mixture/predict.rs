//! `cmnet predict` by a mixture.

use super::begin;
use crate::args::Printed;
use crate::ask_args::PredictArgs;
use crate::commands::predict::Predicted;
use crate::exit::Outcome;
use crate::files;
use crate::interrupt::Interrupt;
use cmnet::{Mixture, MixturePredictor, find_variable};
use cmnet_report::answer::predicted::PredictionTables;

pub(crate) fn run(arguments: &Printed<PredictArgs>, mixture: &Mixture) -> anyhow::Result<Outcome> {
    let network = mixture.network()?;
    let schema = network.schema();
    let target = find_variable(schema, &arguments.target)?;
    if let Some(path) = &arguments.output {
        files::check_output(path, &arguments.table.files(&arguments.model))?;
    }
    let exact = begin(&arguments.tree, mixture)?;
    let mut predictor = MixturePredictor::new(&network, target, &exact, &Interrupt)?;
    let found = Predicted::of(arguments, schema, target, &mut |row| predictor.predict(row))?;
    // Through the class every variable tells something about every other.
    let others: Vec<usize> = (0..schema.len()).filter(|&v| v != target).collect();
    let tables = PredictionTables { bytes: 0, trees: 0, largest_tree: 0 };
    found.tell(arguments, schema.variable(target), &others, (schema, tables))
}
