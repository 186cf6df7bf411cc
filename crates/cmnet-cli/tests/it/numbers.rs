//! Columns of numbers, several files and groups, from the command line.

use crate::common::{Ran, Sandbox, has_fields};
use serde_json::{Value, json};
use std::fmt::Write;

/// Ages, of which those from 70 on are often ill, and a category beside them.
fn ages() -> String {
    let mut text = "age,ill,sex\n".to_owned();
    for row in 0..600_u64 {
        let mixed = (row * 2_654_435_761) % 1009;
        let age = 20 + mixed % 70;
        let ill = if age >= 70 { mixed % 5 != 0 } else { mixed % 11 == 0 };
        let _ = writeln!(
            text,
            "{age},{},{}",
            if ill { "yes" } else { "no" },
            if row % 2 == 0 { "f" } else { "m" }
        );
    }
    text
}

#[test]
fn a_model_of_cut_numbers_takes_numbers() {
    let sandbox = Sandbox::new();
    sandbox.write("ages.csv", ages());
    let learned = sandbox.json("learn ages.csv --bins graph:2 -o m.model.json");
    let age = &learned["data"]["variables"][0];
    assert_eq!(age["cuts"], json!([70.0]), "{age}");
    assert_eq!(age["levels"], json!(["<70", ">=70"]));
    let model: Value = serde_json::from_str(&sandbox.read("m.model.json")).unwrap();
    assert_eq!(model["variables"][0]["cuts"], json!([70.0]));
    let by_number = sandbox.json("query m.model.json --given age=81.5 --target ill");
    let by_label = sandbox.json("query m.model.json --given age=>=70 --target ill");
    assert_eq!(by_number["marginals"], by_label["marginals"]);
    assert!(by_number["marginals"]["ill"]["yes"].as_f64().unwrap() > 0.6);
    sandbox.run("evaluate m.model.json ages.csv").succeeds().says(&["rows                         600"]);
    sandbox.run("predict m.model.json ages.csv --target ill").succeeds();
    sandbox.run("check m.model.json ages.csv").succeeds().says(&["The referee agrees"]);
}

#[test]
fn a_cut_table_and_its_schema_say_the_same() {
    let sandbox = Sandbox::new();
    sandbox.write("ages.csv", ages());
    let answer = sandbox.json("discretize ages.csv -o cut.csv --bins age=at:40,70");
    has_fields(
        &answer,
        "rows columns[].name columns[].rule columns[].numbers columns[].cuts columns[].levels[].count",
    );
    assert_eq!(answer["written"], json!(["cut.csv", "cut.schema.toml"]));
    assert!(
        sandbox.read("cut.csv").starts_with("age,ill,sex\n<40,yes,f\n40..70,no,m\n"),
        "{}",
        sandbox.read("cut.csv")
    );
    let digest = |arguments: &str| sandbox.json(arguments)["data"]["digest"].clone();
    let raw = digest("learn ages.csv --schema cut.schema.toml");
    assert_eq!(raw, digest("learn cut.csv"));
    assert_eq!(raw, digest("learn ages.csv --bins age=at:40,70"));
    let from_pipe = sandbox.run_with("discretize - --bins 3 --format json", ages()).json();
    assert_eq!(from_pipe["columns"][0]["levels"].as_array().unwrap().len(), 3);
}

#[test]
fn what_cannot_be_cut_is_refused_with_its_place() {
    let sandbox = Sandbox::new();
    sandbox.write("ages.csv", ages()).write("bad.csv", "age,ill\n1,no\n2,yes\nold,no\ninf,no\n");
    for (rule, says) in [
        ("1", "whole number from 2 to 1000"),
        ("age=at:70,40", "cut points that ascend; 70 is followed by 40"),
        ("age=at:nan", "NaN is not"),
        ("agee=3", "did you mean \"age\"?"),
        ("sex=2", "line 2, column 3 (\"sex\"): the value \"f\" is no finite number"),
        ("quick:3", "frequency:4"),
    ] {
        sandbox.run(&format!("learn ages.csv --no-output --bins {rule}")).refused(2, &[says]);
    }
    sandbox
        .run("describe bad.csv --bins age=2")
        .refused(2, &["line 4, column 1 (\"age\"): the value \"old\""]);
    sandbox.run("describe bad.csv --bins age=2 --missing old --on-missing drop").refused(2, &["\"inf\""]);
    for (points, says) in [
        ("[70, 40]", "expected cut points that ascend; 70 is followed by 40"),
        ("[nan]", "finite numbers; NaN is not"),
        ("[]", "expected 1 to 1000 cut points"),
    ] {
        sandbox.write("points.toml", format!("[cuts]\nage = {points}\n"));
        let ran = sandbox.run("describe ages.csv --schema points.toml");
        ran.refused(2, &["points.toml, line 2, column \"age\"", says, "such as: age = [18, 40, 65]"]);
    }
    let described = sandbox.run("describe ages.csv").succeeds();
    described.says(&["looks like a measurement: cut its numbers into classes: --bins 4"]);
}

