//! How sure: intervals, tests, confirmed contexts, and support where a model has it.

use crate::common::{Sandbox, has_fields};
use serde_json::Value;

fn ends(known: &Value) -> [f64; 3] {
    let interval = known["interval"].as_array().unwrap();
    [&interval[0], &known["value"], &interval[1]].map(|number| number.as_f64().unwrap())
}

#[test]
fn explain_gives_intervals_of_strengths_odds_ratios_and_terms() {
    let sandbox = Sandbox::with_model();
    let answer = sandbox.json("explain m.model.json --intervals");
    has_fields(&answer, "intervals.edges[].strength.error intervals.terms[].interval intervals.terms[].term");
    let edges = answer["intervals"]["edges"].as_array().unwrap();
    assert_eq!(edges.len(), 6);
    let strengths = answer["edges"].as_array().unwrap();
    for (edge, plain) in edges.iter().zip(strengths) {
        let [low, value, high] = ends(&edge["strength"]);
        assert!(low <= value && value < high);
        assert!((value - plain["information"].as_f64().unwrap()).abs() < 1e-9, "{edge} {plain}");
        for effect in edge["effects"].as_array().unwrap() {
            let [low, value, high] = ends(&effect["log_odds_ratios"][0]);
            assert_eq!(effect["cut"] == true, low == 0.0 && high == 0.0 && value == 0.0);
        }
    }
    sandbox.run("explain m.model.json --intervals").succeeds().says(&[
        "Intervals (95 %)",
        "lipoprotein_ratio = >=3: cut off",
        "cmnet bootstrap",
    ]);
    let plain = sandbox.json("explain m.model.json");
    assert!(plain.get("intervals").is_none());
    assert_eq!(plain["support"], Value::Null);
}

#[test]
fn query_gives_intervals_of_probabilities() {
    let sandbox = Sandbox::with_model();
    let answer =
        sandbox.json("query m.model.json --given smoking=yes --target lipoprotein_ratio --intervals");
    for (level, p) in answer["marginals"]["lipoprotein_ratio"].as_object().unwrap() {
        let [low, value, high] = ends(&answer["intervals"]["lipoprotein_ratio"][level]);
        assert!((value - p.as_f64().unwrap()).abs() < 1e-9);
        assert!(0.0 < low && low < value && value < high && high < 1.0);
    }
    sandbox.run("query m.model.json --target smoking --intervals").succeeds().says(&[" to 0."]);
    sandbox
        .run("query m.model.json --soft smoking=yes:0.8,no:0.2 --intervals")
        .refused(2, &["weighted evidence"]);
}

#[test]
fn pseudo_likelihood_needs_its_rows() {
    let sandbox = Sandbox::with_model();
    sandbox.run("fit m.model.json data/coronary_heart.csv --method pseudo -o p.json").succeeds();
    sandbox.run("explain p.json --intervals").refused(2, &["take the rows"]);
    let answer = sandbox.json("explain p.json --intervals --data data/coronary_heart.csv");
    let exact = sandbox.json("explain m.model.json --intervals");
    let error = |answer: &Value| answer["intervals"]["terms"][0]["error"].as_f64().unwrap();
    assert!((error(&answer) / error(&exact) - 1.0).abs() < 0.2, "{} {}", error(&answer), error(&exact));
    let rows: Vec<String> = std::fs::read_to_string(sandbox.path("data/coronary_heart.csv"))
        .unwrap()
        .lines()
        .map(String::from)
        .collect();
    sandbox.write("part.csv", rows[..rows.len() - 1].join("\n"));
    sandbox.run("explain p.json --intervals --data part.csv").refused(2, &["not the table"]);
}

#[test]
fn compare_tests_a_model_inside_another() {
    let sandbox = Sandbox::with_model();
    sandbox.run("learn data/coronary_heart.csv --kappa eps -o mn.model.json").succeeds();
    let answer = sandbox.json("compare mn.model.json m.model.json --data data/coronary_heart.csv");
    has_fields(&answer, "deviance[].deviance deviance[].degrees log_likelihood");
    let fits = ["m", "mn"].map(|name| {
        let file: Value = serde_json::from_str(&sandbox.read(&format!("{name}.model.json"))).unwrap();
        file["parameters"]["log_likelihood"].as_f64().unwrap()
    });
    let both = answer["deviance"].as_array().unwrap();
    let difference = both[0]["deviance"].as_f64().unwrap() - both[1]["deviance"].as_f64().unwrap();
    assert!((difference - 2.0 * (fits[0] - fits[1])).abs() < 1e-6);
    // One has an edge more, the other fewer contexts: neither is inside the other, or one is.
    if let Some(test) = answer["likelihood_ratio"].as_object() {
        assert!((test["statistic"].as_f64().unwrap() - difference.abs()).abs() < 1e-6);
    }
    sandbox.write("empty.json", EMPTY);
    sandbox.run("fit empty.json data/coronary_heart.csv -o none.json").succeeds();
    let answer = sandbox.json("compare m.model.json none.json");
    let test = &answer["likelihood_ratio"];
    assert_eq!((&test["inner"], &test["degrees"]), (&"second".into(), &4.into()));
    assert!(test["p_value"].as_f64().unwrap() < 1e-20);
    sandbox.run("compare m.model.json none.json").succeeds().says(&["likelihood-ratio test of the second"]);
}

