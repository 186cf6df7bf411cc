//! `cmnet sample`: rows drawn from a model.

use super::asking;
use crate::args::{Format, Printed};
use crate::ask_args::SampleArgs;
use crate::exit::Outcome;
use crate::{files, output};
use cmnet::{Question, Schema, csv_field, write_atomic};
use cmnet_report::answer::SampledAnswer;
use cmnet_report::answer::written::SampleFacts;

/// Rows drawn and written at a time.
const CHUNK: usize = 1 << 16;

/// The most cells that are collected for one file or document.
const MOST_CELLS: usize = 1 << 28;

pub(crate) fn run(arguments: &Printed<SampleArgs>) -> anyhow::Result<Outcome> {
    let network = files::model(&arguments.model.model)?.network()?;
    let (schema, how) = (network.schema(), &arguments.question);
    let evidence = asking::evidence(schema, &how.given)?;
    let options = asking::options(how)?;
    if let Some(path) = &arguments.output {
        files::check_output(path, &how.given.files(&arguments.model))?;
    }
    if arguments.output.is_some() || arguments.format == Format::Json {
        check_size(arguments.rows, schema.len())?;
    }
    let query = network.query().evidence(evidence.clone()).options(options);
    let plan = query.plan(Question::Rows)?;
    asking::announce_plan(&how.tree, &plan);
    let sampler = query.sampler()?;
    if arguments.format == Format::Json {
        let rows = sampler.rows(0..arguments.rows);
        if let Some(path) = &arguments.output {
            write_atomic(path, (header(schema) + &as_csv(&rows, &quoted_labels(schema))).as_bytes())?;
        }
        let facts = SampleFacts {
            method: sampler.method().to_string(),
            reason: sampler.reason(),
            seed: how.method.seed,
            plan: &plan,
            evidence: &evidence,
        };
        output::answer(&SampledAnswer::of(schema, &facts, &rows))?;
        return Ok(Outcome::Done);
    }
    let mut text = header(schema);
    let labels = quoted_labels(schema);
    for first in (0..arguments.rows).step_by(CHUNK) {
        text += &as_csv(&sampler.rows(first..arguments.rows.min(first + CHUNK)), &labels);
        if arguments.output.is_none() {
            output::text(&std::mem::take(&mut text))?;
        }
    }
    match &arguments.output {
        Some(path) => write_atomic(path, text.as_bytes())?,
        None => output::text(&text)?,
    }
    Ok(Outcome::Done)
}

fn header(schema: &Schema) -> String {
    let names: Vec<String> = schema.variables().iter().map(|variable| csv_field(&variable.name)).collect();
    names.join(",") + "\n"
}

fn as_csv(rows: &[Vec<u32>], labels: &[Vec<String>]) -> String {
    let line = |row: &Vec<u32>| {
        let fields: Vec<&str> =
            row.iter().enumerate().map(|(v, &level)| labels[v][level as usize].as_str()).collect();
        fields.join(",") + "\n"
    };
    rows.iter().map(line).collect()
}

/// Rows that are collected before they are written must fit somewhere.
fn check_size(rows: usize, variables: usize) -> anyhow::Result<()> {
    if rows.checked_mul(variables.max(1)).is_none_or(|cells| cells > MOST_CELLS) {
        let hint = "write text to standard output, which takes any number of rows";
        return Err(
            cmnet::Error::limit(format!("{rows} rows"), format!("{MOST_CELLS} cells at once"), hint).into()
        );
    }
    Ok(())
}

fn quoted_labels(schema: &Schema) -> Vec<Vec<String>> {
    let labels = |levels: &Vec<String>| levels.iter().map(|level| csv_field(level)).collect();
    schema.variables().iter().map(|variable| labels(&variable.levels)).collect()
}
