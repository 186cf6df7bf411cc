//! `bootstrap --ensemble`: networks of resamples, asked and checked.

use crate::common::{Sandbox, near, number};
use serde_json::Value;

const MAKE: &str = "bootstrap data/coronary_heart.csv --replicates 12 --kappa n^-0.5 --ensemble e.json";

fn with_ensemble() -> Sandbox {
    let sandbox = Sandbox::new();
    let made = sandbox.run(MAKE).succeeds();
    assert!(made.stderr.contains("wrote e.json: 12 networks"), "{}", made.stderr);
    sandbox
}

#[test]
fn an_ensemble_answers_with_means_and_spreads() {
    let sandbox = with_ensemble();
    let asked = "query e.json --given smoking=yes --target lipoprotein_ratio";
    let answer = sandbox.json(asked);
    assert_eq!((&answer["format"], &answer["method"]), (&"cmnet-query/1".into(), &"exact".into()));
    assert_eq!((&answer["ensemble"]["members"], &answer["ensemble"]["left_out"]), (&12.into(), &0.into()));
    // The same from the networks one by one, each as a model file of its own.
    let file: Value = serde_json::from_str(&sandbox.read("e.json")).unwrap();
    let mut sum = 0.0;
    for member in file["members"].as_array().unwrap() {
        let mut model = file.clone();
        let fields = model.as_object_mut().unwrap();
        fields.retain(|name, _| ["program", "variables"].contains(&name.as_str()));
        fields.insert("format".to_owned(), "cmnet-model/1".into());
        for (name, value) in member.as_object().unwrap().iter().filter(|(name, _)| *name != "replicate") {
            fields.insert(name.clone(), value.clone());
        }
        sandbox.write("one.json", model.to_string());
        let one = sandbox.json("query one.json --given smoking=yes --target lipoprotein_ratio");
        sum += number(&one["marginals"]["lipoprotein_ratio"]["<3"]);
    }
    near(&answer["marginals"]["lipoprotein_ratio"]["<3"], sum / 12.0, 1e-12);
    let spread = &answer["spread"]["lipoprotein_ratio"]["<3"];
    near(&spread["error"], number(&spread["deviation"]) * (0.632f64 / 0.368).sqrt(), 1e-12);
    assert!(number(&spread["range"][0]) < number(&spread["range"][1]));
    sandbox.run(asked).succeeds().says(&["sd 0.0", "se 0.0", "networks of 12 resamples", "Method: exact"]);
}

#[test]
fn an_ensemble_is_explained_drawn_and_evaluated() {
    let sandbox = with_ensemble();
    let answer = sandbox.json("explain e.json --given smoking=yes");
    assert_eq!((&answer["format"], &answer["given"]["smoking"]), (&"cmnet-explain/1".into(), &"yes".into()));
    let edges = answer["edges"].as_array().unwrap();
    let of_smoking = |edge: &Value| edge["edge"].as_array().unwrap().contains(&"smoking".into());
    for edge in edges {
        assert!(number(&edge["support"]) > 0.0 && number(&edge["support"]) <= 1.0);
        assert_eq!(edge["strength"].is_null(), of_smoking(edge), "{edge}");
    }
    assert!(edges.iter().any(|edge| edge["count"] == 12));
    let text = "explain e.json";
    sandbox.run(text).succeeds().says(&[
        "The networks of 12 resamples",
        "strength in nats",
        "Consensus (support 0.6 or more)",
        " sd 0.",
    ]);
    // The same support as the consensus of the same resamples, drawn in the same way.
    sandbox.run("bootstrap data/coronary_heart.csv --replicates 12 --kappa n^-0.5 -o c.json").succeeds();
    let explained = sandbox.json("explain c.json");
    assert_eq!(
        explained["support"]["edges"].as_array().unwrap().len(),
        answer["consensus"]["edges"].as_array().unwrap().len()
    );
    sandbox.run("draw e.json -o e.svg").succeeds();
    sandbox.run("draw c.json --support -o c.svg").succeeds();
    assert_eq!(sandbox.read("e.svg"), sandbox.read("c.svg"));
    sandbox.run("draw e.json -o - --widths").succeeds();
    sandbox.run("draw e.json -o w.svg --widths --positions e.svg").succeeds();
    assert_ne!(sandbox.read("w.svg"), sandbox.read("e.svg"));
    let found = sandbox.json("evaluate e.json data/coronary_heart.csv");
    assert!(found["parameters"].is_null() && found["bic"].is_null());
    assert!(number(&found["log_likelihood"]) > number(&found["alone"]["mean"]));
    sandbox.run("evaluate e.json data/coronary_heart.csv").succeeds().says(&[
        "by each network alone",
        ", sd 0.",
        "not available: an ensemble",
    ]);
    let asked = "query e.json --target smoking,lipoprotein_ratio --given family_anamnesis=negative";
    let joint = sandbox.json(&format!("{asked} --joint --information"));
    let cells = joint["joint"]["cells"].as_array().unwrap();
    let sum = |level: &str| -> f64 {
        let own = cells.iter().filter(|cell| cell["levels"][0] == level);
        own.map(|cell| number(&cell["probability"])).sum()
    };
    near(&joint["marginals"]["smoking"]["yes"], sum("yes"), 1e-12);
    assert!(number(&joint["information"]["joint_entropy"]) > 0.0);
    let told = sandbox.run(&format!("{asked} --joint --information")).succeeds();
    told.says(&["Joint distribution", "Entropy of the targets together"]);
}

