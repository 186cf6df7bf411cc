//! `cargo xtask mutants`: small changes of the code, each of which a test must notice.

use crate::python_package::target;
use crate::tools::Tool;
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Command;

const MUTANTS: Tool = Tool { name: "cargo-mutants", version: "27.1.0", features: &[] };

/// Mutants are compiled quickly: a build costs more than the tests of its module.
const QUICK_BUILD: [(&str, &str); 3] =
    [("CARGO_PROFILE_DEV_OPT_LEVEL", "1"), ("CARGO_PROFILE_DEV_DEBUG", "0"), ("CARGO_INCREMENTAL", "1")];

/// The modules that must not be wrong in silence, and the tests of the library that speak of them.
const MODULES: [(&str, &[&str]); 7] = [
    ("score", &["score", "kappa", "referee", "knowledge", "golden"]),
    ("counts", &["counts", "sources"]),
    ("search", &["search", "climb", "blanket", "referee", "knowledge", "optimum", "golden", "fuzz"]),
    ("context", &["context", "classes"]),
    ("loglinear", &["loglinear", "rank", "fit"]),
    ("tree", &["tree", "fuzz", "inference"]),
    ("io", &["io", "csv", "columnar", "model_file", "bad_tables", "uai", "tasks", "fuzz"]),
];

/// Tests that take longer than all the others together. What they repeat a thousand times others try some times.
const SLOW: [&str; 5] = [
    "the_learner_takes_the_referees_steps_on_1_000_tables",
    "toggles_in_turn_end_where_nothing_improves_and_go_on_after_a_stop",
    "a_large_component_needs_no_optimiser_and_little_memory",
    "estimates_of_the_mushroom_folds_all_end",
    "the_record_after_each_step_is_that_of_a_climb_from_nothing",
];

/// Seconds of the processor for a compiler or for the tests of a mutant. The tests of a module take a tenth of that.
const SECONDS: u32 = 300;

/// The word for every module.
const ALL: &str = "all";

/// The exit code of cargo-mutants where the tests of some mutant did not end.
const TIMEOUTS: i32 = 3;

/// Where mutants are made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a copy, which is built from the ground up.
    Copy,
    /// In this checkout.
    Here,
}

/// A program whose processes may each take so many seconds of the processor: a mutant that loops ends. A clock on the
/// wall would call every mutant noticed where other programs keep the processor.
fn of_some_seconds(program: &Path) -> Command {
    if !cfg!(unix) {
        return Command::new(program);
    }
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit -t {SECONDS}; exec \"$0\" \"$@\"")]).arg(program);
    shell
}

/// Tries the mutants of one module, or of all; or a share of them, such as 1/20.
pub(crate) fn run(module: &str, share: Option<&str>, place: Place) -> Result<()> {
    let known = MODULES.map(|(name, _)| name);
    if module != ALL && !known.contains(&module) {
        bail!("there is no module {module:?} to try; the modules are {}, or {ALL}", known.join(", "));
    }
    let mut survived = Vec::new();
    for (name, tests) in MODULES.iter().filter(|(name, _)| [ALL, name].contains(&module)) {
        println!("xtask: mutants of {name}");
        let out = std::path::absolute(target().join("mutants").join(name))?;
        std::fs::create_dir_all(&out)?;
        let mut tried = of_some_seconds(&MUTANTS.path()?);
        // Without the features, files of Parquet and Arrow would not be compiled, nor their tests.
        tried.args(["mutants", "--package", "cmnet", "--all-features", "--file"]);
        tried.arg(format!("crates/cmnet/src/{name}/**/*.rs")).arg("--output").arg(&out);
        if place == Place::Here {
            tried.arg("--in-place");
        }
        // One at a time where what was built is kept; a mutant that waits for ever is caught too.
        tried.args(["--timeout", "1800", "--baseline", "run", "--no-shuffle"]).envs(QUICK_BUILD);
        if let Some((one, of)) = share.and_then(|share| share.split_once('/')) {
            // Shares are counted from 1 here, and from 0 by cargo-mutants. Each is spread over the files.
            let one: u64 = one.parse()?;
            let shard = format!("{}/{of}", one.saturating_sub(1));
            tried.args(["--sharding", "round-robin", "--shard", &shard]);
        }
        tried.arg("--");
        tried.args(["--lib", "--test", "it", "--"]).args(*tests);
        tried.args(SLOW.iter().flat_map(|test| ["--skip", test]));
        let ended = tried.status().context("cannot start cargo-mutants")?;
        // A mutant on which the tests do not end is noticed too.
        let missed = std::fs::read_to_string(out.join("mutants.out/missed.txt")).unwrap_or_default();
        if !matches!(ended.code(), Some(0 | TIMEOUTS)) || !missed.trim().is_empty() {
            survived.push(out.join("mutants.out/missed.txt").display().to_string());
        }
    }
    if survived.is_empty() {
        return Ok(());
    }
    bail!("some mutants were not noticed, or could not be tried: {}", survived.join(", "))
}
