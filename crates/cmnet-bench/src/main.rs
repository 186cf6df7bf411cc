//! Measurements of cmnet. `cargo xtask bench` runs each section in a process of its own, so
//! that peak memory is its own too.

mod accuracy;
mod by_counts;
mod calibration;
mod confidence;
mod confirm;
mod contexts;
mod counting;
mod coverage;
mod cuts;
mod gradient;
mod groups;
mod inference;
mod known;
mod loading;
mod missing;
mod paper;
mod peer;
mod posterior;
mod reading;
mod refining;
mod roofline;
mod scores;
mod tables;
mod usage;

use anyhow::{Context, Result, bail};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize, default: usize| -> Result<usize> {
        let Some(text) = arguments.get(place) else { return Ok(default) };
        text.parse().with_context(|| format!("{text:?} is not a number"))
    };
    let name = |place: usize| arguments.get(place).map(String::as_str).unwrap_or_default();
    match name(0) {
        "paper" => paper::run(name(1)),
        "counting" => counting::run(),
        "roofline" => roofline::run(number(1, 1000)?, number(2, 10_000)?),
        "dispatch" => roofline::dispatch(),
        "loading" => loading::run(),
        "known-head" => {
            known::head();
            Ok(())
        }
        "known-table" => known::write_table(name(1), number(2, 100)?, number(3, 2000)?),
        "known" => known::run(name(1), number(2, 1000)?, number(3, 10_000)?, name(4) == "paper"),
        "confidence" => {
            let usual = cmnet::BootstrapOptions::default();
            let amount = confidence::Amount {
                variables: number(2, 20)?,
                rows: number(3, 2000)?,
                tables: number(4, 5)?,
                replicates: number(5, 100)?,
                first: number(9, 1)?,
                how: cmnet::BootstrapOptions {
                    resample: if name(6).is_empty() { usual.resample } else { name(6).parse()? },
                    share: if name(7).is_empty() { None } else { Some(name(7).parse()?) },
                    start: if name(8).is_empty() { usual.start } else { name(8).parse()? },
                    learn: cmnet::LearnOptions {
                        contexts: if name(10).is_empty() {
                            usual.learn.contexts
                        } else {
                            name(10).parse()?
                        },
                        ..usual.learn
                    },
                    ..usual
                },
            };
            confidence::run(name(1), &amount)
        }
        "calibration" => calibration::run(name(1), arguments.get(2..).unwrap_or_default()),
        "posterior" => {
            let (variables, rows) = (number(2, 8)?, number(3, 1000)?);
            let (tables, first, kappa) = (number(4, 20)?, number(5, 1)?, name(6));
            let exponents = arguments.get(7..).unwrap_or_default();
            posterior::run(name(1), &posterior::Amount { variables, rows, tables, first, kappa, exponents })
        }
        "accuracy-table" => {
            accuracy::write_table(name(1), name(2), (number(3, 50)?, number(4, 2000)?), number(5, 1)? as u64)
        }
        "accuracy-learn" => accuracy::learn_folder(name(1), name(2)),
        "accuracy-class" => accuracy::classify_folder(name(1), name(2)),
        "accuracy-priors" => refining::priors(name(1), (number(2, 50)?, number(3, 2000)?), name(4)),
        "accuracy-rules" if arguments.len() < 5 => refining::folder_rules(name(1), name(2)),
        "accuracy-rules" => refining::rules(name(1), (number(2, 50)?, number(3, 2000)?), name(4), name(5)),
        "accuracy-scores" => scores::run(name(1), (number(2, 50)?, number(3, 2000)?), name(4)),
        "confirm" => {
            confirm::run(name(1), number(2, 50)?, number(3, 10_000)?, (number(4, 1)?, number(5, 20)?))
        }
        "coverage" => {
            coverage::run(name(1), number(2, 20)?, number(3, 5000)?, (number(4, 20)?, name(5) == "pseudo"))
        }
        "missing" => {
            missing::run(name(1), (number(2, 10)?, number(3, 2000)?, number(4, 5)?), arguments.get(5..))
        }
        "tables" => tables::run(name(1)),
        "contexts" => contexts::run(name(1), name(2)),
        "peer-table" => peer::write_table(name(1), number(2, 1000)?, number(3, 2000)?),
        "peer-learn" => peer::learn_table(number(1, 1000)?, number(2, 2000)?),
        "gradient" => gradient::run(),
        "inference" => inference::run(name(1)),
        "completions" => inference::completions(name(1), number(2, 2)?),
        other => of_tables(other, name(1), number),
    }
}

/// Measurements of growth, of what real tables need, numbers and groups, and of how sure answers are.
fn of_tables(section: &str, first: &str, number: impl Fn(usize, usize) -> Result<usize>) -> Result<()> {
    match section {
        "growth" => contexts::growth(),
        "reading" => reading::run(number(1, 300_000)?, number(2, 100)?),
        "confirm-by-counts" => {
            by_counts::run(first, number(2, 20)?, number(3, 5000)?, (number(4, 1)?, number(5, 20)?))
        }
        "coverage-ensemble" => {
            let amount = (number(4, 1)?, number(5, 20)?, number(6, 100)?);
            coverage::ensembles(first, number(2, 15)?, number(3, 1000)?, amount)
        }
        "cuts" => cuts::run(first, number(2, 12)?, number(3, 1000)?, number(4, 20)?),
        "missing-noise" => missing::noise(first, number(2, 20)?),
        "groups" => groups::run(number(1, 2)?, number(2, 300)?, number(3, 100)?, number(4, 199)?, false),
        "groups-beside-separate" => {
            groups::run(number(1, 2)?, number(2, 300)?, number(3, 100)?, number(4, 199)?, true)
        }
        other => bail!("{other:?} is not a section; see `cargo xtask bench --help`"),
    }
}
