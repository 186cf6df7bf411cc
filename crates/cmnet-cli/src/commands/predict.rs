//! `cmnet predict`: one variable row by row, and how well that went where it is known.

use super::asking;
use crate::args::{Format, Printed};
use crate::ask_args::PredictArgs;
use crate::exit::Outcome;
use crate::{files, output};
use cmnet::{
    AnyModel, OnUnknown, Prediction, Predictor, Schema, Source, Spread, Var, Variable, csv_field,
    find_variable, visit_rows, write_atomic_with,
};
use cmnet_report::align::{columns, left, right};
use cmnet_report::answer::predicted::{PredictionTables, PredictionUse};
use cmnet_report::answer::{Accuracy, PredictedAnswer};
use std::fmt::Write as _;
use std::io;

pub(crate) fn run(arguments: &Printed<PredictArgs>) -> anyhow::Result<Outcome> {
    let network = match files::any_model(&arguments.model.model)? {
        AnyModel::Network(model) => model.network()?,
        AnyModel::Mixture(mixture) => return super::mixture::predict::run(arguments, &mixture),
        AnyModel::Ensemble(ensemble) => return super::ensemble::predict::run(arguments, &ensemble),
    };
    let schema = network.schema();
    let target = find_variable(schema, &arguments.target)?;
    let variable = schema.variable(target);
    let exact = asking::exact(&arguments.tree)?;
    if let Some(path) = &arguments.output {
        files::check_output(path, &arguments.table.files(&arguments.model))?;
    }
    let bytes = network.prediction_bytes(target)?;
    let blanket = network.closed().markov_blanket(target).len();
    let what = format!(
        "exact: the tables of the target and its blanket of {blanket} take {bytes} bytes; a tree for missing cells at most {}",
        arguments.tree.memory
    );
    asking::announce(&arguments.tree, &what);
    let mut predictor = Predictor::new(&network, target, &exact)?;
    let found = Predicted::of(arguments, schema, target, &mut |row| predictor.predict(row))?;
    let (trees, largest_tree) = predictor.trees();
    let tables = PredictionTables { bytes, trees, largest_tree };
    let blanket: Vec<Var> = predictor.blanket().iter().collect();
    found.tell(arguments, variable, &blanket, (schema, tables))
}

/// The predictions of a table's rows.
pub(super) struct Predicted {
    predictions: Vec<Prediction>,
    accuracy: Accuracy,
    /// Which variables the table has a column for.
    present: Vec<bool>,
    /// How far an ensemble's predictions spread; empty of others.
    spreads: Vec<Vec<Spread>>,
}

impl Predicted {
    /// Predicts a variable in every row.
    pub(super) fn of(
        arguments: &PredictArgs,
        schema: &Schema,
        target: Var,
        predict: &mut dyn FnMut(&[Option<u32>]) -> cmnet::Result<Prediction>,
    ) -> anyhow::Result<Self> {
        let mut accuracy = Accuracy::default();
        let mut predictions: Vec<Prediction> = Vec::new();
        let options = files::row_options(&arguments.table.reading)?;
        let source = Source::from_argument(&arguments.table.data);
        let present = visit_rows(&source, &options, OnUnknown::Error, schema, |row| {
            let prediction = predict(row.levels)?;
            if let Some(truth) = row.levels[target] {
                accuracy.add(truth, &prediction, row.weight);
            }
            predictions.push(prediction);
            Ok(())
        })?;
        Ok(Self { predictions, accuracy, present, spreads: Vec::new() })
    }

    /// The same with the spread of each prediction.
    pub(super) fn with_spreads(self, spreads: Vec<Vec<Spread>>) -> Self {
        Self { spreads, ..self }
    }

