//! Classes over every configuration of a blanket: for spaces not much larger than the data.

use super::super::mpl::ClassScore;
use super::super::nats::Nats;
use super::{EdgeView, Gain};
use crate::counts::{Count, FamilyCounts};
use crate::outcome::{Cell, OutcomeSpace};

/// Each configuration's class; each class's counts and score.
#[derive(Debug)]
pub(crate) struct DenseClasses<'a> {
    space: OutcomeSpace,
    levels: usize,
    score: ClassScore<'a>,
    class: Vec<u32>,
    counts: Vec<Count>,
    scores: Vec<Nats>,
    observed: Vec<bool>,
    merge: Merge,
}

impl<'a> DenseClasses<'a> {
    pub(super) fn new(counts: &FamilyCounts, score: ClassScore<'a>) -> Self {
        let (size, levels) = (counts.space().size() as usize, counts.child_levels() as usize);
        let mut classes = Self {
            space: counts.space().clone(),
            levels,
            score,
            class: (0..size as u32).collect(),
            counts: vec![0; size * levels],
            scores: vec![Nats::ZERO; size],
            observed: vec![false; size],
            merge: Merge::new(size),
        };
        for (cell, entries) in counts.iter() {
            let cell = cell as usize;
            for &(level, count) in entries {
                classes.counts[cell * levels + level as usize] = count;
            }
            classes.scores[cell] = score.of(entries);
            classes.observed[cell] = true;
        }
        classes
    }

    pub(super) fn space(&self) -> &OutcomeSpace {
        &self.space
    }

    pub(super) fn score(&self) -> Nats {
        self.scores.iter().copied().sum()
    }

    pub(super) fn gains(&mut self, view: &EdgeView) -> Vec<Gain> {
        let lines = view.lines();
        let mut gains = Vec::new();
        for element in 0..view.elements() {
            if let Some(gain) = self.gain(view, view.first(element), &lines) {
                gains.push(Gain { element, gain });
            }
        }
        gains
    }

    pub(super) fn add(&mut self, view: &EdgeView, element: Cell) {
        self.join_lines(view, view.first(element), &view.lines());
        for group in self.merge.groups() {
            let into = group[0] as usize;
            for &class in &group[1..] {
                self.absorb(into, class as usize);
            }
            let counts = &self.counts[into * self.levels..(into + 1) * self.levels];
            self.scores[into] = self.score.of_counts(counts.iter().copied());
        }
        let merge = &mut self.merge;
        self.class.iter_mut().for_each(|class| *class = merge.root(*class));
        merge.clear();
    }

    /// The change of the score when an element's lines each become one class.
    fn gain(&mut self, view: &EdgeView, first: Cell, lines: &[Cell]) -> Option<Nats> {
        self.join_lines(view, first, lines);
        let mut gain = None;
        for group in self.merge.groups() {
            let observed: Vec<usize> =
                group.iter().map(|&c| c as usize).filter(|&c| self.observed[c]).collect();
            if observed.len() < 2 {
                continue;
            }
            let merged = (0..self.levels)
                .map(|level| observed.iter().map(|c| self.counts[c * self.levels + level]).sum());
            let apart: Nats = observed.iter().map(|&class| self.scores[class]).sum();
            gain = Some(gain.unwrap_or_default() + self.score.of_counts(merged) - apart);
        }
        self.merge.clear();
        gain
    }

    fn join_lines(&mut self, view: &EdgeView, first: Cell, lines: &[Cell]) {
        for line in lines {
            let start = first + line;
            let one = self.class[start as usize];
            for level in 1..view.levels {
                self.merge.join(one, self.class[(start + level * view.stride) as usize]);
            }
        }
    }

    fn absorb(&mut self, into: usize, class: usize) {
        for level in 0..self.levels {
            self.counts[into * self.levels + level] +=
                std::mem::take(&mut self.counts[class * self.levels + level]);
        }
        self.scores[class] = Nats::ZERO;
        self.observed[into] |= std::mem::take(&mut self.observed[class]);
    }
}

/// A union-find over classes that forgets quickly: only touched classes are reset.
#[derive(Debug)]
struct Merge {
    parent: Vec<u32>,
    touched: Vec<u32>,
    is_touched: Vec<bool>,
}

impl Merge {
    fn new(size: usize) -> Self {
        Self { parent: (0..size as u32).collect(), touched: Vec::new(), is_touched: vec![false; size] }
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

    /// The sets of two or more classes, each with its root first.
    fn groups(&mut self) -> Vec<Vec<u32>> {
        let mut rooted: Vec<(u32, u32)> = Vec::with_capacity(self.touched.len());
        for place in 0..self.touched.len() {
            let class = self.touched[place];
            rooted.push((self.root(class), class));
        }
        rooted.sort_unstable();
        rooted
            .chunk_by(|a, b| a.0 == b.0)
            .map(|group| group.iter().map(|&(_, class)| class).collect())
            .collect()
    }

    fn clear(&mut self) {
        for class in self.touched.drain(..) {
            self.parent[class as usize] = class;
            self.is_touched[class as usize] = false;
        }
    }
}
