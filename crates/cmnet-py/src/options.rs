//! What Python passes, as the options that the command line has too.

use crate::dialect::keyword;
use crate::errors::OrRaise;
use crate::value;
use cmnet::options::{GROUPS, OptionInfo, OptionName};
use cmnet::{
    Backbone, Bins, BlanketLimits, Chosen, CompletionOptions, Error, FitOptions, FixedOnly, Knowledge,
    LearnOptions, LevelOrder, ModelClass, Order, ReadOptions, Result, Ridge, Schema, Tune, find_variable,
    parse_bytes, parse_delimiter, parse_duration,
};
use pyo3::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::time::Duration;

/// How to read a table.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Reading {
    delimiter: Option<String>,
    no_header: bool,
    pub(crate) columns: Option<Vec<String>>,
    drop: Vec<String>,
    weights: Option<String>,
    missing: Option<Vec<String>>,
    on_missing: String,
    /// A file, or pairs of a column and its levels.
    schema: Option<SchemaGiven>,
    bins: Vec<String>,
}

#[derive(FromPyObject)]
enum SchemaGiven {
    Levels(Vec<(String, Vec<String>)>),
    File(PathBuf),
}

impl Reading {
    pub(crate) fn options(&self) -> Result<ReadOptions> {
        Ok(ReadOptions {
            delimiter: self.delimiter.as_deref().map(parse_delimiter).transpose()?,
            header: !self.no_header,
            columns: self.columns.clone(),
            drop: self.drop.clone(),
            weights: self.weights.clone(),
            missing: self.missing.clone().unwrap_or_else(|| ReadOptions::default().missing),
            on_missing: self.on_missing.parse()?,
            schema: self.schema.as_ref().map(SchemaGiven::order).transpose()?,
            bins: Bins::read(&self.bins)?,
        })
    }

    /// The same; one column is no variable, and not cut unless it has a rule for itself.
    pub(crate) fn options_sparing(&self, spared: Option<&str>) -> Result<ReadOptions> {
        let options = self.options()?;
        let bins = spared.into_iter().fold(options.bins, Bins::sparing);
        Ok(ReadOptions { bins, ..options })
    }
}

impl SchemaGiven {
    fn order(&self) -> Result<LevelOrder> {
        match self {
            Self::File(path) => LevelOrder::read(path),
            Self::Levels(columns) => LevelOrder::from_levels("schema", columns.iter().cloned()),
        }
    }
}

/// How parameters are estimated.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Fitting {
    method: String,
    order: String,
    ridge: String,
    smoothing: f64,
    memory: String,
}

impl Fitting {
    pub(crate) fn options(&self) -> Result<FitOptions> {
        Ok(FitOptions {
            method: self.method.parse()?,
            order: self.order.parse::<Chosen<Order>>()?.value(),
            ridge: self.ridge.parse::<Chosen<Ridge>>()?.value(),
            smoothing: self.smoothing,
            memory: parse_bytes(OptionName::Memory, &self.memory)?,
            ..FitOptions::default()
        })
    }
}

/// What is known about edges: a file, or what a mapping says as JSON.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct KnowledgeGiven {
    file: Option<PathBuf>,
    json: String,
}

fn read_json<T: DeserializeOwned>(option: OptionName, text: &str) -> Result<T> {
    let expected =
        "edges such as \"a-b\" or (\"a\", \"b\"), by the names require, forbid, no_contexts, tiers, prior";
    serde_json::from_str(text).map_err(|_| Error::option(option, text, expected))
}

/// What is known about edges, all told.
pub(crate) fn knowledge(require: &str, forbid: &str, given: Option<&KnowledgeGiven>) -> Result<Knowledge> {
    let given = match given {
        Some(KnowledgeGiven { file: Some(path), .. }) => Knowledge::read(path)?,
        Some(KnowledgeGiven { json, .. }) => read_json(OptionName::Knowledge, json)?,
        None => Knowledge::default(),
    };
    let require = read_json(OptionName::Require, require)?;
    let forbid = read_json(OptionName::Forbid, forbid)?;
    Ok(given.and(Knowledge { require, forbid, ..Knowledge::default() }))
}

impl Fitting {
    /// The options where no rows are held out to choose any.
    pub(crate) fn fixed(&self, here: FixedOnly) -> Result<FitOptions> {
        self.tune()?.check_fixed(here)?;
        self.options()
    }

    /// What rows that are held out choose.
    pub(crate) fn tune(&self) -> Result<Tune> {
        Ok(Tune {
            order: self.order.parse::<Chosen<Order>>()?.is_auto(),
            ridge: self.ridge.parse::<Chosen<Ridge>>()?.is_auto(),
            ..Tune::NOTHING
        })
    }
}

/// How structures are learned.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Learning {
    kappa: Vec<String>,
    model: String,
    pub(crate) seed: u64,
    target: Option<String>,
    pub(crate) components: Option<String>,
    backbone: String,
    search: String,
    contexts: String,
    alpha: String,
    edge_prior: String,
    /// Edges that are required and forbidden, as JSON.
    require: String,
    forbid: String,
    knowledge: Option<KnowledgeGiven>,
    refine: String,
    max_cells: Option<u64>,
    select: String,
    pub(crate) threads: usize,
    time_limit: Option<String>,
    max_neighbors: usize,
    max_configurations: u64,
    candidates: String,
    pub(crate) checkpoint: Option<PathBuf>,
    pub(crate) resume: bool,
    checkpoint_interval: String,
    fitting: Fitting,
}

