//! Reading tables and models as the arguments say.

use crate::args::{DataArgs, ReadingArgs, RowsArgs};
use crate::dialect::CommandLine;
use crate::exit::Usage;
use crate::output;
use crate::progress::Watch;
use anyhow::Context as _;
use cmnet::{
    AnyModel, Bins, CutColumn, DataDigest, Dataset, Error, Fit, IncompleteTable, LearnOptions, LevelOrder,
    LoadedIncomplete, LoadedTable, Model, OnMissing, OnUnknown, ReadOptions, Schema, Source, Support,
    Warning, cut_by_graph, cut_incomplete_by_graph, parse_delimiter, quoted_names, read_csv, read_incomplete,
    visit_rows,
};
use cmnet_report::{cut_text, warning_text};
use std::borrow::Cow;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Standard input with a column of weights, which is read twice where they are real numbers.
static HELD: OnceLock<Source> = OnceLock::new();

/// Where a table comes from. Standard input can be read once alone. It is held in memory where it may be read
/// twice: with weights, and with missing values that a model takes.
pub(crate) fn source(arguments: &DataArgs) -> anyhow::Result<Cow<'static, Source>> {
    let source = Source::from_argument(&arguments.data);
    if source != Source::Stdin {
        return Ok(Cow::Owned(source));
    }
    if let Some(held) = HELD.get() {
        return Ok(Cow::Borrowed(held));
    }
    if arguments.reading.rows.weights.is_none() && arguments.reading.on_missing != OnMissing::Model {
        return Ok(Cow::Owned(source));
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes).context("standard input cannot be read")?;
    Ok(Cow::Borrowed(HELD.get_or_init(|| Source::bytes(source.name(), bytes))))
}

/// Reads a table; warnings and cut points go to standard error. Where the graph is to find cut points,
/// it is learned as these options say. A column that is spared is not warned about, and not cut unless it has a rule
/// for itself.
pub(crate) fn table(
    spared: Option<&str>,
    arguments: &DataArgs,
    learning: &LearnOptions,
    watch: &Watch,
) -> anyhow::Result<LoadedTable> {
    let loaded = read(spared, arguments, learning, watch)?;
    loaded.check_categories()?;
    warn(&loaded);
    Ok(loaded)
}

/// Reads and cuts a table without a word about it.
pub(crate) fn read(
    spared: Option<&str>,
    arguments: &DataArgs,
    learning: &LearnOptions,
    watch: &Watch,
) -> anyhow::Result<LoadedTable> {
    let options = options_sparing(&arguments.reading, spared)?;
    let mut loaded = read_csv(&*source(arguments)?, &options)?;
    cut_by_graph(&mut loaded, &options.bins, learning, watch)?;
    spare(spared, &mut loaded.warnings);
    Ok(loaded)
}

/// The same with its missing values; warnings go to standard error.
pub(crate) fn incomplete_table(
    spared: Option<&str>,
    arguments: &DataArgs,
    learning: &LearnOptions,
    watch: &Watch,
) -> anyhow::Result<LoadedIncomplete> {
    let loaded = read_incomplete_table(spared, arguments, learning, watch)?;
    loaded.check_categories()?;
    tell(&loaded.cuts, &loaded.warnings);
    Ok(loaded)
}

/// Reads a table with its missing values, without a word about it.
pub(crate) fn read_incomplete_table(
    spared: Option<&str>,
    arguments: &DataArgs,
    learning: &LearnOptions,
    watch: &Watch,
) -> anyhow::Result<LoadedIncomplete> {
    let options = options_sparing(&arguments.reading, spared)?;
    let mut loaded = read_incomplete(&*source(arguments)?, &options)?;
    cut_incomplete_by_graph(&mut loaded, &options.bins, learning, watch)?;
    spare(spared, &mut loaded.warnings);
    Ok(loaded)
}

/// Leaves out what is said about one column.
fn spare(spared: Option<&str>, warnings: &mut Vec<Warning>) {
    warnings.retain(|warning| warning.column().is_none_or(|name| spared != Some(name)));
}

/// Reads the columns of a table that a model speaks of, with the model's levels, in the
/// model's order.
pub(crate) fn table_for(model: &Model, arguments: &DataArgs) -> anyhow::Result<Dataset> {
    let loaded = read_csv(&*source(arguments)?, &options_for(model.schema(), arguments)?)?;
    note_dropped(&loaded);
    Ok(model.arrange(loaded.data)?)
}

