//! What Python passes, as the options that the command line has too.

use cmnet::io::{LevelOrder, OnMissing, ReadOptions, parse_delimiter};
use cmnet::learn::{LearnOptions, SearchMode, Select, parse_bytes, parse_duration};
use cmnet::loglinear::{FitOptions, Method};
use cmnet::search::blanket::{BlanketLimits, CandidateRule};
use cmnet::{Error, Result};
use pyo3::prelude::*;
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
            on_missing: choice(
                "--on-missing",
                &self.on_missing,
                &[("error", OnMissing::Error), ("drop", OnMissing::Drop)],
                "error or drop",
            )?,
            schema: self.schema.as_ref().map(SchemaGiven::order).transpose()?,
        })
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
    smoothing: f64,
    memory: String,
}

impl Fitting {
    pub(crate) fn options(&self) -> Result<FitOptions> {
        let methods = [("auto", Method::Auto), ("exact", Method::Exact), ("pseudo", Method::Pseudo)];
        Ok(FitOptions {
            method: choice("--method", &self.method, &methods, "auto, exact or pseudo")?,
            smoothing: self.smoothing,
            memory: parse_bytes("--memory", &self.memory)?,
            ..FitOptions::default()
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
    search: String,
    alpha: String,
    select: String,
    threads: usize,
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
    pub(crate) fn options(&self) -> Result<LearnOptions> {
        let modes =
            [("auto", SearchMode::Auto), ("paper", SearchMode::Paper), ("blanket", SearchMode::Blanket)];
        let choices = [("bic", Select::Bic), ("none", Select::None)];
        let rules = [("or", CandidateRule::Or), ("and", CandidateRule::And)];
        Ok(LearnOptions {
            kappas: self.kappa.iter().map(|text| text.parse()).collect::<Result<_>>()?,
            search: choice("--search", &self.search, &modes, "auto, paper or blanket")?,
            alpha: self.alpha.parse()?,
            select: choice("--select", &self.select, &choices, "bic or none")?,
            fit: self.fitting.options()?,
            threads: self.threads,
            limits: BlanketLimits { neighbors: self.max_neighbors, configurations: self.max_configurations },
            candidates: choice("--candidates", &self.candidates, &rules, "or, and")?,
        })
    }

    /// Whether the decomposable stratified graphical models of the paper's comparison are
    /// asked for.
    pub(crate) fn is_stratified(&self) -> Result<bool> {
        choice("--model", &self.model, &[("cmn", false), ("sgm", true)], "cmn or sgm")
    }

    /// Refuses what has no meaning for those models.
    pub(crate) fn check_sgm(&self, options: &LearnOptions) -> Result<()> {
        if !self.is_stratified()? {
            return Ok(());
        }
        let saved = (self.checkpoint.is_some() || self.resume).then_some("--checkpoint");
        match saved.or_else(|| options.unused_by_sgm()) {
            Some(flag) => Err(Error::option(flag, "a value", "nothing: model \"sgm\" does not use it")),
            None => Ok(()),
        }
    }

    pub(crate) fn time_limit(&self) -> Result<Option<Duration>> {
        self.time_limit.as_deref().map(|text| parse_duration("--time-limit", text)).transpose()
    }

    pub(crate) fn checkpoint_interval(&self) -> Result<Duration> {
        parse_duration("--checkpoint-interval", &self.checkpoint_interval)
    }
}

/// One of the words that an option takes.
pub(crate) fn choice<T: Copy>(
    name: &'static str,
    text: &str,
    choices: &[(&str, T)],
    expected: &'static str,
) -> Result<T> {
    let found = choices.iter().find(|(word, _)| *word == text);
    found.map(|(_, value)| *value).ok_or_else(|| Error::option(name, text, expected))
}
