//! `cmnet predict` by a mixture.

use super::announce;
use crate::args::{Format, Printed};
use crate::ask_args::PredictArgs;
use crate::commands::asking;
use crate::commands::predict::{as_text, write_csv};
use crate::exit::Outcome;
use crate::interrupt::{self, Interrupt};
use crate::{files, output};
use cmnet::{
    Mixture, MixturePredictor, OnUnknown, Prediction, Source, find_variable, visit_rows, write_atomic_with,
};
use cmnet_report::answer::predicted::{PredictionTables, PredictionUse};
use cmnet_report::answer::{Accuracy, PredictedAnswer};
use std::io;
use std::path::Path;

pub(crate) fn run(arguments: &Printed<PredictArgs>, mixture: &Mixture) -> anyhow::Result<Outcome> {
    let network = mixture.network()?;
    let schema = network.schema();
    let target = find_variable(schema, &arguments.target)?;
    if let Some(path) = &arguments.output {
        files::check_output(path, &[&arguments.model.model, Path::new(&arguments.data)])?;
    }
    announce(&arguments.tree, mixture);
    interrupt::listen();
    let mut predictor =
        MixturePredictor::new(&network, target, &asking::exact(&arguments.tree)?, &Interrupt)?;
    let mut accuracy = Accuracy::default();
    let mut predictions: Vec<Prediction> = Vec::new();
    let (source, options) = (Source::from_argument(&arguments.data), files::row_options(&arguments.reading)?);
    let present = visit_rows(&source, &options, OnUnknown::Error, schema, |row| {
        let prediction = predictor.predict(row.levels)?;
        if let Some(truth) = row.levels[target] {
            accuracy.add(truth, &prediction, row.weight);
        }
        predictions.push(prediction);
        Ok(())
    })?;
    // Through the class every variable tells something about every other.
    let others = || (0..schema.len()).filter(|&v| v != target);
    let absent: Vec<&str> = others().filter(|&v| !present[v]).map(|v| schema.name(v)).collect();
    if !absent.is_empty() {
        output::note(&format!("no column {}: summed out", absent.join(", ")));
    }
    let variable = schema.variable(target);
    let as_csv = |out: &mut dyn io::Write| write_csv(variable, &predictions, out);
    if let Some(path) = &arguments.output {
        write_atomic_with(path, as_csv)?;
    }
    if arguments.format == Format::Json {
        let tables = PredictionTables { bytes: 0, trees: 0, largest_tree: 0 };
        let blanket = others().map(|v| schema.name(v)).collect();
        let used = PredictionUse { blanket, absent, tables };
        output::answer(&PredictedAnswer::of(variable, &predictions, &accuracy, used))?;
        return Ok(Outcome::Done);
    }
    let summary = as_text(&accuracy, variable, predictions.len());
    if arguments.output.is_some() {
        output::page(&summary)?;
    } else {
        output::stream(as_csv)?;
        output::complain(summary.trim_end());
    }
    Ok(Outcome::Done)
}
