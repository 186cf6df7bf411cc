//! Tables with missing values, from the command line.

use crate::common::Sandbox;
use serde_json::{Value, json};

/// The bundled table with every 11th cell missing; the second column more often where the first is
/// "yes".
fn holed(sandbox: &Sandbox) -> String {
    let text = sandbox.read("data/coronary_heart.csv");
    let mut out = String::new();
    let mut cell = 0usize;
    for (line, row) in text.lines().enumerate() {
        let smokes = row.starts_with("yes");
        let fields = row.split(',').enumerate().map(|(column, field)| {
            cell += 1;
            let gone =
                column > 0 && (cell.is_multiple_of(11) || column == 1 && smokes && line.is_multiple_of(3));
            if line > 0 && gone { "NA" } else { field }
        });
        out += &(fields.collect::<Vec<_>>().join(",") + "\n");
    }
    out
}

#[test]
fn a_model_is_fitted_to_a_table_with_holes() {
    let sandbox = Sandbox::new();
    sandbox.run("learn data/coronary_heart.csv -o m.model.json").succeeds();
    let table = holed(&sandbox);
    sandbox.write("holes.csv", &table);
    let fit = sandbox.run("fit m.model.json holes.csv --on-missing model -o f.model.json").succeeds();
    fit.says(&["EM over", "rows with missing values"]);
    for told in [
        "have missing values: strenuous_mental_work",
        "assumed: missing at random",
        "warning: whether strenuous_mental_work is missing goes along with smoking",
    ] {
        assert!(fit.stderr.contains(told), "{}", fit.stderr);
    }
    // Without holes the bytes are those of a fit.
    sandbox.run("fit m.model.json data/coronary_heart.csv --on-missing model -o one.model.json").succeeds();
    sandbox.run("fit m.model.json data/coronary_heart.csv -o other.model.json").succeeds();
    assert_eq!(sandbox.read("one.model.json"), sandbox.read("other.model.json"));
    let model: Value = serde_json::from_str(&sandbox.read("f.model.json")).unwrap();
    assert_eq!(model["parameters"]["rows"], 1841);
    for (command, says) in [
        ("cv holes.csv --on-missing model", "take rows with missing values"),
        ("fit m.model.json holes.csv --on-missing model --ridge 1", "knows no ridge"),
        ("fit m.model.json holes.csv --on-missing model --method pseudo", "need the junction tree"),
        ("fit m.model.json holes.csv --on-missing model --columns smoking", "leave out --columns"),
    ] {
        sandbox.run(command).refused(2, &["--", says]);
    }
    let gone: String =
        table.lines().map(|row| row.replacen("yes", "NA", 1).replacen("no", "NA", 1) + "\n").collect();
    sandbox
        .run("learn holes.csv --on-missing model --no-output --model sgm")
        .refused(2, &["--model sgm: this cannot be learned from rows with missing values"]);
    sandbox.write("gone.csv", gone);
    sandbox
        .run("fit m.model.json gone.csv --on-missing model")
        .refused(2, &["every value of \"smoking\" is missing"]);
}

#[test]
fn missing_values_are_filled_in_the_order_of_the_rows() {
    let sandbox = Sandbox::with_model();
    let table = holed(&sandbox);
    sandbox.write("holes.csv", &table);
    sandbox.run("impute m.model.json holes.csv -o filled.csv").succeeds();
    let filled = sandbox.read("filled.csv");
    assert!(!filled.contains("NA") && filled.lines().count() == table.lines().count());
    for (row, full) in table.lines().zip(filled.lines()) {
        for (field, value) in row.split(',').zip(full.split(',')) {
            assert!(field == "NA" || field == value, "{row} became {full}");
        }
    }
    sandbox.run("impute m.model.json holes.csv --draws 2 --seed 3 -o a.csv").succeeds();
    sandbox.run("impute m.model.json holes.csv --draws 2 --seed 3 -o b.csv").succeeds();
    let drawn = sandbox.read("a.csv");
    assert_eq!(drawn, sandbox.read("b.csv"));
    assert_eq!(drawn.lines().count(), 2 * (table.lines().count() - 1) + 1);
    assert!(drawn.starts_with("imputation,smoking,") && drawn.contains("\n2,"));
    sandbox.run("impute m.model.json holes.csv --draws 0").refused(2, &["--draws"]);
}

