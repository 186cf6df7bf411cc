//! The paper's consistency theorem made visible: how much of a known structure is recovered
//! from ever larger samples.

use super::host::{Host, Task, run};
use super::measure::{Judge, Trial, measure, setup};
use super::statistics::Summary;
use super::synthetic_data::missing;
use super::{Plan, stream};
use crate::synthetic::KnownModel;
use cmnet::{
    Alpha, ContextPrior, Edge, LearnOptions, Result, RowCounts, Scorer, Structure, VarSet, canonical, optimum,
};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};

/// Sample sizes, each four times the one before, and a million at the end.
const SIZES: [u32; 7] = [250, 1000, 4000, 16_000, 64_000, 256_000, 1_000_000];

/// Variables up to which the structure with the highest score is searched for exactly.
const PROVEN_VARIABLES: usize = 4;

/// What is compared with the truth, by place: the model that BIC chooses, what the search finds for
/// each kappa, and the structures that are proven to have the highest score, where they can be had.
pub(super) const RECOVERED: [&str; 9] = [
    "BIC",
    "eps",
    "n^-1",
    "n^-1/2",
    "n^-1/4",
    "argmax, eps",
    "argmax, n^-1",
    "argmax, n^-1/2",
    "argmax, n^-1/4",
];
/// The place of the first structure that is proven, at the same kappa as the one four places before.
pub(super) const PROVEN: usize = 5;

/// A structure against the truth, both in canonical form.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Recovery {
    pub(super) edges_missing: usize,
    pub(super) edges_extra: usize,
    pub(super) elements_missing: usize,
    pub(super) elements_extra: usize,
    pub(super) divergence: f64,
}

impl Recovery {
    fn of(truth: &Structure, found: &Structure, divergence: f64) -> Result<Self> {
        let (truth, found) = (canonical(truth)?, canonical(found)?);
        let edges = |structure: &Structure| structure.graph().edges().collect::<Vec<_>>();
        let (true_edges, found_edges) = (edges(&truth), edges(&found));
        let (true_elements, found_elements) = (elements(&truth), elements(&found));
        Ok(Self {
            edges_missing: missing(&true_edges, &found_edges),
            edges_extra: missing(&found_edges, &true_edges),
            elements_missing: missing(&true_elements, &found_elements),
            elements_extra: missing(&found_elements, &true_elements),
            divergence,
        })
    }

    /// Whether graph and contexts are the true ones.
    pub(super) fn exact(&self) -> bool {
        self.edges_missing + self.edges_extra + self.elements_missing + self.elements_extra == 0
    }
}

/// Context elements with the common neighbours that they speak of.
fn elements(structure: &Structure) -> Vec<(Edge, VarSet, u64)> {
    let of = |context: &cmnet::EdgeContext| {
        let variables = context.space().variables().clone();
        let edge = context.edge();
        context.elements().map(move |cell| (edge, variables.clone(), cell)).collect::<Vec<_>>()
    };
    structure.contexts().flat_map(of).collect()
}

/// One network: recoveries per sample size.
pub(super) struct Curve {
    pub(super) name: &'static str,
    /// Edges and context elements of the truth, in canonical form.
    pub(super) truth: (usize, usize),
    /// For each sample size the replicates, each with what [`RECOVERED`] names.
    pub(super) sizes: Vec<(u32, Vec<Vec<Recovery>>)>,
}

impl Curve {
    /// Mean and spread of a count at one sample size.
    pub(super) fn summary(
        replicates: &[Vec<Recovery>],
        which: usize,
        value: impl Fn(&Recovery) -> f64,
    ) -> Option<Summary> {
        Summary::of(&replicates.iter().filter_map(|all| all.get(which)).map(value).collect::<Vec<_>>())
    }
}

/// Runs the experiment; `None` when the host asked to stop.
pub(super) fn consistency(host: &dyn Host, plan: &Plan) -> Result<Option<Vec<Curve>>> {
    let models = [
        ("seven-variable model", KnownModel::seven_variables()?),
        ("square, not chordal", KnownModel::square()?),
        ("first four of the seven variables", KnownModel::first_four()?),
    ];
    let sizes = if plan.quick { &SIZES[..3] } else { &SIZES[..] };
    let mut tasks = Vec::new();
    for (place, (_, model)) in (0u64..).zip(&models) {
        for &rows in sizes {
            for replicate in 0..plan.replicates {
                tasks.push(Task {
                    key: format!("consistency/model{place}/n{rows}/replicate{replicate:03}"),
                    setup: format!("recoveries/3, {}", setup(plan.smoothing, None)),
                    compute: Box::new(move || {
                        recover(host, (model, plan.smoothing), rows, [2 + place, u64::from(replicate)])
                    }),
                });
            }
        }
    }
    let Some(found) = run(host, "consistency", &tasks)? else { return Ok(None) };
    drop(tasks);
    let mut found = found.chunks(plan.replicates.max(1) as usize);
    let mut curves = Vec::new();
    for (name, model) in &models {
        let truth = canonical(model.structure())?;
        let sizes = sizes.iter().filter_map(|&rows| Some((rows, found.next()?.to_vec()))).collect();
        curves.push(Curve { name, truth: (truth.graph().edge_count(), truth.context_elements()), sizes });
    }
    Ok(Some(curves))
}

fn recover(
    host: &dyn Host,
    (model, smoothing): (&KnownModel, f64),
    rows: u32,
    key: [u64; 2],
) -> Result<Option<Vec<Recovery>>> {
    let mut rng = Pcg64Mcg::seed_from_u64(stream(&[key[0], u64::from(rows), key[1]]));
    let train = model.sample(rows, &mut rng)?;
    let judge = Judge::Truth(model);
    let Some(cell) = measure(host, &Trial { train: &train, judge, smoothing, sgm: None })? else {
        return Ok(None);
    };
    let mut found = Vec::new();
    for method in [0, 3, 4, 5, 6] {
        let Some(one) = cell.method(method) else { return Ok(None) };
        let structure = one.outline.structure(model.structure().cardinalities())?;
        found.push(Recovery::of(model.structure(), &structure, one.quality)?);
    }
    if model.structure().variables() <= PROVEN_VARIABLES {
        let counts = RowCounts::new(&train);
        let scorer = Scorer::new(&counts, Alpha::default());
        for kappa in LearnOptions::default().kappas {
            let best = optimum(&scorer, &ContextPrior::new(kappa, train.rows()), host)?;
            if !best.is_proven() {
                return Ok(None);
            }
            found.push(Recovery::of(model.structure(), &best.structure, 0.0)?);
        }
    }
    Ok(Some(found))
}
