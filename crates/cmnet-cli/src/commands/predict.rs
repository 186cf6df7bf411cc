//! `cmnet predict`: one variable row by row, and how well that went where it is known.

use super::asking::{self, csv_field};
use crate::args::Format;
use crate::ask_args::PredictArgs;
use crate::exit::Outcome;
use crate::{files, output};
use cmnet::data::Variable;
use cmnet::inference::{Prediction, Predictor, find_variable};
use cmnet::io::rows::{self, OnUnknown};
use cmnet::io::{Source, write_atomic};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

pub(crate) fn run(arguments: &PredictArgs) -> anyhow::Result<Outcome> {
    let network = files::model(&arguments.model.model)?.network()?;
    let schema = network.schema();
    let target = find_variable(schema, &arguments.target)?;
    let variable = schema.variable(target);
    let exact = asking::exact(&arguments.tree)?;
    if let Some(path) = &arguments.output {
        files::check_output(path, &[&arguments.model.model, Path::new(&arguments.data)])?;
    }
    let bytes = network.prediction_bytes(target)?;
    let blanket = network.closed().markov_blanket(target).len();
    let what = format!(
        "exact: the tables of the target and its blanket of {blanket} take {bytes} bytes; a tree for missing cells at most {}",
        arguments.tree.memory
    );
    asking::announce(&arguments.tree, &what);
    let mut predictor = Predictor::new(&network, target, &exact)?;
    let mut tally = Tally::default();
    let mut predictions: Vec<Prediction> = Vec::new();
    let options = files::row_options(&arguments.reading)?;
    let source = Source::from_argument(&arguments.data);
    let present = rows::visit(&source, (&options, OnUnknown::Error), schema, |row| {
        let prediction = predictor.predict(row.levels)?;
        if let Some(truth) = row.levels[target] {
            tally.add(truth, &prediction, row.weight);
        }
        predictions.push(prediction);
        Ok(())
    })?;
    let absent: Vec<&str> =
        predictor.blanket().iter().filter(|&v| !present[v]).map(|v| schema.name(v)).collect();
    if !absent.is_empty() {
        output::note(&format!("no column {}: summed out", absent.join(", ")));
    }
    match arguments.format.format {
        Format::Json => {
            let mut json = as_json(variable, &predictions, &tally);
            let (trees, largest) = predictor.trees();
            let names =
                |set: &mut dyn Iterator<Item = usize>| set.map(|v| schema.name(v)).collect::<Vec<_>>();
            json["blanket"] = json!(names(&mut predictor.blanket().iter()));
            json["absent"] = json!(absent);
            json["tables"] = json!({"bytes": bytes, "trees": trees, "largest_tree": largest});
            if let Some(path) = &arguments.output {
                write_atomic(path, as_csv(variable, &predictions).as_bytes())?;
            }
            output::json(&json)?;
        }
        Format::Text => {
            let summary = tally.as_text(variable, predictions.len());
            if let Some(path) = &arguments.output {
                write_atomic(path, as_csv(variable, &predictions).as_bytes())?;
                output::page(&summary)?;
            } else {
                output::text(&as_csv(variable, &predictions))?;
                output::complain(summary.trim_end());
            }
        }
    }
    Ok(Outcome::Done)
}

/// How predictions compare with the truth, by weight.
#[derive(Default)]
struct Tally {
    /// How often each pair of a true and a predicted level came up.
    pairs: BTreeMap<(u32, u32), u64>,
    log_loss: f64,
}

/// The most levels whose confusion matrix is shown.
const MOST_LEVELS: usize = 100;

impl Tally {
    fn add(&mut self, truth: u32, prediction: &Prediction, weight: u64) {
        *self.pairs.entry((truth, prediction.level)).or_default() += weight;
        if weight > 0 {
            self.log_loss -= weight as f64 * libm::log(prediction.probabilities[truth as usize]);
        }
    }

    fn known(&self) -> u64 {
        self.pairs.values().sum()
    }

    /// Rows by true level, columns by predicted level; `None` when that is too large to show.
    fn confusion(&self, levels: usize) -> Option<Vec<Vec<u64>>> {
        let mut matrix = (levels <= MOST_LEVELS).then(|| vec![vec![0; levels]; levels])?;
        for (&(truth, predicted), &count) in &self.pairs {
            matrix[truth as usize][predicted as usize] = count;
        }
        Some(matrix)
    }

    /// Accuracy and mean log-loss in nats, where a true level is known.
    fn scores(&self) -> Option<(f64, f64)> {
        let known = self.known();
        let right: u64 =
            self.pairs.iter().filter(|((truth, level), _)| truth == level).map(|(_, count)| count).sum();
        (known > 0).then(|| (right as f64 / known as f64, self.log_loss / known as f64))
    }

    fn as_text(&self, variable: &Variable, rows: usize) -> String {
        let mut text = format!("{rows} rows predicted: {}\n", variable.name);
        let Some((accuracy, log_loss)) = self.scores() else {
            return text + "The column is not in the table: no accuracy.\n";
        };
        let _ =
            writeln!(text, "accuracy {accuracy:.6}, log-loss {log_loss:.6} nats over {} rows", self.known());
        let Some(confusion) = self.confusion(variable.levels.len()) else { return text };
        let width = variable.levels.iter().map(|level| level.chars().count()).max().unwrap_or(0).max(8);
        let _ = write!(text, "{:width$}  predicted\n{:width$}", "true", "");
        for level in &variable.levels {
            let _ = write!(text, "  {level:>width$}");
        }
        text.push('\n');
        for (level, counts) in variable.levels.iter().zip(&confusion) {
            let _ = write!(text, "{level:width$}");
            for count in counts {
                let _ = write!(text, "  {count:>width$}");
            }
            text.push('\n');
        }
        text
    }
}

fn as_csv(variable: &Variable, predictions: &[Prediction]) -> String {
    let header = variable.levels.iter().map(|level| csv_field(&format!("p({level})")));
    let mut text = [csv_field(&variable.name)].into_iter().chain(header).collect::<Vec<_>>().join(",") + "\n";
    for prediction in predictions {
        text += &csv_field(&variable.levels[prediction.level as usize]);
        for p in &prediction.probabilities {
            let _ = write!(text, ",{p}");
        }
        text.push('\n');
    }
    text
}

fn as_json(variable: &Variable, predictions: &[Prediction], tally: &Tally) -> Value {
    let row = |prediction: &Prediction| json!({"predicted": variable.levels[prediction.level as usize], "probabilities": prediction.probabilities});
    let scores = tally.scores();
    json!({
        "format": "cmnet-predict/1",
        "target": variable.name,
        "method": "exact",
        "levels": variable.levels,
        "rows": predictions.iter().map(row).collect::<Vec<_>>(),
        "known": tally.known(),
        "accuracy": scores.map(|(accuracy, _)| accuracy),
        "log_loss": scores.map(|(_, loss)| loss).filter(|loss| loss.is_finite()),
        "confusion": scores.and_then(|_| tally.confusion(variable.levels.len())),
    })
}
