//! Classes over every configuration of a blanket: for spaces not much larger than the data.

use super::super::class_score::ClassScore;
use super::super::nats::Nats;
use super::{EdgeView, Gain};
use crate::counts::{Count, FamilyCounts};
use crate::table::{Cell, OutcomeSpace};
use std::cell::RefCell;
use std::sync::Arc;

thread_local! {
    /// Work space that every node on a thread shares: it is empty between two calls.
    static MERGE: RefCell<Merge> = RefCell::default();
}

/// Each configuration's class; each class's counts and score.
#[derive(Clone, Debug)]
pub(crate) struct DenseClasses<'a> {
    space: Arc<OutcomeSpace>,
    levels: usize,
    score: ClassScore<'a>,
    class: Vec<u32>,
    counts: Vec<Count>,
    /// Zero for classes without counts, and only for them (or for a variable of one level,
    /// where every score is zero): a class with counts has a probability below one.
    scores: Vec<Nats>,
    /// The classes that the last element made of others.
    changed: Vec<u32>,
}

impl<'a> DenseClasses<'a> {
    pub(super) fn new(counts: &FamilyCounts, score: ClassScore<'a>) -> Self {
        let (size, levels) = (counts.space().size() as usize, counts.child_levels() as usize);
        let mut classes = Self {
            space: Arc::new(counts.space().clone()),
            levels,
            score,
            class: (0..size as u32).collect(),
            counts: vec![0; size * levels],
            scores: vec![Nats::ZERO; size],
            changed: Vec::new(),
        };
        for (cell, entries) in counts.iter() {
            let cell = cell as usize;
            for &(level, count) in entries {
                classes.counts[cell * levels + level as usize] = count;
            }
            classes.scores[cell] = score.of(entries);
        }
        classes
    }

    pub(super) fn space(&self) -> &OutcomeSpace {
        &self.space
    }

    #[cfg(test)]
    pub(super) fn class(&self, cell: Cell) -> u32 {
        self.class[cell as usize]
    }

    pub(super) fn bytes(&self) -> usize {
        self.class.len() * (size_of::<u32>() + size_of::<Nats>()) + self.counts.len() * size_of::<Count>()
    }

    pub(super) fn score(&self) -> Nats {
        self.scores.iter().copied().sum()
    }

    /// What each element of an edge would change. Where that is known from before the last
    /// element, only elements that have part in the classes it made are evaluated.
    pub(super) fn gains(&self, view: &EdgeView, before: Option<&[Gain]>, gains: &mut Vec<Gain>) {
        MERGE.with_borrow_mut(|merge| {
            merge.reserve(self.class.len());
            merge.mark(&self.changed, true);
            let mut known = before.unwrap_or_default();
            for (element, first) in (0..).zip(view.firsts()) {
                let same = known.split_first().filter(|(gain, _)| gain.element == element);
                known = same.map_or(known, |(_, rest)| rest);
                if before.is_some() && !self.has_marked(view, first, merge) {
                    gains.extend(same.map(|(gain, _)| *gain));
                    continue;
                }
                let gain = match view.lines() {
                    [line] if view.levels == 2 => self.pair_gain(first + line, view.stride),
                    _ => self.gain(view, first, merge),
                };
                gains.extend(gain.map(|gain| Gain { element, gain }));
            }
            merge.mark(&self.changed, false);
        });
    }

    pub(super) fn add(&mut self, view: &EdgeView, element: Cell) {
        MERGE.with_borrow_mut(|merge| {
            merge.reserve(self.class.len());
            self.join_lines(view, view.first(element), merge);
            merge.settle();
            for place in 0..merge.members.len() {
                let (class, into) = (merge.members[place], merge.becomes(merge.members[place]));
                if class != into {
                    self.absorb(into as usize, class as usize);
                }
            }
            self.changed.clear();
            self.changed.extend(merge.members.iter().copied().filter(|&class| merge.becomes(class) == class));
            for &class in &self.changed {
                let counts = &self.counts[class as usize * self.levels..][..self.levels];
                self.scores[class as usize] = self.score.of_counts(counts.iter().copied());
            }
            self.class.iter_mut().for_each(|class| *class = merge.becomes(*class));
            merge.clear();
        });
    }

    /// Whether an element has part in a marked class.
    fn has_marked(&self, view: &EdgeView, first: Cell, merge: &Merge) -> bool {
        let marked = |cell: Cell| merge.marked[self.class[cell as usize] as usize];
        let mut starts = view.lines().iter().map(|line| first + line);
        starts.any(|start| (0..view.levels).any(|level| marked(start + level * view.stride)))
    }

    /// The change of the score when two configurations, one stride apart, become one class:
    /// what an element of a binary neighbour does when all others are common.
    fn pair_gain(&self, start: Cell, stride: u64) -> Option<Nats> {
        let (one, other) =
            (self.class[start as usize] as usize, self.class[(start + stride) as usize] as usize);
        let (apart, also_apart) = (self.scores[one], self.scores[other]);
        if one == other || apart == Nats::ZERO || also_apart == Nats::ZERO {
            return None;
        }
        let counts = |class: usize| &self.counts[class * self.levels..(class + 1) * self.levels];
        let merged = counts(one).iter().zip(counts(other)).map(|(a, b)| a + b);
        Some(self.score.of_counts(merged) - apart - also_apart)
    }

