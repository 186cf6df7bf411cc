//! Accuracy on tables in a folder, for `cargo xtask bench accuracy`: learned edges, held-out
//! likelihood, processor time.

use crate::known::known;
use crate::peer::as_text;
use crate::usage::Meter;
use anyhow::{Context, Result, bail};
use cmnet::{
    Backbone, Dataset, EdgePrior, FitOptions, Kappa, LearnOptions, LevelOrder, MixtureOptions, Order,
    PlaneCounts, ReadOptions, Refine, Select, Source, Tune, edge_names, evaluate, learn, learn_mixture,
    read_csv,
};
use serde_json::json;
use std::path::Path;

/// Writes a table of a known structure and its edges.
pub(crate) fn write_table(
    folder: &str,
    kind: &str,
    (variables, rows): (usize, usize),
    seed: u64,
) -> Result<()> {
    let truth = known(kind, variables, rows, seed)?;
    let folder = Path::new(folder);
    std::fs::write(folder.join("train.csv"), as_text(&truth.data))?;
    let edges = edge_names(truth.data.schema(), &truth.structure);
    let lines: Vec<String> = edges.iter().map(|pair| pair.join(" ")).collect();
    std::fs::write(folder.join("truth.edges"), lines.join("\n"))?;
    println!("{}", json!({"edges": edges.len()}));
    Ok(())
}

pub(crate) fn table(folder: &Path, name: &str) -> Result<Option<Dataset>> {
    let path = folder.join(name);
    if !path.exists() {
        return Ok(None);
    }
    let levels = folder.join("levels.toml");
    let schema = levels.exists().then(|| LevelOrder::read(&levels)).transpose()?;
    let options = ReadOptions { schema, missing: Vec::new(), ..ReadOptions::default() };
    Ok(Some(read_csv(&Source::from_argument(&path), &options)?.data))
}

/// Learns the table of a folder in one way, and evaluates it on the rows held out, if there are some.
pub(crate) fn learn_folder(folder: &str, variant: &str) -> Result<()> {
    let folder = Path::new(folder);
    let data = table(folder, "train.csv")?.context("no train.csv")?;
    let test = table(folder, "test.csv")?;
    // "mixture-4-refined": four classes, each learned as the rest says.
    if let Some(rest) = variant.strip_prefix("mixture-") {
        let (count, way) = rest.split_once('-').context("mixture-COUNT-WAY")?;
        return learn_mixture_of(folder, &data, count, way);
    }
    // "backbone-refined": edges of a decomposable graph first, then as the rest says.
    let (backbone, way) = match variant.strip_prefix("backbone-") {
        Some(rest) => (Backbone::Decomposable, rest),
        None => (Backbone::None, variant),
    };
    // "complete": all edges, terms of at most three variables, a ridge by held-out rows.
    let is_complete = way == "complete";
    let Way { kappas, refine, tune, edge_prior } = if is_complete { Way::complete() } else { Way::of(way)? };
    let select = if test.is_some() || kappas.len() > 1 { Select::Bic } else { Select::None };
    let order = if is_complete { Order::at_most(3)? } else { Order::FULL };
    let fit = FitOptions { order, memory: 1 << 30, ..FitOptions::default() };
    let mut options =
        LearnOptions { kappas, refine, edge_prior, select, fit, tune, threads: 1, ..LearnOptions::default() };
    if is_complete {
        options.knowledge.require.push("*-*".into());
    }
    let meter = Meter::start();
    backbone.require(&PlaneCounts::new(&data), data.schema(), &mut options, &())?;
    let learned = learn(&data, &options, &())?;
    let cpu = meter.processor();
    let kept = learned.kept(data.rows()).context("nothing was learned")?;
    let told = |rows: Option<&Dataset>| evaluate(kept.fit.as_ref()?, rows?).log_likelihood;
    let valid = table(folder, "valid.csv")?;
    let answer = json!({
        "edges": edge_names(data.schema(), &kept.structure), "cpu": cpu,
        "test": told(test.as_ref()), "valid": told(valid.as_ref()),
        "kappa": kept.prior.kappa().to_string(), "limited": learned.limited.len(),
        "parameters": kept.fit.as_ref().map(|fit| fit.free_parameters),
        "order": learned.tuned.as_ref().map(|tuned| tuned.options.order.to_string()),
        "ridge": learned.tuned.as_ref().map(|tuned| tuned.options.ridge.to_string()),
    });
    println!("{answer}");
    Ok(())
}

