//! Asking a model from the command line: answers, their JSON, and refusals with exit code 2.

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
    // Weights whose product is no number.
    let weights = "smoking=no:1e200,yes:2e200";
    let twice = json(&["query", model(), "--soft", weights, "--soft", weights, "--target", "smoking"]);
    let found = &twice["soft"]["smoking"];
    assert!((found["no"].as_f64().unwrap() - 0.25).abs() < 1e-9 && found["yes"] == 1.0, "{found}");
}

#[test]
fn bad_questions_are_refused() {
    let table = data("coronary_heart.csv");
    let word = |word| match word {
        "MODEL" => model(),
        "DATA" => table.as_str(),
        _ => word,
    };
    for (question, says) in [
        ("query MODEL --given smokng=yes", "did you mean \"smoking\"?"),
        ("query MODEL --given smoking=yess", "did you mean \"yes\"?"),
        ("query MODEL --given smoking=yes --given smoking=no", "given twice"),
        ("query MODEL --given smoking=yes --target smoking", "both a target and given"),
        ("query MODEL --given smoking=yes --soft smoking=no:1", "probability 0"),
        ("query MODEL --target nothing", "there is no variable \"nothing\""),
        ("predict MODEL DATA --target smokin", "did you mean \"smoking\"?"),
        ("query MODEL --soft smoking=yes:1 --soft smoking=no:1", "probability 0"),
        ("query MODEL --method gibbs --map --chains 1", "chains"),
        ("query MODEL --method gibbs --map --chains 1", "from 2 to 10000"),
        ("sample MODEL -n 3 --method bp", "draws no rows"),
        ("sample MODEL -n 3 -o no/such/folder.csv", "there is no folder"),
        ("export MODEL -o no/such/folder.uai", "there is no folder"),
    ] {
        let said = refusal(&question.split(' ').map(word).collect::<Vec<_>>());
        assert!(said.contains(says), "{question}: {said}");
    }
    cmnet().args(["sample", model(), "-n", "18446744073709551615", "--format", "json"]).assert().code(3);
}

/// A grid whose trees do not fit 1 MiB, imported from a file of the test's own making.
fn wide(folder: &Path) -> String {
    let side = 20;
    let mut scopes = Vec::new();
    for at in 0..side * side {
        scopes.extend((at % side + 1 < side).then_some((at, at + 1)));
        scopes.extend((at + side < side * side).then_some((at, at + side)));
    }
    let kind = format!("MARKOV {} {}{}", side * side, "2 ".repeat(side * side), scopes.len());
    let lines = scopes.iter().map(|(one, other)| format!("2 {one} {other}"));
    let table = |place: usize| format!("4 {} 1 {} 2", 1 + place * 7 % 5, 1 + place * 3 % 4);
    let text: Vec<String> = [kind].into_iter().chain(lines).chain((0..scopes.len()).map(table)).collect();
    let text = text.join("\n");
    let (file, model) = (folder.join("grid.uai"), folder.join("grid.json"));
    std::fs::write(&file, text).unwrap();
    cmnet().arg("import").arg(&file).arg("-o").arg(&model).assert().success();
    model.display().to_string()
}

