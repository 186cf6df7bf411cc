//! What holds for any input: same bytes however the table comes in and whatever the number of
//! threads, exit codes, limits, interruption, pipes, help.

use crate::common::{Ran, Sandbox};
use serde_json::json;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

const COMMANDS: [&str; 10] =
    ["describe", "learn", "score", "check", "fit", "evaluate", "cv", "compare", "draw", "experiment"];

#[test]
fn help_has_an_example_for_every_command() {
    let sandbox = Sandbox::new();
    let general = sandbox.run("--help").succeeds();
    general.says(&COMMANDS);
    general.says(&["Exit codes: 0 done", "130 interrupted"]);
    for command in COMMANDS {
        let ran = sandbox.run(&format!("{command} --help")).succeeds();
        ran.says(&["Example", &format!("cmnet {command} "), "--format"]);
    }
    sandbox.run("--version").succeeds().says(&[&format!("cmnet {}", env!("CARGO_PKG_VERSION"))]);
}

/// The model file that learning from a table leaves.
fn model(sandbox: &Sandbox, arguments: &str) -> String {
    sandbox.run(&format!("learn {arguments} -o out.model.json")).succeeds();
    sandbox.read("out.model.json")
}

#[test]
fn the_way_a_table_comes_in_does_not_matter() {
    let sandbox = Sandbox::new();
    let expected = model(&sandbox, "data/coronary_heart.csv");
    let table = std::fs::read_to_string(sandbox.path("data/coronary_heart.csv")).unwrap();
    sandbox.run_with("learn - -o stdin.model.json", table.clone()).succeeds();
    assert_eq!(sandbox.read("stdin.model.json"), expected, "standard input");
    sandbox.write("t.csv.gz", gzip(table.as_bytes()));
    assert_eq!(model(&sandbox, "t.csv.gz"), expected, "gzip");
    sandbox.write("t.tsv", table.replace(',', "\t"));
    assert_eq!(model(&sandbox, "t.tsv"), expected, "tabs");
    sandbox.write("bom.csv", format!("\u{feff}{}", table.replace('\n', "\r\n")));
    assert_eq!(model(&sandbox, "bom.csv"), expected, "byte order mark and carriage returns");
    let (header, rows) = table.split_once('\n').unwrap();
    let mut shuffled: Vec<&str> = rows.lines().collect();
    shuffled.sort_unstable_by_key(|row| row.bytes().rev().collect::<Vec<_>>());
    sandbox.write("shuffled.csv", format!("{header}\n{}\n", shuffled.join("\n")));
    assert_eq!(model(&sandbox, "shuffled.csv"), expected, "row order");
}

#[test]
fn weights_are_duplicated_rows() {
    let sandbox = Sandbox::new();
    let table = std::fs::read_to_string(sandbox.path("data/coronary_heart.csv")).unwrap();
    let (header, rows) = table.split_once('\n').unwrap();
    let mut counts = std::collections::BTreeMap::<&str, u32>::new();
    rows.lines().for_each(|row| *counts.entry(row).or_default() += 1);
    let cells: Vec<String> = counts.iter().map(|(row, count)| format!("{count},{row}\n")).collect();
    sandbox.write("cells.csv", format!("count,{header}\n{}", cells.concat()));
    assert_eq!(model(&sandbox, "cells.csv --weights count"), model(&sandbox, "data/coronary_heart.csv"));
}

#[test]
fn threads_do_not_matter() {
    let sandbox = Sandbox::new();
    let learn = |threads: u32| {
        let ran = sandbox.run(&format!(
            "learn data/economic_activity.csv -o out.model.json --format json --threads {threads}"
        ));
        (ran.succeeds().stdout, sandbox.read("out.model.json"))
    };
    let one = learn(1);
    assert_eq!(one, learn(2));
    assert_eq!(one, learn(8));
}

#[test]
fn columns_and_missing_values_are_chosen() {
    let sandbox = Sandbox::new();
    let kept = sandbox.json("describe data/car.csv --columns safety,buying");
    assert_eq!(kept["variables"][0]["name"], "buying", "in the order of the file");
    let dropped = sandbox.json("describe data/car.csv --drop doors,lug_boot");
    assert_eq!(dropped["variables"].as_array().unwrap().len(), 5);
    sandbox.write("m.csv", "a;b\nx;1\n-;2\nx;NA\ny;10\n");
    let answer = sandbox.json("describe m.csv --missing -,NA --on-missing drop");
    assert_eq!((&answer["rows"], &answer["dropped_rows"]), (&json!(2), &json!(2)));
    assert_eq!(answer["variables"][1]["missing"], 1);
    let headless = sandbox.json("describe m.csv --no-header --missing none");
    assert_eq!((&headless["variables"][0]["name"], &headless["rows"]), (&json!("X1"), &json!(5)));
}

#[test]
fn a_schema_sets_the_order_of_levels() {
    let sandbox = Sandbox::new();
    sandbox.write("s.toml", "[levels]\nsmoking = [\"yes\", \"no\", \"unknown\"]\n");
    let answer = sandbox.json("describe data/coronary_heart.csv --schema s.toml");
    let levels = &answer["variables"][0]["levels"];
    assert_eq!((&levels[0]["label"], &levels[2]), (&json!("yes"), &json!({"label": "unknown", "count": 0})));
}

