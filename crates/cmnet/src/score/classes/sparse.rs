//! Classes over observed configurations and what is reached from them: for spaces far
//! larger than the data.

use super::super::class_score::ClassScore;
use super::super::nats::Nats;
use super::dense::DenseClasses;
use super::merge::Merge;
use super::{EdgeView, Gain};
use crate::control::{Control, Pace};
use crate::counts::{Count, FamilyCounts};
use crate::data::Var;
use crate::error::{Error, Remedy, Result};
use crate::graph::DisjointSets;
use crate::table::Cell;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::ops::Range;

thread_local! {
    /// Work space that every node on a thread shares.
    static WORK: RefCell<Work> = RefCell::default();
}

/// Work space; each list is overwritten when it is used.
#[derive(Debug, Default)]
struct Work {
    places: Vec<Place>,
    /// Empty between two calls.
    merge: Merge,
    counts: Vec<(u32, Count)>,
}

/// Where a known configuration is on an edge: its element, its line and its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    element: Cell,
    start: Cell,
    class: u32,
    cell: Cell,
}

/// The most configurations that may be known, and that the elements of one edge may reach
/// together: the least and the most that this limit can be, and how it grows with the data.
/// Beyond it an answer would take minutes.
const MOST_REACHED: std::ops::RangeInclusive<usize> = 1 << 20..=1 << 24;
const REACHED_PER_OBSERVED: usize = 64;

/// What share of the memory goes into one configuration that is known or reached: some 128 bytes,
/// in a walk and beside it.
const BYTES_PER_REACHED: u64 = 256;

/// What can be reached with any memory.
const LEAST_REACHED: u64 = 1 << 16;

/// What a configuration takes that is reached, in cells of a table.
const STEP: usize = 64;

/// Known configurations with their classes, closed under the present contexts: no allowed
/// change leads from a known configuration to an unknown one.
#[derive(Clone, Debug)]
pub(crate) struct SparseClasses<'a> {
    score: ClassScore<'a>,
    known: FxHashMap<Cell, u32>,
    /// The counts of all classes, one after the other, and where each class has its own.
    entries: Vec<(u32, Count)>,
    runs: Vec<Range<usize>>,
    scores: Vec<Nats>,
    contexts: Vec<(EdgeView, FxHashSet<Cell>)>,
    most_reached: usize,
    /// The levels of the node and the size of the space, where all of it is numbered with the first context.
    numbered: Option<(usize, usize)>,
}

impl<'a> SparseClasses<'a> {
    /// One class per configuration, within an amount of memory in bytes; all of the space is numbered
    /// `later`, or never.
    pub(super) fn new(counts: &FamilyCounts, score: ClassScore<'a>, memory: u64, later: bool) -> Self {
        let affordable = (memory / BYTES_PER_REACHED).max(LEAST_REACHED);
        let most =
            (REACHED_PER_OBSERVED * counts.observed()).clamp(*MOST_REACHED.start(), *MOST_REACHED.end());
        let (mut all, mut runs) = (Vec::new(), Vec::with_capacity(counts.observed()));
        for (_, entries) in counts.iter() {
            runs.push(all.len()..all.len() + entries.len());
            all.extend_from_slice(entries);
        }
        Self {
            score,
            known: counts.iter().enumerate().map(|(class, (cell, _))| (cell, class as u32)).collect(),
            entries: all,
            runs,
            scores: counts.iter().map(|(_, entries)| score.of(entries)).collect(),
            contexts: Vec::new(),
            most_reached: most.min(usize::try_from(affordable).unwrap_or(usize::MAX)),
            numbered: later.then_some((counts.child_levels() as usize, counts.space().size() as usize)),
        }
    }