/// How the columns of a table are read that a schema names, with its levels.
pub(crate) fn options_for(schema: &Schema, arguments: &DataArgs) -> anyhow::Result<ReadOptions> {
    let mut options = options(&arguments.reading)?;
    if options.columns.is_none() && options.drop.is_empty() {
        options.columns = Some(schema.variables().iter().map(|variable| variable.name.clone()).collect());
    }
    options.schema.get_or_insert_with(|| LevelOrder::of(schema));
    if options.bins.by_graph() {
        let problem = "--bins: the graph of a model finds no new cut points; the model has its own, or give them with at:";
        return Err(Usage(problem.to_owned()).into());
    }
    Ok(options)
}

/// Reads the rows of a table that a model speaks of, with their missing values.
pub(crate) fn incomplete_for(schema: &Schema, arguments: &DataArgs) -> anyhow::Result<IncompleteTable> {
    let reading = &arguments.reading;
    if reading.columns.is_some() || reading.schema.is_some() {
        let problem = "rows with missing values are read with the columns and levels of the model; leave out --columns \
             and --schema, or give --on-missing drop";
        return Err(Usage(problem.to_owned()).into());
    }
    let mut table = IncompleteTable::new(schema.clone());
    let (source, options) = (source(arguments)?, row_options(&reading.rows)?);
    visit_rows(&source, &options, OnUnknown::Error, schema, |row| table.push(row.levels, row.weight))?;
    Ok(table)
}

/// Reads the table that a model was fitted to, where one is given.
pub(crate) fn fitted_table(
    model: &Model,
    data: Option<&str>,
    reading: &ReadingArgs,
) -> anyhow::Result<Option<Dataset>> {
    let Some(data) = data.map(str::to_owned) else { return Ok(None) };
    let table = table_for(model, &DataArgs { data, reading: reading.clone() })?;
    let known = model.fit().and_then(|fit| fit.digest.as_ref());
    if known.is_some_and(|known| *known != DataDigest::of(&table)) {
        let problem = "--data: this is not the table that the model was fitted to; give that one, or fit \
                       the model to this one with cmnet fit";
        return Err(Usage(problem.to_owned()).into());
    }
    Ok(Some(table))
}

/// Reads a table; warnings and dropped rows go to standard error. A column with folds is read
/// too where only some columns are asked for, and not warned about.
pub(crate) fn table_with_note(
    arguments: &DataArgs,
    besides: Option<&str>,
    learning: &LearnOptions,
    watch: &Watch,
) -> anyhow::Result<Dataset> {
    let mut options = options_sparing(&arguments.reading, besides)?;
    if let Some(folds) = besides {
        let unreadable = |why: &str| Err(Usage(format!("--fold-column {folds}: {why}")).into());
        if options.drop.iter().any(|name| name == folds) {
            return unreadable("that column is left out by --drop");
        }
        if options.weights.as_deref() == Some(folds) {
            return unreadable("that column has the weights of the rows");
        }
        if let Some(columns) =
            options.columns.as_mut().filter(|columns| !columns.iter().any(|name| name == folds))
        {
            columns.push(folds.to_owned());
        }
    }
    let mut loaded = read_csv(&*source(arguments)?, &options)?;
    loaded.check_categories()?;
    cut_by_graph(&mut loaded, &options.bins, learning, watch)?;
    spare(besides, &mut loaded.warnings);
    warn(&loaded);
    note_dropped(&loaded);
    Ok(loaded.data)
}

fn note_dropped(loaded: &LoadedTable) {
    if loaded.dropped_rows > 0 {
        output::note(&format!(
            "{}: {} rows with missing values were left out",
            loaded.file, loaded.dropped_rows
        ));
    }
}

/// Says on standard error what a reader of the table should know.
pub(crate) fn warn(loaded: &LoadedTable) {
    tell(&loaded.cuts, &loaded.warnings);
}

/// Says where columns were cut, and what else a reader should know.
pub(crate) fn tell(cuts: &[CutColumn], warnings: &[Warning]) {
    for column in cuts {
        output::note(&cut_text(column));
    }
    for warning in warnings {
        output::note(&format!("warning: {}", warning_text(warning, &CommandLine)));
    }
}

/// Reads and checks a model file.
pub(crate) fn model(path: &Path) -> anyhow::Result<Model> {
    Ok(Model::load(path)?)
}

