//! The house stays in order: modules depend downwards, files hold one idea, and the library
//! names no flag of the command line.

use std::path::{Path, PathBuf};

/// The floors of the library from the ground up. A module uses its own floor's lower
/// neighbours only: those that stand before it here.
const FLOORS: [&str; 27] = [
    "error",
    "control",
    "widest",
    "data",
    "graph",
    "table",
    "tree",
    "context",
    "structure",
    "counts",
    "score",
    "search",
    "loglinear",
    "refine",
    "inference",
    "precision",
    "missing",
    "model",
    "evaluate",
    "learn",
    "mixture",
    "discretize",
    "groups",
    "confidence",
    "task",
    "io",
    "options",
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

/// A source without comments and without the items that only tests compile.
fn production(text: &str) -> String {
    let mut lines = text.lines();
    let mut code = String::new();
    while let Some(line) = lines.next() {
        if line.trim() == "#[cfg(test)]" {
            skip_item(&mut lines);
        } else if !line.trim_start().starts_with("//") {
            code.push_str(line);
            code.push('\n');
        }
    }
    code
}

/// Passes over one item: to the line that closes its braces, or its semicolon.
fn skip_item<'a>(lines: &mut impl Iterator<Item = &'a str>) {
    let mut depth = 0i64;
    for line in lines {
        depth += line.matches('{').count() as i64 - line.matches('}').count() as i64;
        let ends = line.trim_end().ends_with('}') || line.trim_end().ends_with(';');
        if depth == 0 && ends {
            return;
        }
    }
}

#[test]
fn only_tests_are_passed_over() {
    let text = "use crate::a;\n#[cfg(test)]\nmod tests {\n    use crate::z;\n}\n// crate::c\nuse crate::b;\n";
    assert_eq!(production(text), "use crate::a;\nuse crate::b;\n");
}

/// The modules of the library that a source names, by path or by a list in braces.
fn used(code: &str) -> Vec<String> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut found = Vec::new();
    for after in code.split("crate::").skip(1) {
        match after.strip_prefix('{') {
            Some(list) => {
                let inside = list.split('}').next().unwrap_or("");
                found.extend(inside.split(',').map(|name| word(name.trim())));
            }
            None => found.push(word(after)),
        }
    }
    // `crate::Structure` is the re-export of `crate::structure`.
    found.iter().map(|name| name.to_lowercase()).collect()
}

#[test]
fn modules_depend_downwards() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for name in FLOORS {
        let there = root.join(name).is_dir() || root.join(format!("{name}.rs")).is_file();
        assert!(there, "{name}: FLOORS lists a module that is not there");
    }
    for path in sources(&root) {
        let inside = path.strip_prefix(&root).unwrap();
        let module = inside.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs").to_owned();
        if module == "lib" {
            continue;
        }
        let floor = FLOORS
            .iter()
            .position(|name| *name == module)
            .unwrap_or_else(|| panic!("{module}: a module that FLOORS does not list"));
        for used in used(&production(&std::fs::read_to_string(&path).unwrap())) {
            let below = FLOORS[..=floor].contains(&used.as_str()) || used == "result";
            assert!(below, "{}: {module} must not use {used}", inside.display());
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
            // `mod.rs` of a folder inside only lists its files.
            let file = path.file_stem().unwrap().to_str().unwrap();
            let cyclic = file != "mod" && reaches_itself(path.parent().unwrap(), file);
            assert!(!cyclic, "{module}/{file}.rs uses itself in the end");
        }
    }
}

#[test]
fn no_file_outgrows_its_idea() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for path in sources(&root).iter().filter(|path| !path.iter().any(|part| part == "tests")) {
        let code = production(&std::fs::read_to_string(path).unwrap());
        assert!(code.lines().count() <= 450, "{} has outgrown 450 lines of code", path.display());
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

/// The names that the first page of the library re-exports.
fn exported() -> Vec<String> {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let items = page.split("\npub use ").skip(1).filter_map(|item| item.split(';').next());
    let names = items.map(|item| item.rsplit_once("::").unwrap().1.trim_matches(['{', '}']));
    names
        .flat_map(|list| list.split(',').map(|name| name.trim().to_owned()))
        .filter(|n| !n.is_empty())
        .collect()
}

#[test]
fn the_page_of_the_api_names_everything_public_and_nothing_else() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/api.md");
    let page = std::fs::read_to_string(page).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| ") && line.contains('`'));
    let mut listed: Vec<&str> =
        rows.flat_map(|row| row.split('`').skip(1).step_by(2).collect::<Vec<_>>()).collect();
    let exported = exported();
    let mut public: Vec<&str> = exported.iter().map(String::as_str).collect();
    assert!(public.len() > 100);
    listed.sort_unstable();
    public.sort_unstable();
    assert_eq!(listed, public);
}