/// The variables of the coronary heart data without an edge.
const EMPTY: &str = r#"{"format": "cmnet-model/1", "variables": [
  {"name": "smoking", "levels": ["no", "yes"]},
  {"name": "strenuous_mental_work", "levels": ["no", "yes"]},
  {"name": "strenuous_physical_work", "levels": ["no", "yes"]},
  {"name": "systolic_blood_pressure", "levels": ["<140", ">=140"]},
  {"name": "lipoprotein_ratio", "levels": ["<3", ">=3"]},
  {"name": "family_anamnesis", "levels": ["negative", "positive"]}], "edges": [], "contexts": []}"#;

#[test]
fn check_tests_edges_and_contexts_on_the_models_own_table() {
    let sandbox = Sandbox::with_model();
    let answer = sandbox.json("check m.model.json data/coronary_heart.csv --tests --skip-optimality");
    let tests = answer["tests"].as_array().unwrap();
    let (elements, edges): (Vec<&Value>, Vec<&Value>) =
        tests.iter().partition(|test| test["given"].is_object());
    assert_eq!((edges.len(), elements.len()), (15 - 6, 3));
    for test in tests {
        let (p, adjusted) = (test["p_value"].as_f64().unwrap(), test["adjusted"].as_f64().unwrap());
        assert!(p <= adjusted && adjusted <= 1.0 && test["degrees"].as_u64().unwrap() >= 1);
    }
    let text = sandbox.run("check m.model.json data/coronary_heart.csv --tests --skip-optimality").succeeds();
    text.says(&["Score tests", "edge ", "dependence ", "The referee agrees"]);
}

