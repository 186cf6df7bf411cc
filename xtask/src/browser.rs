//! A browser for the tests of pages: found, or installed where that can be done.

use crate::python::step;
use anyhow::{Result, bail};
use std::path::PathBuf;
use std::process::Command;

/// Names under which Chromium and its kin are installed.
const NAMES: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge"];

/// The variable that names another browser.
pub(crate) const VARIABLE: &str = "CMNET_BROWSER";

/// A Chromium: the one that the variable names, one of the path, or Debian's, installed now.
pub(crate) fn found_or_installed() -> Result<PathBuf> {
    if let Some(named) = std::env::var_os(VARIABLE) {
        return Ok(named.into());
    }
    if let Some(found) = on_the_path() {
        return Ok(found);
    }
    if is_root() && Command::new("apt-get").arg("--version").output().is_ok() {
        println!("xtask: no browser found; installing Debian's chromium");
        let apt = || {
            let mut command = Command::new("apt-get");
            command.arg("--quiet=2").env("DEBIAN_FRONTEND", "noninteractive");
            command
        };
        step(apt().arg("update"))?;
        // What Debian recommends beside it (printers, power, notifications) takes longer than the browser.
        step(apt().args(["install", "--yes", "--no-install-recommends", "chromium", "fonts-dejavu-core"]))?;
    }
    match on_the_path() {
        Some(found) => Ok(found),
        None => bail!(
            "the tests of pages need Chromium, and none was found. Install it (Debian and Ubuntu: \
             apt-get install chromium; macOS: brew install --cask chromium), or name a browser of its kin in {VARIABLE}"
        ),
    }
}

fn on_the_path() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let places: Vec<PathBuf> = std::env::split_paths(&path).collect();
    NAMES.iter().flat_map(|name| places.iter().map(move |place| place.join(name))).find(|file| file.is_file())
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n")
}
