//! `learn --refine`, `--edge-prior` and `--backbone`: what is printed, what the file keeps, what the referee says.

use crate::common::Sandbox;
use serde_json::{Value, json};

#[test]
fn a_refined_model_is_checked_by_the_referee() {
    let sandbox = Sandbox::new();
    let learn = "learn data/coronary_heart.csv --kappa eps --edge-prior 0 --refine yes -o r.model.json";
    let answer = sandbox.json(learn);
    let refinement = &answer["models"][0]["refinement"];
    assert_eq!((&refinement["order"], &refinement["edge_prior"]), (&json!(3), &json!("0")));
    assert!(refinement["after"].as_f64().unwrap() >= refinement["before"].as_f64().unwrap());
    let mut model: Value = serde_json::from_str(&sandbox.read("r.model.json")).unwrap();
    if refinement["kept"] == json!(true) {
        assert_eq!(model["learned"]["refined"]["conditional_bic"], refinement["after"]);
        model["learned"]["refined"]["conditional_bic"] = json!(-1.0);
    } else {
        let score = refinement["after"].as_f64().unwrap();
        model["learned"]["refined"] = json!({"order": 3, "edge_prior": "0", "conditional_bic": score + 1.0});
    }
    sandbox.run("check r.model.json data/coronary_heart.csv").succeeds().says(&["The referee agrees"]);
    sandbox.write("wrong.model.json", model.to_string());
    let wrong = sandbox.run("check wrong.model.json data/coronary_heart.csv").ends_with(1);
    wrong.says(&["The file records the conditional BIC", "DISAGREES"]);
}

#[test]
fn a_table_decides_whether_its_refinement_is_kept() {
    let sandbox = Sandbox::new();
    let bic = |refine: &str| {
        let answer = sandbox.json(&format!("learn data/car.csv --kappa eps --refine {refine} --no-output"));
        answer["models"][0]["bic"].as_f64().unwrap()
    };
    let (no, yes, auto) = (bic("no"), bic("yes"), bic("auto"));
    assert!((auto - no.max(yes)).abs() < 1e-6, "{no} {yes} {auto}");
    let text = sandbox.run("learn data/coronary_heart.csv --refine auto --no-output").succeeds();
    text.says(&["kappa eps", "refined"]);
}

#[test]
fn mode_auto_refines_what_mode_blanket_finds() {
    let sandbox = Sandbox::new();
    let learn = |options: &str| {
        sandbox.json(&format!("learn data/wisconsin_breast_cancer.csv {options} --no-output"))
    };
    let refined = learn("--refine yes");
    assert_eq!(refined["search"], "blanket");
    assert_eq!(refined["search_reason"], "a refinement follows");
    // Time is not what mode `blanket` was taken for: no kappa is passed over.
    assert_eq!((refined["models"].as_array().unwrap().len(), &refined["passed_over"]), (4, &json!([])));
    assert_eq!(refined["models"], learn("--refine yes --search blanket")["models"]);
    assert_eq!(learn("--refine yes --search paper")["search"], "paper");
    assert_eq!(learn("--refine no")["search"], "paper");
}

#[test]
fn the_edge_prior_is_kept_scored_and_checked() {
    let sandbox = Sandbox::new();
    sandbox.run("learn data/coronary_heart.csv --edge-prior 0.5 -o p.model.json").succeeds();
    let model: Value = serde_json::from_str(&sandbox.read("p.model.json")).unwrap();
    assert_eq!(model["learned"]["edge_prior"], json!("0.5"));
    sandbox.run("check p.model.json data/coronary_heart.csv").succeeds().says(&["The referee agrees"]);
    sandbox.run("score p.model.json data/coronary_heart.csv").succeeds().says(&["edge prior 0.5)"]);
    let by = |prior: &str| {
        sandbox.json(&format!("score p.model.json data/coronary_heart.csv --edge-prior {prior}"))["log_prior"]
            .as_f64()
            .unwrap()
    };
    let edges = model["edges"].as_array().unwrap().len() as f64;
    assert!((by("uniform") - by("0.5") - edges * libm::log(6.0)).abs() < 1e-9);
    sandbox
        .run("learn data/coronary_heart.csv --edge-prior -1")
        .refused(2, &["--edge-prior", "-1", "uniform, or a number from 0 to 1000"]);
}

