//! Classes over every configuration of a blanket: for spaces not much larger than the data.

use super::super::class_score::ClassScore;
use super::super::nats::Nats;
use super::joined::Joined;
use super::merge::Merge;
use super::{EdgeView, Gain};
use crate::counts::Count;
use crate::table::Cell;
use std::cell::RefCell;

thread_local! {
    /// Work space that every node on a thread shares.
    static WORK: RefCell<Work> = RefCell::default();
}

/// Work space; each list is overwritten when it is used.
#[derive(Debug, Default)]
struct Work {
    /// Empty between two calls.
    merge: Merge,
    joined: Joined,
    /// When each line was met last.
    met: Met,
    /// Elements as a set of bits, empty between two calls.
    touched: Vec<u64>,
    /// The first configurations of elements or of lines.
    elements: Vec<u32>,
    lines: Vec<u32>,
    found: Vec<Gain>,
}

/// Which of some numbers were met since the last beginning.
#[derive(Debug, Default)]
struct Met {
    when: Vec<u32>,
    now: u32,
}

impl Met {
    /// Begins anew with numbers below `size`.
    fn begin(&mut self, size: usize) {
        if self.when.len() < size {
            self.when.resize(size, 0);
        }
        self.now = self.now.wrapping_add(1);
        if self.now == 0 {
            self.when.fill(0);
            self.now = 1;
        }
    }

    /// Whether a number was met before; from now on it was.
    #[inline]
    fn meet(&mut self, number: u32) -> bool {
        std::mem::replace(&mut self.when[number as usize], self.now) == self.now
    }
}

/// Where an element is: its lines, on each of which all configurations become one.
#[derive(Clone, Copy)]
struct Lines<'w> {
    first: u32,
    /// How far each line is from the first.
    away: &'w [u32],
    /// How far apart the configurations of a line are, and how many there are.
    stride: u32,
    levels: u32,
}

impl Lines<'_> {
    /// The first configuration of each line.
    #[inline]
    fn starts(&self) -> impl Iterator<Item = u32> {
        self.away.iter().map(|away| self.first + away)
    }

    /// The configurations of a line.
    #[inline]
    fn line(&self, start: u32) -> impl Iterator<Item = u32> + Clone + use<> {
        let stride = self.stride;
        (0..self.levels).map(move |level| start + level * stride)
    }
}

/// The class of a configuration that nobody observed and that is alone in it. Such a one joins
/// others without changing a score or linking two lines, so that most lines are passed over.
const LONE: u32 = u32::MAX;

/// Configurations per observed one from which lines are found by what was observed on them.
const FEW_OBSERVED: usize = 4;

/// Each configuration's class; each class's counts and score.
#[derive(Clone, Debug)]
pub(crate) struct DenseClasses<'a> {
    pub(super) levels: usize,
    pub(super) score: ClassScore<'a>,
    class: Vec<u32>,
    pub(super) counts: Vec<Count>,
    /// Zero for classes without counts.
    pub(super) scores: Vec<Nats>,
    /// The configurations in the classes that the last element made of others.
    changed: Vec<u32>,
    /// Whether no element was added: each configuration is a class of its own.
    fresh: bool,
}

impl<'a> DenseClasses<'a> {
    /// One class per configuration, from the counts of the node's levels in each.
    pub(super) fn new(counts: Vec<Count>, levels: usize, score: ClassScore<'a>) -> Self {
        let cells = counts.chunks_exact(levels);
        let observed = |class: &[Count]| class.iter().any(|&count| count > 0);
        let class = cells.clone().zip(0..).map(|(counts, cell)| if observed(counts) { cell } else { LONE });
        let (class, scores) = (class.collect(), cells.map(|counts| of(score, counts)).collect());
        Self { levels, score, class, counts, scores, changed: Vec::new(), fresh: true }
    }

    #[cfg(test)]
    pub(super) fn class(&self, cell: Cell) -> u32 {
        let class = self.class[cell as usize];
        if class == LONE { cell as u32 } else { class }
    }

    pub(super) fn bytes(&self) -> usize {
        Self::bytes_of(self.class.len() as u64, self.levels as u64) as usize
    }

    /// About how many bytes so many configurations of a node with so many levels take.
    pub(super) fn bytes_of(size: u64, levels: u64) -> u64 {
        let each = (size_of::<u32>() + size_of::<Nats>()) as u64;
        size.saturating_mul(each + levels * size_of::<Count>() as u64)
    }

    pub(super) fn configurations(&self) -> u64 {
        self.class.len() as u64
    }

