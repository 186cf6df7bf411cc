//! Random tables and structures with fixed seeds, and the same objects for the referee.

use cmnet::{
    Control, Dataset, Edge, LearnEvent, LearnObserver, Schema, SearchObserver, StopReason, Structure, VarSet,
    Variable,
};
use cmnet_check::{Labelled, Table};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Asks to stop at one question and at all after it.
pub(crate) struct Impatient {
    patience: usize,
    asked: AtomicUsize,
    reason: StopReason,
}

impl Impatient {
    pub(crate) fn new(patience: usize) -> Self {
        Self { patience, asked: AtomicUsize::new(0), reason: StopReason::TimeLimit }
    }

    /// The same as a person does it, and not a clock.
    pub(crate) fn interrupting(patience: usize) -> Self {
        Self { reason: StopReason::Interrupted, ..Self::new(patience) }
    }

    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

impl Control for Impatient {
    fn stop(&self) -> Option<StopReason> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        (asked >= self.patience).then_some(self.reason)
    }
}

impl SearchObserver for Impatient {}

impl LearnObserver for Impatient {}

/// Asks to stop from the first event on that is enough.
pub(crate) struct Until<F> {
    is_enough: F,
    reason: StopReason,
    reached: AtomicBool,
}

impl<F: Fn(&LearnEvent<'_>) -> bool> Until<F> {
    pub(crate) fn new(reason: StopReason, is_enough: F) -> Self {
        Self { is_enough, reason, reached: AtomicBool::new(false) }
    }
}

impl<F: Sync> Control for Until<F> {
    fn stop(&self) -> Option<StopReason> {
        self.reached.load(Ordering::Relaxed).then_some(self.reason)
    }
}

impl<F: Sync> SearchObserver for Until<F> {}

impl<F: Fn(&LearnEvent<'_>) -> bool + Sync> LearnObserver for Until<F> {
    fn observe_learning(&self, event: &LearnEvent<'_>) {
        if (self.is_enough)(event) {
            self.reached.store(true, Ordering::Relaxed);
        }
    }
}

pub(crate) fn generator(seed: u64) -> Pcg64Mcg {
    Pcg64Mcg::seed_from_u64(seed)
}

pub(crate) fn edge(i: usize, j: usize) -> Edge {
    Edge::new(i, j).unwrap()
}

pub(crate) fn schema(cardinalities: &[u32]) -> Schema {
    let variable = |(index, &levels): (usize, &u32)| Variable {
        name: format!("x{index}"),
        levels: (0..levels).map(|level| format!("level{level}")).collect(),
    };
    Schema::new_unchecked(cardinalities.iter().enumerate().map(variable).collect())
}

/// A table in row form, before it is collapsed.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) cardinalities: Vec<u32>,
    pub(crate) rows: Vec<Vec<u32>>,
    pub(crate) weights: Vec<u32>,
}

impl Sample {
    /// 2 to 6 variables with 2 to 4 levels and up to 500 rows; every second table weighted.
    /// Variables copy earlier ones with noise, some only where a third one has a certain
    /// level, so that edges and contexts exist.
    pub(crate) fn random(rng: &mut impl Rng) -> Self {
        let variables = rng.random_range(2..=6);
        let cardinalities: Vec<u32> = (0..variables).map(|_| rng.random_range(2..=4)).collect();
        let count = rng.random_range(1..=500);
        let sources: Vec<(usize, usize, u32, f64)> = (0..variables)
            .map(|j| {
                let source = rng.random_range(0..=j);
                let switch = rng.random_range(0..=j);
                (source, switch, rng.random_range(0..4), rng.random_range(0.3..0.95))
            })
            .collect();
        let mut row = || {
            let mut row: Vec<u32> = Vec::new();
            for (j, &(source, switch, level, strength)) in sources.iter().enumerate() {
                let copies = source < j && (switch == j || row[switch] != level) && rng.random_bool(strength);
                let value = if copies { row[source] } else { rng.random_range(0..4) };
                row.push(value % cardinalities[j]);
            }
            row
        };
        let rows: Vec<Vec<u32>> = (0..count).map(|_| row()).collect();
        let weighted = rng.random_bool(0.5);
        let weight = |_| if weighted { rng.random_range(0..4) } else { 1 };
        let mut weights: Vec<u32> = (0..rows.len()).map(weight).collect();
        weights[0] = weights[0].max(1);
        Self { cardinalities, rows, weights }
    }

    /// A random table in both forms.
    pub(crate) fn random_dataset(rng: &mut impl Rng) -> (Self, Dataset) {
        let sample = Self::random(rng);
        let data = sample.dataset();
        (sample, data)
    }

    /// A random variable and a random set of others.
    pub(crate) fn random_family(&self, rng: &mut impl Rng) -> (usize, VarSet) {
        let variables = self.cardinalities.len();
        let child = rng.random_range(0..variables);
        (child, (0..variables).filter(|&v| v != child && rng.random_bool(0.5)).collect())
    }

    pub(crate) fn dataset(&self) -> Dataset {
        self.dataset_named(schema(&self.cardinalities))
    }

    pub(crate) fn dataset_named(&self, schema: Schema) -> Dataset {
        let columns: Vec<Vec<u32>> =
            (0..self.cardinalities.len()).map(|j| self.rows.iter().map(|row| row[j]).collect()).collect();
        Dataset::from_columns(schema, &columns, Some(&self.weights)).unwrap()
    }

    pub(crate) fn table(&self) -> Table {
        let wide = |row: &Vec<u32>| row.iter().map(|&level| level as usize).collect();
        Table::new(
            self.cardinalities.iter().map(|&r| r as usize).collect(),
            self.rows.iter().map(wide).collect(),
            self.weights.iter().map(|&weight| u64::from(weight)).collect(),
        )
        .unwrap()
    }
}

/// A random structure: each edge with probability `density`, each context element with
/// probability 0.3 as long as the context stays regular.
pub(crate) fn random_structure(rng: &mut impl Rng, cardinalities: &[u32], density: f64) -> Structure {
    let mut structure = Structure::empty(cardinalities);
    for j in 0..cardinalities.len() {
        for i in 0..j {
            if rng.random_bool(density) {
                structure.toggle_edge(edge(i, j)).unwrap();
            }
        }
    }
    for edge in structure.graph().edges().collect::<Vec<_>>() {
        let size = structure.context_space(edge).unwrap().size();
        for cell in 0..size {
            if rng.random_bool(0.3)
                && structure.context(edge).map_or(0, |context| context.len() as u64) + 1 < size
            {
                structure.add_context_element(edge, cell).unwrap();
            }
        }
    }
    structure
}

/// The same structure in the referee's words.
pub(crate) fn labelled(structure: &Structure) -> Labelled {
    let mut contexts = BTreeMap::new();
    for context in structure.contexts() {
        let wide = |cell| context.space().configuration(cell).iter().map(|&level| level as usize).collect();
        let elements: BTreeSet<Vec<usize>> = context.elements().map(wide).collect();
        contexts.insert(context.edge().ends(), elements);
    }
    Labelled { edges: structure.graph().edges().map(Edge::ends).collect(), contexts }
}

pub(crate) fn set(members: &[usize]) -> VarSet {
    members.iter().copied().collect()
}
