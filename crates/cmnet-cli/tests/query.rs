//! Asking a model from the command line: answers, their JSON, and refusals with exit code 2.
#![allow(clippy::unwrap_used, reason = "helpers of tests, not only tests")]

use assert_cmd::Command;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tempfile::TempDir;

fn cmnet() -> Command {
    Command::cargo_bin("cmnet").unwrap()
}

fn data(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data").join(name).display().to_string()
}

/// The coronary heart model with contexts, learned once.
fn heart() -> &'static Path {
    static MODEL: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = MODEL.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("heart.model.json");
        let table = data("coronary_heart.csv");
        cmnet().args(["learn", &table, "--kappa", "n^-0.5", "-o"]).arg(&path).assert().success();
        (folder, path)
    });
    path
}

fn json(arguments: &[&str]) -> Value {
    let output =
        cmnet().args(arguments).args(["--format", "json"]).assert().success().get_output().stdout.clone();
    serde_json::from_slice(&output).unwrap()
}

/// What is said when a question is refused with exit code 2.
fn refusal(arguments: &[&str]) -> String {
    let output = cmnet().args(arguments).assert().code(2).get_output().clone();
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

fn model() -> &'static str {
    heart().to_str().unwrap()
}

#[test]
fn a_query_gives_distributions_by_name() {
    let answer =
        json(&["query", model(), "--given", "smoking=yes", "--target", "lipoprotein_ratio,family_anamnesis"]);
    assert_eq!(answer["format"], "cmnet-query/1");
    assert_eq!(answer["method"], "exact");
    let marginals = answer["marginals"].as_object().unwrap();
    assert_eq!(marginals.keys().collect::<Vec<_>>(), ["lipoprotein_ratio", "family_anamnesis"]);
    for distribution in marginals.values() {
        let sum: f64 = distribution.as_object().unwrap().values().map(|p| p.as_f64().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-12);
    }
    // The empirical proportion of the level among smokers, which the fitted edge reproduces.
    assert!(answer["log_evidence"].as_f64().unwrap() < 0.0);
    let text = cmnet().args(["query", model(), "--given", "smoking=yes"]).assert().success();
    let text = String::from_utf8(text.get_output().stdout.clone()).unwrap();
    assert!(text.contains("given smoking = yes") && text.contains("Method: exact"), "{text}");
}

#[test]
fn methods_agree_and_say_what_they_did() {
    let exact = json(&["query", model(), "--given", "smoking=yes"]);
    for (method, tolerance) in [("gibbs", 0.03), ("bp", 0.05)] {
        let other = json(&["query", model(), "--given", "smoking=yes", "--method", method]);
        assert_eq!(other["method"], method);
        assert!(other["approximation"].is_object());
        for (name, distribution) in exact["marginals"].as_object().unwrap() {
            for (level, p) in distribution.as_object().unwrap() {
                let q = other["marginals"][name][level].as_f64().unwrap();
                assert!((p.as_f64().unwrap() - q).abs() < tolerance, "{method} {name} {level}");
            }
        }
    }
}

#[test]
fn the_most_probable_completion_covers_what_is_not_given() {
    let all = json(&["query", model(), "--given", "smoking=yes", "--map"]);
    assert_eq!(all["map"].as_object().unwrap().len(), 5);
    let some = json(&["query", model(), "--given", "smoking=yes", "--map", "--target", "family_anamnesis"]);
    assert_eq!(some["map"]["family_anamnesis"], "negative");
    assert!(some["log_probability"].as_f64().unwrap() > all["log_probability"].as_f64().unwrap());
}

#[test]
fn joint_information_and_soft_evidence() {
    let answer = json(&[
        "query",
        model(),
        "--soft",
        "smoking=yes:0.8,no:0.2",
        "--target",
        "lipoprotein_ratio,smoking",
        "--joint",
        "--information",
    ]);
    let cells = answer["joint"]["cells"].as_array().unwrap();
    let sum: f64 = cells.iter().map(|cell| cell["probability"].as_f64().unwrap()).sum();
    assert!(cells.len() == 4 && (sum - 1.0).abs() < 1e-12);
    assert!(answer["information"]["mutual_information"][0]["nats"].as_f64().unwrap() > 0.0);
    // Levels that contain what separates them elsewhere.
    let odd = json(&[
        "query",
        model(),
        "--given",
        "lipoprotein_ratio=>=3,smoking=no",
        "--target",
        "family_anamnesis",
    ]);
    assert_eq!(odd["given"]["lipoprotein_ratio"], ">=3");
}

