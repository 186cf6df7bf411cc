//! One family's counts from bit planes: down the configurations of the blanket, one
//! variable after the other, as long as any row is left.

#![expect(
    clippy::inline_always,
    reason = "only inlined code is compiled for the instructions chosen at run time"
)]

use super::{Count, FamilyCounts};
use crate::widest::{Work, widest};
use std::borrow::Cow;

/// The most levels of a variable that has planes.
pub(super) const MOST_LEVELS: usize = 8;

/// The planes of one variable: levels 1 and up.
pub(super) type Planes<'a> = &'a [Cow<'a, [u64]>];

/// The counts of a child's levels, as many as it has.
type Levels = [Count; MOST_LEVELS];

/// What a descent is given.
pub(super) struct Descent<'a> {
    /// The digits of the row weights, the lowest first.
    pub(super) weights: &'a [Vec<u64>],
    pub(super) child: Planes<'a>,
    /// The blanket's variables in order, each with the stride of its levels.
    pub(super) blanket: Vec<(Planes<'a>, u64)>,
    pub(super) words: usize,
}

/// Where counts go.
pub(super) trait Sink {
    /// Takes the counts of the child's levels in a configuration, zeros included. Configurations
    /// come ascending, and those that nobody observed may not come at all.
    fn put(&mut self, cell: u64, counts: &[Count]);
}

impl Sink for FamilyCounts {
    fn put(&mut self, cell: u64, counts: &[Count]) {
        for (&count, level) in counts.iter().zip(0..) {
            if count > 0 {
                self.push(cell, level, count);
            }
        }
    }
}

/// A table of zeros to which counts are written.
impl Sink for Vec<Count> {
    fn put(&mut self, cell: u64, counts: &[Count]) {
        self[cell as usize * counts.len()..][..counts.len()].copy_from_slice(counts);
    }
}

impl Descent<'_> {
    /// Gives every observed configuration to a sink. `rows` is work space.
    pub(super) fn count(&self, rows: &mut Vec<u64>, sink: &mut impl Sink) {
        widest(Down { descent: self, rows, sink });
    }

    #[inline(always)]
    fn descend(&self, rows: &mut Vec<u64>, sink: &mut impl Sink) {
        let words = self.words;
        // The rows at each depth, one below the other.
        rows.clear();
        rows.resize(words * self.blanket.len().max(1), 0);
        for digit in self.weights {
            rows[..words].iter_mut().zip(digit).for_each(|(row, weight)| *row |= weight);
        }
        let Some((last, before)) = self.blanket.split_last() else {
            sink.put(0, &self.by_child(&rows[..words], None)[..=self.child.len()]);
            return;
        };
        let mut next = vec![0usize; before.len() + 1];
        let (mut at, mut cell) = (0, 0);
        loop {
            if at == before.len() {
                self.part_last(&rows[at * words..], cell, last, sink);
            } else if next[at] <= before[at].0.len() {
                let (planes, stride) = before[at];
                let (above, below) = rows[at * words..].split_at_mut(words);
                let level = next[at];
                next[at] += 1;
                if part(above, planes, level, &mut below[..words]) {
                    cell += level as u64 * stride;
                    at += 1;
                    next[at] = 0;
                }
                continue;
            }
            let Some(up) = at.checked_sub(1) else { break };
            at = up;
            cell -= (next[at] - 1) as u64 * before[at].1;
        }
    }

    /// The counts for each level of the last variable, without making the sets of rows: those of
    /// its first level are what the others leave.
    #[inline(always)]
    fn part_last(
        &self,
        rows: &[u64],
        cell: u64,
        &(planes, stride): &(Planes<'_>, u64),
        sink: &mut impl Sink,
    ) {
        let mut first = self.by_child(rows, None);
        let mut others = [[0; MOST_LEVELS]; MOST_LEVELS];
        for (plane, counts) in planes.iter().zip(&mut others) {
            *counts = self.by_child(rows, Some(plane));
            first.iter_mut().zip(&*counts).for_each(|(rest, count)| *rest -= count);
        }
        let levels = self.child.len() + 1;
        sink.put(cell, &first[..levels]);
        for (counts, level) in others[..planes.len()].iter().zip(1..) {
            sink.put(cell + level * stride, &counts[..levels]);
        }
    }

    /// The child's counts among these rows, or among those of them that a plane has.
    #[inline(always)]
    fn by_child(&self, rows: &[u64], plane: Option<&[u64]>) -> Levels {
        let rows = &rows[..self.words];
        let within = plane.unwrap_or(rows);
        let mut counts = [0; MOST_LEVELS];
        for (digit, weight) in self.weights.iter().enumerate() {
            counts[0] += common(rows, within, weight, rows) << digit;
            for (child, count) in self.child.iter().zip(&mut counts[1..]) {
                *count += common(rows, within, weight, child) << digit;
            }
        }
        counts[0] -= counts[1..].iter().sum::<Count>();
        counts
    }
}

/// The number of ones that four rows of words have in common.
#[inline(always)]
fn common(one: &[u64], two: &[u64], three: &[u64], four: &[u64]) -> Count {
    let words = one.iter().zip(two).zip(three).zip(four);
    words.map(|(((a, b), c), d)| u64::from((a & b & c & d).count_ones())).sum::<u64>() as Count
}

/// The work of [`Descent::count`].
struct Down<'a, S> {
    descent: &'a Descent<'a>,
    rows: &'a mut Vec<u64>,
    sink: &'a mut S,
}

impl<S: Sink> Work for Down<'_, S> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.descent.descend(self.rows, self.sink);
    }
}

/// The rows at one level of a variable; whether there are any.
#[inline(always)]
fn part(rows: &[u64], planes: Planes<'_>, level: usize, part: &mut [u64]) -> bool {
    let mut any = 0;
    if let Some(above) = level.checked_sub(1) {
        for ((part, row), bit) in part.iter_mut().zip(rows).zip(&*planes[above]) {
            *part = row & bit;
            any |= *part;
        }
        return any != 0;
    }
    part.copy_from_slice(rows);
    for plane in planes {
        part.iter_mut().zip(&**plane).for_each(|(part, bit)| *part &= !bit);
    }
    part.iter().any(|&word| word != 0)
}
