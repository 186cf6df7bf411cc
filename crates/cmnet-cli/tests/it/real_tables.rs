//! Tables as they are: holes, numbers, weights, knowledge and groups, and what is refused, from the command line.

use crate::common::Sandbox;
use serde_json::{Value, json};
use std::fmt::Write;

/// Rows of two groups and of blocks, with decimals and real weights beside them.
fn survey(holes: bool) -> String {
    let mut text = "a,b,c,income,g,pair,person,w\n".to_owned();
    for row in 0..240_u64 {
        let mixed = (row * 2_654_435_761) % 1009;
        let (g, a) = (row % 2, mixed % 2);
        let b = if mixed.is_multiple_of(7) { 1 - a } else { a };
        let c = if g == 0 { b } else { mixed / 2 % 2 };
        let hole = |every: u64, value: u64| {
            if holes && row.is_multiple_of(every) { String::new() } else { value.to_string() }
        };
        let income =
            if holes && row % 9 == 4 { String::new() } else { format!("{}.5", 100 + mixed % 97 + 50 * a) };
        let (a, b) = (hole(5, a), hole(8, b));
        let weight = 0.5 + (row % 4) as f64 / 4.0;
        let _ = writeln!(text, "{a},{b},{c},{income},{g},{},{row},{weight}", row / 2);
    }
    text
}

/// A folder with the survey, as it is and with holes.
fn surveyed() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("whole.csv", survey(false)).write("holes.csv", survey(true));
    sandbox
}

/// A header and rows as the text of a file.
fn lines(header: &str, rows: impl Iterator<Item = String>) -> String {
    let rows: Vec<String> = rows.collect();
    format!("{header}\n{}\n", rows.join("\n"))
}

#[test]
fn rows_with_holes_are_evaluated_as_they_are() {
    let sandbox = surveyed();
    let columns = "--columns a,b,c,g --kappa eps,n^-0.5";
    sandbox.run(&format!("learn whole.csv {columns} -o one.model.json")).succeeds();
    sandbox.run(&format!("learn whole.csv {columns} --components 2 -o two.model.json")).succeeds();
    sandbox
        .run("bootstrap whole.csv --columns a,b,c,g --kappa n^-0.5 --replicates 5 --ensemble all.model.json -o c.model.json")
        .succeeds();
    for model in ["one.model.json", "two.model.json", "all.model.json"] {
        let plain = sandbox.run(&format!("evaluate {model} whole.csv --on-missing error")).succeeds().stdout;
        let usual = sandbox.run(&format!("evaluate {model} whole.csv")).succeeds();
        assert_eq!((usual.stdout.as_str(), usual.stderr.as_str()), (plain.as_str(), ""), "{model}");
        let told = sandbox.run(&format!("evaluate {model} holes.csv")).succeeds();
        told.says(&["with missing values", "values missing               8.1 %", "values are missing"]);
        assert!(told.stderr.contains("assumed: missing at random"), "{}", told.stderr);
        let answer = sandbox.json(&format!("evaluate {model} holes.csv"));
        assert_eq!((&answer["rows"], &answer["pseudo_log_likelihood"]), (&json!(240), &Value::Null));
        let (share, rows) = (answer["missing_share"].as_f64().unwrap(), &answer["incomplete_rows"]);
        assert!((share - 78.0 / 960.0).abs() < 1e-12 && *rows == json!(72), "{answer}");
        let known = answer["log_likelihood"].as_f64().unwrap();
        let complete =
            sandbox.json(&format!("evaluate {model} whole.csv"))["log_likelihood"].as_f64().unwrap();
        assert!(known > complete && known < 0.0, "what is known of a row is more probable than the row");
        // Standard input is read twice where it has holes.
        let piped = sandbox.run_with(&format!("evaluate {model} - --format json"), survey(true)).succeeds();
        assert_eq!(serde_json::from_str::<Value>(&piped.stdout).unwrap(), answer);
        sandbox
            .run(&format!("evaluate {model} holes.csv --on-missing error"))
            .refused(2, &["missing values in 72 of 240 rows"]);
        sandbox
            .run(&format!("evaluate {model} holes.csv --on-missing drop"))
            .succeeds()
            .says(&["rows                         168"]);
    }
    sandbox
        .run("evaluate one.model.json holes.csv --weights w")
        .refused(2, &["--weights: rows with missing values take weights that are counts"]);
}

