//! The house stays in order: modules depend one way, files stay small.

use std::path::{Path, PathBuf};

/// Each module with those it may use, the bottom floor first. `error` is for everyone.
const FLOORS: [(&str, &[&str]); 19] = [
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
    ("options", &["data", "tree", "search", "loglinear", "inference", "learn", "io"]),
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

#[test]
fn no_file_outgrows_its_idea() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for path in sources(&root).iter().filter(|path| !path.iter().any(|part| part == "tests")) {
        let text = std::fs::read_to_string(path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        assert!(code.lines().count() <= 400, "{} has outgrown 400 lines", path.display());
    }
}

/// Whether a line of code names a flag of the command line.
fn names_a_flag(line: &str) -> bool {
    let is_name = |after: &str| after.starts_with(|letter: char| letter.is_ascii_lowercase());
    !line.trim_start().starts_with("//") && line.split("--").skip(1).any(is_name)
}

/// Errors and results say which option, as data: front ends word them in their own dialect.
#[test]
fn nothing_below_the_command_names_a_flag() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for part in ["cmnet", "cmnet-report", "cmnet-paper", "cmnet-py"] {
        for path in sources(&crates.join(part).join("src")) {
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
            for line in code.lines() {
                assert!(!names_a_flag(line), "{}: name the option, not a flag: {line}", path.display());
            }
        }
    }
    assert!(names_a_flag(r#"Error::option("--kappa", text)"#) && !names_a_flag("// --kappa"));
    assert!(!names_a_flag(r#"format!("--{}", option.name())"#));
}
