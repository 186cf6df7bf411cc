//! `--order`, `--ridge`, `--select` and `--target`: what is printed, what the file keeps, what the
//! referee says.

use crate::common::Sandbox;
use serde_json::{Value, json};

fn model(sandbox: &Sandbox, name: &str) -> Value {
    serde_json::from_str(&sandbox.read(name)).unwrap()
}

#[test]
fn order_and_ridge_are_kept_and_checked() {
    let sandbox = Sandbox::new();
    for method in ["exact", "pseudo"] {
        let learn = format!(
            "learn data/coronary_heart.csv --order 2 --ridge 0.5,3 --method {method} -o o.model.json"
        );
        sandbox.run(&learn).succeeds();
        let parameters = &model(&sandbox, "o.model.json")["parameters"];
        assert_eq!((&parameters["order"], &parameters["ridge"]), (&json!(2), &json!([0.5, 3.0])));
        sandbox.run("check o.model.json data/coronary_heart.csv").succeeds().says(&["The referee agrees"]);
    }
    let fit = sandbox
        .run("fit o.model.json data/coronary_heart.csv --order 3 --ridge 2 -o f.model.json")
        .succeeds();
    fit.says(&["of at most 3 variables", "ridge            of strength 2"]);
    sandbox.run("check f.model.json data/coronary_heart.csv").succeeds().says(&["The referee agrees"]);
    // Without the ridge the gradient does not vanish.
    let mut wrong = model(&sandbox, "f.model.json");
    wrong["parameters"].as_object_mut().unwrap().remove("ridge");
    sandbox.write("wrong.model.json", wrong.to_string());
    sandbox.run("check wrong.model.json data/coronary_heart.csv").ends_with(1).says(&["DISAGREES"]);
    sandbox
        .run("fit o.model.json data/coronary_heart.csv --order 1")
        .refused(2, &["--order", "full, or a number of variables from 2 on"]);
    sandbox
        .run("fit o.model.json data/coronary_heart.csv --ridge weak")
        .refused(2, &["--ridge", "a strength from 0 to 1e9"]);
}

#[test]
fn held_out_rows_choose_the_same_for_the_same_seed() {
    let sandbox = Sandbox::new();
    let learn = |more: &str| {
        sandbox.json(&format!("learn data/economic_activity.csv --kappa eps,n^-0.5 --no-output {more}"))
    };
    let one = learn("--select heldout --seed 5");
    assert_eq!(one["criterion"], json!("heldout"));
    assert_eq!(one["by_rows"]["kappas"].as_array().unwrap().len(), 2);
    assert_eq!(one, learn("--select heldout --seed 5"));
    assert_ne!(one["by_rows"], learn("--select heldout --seed 6")["by_rows"]);
    let tuned =
        sandbox.run("learn data/coronary_heart.csv --kappa eps --order auto --ridge auto -o t.model.json");
    tuned.succeeds().says(&["by held-out rows"]);
    sandbox.run("check t.model.json data/coronary_heart.csv").succeeds().says(&["The referee agrees"]);
    sandbox.run("learn data/coronary_heart.csv --seed 3 --no-output").refused(2, &["--seed"]);
}

/// A time limit that the folds use up: nothing was chosen by them, and the answer says what chose instead.
#[test]
fn folds_that_are_not_finished_are_told() {
    let sandbox = Sandbox::new();
    for (select, of) in [("heldout", 1), ("cv", 5)] {
        let learn = format!("learn data/economic_activity.csv --select {select} --time-limit 0s --no-output");
        let told = format!("held-out rows did not choose the kappa: 0 of {of} folds were finished");
        let instead = "BIC chose among the structures found on all rows";
        sandbox.run(&learn).ends_with(3).says(&[&told, instead, "chosen by BIC"]);
        let answer = sandbox.run(&format!("{learn} --format json")).ends_with(3).document();
        assert_eq!(answer["by_rows"], json!({"cut": {"finished": 0, "of": of}}));
        assert_eq!(answer["criterion"], json!("bic"));
    }
    let whole = "learn data/coronary_heart.csv --kappa eps,n^-0.5 --select cv --no-output";
    assert_eq!(sandbox.json(whole)["by_rows"]["cut"], Value::Null);
}

#[test]
fn a_target_is_kept_and_checked() {
    let sandbox = Sandbox::new();
    let learn = "learn data/congressional_voting.csv --kappa eps --target party --ridge 1 -o c.model.json";
    let answer = sandbox.json(learn);
    let target = &answer["by_rows"]["target"];
    assert_eq!(target["variable"], json!("party"));
    let kept = model(&sandbox, "c.model.json");
    if target["connected"] == json!(true) {
        assert_eq!(kept["parameters"]["target"], json!("party"));
        let edges = kept["edges"].as_array().unwrap();
        let own = edges.iter().filter(|edge| edge.as_array().unwrap().contains(&json!("party"))).count();
        assert_eq!(own, kept["variables"].as_array().unwrap().len() - 1);
    }
    sandbox.run("predict c.model.json data/congressional_voting.csv --target party").succeeds();
    sandbox.run(&learn.replace("party", "parti")).refused(2, &["parti", "party"]);
}

#[test]
fn held_out_rows_choose_nothing_where_none_are_held_out() {
    let sandbox = Sandbox::with_model();
    sandbox.write("w.csv", "a,b,w\n".to_owned() + &"0,0,1.5\n1,1,0.5\n1,0,1.25\n0,1,2\n".repeat(9));
    sandbox.run("learn w.csv --weights w -o w.json").succeeds();
    for option in ["--order", "--ridge"] {
        for (command, why) in [
            ("fit w.json w.csv --weights w", "no whole numbers"),
            (
                "fit m.model.json data/coronary_heart.csv --on-missing model",
                "missing values are not held out",
            ),
            ("exact data/coronary_heart.csv --columns smoking,lipoprotein_ratio", "none is held out"),
        ] {
            sandbox.run(&format!("{command} {option} auto")).refused(2, &[option, "\"auto\"", why]);
        }
    }
}

#[test]
fn what_is_proven_is_fitted_to_its_table() {
    let sandbox = Sandbox::new();
    let read = "data/coronary_heart.csv --columns smoking,strenuous_mental_work,strenuous_physical_work";
    sandbox.run(&format!("exact {read} -o best.json")).succeeds();
    assert!(model(&sandbox, "best.json")["parameters"]["digest"].is_string());
    let checked = sandbox.run(&format!("check best.json {read}")).succeeds();
    assert!(!checked.stdout.contains("not the table"), "{}", checked.stdout);
}