#[test]
fn several_files_are_one_table() {
    let sandbox = Sandbox::new();
    let text = ages();
    let lines: Vec<&str> = text.lines().collect();
    let part = |rows: &[&str]| format!("{}\n{}\n", lines[0], rows.join("\n"));
    sandbox.write("all.csv", &text);
    sandbox.write("part-1.csv", part(&lines[1..200])).write("part-2.csv", part(&lines[200..]));
    let digest = |data: &str| sandbox.json(&format!("learn {data} --bins 3"))["data"]["digest"].clone();
    assert_eq!(digest("part-*.csv"), digest("all.csv"));
    sandbox.write("part-3.csv", "age,sex\n3,f\n");
    sandbox.run("describe part-*.csv").refused(2, &["part-3.csv", "not those of part-1.csv"]);
    sandbox.run("describe none-*.csv").refused(2, &["there is no such file"]);
}

/// Rows of two groups; a and b go together in the first alone.
fn groups() -> String {
    let mut text = "a,b,c,g,pair\n".to_owned();
    for row in 0..400_u64 {
        let draw = |of: u64| cmnet::mix_seed(row * 10 + of) % 16;
        let first = row % 2 == 0;
        let a = draw(1) < 8;
        let b = if first && draw(2) < 14 { a } else { draw(3) < 8 };
        let c = if draw(4) < 8 { a } else { draw(5) < 8 };
        let [a, b, c] = [a, b, c].map(u8::from);
        let _ = writeln!(text, "{a},{b},{c},{},{}", if first { "x" } else { "y" }, row / 2);
    }
    text
}

#[test]
fn groups_are_compared_pair_by_pair() {
    let sandbox = Sandbox::new();
    sandbox.write("groups.csv", groups());
    let learn = "learn groups.csv --drop pair --group g --permutations 199 --seed 3";
    let answer = sandbox.json(learn);
    let found = &answer["groups"];
    has_fields(
        found,
        "group levels[].rows permutations pairs[].groups[].information pairs[].groups[].vanishes",
    );
    let differs = |pairs: &Value| -> Vec<Value> {
        pairs.as_array().unwrap().iter().map(|pair| pair["differs"].clone()).collect()
    };
    assert_eq!(found["pairs"][0]["pair"], json!(["a", "b"]));
    assert_eq!(differs(&found["pairs"]), [json!(true), json!(false), json!(false)], "{found:#}");
    let edges = answer["models"][0]["edges"].as_array().unwrap();
    assert_eq!(edges.iter().filter(|edge| edge[1] == "g").count(), 3, "{edges:?}");
    assert_eq!(sandbox.json(&format!("{learn} --threads 1"))["groups"], *found);
    sandbox
        .run(&format!("{learn} -o g.model.json"))
        .succeeds()
        .says(&["Groups of g: x (200 rows), y (200 rows)", "* a - b"]);
    assert_eq!(sandbox.read("g.groups.svg").matches("<svg ").count(), 3);
    let compare = "compare --groups groups.csv --drop pair --group g --permutations 199 --seed 3";
    let mut alone = sandbox.run(&format!("{compare} --format json")).json();
    assert_eq!(alone.as_object_mut().unwrap().remove("format"), Some(json!("cmnet-groups/1")));
    alone.as_object_mut().unwrap().remove("program");
    assert_eq!(alone, *found);
    sandbox.run(&format!("{compare} -o c.svg")).succeeds().says(&["Groups of g", "* a - b"]);
    assert_eq!(sandbox.read("c.svg"), sandbox.read("g.groups.svg"));
    sandbox.run("compare --groups groups.csv").refused(2, &["--group"]);
    sandbox.run("compare g.model.json").refused(2, &["MODEL"]);
    sandbox
        .run("compare g.model.json g.model.json --groups groups.csv --group g")
        .refused(2, &["cannot be used"]);
    let paired = sandbox.json("learn groups.csv --group g --block pair --permutations 99");
    assert_eq!(paired["groups"]["block"], "pair");
    assert_eq!(paired["data"]["variables"].as_array().unwrap().len(), 4);
}

