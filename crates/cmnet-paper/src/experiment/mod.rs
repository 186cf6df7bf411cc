//! The paper's numerical section, rerun: its tables and figures beside the published numbers
//! (section 4), and its consistency theorem as a curve.
//!
//! An experiment is a list of cells, each computed on its own from a seed of its own and kept
//! by the [`Host`], so that a run that was interrupted goes on where it was. Reports hold no
//! clock and no host: the same data and plan give the same bytes. The time spent is reported
//! apart from them.

mod chart;
mod consistency;
mod host;
mod markdown;
mod measure;
mod published;
mod real_data;
mod real_orderings;
mod report_consistency;
mod report_real;
mod report_synthetic;
mod sgm_readings;
mod statistics;
mod synthetic_data;
mod synthetic_orderings;

pub use host::Host;

use crate::sgm::SgmOptions;
use cmnet::{Error, FitOptions, OptionName, Result, check_smoothing, json_to_text, mix_seed};
use serde_json::{Map, Value, json};
use std::fmt;
use std::str::FromStr;

/// Which part of the numerical section to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Experiment {
    /// Samples of the seven-variable model.
    Synthetic,
    /// Ten folds of the real tables.
    Real,
    /// Recovery of known structures from ever larger samples.
    Consistency,
    /// The orderings under other values of the parameters that the paper does not print.
    Sensitivity,
    /// The baseline's search under other readings of its description.
    Sgm,
    /// All five.
    All,
}

impl FromStr for Experiment {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "synthetic" => Ok(Self::Synthetic),
            "real" => Ok(Self::Real),
            "consistency" => Ok(Self::Consistency),
            "sensitivity" => Ok(Self::Sensitivity),
            "sgm" => Ok(Self::Sgm),
            "all" => Ok(Self::All),
            _ => Err(Error::option(
                "experiment",
                text,
                "synthetic, real, consistency, sensitivity, sgm or all",
            )),
        }
    }
}

impl fmt::Display for Experiment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Synthetic => "synthetic",
            Self::Real => "real",
            Self::Consistency => "consistency",
            Self::Sensitivity => "sensitivity",
            Self::Sgm => "sgm",
            Self::All => "all",
        })
    }
}

/// How much to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Data sets per sample size. \[default: 10\]
    pub replicates: u32,
    /// Shuffles of each real table. \[default: 5\]
    pub seeds: u32,
    /// Pseudo-counts of the smoothed estimate; results of the bare one stand beside. \[default: 1\]
    pub smoothing: f64,
    /// What report and figures say about the build, such as a commit. \[default: nothing\]
    pub revision: Option<String>,
    /// A small part of everything, for tests. \[default: no\]
    pub quick: bool,
}

impl Default for Plan {
    fn default() -> Self {
        let smoothing = FitOptions::default().smoothing;
        Self { replicates: 10, seeds: 5, smoothing, revision: None, quick: false }
    }
}

impl Plan {
    /// The small part of everything that tests run.
    pub fn quick() -> Self {
        Self { replicates: 2, seeds: 2, quick: true, ..Self::default() }
    }

    fn check(&self) -> Result<()> {
        for (option, value) in [(OptionName::Replicates, self.replicates), (OptionName::Seeds, self.seeds)] {
            if !(1..=1000).contains(&value) {
                return Err(Error::option(option, value.to_string(), "a number from 1 to 1000"));
            }
        }
        check_smoothing(self.smoothing)
    }

    /// The version, with what was said about the build.
    fn build(&self) -> String {
        let revision = self.revision.as_ref().map_or(String::new(), |text| format!(", {text}"));
        format!("cmnet {}{revision}", env!("CARGO_PKG_VERSION"))
    }

    fn sgm(&self) -> SgmOptions {
        let iterations = if self.quick { 100 } else { 500 };
        SgmOptions {
            graph_iterations: iterations,
            label_iterations: iterations,
            seed: 0,
            ..SgmOptions::default()
        }
    }
}

/// A file of a report: its name and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputFile {
    /// The name, without folder.
    pub name: String,
    /// The text.
    pub text: String,
}