#[test]
fn filling_tells_what_was_missing() {
    let sandbox = surveyed();
    sandbox.run("learn whole.csv --columns a,b,c,g -o m.model.json").succeeds();
    let told = sandbox.run("impute m.model.json holes.csv -o filled.csv").succeeds();
    for says in [
        "a 20.0 %, b 12.5 %",
        "missing together, the most frequent: a (42 rows)",
        "assumed: missing at random",
    ] {
        assert!(told.stderr.contains(says), "{}", told.stderr);
    }
    let answer = sandbox.json("impute m.model.json holes.csv --draws 2 --seed 7");
    assert_eq!((&answer["format"], &answer["filled"]), (&json!("cmnet-impute/1"), &json!(78)));
    assert_eq!(answer["missing"]["columns"][0], json!({"name": "a", "missing": 48, "share": 0.2}));
    assert_eq!(answer["missing"]["patterns"][0]["columns"], json!(["a"]));
    assert_eq!(answer["tables"].as_array().unwrap().len(), 2);
    let written = sandbox.json("impute m.model.json holes.csv -o filled.csv");
    assert_eq!((&written["written"], &written["tables"]), (&json!("filled.csv"), &Value::Null));
    assert_eq!(sandbox.json("impute m.model.json whole.csv -o same.csv")["missing"], Value::Null);
}

#[test]
fn numbers_are_cut_with_real_weights_and_with_holes() {
    let sandbox = surveyed();
    let told =
        sandbox.run("learn whole.csv --drop person,pair --bins 3 --weights w -o m.model.json").succeeds();
    assert!(told.stderr.contains("income"), "{}", told.stderr);
    let model: Value = serde_json::from_str(&sandbox.read("m.model.json")).unwrap();
    assert_eq!(model["variables"][3]["cuts"].as_array().unwrap().len(), 2);
    // Equal weights cut where rows do; rows that weigh more draw the cut points to them.
    let cuts = |table: &str, flags: &str| -> Value {
        sandbox.write("t.csv", table);
        sandbox.run(&format!("learn t.csv {flags} --bins n=2 --kappa eps -o t.model.json")).succeeds();
        let model: Value = serde_json::from_str(&sandbox.read("t.model.json")).unwrap();
        model["variables"][0]["cuts"].clone()
    };
    let rows = |weight: &dyn Fn(u32) -> f64| -> String {
        let line = |n: u32| format!("{n},{},{}\n", n % 2, weight(n));
        "n,b,w\n".to_owned() + &(1..=40).map(line).collect::<String>()
    };
    assert_eq!(cuts(&rows(&|_| 1.0), "--drop w"), json!([21.0]));
    assert_eq!(cuts(&rows(&|_| 1.5), "--weights w"), json!([21.0]));
    assert_eq!(cuts(&rows(&|n| if n > 30 { 3.5 } else { 0.5 }), "--weights w"), json!([34.0]));
    sandbox
        .run("learn whole.csv --bins graph:3 --weights w")
        .refused(2, &["--bins", "frequency, width or given points", "no whole numbers"]);
    let told = sandbox.run("discretize holes.csv --bins 3 --on-missing model -o cut.csv").succeeds();
    assert!(told.stderr.contains("assumed: missing at random"), "{}", told.stderr);
    let cut = sandbox.read("cut.csv");
    assert_eq!(cut.lines().count(), 241);
    let (raw, rows) = (survey(true), cut.lines().skip(1));
    for (before, after) in raw.lines().skip(1).zip(rows) {
        for (one, other) in before.split(',').zip(after.split(',')).take(4) {
            assert_eq!(one.is_empty(), other.is_empty(), "{before} became {after}");
        }
    }
    sandbox
        .run("learn cut.csv --schema cut.schema.toml --drop person,pair,w --on-missing model --no-output")
        .succeeds();
    sandbox.run("discretize holes.csv --bins 3").refused(2, &["missing values", "--on-missing"]);
}

