//! Tables with missing values, from the command line.

use crate::common::Sandbox;
use serde_json::Value;

/// The bundled table with every 7th and 11th cell missing; the second column more often where the first
/// is "yes".
fn holed(sandbox: &Sandbox) -> String {
    let text = sandbox.read("data/coronary_heart.csv");
    let mut out = String::new();
    let mut cell = 0usize;
    for (line, row) in text.lines().enumerate() {
        let smokes = row.starts_with("yes");
        let fields = row.split(',').enumerate().map(|(column, field)| {
            cell += 1;
            let gone =
                column > 0 && (cell.is_multiple_of(11) || column == 1 && smokes && cell.is_multiple_of(3));
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
        ("learn holes.csv --on-missing model", "fits of a model"),
        ("fit m.model.json holes.csv --on-missing model --method pseudo", "need the junction tree"),
        ("fit m.model.json holes.csv --on-missing model --columns smoking", "leave out --columns"),
    ] {
        sandbox.run(command).refused(2, &["--", says]);
    }
    let gone: String =
        table.lines().map(|row| row.replacen("yes", "NA", 1).replacen("no", "NA", 1) + "\n").collect();
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