    pub(super) fn score(&self) -> Nats {
        self.scores.iter().copied().sum()
    }

    /// What each element of an edge would change. Where that is known from before the last
    /// element, only elements that have part in the classes it made are evaluated.
    /// Where there is none, nothing is written and the answer is true.
    pub(super) fn gains(&self, view: &EdgeView, before: Option<&[Gain]>, gains: &mut Vec<Gain>) -> bool {
        WORK.with_borrow_mut(|work| {
            match before {
                Some(before) => return !self.later_gains(view, before, work, gains),
                None if self.fresh && self.has_few_observed() => self.sparse_gains(view, work, gains),
                None => self.all_gains(view, work, gains),
            }
            false
        })
    }

    fn has_few_observed(&self) -> bool {
        let observed = self.class.iter().filter(|&&class| class != LONE).count();
        observed * FEW_OBSERVED < self.class.len()
    }

    fn all_gains(&self, view: &EdgeView, work: &mut Work, gains: &mut Vec<Gain>) {
        view.write_firsts(&mut work.elements);
        view.write_lines(&mut work.lines);
        for (element, &first) in (0..).zip(&work.elements) {
            let at = view.at(first, &work.lines);
            let gain = if self.fresh { self.fresh_gain(at) } else { self.gain(at, &mut work.joined) };
            gains.extend(gain.map(|gain| Gain { element, gain }));
        }
    }

    /// The gains while each configuration is a class of its own and few were observed: only
    /// lines on which two were change anything.
    fn sparse_gains(&self, view: &EdgeView, work: &mut Work, gains: &mut Vec<Gain>) {
        let Work { met, elements: shared, found, .. } = work;
        met.begin(self.class.len());
        shared.clear();
        for (cell, _) in (0..).zip(&self.class).filter(|(_, class)| **class != LONE) {
            let start = view.line_start(cell) as u32;
            if met.meet(start) {
                shared.push(start);
            }
        }
        shared.sort_unstable();
        shared.dedup();
        found.clear();
        for &start in &*shared {
            let gain = self.line_gain(view.at(start, &[]).line(start));
            let element = view.element(Cell::from(start));
            found.extend(gain.map(|gain| Gain { element, gain }));
        }
        found.sort_unstable_by_key(|gain| gain.element);
        for run in found.chunk_by(|one, other| one.element == other.element) {
            gains.push(Gain { element: run[0].element, gain: run.iter().map(|gain| gain.gain).sum() });
        }
    }

    /// The gains after an element, given those before it; whether any had to be evaluated.
    fn later_gains(&self, view: &EdgeView, before: &[Gain], work: &mut Work, gains: &mut Vec<Gain>) -> bool {
        let Work { joined, touched, lines, .. } = work;
        if self.changed.is_empty() {
            return false;
        }
        touched.resize((view.elements() as usize).div_ceil(64), 0);
        let mut untouched = view.elements();
        view.visit_elements(&self.changed, |element| {
            let (word, bit) = (&mut touched[element as usize / 64], 1 << (element % 64));
            untouched -= u64::from(*word & bit == 0);
            *word |= bit;
            untouched > 0
        });
        view.write_lines(lines);
        let mut rest = before;
        for (from, word) in (0..).step_by(64).zip(touched.drain(..)) {
            let mut word: u64 = word;
            while word != 0 {
                let element: Cell = from + Cell::from(word.trailing_zeros());
                word &= word - 1;
                let (same, later) = rest.split_at(rest.partition_point(|gain| gain.element < element));
                gains.extend_from_slice(same);
                rest =
                    later.split_first().filter(|(gain, _)| gain.element == element).map_or(later, |(_, r)| r);
                let gain = self.gain(view.at(view.first(element) as u32, lines), joined);
                gains.extend(gain.map(|gain| Gain { element, gain }));
            }
        }
        gains.extend_from_slice(rest);
        true
    }

    /// Merges what an element on an edge makes one.
    pub(super) fn add(&mut self, view: &EdgeView, element: Cell) {
        WORK.with_borrow_mut(|Work { merge, lines, .. }| {
            merge.reserve(self.class.len());
            view.write_lines(lines);
            let at = view.at(view.first(element) as u32, lines);
            for start in at.starts() {
                self.join_line(start, at, merge);
            }
            merge.settle();
            for (class, into) in merge.moves() {
                self.absorb(into as usize, class as usize);
            }
            for class in merge.made() {
                self.scores[class as usize] = of(self.score, self.counts_of(class));
            }
            self.changed.clear();
            for (class, cell) in self.class.iter_mut().zip(0..).filter(|(class, _)| **class != LONE) {
                if let Some(into) = merge.becomes(*class) {
                    *class = into;
                    self.changed.push(cell);
                }
            }
            self.fresh = false;
            merge.clear();
        });
    }

