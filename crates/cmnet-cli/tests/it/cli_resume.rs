//! Long runs: killed at any moment and resumed, they end at the same bytes; a checkpoint of
//! another run is refused. `cargo xtask kills` does this by the hundred.

use cmnet_paper::generate::two_tree;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// A table on which a search takes about a second.
fn write_table(folder: &Path, variables: usize) {
    let data = two_tree(variables, 800, 3).unwrap().data;
    let names: Vec<&str> = data.schema().variables().iter().map(|variable| variable.name.as_str()).collect();
    let mut text = names.join(",") + "\n";
    for (row, &weight) in data.weights().iter().enumerate() {
        let line: Vec<String> = data.row(row).iter().map(ToString::to_string).collect();
        text += &(line.join(",") + "\n").repeat(weight as usize);
    }
    fs::write(folder.join("table.csv"), text).unwrap();
}

fn command(folder: &Path, search: &str, model: &str, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cmnet"));
    command
        .current_dir(folder)
        .args([
            "learn",
            "table.csv",
            "--search",
            search,
            "--kappa",
            "eps,n^-0.25",
            "--format",
            "json",
            "-o",
            model,
        ])
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn run(folder: &Path, search: &str, model: &str, more: &[&str]) -> Output {
    command(folder, search, model, more).output().unwrap()
}

const CHECKPOINT: [&str; 5] = ["--checkpoint", "run.ck", "--checkpoint-interval", "0s", "--resume"];

#[test]
fn killed_runs_resume_to_the_same_bytes() {
    for (search, variables) in [("blanket", 60), ("paper", 32)] {
        let folder = tempfile::tempdir().unwrap();
        write_table(folder.path(), variables);
        let whole = run(folder.path(), search, "whole.json", &[]);
        assert!(whole.status.success(), "{}", String::from_utf8_lossy(&whole.stderr));
        let mut kills = 0;
        for round in 0..6u64 {
            for name in ["run.ck", "run.ck.previous"] {
                let _ = fs::remove_file(folder.path().join(name));
            }
            for attempt in 0..8u64 {
                let mut child = command(folder.path(), search, "killed.json", &CHECKPOINT).spawn().unwrap();
                std::thread::sleep(Duration::from_millis(3 + (round * 37 + attempt * 53) % 120));
                if child.try_wait().unwrap().is_some() {
                    break;
                }
                child.kill().unwrap();
                child.wait().unwrap();
                kills += 1;
            }
            let resumed = run(folder.path(), search, "killed.json", &CHECKPOINT);
            assert!(resumed.status.success(), "{}", String::from_utf8_lossy(&resumed.stderr));
            assert_eq!(resumed.stdout, whole.stdout, "{search}, round {round}");
            let bytes = |name: &str| fs::read(folder.path().join(name)).unwrap();
            assert_eq!(bytes("killed.json"), bytes("whole.json"));
        }
        assert!(kills > 6, "{search}: only {kills} kills came in time");
    }
}

#[test]
fn what_held_out_rows_chose_is_resumed_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    write_table(folder.path(), 12);
    for choice in [&["--select", "cv"][..], &["--select", "heldout"], &["--target", "x3"]] {
        for name in ["run.ck", "run.ck.previous"] {
            let _ = fs::remove_file(folder.path().join(name));
        }
        let whole = run(folder.path(), "paper", "whole.json", choice);
        assert!(whole.status.success(), "{}", String::from_utf8_lossy(&whole.stderr));
        for _ in 0..2 {
            let again = run(folder.path(), "paper", "again.json", &[&CHECKPOINT, choice].concat());
            assert_eq!(again.stdout, whole.stdout, "{choice:?}: {}", String::from_utf8_lossy(&again.stderr));
        }
    }
    let other = run(folder.path(), "paper", "again.json", &[&CHECKPOINT[..], &["--select", "cv"]].concat());
    let words = String::from_utf8_lossy(&other.stderr).into_owned();
    assert!(!other.status.success() && words.contains("--select"), "{words}");
}

#[test]
fn a_checkpoint_of_another_run_is_refused_saying_what_differs() {
    let folder = tempfile::tempdir().unwrap();
    write_table(folder.path(), 20);
    let first = run(folder.path(), "blanket", "a.json", &CHECKPOINT);
    assert!(first.status.success());
    for (more, words) in [(&["--alpha", "1"][..], "--alpha"), (&["--max-neighbors", "3"], "--max-neighbors")]
    {
        let other = run(folder.path(), "blanket", "a.json", &[&CHECKPOINT, more].concat());
        let message = String::from_utf8_lossy(&other.stderr).into_owned();
        assert_eq!(other.status.code(), Some(2), "{message}");
        assert!(message.contains("run.ck") && message.contains(words), "{message}");
    }
    write_table(folder.path(), 21);
    let other = run(folder.path(), "blanket", "a.json", &CHECKPOINT);
    let message = String::from_utf8_lossy(&other.stderr).into_owned();
    assert_eq!(other.status.code(), Some(2));
    assert!(message.contains("another data"), "{message}");
}

#[test]
fn a_damaged_checkpoint_gives_way_to_the_one_before() {
    let folder = tempfile::tempdir().unwrap();
    write_table(folder.path(), 20);
    let first = run(folder.path(), "blanket", "a.json", &CHECKPOINT);
    let whole = fs::read(folder.path().join("run.ck")).unwrap();
    for kept in [0, 1, 20, 40, whole.len() / 2] {
        fs::write(folder.path().join("run.ck"), &whole[..kept]).unwrap();
        let again = run(folder.path(), "blanket", "b.json", &CHECKPOINT);
        assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
        assert_eq!(again.stdout, first.stdout);
        let said = String::from_utf8_lossy(&again.stderr);
        assert!(said.contains("going on from the checkpoint before it, run.ck.previous"), "{said}");
    }
    for name in ["run.ck", "run.ck.previous"] {
        fs::write(folder.path().join(name), "[1, 2").unwrap();
    }
    let broken = run(folder.path(), "blanket", "b.json", &CHECKPOINT);
    assert_eq!(broken.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&broken.stderr).contains("run.ck"));
}

#[test]
fn resume_needs_a_checkpoint_to_go_on_from() {
    let folder = tempfile::tempdir().unwrap();
    write_table(folder.path(), 20);
    assert_eq!(run(folder.path(), "blanket", "a.json", &["--resume"]).status.code(), Some(2));
}
