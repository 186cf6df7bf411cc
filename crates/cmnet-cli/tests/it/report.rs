//! `cmnet report`: the page has its sections and numbers, and is refused where it cannot be made.

use crate::common::Sandbox;

const SECTIONS: [&str; 8] = [
    "Data",
    "How it was learned",
    "The network",
    "Contexts",
    "Predictability",
    "Fit",
    "Cross-validation",
    "How to repeat it",
];

#[test]
fn a_report_on_a_table_has_everything() {
    let sandbox = Sandbox::new();
    let answer = sandbox.json("report data/coronary_heart.csv -o heart.html --folds 3");
    let page = sandbox.read("heart.html");
    assert_eq!((&answer["bytes"], &answer["folds"]), (&page.len().into(), &3.into()));
    for section in SECTIONS {
        assert!(page.contains(&format!("<h2>{section}</h2>")), "{section}");
    }
    assert!(page.contains("n^-0.5 (chosen)") && page.contains("-3.647797"), "the kappas");
    let sentence = "smoking and systolic_blood_pressure are independent when lipoprotein_ratio is &gt;=3 (given \
                    everything else)</th><td class=\"number\">780</td>";
    assert!(page.contains(sentence), "the context with its rows");
    assert!(page.contains("cmnet report data/coronary_heart.csv -o heart.html --folds 3"), "the command");
    assert_eq!(page.matches("<svg ").count(), 4, "network, kappas, predictability, folds");
    assert!(page.contains("default-src 'none'; style-src 'sha256-") && !page.contains("<script"));
    sandbox.run("report data/coronary_heart.csv -o heart.html --folds 3").succeeds();
    let again = sandbox.read("heart.html").replace(" --format json", "");
    assert_eq!(again, page.replace(" --format json", ""), "the same table gives the same bytes");
}

#[test]
fn a_report_on_a_model_says_what_the_model_says() {
    let sandbox = Sandbox::with_model();
    sandbox.run("report m.model.json -o bare.html").succeeds();
    let bare = sandbox.read("bare.html");
    assert!(bare.contains("without a table") && !bare.contains("<h2>Cross-validation</h2>"));
    sandbox.run("report m.model.json --data data/coronary_heart.csv -o m.html --folds 0").succeeds();
    let page = sandbox.read("m.html");
    assert!(page.contains("mean log-likelihood of a row") && page.contains("predicted rightly"));
    sandbox.run("bootstrap data/coronary_heart.csv --replicates 5 -o sure.model.json").succeeds();
    sandbox.run("report sure.model.json -o sure.html").succeeds();
    assert!(sandbox.read("sure.html").contains("share of 5 structures"));
    sandbox.run("learn data/coronary_heart.csv --select none --kappa eps -o u.model.json").succeeds();
    sandbox.run("report u.model.json -o u.html").succeeds();
    assert!(sandbox.read("u.html").contains("The model has no parameters."));
}

#[test]
fn names_stay_text() {
    let sandbox = Sandbox::new();
    sandbox.write("bad.csv", "<b>a</b>,\"\"\"><script>x</script>\"\nx,<i>\ny,<i>\nx,&amp;\n");
    sandbox.run("report bad.csv -o bad.html --folds 0").succeeds();
    let page = sandbox.read("bad.html");
    assert!(!page.contains("<b>") && !page.contains("<script") && !page.contains("<i>"));
}

#[test]
fn what_cannot_be_reported_is_refused() {
    let sandbox = Sandbox::with_model();
    sandbox.run("report data/coronary_heart.csv -o heart.pdf").refused(2, &["ends in .html"]);
    sandbox.run("report data/none.csv -o heart.html").refused(2, &["there is no such file"]);
    sandbox.run("report data/coronary_heart.csv -o none/heart.html").refused(2, &["no folder none"]);
    sandbox.run("report data/car.csv --data data/car.csv -o car.html").refused(2, &["--data"]);
    sandbox.run("report data/coronary_heart.csv -o heart.html --folds 1").refused(2, &["folds"]);
}