    /// Makes the configurations of a line one class, as far as configurations go; classes join
    /// when all lines are known.
    fn join_line(&mut self, start: u32, at: Lines<'_>, merge: &mut Merge) {
        let known = at.line(start).map(|cell| self.class[cell as usize]).find(|&class| class != LONE);
        let one = known.unwrap_or(start);
        for cell in at.line(start) {
            match &mut self.class[cell as usize] {
                class if *class == LONE => {
                    *class = one;
                    merge.touch(one);
                }
                other => merge.join(one, *other),
            }
        }
    }

    #[inline]
    fn counts_of(&self, class: u32) -> &[Count] {
        &self.counts[class as usize * self.levels..][..self.levels]
    }

    #[inline]
    fn is_observed(&self, class: u32) -> bool {
        self.counts_of(class).iter().any(|&count| count > 0)
    }

    /// The change of the score when two classes become one.
    #[inline]
    fn pair_gain(&self, one: u32, other: u32) -> Option<Nats> {
        if !self.is_observed(one) || !self.is_observed(other) {
            return None;
        }
        let merged = self.counts_of(one).iter().zip(self.counts_of(other)).map(|(a, b)| a + b);
        Some(self.score.of_counts(merged) - self.scores[one as usize] - self.scores[other as usize])
    }

    /// The change of the score when some different classes become one.
    fn line_gain(&self, classes: impl Iterator<Item = u32> + Clone) -> Option<Nats> {
        let observed = classes.filter(|&class| self.is_observed(class));
        observed.clone().nth(1)?;
        let count = |level: usize| observed.clone().map(|class| self.counts_of(class)[level]).sum();
        let apart: Nats = observed.clone().map(|class| self.scores[class as usize]).sum();
        Some(self.score.of_counts((0..self.levels).map(count)) - apart)
    }

    /// As [`Self::gain`] while each configuration is a class of its own, so that no two lines
    /// have part in one class.
    fn fresh_gain(&self, at: Lines<'_>) -> Option<Nats> {
        let mut gain = None;
        for start in at.starts() {
            let by = if at.levels == 2 {
                self.pair_gain(start, start + at.stride)
            } else {
                self.line_gain(at.line(start))
            };
            gain = by.map(|by| gain.unwrap_or_default() + by).or(gain);
        }
        gain
    }

    /// The change of the score when an element's lines each become one class.
    fn gain(&self, at: Lines<'_>, joined: &mut Joined) -> Option<Nats> {
        if self.levels == 2 { self.gain_of::<2>(at, joined) } else { self.gain_of::<0>(at, joined) }
    }

    /// The same, for a node with `L` levels, or any number of them where that is 0: what is known beforehand
    /// need not be looped over.
    #[inline]
    fn gain_of<const L: usize>(&self, at: Lines<'_>, joined: &mut Joined) -> Option<Nats> {
        joined.begin(self.class.len());
        let mut merges = false;
        for start in at.starts() {
            if at.levels == 2 {
                let (one, other) = (self.class[start as usize], self.class[(start + at.stride) as usize]);
                if one != other && one != LONE && other != LONE {
                    merges |= joined.join::<L>(self, one, other);
                }
                continue;
            }
            let mut classes = at.line(start).map(|cell| self.class[cell as usize]);
            let Some(one) = classes.find(|&class| class != LONE) else { continue };
            for other in classes.filter(|&class| class != LONE && class != one) {
                merges |= joined.join::<L>(self, one, other);
            }
        }
        merges.then(|| joined.gain::<L>(self))
    }

    fn absorb(&mut self, into: usize, class: usize) {
        for level in 0..self.levels {
            self.counts[into * self.levels + level] +=
                std::mem::take(&mut self.counts[class * self.levels + level]);
        }
        self.scores[class] = Nats::ZERO;
    }
}

fn of(score: ClassScore<'_>, counts: &[Count]) -> Nats {
    score.of_counts(counts.iter().copied())
}

impl EdgeView {
    /// The element whose first configuration is `first`, given its lines.
    fn at<'w>(&self, first: u32, lines: &'w [u32]) -> Lines<'w> {
        Lines { first, away: lines, stride: self.stride as u32, levels: self.levels as u32 }
    }
}
