//! The golden results of the five tables, and the paper's protocol, through the command.

mod common;

use common::{Sandbox, near, number, workspace};
use serde_json::Value;

fn golden(table: &str) {
    let path = workspace().join(format!("suite/golden/{table}.json"));
    let golden: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let answer = Sandbox::new().json(&format!("learn data/{table}.csv"));
    let (expected, found) = (golden["models"].as_array().unwrap(), answer["models"].as_array().unwrap());
    assert_eq!(expected.len(), found.len());
    for (expected, found) in expected.iter().zip(found) {
        for field in ["kappa", "edges", "contexts", "parameters"] {
            assert_eq!(found[field], expected[field], "{table}, kappa {}, {field}", expected["kappa"]);
        }
        near(&found["log_mpl"], number(&expected["log_mpl"]), 1e-4);
        near(&found["score"], number(&expected["score"]), 1e-4);
        near(&found["log_likelihood"], number(&expected["log_likelihood"]), 1e-3);
        near(&found["sbic"], number(&expected["sbic"]), 1e-6);
    }
}

#[test]
fn coronary_heart() {
    golden("coronary_heart");
}

#[test]
fn car() {
    golden("car");
}

#[test]
fn economic_activity() {
    golden("economic_activity");
}

#[test]
fn soybean() {
    golden("soybean");
}

#[test]
fn wisconsin_breast_cancer() {
    golden("wisconsin_breast_cancer");
}