/// What a part of the report consists of.
#[derive(Default)]
struct Section {
    markdown: String,
    results: Map<String, Value>,
    files: Vec<OutputFile>,
    /// Thread seconds of search, fitting and the baseline, by name.
    timing: Map<String, Value>,
}

impl Section {
    fn add(&mut self, text: &str) {
        self.markdown.push_str(text);
    }
}

/// The paper's real tables that others can have, by the name of their file, in alphabetical order.
pub fn real_tables() -> Vec<&'static str> {
    let mut keys: Vec<&str> =
        published::REAL.iter().filter(|row| row.size.is_some()).map(|row| row.key).collect();
    keys.sort_unstable();
    keys
}

/// Runs an experiment and renders its report: `report.md`, `results.json`, figures, and
/// `timing.json`, the only one that depends on the machine. `None` when the host asked to
/// stop; finished cells are kept by it.
///
/// # Errors
/// When a table cannot be read, a plan is out of range, or a cell cannot be computed or kept.
pub fn run(experiment: Experiment, plan: &Plan, host: &dyn Host) -> Result<Option<Vec<OutputFile>>> {
    plan.check()?;
    let wanted = |part| experiment == Experiment::All || experiment == part;
    let mut sections = Vec::new();
    if wanted(Experiment::Synthetic) {
        let Some(found) = synthetic_data::synthetic(host, plan)? else { return Ok(None) };
        sections.push(("synthetic", report_synthetic::section(&found)?));
    }
    if wanted(Experiment::Real) {
        let Some(found) = real_data::real(host, plan)? else { return Ok(None) };
        sections.push(("real", report_real::section(&found, plan)));
    }
    if wanted(Experiment::Consistency) {
        let Some(found) = consistency::consistency(host, plan)? else { return Ok(None) };
        sections.push(("consistency", report_consistency::section(&found)));
    }
    if wanted(Experiment::Sensitivity) {
        let Some(found) = synthetic_orderings::sensitivity(host, plan)? else { return Ok(None) };
        sections.push(("sensitivity", found));
    }
    if wanted(Experiment::Sgm) {
        let Some(found) = sgm_readings::readings(host, plan)? else { return Ok(None) };
        sections.push(("sgm", found));
    }
    Ok(Some(assemble(plan, sections)?))
}

fn assemble(plan: &Plan, sections: Vec<(&str, Section)>) -> Result<Vec<OutputFile>> {
    let mut markdown = markdown::preface(plan);
    let mut results = Map::new();
    results.insert("format".to_owned(), json!("cmnet-results/1"));
    results.insert("replicates".to_owned(), json!(plan.replicates));
    results.insert("seeds".to_owned(), json!(plan.seeds));
    results.insert("smoothing".to_owned(), json!(plan.smoothing));
    results.insert("quick".to_owned(), json!(plan.quick));
    let mut timing = Map::new();
    let mut files = Vec::new();
    for (name, section) in sections {
        markdown.push_str(&section.markdown);
        results.insert(name.to_owned(), Value::Object(section.results));
        timing.insert(name.to_owned(), Value::Object(section.timing));
        files.extend(section.files);
    }
    let build = plan.build();
    results.insert("build".to_owned(), json!(build));
    for figure in files.iter_mut().filter(|file: &&mut OutputFile| file.text.starts_with("<svg ")) {
        let described =
            format!("</title>\n<desc>{}</desc>", build.replace('&', "&amp;").replace('<', "&lt;"));
        figure.text = figure.text.replacen("</title>", &described, 1);
    }
    let json =
        |value| json_to_text(&Value::Object(value)).map_err(|error| Error::io("results", "write", error));
    files.push(OutputFile { name: "report.md".to_owned(), text: markdown });
    files.push(OutputFile { name: "results.json".to_owned(), text: json(results)? });
    files.push(OutputFile { name: "timing.json".to_owned(), text: json(timing)? });
    Ok(files)
}

/// A seed of its own for every task: SplitMix64 over what names it.
fn stream(parts: &[u64]) -> u64 {
    parts.iter().fold(0, |seed, part| mix_seed(seed ^ part))
}