impl Learning {
    /// The options for tables of these variables.
    pub(crate) fn options(&self, schema: &Schema) -> Result<LearnOptions> {
        let target = self.target.as_ref().map(|name| find_variable(schema, name)).transpose()?;
        Ok(LearnOptions { target, ..self.untargeted()? })
    }

    /// The options without the target, which waits for the table.
    pub(crate) fn untargeted(&self) -> Result<LearnOptions> {
        let options = LearnOptions {
            tune: Tune { seed: self.seed, ..self.fitting.tune()? },
            target: None,
            kappas: self.kappa.iter().map(|text| text.parse()).collect::<Result<_>>()?,
            search: self.search.parse()?,
            contexts: self.contexts.parse()?,
            alpha: self.alpha.parse()?,
            edge_prior: self.edge_prior.parse()?,
            knowledge: knowledge(&self.require, &self.forbid, self.knowledge.as_ref())?,
            refine: self.refine.parse()?,
            max_cells: self.max_cells,
            select: self.select.parse()?,
            fit: self.fitting.options()?,
            threads: self.threads,
            limits: BlanketLimits { neighbors: self.max_neighbors, configurations: self.max_configurations },
            candidates: self.candidates.parse()?,
        };
        options.check_max_cells(self.backbone.parse()?)?;
        Ok(options)
    }

    /// Which edges are found first; only single networks have them.
    pub(crate) fn backbone(&self) -> Result<Backbone> {
        let backbone = self.backbone.parse()?;
        if backbone != Backbone::None && (self.is_stratified()? || self.components.is_some()) {
            let expected = "none: only single networks of model \"cmn\" have a backbone";
            return Err(Error::option(OptionName::Backbone, self.backbone.clone(), expected));
        }
        Ok(backbone)
    }

    /// Whether the decomposable stratified graphical models of the paper's comparison are
    /// asked for.
    pub(crate) fn is_stratified(&self) -> Result<bool> {
        Ok(self.model.parse::<ModelClass>()? == ModelClass::Sgm)
    }

    /// Refuses what has no meaning for those models.
    pub(crate) fn check_sgm(&self, options: &LearnOptions) -> Result<()> {
        if !self.is_stratified()? {
            return Ok(());
        }
        let saved = (self.checkpoint.is_some() || self.resume).then_some(OptionName::Checkpoint);
        match saved.or_else(|| options.unused_by_sgm()) {
            Some(option) => Err(Error::option(option, "a value", "nothing: model \"sgm\" does not use it")),
            None => Ok(()),
        }
    }

    /// Refuses what a run that is divided into tasks has no use for.
    pub(crate) fn check_divided(&self) -> Result<()> {
        if self.is_stratified()? {
            let expected = "cmn: the random search of sgm cannot be divided";
            return Err(Error::option(OptionName::Model, "sgm", expected));
        }
        if self.checkpoint.is_some() || self.resume {
            let expected = "none beside an executor, whose tasks are short";
            return Err(Error::option(OptionName::Checkpoint, "a file", expected));
        }
        Ok(())
    }

    pub(crate) fn time_limit(&self) -> Result<Option<Duration>> {
        time_limit(self.time_limit.as_deref())
    }

    pub(crate) fn checkpoint_interval(&self) -> Result<Duration> {
        parse_duration(OptionName::CheckpointInterval, &self.checkpoint_interval)
    }
}

/// How structures are learned from tables with missing values.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Completing {
    completions: u64,
    rounds: u64,
    agreement: f64,
}

impl Completing {
    pub(crate) fn options(&self, seed: u64, learn: LearnOptions) -> CompletionOptions {
        let Self { completions, rounds, agreement } = *self;
        CompletionOptions { completions, rounds, seed, agreement, learn }
    }
}

/// Every option that the front ends share, by group: its keyword, default, words and help.
#[pyfunction]
pub(crate) fn option_table(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let option = |option: &OptionInfo| {
        let words: Vec<&str> = option.choices.iter().map(|choice| choice.word).collect();
        json!({"name": keyword(option.name), "default": option.default, "choices": words,
            "is_switch": option.is_switch, "help": option.help})
    };
    let group = |(name, options): &(&str, &[OptionInfo])| {
        ((*name).to_owned(), Value::from(options.iter().map(option).collect::<Vec<_>>()))
    };
    let table: Map<String, Value> = GROUPS.iter().map(group).collect();
    value::to_python(py, &Value::Object(table))
}

/// A time limit, where there is one.
pub(crate) fn time_limit(text: Option<&str>) -> Result<Option<Duration>> {
    text.map(|text| parse_duration(OptionName::TimeLimit, text)).transpose()
}

/// A time limit in seconds.
#[pyfunction]
pub(crate) fn seconds(py: Python<'_>, time_limit: &str) -> PyResult<f64> {
    Ok(parse_duration(OptionName::TimeLimit, time_limit).or_raise(py)?.as_secs_f64())
}