#[test]
fn resamples_take_the_weights_of_a_design_along() {
    let sandbox = Sandbox::new();
    // Equal weights are plain rows; a few heavy rows are not.
    let rows = |weight: &dyn Fn(u64) -> f64| -> String {
        let row = |n: u64| {
            let mixed = (n * 2_654_435_761) % 1009;
            let a = mixed % 2;
            let b = if mixed.is_multiple_of(7) { 1 - a } else { a };
            format!("{a},{b},{},{}", mixed / 2 % 2, weight(n))
        };
        lines("a,b,c,w", (0..240).map(row))
    };
    sandbox.write("equal.csv", rows(&|_| 1.25));
    sandbox.write("heavy.csv", rows(&|n| if n < 6 { 40.5 } else { 0.5 }));
    sandbox.write("whole.csv", rows(&|n| if n < 6 { 81.0 } else { 1.0 }));
    let resampled =
        |table: &str| sandbox.json(&format!("bootstrap {table} --kappa n^-0.5 --replicates 20 --seed 3"));
    let (plain, equal) = (resampled("equal.csv --drop w"), resampled("equal.csv --weights w"));
    assert_eq!((&plain["edges"], &plain["contexts"]), (&equal["edges"], &equal["contexts"]));
    let heavy = resampled("heavy.csv --weights w");
    assert_ne!(plain["edges"], heavy["edges"]);
    // Whole numbers may be weights of a design too.
    let whole = resampled("whole.csv --weights w --weights-as design");
    assert_eq!((&whole["edges"], &whole["contexts"]), (&heavy["edges"], &heavy["contexts"]));
    sandbox
        .run("bootstrap heavy.csv --weights w --kappa n^-0.5 --replicates 20 -o m.model.json --plot p.svg")
        .succeeds()
        .says(&["20 replicates"]);
    let model: Value = serde_json::from_str(&sandbox.read("m.model.json")).unwrap();
    assert_eq!(model["learned"]["weights"]["kind"], "design");
    sandbox.run("check m.model.json heavy.csv --weights w").succeeds();
    for (flags, says) in [
        ("--weights-as counts", "whole numbers: resamples draw observations"),
        ("--checkpoint c.checkpoint", "--checkpoint: not with weights"),
        ("--ensemble e.json", "--ensemble: not with weights"),
        ("--drop-rows 0.5", "--drop-rows: not with weights"),
        ("--shard 1/2 --part p.part", "--shard: not with weights"),
    ] {
        sandbox.run(&format!("bootstrap heavy.csv --weights w {flags}")).refused(2, &[says]);
    }
}

