//! The house stays in order: modules depend one way, files stay small.

use std::path::{Path, PathBuf};

/// Each module with those it may use, the bottom floor first. `error` is for everyone.
const FLOORS: [(&str, &[&str]); 18] = [
    ("error", &[]),
    ("data", &["table", "graph"]),
    ("graph", &["data", "table"]),
    ("table", &["data", "graph"]),
    ("tree", &["data", "graph", "table"]),
    ("context", &["data", "table", "graph"]),
    ("structure", &["data", "table", "graph", "context"]),
    ("partition", &["data", "table", "graph", "context", "structure"]),
    ("counts", &["data", "table", "graph"]),
    ("score", &["data", "table", "graph", "context", "structure", "partition", "counts"]),
    ("search", &["data", "table", "graph", "context", "structure", "partition", "counts", "score"]),
    ("loglinear", &["data", "graph", "table", "tree", "context", "structure", "counts"]),
    ("inference", &["data", "graph", "table", "tree", "context", "structure", "counts", "loglinear"]),
    (
        "model",
        &[
            "data",
            "graph",
            "table",
            "tree",
            "context",
            "structure",
            "score",
            "search",
            "loglinear",
            "inference",
        ],
    ),
    (
        "evaluate",
        &["data", "graph", "table", "tree", "context", "structure", "loglinear", "inference", "model"],
    ),
    (
        "learn",
        &["data", "structure", "counts", "score", "search", "loglinear", "inference", "model", "evaluate"],
    ),
    (
        "io",
        &[
            "data",
            "graph",
            "table",
            "tree",
            "context",
            "structure",
            "score",
            "search",
            "model",
            "loglinear",
            "inference",
            "learn",
        ],
    ),
    ("lib", &[]),
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn modules_depend_one_way() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (name, _) in FLOORS {
        let there = root.join(name).is_dir() || root.join(format!("{name}.rs")).is_file();
        assert!(there, "{name}: FLOORS lists a module that is not there");
    }
    for path in sources(&root) {
        let inside = path.strip_prefix(&root).unwrap();
        let module = inside.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs").to_owned();
        let (_, allowed) = FLOORS
            .iter()
            .find(|(name, _)| *name == module)
            .unwrap_or_else(|| panic!("{module}: a module that FLOORS does not list"));
        let text = std::fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
            for used in line.split("crate::").skip(1) {
                // `crate::Structure` is the re-export of `crate::structure`.
                assert!(!used.starts_with('{'), "{}: name one module per use: {line}", inside.display());
                let used: String = used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                let used = used.to_lowercase();
                let fits = used == module || used == "error" || allowed.contains(&used.as_str());
                assert!(fits, "{}: {module} must not use {used}: {line}", inside.display());
            }
        }
    }
}

/// The files of a module that a file names with `super::`, outside its tests.
fn siblings(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]").next().unwrap();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let named = lines.flat_map(|line| line.split("super::").skip(1));
    named.map(|used| used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()).collect()
}

/// Whether a file reaches itself through the files that it uses.
fn reaches_itself(folder: &Path, file: &str) -> bool {
    let (mut seen, mut open) = (Vec::new(), siblings(&folder.join(format!("{file}.rs"))));
    while let Some(next) = open.pop() {
        let path = folder.join(format!("{next}.rs"));
        if next == file {
            return true;
        }
        if path.is_file() && !seen.contains(&next) {
            open.extend(siblings(&path));
            seen.push(next);
        }
    }
    false
}

#[test]
fn files_of_the_engine_and_of_questions_depend_one_way() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for module in ["table", "inference"] {
        let folder = root.join(module);
        for path in sources(&folder) {
            let file = path.file_stem().unwrap().to_str().unwrap();
            assert!(!reaches_itself(&folder, file), "{module}/{file}.rs uses itself in the end");
        }
    }
}

#[test]
fn no_file_outgrows_its_idea() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for path in sources(&root).iter().filter(|path| !path.iter().any(|part| part == "tests")) {
        let text = std::fs::read_to_string(path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        assert!(code.lines().count() <= 400, "{} has outgrown 400 lines", path.display());
    }
}
