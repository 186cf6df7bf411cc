//! `cmnet explore`: the page is written, says how it answers, and is refused where it cannot be.

use crate::common::Sandbox;

#[test]
fn a_page_is_one_file_that_reaches_for_nothing() {
    let sandbox = Sandbox::with_model();
    let ran = sandbox.run("explore m.model.json -o page.html --data data/coronary_heart.csv").succeeds();
    assert!(ran.stdout.is_empty() && ran.stderr == "cmnet: wrote page.html\n", "{}", ran.stderr);
    let page = sandbox.read("page.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("default-src 'none'; script-src 'sha256-"));
    assert!(page.contains("\"observed\":[") && page.len() < 300_000);
    for outside in ["https://", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert_eq!(page.matches("http://").count(), page.matches("http://www.w3.org/2000/svg").count());
    let again = sandbox.json("explore m.model.json -o again.html --data data/coronary_heart.csv");
    assert_eq!(again["answers"], "exact");
    assert_eq!(again["bytes"], page.len());
    assert_eq!(sandbox.read("again.html"), page, "the same model gives the same bytes");
}

#[test]
fn a_model_without_parameters_is_shown_as_a_structure() {
    let sandbox = Sandbox::new();
    sandbox.run("learn data/coronary_heart.csv --select none --kappa eps -o bare.model.json").succeeds();
    let ran = sandbox.run("explore bare.model.json -o bare.html").succeeds();
    assert!(ran.stderr.contains("no parameters"), "{}", ran.stderr);
    assert_eq!(sandbox.json("explore bare.model.json -o bare.html")["answers"], "structure");
}

#[test]
fn what_cannot_be_written_or_read_is_refused() {
    let sandbox = Sandbox::with_model();
    sandbox.run("explore m.model.json -o page.svg").refused(2, &["page.svg", "ends in .html"]);
    sandbox.run("explore m.model.json -o none/page.html").refused(2, &["no folder none"]);
    sandbox.run("explore m.model.json -o -").refused(2, &["ends in .html"]);
    sandbox.run("explore m.model.json").refused(2, &["--output"]);
    sandbox.run("explore none.json -o page.html").refused(2, &["none.json: there is no such file"]);
    sandbox
        .run("explore m.model.json -o page.html --data data/economic_activity.csv")
        .refused(2, &["smoking"]);
    assert!(!sandbox.exists("page.html"));
}
