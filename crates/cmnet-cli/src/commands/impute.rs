//! `cmnet impute`: rows with missing values filled by a fitted model.

use super::missing;
use crate::args::{Format, Printed};
use crate::ask_args::ImputeArgs;
use crate::exit::Outcome;
use crate::{files, output};
use cmnet::{
    Fill, Imputer, IncompleteTable, OnUnknown, Schema, Source, csv_field, visit_rows, write_atomic_with,
};
use cmnet_report::answer::{FilledAnswer, MissingAnswer};
use std::io::{self, Write};

/// Rows in the order of the file, with holes.
type Rows = Vec<Vec<Option<u32>>>;

pub(crate) fn run(arguments: &Printed<ImputeArgs>) -> anyhow::Result<Outcome> {
    let network = files::model(&arguments.model.model)?.network()?;
    let schema = network.schema();
    let memory = super::fitting::bytes(&arguments.memory)?;
    if let Some(path) = &arguments.output {
        files::check_output(path, &arguments.table.files(&arguments.model))?;
    }
    let mut rows: Rows = Vec::new();
    let options = files::row_options(&arguments.table.reading)?;
    let source = Source::from_argument(&arguments.table.data);
    let mut table = IncompleteTable::new(schema.clone());
    visit_rows(&source, &options, OnUnknown::Error, schema, |row| {
        rows.push(row.levels.to_vec());
        table.push(row.levels, row.weight)
    })?;
    missing::tell(&arguments.table.data, &table);
    let fills: Vec<Fill> = match arguments.draws {
        None => vec![Fill::MostProbable],
        Some(draws) => {
            (0..draws).map(|draw| Fill::Draw { seed: arguments.seed.wrapping_add(draw) }).collect()
        }
    };
    let imputer = Imputer::new(&network, memory);
    let mut tables = Vec::with_capacity(fills.len());
    for fill in fills {
        let filled = rows.iter().zip(0..).map(|(row, number)| imputer.fill(row, fill, number, &()));
        tables.push(filled.collect::<Result<Vec<Vec<u32>>, _>>()?);
    }
    let as_csv = |out: &mut dyn Write| write_csv(schema, &tables, arguments.draws.is_some(), out);
    match &arguments.output {
        Some(path) => write_atomic_with(path, as_csv)?,
        None if arguments.format == Format::Text => output::rows(as_csv)?,
        None => {}
    }
    let holes: usize = rows.iter().map(|row| row.iter().filter(|level| level.is_none()).count()).sum();
    if arguments.format == Format::Json {
        output::answer(&FilledAnswer {
            rows: rows.len() as u64,
            filled: holes as u64,
            draws: arguments.draws,
            seed: arguments.draws.map(|_| arguments.seed),
            missing: MissingAnswer::of(&table),
            columns: schema.variables().iter().map(|variable| variable.name.clone()).collect(),
            tables: arguments.output.is_none().then(|| FilledAnswer::labels(schema, &tables)),
            written: arguments.output.as_ref().map(|path| path.display().to_string()),
        })?;
    }
    let what = if arguments.draws.is_some() { "draws" } else { "their most probable values" };
    output::note(&format!("filled {holes} missing values of {} rows by {what}", rows.len()));
    Ok(Outcome::Done)
}

/// All rows of the first completed table, then of the next; with draws, the first column numbers them.
fn write_csv(
    schema: &Schema,
    tables: &[Vec<Vec<u32>>],
    numbered: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let names = schema.variables().iter().map(|variable| csv_field(&variable.name));
    let first = numbered.then(|| "imputation".to_owned());
    writeln!(out, "{}", first.into_iter().chain(names).collect::<Vec<_>>().join(","))?;
    for (number, table) in (1..).zip(tables) {
        for row in table {
            let labels = row.iter().zip(schema.variables());
            let labels = labels.map(|(&level, variable)| csv_field(&variable.levels[level as usize]));
            let first = numbered.then(|| format!("{number}"));
            writeln!(out, "{}", first.into_iter().chain(labels).collect::<Vec<_>>().join(","))?;
        }
    }
    Ok(())
}
