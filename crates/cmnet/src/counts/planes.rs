//! Counting by bit planes: one bit per distinct row and level, AND and population count.

use super::descent::{Descent, MOST_LEVELS, Sink};
use super::popcount::{common_ones, ones};
use super::rows::{RowCounts, as_rows};
use super::{Count, CountSource, FamilyCounts};
use crate::data::{Dataset, Var};
use crate::error::Result;
use crate::graph::VarSet;
use crate::table::{OutcomeSpace, check_size};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};

/// What one word of AND and population count costs, in units of one row of the row loop
/// for one variable: when one family is counted (measured by `cargo xtask bench search`,
/// section counting), and when the same masks meet the planes of many candidates.
const ROWS_PER_WORD: f64 = 1.6;
const ROWS_PER_WORD_OF_MANY: f64 = 0.25;

/// The most counts that a thread keeps room for: 4 MB.
const MOST_ROOM: usize = 1 << 20;

thread_local! {
    /// Work space of counting, overwritten by every call.
    static ROWS: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
    /// Room for what masks and planes have in common. It is taken away while it is in use: who looks at counts may let
    /// the thread do other work. Room that is given back each time is made anew page by page, where a process is told
    /// to give memory back at once, as workers of Dask are.
    static COMMON: Cell<Vec<u32>> = const { Cell::new(Vec::new()) };
}

/// Counts from bit planes where that is cheaper, from rows elsewhere.
///
/// Each variable of few levels has one plane per level but the first, whose counts are
/// differences. Row weights are planes too, one per binary digit.
#[derive(Debug)]
pub struct PlaneCounts<'a> {
    rows: RowCounts<'a>,
    words: usize,
    /// Per variable the planes of levels 1.. ; none for variables of many levels.
    planes: Vec<Option<Vec<Cow<'a, [u64]>>>>,
    /// The digits of the row weights, the lowest first.
    weights: Vec<Vec<u64>>,
    /// Whether planes are used wherever there are any, whatever that costs.
    always: bool,
    /// Words of AND and population count so far.
    counted: AtomicU64,
}

impl<'a> PlaneCounts<'a> {
    /// The words of AND and population count that candidates took so far: what benchmarks
    /// compare with the machine's own speed.
    pub fn words_counted(&self) -> u64 {
        self.counted.load(Ordering::Relaxed)
    }

    /// The same counts from planes wherever there are any, whatever that costs: for
    /// measurements and comparisons.
    pub fn always(data: &'a Dataset) -> Self {
        Self { always: true, ..Self::new(data) }
    }

    /// Takes the planes of a table's few-level variables; those of binary ones are shared.
    pub fn new(data: &'a Dataset) -> Self {
        let words = data.distinct_rows().div_ceil(64);
        let cardinalities = data.schema().cardinalities();
        let plane = |fits: &dyn Fn(usize) -> bool| {
            let mut plane = vec![0u64; words];
            for row in (0..data.distinct_rows()).filter(|&row| fits(row)) {
                plane[row / 64] |= 1 << (row % 64);
            }
            plane
        };
        let planes = (0..data.variables())
            .map(|variable| {
                let column = data.column(variable);
                (cardinalities[variable] as usize <= MOST_LEVELS)
                    .then(|| (1..cardinalities[variable]).map(|level| column.plane(level)).collect())
            })
            .collect();
        let digits = 32 - data.weights().iter().copied().max().unwrap_or(0).leading_zeros();
        let weights = (0..digits).map(|digit| plane(&|row| data.weights()[row] >> digit & 1 == 1)).collect();
        Self { rows: RowCounts::new(data), words, planes, weights, always: false, counted: AtomicU64::new(0) }
    }

    /// Whether planes beat rows for a child and a blanket of this size.
    fn planes_pay(&self, child: Var, blanket: &VarSet, more: usize, rows_per_word: f64) -> bool {
        let cardinalities = self.rows.cardinalities();
        let packed = |variable: Var| self.planes[variable].is_some();
        if !packed(child) || !blanket.iter().all(packed) {
            return false;
        }
        let cells: f64 = blanket.iter().map(|variable| f64::from(cardinalities[variable])).product();
        let masks = cells * f64::from(cardinalities[child]) * self.weights.len() as f64;
        let by_planes = masks * self.words as f64 * rows_per_word;
        let by_rows = self.rows.distinct_rows() as f64 * (blanket.len() + more + 1) as f64;
        self.always || by_planes <= by_rows
    }