#[test]
fn confirmed_contexts_are_kept_with_their_effects_and_the_default_knows_nothing_of_them() {
    let sandbox = Sandbox::with_model();
    assert!(!sandbox.read("m.model.json").contains("confirmed"));
    let learn = "learn data/coronary_heart.csv --kappa n^-0.5 --contexts confirmed";
    let ran = sandbox.run(&format!("{learn} -o c.json")).succeeds();
    let file: Value = serde_json::from_str(&sandbox.read("c.json")).unwrap();
    let tested = file["confirmed"]["tested"].as_u64().unwrap();
    ran.says(&["confirmed: ", &format!(" of {tested} configurations"), "log odds ratio"]);
    let effects = file["confirmed"]["contexts"].as_array().unwrap();
    let kept: usize =
        file["contexts"].as_array().unwrap().iter().map(|c| c["elements"].as_array().unwrap().len()).sum();
    assert!(effects.len() == kept && tested > kept as u64, "{file}");
    assert!(effects.iter().all(|effect| effect["p_value"].as_f64().unwrap() >= 0.01));
    let answer = sandbox.json(learn);
    has_fields(&answer, "models[].confirmed.contexts[].interval models[].confirmed.contexts[].probability");
    sandbox.run("check c.json data/coronary_heart.csv").succeeds();
    sandbox
        .run("explain c.json")
        .succeeds()
        .says(&[&format!("Confirmed contexts ({tested} configurations were tested)")]);
    let removed = |ends: &str| {
        let known = format!("\"tested\": {tested}");
        sandbox.read("c.json").replacen(&known, &format!("{known}, \"removed\": [[{ends}]]"), 1)
    };
    sandbox.write("less.json", removed(r#""smoking", "family_anamnesis""#));
    let less = sandbox.json("explain less.json");
    assert_eq!(less["confirmed"]["removed"], serde_json::json!([["smoking", "family_anamnesis"]]));
    sandbox.write("same.json", removed(r#""smoking", "lipoprotein_ratio""#));
    sandbox.run("explain same.json").refused(2, &["confirmed", "left out"]);
    sandbox.write("nobody.json", removed(r#""smoking", "nobody""#));
    sandbox.run("explain nobody.json").refused(2, &["confirmed.removed[0]"]);
    let broken = sandbox.read("c.json").replacen(&format!("\"tested\": {tested}"), "\"tested\": 0", 1);
    sandbox.write("broken.json", broken);
    sandbox.run("explain broken.json").refused(2, &["confirmed"]);
}

#[test]
fn bic_chooses_between_all_contexts_and_confirmed_ones() {
    let sandbox = Sandbox::new();
    let learn = |table: &str, contexts: &str, rest: &str| {
        sandbox.run(&format!("learn data/{table}.csv --kappa n^-0.5 --contexts {contexts} {rest}")).succeeds()
    };
    for (table, kept) in [("economic_activity", "all"), ("car", "confirmed")] {
        let words = if kept == "all" {
            "contexts: all of the search; BIC -"
        } else {
            "contexts: confirmed ones; BIC -"
        };
        learn(table, "auto", "-o auto.json").says(&[words, " with confirmed ones"]);
        learn(table, kept, "-o kept.json");
        assert_eq!(sandbox.read("auto.json"), sandbox.read("kept.json"));
        sandbox.run(&format!("check auto.json data/{table}.csv")).succeeds();
        let answer = sandbox.json(&format!("learn data/{table}.csv --kappa eps,n^-0.5 --contexts auto"));
        let [none, model] = &answer["models"].as_array().unwrap()[..] else { panic!("two") };
        assert!(none.get("contexts_chosen").is_none());
        let chosen = &model["contexts_chosen"];
        assert_eq!((&chosen["kept"], &chosen["criterion"]), (&kept.into(), &"bic".into()));
        assert_eq!(chosen[kept]["bic"], model["bic"]);
        assert_eq!(model.get("confirmed").is_some(), kept == "confirmed");
        has_fields(chosen, "all.log_prior confirmed.log_prior");
    }
    sandbox.run("learn data/coronary_heart.csv --model sgm --contexts auto").refused(2, &["--contexts"]);
}

/// In car, the cars of low safety are all unacceptable: whatever else they are, nothing can be estimated there.
#[test]
fn a_context_in_which_an_end_is_constant_is_confirmed_by_its_counts() {
    let sandbox = Sandbox::new();
    let learn = "learn data/car.csv --kappa n^-0.5 --contexts confirmed -o c.json";
    sandbox.run(learn).succeeds().says(&["only one level of persons or acceptability occurs"]);
    let file: Value = serde_json::from_str(&sandbox.read("c.json")).unwrap();
    let effects = file["confirmed"]["contexts"].as_array().unwrap();
    let constant = effects.iter().find(|effect| effect["log_odds_ratio"].is_null()).unwrap();
    assert_eq!(constant["edge"], serde_json::json!(["persons", "acceptability"]));
    assert!(constant["error"].is_null() && constant["probability"].as_f64().unwrap() > 0.9, "{constant}");
    let told = sandbox.json("explain c.json");
    let told = told["confirmed"]["contexts"].as_array().unwrap();
    assert!(told.iter().any(|effect| effect["interval"].is_null() && effect["p_value"] == 1.0), "{told:?}");
    sandbox.run("check c.json data/car.csv").succeeds();
    let half = sandbox.read("c.json").replacen("\"error\": null", "\"error\": 0.1", 1);
    sandbox.write("half.json", half);
    sandbox.run("explain half.json").refused(2, &["confirmed.contexts[", "standard error"]);
    // Where some odds ratios of a configuration are open, the others are not.
    let odds = sandbox.json("explain c.json --intervals");
    let pairs = |effect: &Value| effect["log_odds_ratios"].as_array().unwrap().clone();
    let edges = odds["intervals"]["edges"].as_array().unwrap();
    let mut all = edges.iter().flat_map(|edge| edge["effects"].as_array().unwrap()).map(pairs);
    let is_open = |pair: &Value| pair["interval"].is_null();
    assert!(all.any(|pairs| pairs.iter().any(is_open) && !pairs.iter().all(is_open)));
}

#[test]
fn a_model_with_support_shows_it() {
    let sandbox = Sandbox::new();
    sandbox.run("bootstrap data/coronary_heart.csv --replicates 20 --kappa n^-0.5 -o s.json").succeeds();
    sandbox.run("explain s.json").succeeds().says(&["Support in 20 resamples", "conclusive"]);
    has_fields(
        &sandbox.json("explain s.json"),
        "support.edges[].verdict support.contexts support.replicates",
    );
}