    /// The change of the score when an element's lines each become one class.
    fn gain(&self, view: &EdgeView, first: Cell, merge: &mut Merge) -> Option<Nats> {
        self.join_lines(view, first, merge);
        merge.add_up(self.levels, &self.counts, &self.scores);
        let mut gain = None;
        for (total, counts) in merge.totals.iter().zip(merge.counts.chunks_exact(self.levels)) {
            if total.observed > 1 {
                let merged = self.score.of_counts(counts.iter().copied());
                gain = Some(gain.unwrap_or_default() + merged - total.apart);
            }
        }
        merge.clear();
        gain
    }

    fn join_lines(&self, view: &EdgeView, first: Cell, merge: &mut Merge) {
        for line in view.lines() {
            let start = first + line;
            let one = self.class[start as usize];
            for level in 1..view.levels {
                merge.join(one, self.class[(start + level * view.stride) as usize]);
            }
        }
    }

    fn absorb(&mut self, into: usize, class: usize) {
        for level in 0..self.levels {
            self.counts[into * self.levels + level] +=
                std::mem::take(&mut self.counts[class * self.levels + level]);
        }
        self.scores[class] = Nats::ZERO;
    }
}

/// No group yet.
const ALONE: u32 = u32::MAX;

/// Groups of classes that become one. It forgets quickly: only what was touched is reset.
#[derive(Debug, Default)]
struct Merge {
    /// Each class's group.
    group: Vec<u32>,
    /// The classes that have a group.
    members: Vec<u32>,
    /// For each group the one that it belongs to: itself, or an earlier one.
    parent: Vec<u32>,
    /// For each group that belongs to itself the smallest class, when that is asked for.
    into: Vec<u32>,
    /// For each group that belongs to itself its classes and their counts, when asked for.
    totals: Vec<Total>,
    counts: Vec<Count>,
    /// Classes that someone looks for.
    marked: Vec<bool>,
}

/// The classes of a group that were observed.
#[derive(Clone, Copy, Debug, Default)]
struct Total {
    observed: u32,
    apart: Nats,
}

impl Merge {
    /// Makes room for classes up to `size`.
    fn reserve(&mut self, size: usize) {
        if self.group.len() < size {
            self.group.resize(size, ALONE);
            self.marked.resize(size, false);
        }
    }

    fn mark(&mut self, classes: &[u32], marked: bool) {
        for &class in classes {
            self.marked[class as usize] = marked;
        }
    }

    fn root(&self, mut group: u32) -> u32 {
        while self.parent[group as usize] != group {
            group = self.parent[group as usize];
        }
        group
    }

    #[inline]
    fn join(&mut self, one: u32, other: u32) {
        if one == other {
            return;
        }
        match (self.group[one as usize], self.group[other as usize]) {
            (ALONE, ALONE) => {
                let group = self.parent.len() as u32;
                self.parent.push(group);
                self.put(one, group);
                self.put(other, group);
            }
            (group, ALONE) => self.put(other, group),
            (ALONE, group) => self.put(one, group),
            (group, also) if group == also => {}
            (group, also) => {
                let (group, also) = (self.root(group), self.root(also));
                self.parent[group.max(also) as usize] = group.min(also);
            }
        }
    }

    fn put(&mut self, class: u32, group: u32) {
        self.group[class as usize] = group;
        self.members.push(class);
    }

    /// Gives every member the group that its group belongs to.
    fn flatten(&mut self) {
        // A group belongs to an earlier one, which is flat already.
        for group in 0..self.parent.len() {
            self.parent[group] = self.parent[self.parent[group] as usize];
        }
        for &class in &self.members {
            self.group[class as usize] = self.parent[self.group[class as usize] as usize];
        }
    }

    /// Adds up the observed classes of every group.
    fn add_up(&mut self, levels: usize, counts: &[Count], scores: &[Nats]) {
        self.flatten();
        self.totals.resize(self.parent.len(), Total::default());
        self.counts.resize(self.parent.len() * levels, 0);
        for &class in &self.members {
            let (class, group) = (class as usize, self.group[class as usize] as usize);
            if scores[class] != Nats::ZERO {
                self.totals[group].observed += 1;
                self.totals[group].apart += scores[class];
                let own = &counts[class * levels..(class + 1) * levels];
                self.counts[group * levels..].iter_mut().zip(own).for_each(|(sum, count)| *sum += count);
            }
        }
    }

    /// Finds the smallest class of every group.
    fn settle(&mut self) {
        self.flatten();
        self.into.resize(self.parent.len(), u32::MAX);
        for &class in &self.members {
            let into = &mut self.into[self.group[class as usize] as usize];
            *into = class.min(*into);
        }
    }

    /// The class that a class becomes, once groups are settled.
    fn becomes(&self, class: u32) -> u32 {
        match self.group[class as usize] {
            ALONE => class,
            group => self.into[group as usize],
        }
    }

    fn clear(&mut self) {
        for class in self.members.drain(..) {
            self.group[class as usize] = ALONE;
        }
        self.parent.clear();
        self.into.clear();
        self.totals.clear();
        self.counts.clear();
    }
}