#[test]
fn structures_are_learned_from_a_table_with_holes() {
    let sandbox = Sandbox::new();
    sandbox.write("holes.csv", holed(&sandbox));
    let learn = "learn holes.csv --on-missing model --kappa eps,n^-0.5";
    let told = sandbox.run(&format!("{learn} -o m.model.json")).succeeds();
    told.says(&[
        "missing values: 10 completed tables in each of",
        "agreement of the completed tables",
        "10 of 10",
    ]);
    assert!(told.stderr.contains("assumed: missing at random"), "{}", told.stderr);
    let answer = sandbox.run(&format!("{learn} --format json --threads 1")).succeeds();
    let answer: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!((&answer["format"], &answer["search"]), (&"cmnet-learn/1".into(), &"imputation".into()));
    assert_eq!(answer["imputation"]["missing"]["assumption"], "missing at random");
    assert_eq!(answer["imputation"]["missing"]["informative"][0]["other"], "smoking");
    assert_eq!(answer["imputation"]["models"].as_array().unwrap().len(), 2);
    assert_eq!(answer["models"].as_array().unwrap().len(), 2);
    let model: Value = serde_json::from_str(&sandbox.read("m.model.json")).unwrap();
    assert_eq!(
        (&model["learned"]["search"], &model["support"]["replicates"]),
        (&"imputation".into(), &10.into())
    );
    // The referee makes no claim of the complete table, and agrees with the score there.
    sandbox.run("check m.model.json data/coronary_heart.csv").succeeds().says(&["does not claim"]);
    // Broken off and resumed, it is the same to the last byte.
    sandbox.run(&format!("{learn} --time-limit 0 --checkpoint c --no-output"));
    sandbox.run(&format!("{learn} --checkpoint c --resume -o again.model.json")).succeeds();
    assert_eq!(sandbox.read("m.model.json"), sandbox.read("again.model.json"));
    // Without holes the bytes are those of a plain search.
    sandbox.run("learn data/coronary_heart.csv --on-missing model --seed 3 -o one.model.json").succeeds();
    sandbox.run("learn data/coronary_heart.csv -o other.model.json").succeeds();
    assert_eq!(sandbox.read("one.model.json"), sandbox.read("other.model.json"));
    let told = sandbox.run("evaluate m.model.json holes.csv --on-missing model").succeeds();
    told.says(&["with missing values", "the log-likelihood is that of the known values"]);
    sandbox.run("describe holes.csv --on-missing model").succeeds().says(&[
        "missing together, the most frequent",
        "assumed: missing at random",
        "warning: whether strenuous_mental_work is missing",
    ]);
    for (flags, says) in [
        ("--completions 0", "--completions"),
        ("--rounds 0", "--rounds"),
        ("--agreement 0", "--agreement"),
        ("--target smoking", "--target"),
        ("--select cv", "--select"),
    ] {
        sandbox.run(&format!("{learn} --no-output {flags}")).refused(2, &[says]);
    }
    sandbox.write("gone.csv", "a,b\nx,\ny,NA\n");
    sandbox
        .run("learn gone.csv --on-missing model")
        .refused(2, &["column 2 (\"b\"): every value of this column is missing", "--drop"]);
}

/// The table of coronary heart disease with a column of weights.
fn weighed(sandbox: &Sandbox, weight: &dyn Fn(usize) -> String) -> String {
    let line = |(line, row): (usize, &str)| {
        let own = if line == 0 { "w".to_owned() } else { weight(line) };
        format!("{row},{own}\n")
    };
    sandbox.read("data/coronary_heart.csv").lines().enumerate().map(line).collect()
}

