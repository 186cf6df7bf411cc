//! `cmnet predict` by an ensemble.

use super::begin;
use crate::args::Printed;
use crate::ask_args::PredictArgs;
use crate::commands::predict::Predicted;
use crate::exit::Outcome;
use crate::files;
use crate::interrupt::Interrupt;
use cmnet::{Ensemble, EnsemblePredictor, VarSet, find_variable};
use cmnet_report::answer::predicted::PredictionTables;

pub(crate) fn run(arguments: &Printed<PredictArgs>, ensemble: &Ensemble) -> anyhow::Result<Outcome> {
    let network = ensemble.network()?;
    let schema = network.schema();
    let target = find_variable(schema, &arguments.target)?;
    if let Some(path) = &arguments.output {
        files::check_output(path, &arguments.table.files(&arguments.model))?;
    }
    let exact = begin(&arguments.tree, ensemble)?;
    let mut predictor = EnsemblePredictor::new(&network, target, &exact, &Interrupt)?;
    let mut spreads = Vec::new();
    let found = Predicted::of(arguments, schema, target, &mut |row| {
        let found = predictor.predict(row)?;
        spreads.push(found.spreads);
        Ok(found.prediction)
    })?;
    let blankets = network.networks().iter().flat_map(|one| one.closed().markov_blanket(target).iter());
    let used: VarSet = blankets.collect();
    let used: Vec<usize> = used.iter().collect();
    let tables = PredictionTables { bytes: 0, trees: 0, largest_tree: 0 };
    found.with_spreads(spreads).tell(arguments, schema.variable(target), &used, (schema, tables))
}