/// What a command says that has nothing to say about an ensemble.
pub(crate) fn not_of_ensembles() -> anyhow::Error {
    let problem = "an ensemble answers query, predict, evaluate, explain and draw, and check checks it";
    Error::question(problem, "give a model file, such as the consensus that cmnet bootstrap -o writes").into()
}

/// Reads and checks the file of a network, of a mixture or of an ensemble.
pub(crate) fn any_model(path: &Path) -> anyhow::Result<AnyModel> {
    Ok(AnyModel::load(path)?)
}

/// The parameters of a model, or what to do about their absence.
pub(crate) fn fit_of<'a>(model: &'a Model, path: &Path) -> anyhow::Result<&'a Fit> {
    let shown = path.display();
    model.fit().ok_or_else(|| {
        Usage(format!(
            "{shown}: this model has no parameters; estimate them with: cmnet fit {shown} DATA -o MODEL"
        ))
        .into()
    })
}

/// The support of a model's edges, or how to get it.
pub(crate) fn support_of<'a>(model: &'a Model, path: &Path) -> anyhow::Result<&'a Support> {
    model.support().ok_or_else(|| {
        Usage(format!(
            "{}: this model was not resampled; get the support of edges with: cmnet bootstrap DATA -o MODEL",
            path.display()
        ))
        .into()
    })
}

/// Refuses, before any work, an output that is no file, would replace what is read, has no
/// folder to be in, or cannot be written.
pub(crate) fn check_output(path: &Path, inputs: &[&Path]) -> anyhow::Result<()> {
    if path.as_os_str() == "-" {
        return Err(Usage("-: this is no file; name one to write".to_owned()).into());
    }
    if path.is_dir() {
        return Err(Usage(format!("{}: this is a folder; name a file to write", path.display())).into());
    }
    if inputs.iter().any(|input| is_same_file(path, input)) {
        return Err(
            Usage(format!("{}: this is the input; name another file to write", path.display())).into()
        );
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        let (path, folder) = (path.display(), folder.display());
        return Err(Usage(format!("{path}: cannot write: there is no folder {folder}; make it first")).into());
    }
    Ok(cmnet::check_writable(path)?)
}

/// Refuses to write two things to one file.
pub(crate) fn check_apart(one: &Path, other: &Path) -> anyhow::Result<()> {
    if is_same_file(one, other) {
        let problem = format!("{}: two things would be written here; name two files", one.display());
        return Err(Usage(problem).into());
    }
    Ok(())
}

/// Whether two paths lead to one file, also where that is not there yet.
fn is_same_file(one: &Path, other: &Path) -> bool {
    one == other || place(one).is_some_and(|one| place(other) == Some(one))
}

/// Where a file is or would be: its folder is looked up, whatever its own name leads to.
fn place(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().or_else(|| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        Some(folder.unwrap_or(Path::new(".")).canonicalize().ok()?.join(path.file_name()?))
    })
}

/// How the rows of a table are read.
pub(crate) fn row_options(arguments: &RowsArgs) -> anyhow::Result<ReadOptions> {
    let defaults = ReadOptions::default();
    Ok(ReadOptions {
        delimiter: arguments.delimiter.as_deref().map(parse_delimiter).transpose()?,
        header: !arguments.no_header,
        drop: names(&arguments.drop),
        weights: arguments.weights.clone(),
        missing: arguments.missing.clone().unwrap_or(defaults.missing),
        ..defaults
    })
}

/// The names in lists that may be given several times.
fn names(lists: &[String]) -> Vec<String> {
    lists.iter().flat_map(|list| quoted_names(list)).collect()
}

/// How a table is read of which one column is no variable: it is not cut unless it has a rule for itself.
pub(crate) fn options_sparing(arguments: &ReadingArgs, spared: Option<&str>) -> anyhow::Result<ReadOptions> {
    let options = options(arguments)?;
    let bins = spared.into_iter().fold(options.bins, Bins::sparing);
    Ok(ReadOptions { bins, ..options })
}

pub(crate) fn options(arguments: &ReadingArgs) -> anyhow::Result<ReadOptions> {
    Ok(ReadOptions {
        columns: arguments.columns.as_deref().map(names),
        on_missing: arguments.on_missing,
        schema: arguments.schema.as_deref().map(LevelOrder::read).transpose()?,
        bins: Bins::read(&arguments.bins)?,
        ..row_options(&arguments.rows)?
    })
}
