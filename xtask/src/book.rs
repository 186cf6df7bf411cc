//! `cargo xtask book`: the pages of the repository as a site by mdBook, after every link was followed.
//!
//! The pages stay where they are, so that links work in the repository and on the site alike. The
//! order of the site is that of the README's list.

use crate::links::{self, Link};
use crate::tools::Tool;
use anyhow::{Context, Result, bail};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const MDBOOK: Tool =
    Tool { name: "mdbook", version: "0.5.4", features: &["--no-default-features", "--features", "search"] };

/// The page that the site begins with, and whose list is the order of the others.
const FIRST: &str = "README.md";

const SETTINGS: &str = "\
[book]
title = \"cmnet\"
language = \"en\"
src = \"source\"

[build]
# A page keeps its name, so that the links to README.md hold.
use-default-preprocessors = false

[output.html]
# Marks and dashes stay as they are written.
smart-punctuation = false
";

/// Checks the links of the pages in a folder, makes the site in another, and follows its links too.
pub(crate) fn run(repository: &Path, folder: &Path) -> Result<()> {
    let program = MDBOOK.path()?;
    let folder = std::path::absolute(folder)?;
    std::env::set_current_dir(repository)?;
    let pages = pages()?;
    links::check(&pages)?;
    let source = folder.join("source");
    let _ = std::fs::remove_dir_all(&folder);
    for file in pages.iter().chain(&targets(&pages)?) {
        let copy = source.join(file);
        std::fs::create_dir_all(copy.parent().context("no folder")?)?;
        std::fs::copy(file, &copy).with_context(|| format!("cannot copy {}", file.display()))?;
    }
    std::fs::write(source.join("SUMMARY.md"), summary(&pages)?)?;
    std::fs::write(folder.join("book.toml"), SETTINGS)?;
    let status = Command::new(program).arg("build").arg(&folder).status()?;
    if !status.success() {
        bail!("mdbook failed");
    }
    let site = folder.join("book");
    let made: Vec<PathBuf> = pages.iter().map(|page| site.join(page.with_extension("html"))).collect();
    let followed = links::check_site(&made)?;
    println!("book: {} pages with {followed} links in {}", pages.len(), site.display());
    Ok(())
}

/// Checks the links of every page.
pub(crate) fn check() -> Result<()> {
    links::check(&pages()?)
}

/// The first page, and those that it or they link to, in their order.
fn pages() -> Result<Vec<PathBuf>> {
    let mut pages = vec![PathBuf::from(FIRST)];
    let mut read = 0;
    while let Some(page) = pages.get(read).cloned() {
        read += 1;
        for Link { target, .. } in links::of(&page)? {
            let is_page = target.extension().is_some_and(|extension| extension == "md");
            if is_page && !pages.contains(&target) {
                pages.push(target);
            }
        }
    }
    Ok(pages)
}

/// What the pages link to besides pages: drawings, tables, notebooks.
fn targets(pages: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut others = Vec::new();
    for page in pages {
        for Link { target, .. } in links::of(page)? {
            if target.is_file() && !pages.contains(&target) && !others.contains(&target) {
                others.push(target);
            }
        }
    }
    Ok(others)
}

/// The list that mdBook reads: each page under its own title.
fn summary(pages: &[PathBuf]) -> Result<String> {
    let mut list = String::from("# Summary\n\n");
    for page in pages {
        let text = std::fs::read_to_string(page)?;
        let title =
            text.lines().find_map(|line| line.strip_prefix("# ")).context("a page without a title")?;
        writeln!(list, "- [{title}]({})", page.display())?;
    }
    Ok(list)
}
