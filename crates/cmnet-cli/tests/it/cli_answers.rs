//! Every command with good input: the fields and numbers that `cli.md` promises.

use crate::common::{Sandbox, has_fields, near, number};
use serde_json::{Value, json};

#[test]
fn describe_tells_variables_levels_and_counts() {
    let sandbox = Sandbox::new();
    let answer = sandbox.json("describe data/coronary_heart.csv");
    has_fields(
        &answer,
        "format rows distinct_rows outcome_space.size variables[].name variables[].levels[].label \
         variables[].levels[].count variables[].missing warnings",
    );
    assert_eq!((&answer["rows"], &answer["outcome_space"]["size"]), (&json!(1841), &json!(64)));
    assert_eq!(answer["variables"][0]["levels"][0], json!({"label": "no", "count": 961}));
    sandbox.run("describe data/car.csv").succeeds().says(&[
        "1728 rows",
        "acceptability",
        "joint outcomes: 6912",
    ]);
}

#[test]
fn learn_gives_the_numbers_of_the_contract() {
    let answer = Sandbox::new().json("learn data/coronary_heart.csv");
    has_fields(
        &answer,
        "data.rows data.variables[].levels search stop ties models[].kappa models[].log_kappa \
         models[].edges models[].contexts models[].log_prior models[].bic models[].fit.method \
         models[].fit.status selected",
    );
    assert_eq!(answer["data"]["variables"][0], json!({"name": "smoking", "levels": ["no", "yes"]}));
    assert_eq!((&answer["search"], &answer["stop"]), (&json!("paper"), &json!("converged")));
    assert_eq!((&answer["ties"], &answer["selected"]), (&json!(0), &json!(2)));
    let chosen = &answer["models"][2];
    assert_eq!((&chosen["kappa"], &chosen["parameters"]), (&json!("n^-0.5"), &json!(10)));
    near(&chosen["log_kappa"], -3.759, 1e-3);
    near(&chosen["log_mpl"], -6_358.768_335, 1e-6);
    near(&chosen["log_prior"], -11.277_096, 1e-6);
    near(&chosen["score"], -6_370.045_431, 1e-6);
    near(&chosen["log_likelihood"], -6_678.003_9, 1e-4);
    near(&chosen["bic"], -6_715.6, 0.05);
    near(&chosen["sbic"], -3.647_797, 1e-6);
    assert_eq!(chosen["fit"]["method"], "exact");
    assert_eq!(chosen["fit"]["status"], "converged");
    assert_eq!(
        chosen["contexts"][0],
        json!({"edge": ["smoking", "systolic_blood_pressure"], "given": ["lipoprotein_ratio"], "elements": [[">=3"]]})
    );
    assert!(answer["models"][0]["log_kappa"].is_null());
}

#[test]
fn learn_writes_a_model_and_a_drawing_and_says_so() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run("learn data/coronary_heart.csv").succeeds();
    ran.says(&[
        "search: paper",
        "* n^-0.5",
        "independent when smoking is no",
        "wrote coronary_heart.model.json and coronary_heart.svg",
    ]);
    assert!(sandbox.read("coronary_heart.svg").contains("<svg"));
    assert!(sandbox.read("coronary_heart.model.json").contains("\"cmnet-model/1\""));
    assert_eq!(ran.stderr, "");
}

#[test]
fn learn_without_output_or_with_json_writes_nothing() {
    let sandbox = Sandbox::new();
    sandbox.run("learn data/coronary_heart.csv --no-output").succeeds();
    sandbox.json("learn data/coronary_heart.csv");
    assert_eq!(std::fs::read_dir(sandbox.path("")).unwrap().count(), 1, "only the tables");
}

#[test]
fn one_kappa_needs_no_selection() {
    let answer = Sandbox::new().json("learn data/coronary_heart.csv --kappa 0.1 --select none");
    assert_eq!((&answer["selected"], &answer["models"][0]["kappa"]), (&json!(0), &json!("0.1")));
    assert!(answer["models"][0]["bic"].is_null());
    let several = Sandbox::new().json("learn data/coronary_heart.csv --select none");
    assert!(several["selected"].is_null());
}