#[test]
fn bad_questions_are_refused() {
    let said = refusal(&["query", model(), "--given", "smokng=yes"]);
    assert!(said.contains("did you mean \"smoking\"?"), "{said}");
    let said = refusal(&["query", model(), "--given", "smoking=yess"]);
    assert!(said.contains("did you mean \"yes\"?"), "{said}");
    let said = refusal(&["query", model(), "--given", "smoking=yes", "--given", "smoking=no"]);
    assert!(said.contains("given twice"), "{said}");
    let said = refusal(&["query", model(), "--given", "smoking=yes", "--target", "smoking"]);
    assert!(said.contains("both a target and given"), "{said}");
    let said = refusal(&["query", model(), "--given", "smoking=yes", "--soft", "smoking=no:1"]);
    assert!(said.contains("probability 0"), "{said}");
    let said = refusal(&["query", model(), "--target", "nothing"]);
    assert!(said.contains("there is no variable \"nothing\""), "{said}");
    let said = refusal(&["predict", model(), &data("coronary_heart.csv"), "--target", "smokin"]);
    assert!(said.contains("did you mean \"smoking\"?"), "{said}");
}

#[test]
fn a_structure_without_parameters_is_sent_to_fit() {
    let folder = tempfile::tempdir().unwrap();
    let bare = folder.path().join("bare.model.json");
    let mut model: Value = serde_json::from_slice(&std::fs::read(heart()).unwrap()).unwrap();
    model.as_object_mut().unwrap().remove("parameters");
    std::fs::write(&bare, model.to_string()).unwrap();
    let said = refusal(&["query", bare.to_str().unwrap()]);
    assert!(said.contains("cmnet fit"), "{said}");
    let explained = json(&["explain", bare.to_str().unwrap()]);
    assert!(explained["edges"][0]["information"].is_null());
}

#[test]
fn predictions_come_with_scores_and_bear_missing_cells() {
    let answer =
        json(&["predict", model(), &data("coronary_heart.csv"), "--target", "strenuous_physical_work"]);
    assert_eq!(answer["format"], "cmnet-predict/1");
    assert_eq!(answer["rows"].as_array().unwrap().len(), 1841);
    assert!(answer["accuracy"].as_f64().unwrap() > 0.6 && answer["log_loss"].as_f64().unwrap() < 0.69);
    let table = "smoking,strenuous_mental_work,other\nyes,,1\n?,no,2\nyes,no,3\n";
    let output = cmnet()
        .args(["predict", model(), "-", "--target", "strenuous_physical_work"])
        .write_stdin(table)
        .assert()
        .success()
        .get_output()
        .clone();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(text.starts_with("strenuous_physical_work,p(no),p(yes)\n"), "{text}");
}

#[test]
fn samples_are_tables_that_the_seed_determines() {
    let draw = |seed: &str| {
        let output = cmnet().args(["sample", model(), "-n", "300", "--seed", seed]).assert().success();
        String::from_utf8(output.get_output().stdout.clone()).unwrap()
    };
    assert_eq!(draw("5"), draw("5"));
    assert_ne!(draw("5"), draw("6"));
    assert_eq!(draw("5").lines().count(), 301);
    cmnet().args(["describe", "-"]).write_stdin(draw("5")).assert().success();
    let given = json(&["sample", model(), "-n", "20", "--given", "smoking=yes"]);
    assert!(given["rows"].as_array().unwrap().iter().all(|row| row[0] == "yes"));
}

#[test]
fn explanations_name_what_the_evidence_cuts() {
    let plain = json(&["explain", model()]);
    let context = &plain["contexts"][0];
    let (given, element) = (&context["given"], &context["elements"][0]);
    let mut arguments = vec!["explain".to_owned(), model().to_owned()];
    for (name, level) in given.as_array().unwrap().iter().zip(element.as_array().unwrap()) {
        arguments.push("--given".to_owned());
        arguments.push(format!("{}={}", name.as_str().unwrap(), level.as_str().unwrap()));
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let cut = json(&arguments);
    assert!(cut["cut_edges"].as_array().unwrap().contains(&context["edge"]), "{cut}");
    assert!(cut["edges"].as_array().unwrap().iter().all(|edge| edge["edge"] != context["edge"]));
    let text = cmnet().args(&arguments).assert().success().get_output().stdout.clone();
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("is cut:") && text.contains("independent when"), "{text}");
}

#[test]
fn uai_files_go_out_and_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (network, evidence, back) = (path("heart.uai"), path("heart.evid"), path("back.json"));
    cmnet()
        .args(["export", model(), "-o", &network, "--given", "smoking=yes", "--evidence-output", &evidence])
        .assert()
        .success();
    cmnet().args(["import", &network, "-o", &back, "--names", model()]).assert().success();
    let one = json(&["query", model(), "--evidence", &evidence]);
    let other = json(&["query", &back, "--given", "smoking=yes"]);
    for (name, distribution) in one["marginals"].as_object().unwrap() {
        for (level, p) in distribution.as_object().unwrap() {
            let q = other["marginals"][name][level].as_f64().unwrap();
            assert!((p.as_f64().unwrap() - q).abs() < 1e-10, "{name} {level}");
        }
    }
    let said = refusal(&["export", model(), "-o", &path("heart.xml")]);
    assert!(said.contains(".uai"), "{said}");
}
