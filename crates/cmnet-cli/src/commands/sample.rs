//! `cmnet sample`: rows drawn from a model.

use super::asking::{self, csv_field};
use crate::args::Format;
use crate::ask_args::SampleArgs;
use crate::exit::Outcome;
use crate::{files, output};
use cmnet::data::Schema;
use cmnet::io::write_atomic;
use serde_json::json;

/// Rows drawn and written at a time.
const CHUNK: usize = 1 << 16;

pub(crate) fn run(arguments: &SampleArgs) -> anyhow::Result<Outcome> {
    let network = files::model(&arguments.model)?.network()?;
    let schema = network.schema();
    let evidence = asking::evidence(schema, &arguments.given)?;
    let ask = asking::ask(&arguments.tree)?;
    let (_, cost, reason) = network.choose(&evidence, &ask, asking::method(&arguments.method));
    asking::announce(arguments.tree.verbose, cost, &reason);
    let sampler = network.sampler(
        &evidence,
        &ask,
        asking::method(&arguments.method),
        &asking::gibbs(&arguments.method),
    )?;
    if arguments.format.format == Format::Json {
        let label = |(v, &level): (usize, &u32)| schema.variable(v).levels[level as usize].clone();
        let rows: Vec<Vec<String>> = sampler
            .rows(0..arguments.rows)
            .iter()
            .map(|row| row.iter().enumerate().map(label).collect())
            .collect();
        let names: Vec<&str> = schema.variables().iter().map(|variable| variable.name.as_str()).collect();
        let json = json!({"format": "cmnet-sample/1", "method": sampler.method().to_string(),
            "reason": sampler.reason(), "seed": arguments.method.seed, "variables": names, "rows": rows});
        output::json(&json)?;
        return Ok(Outcome::Done);
    }
    let names: Vec<String> = schema.variables().iter().map(|variable| csv_field(&variable.name)).collect();
    let mut text = names.join(",") + "\n";
    let labels = quoted_labels(schema);
    for first in (0..arguments.rows).step_by(CHUNK) {
        for row in sampler.rows(first..arguments.rows.min(first + CHUNK)) {
            let fields: Vec<&str> =
                row.iter().enumerate().map(|(v, &level)| labels[v][level as usize].as_str()).collect();
            text += &fields.join(",");
            text.push('\n');
        }
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

fn quoted_labels(schema: &Schema) -> Vec<Vec<String>> {
    let labels = |levels: &Vec<String>| levels.iter().map(|level| csv_field(level)).collect();
    schema.variables().iter().map(|variable| labels(&variable.levels)).collect()
}