#[test]
fn score_adds_up() {
    let sandbox = Sandbox::with_model();
    let answer = sandbox.json("score m.model.json data/coronary_heart.csv");
    let nodes = answer["nodes"].as_array().unwrap();
    let sum: f64 = nodes.iter().map(|node| number(&node["score"])).sum();
    near(&answer["log_mpl"], sum, 1e-9);
    near(&answer["score"], -6_370.045_431, 1e-6);
    assert_eq!((nodes.len(), &nodes[0]["name"]), (6, &json!("smoking")));
    let other = sandbox.json("score m.model.json data/coronary_heart.csv --kappa n^-0.25");
    near(&other["score"], -6_364.406_9, 1e-4);
    let forbidden = sandbox.json("score m.model.json data/coronary_heart.csv --kappa eps");
    assert!(forbidden["score"].is_null());
    sandbox.run("score m.model.json data/coronary_heart.csv").succeeds().says(&["log MPL", "-6370.045431"]);
}

#[test]
fn check_agrees_with_what_was_learned() {
    let sandbox = Sandbox::with_model();
    let answer = sandbox.json("check m.model.json data/coronary_heart.csv");
    for field in ["agrees", "locally_optimal", "regular", "same_data"] {
        assert_eq!(answer[field], true, "{field}");
    }
    near(&answer["score"], -6_370.045_431, 1e-6);
    sandbox.run("check m.model.json data/coronary_heart.csv").succeeds().says(&["The referee agrees."]);
}

#[test]
fn check_says_no_to_a_false_score_and_to_a_better_neighbour() {
    let sandbox = Sandbox::with_model();
    let model = sandbox.read("m.model.json");
    let lie = model.replace("-6358.768335", "-6350.768335").replace("-6370.045431", "-6362.045431");
    sandbox.write("lie.json", lie);
    let ran = sandbox.run("check lie.json data/coronary_heart.csv --format json").ends_with(1);
    assert_eq!(ran.document()["agrees"], false);
    sandbox.write("worse.json", without_last_edge(&model));
    let ran = sandbox.run("check worse.json data/coronary_heart.csv").ends_with(1);
    ran.says(&["locally optimal         NO", "Toggling the edge", "DISAGREES"]);
}

/// A model without the edge 4-5, which the data ask for, and without what needs it.
fn without_last_edge(model: &str) -> String {
    let mut document: Value = serde_json::from_str(model).unwrap();
    document["edges"].as_array_mut().unwrap().pop();
    document["contexts"] = json!([]);
    document.as_object_mut().unwrap().remove("parameters");
    document.to_string()
}

#[test]
fn fit_gives_the_maximum_likelihood() {
    let sandbox = Sandbox::with_model();
    let answer = sandbox.json("fit m.model.json data/coronary_heart.csv -o fitted.json --smoothing 0");
    assert_eq!((&answer["method"], &answer["status"]), (&json!("exact"), &json!("converged")));
    assert_eq!((&answer["rows"], &answer["parameters"]), (&json!(1841), &json!(10)));
    near(&answer["log_likelihood"], -6_678.003_9, 1e-4);
    near(&answer["sbic"], -3.647_797, 1e-6);
    let evaluated = sandbox.json("evaluate fitted.json data/coronary_heart.csv");
    near(&evaluated["log_likelihood"], -6_678.003_873_762 / 1_841.0, 1e-9);
    let pseudo = sandbox.json("fit m.model.json data/coronary_heart.csv --method pseudo");
    assert_eq!(pseudo["method"], "pseudo");
    assert!(pseudo["log_likelihood"].is_null() && pseudo["pseudo_log_likelihood"].is_f64());
    let ran = sandbox.run("fit m.model.json data/coronary_heart.csv").succeeds();
    ran.says(&["method           exact", "parameters       10"]);
}

