//! `cmnet discretize`: a table whose numbers are cut into classes.

use crate::args::{DataArgs, DiscretizeArgs, Format, Printed};
use crate::commands::missing;
use crate::exit::Outcome;
use crate::progress::Watch;
use crate::{files, output};
use cmnet::{
    Bins, LearnOptions, LevelOrder, OnMissing, OnUnknown, ReadOptions, Schema, Source, csv_field,
    cut_by_graph, cut_incomplete_by_graph, read_csv, read_incomplete, visit_rows, write_atomic,
    write_atomic_with,
};
use cmnet_report::answer::DiscretizedAnswer;
use cmnet_report::warning_text;
use std::io::Read;
use std::path::{Path, PathBuf};

/// What is done where no rule is given.
const USUAL: &str = "4";

pub(crate) fn run(arguments: &Printed<DiscretizeArgs>) -> anyhow::Result<Outcome> {
    let inputs = arguments.data.files();
    let outputs = arguments.output.as_ref().map(|table| (table.clone(), schema_beside(table)));
    if let Some((table, schema)) = &outputs {
        files::check_output(table, &inputs)?;
        files::check_output(schema, &inputs)?;
    }
    let mut options = files::options(&arguments.data.reading)?;
    if options.bins.is_empty() {
        options.bins = Bins::read([USUAL])?;
    }
    let source = twice_readable(&arguments.data)?;
    let (learning, watch) = (LearnOptions::default(), Watch::new(None));
    // Holes stay holes: what is known of each column is cut.
    let (answer, schema, warnings) = if options.on_missing == OnMissing::Model {
        let mut loaded = read_incomplete(&source, &options)?;
        let search = cut_incomplete_by_graph(&mut loaded, &options.bins, &learning, &watch)?;
        missing::tell(&arguments.data.data, &loaded.table);
        let answer = DiscretizedAnswer::of_incomplete(&loaded, search.as_ref(), Vec::new());
        (answer, loaded.table.schema().clone(), loaded.warnings)
    } else {
        let mut loaded = read_csv(&source, &options)?;
        let search = cut_by_graph(&mut loaded, &options.bins, &learning, &watch)?;
        let answer = DiscretizedAnswer::of(&loaded, search.as_ref(), Vec::new());
        (answer, loaded.data.schema().clone(), loaded.warnings)
    };
    for warning in &warnings {
        output::note(&format!("warning: {}", warning_text(warning, &crate::dialect::CommandLine)));
    }
    let mut written = Vec::new();
    if let Some((table, levels)) = &outputs {
        write_table(table, &source, &options, &schema)?;
        write_atomic(levels, LevelOrder::of(&schema).to_text().as_bytes())?;
        written = vec![table.display().to_string(), levels.display().to_string()];
    }
    let answer = DiscretizedAnswer { written, ..answer };
    match arguments.format {
        Format::Text => output::page(&answer.to_string())?,
        Format::Json => output::answer(&answer)?,
    }
    Ok(Outcome::Done)
}

/// The table's own name with another ending.
fn schema_beside(table: &Path) -> PathBuf {
    table.with_extension("schema.toml")
}

/// The source of a table that is read twice: to choose cut points, and to cut.
fn twice_readable(arguments: &DataArgs) -> anyhow::Result<Source> {
    match Source::from_argument(&arguments.data) {
        Source::Stdin => {
            let mut bytes = Vec::new();
            let failed = |source| cmnet::Error::io(Path::new("standard input"), "read", source);
            std::io::stdin().lock().read_to_end(&mut bytes).map_err(failed)?;
            Ok(Source::bytes(Source::Stdin.name(), bytes))
        }
        source => Ok(source),
    }
}

/// Writes the rows in their order, missing values as empty fields, and the weights beside them.
fn write_table(path: &Path, source: &Source, options: &ReadOptions, schema: &Schema) -> anyhow::Result<()> {
    let mut rows: Vec<u8> = Vec::new();
    let names = schema.variables().iter().map(|variable| csv_field(&variable.name));
    let header: Vec<String> = names.chain(options.weights.as_deref().map(csv_field)).collect();
    let labels: Vec<Vec<String>> = schema
        .variables()
        .iter()
        .map(|variable| variable.levels.iter().map(|level| csv_field(level)).collect())
        .collect();
    let drops = options.on_missing == OnMissing::Drop;
    visit_rows(source, options, OnUnknown::Error, schema, |row| {
        if drops && row.levels.iter().any(Option::is_none) {
            return Ok(());
        }
        let cells = row.levels.iter().zip(&labels);
        let cells =
            cells.map(|(level, labels)| level.map_or(String::new(), |level| labels[level as usize].clone()));
        let weight = options.weights.as_ref().map(|_| row.weight.to_string());
        let line: Vec<String> = cells.chain(weight).collect();
        rows.extend_from_slice(line.join(",").as_bytes());
        rows.push(b'\n');
        Ok(())
    })?;
    Ok(write_atomic_with(path, |file| {
        writeln!(file, "{}", header.join(","))?;
        file.write_all(&rows)
    })?)
}
