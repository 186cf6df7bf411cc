//! The README's Rust example, compiled and run; the text there must be the text here.

use crate::common::workspace;

// What follows stands in the README, between the lines of the code block.
use cmnet::{LearnOptions, ReadOptions, Source, learn, read_csv};
use cmnet_report::{Drawing, text};

fn summary(path: &str) -> cmnet::Result<String> {
    let table = read_csv(&Source::from_argument(path), &ReadOptions::default())?.data;
    let learned = learn(&table, &LearnOptions::default(), &())?;
    let Some(best) = learned.kept(table.rows()) else { return Ok(String::new()) };
    Ok(text::render(&Drawing::new(table.schema(), &best.structure)?))
}
// Here it ends.

#[test]
fn the_example_runs_and_is_the_one_in_the_readme() {
    let table = workspace().join("data/coronary_heart.csv");
    let page = summary(table.to_str().unwrap()).unwrap();
    assert!(page.contains("independent when smoking is no"), "{page}");
    let here = include_str!("cli_readme.rs");
    let example = here.split("code block.\n").nth(1).unwrap().split("// Here it ends").next().unwrap();
    let readme = std::fs::read_to_string(workspace().join("README.md")).unwrap();
    assert!(readme.contains(&format!("```rust\n{example}```")), "{example}");
}