    /// Counts a family whose variables have planes and whose configurations can be numbered.
    fn descend(&self, child: Var, blanket: &VarSet, sink: &mut impl Sink) {
        let planes = |variable: Var| self.planes[variable].as_deref().unwrap_or_default();
        let mut stride = 1;
        let mut step = |variable: Var| {
            let below = stride;
            stride *= u64::from(self.cardinalities()[variable]);
            (planes(variable), below)
        };
        let mut steps: Vec<_> = blanket.as_slice().iter().rev().map(|&variable| step(variable)).collect();
        steps.reverse();
        let descent =
            Descent { weights: &self.weights, child: planes(child), blanket: steps, words: self.words };
        ROWS.with_borrow_mut(|rows| descent.count(rows, sink));
    }

    /// The rows of every configuration, child level and weight digit, where there are any.
    fn masks(&self, child: Var, blanket: &VarSet, space: &OutcomeSpace) -> Masks {
        let mut masks = Masks::default();
        for (digit, weight) in self.weights.iter().enumerate() {
            for (level, words) in self.split(weight, child) {
                let key = MaskKey { cell: 0, level, digit: digit as u32, ones: 0 };
                self.push_cells(words, key, Below { blanket, space, position: 0 }, &mut masks);
            }
        }
        masks
    }

    fn push_cells(&self, words: Vec<u64>, key: MaskKey, below: Below<'_>, masks: &mut Masks) {
        let count = ones(&words);
        if count == 0 {
            return;
        }
        let Some(&variable) = below.blanket.as_slice().get(below.position) else {
            masks.words.push(words);
            masks.keys.push(MaskKey { ones: count, ..key });
            return;
        };
        for (value, part) in self.split(&words, variable) {
            let cell = key.cell + u64::from(value) * below.space.stride(below.position);
            let next = Below { position: below.position + 1, ..below };
            self.push_cells(part, MaskKey { cell, ..key }, next, masks);
        }
    }

    /// A set of rows parted by a variable's levels.
    fn split(&self, rows: &[u64], variable: Var) -> Vec<(u32, Vec<u64>)> {
        let planes = self.planes[variable].as_deref().unwrap_or_default();
        let mut rest = rows.to_vec();
        let mut parts = Vec::with_capacity(planes.len() + 1);
        for (plane, level) in planes.iter().zip(1..) {
            let part: Vec<u64> = rows.iter().zip(plane.iter()).map(|(row, bit)| row & bit).collect();
            rest.iter_mut().zip(plane.iter()).for_each(|(row, bit)| *row &= !bit);
            parts.push((level, part));
        }
        parts.push((0, rest));
        parts
    }
}

/// The members of a blanket from a position on: those that rows are not yet parted by.
#[derive(Clone, Copy)]
struct Below<'a> {
    blanket: &'a VarSet,
    space: &'a OutcomeSpace,
    position: usize,
}

/// Sets of rows, and what each stands for.
#[derive(Debug, Default)]
struct Masks {
    words: Vec<Vec<u64>>,
    keys: Vec<MaskKey>,
}

#[derive(Clone, Copy, Debug)]
struct MaskKey {
    cell: u64,
    level: u32,
    digit: u32,
    ones: u32,
}