    /// The same with every configuration numbered, where the first context is to come and there is
    /// room.
    pub(super) fn numbered(&self) -> Option<DenseClasses<'a>> {
        let (levels, size) = self.numbered.filter(|_| self.contexts.is_empty())?;
        let mut table = vec![0; size * levels];
        for (&cell, &class) in &self.known {
            for &(level, count) in &self.entries[self.runs[class as usize].clone()] {
                table[cell as usize * levels + level as usize] = count;
            }
        }
        Some(DenseClasses::new(table, levels, self.score))
    }

    #[cfg(test)]
    pub(super) fn class(&self, cell: Cell) -> Option<u32> {
        self.known.get(&cell).copied()
    }

    pub(super) fn bytes(&self) -> usize {
        // A configuration: its entry in a table with room, its score and its counts.
        self.known.len() * (32 + size_of::<Nats>() + size_of::<Range<usize>>())
            + size_of_val(&self.entries[..])
    }

    pub(super) fn configurations(&self) -> u64 {
        self.known.len() as u64
    }

    pub(super) fn score(&self) -> Nats {
        self.scores.iter().copied().sum()
    }

    /// Only elements that some known configuration has can change anything.
    pub(super) fn gains(&self, view: &EdgeView, gains: &mut Vec<Gain>, control: &dyn Control) -> Result<()> {
        let mut work = WORK.take();
        let told = self.write_gains(view, &mut work, gains, &mut Pace::new(control));
        WORK.set(work);
        told
    }

    fn write_gains(
        &self,
        view: &EdgeView,
        work: &mut Work,
        gains: &mut Vec<Gain>,
        pace: &mut Pace<'_>,
    ) -> Result<()> {
        let mut places = std::mem::take(&mut work.places);
        places.clear();
        places.extend(self.known.iter().map(|(&cell, &class)| Place {
            element: view.element(cell),
            start: view.line_start(cell),
            class,
            cell,
        }));
        places.sort_unstable();
        work.merge.reserve(self.scores.len());
        let mut left = self.most_reached;
        for group in places.chunk_by(|left, right| left.element == right.element) {
            pace.step(STEP * group.len())?;
            let element = group[0].element;
            let (gain, new) = match self.near_gain(view, group, work) {
                Some(near) => near,
                None => self.far_gain(view, group, work, Bound { most: left, pace: &mut *pace })?,
            };
            self.check_reached(new, left)?;
            left -= new;
            gains.extend(gain.map(|gain| Gain { element, gain }));
        }
        work.places = places;
        Ok(())
    }

    /// What an element gains that joins nothing but the configurations of its lines, and how many
    /// of these are unknown; `None` where a context leads on from an unknown one.
    fn near_gain(&self, view: &EdgeView, group: &[Place], work: &mut Work) -> Option<(Option<Nats>, usize)> {
        let mut new = 0;
        for line in group.chunk_by(|left, right| left.start == right.start) {
            let known = |cell: Cell| line.iter().any(|place| place.cell == cell);
            let unknown = view.levels as usize - line.len();
            new += unknown;
            if unknown > 0 && !self.contexts.is_empty() {
                let mut cells = (0..view.levels).map(|level| line[0].start + level * view.stride);
                if cells.any(|cell| !known(cell) && self.leads_on(cell)) {
                    work.merge.clear();
                    return None;
                }
            }
            line.windows(2).for_each(|pair| work.merge.join(pair[0].class, pair[1].class));
        }
        let Work { merge, counts, .. } = work;
        let mut gain = None;
        for classes in merge.groups() {
            let by = self.merged_gain(classes.iter().map(|&(_, class)| class as usize), counts);
            gain = Some(gain.unwrap_or_default() + by);
        }
        merge.clear();
        Some((gain, new))
    }

    /// Whether a context joins a configuration with others.
    fn leads_on(&self, cell: Cell) -> bool {
        self.contexts.iter().any(|(view, elements)| elements.contains(&view.element(cell)))
    }

    /// The same where contexts lead on, configuration by configuration.
    fn far_gain(
        &self,
        view: &EdgeView,
        group: &[Place],
        work: &mut Work,
        bound: Bound<'_, '_>,
    ) -> Result<(Option<Nats>, usize)> {
        let from = group.iter().map(|place| place.cell);
        let mut reached = self.reach(view, group[0].element, from, bound)?;
        let mut gain = None;
        for classes in reached.merged() {
            let by = self.merged_gain(classes.iter().copied(), &mut work.counts);
            gain = Some(gain.unwrap_or_default() + by);
        }
        Ok((gain, reached.new.len()))
    }

    /// The change of the score when some classes become one.
    fn merged_gain(
        &self,
        classes: impl Iterator<Item = usize> + Clone,
        counts: &mut Vec<(u32, Count)>,
    ) -> Nats {
        let apart: Nats = classes.clone().map(|class| self.scores[class]).sum();
        self.write_merged(classes, counts);
        self.score.of(counts) - apart
    }

    pub(super) fn add(&mut self, view: &EdgeView, element: Cell) -> Result<()> {
        let cells: Vec<Cell> =
            self.known.keys().copied().filter(|&cell| view.element(cell) == element).collect();
        let bound =
            Bound { most: self.most_reached.saturating_sub(self.known.len()), pace: &mut Pace::new(&()) };
        let mut reached = self.reach(view, element, cells.into_iter(), bound)?;
        let mut counts = Vec::new();
        for classes in reached.merged() {
            self.write_merged(classes.iter().copied(), &mut counts);
            for &class in &classes {
                self.runs[class] = 0..0;
                self.scores[class] = Nats::ZERO;
            }
            self.scores[classes[0]] = self.score.of(&counts);
            self.runs[classes[0]] = self.entries.len()..self.entries.len() + counts.len();
            self.entries.extend_from_slice(&counts);
        }
        let (class_of, new) = reached.into_classes();
        self.known.values_mut().for_each(|class| *class = class_of.get(class).copied().unwrap_or(*class));
        self.known.extend(new);
        match self.contexts.iter_mut().find(|(other, _)| other.neighbor() == view.neighbor()) {
            Some((_, elements)) => {
                elements.insert(element);
            }
            None => self.contexts.push((view.clone(), [element].into_iter().collect())),
        }
        Ok(())
    }

    /// Writes the counts of some classes together, by level.
    fn write_merged(&self, classes: impl Iterator<Item = usize>, counts: &mut Vec<(u32, Count)>) {
        counts.clear();
        for class in classes {
            counts.extend_from_slice(&self.entries[self.runs[class].clone()]);
        }
        counts.sort_unstable();
        counts.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            kept.1 += if same { later.1 } else { 0 };
            same
        });
    }

    /// What one more element joins, starting from the known configurations that have it.
    fn reach(
        &self,
        view: &EdgeView,
        element: Cell,
        from: impl Iterator<Item = Cell>,
        Bound { most, pace }: Bound<'_, '_>,
    ) -> Result<Reached> {
        let mut reached = Reached::default();
        let mut frontier: Vec<Cell> = Vec::new();
        for cell in from {
            pace.step(STEP)?;
            self.walk_line(view, cell, &mut reached, &mut frontier);
            self.check_reached(reached.new.len(), most)?;
        }
        while let Some(cell) = frontier.pop() {
            pace.step(STEP)?;
            self.check_reached(reached.new.len(), most)?;
            if view.element(cell) == element {
                self.walk_line(view, cell, &mut reached, &mut frontier);
            }
            for (other, elements) in &self.contexts {
                if elements.contains(&other.element(cell)) {
                    self.walk_line(other, cell, &mut reached, &mut frontier);
                }
            }
        }
        Ok(reached)
    }

    /// Refuses more unknown configurations than are left.
    fn check_reached(&self, new: usize, left: usize) -> Result<()> {
        if new <= left {
            return Ok(());
        }
        Err(Error::limit(
            "the number of configurations that the contexts of one node connect",
            self.most_reached,
            [Remedy::MoreMemory, Remedy::SmallerKappa, Remedy::LeaveOutVariables, Remedy::GroupLevels],
        ))
    }

    /// Joins a configuration with all that differ from it in the view's neighbour alone.
    fn walk_line(&self, view: &EdgeView, cell: Cell, reached: &mut Reached, frontier: &mut Vec<Cell>) {
        let start = view.line_start(cell);
        // Every configuration of a line leads to the same line.
        if !reached.lines.insert((view.neighbor(), start)) {
            return;
        }
        let one = self.member(cell, reached, frontier);
        for level in 0..view.levels {
            let other = self.member(start + level * view.stride, reached, frontier);
            reached.sets.join(one, other);
        }
    }

    /// A configuration's place among the reached; one that was unknown joins the frontier.
    fn member(&self, cell: Cell, reached: &mut Reached, frontier: &mut Vec<Cell>) -> usize {
        if let Some(&class) = self.known.get(&cell) {
            return reached.class(class);
        }
        reached.cell(cell).unwrap_or_else(|| {
            frontier.push(cell);
            reached.new_cell(cell)
        })
    }
}