#[test]
fn what_does_not_fit_is_approximated_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let grid = wide(folder.path());
    let tight = |more: &[&str]| {
        let mut arguments =
            vec!["query", grid.as_str(), "--memory", "1M", "--sweeps", "400", "--warm-up", "100"];
        arguments.extend(more);
        json(&arguments)
    };
    let map = tight(&["--map"]);
    assert_eq!((&map["method"], &map["proven"]), (&"gibbs".into(), &false.into()));
    assert_eq!(map["map"].as_object().unwrap().len(), 400);
    assert!(map["log_probability"].is_null() && map["log_weight"].is_number());
    assert!(map["reason"].as_str().unwrap().contains("does not fit"), "{}", map["reason"]);
    assert!(map["approximation"]["agreeing"].as_u64().unwrap() >= 1);
    let messages = tight(&["--map", "--method", "bp"]);
    assert_eq!(messages["method"], "bp");
    assert!(messages["log_weight"].as_f64().unwrap() <= map["log_weight"].as_f64().unwrap() + 1e-6);
    let joint = tight(&["--joint", "--information", "--target", "X0,X21"]);
    assert_eq!((&joint["method"], &joint["joint"]["method"]), (&"gibbs".into(), &"gibbs".into()));
    assert!(joint["joint"]["approximation"]["r_hat"].as_f64().unwrap() >= 1.0);
    assert!(joint["information"]["joint_entropy"].as_f64().unwrap() > 0.0);
    let some = tight(&["--map", "--target", "X0,X399"]);
    assert_eq!(some["map"].as_object().unwrap().len(), 2);
    assert!(some["approximation"]["share"].as_f64().unwrap() > 0.2);
    let said = cmnet()
        .args(["query", &grid, "--memory", "1M", "--map", "--sweeps", "40"])
        .assert()
        .success()
        .get_output()
        .clone();
    let text = String::from_utf8(said.stdout).unwrap();
    assert!(text.contains("NOT proven to be the most probable"), "{text}");
    for exact in [["--map"], ["--joint"]] {
        let mut arguments = vec!["query", grid.as_str(), "--memory", "1M", "--method", "exact"];
        arguments.extend(exact);
        cmnet().args(&arguments).assert().code(3);
    }
}

#[test]
fn what_tables_will_take_is_said_before_they_are_made() {
    let table = data("coronary_heart.csv");
    let commands: [&[&str]; 5] = [
        &["query", model()],
        &["query", model(), "--map"],
        &["sample", model(), "-n", "2"],
        &["explain", model()],
        &["predict", model(), &table, "--target", "smoking"],
    ];
    for command in commands {
        for format in ["text", "json"] {
            let run = |more: &[&str]| {
                let output = cmnet().args(command).args(["--format", format]).args(more).assert().success();
                String::from_utf8(output.get_output().stderr.clone()).unwrap()
            };
            let first = run(&[]).lines().next().unwrap_or_default().to_owned();
            assert!(
                first.starts_with("cmnet: exact: ") && first.contains(" bytes"),
                "{command:?}: {first:?}"
            );
            assert!(!run(&["--quiet"]).contains("cmnet: exact"), "{command:?}");
        }
        let answer = json(command);
        let bytes =
            if answer["tree"].is_object() { &answer["tree"]["bytes"] } else { &answer["tables"]["bytes"] };
        assert!(bytes.as_u64().unwrap() > 0, "{command:?}: {answer}");
    }
    // Beyond the memory nothing is made, whatever is asked.
    let folder = tempfile::tempdir().unwrap();
    let grid = wide(folder.path());
    let output =
        cmnet().args(["sample", &grid, "-n", "1", "--memory", "1M", "--method", "exact"]).assert().code(3);
    let said = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(said.lines().next().unwrap().contains("takes at least"), "{said}");
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
    // No rows stand behind the parameters, and nothing pretends that some do.
    let file: Value = serde_json::from_slice(&std::fs::read(&back).unwrap()).unwrap();
    let parameters = &file["parameters"];
    assert_eq!((&parameters["method"], &parameters["status"]), (&"imported".into(), &"not-estimated".into()));
    assert!(parameters.get("rows").is_none() && parameters.get("gradient").is_none());
    let table = data("coronary_heart.csv");
    let (own, again) = (json(&["evaluate", model(), &table]), json(&["evaluate", &back, &table]));
    let gap = own["log_likelihood"].as_f64().unwrap() - again["log_likelihood"].as_f64().unwrap();
    assert!(gap.abs() < 1e-9, "{gap}");
    let checked = json(&["check", &back, &table, "--skip-optimality"]);
    assert!(checked["agrees"].as_bool().unwrap() && checked["parameters"]["gradient"].is_null());
    assert!(json(&["explain", &back])["edges"][0]["information"].is_number());
    let mut claims = file.clone();
    claims["parameters"]["rows"] = 1.into();
    std::fs::write(&back, claims.to_string()).unwrap();
    let said = refusal(&["query", &back]);
    assert!(said.contains("were not estimated"), "{said}");
    std::fs::write(&network, "MARKOV 2 2 2 1 2 0 1 4 1 0 0 1").unwrap();
    let said = refusal(&["import", &network, "-o", &path("zero.json")]);
    assert!(said.contains("positive probability"), "{said}");
    let said = refusal(&["export", model(), "-o", &path("heart.xml")]);
    assert!(said.contains(".uai"), "{said}");
}