#[test]
fn groups_that_cannot_be_compared_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("one.csv", "a,b,g\n0,1,x\n1,0,x\n1,1,y\n").write("constant.csv", "a,b,g\n0,1,x\n1,0,x\n");
    sandbox.write("two.csv", "a,b,g\n0,1,x\n1,0,x\n1,1,y\n0,0,y\n");
    for (arguments, says) in [
        ("one.csv --group g", "groups of at least two rows; \"y\" has one"),
        ("constant.csv --group g", "at least two levels that occur"),
        ("one.csv --group h", "there is no variable \"h\""),
        ("one.csv --group g --block g", "another column"),
        ("one.csv --group g --permutations 0", "1 or more"),
        ("two.csv --group g --among g", "other columns than that of the groups"),
    ] {
        sandbox.run(&format!("learn {arguments} --no-output --kappa eps")).refused(2, &[says]);
    }
    let many = "learn two.csv --group g --permutations 99999999999 --no-output --kappa eps";
    sandbox.run(many).refused(3, &["permutations", "ask for fewer permutations"]);
}

/// Persons who were seen twice, in 30 folds, with their age.
fn persons() -> String {
    let row = |row: u32| {
        let (person, group) = (row / 2, ["x", "y"][(row % 2) as usize]);
        let (age, a, b) = (18 + row * 37 % 61, row * 7 % 5 / 3, row * 11 % 7 / 4);
        format!("{person},{},{group},{age},{a},{b}\n", row % 30)
    };
    (0..120).map(row).fold("person,fold,g,age,a,b\n".to_owned(), |table, row| table + &row)
}

#[test]
fn columns_of_blocks_and_of_folds_are_not_cut() {
    let sandbox = Sandbox::new();
    sandbox.write("persons.csv", persons());
    let group = "--group g --block person --permutations 19 --bins 4";
    let learn = format!("learn persons.csv --drop fold --kappa eps --no-output {group}");
    for command in [learn, format!("compare --groups persons.csv --drop fold {group}")] {
        let ran = sandbox.run(&command).succeeds();
        assert!(ran.stderr.contains("age"), "{}", ran.stderr);
        assert!(!ran.stderr.contains("person:") && !ran.stderr.contains("\"person\""), "{}", ran.stderr);
    }
    let cv = "cv persons.csv --drop person --kappa eps --fold-column fold";
    assert_eq!(sandbox.json(&format!("{cv} --bins 4"))["folds"], 30);
    // A rule for the column itself is meant.
    assert_eq!(sandbox.json(&format!("{cv} --bins fold=4"))["folds"], 4);
}

#[test]
fn a_comparison_of_groups_that_is_cut_says_so() {
    let sandbox = Sandbox::new();
    let how = "--group smoking --permutations 2000000 --time-limit 4s";
    let learn = format!("learn data/coronary_heart.csv --kappa eps -o m.json {how}");
    for command in [learn, format!("compare --groups data/coronary_heart.csv {how}")] {
        let ran = sandbox.run(&command).ends_with(3);
        assert!(ran.stderr.contains("ended early (time-limit)"), "{}", ran.stderr);
    }
    assert!(sandbox.exists("m.json"));
}

#[cfg(unix)]
#[test]
fn an_interrupted_comparison_of_groups_keeps_the_model() {
    let sandbox = Sandbox::new();
    let command =
        "learn data/coronary_heart.csv --kappa eps -o m.json --group smoking --permutations 2000000";
    let child = std::process::Command::new(env!("CARGO_BIN_EXE_cmnet"))
        .args(command.split(' '))
        .current_dir(sandbox.path(""))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // The model is there before the comparison has ended.
    let begun = std::time::Instant::now();
    while !sandbox.exists("m.groups.svg") && begun.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    std::thread::sleep(std::time::Duration::from_millis(300));
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let ran = Ran::of(command, &child.wait_with_output().unwrap()).ends_with(130);
    ran.says(&["wrote m.json"]);
    assert!(ran.stderr.contains("ended early (interrupted)"), "{}", ran.stderr);
    sandbox.run("query m.json").succeeds();
}
