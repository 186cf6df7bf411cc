//! What people and CI run: `cargo xtask test`.

mod bench_accuracy;
mod bench_inference;
mod bench_peer;
mod bench_search;
mod book;
mod browser;
mod faults;
mod faults_judge;
mod fuzz;
mod hostile;
mod hostile_kinds;
mod kills;
mod lane;
mod links;
mod memory;
mod mutants;
mod python;
mod python_package;
mod release;
mod release_policy;
mod same;
mod test;
mod tools;

use anyhow::Result;
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask COMMAND

  test               formatting, lints, documentation and every test, those of the Python package
                     and of pages in Chromium too: what CI runs
  bench search [DIR [CMNET]]
                     search: referee, threads, roofline, many variables, real tables in DIR
                     (default data), what contexts cost, beside another build of cmnet if one is
                     named, gradient of the likelihood
  bench peer         search beside PyBNesian's PC on the same table
  bench accuracy [PART [DIR]]
                     edges of known graphs (structure), also with other scores (scores); prediction of
                     classes (classification); held-out likelihood of public networks (networks) and of
                     the density tables in DIR (density), beside other programs
  bench inference    exact inference beside pyAgrum and toulbar2
  bench python       learning and marginals from Python, beside pgmpy
  bench cluster [ROWS [VARIABLES [REPLICATES]]]
                     worker processes beside threads, and packing of Parquet files with its memory
  bench cluster goal the same for the runs that are to take a tenth more at most, and nothing else
  same BASELINE      every command of suite/same.txt answers as another build of cmnet does, byte
                     for byte
  kills [N [DIR]]    N runs (default 100) killed at random moments and resumed, by the programs cmnet
                     and cmnet-bench in DIR if it is named
  kills cluster [N]  N runs (default 100) on a cluster of Dask whose workers are killed
  hostile [N [CMNET]]  N damaged files (default 20000), for this or another build of cmnet: every command
                     ends in time and memory, with an answer or an error of its own
  memory [CMNET]     the peak of every command beside the bound that it was given
  fuzz [MINUTES [BODY ..]]
                     the bodies of fuzz/src/bodies.rs, or those that are named, with bytes that libFuzzer
                     makes up (default 60 minutes in all)
  faults [CMNET]     every command that writes, with each of its system calls failing in turn: files are
                     the old ones or the new ones, and no answer is lost. It needs strace
  mutants [MODULE [I/N [TEST ..]]]
                     small changes of the library, each of which a test must notice, in one module or in
                     all; the I-th of N shares of them. They are compiled once, in a copy under target.
                     The word again for I/N tries those that survived the last time. Words after it
                     choose the tests whose names hold them
  book               the pages as a site by mdBook, after every link between them was followed
  release --dry-run [PART]
                     what a release would publish (crates, command, python, policy, book), from a
                     clean clone, installed into empty environments and tried; nothing leaves
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result: Result<()> = match words.as_slice() {
        ["test"] => test::run(),
        ["bench", "search"] => bench_search::run("data", ""),
        ["bench", "search", folder] => bench_search::run(folder, ""),
        ["bench", "search", folder, baseline] => bench_search::run(folder, baseline),
        ["bench", "peer"] => bench_peer::run(),
        ["bench", "accuracy"] => bench_accuracy::run(None, None),
        ["bench", "accuracy", part] => bench_accuracy::run(Some(part), None),
        ["bench", "accuracy", part, folder] => bench_accuracy::run(Some(part), Some(folder)),
        ["bench", "inference"] => bench_inference::run(),
        ["bench", "python"] => python_package::bench(),
        ["bench", "cluster", sizes @ ..] => python_package::bench_cluster(sizes),
        ["same", baseline] => same::run(baseline),
        ["kills"] => kills::run(100, None),
        ["kills", "cluster"] => python_package::kills("100"),
        ["kills", "cluster", count] => python_package::kills(count),
        ["kills", count] => count.parse().map_err(Into::into).and_then(|count| kills::run(count, None)),
        ["kills", count, folder] => {
            count.parse().map_err(Into::into).and_then(|count| kills::run(count, Some(Path::new(folder))))
        }
        ["hostile"] => hostile::run(20_000, None),
        ["hostile", count] => count.parse().map_err(Into::into).and_then(|count| hostile::run(count, None)),
        ["hostile", count, command] => {
            count.parse().map_err(Into::into).and_then(|count| hostile::run(count, Some(command.into())))
        }
        ["memory"] => memory::run(None),
        ["memory", command] => memory::run(Some(command.into())),
        ["fuzz"] => fuzz::run(60.0, &[]),
        ["fuzz", minutes, named @ ..] => {
            minutes.parse().map_err(Into::into).and_then(|minutes| fuzz::run(minutes, named))
        }
        ["faults"] => faults::run(None),
        ["faults", command] => faults::run(Some(command.into())),
        ["mutants"] => mutants::run("all", "1/1", &[]),
        ["mutants", module] => mutants::run(module, "1/1", &[]),
        ["mutants", module, share, tests @ ..] => mutants::run(module, share, tests),
        ["book"] => book::run(Path::new("."), &python_package::target().join("book")),
        ["release", "--dry-run"] => release::dry_run(None),
        ["release", "--dry-run", part] => release::dry_run(Some(part)),
        ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