#[test]
fn predictions_have_their_spread_beside_them() {
    let sandbox = with_ensemble();
    let predict = "predict e.json data/coronary_heart.csv --target smoking";
    let answer = sandbox.json(predict);
    assert!(number(&answer["accuracy"]) > 0.5);
    assert_eq!(answer["rows"][0]["spread"].as_array().unwrap().len(), 2);
    let told = sandbox.run(predict).succeeds();
    let head = "smoking,p(no),p(yes),sd(no),sd(yes),low(no),low(yes),high(no),high(yes)";
    assert_eq!(told.stdout.lines().next(), Some(head));
    assert_eq!(told.stdout.lines().nth(1).unwrap().split(',').count(), 9);
}

#[test]
fn the_referee_draws_every_resample_again() {
    let sandbox = with_ensemble();
    sandbox
        .run("check e.json data/coronary_heart.csv")
        .succeeds()
        .says(&["12 (12 examined)", "The referee agrees."]);
    // Another seed draws other resamples: the networks are not theirs.
    let text = sandbox.read("e.json").replacen("\"seed\": 1", "\"seed\": 2", 1);
    sandbox.write("other.json", text);
    let found = sandbox.run("check other.json data/coronary_heart.csv").ends_with(1);
    found.says(&["Networks that are not those of their resamples: 0, 1, 2", "DISAGREES"]);
}

#[test]
fn breaks_and_threads_leave_the_same_bytes() {
    let sandbox = with_ensemble();
    let whole = sandbox.read("e.json");
    sandbox.run(&MAKE.replace("e.json", "t.json --threads 1")).succeeds();
    assert_eq!(sandbox.read("t.json"), whole);
    let begun =
        MAKE.replace("--replicates 12", "--replicates 5 --checkpoint c.json").replace("e.json", "b.json");
    sandbox.run(&begun).succeeds();
    sandbox.run(&MAKE.replace("e.json", "r.json --checkpoint c.json --resume")).succeeds();
    assert_eq!(sandbox.read("r.json"), whole);
    let facts = sandbox.json(&MAKE.replace("e.json", "j.json"));
    assert_eq!(facts["ensemble"]["members"], 12);
}

#[test]
fn what_an_ensemble_does_not_do_is_refused() {
    let sandbox = with_ensemble();
    let data = "data/coronary_heart.csv";
    for command in ["sample e.json -n 3".to_owned(), format!("compare e.json e.json --data {data}")] {
        sandbox.run(&command).refused(2, &["an ensemble answers query, predict, evaluate, explain and draw"]);
    }
    for option in ["--map", "--intervals"] {
        let asked = format!("query e.json {option}");
        sandbox.run(&asked).refused(2, &["those of single variables with their spread"]);
    }
    for option in ["--restrictions", "--terms", "--classes smoking", "--intervals"] {
        sandbox.run(&format!("explain e.json {option}")).refused(2, &["those of one network"]);
    }
    sandbox.run("draw e.json -o e.json").refused(2, &["e.json"]);
    sandbox.run("query e.json --method gibbs").refused(2, &["the networks of an ensemble are exact"]);
    sandbox.run("export e.json -o m.uai").refused(2, &["this is an ensemble of networks"]);
    sandbox.run(&format!("{MAKE} --method pseudo")).refused(2, &["--method", "exact"]);
    sandbox.run(&format!("{MAKE} -o e.json")).refused(2, &["two things would be written here"]);
    sandbox.run(&MAKE.replace("12", "0")).refused(2, &["--replicates"]);
    let damaged = sandbox.read("e.json").replacen("\"replicate\": 3", "\"replicate\": 2", 1);
    sandbox.write("d.json", damaged);
    sandbox.run("query d.json").refused(2, &["d.json", "replicate 2"]);
}