#[test]
fn a_column_of_decimals_is_an_error_with_the_flag_that_cuts_it() {
    let sandbox = surveyed();
    let refused =
        ["column 4 (\"income\")", "different numbers with decimals, not categories", "--bins 4", "--drop"];
    for command in ["learn", "cv", "bootstrap", "exact", "posterior", "learn --weights w"] {
        sandbox.run(&format!("{command} whole.csv")).refused(2, &refused);
    }
    sandbox.run("learn holes.csv --on-missing model").refused(2, &refused);
    sandbox.run("describe whole.csv").succeeds().says(&["income", "warning"]);
    sandbox.run("learn whole.csv --bins 4 --kappa eps --no-output").succeeds();
    // Whole numbers may be codes, and a schema says what is a level.
    sandbox.write("codes.csv", lines("code,b", (0..50).map(|n| format!("{n},{}", n % 2))));
    sandbox.run("learn codes.csv --kappa eps --no-output").succeeds();
    let tenths: Vec<String> = (0..30).map(|n| format!("{n}.5")).collect();
    sandbox.write("tenths.csv", lines("t,b", tenths.iter().map(|t| format!("{t},x\n{t},y"))));
    sandbox.run("learn tenths.csv --no-output").refused(2, &["30 different numbers with decimals"]);
    sandbox.write("levels.toml", format!("[levels]\nt = {tenths:?}\n"));
    sandbox.run("learn tenths.csv --schema levels.toml --kappa eps --no-output").succeeds();
}

#[test]
fn what_cannot_be_is_refused_by_the_option_at_fault() {
    let sandbox = Sandbox::new();
    sandbox.write("t.csv", survey(false));
    let learn = "learn t.csv --drop income,w --kappa eps --no-output";
    for (flags, says) in [
        ("--columns a,b,c,g,person --group g --block person", ["--block", "every block has one row"]),
        ("--columns a,b,c,g,c --group g --block c --forbid a-g", ["--group", "\"a-g\" forbids that edge"]),
        ("--columns a,b,c,g --group g --forbid g-*", ["--group", "adjacent to \"a\""]),
        ("--columns a,b,c --weights-as design", ["--weights <COLUMN>", "required"]),
        ("--columns a,b,c --require a-b --forbid a-*", ["--require", "\"a-*\" forbids"]),
    ] {
        sandbox.run(&format!("{learn} {flags}")).refused(2, &says);
    }
    sandbox
        .run("learn t.csv --columns a,b,c,g --group g --among b,c --forbid g-a --permutations 9 --no-output")
        .succeeds();
    sandbox.write("one.csv", "a,b,g\nx,y,1\ny,y,1\nx,x,2\n");
    sandbox.run("learn one.csv --group g").refused(2, &["--group", "\"2\" has one"]);
    for weight in ["inf", "nan", "-1", ""] {
        sandbox.write("w.csv", format!("a,b,w\nx,y,1.5\ny,x,{weight}\n"));
        sandbox.run("learn w.csv --weights w").refused(2, &["line 3", "column 3 (\"w\")"]);
    }
    sandbox.write("gone.csv", "a,b,c\nx,,1\ny,,2\nx,,1\n");
    sandbox.run("learn gone.csv").refused(2, &["missing"]);
    sandbox.run("learn gone.csv --on-missing model").refused(2, &["column 2 (\"b\")", "every value"]);
    sandbox.run("learn gone.csv --on-missing drop").refused(2, &["missing"]);
}

#[test]
fn the_posterior_keeps_to_what_is_known() {
    let sandbox = Sandbox::new();
    let drawn = "posterior data/coronary_heart.csv --kappa eps --sweeps 200 --warm-up 40 --chains 2";
    let known = "--require smoking-family_anamnesis --forbid strenuous_mental_work-*";
    let answer = sandbox.run(&format!("{drawn} {known} --format json"));
    let answer: Value = serde_json::from_str(&answer.stdout).unwrap();
    let edges = answer["edges"].as_array().unwrap();
    let of = |name: &str| -> Vec<&Value> {
        edges.iter().filter(|edge| edge["edge"].as_array().unwrap().contains(&json!(name))).collect()
    };
    assert!(of("strenuous_mental_work").is_empty(), "{edges:?}");
    let required = of("family_anamnesis").into_iter().find(|edge| edge["edge"][0] == "smoking").unwrap();
    assert_eq!((&required["range"], &required["bayes_factor"]), (&json!([1.0, 1.0]), &Value::Null));
    sandbox.run(&format!("{drawn} {known} --forbid smoking-*")).refused(2, &["--require", "forbids"]);
}
