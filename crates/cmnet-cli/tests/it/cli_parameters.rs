//! Parameters in files: what the loader refuses, and what the referee finds out.

use crate::common::Sandbox;
use serde_json::{Value, json};

#[test]
fn parameters_are_held_against_their_own_table_only() {
    let sandbox = Sandbox::new();
    let learn = "learn data/coronary_heart.csv --model sgm -o m.json";
    sandbox.run(learn).succeeds();
    sandbox.run("check m.json data/coronary_heart.csv --kappa 0.5").succeeds().says(&["recorded -6"]);
    // As many rows, other ones.
    let table = std::fs::read_to_string(sandbox.path("data/coronary_heart.csv")).unwrap();
    let mut lines: Vec<&str> = table.lines().collect();
    lines[1..].sort_unstable();
    let (first, last) = (lines[1], lines.len() - 1);
    lines[last] = first;
    sandbox.write("other.csv", &(lines.join("\n") + "\n"));
    sandbox.run("check m.json other.csv --kappa 0.5").succeeds().says(&["not examined"]);
    // Fitted to another table than it was learned from: held against that one.
    sandbox.run("learn data/coronary_heart.csv -o l.json").succeeds();
    sandbox.run("fit l.json other.csv -o f.json").succeeds();
    let check = sandbox.run("check f.json other.csv").succeeds();
    assert!(!check.stdout.contains("gradient per row        not examined"), "{}", check.stdout);
    sandbox
        .run("check f.json data/coronary_heart.csv")
        .succeeds()
        .says(&["gradient per row        not examined"]);
}

#[test]
fn a_partition_function_that_is_not_that_of_the_terms_is_refused() {
    let sandbox = Sandbox::with_model();
    let mut model: Value = serde_json::from_str(&sandbox.read("m.model.json")).unwrap();
    let (right, first) =
        (model["parameters"]["log_partition"].clone(), model["parameters"]["terms"][0]["phi"].clone());
    model["parameters"]["log_partition"] = 0.0.into();
    sandbox.write("z.json", model.to_string());
    model["parameters"]["log_partition"] = right;
    model["parameters"]["terms"][0]["phi"] = (first.as_f64().unwrap() + 1.0).into();
    sandbox.write("phi.json", model.to_string());
    model["parameters"]["terms"][0]["phi"] = 1e308.into();
    sandbox.write("huge.json", model.to_string());
    for file in ["z.json", "phi.json", "huge.json"] {
        let says = [file, "parameters.log_partition", "is not the log partition function"];
        sandbox.run(&format!("evaluate {file} data/coronary_heart.csv")).refused(2, &says);
    }
}

/// The loader knows what a fit of this structure can say about itself.
#[test]
fn records_that_contradict_the_structure_or_themselves_are_refused() {
    let sandbox = Sandbox::with_model();
    let whole: Value = serde_json::from_str(&sandbox.read("m.model.json")).unwrap();
    let edits = [
        ("free_parameters", json!(3), "3 is not the number of free parameters; that is 10"),
        ("pseudo_log_likelihood", json!(-7.0), "belongs to estimates by pseudo-likelihood"),
        ("gradient", json!(-5.0), "0 or more"),
        ("rows", json!(0), "must be counts"),
        ("boundary", json!([{"smoking": "no"}]), "is that of estimates with boundary terms"),
        ("status", json!("boundary"), "is that of estimates with boundary terms"),
    ];
    for (field, value, says) in edits {
        let mut model = whole.clone();
        model["parameters"][field] = value;
        sandbox.write("bad.json", model.to_string());
        sandbox.run("evaluate bad.json data/coronary_heart.csv").refused(2, &["bad.json", says]);
    }
    for (term, says) in [
        (json!({"smoking": "no"}), "the graph has no such term"),
        (json!({"smokin": "no"}), "there is no variable"),
    ] {
        let mut model = whole.clone();
        model["parameters"]["status"] = json!("boundary");
        model["parameters"]["boundary"] = json!([term]);
        sandbox.write("bad.json", model.to_string());
        sandbox.run("evaluate bad.json data/coronary_heart.csv").refused(2, &["bad.json", says]);
    }
    sandbox.run("fit m.model.json data/coronary_heart.csv --method pseudo -o p.json").succeeds();
    let mut pseudo: Value = serde_json::from_str(&sandbox.read("p.json")).unwrap();
    pseudo["parameters"]["pseudo_log_likelihood"] = Value::Null;
    sandbox.write("bad.json", pseudo.to_string());
    sandbox.run("evaluate bad.json data/coronary_heart.csv").refused(2, &["pseudo_log_likelihood"]);
}