#[test]
fn evaluate_gives_means_per_row() {
    let sandbox = Sandbox::with_model();
    let answer = sandbox.json("evaluate m.model.json data/coronary_heart.csv");
    has_fields(&answer, "format rows log_likelihood pseudo_log_likelihood parameters bic sbic");
    near(&answer["log_likelihood"], -6_678.003_9 / 1_841.0, 1e-6);
    near(&answer["sbic"], -3.647_797, 1e-5);
    sandbox.run("evaluate m.model.json data/coronary_heart.csv").succeeds().says(&["mean log-likelihood"]);
    sandbox.run("fit m.model.json data/coronary_heart.csv --method pseudo -o p.json").succeeds();
    let pseudo = sandbox.json("evaluate p.json data/coronary_heart.csv");
    assert!(pseudo["pseudo_log_likelihood"].is_f64());
    // The junction tree normalises what pseudo-likelihood estimated: near the exact fit.
    near(&pseudo["log_likelihood"], -3.627, 0.005);
}

#[test]
fn cv_has_a_row_per_kappa_and_the_choice() {
    let sandbox = Sandbox::new();
    let answer = sandbox.json("cv data/coronary_heart.csv --folds 3 --seed 7");
    has_fields(&answer, "rows[].method rows[].sbic rows[].predictive rows[].edges rows[].parameters");
    assert_eq!((&answer["folds"], &answer["seed"]), (&json!(3), &json!(7)));
    let methods: Vec<&Value> = answer["rows"].as_array().unwrap().iter().map(|row| &row["method"]).collect();
    assert_eq!(methods, ["CMN", "MN", "n^-1", "n^-0.5", "n^-0.25"]);
    let again = sandbox.json("cv data/coronary_heart.csv --folds 3 --seed 7 --threads 2");
    assert_eq!(answer, again);
    sandbox.run("cv data/coronary_heart.csv --folds 2").succeeds().says(&["2 folds, seed 1", "CMN"]);
}

/// Folds named by a column, and each of them by hand: learned from the other rows, judged on
/// its own.
#[test]
fn cv_by_a_column_holds_out_its_values() {
    let sandbox = Sandbox::new();
    let whole = std::fs::read_to_string(sandbox.path("data/coronary_heart.csv")).unwrap();
    let (head, rows) = whole.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    let part = |row: usize| ["north", "south", "west"][(row * row) % 7 % 3];
    let listed = |wanted: &dyn Fn(&str) -> bool, named: bool| -> String {
        let line = |(row, text): (usize, &&str)| {
            let part = part(row);
            wanted(part).then(|| if named { format!("{part},{text}\n") } else { format!("{text}\n") })
        };
        let head = if named { format!("region,{head}\n") } else { format!("{head}\n") };
        head + &rows.iter().enumerate().filter_map(line).collect::<String>()
    };
    sandbox.write("parted.csv", listed(&|_| true, true));
    let answer = sandbox.json("cv parted.csv --fold-column region --kappa eps");
    assert_eq!((&answer["folds"], &answer["finished"]), (&json!(3), &json!(3)));
    assert_eq!((&answer["seed"], &answer["fold_column"]), (&json!(null), &json!("region")));
    let (mut sbic, mut predictive) = (0.0, 0.0);
    for region in ["north", "south", "west"] {
        sandbox.write("training.csv", listed(&|part| part != region, false));
        sandbox.write("heldout.csv", listed(&|part| part == region, false));
        let learned = sandbox.json("learn training.csv --kappa eps -o m.model.json");
        sbic += number(&learned["models"][0]["sbic"]) / 3.0;
        let evaluated = sandbox.json("evaluate m.model.json heldout.csv");
        predictive += number(&evaluated["log_likelihood"]) / 3.0;
    }
    near(&answer["rows"][0]["sbic"], sbic, 1e-12);
    near(&answer["rows"][0]["predictive"], predictive, 1e-12);
    let some = "--columns smoking,family_anamnesis";
    let chosen = sandbox.json(&format!("cv parted.csv --fold-column region {some}"));
    assert_eq!(chosen, sandbox.json(&format!("cv parted.csv --fold-column region {some},region")));
    sandbox
        .run(&format!("cv parted.csv --fold-column region {some}"))
        .succeeds()
        .says(&["3 folds, by column region"]);
}

