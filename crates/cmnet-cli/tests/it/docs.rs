//! The documents name files, functions and fields; this looks them up.

use crate::common::{Sandbox, workspace};
use serde_json::Value;
use std::path::Path;

fn document(name: &str) -> String {
    std::fs::read_to_string(workspace().join(name)).unwrap()
}

/// The texts between back quotes.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

#[test]
fn the_paper_in_code_names_what_exists() {
    let page = document("docs/paper-in-code.md");
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ")).collect();
    assert!(rows.len() > 50, "{} rows", rows.len());
    let mut named = 0;
    for row in rows {
        let cell = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        let (paths, names): (Vec<&str>, Vec<&str>) =
            quoted(cell).into_iter().partition(|text| text.contains('/'));
        let sources: Vec<String> = paths.iter().map(|path| document(path)).collect();
        for name in names {
            assert!(sources.iter().any(|source| defines(source, name)), "{name} is not in {paths:?}: {row}");
            named += 1;
        }
    }
    assert!(named > 60, "{named} names");
}

/// Whether a source has an item of this name.
fn defines(source: &str, name: &str) -> bool {
    ["fn", "struct", "enum", "trait", "type", "const"].iter().any(|kind| {
        let start = format!("{kind} {name}");
        source.match_indices(&start).any(|(at, _)| {
            let next = source[at + start.len()..].chars().next().unwrap_or(' ');
            !(next.is_alphanumeric() || next == '_')
        })
    })
}

#[test]
fn documents_link_to_files_that_exist() {
    let mut pages = vec!["README.md".to_owned(), "CONTRIBUTING.md".to_owned(), "CHANGELOG.md".to_owned()];
    for entry in std::fs::read_dir(workspace().join("docs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if Path::new(&name).extension().is_some_and(|extension| extension == "md") {
            pages.push(format!("docs/{name}"));
        }
    }
    for page in pages {
        let folder = workspace().join(&page).parent().unwrap().to_owned();
        for link in document(&page).split("](").skip(1) {
            let target = link.split([')', '#']).next().unwrap();
            let local = !target.is_empty() && !target.contains("://");
            assert!(!local || folder.join(target).exists(), "{page} links to {target}");
        }
    }
}

/// Tables of options name flags that some command has.
#[test]
fn tables_of_options_name_flags_that_exist() {
    let sandbox = Sandbox::new();
    let help: String = ["learn", "cv", "query", "check", "experiment", "draw"]
        .iter()
        .map(|command| sandbox.run(&format!("{command} --help")).succeeds().stdout)
        .collect();
    let mut named = 0;
    for page in ["README.md", "docs/tutorial.md", "docs/reproduction.md", "docs/inference.md"] {
        let text = document(page);
        for row in text.lines().filter(|line| line.starts_with("| `--")) {
            let flag = quoted(row)[0].split([' ', '=']).next().unwrap();
            let is_told = help.split_whitespace().any(|word| word.trim_end_matches(',') == flag);
            assert!(is_told, "{page} names {flag}: {row}");
            named += 1;
        }
    }
    assert!(named >= 4, "{named} flags");
}

/// Every JSON example of the page on formats, after the command that prints its like.
#[test]
fn the_examples_in_the_page_on_formats_are_real_answers() {
    let page = document("docs/formats.md");
    let sandbox = Sandbox::with_model();
    sandbox.run("learn data/coronary_heart.csv --kappa eps -o mn.model.json").succeeds();
    sandbox.run("export m.model.json -o m.uai").succeeds();
    sandbox.run("import m.uai -o back.model.json --names m.model.json").succeeds();
    let mut examples = 0;
    for piece in page.split("<!-- ").skip(1) {
        let (source, rest) = piece.split_once(" -->").unwrap();
        let example = rest.split("```json\n").nth(1).and_then(|text| text.split("\n```").next()).unwrap();
        let example: Value =
            serde_json::from_str(example).unwrap_or_else(|error| panic!("{source}: {error}"));
        let found = match source.strip_prefix("cmnet ") {
            Some(arguments) => sandbox.json(arguments),
            None => serde_json::from_str(&sandbox.read(source)).unwrap(),
        };
        same_values(&example, &found, source);
        examples += 1;
    }
    assert!(examples >= 18, "{examples} examples");
}

/// Every field and value of the example is in what was printed, all the way down; lists may be
/// cut after a few items, and what is printed may have more fields.
fn same_values(example: &Value, found: &Value, at: &str) {
    match (example, found) {
        (Value::Object(example), Value::Object(found)) => {
            for (key, value) in example {
                let Some(other) = found.get(key) else { panic!("{at}: {key} is documented and not printed") };
                same_values(value, other, &format!("{at}.{key}"));
            }
        }
        (Value::Array(example), Value::Array(found)) => {
            assert!(example.len() <= found.len(), "{at}: more items are documented than printed");
            for (place, (example, found)) in example.iter().zip(found).enumerate() {
                same_values(example, found, &format!("{at}[{place}]"));
            }
        }
        (Value::Number(example), Value::Number(found)) => {
            let (example, found) = (example.as_f64().unwrap(), found.as_f64().unwrap());
            let near = (example - found).abs() <= 1e-9 * example.abs().max(1.0);
            assert!(near, "{at}: {example} is documented and {found} printed");
        }
        _ => assert_eq!(example, found, "{at}"),
    }
}