/// Whole files, but of another table's optimum: only computing tells. By likelihood and by
/// pseudo-likelihood, with and without smoothing.
#[test]
fn the_referee_finds_parameters_that_are_no_optimum() {
    let sandbox = Sandbox::with_model();
    let table = std::fs::read_to_string(sandbox.path("data/coronary_heart.csv")).unwrap();
    let fewer: Vec<&str> =
        table.lines().enumerate().filter(|(row, _)| row % 40 != 7).map(|(_, line)| line).collect();
    sandbox.write("fewer.csv", fewer.join("\n") + "\n");
    for options in ["", "--smoothing 0", "--smoothing 50", "--method pseudo", "--method pseudo --smoothing 0"]
    {
        let check = "check f.json data/coronary_heart.csv --skip-optimality";
        sandbox.run(&format!("fit m.model.json data/coronary_heart.csv {options} -o f.json")).succeeds();
        sandbox.run(check).succeeds().says(&["The referee agrees.\n"]);
        let right: Value = serde_json::from_str(&sandbox.read("f.json")).unwrap();
        sandbox.run(&format!("fit m.model.json fewer.csv {options} -o f.json")).succeeds();
        let mut wrong: Value = serde_json::from_str(&sandbox.read("f.json")).unwrap();
        for field in ["digest", "rows", "log_likelihood", "pseudo_log_likelihood"] {
            wrong["parameters"][field] = right["parameters"][field].clone();
        }
        sandbox.write("f.json", wrong.to_string());
        let ran = sandbox.run(check).ends_with(1);
        ran.says(&["The referee DISAGREES"]);
        let found = sandbox.run(&format!("{check} --format json")).ends_with(1).document();
        let parameters = &found["parameters"];
        assert!(parameters["gradient"].as_f64().unwrap() > 1e-6, "{options}: {parameters}");
        // The right values with an invented likelihood, or another number of rows.
        for (field, value) in [("rows", json!(1840)), ("likelihood", json!(-6000.0))] {
            let mut lie = right.clone();
            let likelihood =
                if options.contains("pseudo") { "pseudo_log_likelihood" } else { "log_likelihood" };
            lie["parameters"][if field == "rows" { field } else { likelihood }] = value;
            sandbox.write("f.json", lie.to_string());
            sandbox.run(check).ends_with(1).says(&["The referee DISAGREES"]);
        }
    }
    // Without a digest nothing can be held against the table, and it says so.
    let mut model: Value = serde_json::from_str(&sandbox.read("m.model.json")).unwrap();
    model["parameters"].as_object_mut().unwrap().remove("digest");
    sandbox.write("f.json", model.to_string());
    let says = ["Not examined: gradient and likelihood", "The referee agrees with what it examined."];
    sandbox.run("check f.json data/coronary_heart.csv --skip-optimality").succeeds().says(&says);
}