#[test]
fn compare_finds_what_one_has_and_the_other_has_not() {
    let sandbox = Sandbox::with_model();
    sandbox.run("learn data/coronary_heart.csv --kappa eps -o mn.json").succeeds();
    let same = sandbox.json("compare m.model.json m.model.json");
    assert_eq!(same["same_model"], true);
    let answer = sandbox.json("compare m.model.json mn.json --data data/coronary_heart.csv");
    assert_eq!(answer["same_model"], false);
    assert_eq!(answer["first_only"]["edges"], json!([["strenuous_mental_work", "lipoprotein_ratio"]]));
    assert_eq!(answer["first_only"]["elements"].as_array().unwrap().len(), 3);
    assert_eq!(answer["second_only"], json!({"edges": [], "elements": []}));
    near(&answer["log_likelihood"][1], -6_685.010_1 / 1_841.0, 1e-5);
    sandbox.run("compare m.model.json mn.json").succeeds().says(&[
        "only in the first: edge strenuous_mental_work - lipoprotein_ratio",
        "only in the first: smoking - lipoprotein_ratio cut off where systolic_blood_pressure = <140",
    ]);
}

#[test]
fn draw_writes_every_format_and_prints_text() {
    let sandbox = Sandbox::with_model();
    let beginnings = [("g.svg", "<svg"), ("g.dot", "graph"), ("g.tex", "tikz"), ("g.graphml", "<graphml")];
    for (file, beginning) in beginnings {
        let ran = sandbox.run(&format!("draw m.model.json -o {file}")).succeeds();
        assert_eq!((ran.stdout.as_str(), ran.stderr), ("", format!("cmnet: wrote {file}\n")));
        let picture = sandbox.read(file);
        assert!(picture.contains(beginning) && picture.contains("smoking"), "{file}: {picture}");
    }
    sandbox.run("draw m.model.json").succeeds().says(&["6 variables, 6 edges", "Without edges"]);
    let answer = sandbox.json("draw m.model.json -o again.svg");
    assert_eq!(answer["file"], "again.svg");
    assert_eq!(sandbox.read("again.svg"), sandbox.read("g.svg"));
}

/// The best posterior of the paper's baseline on this table, and a model that can be used.
#[test]
fn stratified_models_are_learned_too() {
    let sandbox = Sandbox::new();
    let answer = sandbox.json("learn data/coronary_heart.csv --model sgm -o sgm.json");
    near(&answer["log_posterior"], -6715.90, 0.01);
    assert_eq!(answer["edges"].as_array().unwrap().len(), 6);
    assert_eq!(answer["contexts"].as_array().unwrap().len(), 2);
    sandbox.run("evaluate sgm.json data/coronary_heart.csv").succeeds();
    sandbox.run("learn data/car.csv --model sgm").ends_with(2);
}

/// Compiles a drawing where LaTeX with TikZ is installed; elsewhere there is nothing to compile it with.
#[test]
fn a_tikz_drawing_is_a_document_that_latex_takes() {
    let sandbox = Sandbox::with_model();
    sandbox.run("draw m.model.json -o graph.tex").succeeds();
    let folder = sandbox.path("");
    let has = |file| {
        std::process::Command::new("kpsewhich").arg(file).output().is_ok_and(|done| done.status.success())
    };
    if !(has("standalone.cls") && has("tikz.sty")) {
        return;
    }
    let latex = std::process::Command::new("pdflatex")
        .args(["-halt-on-error", "-interaction=nonstopmode", "graph.tex"])
        .current_dir(&folder)
        .output();
    let Ok(done) = latex else { return };
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    assert!(folder.join("graph.pdf").exists());
}
