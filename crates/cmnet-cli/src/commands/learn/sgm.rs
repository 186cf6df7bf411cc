//! `cmnet learn --model sgm`: decomposable stratified graphical models, the paper's baseline.

use super::outputs::Outputs;
use crate::args::{Format, LearnArgs};
use crate::commands::fitting::fit_options;
use crate::exit::Outcome;
use crate::output;
use crate::progress::Watch;
use cmnet::Model;
use cmnet::data::{DataDigest, Dataset};
use cmnet::io::Loaded;
use cmnet::io::model_file::{context_records, edge_names};
use cmnet::loglinear::{Fit, fit};
use cmnet::report::{Drawing, text};
use cmnet::search::StopReason;
use cmnet::sgm::{LearnedSgm, SgmOptions, learn};
use serde_json::{Value, json};
use std::fmt::Write;

/// Learns, fits, saves and prints one stratified model.
pub(super) fn run(
    arguments: &LearnArgs,
    loaded: &Loaded,
    outputs: &Outputs,
    watch: &Watch,
) -> anyhow::Result<Outcome> {
    let options = SgmOptions { seed: arguments.seed, ..SgmOptions::default() };
    let learned = learn(&loaded.data, &options, watch)?;
    let structure = learned.best.structure()?;
    let fitted = fit(&structure, &loaded.data, &fit_options(&arguments.fitting)?)?;
    let model = Model { schema: loaded.data.schema().clone(), structure, learned: None, fit: Some(fitted) };
    let written = outputs.write_model(&model)?;
    match arguments.format.format {
        Format::Json => output::json(&as_json(&learned, &model, &loaded.data, options.seed))?,
        Format::Text => {
            let mut page = as_text(&learned, &model, loaded, options.seed)?;
            if !written.is_empty() {
                let paths: Vec<String> = written.iter().map(|path| path.display().to_string()).collect();
                writeln!(page, "\nwrote {}", paths.join(" and "))?;
            }
            output::text(&page)?;
        }
    }
    Ok(match learned.stop {
        StopReason::Interrupted => Outcome::Interrupted,
        StopReason::TimeLimit => Outcome::Limited,
        _ => Outcome::Done,
    })
}

fn as_text(learned: &LearnedSgm, model: &Model, loaded: &Loaded, seed: u64) -> anyhow::Result<String> {
    let data = &loaded.data;
    let mut page = format!("{}: {} rows, {} variables\n", loaded.file, data.rows(), data.variables());
    writeln!(
        page,
        "stratified graphical model, seed {seed}: {} of {} proposals accepted",
        learned.accepted, learned.proposals
    )?;
    writeln!(page, "log posterior    {:.6}", learned.best.log_posterior().to_f64())?;
    if let Some(fit) = &model.fit {
        writeln!(page, "parameters       {}", fit.free_parameters)?;
        writeln!(page, "log-likelihood   {:.6}", fit.log_likelihood.unwrap_or(f64::NAN))?;
        writeln!(page, "BIC / n          {:.6}\n", fit.sbic())?;
    }
    Ok(page + &text::render(&Drawing::new(&model.schema, &model.structure)?))
}

fn as_json(learned: &LearnedSgm, model: &Model, data: &Dataset, seed: u64) -> Value {
    let fit = model.fit.as_ref();
    json!({
        "format": "cmnet-sgm/1",
        "data": {"rows": data.rows(), "digest": DataDigest::of(data), "variables": data.schema().variables()},
        "seed": seed,
        "proposals": learned.proposals,
        "accepted": learned.accepted,
        "stop": learned.stop,
        "log_posterior": learned.best.log_posterior().to_f64(),
        "edges": edge_names(&model.schema, &model.structure),
        "contexts": context_records(&model.schema, &model.structure),
        "parameters": fit.map(|fit| fit.free_parameters),
        "log_likelihood": fit.and_then(|fit| fit.log_likelihood),
        "bic": fit.map(Fit::bic),
        "sbic": fit.map(Fit::sbic),
    })
}