/// Zero margins: what is recorded of them is examined too.
#[test]
fn the_referee_tells_a_finite_estimate_from_one_at_infinity() {
    let sandbox = Sandbox::new();
    sandbox.write("t.csv", "a,b\n0,0\n0,1\n1,1\n1,1\n0,0\n");
    sandbox.run("learn t.csv --kappa eps -o m.json").succeeds();
    let mut model: Value = serde_json::from_str(&sandbox.read("m.json")).unwrap();
    model["edges"] = json!([["a", "b"]]);
    model.as_object_mut().unwrap().remove("parameters");
    model.as_object_mut().unwrap().remove("learned");
    sandbox.write("m.json", model.to_string());
    let fitted = sandbox.json("fit m.json t.csv --smoothing 0 -o f.json");
    assert_eq!((&fitted["status"], &fitted["smoothing"]), (&json!("boundary"), &json!(5e-7)));
    sandbox.run("fit m.json t.csv --smoothing 0").succeeds().says(&["They end where pseudo-counts of 5e-7"]);
    sandbox.run("check f.json t.csv --kappa eps").succeeds().says(&["The referee agrees.\n"]);
    let mut model: Value = serde_json::from_str(&sandbox.read("f.json")).unwrap();
    model["parameters"]["boundary"] = json!([]);
    model["parameters"]["status"] = json!("converged");
    sandbox.write("f.json", model.to_string());
    let says = ["lies at infinity, which is not recorded", "The referee DISAGREES"];
    sandbox.run("check f.json t.csv --kappa eps").ends_with(1).says(&says);
    // A smoothing that is not the one in the terms.
    model["parameters"]["smoothing"] = json!(0.0);
    sandbox.write("f.json", model.to_string());
    sandbox.run("check f.json t.csv --kappa eps").ends_with(1).says(&["The referee DISAGREES"]);
}

/// Ten million rows: the sum of rounding must not be taken for a lie.
#[test]
fn large_counts_are_checked_by_their_share() {
    let sandbox = Sandbox::new();
    let cells = ["0,0,0,10000000", "1,1,0,5", "0,1,0,7", "0,1,1,3", "1,1,1,3333333"];
    sandbox.write("b.csv", format!("a,b,c,w\n{}\n", cells.join("\n")));
    sandbox.run("learn b.csv --weights w -o m.json").succeeds();
    sandbox.run("check m.json b.csv --weights w").succeeds().says(&["The referee agrees.\n"]);
}

#[test]
fn smoothing_that_is_no_number_of_rows_is_refused() {
    let sandbox = Sandbox::new();
    for smoothing in ["-1", "nan", "inf", "1e-320", "1e300"] {
        let says = ["--smoothing", "0, or a sum of pseudo-counts between 1e-12 and 1e12"];
        sandbox.run(&format!("cv data/car.csv --folds 3 --smoothing={smoothing}")).refused(2, &says);
    }
    sandbox.run("cv data/coronary_heart.csv --folds 2 --smoothing 1e-12 --kappa eps").succeeds();
}

/// Rows of blankets that were never seen have a probability, too.
#[test]
fn held_out_rows_are_possible_after_a_fit_by_pseudo_likelihood() {
    let sandbox = Sandbox::new();
    sandbox.write("few.csv", "a,b,c\n0,0,0\n1,1,1\n0,1,2\n0,0,0\n2,2,2\n1,0,1\n");
    let cells = (0..27).map(|cell| format!("{},{},{}\n", cell / 9, cell / 3 % 3, cell % 3));
    sandbox.write("all.csv", "a,b,c\n".to_owned() + &cells.collect::<String>());
    let variables = ["a", "b", "c"].map(|name| json!({"name": name, "levels": ["0", "1", "2"]}));
    let model = json!({"format": "cmnet-model/1", "variables": variables,
        "edges": [["a", "b"], ["a", "c"], ["b", "c"]], "contexts": []});
    sandbox.write("m.json", model.to_string());
    sandbox.run("fit m.json few.csv --method pseudo -o f.json").succeeds();
    let found = sandbox.json("evaluate f.json all.csv");
    for field in ["log_likelihood", "pseudo_log_likelihood"] {
        assert!(found[field].as_f64().unwrap() > -20.0, "{found}");
    }
}
