//! The experiments: the known model against what the paper prints, runs that are interrupted
//! and resumed, and the bundled model file.

use cmnet::{
    Control, Dataset, FitOptions, LearnObserver, Model, ReadOptions, Result, SearchObserver, Source,
    StopReason, fit, parameter_count, read_csv, same_model,
};
use cmnet_paper::experiment::{Experiment, Host, OutputFile, Plan, run};
use cmnet_paper::synthetic::KnownModel;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

fn workspace(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// A host without clock or disk, that asks to stop after so many cells.
#[derive(Default)]
struct Memory {
    cells: Mutex<BTreeMap<String, String>>,
    stored: AtomicUsize,
    patience: Option<usize>,
}

impl SearchObserver for Memory {}

impl LearnObserver for Memory {}

impl Control for Memory {
    fn stop(&self) -> Option<StopReason> {
        let enough = self.patience.is_some_and(|most| self.stored.load(Ordering::SeqCst) >= most);
        enough.then_some(StopReason::Interrupted)
    }
}

impl Host for Memory {
    fn seconds(&self) -> f64 {
        0.0
    }

    fn table(&self, name: &str) -> Result<Option<Dataset>> {
        let path = workspace("data").join(format!("{name}.csv"));
        if name == "economic_activity" || !path.exists() {
            return Ok(None);
        }
        Ok(Some(read_csv(&Source::Path(path), &ReadOptions::default())?.data))
    }

    fn load(&self, key: &str) -> Option<String> {
        self.cells.lock().unwrap().get(key).cloned()
    }

    fn store(&self, key: &str, text: &str) -> Result<()> {
        self.stored.fetch_add(1, Ordering::SeqCst);
        self.cells.lock().unwrap().insert(key.to_owned(), text.to_owned());
        Ok(())
    }

    fn progress(&self, _: &str, _: usize, _: usize) {}
}

fn text<'a>(files: &'a [OutputFile], name: &str) -> &'a str {
    &files.iter().find(|file| file.name == name).unwrap().text
}

fn results_of(files: &[OutputFile]) -> serde_json::Value {
    serde_json::from_str(text(files, "results.json")).unwrap()
}

#[test]
fn an_interrupted_run_goes_on_and_gives_the_same_report() {
    let plan = Plan::quick();
    let whole = Memory::default();
    let files = run(Experiment::All, &plan, &whole).unwrap().unwrap();
    let mut broken = Memory { patience: Some(7), ..Memory::default() };
    assert!(run(Experiment::All, &plan, &broken).unwrap().is_none());
    let kept = broken.stored.load(Ordering::SeqCst);
    assert!(kept >= 7);
    broken.patience = None;
    assert_eq!(run(Experiment::All, &plan, &broken).unwrap().unwrap(), files);
    assert_eq!(broken.stored.load(Ordering::SeqCst), whole.stored.load(Ordering::SeqCst));
    // Nothing is left to compute.
    assert_eq!(run(Experiment::All, &plan, &broken).unwrap().unwrap(), files);
    assert_eq!(broken.stored.load(Ordering::SeqCst), whole.stored.load(Ordering::SeqCst));
    let report = text(&files, "report.md");
    assert!(report.contains("Economic activity: not run"));
    assert!(report.contains("(-3.6506)"));
    assert!(report.contains("five are not published"));
    // 11 values of the one table that is run, and 4 of SGM; two seeds are too few for deviations.
    assert!(report.contains("of 11 values of CMN, MN") && report.contains("of 4 of SGM"), "{report}");
    assert!(report.contains("**Warning: 2 seeds.**"));
    for part in [
        "bare estimate",
        "Average of 1 tables",
        "all ten -5.9502",
        "### Orderings",
        "## Sensitivity",
        "## Readings",
    ] {
        assert!(report.contains(part), "{part}");
    }
    let exact = &results_of(&files)["consistency"]["first four of the seven variables"]["sizes"]["n4000"];
    for kappa in ["eps", "n^-1", "n^-1/2", "n^-1/4"] {
        assert!(exact["by_kappa"][format!("argmax, {kappa}")]["edges_missing"].is_number(), "{exact}");
    }
    let results = results_of(&files);
    let sbic = &results["real"]["coronary_heart"]["quantities"]["sbic"];
    assert!((sbic["CMN"]["mean"].as_f64().unwrap() + 3.6506).abs() < 0.005);
    assert!((sbic["MN"]["mean"].as_f64().unwrap() + 3.6567).abs() < 0.005);
    let pictures: Vec<_> = files.iter().filter(|file| file.text.starts_with("<svg ")).collect();
    assert!(pictures.len() >= 8 && pictures.iter().all(|file| !file.text.contains("NaN")));
}

