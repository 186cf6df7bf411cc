//! The synthetic experiment: samples of the seven-variable model, sBIC and divergence of the
//! three model classes beside the paper's table (section 4.1).

use super::host::{Host, Task, run};
use super::measure::{Cell, Judge, Measured, Outline, Trial, measure, setup};
use super::published::SYNTHETIC;
use super::statistics::Summary;
use super::{Plan, stream};
use crate::sgm::SgmOptions;
use crate::synthetic::KnownModel;
use cmnet::{Result, Structure, canonical};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

/// What came of one sample size.
pub(super) struct Size {
    pub(super) rows: u32,
    pub(super) cells: Vec<Cell>,
}

/// The whole experiment.
pub(super) struct Synthetic {
    pub(super) model: KnownModel,
    pub(super) sizes: Vec<Size>,
}

impl Size {
    /// Mean and spread of a method's values; 0 is CMN, 1 MN, 2 SGM.
    pub(super) fn summary(&self, method: usize, value: impl Fn(&Measured) -> f64) -> Option<Summary> {
        self.averages(|cell| cell.method(method).map(&value))
    }

    /// Mean and spread of a value of each sample.
    pub(super) fn averages(&self, value: impl Fn(&Cell) -> Option<f64>) -> Option<Summary> {
        Summary::of(&self.cells.iter().filter_map(value).collect::<Vec<_>>())
    }

    /// The replicate whose structure is nearest to those of all others, in edges and context
    /// elements that differ, both in canonical form.
    pub(super) fn representative(&self, method: usize, cardinalities: &[u32]) -> Result<Option<Structure>> {
        let outlines = self.cells.iter().filter_map(|cell| cell.method(method)).map(|found| &found.outline);
        let structures: Vec<Structure> =
            outlines.map(|outline| canonical(&outline.structure(cardinalities)?)).collect::<Result<_>>()?;
        let parts: Vec<_> = structures.iter().map(|structure| Outline::of(structure).parts()).collect();
        let total = |mine: &Vec<_>| -> usize {
            parts.iter().map(|theirs| missing(mine, theirs) + missing(theirs, mine)).sum()
        };
        let nearest = (0..parts.len()).min_by_key(|&place| total(&parts[place]));
        Ok(nearest.map(|place| structures[place].clone()))
    }
}

/// How many parts of one list the other lacks.
pub(super) fn missing<T: PartialEq>(of: &[T], in_other: &[T]) -> usize {
    of.iter().filter(|part| !in_other.contains(part)).count()
}

impl Outline {
    /// Every edge (without a cell) and every context element, to be compared one by one.
    fn parts(&self) -> Vec<(usize, usize, Option<u64>)> {
        let part = |(low, high, cells): &(usize, usize, Vec<u64>)| {
            let (low, high) = (*low, *high);
            let elements: Vec<_> = cells.iter().map(|&cell| (low, high, Some(cell))).collect();
            std::iter::once((low, high, None)).chain(elements).collect::<Vec<_>>()
        };
        self.0.iter().flat_map(part).collect()
    }
}

/// Runs the experiment; `None` when the host asked to stop.
pub(super) fn synthetic(host: &dyn Host, plan: &Plan) -> Result<Option<Synthetic>> {
    let model = KnownModel::seven_variables()?;
    let all = SYNTHETIC.iter().map(|&(rows, _, _)| rows);
    let sizes: Vec<u32> = all.filter(|&rows| !plan.quick || [250, 1000].contains(&rows)).collect();
    let replicates = plan.replicates;
    let mut tasks = Vec::new();
    for &rows in &sizes {
        for replicate in 0..replicates {
            let sgm = SgmOptions { seed: u64::from(replicate) + 1, ..plan.sgm() };
            let model = &model;
            tasks.push(Task {
                key: format!("synthetic/n{rows}/replicate{replicate:03}"),
                setup: setup(Some(&sgm)),
                compute: Box::new(move || {
                    let mut rng =
                        Pcg64Mcg::seed_from_u64(stream(&[1, u64::from(rows), u64::from(replicate)]));
                    let train = model.sample(rows, &mut rng)?;
                    measure(
                        host,
                        &Trial { train: &train, judge: Judge::Truth(model), sgm: Some(sgm.clone()) },
                    )
                }),
            });
        }
    }
    let Some(cells) = run(host, "synthetic", &tasks)? else { return Ok(None) };
    drop(tasks);
    let chunks = cells.chunks(replicates.max(1) as usize);
    let sizes = sizes.iter().zip(chunks).map(|(&rows, cells)| Size { rows, cells: cells.to_vec() }).collect();
    Ok(Some(Synthetic { model, sizes }))
}
