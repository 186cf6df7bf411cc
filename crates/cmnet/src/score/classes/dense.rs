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

    pub(super) fn gains(&self, view: &EdgeView, gains: &mut Vec<Gain>) {
        MERGE.with_borrow_mut(|merge| {
            let lines = view.lines();
            for element in 0..view.elements() {
                let first = view.first(element);
                let gain = match lines {
                    [line] if view.levels == 2 => self.pair_gain(first + line, view.stride),
                    _ => self.gain(view, first, merge),
                };
                gains.extend(gain.map(|gain| Gain { element, gain }));
            }
        });
    }

    pub(super) fn add(&mut self, view: &EdgeView, element: Cell) {
        MERGE.with_borrow_mut(|merge| {
            self.join_lines(view, view.first(element), merge);
            for group in merge.groups() {
                let into = group[0].1 as usize;
                for &(_, class) in &group[1..] {
                    self.absorb(into, class as usize);
                }
                let counts = &self.counts[into * self.levels..(into + 1) * self.levels];
                self.scores[into] = self.score.of_counts(counts.iter().copied());
            }
            self.class.iter_mut().for_each(|class| *class = merge.root(*class));
            merge.clear();
        });
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
        let mut gain = None;
        for group in merge.groups() {
            let observed =
                || group.iter().map(|&(_, c)| c as usize).filter(|&c| self.scores[c] != Nats::ZERO);
            if observed().nth(1).is_none() {
                continue;
            }
            let merged =
                (0..self.levels).map(|level| observed().map(|c| self.counts[c * self.levels + level]).sum());
            let apart: Nats = observed().map(|class| self.scores[class]).sum();
            gain = Some(gain.unwrap_or_default() + self.score.of_counts(merged) - apart);
        }
        merge.clear();
        gain
    }

    fn join_lines(&self, view: &EdgeView, first: Cell, merge: &mut Merge) {
        merge.reserve(self.class.len());
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

/// A union-find over classes that forgets quickly: only touched classes are reset.
#[derive(Debug, Default)]
struct Merge {
    parent: Vec<u32>,
    touched: Vec<u32>,
    is_touched: Vec<bool>,
    /// Touched classes by root.
    rooted: Vec<(u32, u32)>,
}

impl Merge {
    /// Makes room for classes up to `size`.
    fn reserve(&mut self, size: usize) {
        if self.parent.len() < size {
            self.parent.extend(self.parent.len() as u32..size as u32);
            self.is_touched.resize(size, false);
        }
    }

    fn root(&mut self, class: u32) -> u32 {
        let mut root = class;
        while self.parent[root as usize] != root {
            let above = self.parent[self.parent[root as usize] as usize];
            self.parent[root as usize] = above;
            root = above;
        }
        root
    }

    fn join(&mut self, one: u32, other: u32) {
        if one == other {
            return;
        }
        for class in [one, other] {
            if !std::mem::replace(&mut self.is_touched[class as usize], true) {
                self.touched.push(class);
            }
        }
        let (one, other) = (self.root(one), self.root(other));
        self.parent[one.max(other) as usize] = one.min(other);
    }

    /// The sets of two or more classes as (root, class), each with its root first.
    fn groups(&mut self) -> impl Iterator<Item = &[(u32, u32)]> {
        for place in 0..self.touched.len() {
            let class = self.touched[place];
            let root = self.root(class);
            self.rooted.push((root, class));
        }
        self.rooted.sort_unstable();
        self.rooted.chunk_by(|a, b| a.0 == b.0)
    }

    fn clear(&mut self) {
        for class in self.touched.drain(..) {
            self.parent[class as usize] = class;
            self.is_touched[class as usize] = false;
        }
        self.rooted.clear();
    }
}