/// Names that contain what separates them elsewhere.
#[test]
fn names_with_commas_and_equals_signs_can_be_typed() {
    let folder = tempfile::tempdir().unwrap();
    let (table, model) = (folder.path().join("t.csv"), folder.path().join("m.json"));
    let (table, model) = (table.to_str().unwrap(), model.to_str().unwrap());
    std::fs::write(table, "\"a,b\",score=1,c\n0,1,x\n1,2,y\n0,1,y\n1,2,x\n").unwrap();
    cmnet().args(["learn", table, "-o", model]).assert().success();
    for (columns, names) in
        [("--drop=\"a,b\"", vec!["score=1", "c"]), ("--columns=c,\"a,b\"", vec!["a,b", "c"])]
    {
        let described = json(&["describe", table, columns]);
        let found: Vec<&str> =
            described["variables"].as_array().unwrap().iter().map(|v| v["name"].as_str().unwrap()).collect();
        assert_eq!(found, names);
    }
    let answer = json(&["query", model, "--given", "\"a,b\"=\"1\",score=1=2", "--soft", "c=x:1,y:3"]);
    assert_eq!(
        (answer["given"]["a,b"].as_str(), answer["given"]["score=1"].as_str()),
        (Some("1"), Some("2"))
    );
    json(&["query", model, "--soft", "score=1=1:0.8,2:0.2"]);
    let said = refusal(&["query", model, "--given", "score=1=3"]);
    assert!(said.contains("\"3\" is not a level of \"score=1\""), "{said}");
    let said = refusal(&["query", model, "--soft", "c=x:1,x:2"]);
    assert!(said.contains("\"x\" is given two weights"), "{said}");
    let said = refusal(&["query", model, "--soft", "c=x:1,y:-1"]);
    assert!(said.contains("the weight of \"y\" of \"c\" is -1"), "{said}");
}

#[test]
fn samples_go_to_a_file_in_either_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    cmnet().args(["sample", model(), "-n", "5", "-o", &path("text.csv")]).assert().success();
    let answer = json(&["sample", model(), "-n", "5", "-o", &path("json.csv")]);
    let text = std::fs::read_to_string(path("text.csv")).unwrap();
    assert_eq!(std::fs::read_to_string(path("json.csv")).unwrap(), text);
    assert_eq!((text.lines().count(), answer["rows"].as_array().unwrap().len()), (6, 5));
}

#[test]
fn independence_is_answered_with_its_reason() {
    let yes = [
        "independent",
        model(),
        "smoking",
        "--of",
        "systolic_blood_pressure",
        "--context",
        "lipoprotein_ratio=>=3",
    ];
    let answer = json(&yes);
    assert_eq!((&answer["independent"], &answer["reason"]), (&Value::from(true), &Value::from("contexts")));
    let no = [
        "independent",
        model(),
        "smoking",
        "--of",
        "systolic_blood_pressure",
        "--given",
        "lipoprotein_ratio",
    ];
    let output = cmnet().args(no).assert().code(1);
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(text.contains("open when lipoprotein_ratio = <3: smoking - systolic_blood_pressure"), "{text}");
    assert!(
        refusal(&["independent", model(), "smoking", "--of", "smoking"]).contains("name each variable once")
    );
    assert!(refusal(&["independent", model(), "smokng", "--of", "smoking"]).contains("smoking"));
}

