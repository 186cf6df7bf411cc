//! `cmnet sample`: rows drawn from a model.

use super::{approximation, asking};
use crate::args::{Format, Printed};
use crate::ask_args::SampleArgs;
use crate::exit::Outcome;
use crate::{files, output};
use cmnet::{AnyModel, Question, Schema, csv_field, write_atomic_with};
use cmnet_report::answer::SampledAnswer;
use std::io::{self, Write};
use std::ops::Range;

/// Rows drawn and written at a time.
const CHUNK: usize = 1 << 16;

/// The most rows: more would take a century.
const MOST_ROWS: usize = 1 << 40;

pub(crate) fn run(arguments: &Printed<SampleArgs>) -> anyhow::Result<Outcome> {
    if arguments.rows > MOST_ROWS {
        return Err(cmnet::Error::limit("the number of rows", MOST_ROWS, "draw fewer").into());
    }
    let network = match files::any_model(&arguments.model.model)? {
        AnyModel::Network(model) => model.network()?,
        AnyModel::Mixture(mixture) => return super::mixture::sample::run(arguments, &mixture),
        AnyModel::Ensemble(_) => return Err(files::not_of_ensembles()),
    };
    let (schema, how) = (network.schema(), &arguments.question);
    let evidence = asking::evidence(schema, &how.given)?;
    let options = asking::options(how)?;
    if let Some(path) = &arguments.output {
        files::check_output(path, &how.given.files(&arguments.model))?;
    }
    let query = network.query().evidence(evidence).options(options);
    let plan = query.plan(Question::Rows)?;
    asking::announce_plan(&how.tree, &plan);
    let sampler = query.sampler()?;
    let chains = sampler.diagnose()?;
    if let Some(chains) = chains.as_ref().filter(|chains| !chains.agrees()) {
        let found = approximation::gibbs_text(chains);
        output::note(&format!(
            "warning: the rows may not be from the whole distribution: {}",
            found.trim_end()
        ));
    } else if let Some(chains) = &chains {
        asking::announce(&how.tree, approximation::gibbs_text(chains).trim_end());
    }
    write_rows(arguments, schema, &|numbers| sampler.rows(numbers))?;
    if arguments.format == Format::Json {
        output::answer(&SampledAnswer::of(schema, &plan, chains.as_ref(), &sampler, arguments.rows))?;
    }
    Ok(Outcome::Done)
}

/// What draws the rows of these numbers.
type Draw<'a> = dyn Fn(Range<usize>) -> cmnet::Result<Vec<Vec<u32>>> + 'a;

/// Writes rows to the file that was asked for, or to standard output where that is to have them.
pub(super) fn write_rows(
    arguments: &Printed<SampleArgs>,
    schema: &Schema,
    draw: &Draw<'_>,
) -> anyhow::Result<()> {
    let as_csv = |out: &mut dyn Write| write_csv(draw, schema, arguments.rows, out);
    if let Some(path) = &arguments.output {
        write_atomic_with(path, as_csv)?;
    } else if arguments.format == Format::Text {
        output::rows(as_csv)?;
    }
    Ok(())
}

/// Draws rows and writes them, a chunk at a time.
fn write_csv(draw: &Draw<'_>, schema: &Schema, rows: usize, out: &mut dyn Write) -> io::Result<()> {
    let names: Vec<String> = schema.variables().iter().map(|variable| csv_field(&variable.name)).collect();
    writeln!(out, "{}", names.join(","))?;
    let labels = quoted_labels(schema);
    for first in (0..rows).step_by(CHUNK) {
        for row in draw(first..rows.min(first + CHUNK)).map_err(io::Error::other)? {
            let fields = row.iter().zip(&labels).map(|(&level, labels)| labels[level as usize].as_str());
            writeln!(out, "{}", fields.collect::<Vec<_>>().join(","))?;
        }
    }
    Ok(())
}

fn quoted_labels(schema: &Schema) -> Vec<Vec<String>> {
    let labels = |levels: &Vec<String>| levels.iter().map(|level| csv_field(level)).collect();
    schema.variables().iter().map(|variable| labels(&variable.levels)).collect()
}
