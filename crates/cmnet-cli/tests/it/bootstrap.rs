//! `cmnet bootstrap`: supports as text and JSON, the consensus as a file, and refusals.

use crate::common::Sandbox;
use serde_json::Value;

const BOOTSTRAP: &str = "bootstrap data/coronary_heart.csv --replicates 30 --kappa n^-0.5";

#[test]
fn json_has_supports_and_a_consensus_for_any_number_of_threads() {
    let sandbox = Sandbox::new();
    let one = sandbox.run(&format!("{BOOTSTRAP} --threads 1 --format json")).succeeds().stdout;
    let two = sandbox.run(&format!("{BOOTSTRAP} --threads 2 --format json")).succeeds().stdout;
    assert_eq!(one, two);
    let answer: Value = serde_json::from_str(&one).unwrap();
    assert_eq!((&answer["format"], &answer["replicates"]), (&"cmnet-bootstrap/1".into(), &30.into()));
    let edges = answer["edges"].as_array().unwrap();
    let sure = edges.iter().filter(|edge| edge["support"].as_f64().unwrap() >= 0.6);
    let sure: Vec<&Value> = sure.map(|edge| &edge["edge"]).collect();
    assert!(sure.len() >= 4, "{answer}");
    assert_eq!(sure, answer["consensus"]["edges"].as_array().unwrap().iter().collect::<Vec<_>>());
    for context in answer["contexts"].as_array().unwrap() {
        let whole = edges.iter().find(|edge| edge["edge"] == context["edge"]).unwrap();
        let sum = context["support"].as_f64().unwrap() + context["holds"].as_f64().unwrap();
        assert!((sum - whole["support"].as_f64().unwrap()).abs() < 1e-9);
        assert_eq!(context["given"].as_array().unwrap().len(), context["element"].as_array().unwrap().len());
    }
}

#[test]
fn the_consensus_is_a_model_like_any_other() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&format!("{BOOTSTRAP} -o consensus.json")).succeeds();
    for words in ["30 replicates, seed 1", "conclusive", "Consensus (support 0.6 or more)", "edge holds"] {
        assert!(ran.stdout.contains(words), "{}", ran.stdout);
    }
    let model: Value = serde_json::from_str(&sandbox.read("consensus.json")).unwrap();
    assert_eq!(model["support"]["replicates"], 30);
    assert_eq!(model["learned"]["search"], "bootstrap");
    sandbox.run("check consensus.json data/coronary_heart.csv").succeeds();
    sandbox.run("query consensus.json --target smoking").succeeds();
    // Fitting anew keeps the support.
    sandbox.run("fit consensus.json data/coronary_heart.csv -o again.json").succeeds();
    let again: Value = serde_json::from_str(&sandbox.read("again.json")).unwrap();
    assert_eq!(again["support"], model["support"]);
}

#[test]
fn what_can_not_be_had_is_refused_and_limits_keep_what_is_done() {
    let sandbox = Sandbox::new();
    let run = |rest: &str| sandbox.run(&format!("{BOOTSTRAP} {rest}"));
    sandbox.run("bootstrap data/car.csv --replicates 0").refused(2, &["--replicates", "from 1 to 1000000"]);
    run("--threshold 1.5").refused(2, &["--threshold", "at most 1"]);
    run("-o absent/m.json").refused(2, &["absent"]);
    sandbox.write("one.csv", "a,b\n0,1\n");
    sandbox.run("bootstrap one.csv").refused(2, &["at least two observations"]);
    let long = "bootstrap data/contraceptive.csv --replicates 100000 --kappa n^-0.5";
    let ran = sandbox.run(&format!("{long} --time-limit 3 --format json"));
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&answer["stop"], &answer["asked"]), (&"time-limit".into(), &100_000.into()));
    let none = sandbox.run(&format!("{long} --time-limit 0s"));
    assert_eq!(none.code, 3);
    assert!(none.stdout.contains("No replicate was finished"), "{}", none.stdout);
}

#[test]
fn a_run_goes_on_from_its_checkpoint_to_the_same_bytes() {
    let sandbox = Sandbox::new();
    let whole = sandbox.run(&format!("{BOOTSTRAP} --format json")).succeeds().stdout;
    let part = BOOTSTRAP.replace("30", "11");
    sandbox.run(&format!("{part} --checkpoint run.checkpoint")).succeeds();
    let resumed = format!("{BOOTSTRAP} --checkpoint run.checkpoint --resume --format json");
    assert_eq!(sandbox.run(&resumed).succeeds().stdout, whole);
    let other = sandbox.run(&format!("{resumed} --seed 2")).ends_with(2);
    assert!(other.stderr.contains("--seed"), "{}", other.stderr);
    let learning =
        sandbox.run("learn data/coronary_heart.csv --checkpoint run.checkpoint --resume").ends_with(2);
    assert!(learning.stderr.contains("run.checkpoint"), "{}", learning.stderr);
    let lost = sandbox.run(&format!("{BOOTSTRAP} --resume")).ends_with(2);
    assert!(lost.stderr.contains("--checkpoint"), "{}", lost.stderr);
}

#[test]
fn it_says_when_it_ended_early() {
    let sandbox = Sandbox::new();
    let page = sandbox.run("bootstrap data/coronary_heart.csv --kappa eps --replicates 3000 --stop-early");
    let page = page.succeeds().stdout;
    assert!(page.contains("Settled") && page.contains("3000 were asked for"), "{page}");
}