#[test]
fn the_mathematics_is_shown_with_and_without_parameters() {
    let table = data("coronary_heart.csv");
    let all = ["explain", model(), "--restrictions", "--terms", "--classes", "smoking", "--data", &table];
    let shown = json(&all);
    let counts =
        |class: &Value| class["counts"]["no"].as_u64().unwrap() + class["counts"]["yes"].as_u64().unwrap();
    let classes = shown["classes"]["classes"].as_array().unwrap();
    assert_eq!(classes.iter().map(counts).sum::<u64>(), 1841);
    for one in shown["restrictions"].as_array().unwrap() {
        assert!(one["sum"].as_f64().unwrap().abs() < 1e-12, "{one}");
    }
    let terms = shown["terms"].as_array().unwrap();
    assert_eq!(terms.len() - 1 - shown["restrictions"].as_array().unwrap().len(), 10);
    let folder = tempfile::tempdir().unwrap();
    let bare = folder.path().join("bare.model.json");
    let mut stripped: Value = serde_json::from_slice(&std::fs::read(heart()).unwrap()).unwrap();
    stripped.as_object_mut().unwrap().remove("parameters");
    std::fs::write(&bare, stripped.to_string()).unwrap();
    let bare = bare.to_str().unwrap();
    let shown = json(&["explain", bare, "--terms", "--classes", "smoking"]);
    assert!(shown["terms"][1]["value"].is_null() && shown["classes"]["classes"][0]["counts"].is_null());
    let output = cmnet().args(["explain", bare, "--terms", "--classes", "smoking"]).assert().success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(
        text.contains("No counts: name a table with --data.") && text.contains("run cmnet fit"),
        "{text}"
    );
    assert!(refusal(&["explain", model(), "--classes", "smokng"]).contains("smoking"));
    // Evidence is told beside them, not passed over.
    let known = ["explain", model(), "--terms", "--given", "lipoprotein_ratio=>=3"];
    let text = String::from_utf8(cmnet().args(known).assert().success().get_output().stdout.clone()).unwrap();
    assert!(text.contains("Terms: log p(x)") && text.contains("Markov blankets"), "{text}");
}

#[test]
fn the_best_structure_is_proven_saved_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    let best = folder.path().join("best.model.json");
    let (table, best) = (data("coronary_heart.csv"), best.to_str().unwrap());
    let found = json(&["exact", &table, "-o", best]);
    assert_eq!((&found["format"], &found["proven"]), (&Value::from("cmnet-exact/1"), &Value::from(true)));
    assert_eq!(found["score"], found["bound"]);
    let greedy = json(&["learn", &table, "--kappa", "eps"]);
    assert_eq!(found["greedy_score"], greedy["models"][0]["score"]);
    assert!(found["greedy_gap"].as_f64().unwrap() >= 0.0);
    cmnet().args(["check", best, &table]).assert().success();
    let four = "family_anamnesis,strenuous_mental_work";
    let contexts = json(&["exact", &table, "--drop", four, "--kappa", "n^-0.25"]);
    assert!(contexts["proven"].as_bool().unwrap() && !contexts["contexts"].as_array().unwrap().is_empty());
    let arguments = ["learn", &table, "--drop", four, "--kappa", "n^-0.25", "--search", "exact"];
    let learned = json(&arguments);
    assert_eq!((&learned["search"], &learned["stop"]), (&Value::from("exact"), &Value::from("converged")));
    assert_eq!(learned["models"][0]["contexts"], contexts["contexts"]);
    assert_eq!(learned["models"][0]["score"], contexts["score"]);
    let output = cmnet().args(["exact", &table, "--kappa", "n^-0.5"]).assert().code(3);
    let said = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(said.contains("16") && said.contains("kappa eps"), "{said}");
    let output =
        cmnet().args(["exact", &data("contraceptive.csv"), "--time-limit", "0.001s"]).assert().code(3);
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(text.contains("upper bound"), "{text}");
}
