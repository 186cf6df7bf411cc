//! `--components`: a mixture from the command line, asked, drawn and checked.

use crate::common::Sandbox;
use serde_json::Value;

const LEARN: &str = "learn data/coronary_heart.csv --components 2";

fn with_mixture() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.run(&format!("{LEARN} -o mix.json")).succeeds().says(&[
        "class",
        "share",
        "EM ended after",
        "wrote mix.json and mix-1.svg and mix-2.svg",
    ]);
    sandbox
}

#[test]
fn a_mixture_is_learned_checked_and_asked() {
    let sandbox = with_mixture();
    sandbox.run("check mix.json data/coronary_heart.csv").succeeds().says(&["The referee agrees."]);
    let answer = sandbox.json("query mix.json --given smoking=yes --target lipoprotein_ratio --joint");
    let sum: f64 = answer["classes"].as_array().unwrap().iter().filter_map(Value::as_f64).sum();
    assert!((sum - 1.0).abs() < 1e-12);
    assert_eq!((&answer["format"], &answer["method"]), (&"cmnet-query/1".into(), &"exact".into()));
    let map = sandbox.json("query mix.json --map");
    assert_eq!(map["proven"], true);
    let evaluated = sandbox.json("evaluate mix.json data/coronary_heart.csv");
    assert_eq!((&evaluated["rows"], &evaluated["parameters"]), (&1841.into(), &16.into()));
    let predicted = sandbox.json("predict mix.json data/coronary_heart.csv --target smoking");
    assert!(predicted["accuracy"].as_f64().unwrap() > 0.5);
    let rows = sandbox.json("sample mix.json -n 5 --given smoking=no --seed 3");
    assert_eq!(rows["rows"].as_array().unwrap().len(), 5);
    let told = sandbox.run("explain mix.json").succeeds();
    told.says(&["Class 2", "Edges that hold only in some classes", "and not in class"]);
    let compared = sandbox.json("compare mix.json mix.json --data data/coronary_heart.csv");
    assert_eq!(compared["log_likelihood"][0], evaluated["log_likelihood"]);
    sandbox.run("draw mix.json -o graph.dot").succeeds();
    assert!(sandbox.read("graph-2.dot").starts_with("graph"));
}

#[test]
fn the_answer_of_learn_keeps_its_fields_and_has_more() {
    let sandbox = Sandbox::new();
    let answer = sandbox.json(LEARN);
    assert_eq!(answer["format"], "cmnet-learn/1");
    assert_eq!(answer["models"].as_array().unwrap().len(), 2);
    assert_eq!(answer["selected"], Value::Null);
    assert_eq!(answer["mixture"]["weights"].as_array().unwrap().len(), 2);
    assert_eq!(answer, sandbox.json(&format!("{LEARN} --threads 1")));
    let auto = sandbox.json("learn data/coronary_heart.csv --components auto --kappa eps");
    assert!(auto["mixture"]["tried"].as_array().unwrap().len() >= 3);
    assert_eq!(auto["criterion"], "bic");
    // One class is a single network, byte for byte.
    sandbox.run("learn data/coronary_heart.csv --components 1 -o one.model.json").succeeds();
    sandbox.run("learn data/coronary_heart.csv -o plain.model.json").succeeds();
    assert_eq!(sandbox.read("one.model.json"), sandbox.read("plain.model.json"));
}

#[test]
fn what_a_mixture_cannot_do_is_refused() {
    let sandbox = with_mixture();
    for (command, says) in [
        ("score mix.json data/coronary_heart.csv", "this is a mixture of networks"),
        ("query mix.json --method gibbs", "the networks of a mixture are exact"),
        ("query mix.json --intervals", "no standard errors"),
        ("explain mix.json --terms", "those of one network"),
        ("compare mix.json mix.json", "none are given"),
        ("learn data/coronary_heart.csv --components 0", "from 1 to 1000, or auto"),
        ("learn data/coronary_heart.csv --components 2 --method pseudo", "normalised networks"),
        ("learn data/coronary_heart.csv --components 2 --target smoking", "no target beside components"),
        ("learn data/coronary_heart.csv --components 2 --checkpoint c", "--components does not use this"),
        ("learn data/coronary_heart.csv --components 2 --select none --kappa eps", "bic, heldout or cv"),
    ] {
        sandbox.run(command).refused(2, &[says]);
    }
    let mut wrong: Value = serde_json::from_str(&sandbox.read("mix.json")).unwrap();
    wrong["fit"]["log_likelihood"] = (-6000.0).into();
    sandbox.write("wrong.json", wrong.to_string());
    sandbox.run("check wrong.json data/coronary_heart.csv").ends_with(1).says(&["DISAGREES"]);
    wrong["components"][1]["edges"][0][0] = "smokin".into();
    sandbox.write("wrong.json", wrong.to_string());
    sandbox.run("query wrong.json").refused(2, &["components[1].edges[0]", "did you mean"]);
}
