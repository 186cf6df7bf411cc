//! Files that earlier versions wrote: every later version reads them and answers alike.
//!
//! `suite/compatibility` has a folder per version: files that it wrote, `commands.txt` (a name
//! and a command per line) and what it answered, `answers/NAME.json`.

use crate::common::{Sandbox, workspace};
use serde_json::Value;
use std::path::PathBuf;

/// A folder per released version.
fn versions() -> Vec<PathBuf> {
    let folder = workspace().join("suite/compatibility");
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    assert!(!found.is_empty());
    found
}

/// A sandbox with the files of a version.
fn sandbox_with(version: &PathBuf) -> Sandbox {
    let sandbox = Sandbox::new();
    for entry in std::fs::read_dir(version).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            sandbox.write(&name, std::fs::read(&path).unwrap());
        }
    }
    sandbox
}

/// Every field of the earlier answer is there with its value. Fields may have been added;
/// numbers may differ in the last digits.
fn keeps(was: &Value, is: &Value, place: &str) {
    match (was, is) {
        (Value::Object(was), Value::Object(is)) => {
            for (name, value) in was {
                let found = is.get(name).unwrap_or_else(|| panic!("{place}.{name} is gone"));
                keeps(value, found, &format!("{place}.{name}"));
            }
        }
        (Value::Array(was), Value::Array(is)) => {
            assert_eq!(was.len(), is.len(), "{place}");
            was.iter()
                .zip(is)
                .enumerate()
                .for_each(|(at, (was, is))| keeps(was, is, &format!("{place}[{at}]")));
        }
        (Value::Number(was), Value::Number(is)) => {
            let (was, is) = (was.as_f64().unwrap(), is.as_f64().unwrap());
            assert!((was - is).abs() <= 1e-9 * (1.0 + was.abs()), "{place}: {was} is now {is}");
        }
        _ => assert_eq!(was, is, "{place}"),
    }
}

#[test]
fn answers_about_files_of_earlier_versions_are_kept() {
    for version in versions() {
        let sandbox = sandbox_with(&version);
        let commands = std::fs::read_to_string(version.join("commands.txt")).unwrap();
        assert!(commands.lines().count() >= 10);
        for line in commands.lines() {
            let (name, command) = line.split_once(' ').unwrap();
            let answer = version.join("answers").join(name).with_extension("json");
            let was: Value = serde_json::from_str(&std::fs::read_to_string(answer).unwrap()).unwrap();
            keeps(&was, &sandbox.json(command.trim()), name);
        }
    }
}

#[test]
fn model_files_of_earlier_versions_are_written_back_unchanged() {
    for version in versions() {
        for entry in std::fs::read_dir(&version).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if !name.ends_with(".model.json") || name.starts_with("hand") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let model =
                cmnet::Model::from_json(&text, name).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(model.to_json().unwrap(), text, "{name}");
        }
    }
}

/// A checkpoint is for runs of its own version. This one was written by the version of today.
#[test]
fn a_checkpoint_of_this_version_goes_on_to_the_same_model() {
    let version = workspace().join("suite/compatibility/0.1");
    let sandbox = sandbox_with(&version);
    let learn = "learn data/congressional_voting.csv --kappa n^-0.25 --search blanket --max-neighbors 12 \
                 --max-configurations 65536 --checkpoint voting.checkpoint";
    let resumed = sandbox.run(&format!("{learn} --resume -o resumed.model.json"));
    if env!("CARGO_PKG_VERSION").starts_with("0.1.") {
        resumed.succeeds();
        // The search of mode `blanket` has changed since: the checkpoint is whole, its end is another.
        assert_eq!(sandbox.read("resumed.model.json"), sandbox.read("voting.resumed.model.json"));
    } else {
        resumed.refused(2, &["voting.checkpoint", "program version"]);
    }
}