#[test]
fn real_weights_are_recorded_checked_validated_and_piped() {
    let sandbox = Sandbox::new();
    sandbox.write("whole.csv", weighed(&sandbox, &|line| (1 + line % 3).to_string()));
    sandbox.write("design.csv", weighed(&sandbox, &|line| format!("{}", 0.5 + (line % 4) as f64 / 4.0)));
    sandbox.run("learn whole.csv --weights w --kappa eps -o whole.model.json").succeeds();
    sandbox.run("learn design.csv --weights w -o design.model.json").succeeds();
    let recorded: Value = serde_json::from_str(&sandbox.read("design.model.json")).unwrap();
    let weights = &recorded["learned"]["weights"];
    assert_eq!((&weights["kind"], &weights["observations"]), (&json!("design"), &json!(1841)));
    assert_eq!(recorded["parameters"]["weights"], *weights);
    assert!(!sandbox.read("whole.model.json").contains("\"weights\""));
    sandbox
        .run("check design.model.json design.csv --weights w --skip-optimality")
        .succeeds()
        .says(&["The referee agrees"]);
    let other = sandbox.read("design.model.json").replace("\"observations\": 1841", "\"observations\": 1840");
    sandbox.write("other.model.json", other);
    sandbox
        .run("check other.model.json design.csv --weights w --skip-optimality")
        .ends_with(1)
        .says(&["The file records design weights of 1840 rows"]);
    sandbox.run("cv design.csv --weights w --folds 3 --kappa eps").succeeds().says(&["3 folds", "MN"]);
    sandbox.run("cv design.csv --weights w --shard 1/2 --part p.json").refused(2, &["--shard"]);
    // Standard input is read once, and held.
    for table in ["design.csv", "whole.csv"] {
        let by_name =
            sandbox.run(&format!("learn {table} --weights w --kappa eps --format json")).succeeds().stdout;
        let piped = sandbox.run_with("learn - --weights w --kappa eps --format json", sandbox.read(table));
        assert_eq!(piped.succeeds().stdout, by_name);
    }
}

#[test]
fn real_weights_are_taken_and_bad_ones_refused() {
    let sandbox = Sandbox::new();
    let with = |weight: &dyn Fn(usize) -> String| weighed(&sandbox, weight);
    sandbox.write("whole.csv", with(&|line| (1 + line % 3).to_string()));
    sandbox.write(
        "real.csv",
        with(&|line| format!("{}.{}", 1 + line % 3, if line == 1 { "000001" } else { "0" })),
    );
    sandbox.write("design.csv", with(&|line| format!("{}", 0.5 + (line % 4) as f64 / 4.0)));
    sandbox.write("scaled.csv", with(&|line| format!("{}", 100.0 * (0.5 + (line % 4) as f64 / 4.0) + 0.0)));
    sandbox.run("learn whole.csv --weights w --kappa eps -o whole.model.json").succeeds();
    let told = sandbox
        .run("learn real.csv --weights w --weights-as counts --kappa eps -o real.model.json")
        .succeeds();
    told.says(&["weights of 1841 rows", "they count as they are: n = "]);
    let score = |table: &str| -> f64 {
        let answer = sandbox
            .run(&format!("score whole.model.json {table} --weights w --weights-as counts --format json"));
        let answer: Value = serde_json::from_str(&answer.succeeds().stdout).unwrap();
        answer["log_mpl"].as_f64().unwrap()
    };
    assert!((score("whole.csv") - score("real.csv")).abs() < 1e-3);
    sandbox
        .run("learn design.csv --weights w -o design.model.json")
        .succeeds()
        .says(&["effective sample size"]);
    sandbox.run("fit design.model.json design.csv --weights w -o fitted.model.json").succeeds();
    sandbox
        .run("evaluate design.model.json design.csv --weights w")
        .succeeds()
        .says(&["mean log-likelihood"]);
    for (weight, says) in
        [("inf", "finite"), ("NaN", "finite"), ("-0.5", "cannot be negative"), ("", "write 0")]
    {
        sandbox.write("bad.csv", with(&|line| if line == 7 { weight.to_owned() } else { "0.5".to_owned() }));
        sandbox.run("learn bad.csv --weights w --no-output").refused(2, &["line 8", says]);
    }
    // A design may have whole weights: those of `scaled.csv` are a hundred times those of `design.csv`.
    let edges = |table: &str, words: &str| -> Value {
        let learned =
            format!("learn {table} --weights w {words} --kappa eps -o {table}.model.json --format json");
        sandbox.run(&learned).succeeds();
        let file: Value = serde_json::from_str(&sandbox.read(&format!("{table}.model.json"))).unwrap();
        serde_json::json!([file["edges"], file["learned"]["rows"], file["learned"]["weights"]["kind"]])
    };
    let design = edges("design.csv", "");
    assert_eq!(design[2], "design");
    assert_eq!(edges("scaled.csv", "--weights-as design"), design);
    sandbox
        .run("check scaled.csv.model.json scaled.csv --weights w")
        .succeeds()
        .says(&["The referee agrees"]);
    assert_ne!(edges("scaled.csv", "")[1], design[1]);
    let chosen = sandbox.json("learn design.csv --weights w --select heldout --kappa eps,n^-0.5 --no-output");
    assert_eq!((&chosen["criterion"], chosen["models"].as_array().unwrap().len()), (&json!("heldout"), 1));
    sandbox.run("learn design.csv --weights w --target smoking --no-output").refused(2, &["--target"]);
}

