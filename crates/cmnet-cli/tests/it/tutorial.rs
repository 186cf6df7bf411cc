//! Runs every `console` block of the README and the tutorial, and compares what it prints.
//!
//! A line that begins with `$ ` is a command for `sh`; the lines below it are what it must
//! print, standard output and standard error together. A line `...` stands for any lines.
//! `cargo run --release --` is read as `cmnet`; other `cargo` and `git` commands are not run.
//! All blocks of one document run in one folder, in which `data` leads to the bundled tables.
//!
//! `CMNET_BLESS=1 cargo test -p cmnet-cli --test it tutorial` writes the outputs into the
//! documents; look at the difference before committing it.

use crate::common::{Sandbox, workspace};
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn the_readme_says_what_is_printed() {
    examine("README.md");
}

#[test]
fn the_tutorial_says_what_is_printed() {
    examine("docs/tutorial.md");
}

#[test]
fn a_wrong_output_is_found() {
    let says = |expected: &str| format!("```console\n$ cmnet --version\n{expected}\n```\n");
    let right = format!("cmnet {}", env!("CARGO_PKG_VERSION"));
    assert_eq!(rerun(&says("wrong")), says(&right));
    assert_eq!(rerun(&says(&right)), says(&right));
    assert_eq!(rerun(&says("...")), says("..."));
    assert_eq!(
        rerun(&says("$ cargo xtask test\nwhatever")),
        says(&format!("{right}\n$ cargo xtask test\nwhatever"))
    );
}

#[test]
fn dots_stand_for_any_lines() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let fits = |expected: &str, found: &str| fits(&lines(expected), &lines(found));
    assert!(fits("a\n...\nd", "a\nb\nc\nd") && fits("...", "") && fits("a\n...", "a"));
    assert!(!fits("a\n...\nd", "a\nb") && !fits("a", "a\nb") && !fits("", "a"));
}

fn examine(name: &str) {
    let path = workspace().join(name);
    let written = std::fs::read_to_string(&path).unwrap();
    let found = rerun(&written);
    if std::env::var_os("CMNET_BLESS").is_some() {
        std::fs::write(&path, found).unwrap();
        return;
    }
    for (line, (one, other)) in (1..).zip(written.lines().zip(found.lines())) {
        assert_eq!(one, other, "{name}, line {line}: left is written, right is printed\n\n{found}");
    }
    assert_eq!(written.lines().count(), found.lines().count(), "{name}: the outputs differ\n\n{found}");
}

/// The document with the outputs that its commands print now.
fn rerun(document: &str) -> String {
    let sandbox = Sandbox::new();
    let folder = sandbox.path("");
    let mut page: Vec<String> = Vec::new();
    let mut lines = document.lines().peekable();
    let mut inside = false;
    while let Some(line) = lines.next() {
        page.push(line.to_owned());
        inside = if inside { line != "```" } else { line == "```console" };
        let Some(first) = line.strip_prefix("$ ").filter(|_| inside) else { continue };
        let mut command = first.to_owned();
        while command.ends_with('\\') {
            let more = lines.next().unwrap_or_default();
            page.push(more.to_owned());
            command = format!("{}{more}", command.trim_end_matches('\\'));
        }
        let mut expected = Vec::new();
        while let Some(line) = lines.next_if(|line| *line != "```" && !line.starts_with("$ ")) {
            expected.push(line.to_owned());
        }
        let printed = output(&command, &folder).filter(|found| !fits(&expected, found)).unwrap_or(expected);
        page.extend(printed);
    }
    page.join("\n") + "\n"
}

/// What a command prints, without blanks at the ends of lines; nothing when it is not run.
fn output(command: &str, folder: &Path) -> Option<Vec<String>> {
    let command = match command.strip_prefix("cargo run --release -- ") {
        Some(arguments) => format!("cmnet {arguments}"),
        None if command.starts_with("cargo ") || command.starts_with("git ") => return None,
        None => command.to_owned(),
    };
    let here = PathBuf::from(env!("CARGO_BIN_EXE_cmnet"));
    let path = format!("{}:{}", here.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {command}")])
        .current_dir(folder)
        .env("PATH", path)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.lines().map(|line| line.trim_end().to_owned()).collect())
}

fn fits(expected: &[String], found: &[String]) -> bool {
    match expected.split_first() {
        None => found.is_empty(),
        Some((dots, rest)) if dots == "..." => (0..=found.len()).any(|skip| fits(rest, &found[skip..])),
        Some((line, rest)) => {
            found.split_first().is_some_and(|(first, others)| first == line && fits(rest, others))
        }
    }
}
