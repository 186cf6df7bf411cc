//! `cmnet bootstrap`: supports as text and JSON, the consensus as a file, and refusals.

use crate::common::Sandbox;
use serde_json::Value;

const BOOTSTRAP: &str = "bootstrap data/coronary_heart.csv --replicates 30 --kappa n^-0.5 --resample rows";

#[test]
fn json_has_supports_and_a_consensus_for_any_number_of_threads() {
    let sandbox = Sandbox::new();
    let answer = sandbox.json_for_any_threads(BOOTSTRAP);
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
fn every_replicate_keeps_the_kappa_of_the_table_where_that_is_asked_for() {
    let sandbox = Sandbox::new();
    let several = "bootstrap data/coronary_heart.csv --replicates 12";
    let kept = format!("{several} --kappa-choice table");
    let chosen = |answer: &Value| -> Vec<(Value, u64)> {
        let kappas = answer["kappas"].as_array().unwrap().iter();
        kappas.map(|known| (known["kappa"].clone(), known["chosen"].as_u64().unwrap())).collect()
    };
    let anew = sandbox.json(several);
    assert_eq!(anew["kappa_choice"], "anew");
    assert!(chosen(&anew).iter().filter(|(_, count)| *count > 0).count() > 1, "{anew}");
    let table = sandbox.json_for_any_threads(&kept);
    assert_eq!(table["kappa_choice"], "table");
    let learned = sandbox.json("learn data/coronary_heart.csv --no-output");
    let kappa = &learned["models"][learned["selected"].as_u64().unwrap() as usize]["kappa"];
    for (other, count) in chosen(&table) {
        assert_eq!(count, if other == *kappa { 12 } else { 0 }, "{other} of {learned}");
    }
    let page = sandbox.run(&kept).succeeds().stdout;
    assert!(page.contains("kappa chosen for the whole table: n^-0.5 12 times"), "{page}");
    sandbox.run(&format!("{several} --kappa-choice first")).refused(2, &["--kappa-choice", "anew", "table"]);
    sandbox.run(&format!("{kept} --checkpoint run.checkpoint")).succeeds();
    let other = sandbox.run(&format!("{several} --checkpoint run.checkpoint --resume")).ends_with(2);
    assert!(other.stderr.contains("--kappa-choice"), "{}", other.stderr);
}

#[test]
fn it_says_when_it_ended_early() {
    let sandbox = Sandbox::new();
    let page = sandbox.run("bootstrap data/coronary_heart.csv --kappa eps --replicates 3000 --stop-early");
    let page = page.succeeds().stdout;
    assert!(page.contains("Settled") && page.contains("3000 were asked for"), "{page}");
}

#[test]
fn dropped_rows_and_a_picture_come_with_it() {
    let sandbox = Sandbox::new();
    let drop = format!("{BOOTSTRAP} --drop-rows 0.2,0.6");
    let ran = sandbox.run(&format!("{drop} --plot support.svg")).succeeds();
    assert!(
        ran.stdout.contains("rows dropped") && ran.stdout.contains("of the structures"),
        "{}",
        ran.stdout
    );
    let picture = sandbox.read("support.svg");
    assert!(picture.starts_with("<svg role=\"img\"") && picture.contains("Support in 30 replicates"));
    let json =
        |threads: u32| sandbox.run(&format!("{drop} --format json --threads {threads}")).succeeds().stdout;
    assert_eq!(json(1), json(2));
    let answer: Value = serde_json::from_str(&json(1)).unwrap();
    let points = answer["stability"]["points"].as_array().unwrap();
    assert_eq!(points.iter().map(|point| point["dropped"].as_f64().unwrap()).collect::<Vec<_>>(), [0.2, 0.6]);
    let mean = |place: usize| points[place]["edges"]["mean"].as_f64().unwrap();
    // The more rows are left, the more of the structure comes back.
    assert!(mean(0) > mean(1) && mean(0) <= 1.0, "{points:?}");
    sandbox.run(&format!("{BOOTSTRAP} --drop-rows 1")).refused(2, &["--drop-rows", "below 1"]);
    sandbox.run(&format!("{BOOTSTRAP} --plot absent/s.svg")).refused(2, &["absent"]);
}

#[test]
fn a_drawing_shows_the_support_of_edges() {
    let sandbox = Sandbox::new();
    sandbox.run(&format!("{BOOTSTRAP} -o sure.json --threshold 0.3")).succeeds();
    sandbox.run("draw sure.json -o sure.svg --support").succeeds();
    let picture = sandbox.read("sure.svg");
    assert!(
        picture.contains("stroke-opacity=\"1\"") && picture.contains("support of the edge 1.00"),
        "{picture}"
    );
    sandbox.run("draw sure.json -o sure.dot --support").succeeds();
    assert!(sandbox.read("sure.dot").contains("#707b88ff"));
    sandbox.run("learn data/coronary_heart.csv -o plain.json").succeeds();
    sandbox.run("draw plain.json -o plain.svg --support").refused(2, &["cmnet bootstrap"]);
}