#[test]
fn numbers_are_cut_in_tables_with_holes() {
    let sandbox = Sandbox::new();
    let row = |row: u32| {
        let (age, ill) = (20 + row * 37 % 61, if row * 37 % 61 > 30 { "yes" } else { "no" });
        let (age, ill) = (age.to_string(), ill.to_owned());
        match row % 5 {
            0 => format!(",{ill},{}\n", row % 2),
            1 => format!("{age},,{}\n", row % 2),
            _ => format!("{age},{ill},\n"),
        }
    };
    // No row is complete: what is known of them says where to cut.
    let table: String = (0..400).map(row).collect();
    sandbox.write("holes.csv", format!("age,ill,other\n{table}"));
    let learned = sandbox.run("learn holes.csv --bins 2 --on-missing model --kappa eps -o m.json").succeeds();
    assert!(learned.stderr.contains("cut at 52"), "{}", learned.stderr);
    let answer = sandbox.run("query m.json --given age=75 --target ill --format json").succeeds();
    let answer: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert!(answer["marginals"]["ill"]["yes"].as_f64().unwrap() > 0.9, "{answer}");
    sandbox
        .run("learn holes.csv --bins graph:2 --on-missing model")
        .refused(2, &["--bins", "on rows without missing values, and there is none"]);
    // Some rows are complete: they say where the neighbour changes, and all rows are cut there.
    let whole = |row: u32| {
        format!("{},{},{}\n", 20 + row * 37 % 61, if row * 37 % 61 > 30 { "yes" } else { "no" }, row % 2)
    };
    let some: String =
        (0..400).map(|number| if number % 3 == 0 { row(number) } else { whole(number) }).collect();
    sandbox.write("some.csv", format!("age,ill,other\n{some}"));
    sandbox.run("learn some.csv --bins graph:2 --on-missing model --kappa eps -o g.json").succeeds();
    let yes = |age: u32| -> f64 {
        let answer =
            sandbox.run(&format!("query g.json --given age={age} --target ill --format json")).json();
        answer["marginals"]["ill"]["yes"].as_f64().unwrap()
    };
    assert!(yes(51) > 0.9 && yes(50) < 0.1, "{} {}", yes(51), yes(50));
    sandbox.run("describe some.csv --bins graph:2 --on-missing model").succeeds().says(&["age"]);
}