#[test]
fn a_plan_out_of_range_is_refused() {
    let plan = Plan { seeds: 0, ..Plan::quick() };
    assert!(run(Experiment::Real, &plan, &Memory::default()).is_err());
    assert!("parts".parse::<Experiment>().is_err());
    assert_eq!("all".parse::<Experiment>().unwrap().to_string(), "all");
}

#[test]
fn the_seven_variables_have_the_conditionals_that_the_paper_prints() {
    let model = KnownModel::seven_variables().unwrap();
    assert_eq!(parameter_count(model.structure()).unwrap(), 19);
    let printed = [
        (2, 3, [0.8140, 0.7887, 0.3333, 0.3478, 0.9459, 0.9289, 0.3333, 0.3478]),
        (3, 2, [0.7143, 0.6809, 0.5000, 0.5161, 0.5172, 0.4444, 0.0588, 0.0625]),
    ];
    for (variable, other, rows) in printed {
        for (place, expected) in (0u32..).zip(rows) {
            let given = [(0, place >> 2 & 1), (1, place >> 1 & 1), (other, place & 1), (4, 1)];
            let found = model.conditional(variable, &given)[0];
            assert!((found - expected).abs() <= 0.000_05, "{variable} {place}: {found} {expected}");
        }
    }
}

/// The truth of each known model satisfies its own structure exactly: the estimate from the
/// distribution itself, as a table, gives the distribution back.
#[test]
fn known_models_satisfy_their_structures() {
    let other = KnownModel::seven_variables_with([0.2, 0.6, 0.1, 0.35, 0.7]);
    let models = [KnownModel::seven_variables(), KnownModel::square(), KnownModel::first_four(), other];
    for model in models.map(Result::unwrap) {
        let weights: Vec<u32> = model.probabilities().iter().map(|p| (p * 1e8).round() as u32).collect();
        let data = model.table(&weights).unwrap();
        let fitted =
            fit(model.structure(), &data, &FitOptions { smoothing: 0.0, ..FitOptions::default() }).unwrap();
        let evaluator = fitted.parameters.evaluator();
        let divergence = model.divergence(|row| evaluator.log_probability(row).unwrap());
        assert!(divergence.abs() < 1e-9, "{divergence}");
        let mut rng = Pcg64Mcg::seed_from_u64(1);
        let sample = model.sample(20_000, &mut rng).unwrap();
        assert_eq!(sample.rows(), 20_000);
        let log = |row: &[u32]| {
            let cell = row.iter().fold(0, |cell, &level| cell << 1 | level as usize);
            libm::log(model.probabilities()[cell])
        };
        let rows = sample.weights().iter().enumerate();
        let mean = rows.map(|(row, &w)| f64::from(w) * log(&sample.row(row))).sum::<f64>() / 20_000.0;
        assert!((mean + model.entropy()).abs() < 0.03, "{mean}");
    }
}

/// `CMNET_WRITE=1 cargo test` writes the file anew.
#[test]
fn the_bundled_model_is_the_known_model() {
    let known = KnownModel::seven_variables().unwrap();
    // Probabilities are products of seven one-decimal numbers: whole counts out of ten million.
    let weights: Vec<u32> = known.probabilities().iter().map(|p| (p * 1e7).round() as u32).collect();
    let data = known.table(&weights).unwrap();
    let mut fitted =
        fit(known.structure(), &data, &FitOptions { smoothing: 0.0, ..FitOptions::default() }).unwrap();
    fitted.reason = "the true model of the paper's synthetic experiment, as expected counts out of 10^7; \
        five of its 19 parameters are NOT published and were chosen to fit the published sBIC: \
        P(X2=1) = 0.5, P(X6=1|X5=0) = 0.3, P(X6=1|X5=1) = 0.7, P(X7=1|X5=0,X6=1) = 0.8, \
        P(X7=1|elsewhere) = 0.4"
        .into();
    let schema = known.schema().clone();
    let model = Model::new(schema, known.structure().clone()).unwrap().with_fit(fitted).unwrap();
    let path = workspace("data/synthetic_sgm.model.json");
    if std::env::var_os("CMNET_WRITE").is_some() {
        std::fs::write(&path, model.to_json().unwrap()).unwrap();
    }
    let bundled = Model::load(&path).unwrap();
    assert!(same_model(bundled.structure(), known.structure()).unwrap());
    let evaluator = bundled.fit().unwrap().parameters.evaluator();
    assert!(known.divergence(|row| evaluator.log_probability(row).unwrap()).abs() < 1e-9);
}
