//! Classes over observed configurations and what is reached from them: for spaces far
//! larger than the data.

use super::super::class_score::ClassScore;
use super::super::nats::Nats;
use super::{EdgeView, Gain};
use crate::control::{Control, Pace};
use crate::counts::{Count, FamilyCounts};
use crate::data::Var;
use crate::error::{Error, Remedy, Result};
use crate::graph::DisjointSets;
use crate::table::Cell;
use rustc_hash::{FxHashMap, FxHashSet};

/// The most configurations that may be known, and that the elements of one edge may reach
/// together: the least and the most that this limit can be, and how it grows with the data.
/// Beyond it an answer would take minutes.
const MOST_REACHED: std::ops::RangeInclusive<usize> = 1 << 20..=1 << 24;
const REACHED_PER_OBSERVED: usize = 64;

/// What a configuration takes that is reached, in cells of a table.
const STEP: usize = 64;

/// Known configurations with their classes, closed under the present contexts: no allowed
/// change leads from a known configuration to an unknown one.
#[derive(Clone, Debug)]
pub(crate) struct SparseClasses<'a> {
    score: ClassScore<'a>,
    known: FxHashMap<Cell, u32>,
    counts: Vec<Vec<(u32, Count)>>,
    scores: Vec<Nats>,
    contexts: Vec<(EdgeView, FxHashSet<Cell>)>,
    most_reached: usize,
}

impl<'a> SparseClasses<'a> {
    pub(super) fn new(counts: &FamilyCounts, score: ClassScore<'a>) -> Self {
        Self {
            score,
            known: counts.iter().enumerate().map(|(class, (cell, _))| (cell, class as u32)).collect(),
            counts: counts.iter().map(|(_, entries)| entries.to_vec()).collect(),
            scores: counts.iter().map(|(_, entries)| score.of(entries)).collect(),
            contexts: Vec::new(),
            most_reached: (REACHED_PER_OBSERVED * counts.iter().count())
                .clamp(*MOST_REACHED.start(), *MOST_REACHED.end()),
        }
    }

    #[cfg(test)]
    pub(super) fn class(&self, cell: Cell) -> Option<u32> {
        self.known.get(&cell).copied()
    }

    pub(super) fn bytes(&self) -> usize {
        // A configuration: its entry, its score, and a list of its own for one count or more.
        self.known.len() * (16 + 24 + size_of::<Nats>() + 32)
    }

    pub(super) fn score(&self) -> Nats {
        self.scores.iter().copied().sum()
    }

    /// Only elements that some known configuration has can change anything.
    pub(super) fn gains(&self, view: &EdgeView, gains: &mut Vec<Gain>, control: &dyn Control) -> Result<()> {
        let mut pace = Pace::new(control);
        let mut by_element: Vec<(Cell, Cell)> =
            self.known.keys().map(|&cell| (view.element(cell), cell)).collect();
        by_element.sort_unstable();
        let mut left = self.most_reached;
        for group in by_element.chunk_by(|left, right| left.0 == right.0) {
            let element = group[0].0;
            let from = group.iter().map(|&(_, cell)| cell);
            let mut reached = self.reach(view, element, from, Bound { most: left, pace: &mut pace })?;
            left = left.saturating_sub(reached.new.len());
            let mut gain = None;
            for classes in reached.merged() {
                let apart: Nats = classes.iter().map(|&class| self.scores[class]).sum();
                gain = Some(gain.unwrap_or_default() + self.score.of(&self.merged_counts(&classes)) - apart);
            }
            gains.extend(gain.map(|gain| Gain { element, gain }));
        }
        Ok(())
    }

    pub(super) fn add(&mut self, view: &EdgeView, element: Cell) -> Result<()> {
        let cells: Vec<Cell> =
            self.known.keys().copied().filter(|&cell| view.element(cell) == element).collect();
        let bound =
            Bound { most: self.most_reached.saturating_sub(self.known.len()), pace: &mut Pace::new(&()) };
        let mut reached = self.reach(view, element, cells.into_iter(), bound)?;
        for classes in reached.merged() {
            let counts = self.merged_counts(&classes);
            for &class in &classes {
                self.counts[class] = Vec::new();
                self.scores[class] = Nats::ZERO;
            }
            self.scores[classes[0]] = self.score.of(&counts);
            self.counts[classes[0]] = counts;
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

    fn merged_counts(&self, classes: &[usize]) -> Vec<(u32, Count)> {
        let mut entries: Vec<(u32, Count)> =
            classes.iter().flat_map(|&class| self.counts[class].iter().copied()).collect();
        entries.sort_unstable();
        entries
            .chunk_by(|left, right| left.0 == right.0)
            .map(|run| (run[0].0, run.iter().map(|e| e.1).sum()))
            .collect()
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
            reached.check(most)?;
        }
        while let Some(cell) = frontier.pop() {
            pace.step(STEP)?;
            reached.check(most)?;
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

    /// Refuses more unknown configurations than allowed.
    fn check(&self, most: usize) -> Result<()> {
        if self.new.len() <= most {
            return Ok(());
        }
        Err(Error::limit(
            "the number of configurations that the contexts of one node connect",
            most,
            [Remedy::SmallerKappa, "leave out variables with many levels".into(), Remedy::GroupLevels],
        ))
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
