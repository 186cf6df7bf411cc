//! What a release depends on, and whether it keeps its promises: licences and advisories, a bill of
//! materials, names that went away.

use crate::python::step;
use crate::release::Failures;
use crate::tools::Tool;
use anyhow::{Context, Result};
use std::path::Path;
use std::process::Command;

const DENY: Tool = Tool { name: "cargo-deny", version: "0.20.2", features: &[] };
const CYCLONEDX: Tool = Tool { name: "cargo-cyclonedx", version: "0.5.9", features: &[] };
const SEMVER: Tool = Tool { name: "cargo-semver-checks", version: "0.51.0", features: &[] };

/// Checks the clone of a release. Every check is made, whatever the others found.
pub(crate) fn check(clone: &Path) -> Result<()> {
    let mut failures = Failures::default();
    failures.note("licences, sources and versions", deny(clone, &["check", "bans", "licenses", "sources"]));
    failures.note("bills of materials", bills(clone));
    failures.note("semver", names(clone));
    failures.note("advisories", advisories(clone));
    failures.end()
}

fn deny(clone: &Path, words: &[&str]) -> Result<()> {
    step(Command::new(DENY.path()?).arg("--all-features").args(words).current_dir(clone))
}

fn bills(clone: &Path) -> Result<()> {
    let write = ["cyclonedx", "--format", "json", "--all"];
    step(Command::new(CYCLONEDX.path()?).args(write).current_dir(clone))?;
    println!("  bills of materials: crates/*/*.cdx.json of {}", clone.display());
    Ok(())
}

/// Whether names went away since the last release.
fn names(clone: &Path) -> Result<()> {
    let Some(tag) = last_release()? else {
        println!("  semver: no tag v*, so there is no release whose names could be missed");
        return Ok(());
    };
    let check = ["semver-checks", "--package", "cmnet", "--baseline-rev", &tag];
    step(Command::new(SEMVER.path()?).args(check).current_dir(clone))
}

/// Known vulnerabilities. Their database is in no registry: a machine that cannot fetch it has examined nothing, which is
/// another failure than a vulnerability.
fn advisories(clone: &Path) -> Result<()> {
    deny(clone, &["fetch", "db"])
        .context("NOT EXAMINED, since their database cannot be fetched from here")?;
    deny(clone, &["check", "--disable-fetch", "advisories"])
}

/// The tag of the release before this commit.
fn last_release() -> Result<Option<String>> {
    let described = Command::new("git").args(["describe", "--tags", "--abbrev=0", "--match", "v*"]).output();
    let described = described.context("cannot start git")?;
    let tag = String::from_utf8_lossy(&described.stdout).trim().to_owned();
    Ok((described.status.success() && !tag.is_empty()).then_some(tag))
}
