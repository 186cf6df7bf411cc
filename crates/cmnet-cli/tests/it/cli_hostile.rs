//! Names that steer terminals, chains that are stuck, and tables as other programs write them.

use crate::common::Sandbox;
use serde_json::{Value, json};

/// A fitted model of two variables that all but determine each other: chains never leave their
/// place.
fn stuck(sandbox: &Sandbox) {
    sandbox.write("stuck.uai", "MARKOV 2 2 2 1 2 0 1 4 1 1e-200 1e-200 1");
    sandbox.run("import stuck.uai -o stuck.model.json").succeeds();
}

#[test]
fn rows_of_chains_that_disagree_are_not_drawn_in_silence() {
    let sandbox = Sandbox::new();
    stuck(&sandbox);
    let ran = sandbox.run("sample stuck.model.json -n 4 --method gibbs --seed 3 -q --format json").succeeds();
    assert!(
        ran.stderr.contains("warning: the rows may not be from the whole distribution"),
        "{}",
        ran.stderr
    );
    let found = &ran.document()["approximation"];
    assert_eq!(
        (&found["agrees"], &found["r_hat"], &found["effective"]),
        (&json!(false), &Value::Null, &json!(0.0))
    );
    let text = sandbox.run("sample stuck.model.json -n 4 --method gibbs --seed 3 -q").succeeds();
    assert!(text.stderr.contains("the chains do NOT agree yet"), "{}", text.stderr);
    assert_eq!(text.stdout.lines().count(), 5);
    let asked = sandbox.json("query stuck.model.json --method gibbs --seed 3");
    assert_eq!(
        (&asked["approximation"]["r_hat"], &asked["approximation"]["effective"]),
        (&Value::Null, &json!(0.0))
    );
    assert_eq!(sandbox.json("sample stuck.model.json -n 4")["approximation"], Value::Null);
}

#[test]
fn names_never_reach_a_terminal_raw() {
    let sandbox = Sandbox::new();
    let names = ["a\nb", "c\u{202e}d", "e\u{1b}[31mf\u{2066}"];
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let mut table = format!("{}\n", quoted.join(","));
    for row in 0..60 {
        let level = |shift: u32| if (row * 7 + 3) >> shift & 1 == 1 { "\"x\ny\"" } else { "\u{200f}z" };
        let cells = [level(1), level(if row % 9 == 0 { 2 } else { 1 }), level(1)];
        table += &(cells.join(",") + "\n");
    }
    sandbox.write("t.csv", &table);
    sandbox.run("learn t.csv -o t.model.json").succeeds();
    let commands = [
        "describe t.csv",
        "learn t.csv",
        "score t.model.json t.csv",
        "check t.model.json t.csv",
        "fit t.model.json t.csv --smoothing 0",
        "compare t.model.json t.model.json",
        "draw t.model.json -o -",
        "explain t.model.json",
        "query t.model.json --joint --information",
        "query t.model.json --map",
        "cv t.csv --folds 2",
        "evaluate t.model.json t.csv",
        "learn t.csv --columns nothing",
        "query t.model.json --target nothing",
    ];
    for command in commands {
        let ran = sandbox.run(command);
        assert!(ran.code <= 2, "{command}: {}", ran.stderr);
        for text in [&ran.stdout, &ran.stderr] {
            let raw =
                ["a\nb", "x\ny", "\u{202e}", "\u{1b}", "\u{2066}", "\u{200f}"].map(|raw| text.contains(raw));
            assert!(!raw.contains(&true), "{command}: {raw:?}\n{text:?}");
        }
    }
    assert!(sandbox.run("query t.model.json").stdout.contains("a\\nb"));
    // What programs read keeps the names as they are.
    assert_eq!(sandbox.json("sample t.model.json -n 1")["variables"], json!(names));
    assert!(sandbox.run("sample t.model.json -n 1").stdout.starts_with("\"a\nb\",c\u{202e}d,"));
}

#[test]
fn tables_are_read_as_other_programs_write_them() {
    let sandbox = Sandbox::new();
    let levels = |table: &str| {
        let described = sandbox.write("t.csv", table).json("describe t.csv");
        let labels = described["variables"][0]["levels"].as_array().unwrap().clone();
        labels.iter().map(|level| level["label"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(levels("sep=;\na;b\n1,5;x\n2,5;y\n"), ["1,5", "2,5"]);
    assert_eq!(levels("a,b\n2.0,x\n10.0,y\n"), ["2", "10"]);
    sandbox.write("t.csv", "sep=;\na;b\n1;x;y\n");
    sandbox.run("describe t.csv").refused(2, &["t.csv, line 3"]);
    let odd = "a,b\nnull,1\nx,1.0\nx,01\n.,2\n#N/A,2\nNone,2\n";
    let ran = sandbox.write("t.csv", odd).run("learn t.csv").succeeds();
    for text in [
        "has the level \"null\" (1 rows), which looks like a missing value: if it is one, name it in --missing",
        "\".\" (1 rows)",
        "\"#N/A\" (1 rows)",
        "\"None\" (1 rows)",
        "column \"b\" has the levels \"01\" and \"1\", one number written in two ways",
    ] {
        assert!(ran.stderr.contains(text), "no {text} in {}", ran.stderr);
    }
}

#[test]
fn words_say_what_is_so() {
    let sandbox = Sandbox::with_model();
    sandbox.write("none.csv", "smoking,lipoprotein_ratio\n");
    let ran = sandbox.run("predict m.model.json none.csv --target smoking -o p.csv").succeeds();
    ran.says(&["0 rows predicted", "The table has no rows"]);
    // An edge that the contexts of others imply away, without any evidence.
    let variable = |name: &str| json!({"name": name, "levels": ["0", "1"]});
    let edges = json!([["--t", "b"], ["--t", "c"], ["b", "c"]]);
    let context = |edge: [&str; 2], given: &str, elements: Value| json!({"edge": edge, "given": [given], "elements": elements});
    let mut model = json!({
        "format": "cmnet-model/1",
        "variables": [variable("--t"), variable("b"), variable("c")],
        "edges": edges,
        "contexts": [context(["--t", "b"], "c", json!([["0"]])), context(["--t", "c"], "b", json!([["0"]])), context(["b", "c"], "--t", json!([["0"]]))],
    });
    sandbox.write("s.model.json", model.to_string());
    sandbox.write("s.csv", "--t,b,c\n0,0,0\n0,1,0\n1,0,1\n1,1,1\n1,1,0\n0,0,1\n1,0,0\n0,1,1\n");
    sandbox.run("fit s.model.json s.csv -o f.model.json").succeeds();
    let ran = sandbox.run("query f.model.json").succeeds();
    assert!(!ran.stdout.contains("Cut by the evidence"), "{}", ran.stdout);
    sandbox.run("query f.model.json --given --t=0").succeeds().says(&["given --t = 0"]);
    model["contexts"] = json!([context(["--t", "b"], "c", json!([["0"], ["1"]]))]);
    sandbox.write("s.model.json", model.to_string());
    let says = ["the context of \"--t\" - \"b\" would cover all 2 configurations"];
    sandbox.run("draw s.model.json -o -").refused(2, &says);
    // Huge numbers are not spelled out.
    let text = sandbox.read("m.model.json");
    let line = text.lines().find(|line| line.contains("\"log_partition\"")).unwrap().trim();
    sandbox.write("h.model.json", text.replacen(line, "\"log_partition\": 1e308,", 1));
    let refused = sandbox.run("draw h.model.json -o -");
    refused.refused(2, &["1e308 is not the log partition function"]);
}