    /// Writes the predictions, and how they compare with the truth.
    pub(super) fn tell(
        &self,
        arguments: &Printed<PredictArgs>,
        variable: &Variable,
        used: &[Var],
        (schema, tables): (&Schema, PredictionTables),
    ) -> anyhow::Result<Outcome> {
        let missing = used.iter().filter(|&&v| !self.present[v]);
        let absent: Vec<&str> = missing.map(|&v| schema.name(v)).collect();
        if !absent.is_empty() {
            output::note(&format!("no column {}: summed out", absent.join(", ")));
        }
        let as_csv = |out: &mut dyn io::Write| self.write_csv(variable, out);
        // What is known is told, also where the file cannot be written.
        let saved = arguments.output.as_ref().map(|path| write_atomic_with(path, as_csv)).transpose();
        match arguments.format {
            Format::Json => {
                let blanket = used.iter().map(|&v| schema.name(v)).collect();
                let used = PredictionUse { blanket, absent, tables };
                let answer = PredictedAnswer::of(variable, &self.predictions, &self.accuracy, used);
                output::answer(&answer.with_spreads(&self.spreads))?;
            }
            Format::Text => {
                let summary = as_text(&self.accuracy, variable, self.predictions.len());
                if arguments.output.is_some() {
                    output::page(&summary)?;
                } else {
                    output::rows(as_csv)?;
                    output::complain(summary.trim_end());
                }
            }
        }
        saved?;
        Ok(Outcome::Done)
    }

    fn write_csv(&self, variable: &Variable, out: &mut dyn io::Write) -> io::Result<()> {
        // After the probabilities, where there is a spread: the standard deviations, and the ends of the range.
        let heads: &[&str] = if self.spreads.is_empty() { &["p"] } else { &["p", "sd", "low", "high"] };
        let head = |head: &&str| {
            let named = |level: &String| csv_field(&format!("{head}({level})"));
            variable.levels.iter().map(named).collect::<Vec<String>>()
        };
        let names: Vec<String> =
            [csv_field(&variable.name)].into_iter().chain(heads.iter().flat_map(head)).collect();
        writeln!(out, "{}", names.join(","))?;
        let labels: Vec<String> = variable.levels.iter().map(|level| csv_field(level)).collect();
        for (row, prediction) in self.predictions.iter().enumerate() {
            write!(out, "{}", labels[prediction.level as usize])?;
            for p in &prediction.probabilities {
                write!(out, ",{p}")?;
            }
            if let Some(spreads) = self.spreads.get(row) {
                let deviation = |spread: &Spread| spread.deviation.map_or(String::new(), |sd| sd.to_string());
                let numbers = spreads.iter().map(deviation);
                let numbers = numbers.chain(spreads.iter().map(|spread| spread.range[0].to_string()));
                for number in numbers.chain(spreads.iter().map(|spread| spread.range[1].to_string())) {
                    write!(out, ",{number}")?;
                }
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

fn as_text(accuracy: &Accuracy, variable: &Variable, rows: usize) -> String {
    let variable = output::printable(&Schema::new_unchecked(vec![variable.clone()])).variable(0).clone();
    let mut text = format!("{rows} rows predicted: {}\n", variable.name);
    if rows == 0 {
        return text + "The table has no rows: there is nothing to predict.\n";
    }
    let Some((share, log_loss)) = accuracy.scores() else {
        return text + "The column is not in the table: no accuracy.\n";
    };
    let _ = writeln!(text, "accuracy {share:.6}, log-loss {log_loss:.6} nats over {} rows", accuracy.known());
    let Some(confusion) = accuracy.confusion(variable.levels.len()) else { return text };
    let width = variable.levels.iter().map(|level| columns(level)).max().unwrap_or(0).max(8);
    let _ = write!(text, "{:width$}  predicted\n{:width$}", "true", "");
    for level in &variable.levels {
        let _ = write!(text, "  {}", right(level, width));
    }
    text.push('\n');
    for (level, counts) in variable.levels.iter().zip(&confusion) {
        text += &left(level, width);
        for count in counts {
            let _ = write!(text, "  {count:>width$}");
        }
        text.push('\n');
    }
    text
}
