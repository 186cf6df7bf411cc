//! What a release depends on, and whether it keeps its promises: licences and advisories, a bill of
//! materials, names that went away.

use crate::python::step;
use crate::tools::Tool;
use anyhow::{Context, Result};
use std::path::Path;
use std::process::Command;

const DENY: Tool = Tool { name: "cargo-deny", version: "0.20.2", features: &[] };
const CYCLONEDX: Tool = Tool { name: "cargo-cyclonedx", version: "0.5.9", features: &[] };
const SEMVER: Tool = Tool { name: "cargo-semver-checks", version: "0.51.0", features: &[] };

/// Checks the clone of a release.
pub(crate) fn check(clone: &Path) -> Result<()> {
    let deny = |parts: &[&str]| -> Result<()> {
        step(Command::new(DENY.path()?).args(["--all-features", "check"]).args(parts).current_dir(clone))
    };
    deny(&["bans", "licenses", "sources"])?;
    step(
        Command::new(CYCLONEDX.path()?).args(["cyclonedx", "--format", "json", "--all"]).current_dir(clone),
    )?;
    println!("  bills of materials: crates/*/*.cdx.json of {}", clone.display());
    match last_release()? {
        Some(tag) => {
            let check = ["semver-checks", "--package", "cmnet", "--baseline-rev", &tag];
            step(Command::new(SEMVER.path()?).args(check).current_dir(clone))?;
        }
        None => println!("  semver: no tag v*, so there is no release whose names could be missed"),
    }
    // Last, since it is the one step that fetches something that is in no registry.
    deny(&["advisories"])
}

/// The tag of the release before this commit.
fn last_release() -> Result<Option<String>> {
    let described = Command::new("git").args(["describe", "--tags", "--abbrev=0", "--match", "v*"]).output();
    let described = described.context("cannot start git")?;
    let tag = String::from_utf8_lossy(&described.stdout).trim().to_owned();
    Ok((described.status.success() && !tag.is_empty()).then_some(tag))
}
