//! What is known about edges, from the command line.

use crate::common::Sandbox;
use serde_json::{Value, json};

const LEARN: &str = "learn data/coronary_heart.csv -o k.model.json";

#[test]
fn required_and_forbidden_edges_are_kept_scored_and_checked() {
    let sandbox = Sandbox::new();
    let known = "--require smoking-family_anamnesis --forbid strenuous_mental_work-*";
    sandbox.run(&format!("{LEARN} {known}")).succeeds();
    let model: Value = serde_json::from_str(&sandbox.read("k.model.json")).unwrap();
    let edges = model["edges"].as_array().unwrap();
    assert!(edges.contains(&json!(["smoking", "family_anamnesis"])), "{edges:?}");
    let of_work = |edge: &&Value| edge.as_array().unwrap().contains(&json!("strenuous_mental_work"));
    assert_eq!(edges.iter().filter(of_work).count(), 0);
    assert_eq!(model["learned"]["knowledge"]["require"], json!(["smoking-family_anamnesis"]));
    // Within what is known the structure is a local optimum; without it the referee would object.
    sandbox
        .run("check k.model.json data/coronary_heart.csv")
        .succeeds()
        .says(&["locally optimal         yes"]);
    let mut free = model.clone();
    free["learned"].as_object_mut().unwrap().remove("knowledge");
    sandbox.write("free.model.json", free.to_string());
    sandbox.run("check free.model.json data/coronary_heart.csv").says(&["locally optimal         NO"]);
    let exact =
        "exact data/coronary_heart.csv --forbid strenuous_mental_work-* -o e.model.json --format json";
    sandbox.run(exact).succeeds();
    assert!(!sandbox.read("e.model.json").contains("[\"strenuous_mental_work\""));
}

#[test]
fn a_file_of_knowledge_says_more() {
    let sandbox = Sandbox::new();
    let text = "require = [['smoking', 'family_anamnesis']]\nno_contexts = ['*-*']\n\
                tiers = [['smoking'], ['systolic*'], ['strenuous_mental_work']]\n\
                [[prior]]\nedge = '*-*'\np = 0.2\n";
    sandbox.write("known.toml", text);
    sandbox.run(&format!("{LEARN} --knowledge known.toml --kappa n^-0.25")).succeeds();
    let model: Value = serde_json::from_str(&sandbox.read("k.model.json")).unwrap();
    let edges = model["edges"].as_array().unwrap().len() as f64;
    assert_eq!(model["contexts"], json!([]));
    let log_prior = model["learned"]["log_prior"].as_f64().unwrap();
    assert!((log_prior - edges * libm::log(0.25)).abs() < 1e-9);
    assert!(!model["edges"].as_array().unwrap().contains(&json!(["smoking", "strenuous_mental_work"])));
    sandbox.run("check k.model.json data/coronary_heart.csv").succeeds().says(&["The referee agrees"]);
}

#[test]
fn knowledge_that_cannot_be_is_refused_by_name() {
    let sandbox = Sandbox::new();
    sandbox.run(&format!("{LEARN} --require smoking-family_anamnesis --forbid smoking-*")).refused(
        2,
        &[
            "--require",
            "smoking-family_anamnesis",
            "\"smoking-*\" forbids \"smoking\" - \"family_anamnesis\"",
        ],
    );
    sandbox
        .run(&format!("{LEARN} --forbid smokin-*"))
        .refused(2, &["--forbid", "\"smokin\" is none", "smoking"]);
    sandbox.write("known.toml", "require = []\ntier = []\n");
    sandbox.run(&format!("{LEARN} --knowledge known.toml")).refused(2, &["known.toml", "2", "tier"]);
    sandbox
        .run(&format!("{LEARN} --model sgm --require smoking-family_anamnesis"))
        .refused(2, &["--require"]);
}
