//! Measurements of cmnet. `cargo xtask bench` runs each section in a process of its own, so
//! that peak memory is its own too.

mod accuracy;
mod blanket_scores;
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
mod missing_warnings;
mod paper;
mod peer;
mod posterior;
mod reading;
mod refining;
mod replicates;
mod roofline;
mod scores;
mod tables;
mod usage;

use anyhow::{Context, Result, bail};

/// What stands behind the name of a section.
struct Words(Vec<String>);

impl Words {
    fn name(&self, place: usize) -> &str {
        self.0.get(place).map(String::as_str).unwrap_or_default()
    }

    fn number(&self, place: usize, default: usize) -> Result<usize> {
        let Some(text) = self.0.get(place) else { return Ok(default) };
        text.parse().with_context(|| format!("{text:?} is not a number"))
    }

    /// A choice by its word, or the usual one.
    fn choice<T>(&self, place: usize, usual: T) -> Result<T>
    where
        T: std::str::FromStr<Err = cmnet::Error>,
    {
        if self.name(place).is_empty() { Ok(usual) } else { Ok(self.name(place).parse()?) }
    }

    /// Kappas between commas: n^-0.5 alone where none is named, and `usual` for those of learning.
    fn kappas(&self, place: usize) -> Result<Vec<cmnet::Kappa>> {
        match self.name(place) {
            "" => Ok(vec!["n^-0.5".parse()?]),
            "usual" => Ok(cmnet::LearnOptions::default().kappas),
            list => Ok(list.split(',').map(str::parse).collect::<cmnet::Result<_>>()?),
        }
    }

    fn after(&self, place: usize) -> &[String] {
        self.0.get(place..).unwrap_or_default()
    }
}

fn main() -> Result<()> {
    let words = Words(std::env::args().skip(1).collect());
    of_searches(&words)
}

/// Searches, counting, fits and questions: how long they take.
fn of_searches(words: &Words) -> Result<()> {
    let number = |place, default| words.number(place, default);
    let name = |place| words.name(place);
    match name(0) {
        "paper" => paper::run(name(1)),
        "counting" => counting::run(),
        "roofline" => roofline::run(number(1, 1000)?, number(2, 10_000)?),
        "dispatch" => roofline::dispatch(),
        "loading" => loading::run(),
        "reading" => reading::run(number(1, 300_000)?, number(2, 100)?),
        "known-head" => {
            known::head();
            Ok(())
        }
        "known-table" => known::write_table(name(1), number(2, 100)?, number(3, 2000)?),
        "known" => known::run(name(1), number(2, 1000)?, number(3, 10_000)?, name(4) == "paper"),
        "tables" => tables::run(name(1)),
        "contexts" => contexts::run(name(1), name(2)),
        "growth" => contexts::growth(),
        "peer-table" => peer::write_table(name(1), number(2, 1000)?, number(3, 2000)?),
        "peer-learn" => peer::learn_table(number(1, 1000)?, number(2, 2000)?),
        "gradient" => gradient::run(),
        "inference" => inference::run(name(1)),
        "completions" => inference::completions(name(1), number(2, 2)?),
        _ => of_trust(words),
    }
}

