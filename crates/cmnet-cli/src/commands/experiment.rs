//! `cmnet experiment`: the paper's numerical section, rerun beside its published numbers.

use crate::args::{Format, Printed};
use crate::exit::{Outcome, Usage};
use crate::{interrupt, output, progress};
use clap::Args;
use cmnet::options::fitting;
use cmnet::{
    Control, Dataset, LearnObserver, ReadOptions, SearchObserver, Source, StopReason, read_csv, write_atomic,
};
use cmnet_paper::experiment::{Experiment, Host, OutputFile, Plan, run as run_experiment};
use cmnet_report::answer::ExperimentAnswer;
use indicatif::ProgressBar;
use std::path::PathBuf;
use std::time::Instant;

pub(crate) const HELP: &str = "\
Examples:
  cmnet experiment all --data data --out experiments/results
  cmnet experiment synthetic --data data --out /tmp/synthetic --replicates 100
  cmnet experiment all --data data --out /tmp/quick --quick

Finished cells are kept in the output folder: after Ctrl-C (exit code 130) the same command
goes on where it was.";

#[derive(Debug, Args)]
pub(crate) struct ExperimentArgs {
    /// synthetic, real, consistency, sensitivity, sgm or all
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Folder with the tables, such as car.csv; absent ones are reported as not run
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// Folder for report, results, figures and finished cells
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Data sets per sample size [default: 10; 2 with --quick]
    #[arg(long, value_name = "N")]
    pub(crate) replicates: Option<u32>,
    /// Shuffles of each real table [default: 5; 2 with --quick]
    #[arg(long, value_name = "N")]
    pub(crate) seeds: Option<u32>,
    /// Pseudo-counts of the smoothed estimate; results of the bare estimate stand beside
    #[arg(long, value_name = "SUM", default_value = fitting::SMOOTHING.default)]
    pub(crate) smoothing: f64,
    /// What report and figures say about the build, such as a commit
    #[arg(long, value_name = "TEXT")]
    pub(crate) revision: Option<String>,
    /// A small part of everything, in seconds
    #[arg(long)]
    pub(crate) quick: bool,
}

pub(crate) fn run(arguments: &Printed<ExperimentArgs>) -> anyhow::Result<Outcome> {
    let experiment: Experiment = arguments.name.parse()?;
    let defaults = if arguments.quick { Plan::quick() } else { Plan::default() };
    let plan = Plan {
        replicates: arguments.replicates.unwrap_or(defaults.replicates),
        seeds: arguments.seeds.unwrap_or(defaults.seeds),
        smoothing: arguments.smoothing,
        revision: arguments.revision.clone(),
        quick: arguments.quick,
    };
    if !arguments.data.is_dir() {
        let problem = "this is not a folder; expected one with tables such as car.csv";
        return Err(Usage(format!("{}: {problem}", arguments.data.display())).into());
    }
    interrupt::listen();
    let desk = Desk {
        start: Instant::now(),
        data: arguments.data.clone(),
        cells: arguments.out.join(if arguments.quick { "cells-quick" } else { "cells" }),
        bar: progress::spinner(),
    };
    let files = run_experiment(experiment, &plan, &desk)?;
    desk.bar.finish_and_clear();
    let Some(files) = files else {
        output::note(&format!(
            "interrupted; finished cells are in {}, the same command goes on",
            desk.cells.display()
        ));
        return Ok(Outcome::Interrupted);
    };
    std::fs::create_dir_all(&arguments.out)
        .map_err(|source| cmnet::Error::io(&arguments.out, "make", source))?;
    for file in &files {
        write_atomic(&arguments.out.join(&file.name), file.text.as_bytes())?;
    }
    match arguments.format {
        Format::Text => output::page(&as_text(arguments, &files, desk.seconds()))?,
        Format::Json => output::answer(&ExperimentAnswer {
            experiment: experiment.to_string(),
            files: files.iter().map(|file| file.name.as_str()).collect(),
        })?,
    }
    Ok(Outcome::Done)
}

/// Tables, clock and drawer of finished cells.
struct Desk {
    start: Instant,
    data: PathBuf,
    cells: PathBuf,
    bar: ProgressBar,
}

impl Desk {
    fn path(&self, key: &str) -> PathBuf {
        self.cells.join(format!("{key}.json"))
    }
}

impl Control for Desk {
    fn stop(&self) -> Option<StopReason> {
        interrupt::Interrupt.stop()
    }
}

impl SearchObserver for Desk {}

impl LearnObserver for Desk {}

impl Host for Desk {
    fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    fn table(&self, name: &str) -> cmnet::Result<Option<Dataset>> {
        let path = self.data.join(format!("{name}.csv"));
        if !path.exists() {
            // The tenth table was never published: the report says so.
            if name != "finnish_parliament" {
                output::note(&format!("{} is not there: that table is not run", path.display()));
            }
            return Ok(None);
        }
        Ok(Some(read_csv(&Source::Path(path), &ReadOptions::default())?.data))
    }

    fn load(&self, key: &str) -> Option<String> {
        std::fs::read_to_string(self.path(key)).ok()
    }

    fn store(&self, key: &str, text: &str) -> cmnet::Result<()> {
        let path = self.path(key);
        // A folder that cannot be made shows in the write, which names the file.
        let _ = path.parent().map(std::fs::create_dir_all);
        write_atomic(&path, text.as_bytes())
    }

    fn progress(&self, experiment: &str, done: usize, of: usize) {
        self.bar.set_prefix(experiment.to_owned());
        self.bar.set_message(format!("{done} of {of} cells"));
    }
}

fn as_text(arguments: &ExperimentArgs, files: &[OutputFile], seconds: f64) -> String {
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    let names = names.join("\n  ");
    let folder = arguments.out.display();
    format!("Wrote {} files to {folder} in {seconds:.0} s:\n  {names}\n", files.len())
        + "Read report.md first; timing.json has the thread seconds of search, fitting and SGM.\n"
}