#[test]
fn a_constant_column_is_a_warning_beside_the_answer() {
    let sandbox = Sandbox::new();
    sandbox.write("c.csv", "a,b\nx,1\nx,2\nx,1\n");
    let ran = sandbox.run("learn c.csv --format json").succeeds();
    assert_eq!(ran.document()["format"], "cmnet-learn/1");
    assert!(ran.stderr.contains("warning: column \"a\" is constant"), "{}", ran.stderr);
}

#[test]
fn json_answers_stand_alone_on_standard_output() {
    let sandbox = Sandbox::with_model();
    let table = "data/coronary_heart.csv";
    for arguments in [
        format!("describe {table}"),
        format!("learn {table} -o a.json"),
        format!("score m.model.json {table}"),
        format!("check m.model.json {table}"),
        format!("fit m.model.json {table} -o b.json"),
        format!("evaluate m.model.json {table}"),
        format!("cv {table} --folds 2"),
        "compare m.model.json m.model.json".to_owned(),
        "draw m.model.json".to_owned(),
    ] {
        let answer = sandbox.json(&arguments);
        let command = arguments.split(' ').next().unwrap();
        assert_eq!(answer["format"], format!("cmnet-{command}/1"));
    }
}

#[test]
fn a_time_limit_ends_with_3_and_keeps_what_was_found() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run("learn data/coronary_heart.csv --time-limit 0s -o m.json").ends_with(3);
    ran.says(&["the search was ended early (time-limit)", "wrote m.json"]);
    sandbox.run("score m.json data/coronary_heart.csv").succeeds();
    let ran = sandbox.run("learn data/coronary_heart.csv --time-limit 0s --format json").ends_with(3);
    assert_eq!(ran.document()["stop"], "time-limit");
    sandbox.run("learn data/coronary_heart.csv --time-limit 10m --no-output").succeeds();
}

#[test]
fn a_checkpoint_leads_to_the_same_model() {
    let sandbox = Sandbox::new();
    let table = "data/economic_activity.csv";
    sandbox.run(&format!("learn {table} -o straight.json")).succeeds();
    let with = "--checkpoint c --checkpoint-interval 0s";
    sandbox.run(&format!("learn {table} {with} --time-limit 0s -o part.json")).ends_with(3);
    sandbox.run(&format!("learn {table} {with} --resume -o resumed.json")).succeeds();
    assert_eq!(sandbox.read("resumed.json"), sandbox.read("straight.json"));
    // A finished run is found finished, and another one is not taken for it.
    sandbox.run(&format!("learn {table} {with} --resume -o again.json")).succeeds();
    assert_eq!(sandbox.read("again.json"), sandbox.read("straight.json"));
    sandbox.run(&format!("learn {table} --no-output --checkpoint c --resume --alpha 1")).refused(2, &["c"]);
    sandbox.run("learn data/car.csv --no-output --checkpoint c --resume").refused(2, &["c"]);
    sandbox.run(&format!("learn {table} --no-output --resume")).refused(2, &["--resume needs --checkpoint"]);
    sandbox.write("c", "{").write("c.previous", "{");
    sandbox.run(&format!("learn {table} --no-output --checkpoint c --resume")).refused(2, &["c"]);
}

/// Enough for Algorithm 1 to take a while.
const COLUMNS: usize = 800;

/// A table on which Algorithm 1 takes many seconds: a random walk of binary columns.
fn large_table() -> String {
    let mut state = 7_u64;
    let mut bit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 61 == 0
    };
    let names: Vec<String> = (0..COLUMNS).map(|column| format!("v{column}")).collect();
    let mut table = names.join(",") + "\n";
    for _ in 0..3_000 {
        let mut value = bit();
        let row: Vec<&str> = (0..COLUMNS)
            .map(|_| {
                value ^= bit();
                if value { "1" } else { "0" }
            })
            .collect();
        table += &(row.join(",") + "\n");
    }
    table
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_with_130_and_a_saved_model() {
    let sandbox = Sandbox::new();
    sandbox.write("large.csv", large_table());
    let child = Command::new(env!("CARGO_BIN_EXE_cmnet"))
        .args(["learn", "large.csv", "--search", "paper", "-o", "m.json"])
        .current_dir(sandbox.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let ran = Ran::of("learn large.csv", &child.wait_with_output().unwrap()).ends_with(130);
    assert!(ran.stderr.contains("what was found so far is kept"), "{}", ran.stderr);
    ran.says(&["the search was ended early (interrupted)", "wrote m.json and m.svg"]);
    sandbox.run("score m.json large.csv --kappa eps").succeeds();
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let sandbox = Sandbox::with_model();
    for arguments in ["draw m.model.json", "learn data/coronary_heart.csv --format json", "--help"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_cmnet"))
            .args(arguments.split(' '))
            .current_dir(sandbox.path(""))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!((child.wait().unwrap().code(), said.as_str()), (Some(0), ""), "{arguments}");
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