/// How sure answers are, and whether that is right.
fn of_trust(words: &Words) -> Result<()> {
    let number = |place, default| words.number(place, default);
    let name = |place| words.name(place);
    match name(0) {
        "confidence" => {
            let usual = cmnet::BootstrapOptions::default();
            let contexts = words.choice(10, usual.learn.contexts)?;
            let amount = confidence::Amount {
                variables: number(2, 20)?,
                rows: number(3, 2000)?,
                tables: number(4, 5)?,
                replicates: number(5, 100)?,
                first: number(9, 1)?,
                how: cmnet::BootstrapOptions {
                    resample: words.choice(6, usual.resample)?,
                    share: if name(7).is_empty() { None } else { Some(name(7).parse()?) },
                    start: words.choice(8, usual.start)?,
                    kappa_choice: words.choice(11, usual.kappa_choice)?,
                    learn: cmnet::LearnOptions { contexts, kappas: words.kappas(12)?, ..usual.learn },
                    ..usual
                },
            };
            confidence::run(name(1), &amount)
        }
        "replicates" => {
            let usual = cmnet::BootstrapOptions::default();
            let options = cmnet::BootstrapOptions {
                kappa_choice: words.choice(3, usual.kappa_choice)?,
                start: words.choice(4, usual.start)?,
                replicates: number(5, 200)? as u64,
                learn: cmnet::LearnOptions { kappas: words.kappas(2)?, ..usual.learn },
                ..usual
            };
            replicates::run(name(1), &options)
        }
        "calibration" => calibration::run(name(1), words.after(2)),
        "posterior" => {
            let (variables, rows) = (number(2, 8)?, number(3, 1000)?);
            let (tables, first, kappa) = (number(4, 20)?, number(5, 1)?, name(6));
            let exponents = words.after(7);
            posterior::run(name(1), &posterior::Amount { variables, rows, tables, first, kappa, exponents })
        }
        "confirm" => {
            confirm::run(name(1), number(2, 50)?, number(3, 10_000)?, (number(4, 1)?, number(5, 20)?))
        }
        "confirm-by-counts" => {
            by_counts::run(name(1), number(2, 20)?, number(3, 5000)?, (number(4, 1)?, number(5, 20)?))
        }
        "coverage" => {
            let amount = (number(6, 1)?, number(4, 20)?, name(5) == "pseudo");
            coverage::run(name(1), number(2, 20)?, number(3, 5000)?, amount)
        }
        "coverage-ensemble" => {
            let amount = (number(4, 1)?, number(5, 20)?, number(6, 100)?);
            coverage::ensembles(name(1), number(2, 15)?, number(3, 1000)?, amount)
        }
        _ => of_accuracy(words),
    }
}

/// How much of the truth is found, and how well rows are predicted; what real tables need, numbers and groups.
fn of_accuracy(words: &Words) -> Result<()> {
    let number = |place, default| words.number(place, default);
    let name = |place| words.name(place);
    match name(0) {
        "accuracy-table" => {
            accuracy::write_table(name(1), name(2), (number(3, 50)?, number(4, 2000)?), number(5, 1)? as u64)
        }
        "accuracy-learn" => accuracy::learn_folder(name(1), name(2)),
        "accuracy-class" => accuracy::classify_folder(name(1), name(2)),
        "accuracy-priors" => refining::priors(name(1), (number(2, 50)?, number(3, 2000)?), name(4)),
        "accuracy-starts" => refining::starts(name(1), (number(2, 50)?, number(3, 2000)?), name(4)),
        "accuracy-rules" if words.0.len() < 5 => refining::folder_rules(name(1), name(2)),
        "accuracy-rules" => refining::rules(name(1), (number(2, 50)?, number(3, 2000)?), name(4), name(5)),
        "accuracy-scores" => scores::run(name(1), (number(2, 50)?, number(3, 2000)?), name(4)),
        "missing" => {
            let amount = (number(2, 10)?, number(3, 2000)?, number(4, 5)?);
            missing::run(name(1), amount, words.0.get(5..))
        }
        "missing-noise" => missing::noise(name(1), number(2, 20)?),
        "missing-warnings" => missing_warnings::run(number(1, 50)?),
        "cuts" => cuts::run(name(1), number(2, 12)?, number(3, 1000)?, number(4, 20)?),
        "groups" => groups::run(number(1, 2)?, number(2, 300)?, number(3, 100)?, number(4, 199)?, false),
        "groups-beside-separate" => {
            groups::run(number(1, 2)?, number(2, 300)?, number(3, 100)?, number(4, 199)?, true)
        }
        other => bail!("{other:?} is not a section; see `cargo xtask bench --help`"),
    }
}
