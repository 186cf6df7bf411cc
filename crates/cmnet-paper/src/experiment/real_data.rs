//! The real-data experiment: ten folds of each table, several shuffles, all measures of the
//! paper's four tables (section 4.2).

use super::Plan;
use super::host::{Host, Task, run};
use super::measure::{Cell, Judge, Measured, Seconds, Trial, measure, setup};
use super::published::{REAL, Row};
use super::statistics::Summary;
use crate::sgm::SgmOptions;
use cmnet::{DataDigest, Dataset, Error, Fold, FoldPlan, Folds, Result};

/// The parts of the paper's protocol.
const FOLDS: usize = 10;

/// What came of one table.
pub(super) struct TableResult {
    pub(super) published: &'static Row,
    /// Rows and variables; `None` when the file was absent.
    pub(super) size: Option<(u64, usize)>,
    /// Per seed the cells of its folds.
    pub(super) seeds: Vec<Vec<Cell>>,
}

impl TableResult {
    /// Mean and spread over seeds of a method's average over folds.
    pub(super) fn summary(&self, method: usize, value: impl Fn(&Measured) -> Option<f64>) -> Option<Summary> {
        self.averages(|cell| cell.method(method).and_then(&value))
    }

    /// Mean and spread over seeds of an average over folds.
    pub(super) fn averages(&self, value: impl Fn(&Cell) -> Option<f64>) -> Option<Summary> {
        let average = |cells: &Vec<Cell>| {
            let values: Vec<f64> = cells.iter().filter_map(&value).collect();
            Summary::of(&values).map(|summary| summary.mean)
        };
        Summary::of(&self.seeds.iter().filter_map(average).collect::<Vec<_>>())
    }

    /// Thread seconds over all cells.
    pub(super) fn seconds(&self) -> Seconds {
        self.seeds.iter().flatten().fold(Seconds::default(), |sum, cell| Seconds {
            search: sum.search + cell.seconds.search,
            fit: sum.fit + cell.seconds.fit,
            sgm: sum.sgm + cell.seconds.sgm,
        })
    }

    /// Of all fits, how many lay on the boundary.
    pub(super) fn boundaries(&self) -> usize {
        let models = self.seeds.iter().flatten().flat_map(|cell| &cell.models);
        models.filter(|model| model.boundary).count()
    }
}

/// One shuffled table, cut.
pub(super) struct Cut {
    key: String,
    pub(super) digest: String,
    binary: bool,
    seed: u32,
    parts: Vec<Fold>,
}

impl Cut {
    pub(super) fn new(published: &Row, data: &Dataset, seed: u32) -> Result<Self> {
        let folds = Folds::deal(data, FoldPlan::Drawn { folds: FOLDS, seed: u64::from(seed) })?;
        Ok(Self {
            key: published.key.to_owned(),
            digest: DataDigest::of(data).as_str().to_owned(),
            binary: data.schema().cardinalities().iter().all(|&levels| levels == 2),
            seed,
            parts: folds.iter().collect::<Result<_>>()?,
        })
    }

    /// The folds, each with the seed of its random search.
    pub(super) fn folds(&self) -> impl Iterator<Item = (u64, &Fold)> {
        (u64::from(self.seed) * 100..).zip(&self.parts)
    }
}

/// Runs the experiment; `None` when the host asked to stop.
pub(super) fn real(host: &dyn Host, plan: &Plan) -> Result<Option<Vec<TableResult>>> {
    let quick = ["coronary_heart", "economic_activity"];
    let mut results: Vec<TableResult> = Vec::new();
    let mut cuts = Vec::new();
    for published in REAL.iter().filter(|row| !plan.quick || quick.contains(&row.key)) {
        let data = host.table(published.key)?;
        let size = data.as_ref().map(|data| (data.rows(), data.variables()));
        check_size(published, size)?;
        results.push(TableResult { published, size, seeds: Vec::new() });
        let Some(data) = data else { continue };
        for seed in 1..=plan.seeds {
            cuts.push(Cut::new(published, &data, seed)?);
        }
    }
    let tasks: Vec<Task<'_, Cell>> = cuts.iter().flat_map(|cut| cut_tasks(host, plan, cut)).collect();
    let Some(cells) = run(host, "real", &tasks)? else { return Ok(None) };
    let mut cells = cells.into_iter();
    for cut in &cuts {
        let part: Vec<Cell> = cells.by_ref().take(cut.parts.len()).collect();
        if let Some(result) = results.iter_mut().find(|result| result.published.key == cut.key) {
            result.seeds.push(part);
        }
    }
    Ok(Some(results))
}

/// Refuses a table that cannot be the paper's.
fn check_size(published: &Row, found: Option<(u64, usize)>) -> Result<()> {
    let (Some(found), Some(expected)) = (found, published.size) else { return Ok(()) };
    if found == expected {
        return Ok(());
    }
    let problem = format!(
        "{}.csv has {} rows and {} variables, the paper's table {} and {}",
        published.key, found.0, found.1, expected.0, expected.1
    );
    Err(Error::mismatch(problem, "give a data folder with the tables that data/README.md describes"))
}

fn cut_tasks<'a>(host: &'a dyn Host, plan: &Plan, cut: &'a Cut) -> Vec<Task<'a, Cell>> {
    let mut tasks = Vec::new();
    for (fold, (seed, part)) in cut.folds().enumerate() {
        let smoothing = plan.smoothing;
        let sgm = cut.binary.then(|| SgmOptions { seed, ..plan.sgm() });
        tasks.push(Task {
            key: format!("real/{}/seed{}/fold{fold}", cut.key, cut.seed),
            setup: format!("{}, data {}", setup(plan.smoothing, sgm.as_ref()), cut.digest),
            compute: Box::new(move || {
                let judge = Judge::HeldOut(&part.heldout);
                measure(host, &Trial { train: &part.training, judge, smoothing, sgm: sgm.clone() })
            }),
        });
    }
    tasks
}