#[test]
fn edges_of_a_decomposable_graph_come_first_and_stay() {
    let sandbox = Sandbox::new();
    let learn = "learn data/car.csv --kappa eps --backbone decomposable -o b.model.json";
    let answer = sandbox.json(learn);
    let found = answer["backbone"]["edges"].as_u64().unwrap();
    assert!(found > 0 && answer["backbone"]["stop"] == json!("converged"));
    let model: Value = serde_json::from_str(&sandbox.read("b.model.json")).unwrap();
    let required = model["learned"]["knowledge"]["require"].as_array().unwrap();
    assert_eq!(required.len() as u64, found);
    let edges = model["edges"].as_array().unwrap();
    assert!(required.iter().all(|edge| edges.contains(edge)), "{required:?} {edges:?}");
    sandbox.run("check b.model.json data/car.csv").succeeds().says(&["The referee agrees"]);
    // Edges that are forbidden are none of them, and cliques keep to the bound.
    let without =
        sandbox.json("learn data/car.csv --kappa eps --backbone decomposable --forbid *-safety --no-output");
    assert!(without["backbone"]["edges"].as_u64().unwrap() < found);
    let tight =
        sandbox.json("learn data/car.csv --kappa eps --backbone decomposable --max-cells 1 --no-output");
    assert_eq!(tight["backbone"]["edges"], json!(0));
    // Held-out rows judge structures whose backbone has seen them.
    let both = "learn data/coronary_heart.csv --kappa eps,n^-0.5 --backbone decomposable --no-output";
    assert_eq!(sandbox.json(both)["backbone"]["saw_held_out_rows"], Value::Null);
    let ran = sandbox.run(&format!("{both} --select heldout --format json")).succeeds();
    assert_eq!(ran.document()["backbone"]["saw_held_out_rows"], true);
    assert!(ran.stderr.contains("its edges were found on all rows"), "{}", ran.stderr);
    sandbox.run("learn data/car.csv --backbone trees").refused(2, &["--backbone", "decomposable"]);
    sandbox.run("learn data/car.csv --backbone decomposable --components 2").refused(2, &["--backbone"]);
    sandbox.run("learn data/car.csv --backbone decomposable --model sgm").refused(2, &["--backbone"]);
}

#[test]
fn a_search_adds_edges_within_the_cells_of_the_junction_tree() {
    let sandbox = Sandbox::new();
    let learn = "learn data/congressional_voting.csv --kappa n^-0.5";
    let free = sandbox.json(&format!("{learn} --search blanket -o free.model.json"));
    let cells = |model: &str| {
        sandbox.json(&format!("query {model} --target party"))["tree"]["cells"].as_u64().unwrap()
    };
    assert_eq!(free["limited"], json!([]));
    let most = cells("free.model.json") / 2;
    let bounded = sandbox.json(&format!("{learn} --max-cells {most} -o bounded.model.json"));
    assert_eq!(bounded["search"], "blanket");
    assert_eq!(bounded["search_reason"], "a bound on the cells of the junction tree");
    assert!(!bounded["limited"].as_array().unwrap().is_empty());
    assert!(cells("bounded.model.json") <= most);
    assert!(!bounded["models"][0]["edges"].as_array().unwrap().is_empty());
    // A bound that nothing meets changes nothing.
    let wide = sandbox.json(&format!("{learn} --max-cells 1000000 -o wide.model.json"));
    assert_eq!(wide["models"], free["models"]);
    sandbox.run("check bounded.model.json data/congressional_voting.csv").succeeds();
    let text = sandbox.run(&format!("{learn} --max-cells {most} --no-output")).succeeds();
    assert!(text.stdout.contains("or --max-cells"), "{}", text.stdout);
}
