//! What `cmnet learn --format json` prints.

use cmnet::data::{DataDigest, Dataset};
use cmnet::io::model_file::{context_records, edge_names};
use cmnet::io::{ContextRecord, LoadedTable};
use cmnet::learn::{Learned, LearnedModel};
use cmnet::loglinear::{Fit, FitStatus};
use cmnet::score::Nats;
use serde::Serialize;

/// `cmnet-learn/1`.
#[derive(Serialize)]
pub(super) struct Answer<'a> {
    format: &'static str,
    data: DataAnswer<'a>,
    search: &'static str,
    search_reason: &'a str,
    stop: String,
    ties: u64,
    limited: Vec<&'a str>,
    models: Vec<ModelAnswer>,
    selected: Option<usize>,
    criterion: Option<&'static str>,
}

#[derive(Serialize)]
struct DataAnswer<'a> {
    rows: u64,
    dropped_rows: u64,
    digest: DataDigest,
    variables: &'a [cmnet::data::Variable],
}

#[derive(Serialize)]
struct ModelAnswer {
    kappa: String,
    log_kappa: Option<f64>,
    edges: Vec<[String; 2]>,
    contexts: Vec<ContextRecord>,
    log_mpl: f64,
    log_prior: Option<f64>,
    score: Option<f64>,
    parameters: Option<usize>,
    log_likelihood: Option<f64>,
    bic: Option<f64>,
    sbic: Option<f64>,
    pseudo_bic: Option<f64>,
    fit: Option<FitAnswer>,
    unfitted: Option<String>,
    steps: usize,
    moves: u64,
    ties: u64,
    stop: String,
}

#[derive(Serialize)]
struct FitAnswer {
    method: String,
    status: FitStatus,
    reason: String,
    pseudo_log_likelihood: Option<f64>,
    boundary: usize,
}

/// Everything that was learned, by names.
pub(super) fn render<'a>(learned: &'a Learned, loaded: &'a LoadedTable) -> Answer<'a> {
    let data = &loaded.data;
    let schema = data.schema();
    Answer {
        format: "cmnet-learn/1",
        data: DataAnswer {
            rows: data.rows(),
            dropped_rows: loaded.dropped_rows,
            digest: DataDigest::of(data),
            variables: schema.variables(),
        },
        search: learned.search,
        search_reason: &learned.search_reason,
        stop: learned.stop.to_string(),
        ties: learned.ties(),
        limited: learned.limited.iter().map(|&variable| schema.name(variable)).collect(),
        models: learned.models.iter().map(|model| answer(model, data)).collect(),
        selected: learned.selected,
        criterion: learned.criterion,
    }
}

fn answer(model: &LearnedModel, data: &Dataset) -> ModelAnswer {
    let fit = model.fit.as_ref();
    ModelAnswer {
        kappa: model.prior.kappa().to_string(),
        log_kappa: model.prior.log_kappa().map(Nats::to_f64),
        edges: edge_names(data.schema(), &model.structure),
        contexts: context_records(data.schema(), &model.structure),
        log_mpl: model.score.log_mpl.to_f64(),
        log_prior: model.score.log_prior.map(Nats::to_f64),
        score: model.score.total().map(Nats::to_f64),
        parameters: fit.map(|fit| fit.free_parameters),
        log_likelihood: fit.and_then(|fit| fit.log_likelihood),
        bic: fit.map(Fit::bic),
        sbic: fit.map(Fit::sbic),
        pseudo_bic: model.pseudo_bic(),
        fit: fit.map(|fit| FitAnswer {
            method: fit.estimate.to_string(),
            status: fit.status,
            reason: fit.reason.clone(),
            pseudo_log_likelihood: fit.pseudo_log_likelihood,
            boundary: fit.boundary.len(),
        }),
        unfitted: model.unfitted.clone(),
        steps: model.steps.len(),
        moves: model.moves,
        ties: model.ties,
        stop: model.stop.to_string(),
    }
}