impl CountSource for PlaneCounts<'_> {
    as_rows!(rows);

    fn rows(&self) -> u64 {
        self.rows.rows()
    }

    fn family(&self, child: Var, blanket: &VarSet) -> Result<FamilyCounts> {
        if !self.planes_pay(child, blanket, 0, ROWS_PER_WORD) {
            return self.rows.family(child, blanket);
        }
        let space = OutcomeSpace::new(blanket.clone(), self.cardinalities())?;
        let mut counts = FamilyCounts::new(space, self.cardinalities()[child]);
        self.descend(child, blanket, &mut counts);
        Ok(counts)
    }

    fn family_table(&self, child: Var, blanket: &VarSet, counts: &mut Vec<Count>) -> Result<()> {
        if !self.planes_pay(child, blanket, 0, ROWS_PER_WORD) {
            return self.rows.family_table(child, blanket, counts);
        }
        check_size(blanket, self.cardinalities())?;
        let levels = |variable: Var| self.cardinalities()[variable] as usize;
        counts.clear();
        counts.resize(blanket.iter().map(levels).product::<usize>() * levels(child), 0);
        self.descend(child, blanket, counts);
        Ok(())
    }

    fn extensions(
        &self,
        child: Var,
        blanket: &VarSet,
        candidates: &[Var],
        visit: &mut dyn FnMut(usize, &[Count]),
    ) -> Result<()> {
        let pays = self.planes_pay(child, blanket, 1, ROWS_PER_WORD_OF_MANY);
        let (packed, other): (Vec<usize>, Vec<usize>) =
            (0..candidates.len()).partition(|&place| pays && self.planes[candidates[place]].is_some());
        let others: Vec<Var> = other.iter().map(|&place| candidates[place]).collect();
        self.rows.extensions(child, blanket, &others, &mut |place, counts| visit(other[place], counts))?;
        if packed.is_empty() {
            return Ok(());
        }
        let space = OutcomeSpace::new(blanket.clone(), self.cardinalities())?;
        let masks = self.masks(child, blanket, &space);
        let mut planes: Vec<&[u64]> = Vec::with_capacity(packed.len());
        for &place in &packed {
            planes.extend(self.planes[candidates[place]].iter().flatten().map(|plane| &**plane));
        }
        let mut common = COMMON.take();
        common.clear();
        common.resize(planes.len() * masks.words.len(), 0);
        let words = self.words * masks.words.len() * planes.len();
        self.counted.fetch_add(words as u64, Ordering::Relaxed);
        common_ones(&planes, &masks.words, &mut common);
        let mut classes = Classes::new(&masks.keys, self.cardinalities()[child] as usize);
        let mut start = 0;
        for place in packed {
            let levels = self.cardinalities()[candidates[place]] as usize;
            let end = start + (levels - 1) * masks.words.len();
            visit(place, classes.count(&masks.keys, &common[start..end], levels));
            start = end;
        }
        if common.capacity() <= MOST_ROOM {
            COMMON.set(common);
        }
        Ok(())
    }
}

/// The observed configurations of a blanket, numbered, and the counts with one more variable.
struct Classes {
    /// Each mask's configuration.
    of_mask: Vec<usize>,
    count: usize,
    child_levels: usize,
    /// The levels of the variable that was counted last.
    levels: usize,
    /// Where each mask's count at the first of these levels stands.
    places: Vec<usize>,
    counts: Vec<Count>,
}

impl Classes {
    fn new(keys: &[MaskKey], child_levels: usize) -> Self {
        let mut cells: Vec<u64> = keys.iter().map(|key| key.cell).collect();
        cells.sort_unstable();
        cells.dedup();
        let of_mask = keys.iter().map(|key| cells.binary_search(&key.cell).unwrap_or_default()).collect();
        let (places, counts) = (Vec::new(), Vec::new());
        Self { of_mask, count: cells.len(), child_levels, levels: 0, places, counts }
    }

    /// The child's counts per configuration and level of one more variable, whose planes have
    /// `common` ones with the masks.
    fn count(&mut self, keys: &[MaskKey], common: &[u32], levels: usize) -> &[Count] {
        if levels != self.levels {
            self.levels = levels;
            let run = levels * self.child_levels;
            let of_mask = self.of_mask.iter().zip(keys);
            self.places = of_mask.map(|(&class, key)| class * run + key.level as usize).collect();
            self.counts.resize(self.count * run, 0);
        }
        self.counts.fill(0);
        for (key, &place) in keys.iter().zip(&self.places) {
            self.counts[place] += key.ones << key.digit;
        }
        for (ones, level) in common.chunks_exact(keys.len()).zip(1..) {
            for ((&ones, key), &place) in ones.iter().zip(keys).zip(&self.places) {
                self.counts[place] -= ones << key.digit;
                self.counts[place + level * self.child_levels] += ones << key.digit;
            }
        }
        &self.counts
    }
}