/// A way to learn.
struct Way {
    kappas: Vec<Kappa>,
    refine: Refine,
    tune: Tune,
    edge_prior: EdgePrior,
}

impl Way {
    fn complete() -> Self {
        let tune = Tune { ridge: true, ..Tune::NOTHING };
        let edge_prior = EdgePrior::default();
        Self { kappas: vec![Kappa::Epsilon], refine: Refine::No, tune, edge_prior }
    }

    /// A way by its words, joined by "-".
    fn of(variant: &str) -> Result<Self> {
        let mut way = Self { tune: Tune::NOTHING, ..Self::complete() };
        for word in variant.split('-') {
            match word {
                "plain" => {}
                "contexts" => way.kappas = Kappa::paper_grid(),
                "refined" => way.refine = Refine::Yes,
                "auto" => way.refine = Refine::Auto,
                // An edge prior of 1.
                "sparse" => way.edge_prior = "1".parse()?,
                // Order and ridge by held-out rows.
                "tuned" => way.tune = Tune { order: true, ridge: true, ..Tune::NOTHING },
                other => bail!("{other:?} is not a way to learn"),
            }
        }
        Ok(way)
    }
}

/// Learns a mixture of so many classes, and evaluates it on the rows of `valid.csv` and `test.csv`.
fn learn_mixture_of(folder: &Path, data: &Dataset, count: &str, way: &str) -> Result<()> {
    let Way { kappas, refine, tune, edge_prior } = Way::of(way)?;
    let fit = FitOptions { memory: 1 << 30, ..FitOptions::default() };
    let options =
        LearnOptions { kappas, refine, tune, edge_prior, fit, threads: 1, ..LearnOptions::default() };
    let how = MixtureOptions { components: count.parse()?, ..MixtureOptions::default() };
    let meter = Meter::start();
    let learned = learn_mixture(data, &options, &how, &())?;
    let cpu = meter.processor();
    let told = |name: &str| -> Result<Option<f64>> {
        let Some(rows) = table(folder, name)? else { return Ok(None) };
        Ok(learned.mixture.evaluate(&rows, &())?.log_likelihood)
    };
    let mixture = &learned.mixture;
    let answer = json!({
        "cpu": cpu, "valid": told("valid.csv")?, "test": told("test.csv")?,
        "components": mixture.components().len(), "parameters": mixture.free_parameters(),
    });
    println!("{answer}");
    Ok(())
}

/// Learns the table of a folder for its last column, and predicts that of the rows held out.
pub(crate) fn classify_folder(folder: &str, variant: &str) -> Result<()> {
    let folder = Path::new(folder);
    let data = table(folder, "train.csv")?.context("no train.csv")?;
    let test = table(folder, "test.csv")?.context("no test.csv")?;
    let class = data.variables() - 1;
    let target = (variant == "class").then_some(class);
    let options = LearnOptions { target, threads: 1, ..LearnOptions::default() };
    let meter = Meter::start();
    let learned = learn(&data, &options, &())?;
    let cpu = meter.processor();
    let kept = learned.kept(data.rows()).context("nothing was learned")?;
    let own = kept.target.as_ref();
    let fit = own.map(|own| &own.fit).or(kept.fit.as_ref()).context("nothing was fitted")?;
    let evaluator = fit.parameters.evaluator();
    let (mut hits, mut loss) = (0u64, 0.0);
    for (row, &weight) in test.weights().iter().enumerate() {
        let levels = test.row(row);
        let p = evaluator.conditional(class, &levels);
        let best = (0..p.len()).fold(0, |best, level| if p[level] > p[best] { level } else { best });
        hits += u64::from(weight) * u64::from(best == levels[class] as usize);
        loss -= f64::from(weight) * libm::log(p[levels[class] as usize]);
    }
    let answer = json!({
        "hits": hits, "loss": loss, "rows": test.rows(), "cpu": cpu, "ridge": fit.ridge.to_string(),
        "connected": own.is_some_and(|own| own.is_connected),
    });
    println!("{answer}");
    Ok(())
}