/// How far a walk may go.
struct Bound<'p, 'c> {
    /// The most unknown configurations on the way.
    most: usize,
    pace: &'p mut Pace<'c>,
}

/// The classes and new configurations that one element joins.
#[derive(Default)]
struct Reached {
    sets: DisjointSets,
    classes: FxHashMap<u32, usize>,
    new: FxHashMap<Cell, usize>,
    /// Lines that were walked: the neighbour that varies, and where they start.
    lines: FxHashSet<(Var, Cell)>,
}

impl Reached {
    fn class(&mut self, class: u32) -> usize {
        *self.classes.entry(class).or_insert_with(|| self.sets.push())
    }

    fn cell(&self, cell: Cell) -> Option<usize> {
        self.new.get(&cell).copied()
    }

    fn new_cell(&mut self, cell: Cell) -> usize {
        let member = self.sets.push();
        self.new.insert(cell, member);
        member
    }

    /// The sets of classes, each in ascending order.
    fn groups(&mut self) -> Vec<Vec<(usize, u32)>> {
        let mut rooted: Vec<(usize, u32)> =
            self.classes.iter().map(|(&class, &member)| (self.sets.find(member), class)).collect();
        rooted.sort_unstable();
        rooted.chunk_by(|left, right| left.0 == right.0).map(<[_]>::to_vec).collect()
    }

    /// The sets of two or more classes.
    fn merged(&mut self) -> Vec<Vec<usize>> {
        let groups = self.groups().into_iter().filter(|group| group.len() > 1);
        groups.map(|group| group.iter().map(|&(_, class)| class as usize).collect()).collect()
    }

    /// The class that each touched class and each new configuration belongs to afterwards:
    /// the smallest of its set. Every set has one, since every new configuration was reached
    /// from a known one.
    fn into_classes(mut self) -> (FxHashMap<u32, u32>, Vec<(Cell, u32)>) {
        let groups = self.groups();
        let smallest: FxHashMap<usize, u32> = groups.iter().map(|group| group[0]).collect();
        let classes =
            groups.iter().flat_map(|group| group.iter().map(|&(_, class)| (class, group[0].1))).collect();
        let sets = &mut self.sets;
        let new = self.new.iter().map(|(&cell, &member)| (cell, smallest[&sets.find(member)])).collect();
        (classes, new)
    }
}
