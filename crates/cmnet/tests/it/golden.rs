//! Structures and scores that an independent program found on the bundled tables.

use cmnet::{LearnOptions, ReadOptions, Source, context_records, edge_names, learn, read_csv};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn workspace(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn check(table: &str) {
    let text = std::fs::read_to_string(workspace(&format!("suite/golden/{table}.json"))).unwrap();
    let golden: Value = serde_json::from_str(&text).unwrap();
    let source = Source::Path(workspace(&format!("data/{table}.csv")));
    let data = read_csv(&source, &ReadOptions::default()).unwrap().data;
    assert_eq!(data.rows(), golden["n"].as_u64().unwrap());
    assert_eq!(serde_json::to_value(data.schema().variables()).unwrap(), golden["variables"]);
    let learned = learn(&data, &LearnOptions::default(), &()).unwrap();
    for (model, expected) in learned.models.iter().zip(golden["models"].as_array().unwrap()) {
        let kappa = model.prior.kappa().to_string();
        assert_eq!(kappa, expected["kappa"].as_str().unwrap());
        let edges = serde_json::to_value(edge_names(data.schema(), &model.structure)).unwrap();
        assert_eq!(edges, expected["edges"], "{table}, {kappa}");
        let contexts = serde_json::to_value(context_records(data.schema(), &model.structure)).unwrap();
        assert_eq!(contexts, expected["contexts"], "{table}, {kappa}");
        for (name, found) in [("log_mpl", model.score.log_mpl), ("score", model.score.total().unwrap())] {
            assert!(
                (found.to_f64() - expected[name].as_f64().unwrap()).abs() < 1e-4,
                "{table}, {kappa}: {name}"
            );
        }
    }
    assert_eq!(learned.models.len(), 4);
}

#[test]
fn car() {
    check("car");
}

#[test]
fn coronary_heart() {
    check("coronary_heart");
}

#[test]
fn economic_activity() {
    check("economic_activity");
}

#[test]
fn soybean() {
    check("soybean");
}

#[test]
fn wisconsin_breast_cancer() {
    check("wisconsin_breast_cancer");
}
