//! Links between the pages of the repository: each leads to a file, and its anchor to a heading.

use anyhow::{Context, Result, bail};
use std::path::{Component, Path, PathBuf};

/// A link of a page to a file of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    /// The file, from the repository's folder.
    pub(crate) target: PathBuf,
    anchor: Option<String>,
    line: usize,
}

/// Follows every link of these pages.
pub(crate) fn check(pages: &[PathBuf]) -> Result<()> {
    let (mut followed, mut broken) = (0, Vec::new());
    for page in pages {
        for link in of(page)? {
            followed += 1;
            if !leads_somewhere(&link)? {
                let anchor = link.anchor.as_deref().map(|anchor| format!("#{anchor}")).unwrap_or_default();
                let place = format!("{}, line {}", page.display(), link.line);
                broken.push(format!("{place}: nothing is at {}{anchor}", link.target.display()));
            }
        }
    }
    if broken.is_empty() {
        println!("links: {followed} on {} pages, all lead somewhere", pages.len());
        return Ok(());
    }
    bail!("{}", broken.join("\n"))
}

/// Follows the links of the pages of a site, and says how many there are.
pub(crate) fn check_site(pages: &[PathBuf]) -> Result<usize> {
    let (mut followed, mut broken) = (0, Vec::new());
    for page in pages {
        let text =
            std::fs::read_to_string(page).with_context(|| format!("there is no {}", page.display()))?;
        let folder = page.parent().unwrap_or(Path::new(""));
        for link in text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            if link.contains(':') || link.starts_with('#') {
                continue;
            }
            followed += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = folder.join(file);
            let found = anchor.is_empty()
                || std::fs::read_to_string(&target)
                    .is_ok_and(|text| text.contains(&format!("id=\"{anchor}\"")));
            if !target.exists() || !found {
                broken.push(format!("{}: nothing is at {link}", page.display()));
            }
        }
    }
    if broken.is_empty() { Ok(followed) } else { bail!("{}", broken.join("\n")) }
}

/// The links of a page to files of the repository. Links to other sites are not followed.
pub(crate) fn of(page: &Path) -> Result<Vec<Link>> {
    let text = std::fs::read_to_string(page).with_context(|| format!("cannot read {}", page.display()))?;
    let folder = page.parent().unwrap_or(Path::new(""));
    let links = prose(&text).flat_map(|(line, words)| {
        destinations(&words).into_iter().map(move |destination| (line, destination)).collect::<Vec<_>>()
    });
    let local =
        links.filter(|(_, destination)| !destination.contains("://") && !destination.starts_with("mailto:"));
    Ok(local
        .map(|(line, destination)| {
            let (file, anchor) = match destination.split_once('#') {
                Some((file, anchor)) => (file, Some(anchor.to_owned())),
                None => (&*destination, None),
            };
            let target = if file.is_empty() { page.to_owned() } else { plain(&folder.join(file)) };
            Link { target, anchor, line }
        })
        .collect())
}

/// The lines that are not code, with their numbers; code within a line is left out.
fn prose(text: &str) -> impl Iterator<Item = (usize, String)> {
    let mut in_code = false;
    (1..).zip(text.lines()).filter_map(move |(number, line)| {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
            return None;
        }
        let words: String = line.split('`').step_by(2).collect::<Vec<_>>().join("``");
        (!in_code).then_some((number, words))
    })
}

/// What stands in the brackets of `](..)`.
fn destinations(line: &str) -> Vec<String> {
    line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(to, _)| to.to_owned()).collect()
}

/// The path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

fn leads_somewhere(link: &Link) -> Result<bool> {
    let Some(anchor) = &link.anchor else { return Ok(link.target.exists()) };
    if !link.target.is_file() {
        return Ok(false);
    }
    let text = std::fs::read_to_string(&link.target)?;
    Ok(anchors(&text).contains(anchor))
}

/// The anchors of a page's headings, as forges make them; a heading that comes again is numbered.
fn anchors(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut in_code = false;
    for line in text.lines() {
        in_code ^= line.trim_start().starts_with("```");
        let title = line.trim_start_matches('#');
        if in_code || title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let base = anchor(title.trim());
        let again = found.iter().filter(|one| **one == base).count();
        found.push(if again == 0 { base } else { format!("{base}-{again}") });
    }
    found
}

fn anchor(title: &str) -> String {
    let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_outside_code_and_anchors_made_as_forges_make_them() {
        assert_eq!(destinations("see [a](b.md#c), [d](e.md)"), ["b.md#c", "e.md"]);
        let lines: Vec<_> = prose("a `[x](y)` b\n```\n[x](y)\n```\n[p](q)").collect();
        assert_eq!(lines.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1, 5]);
        assert!(destinations(&lines[0].1).is_empty());
        assert_eq!(
            anchors("# A\n## `--smoothing 0`\n## How, so?\n## How so"),
            ["a", "--smoothing-0", "how-so", "how-so-1"]
        );
        assert_eq!(plain(Path::new("docs/../data/./README.md")), Path::new("data/README.md"));
    }
}
