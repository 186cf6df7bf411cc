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
    let all = SYNTHETIC.iter().map(|&(rows, _, _)| rows);
    let sizes: Vec<u32> = all.filter(|&rows| !plan.quick || [250, 1000].contains(&rows)).collect();
    let drawing = Drawing { name: "synthetic".to_owned(), sizes, stream: 1 };
    let found = drawn(host, plan, &[(drawing, KnownModel::seven_variables()?)])?;
    Ok(found.and_then(|found| found.into_iter().next()))
}

/// Samples to draw of a model.
pub(super) struct Drawing {
    pub(super) name: String,
    pub(super) sizes: Vec<u32>,
    /// What tells its random numbers from others.
    pub(super) stream: u64,
}

/// Draws samples of models and measures them; `None` when the host asked to stop.
pub(super) fn drawn(
    host: &dyn Host,
    plan: &Plan,
    models: &[(Drawing, KnownModel)],
) -> Result<Option<Vec<Synthetic>>> {
    let smoothing = plan.smoothing;
    let mut tasks = Vec::new();
    for (drawing, model) in models {
        for &rows in &drawing.sizes {
            for replicate in 0..plan.replicates {
                let sgm = SgmOptions { seed: u64::from(replicate) + 1, ..plan.sgm() };
                tasks.push(Task {
                    key: format!("{}/n{rows}/replicate{replicate:03}", drawing.name),
                    setup: setup(smoothing, Some(&sgm)),
                    compute: Box::new(move || {
                        let seed = stream(&[drawing.stream, u64::from(rows), u64::from(replicate)]);
                        let train = model.sample(rows, &mut Pcg64Mcg::seed_from_u64(seed))?;
                        let (judge, sgm) = (Judge::Truth(model), Some(sgm.clone()));
                        measure(host, &Trial { train: &train, judge, smoothing, sgm })
                    }),
                });
            }
        }
    }
    let name =
        models.first().map_or("synthetic", |(drawing, _)| drawing.name.split('/').next().unwrap_or(""));
    let Some(cells) = run(host, name, &tasks)? else { return Ok(None) };
    drop(tasks);
    let mut chunks = cells.chunks(plan.replicates.max(1) as usize);
    let mut found = Vec::new();
    for (drawing, model) in models {
        let sizes = drawing.sizes.iter().zip(&mut chunks);
        let sizes = sizes.map(|(&rows, cells)| Size { rows, cells: cells.to_vec() }).collect();
        found.push(Synthetic { model: model.clone(), sizes });
    }
    Ok(Some(found))
}
