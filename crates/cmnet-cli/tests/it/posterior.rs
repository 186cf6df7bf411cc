//! `cmnet posterior`: probabilities as text and JSON, and refusals.

use crate::common::Sandbox;

const POSTERIOR: &str = "posterior data/coronary_heart.csv --sweeps 400 --warm-up 100 --kappa eps";

#[test]
fn json_has_probabilities_for_any_number_of_threads() {
    let sandbox = Sandbox::new();
    let answer = sandbox.json_for_any_threads(POSTERIOR);
    assert_eq!((&answer["format"], &answer["draws"]), (&"cmnet-posterior/1".into(), &1600.into()));
    let edges = answer["edges"].as_array().unwrap();
    let sure = edges.iter().filter(|edge| edge["probability"].as_f64().is_some_and(|chance| chance > 0.9));
    assert!(sure.count() >= 3, "{answer}");
    for edge in edges {
        assert_eq!(edge["mixed"].as_bool().unwrap(), !edge["probability"].is_null());
    }
}

#[test]
fn text_says_what_has_not_mixed() {
    let sandbox = Sandbox::new();
    let page = sandbox.run(&format!("{POSTERIOR} --threads 1")).succeeds().stdout;
    assert!(
        page.contains("probability") && page.contains("Bayes factor") && !page.contains("not mixed"),
        "{page}"
    );
    let short =
        sandbox.run("posterior data/coronary_heart.csv --sweeps 40 --chains 2 --warm-up 0").ends_with(3);
    assert!(
        short.stdout.contains("not mixed") && short.stdout.contains("over the chains"),
        "{}",
        short.stdout
    );
}

#[test]
fn what_cannot_be_is_refused_by_its_flag() {
    let sandbox = Sandbox::new();
    for (flag, value) in [("--chains", "1"), ("--sweeps", "5"), ("--rungs", "0"), ("--exponent", "0")] {
        let refused = sandbox.run(&format!("posterior data/coronary_heart.csv {flag} {value}")).ends_with(2);
        assert!(refused.stderr.contains(flag), "{}", refused.stderr);
    }
}
