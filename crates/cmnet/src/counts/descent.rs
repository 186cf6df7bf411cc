//! One family's counts from bit planes: down the configurations of the blanket, one
//! variable after the other, as long as any row is left.

#![expect(
    clippy::inline_always,
    reason = "only inlined code is compiled for the instructions chosen at run time"
)]

use super::FamilyCounts;
use pulp::{Arch, NullaryFnOnce};

/// The planes of one variable: levels 1 and up.
pub(super) type Planes<'a> = Vec<&'a [u64]>;

/// What a descent is given.
pub(super) struct Descent<'a> {
    /// The digits of the row weights, the lowest first.
    pub(super) weights: &'a [Vec<u64>],
    pub(super) child: Planes<'a>,
    /// The blanket's variables in order, each with the stride of its levels.
    pub(super) blanket: Vec<(Planes<'a>, u64)>,
    pub(super) words: usize,
}

impl Descent<'_> {
    /// Adds every observed configuration, ascending.
    pub(super) fn count(&self, counts: &mut FamilyCounts) {
        Arch::new().dispatch(Count { descent: self, counts });
    }

    #[inline(always)]
    fn descend(&self, counts: &mut FamilyCounts) {
        let (words, depth) = (self.words, self.blanket.len());
        // The rows at each depth, one below the other.
        let mut rows = vec![0u64; words * (depth + 1)];
        for digit in self.weights {
            rows[..words].iter_mut().zip(digit).for_each(|(row, weight)| *row |= weight);
        }
        let mut next = vec![0usize; depth + 1];
        let (mut at, mut cell) = (0, 0);
        loop {
            if at == depth {
                self.leaf(&rows[at * words..], cell, counts);
            } else if next[at] <= self.blanket[at].0.len() {
                let (planes, stride) = &self.blanket[at];
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
            cell -= (next[at] - 1) as u64 * self.blanket[at].1;
        }
    }

    /// Adds the child's counts among these rows.
    #[inline(always)]
    fn leaf(&self, rows: &[u64], cell: u64, counts: &mut FamilyCounts) {
        let weigh = |plane: Option<&[u64]>| {
            let mut sum = 0;
            for (digit, weight) in self.weights.iter().enumerate() {
                let mut ones = 0;
                for (word, (row, weight)) in rows.iter().zip(weight).enumerate() {
                    let child = plane.map_or(u64::MAX, |plane| plane[word]);
                    ones += (row & weight & child).count_ones();
                }
                sum += ones << digit;
            }
            sum
        };
        let above: Vec<u32> = self.child.iter().map(|plane| weigh(Some(plane))).collect();
        let lowest = weigh(None) - above.iter().sum::<u32>();
        for (level, count) in std::iter::once(lowest).chain(above).enumerate() {
            if count > 0 {
                counts.push(cell, level as u32, count);
            }
        }
    }
}

/// The work of [`Descent::count`]: what a closure would not have inlined, see `popcount`.
struct Count<'a> {
    descent: &'a Descent<'a>,
    counts: &'a mut FamilyCounts,
}

impl NullaryFnOnce for Count<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.descent.descend(self.counts);
    }
}

/// The rows at one level of a variable; whether there are any.
#[inline(always)]
fn part(rows: &[u64], planes: &[&[u64]], level: usize, part: &mut [u64]) -> bool {
    let mut any = 0;
    if let Some(above) = level.checked_sub(1) {
        for ((part, row), bit) in part.iter_mut().zip(rows).zip(planes[above]) {
            *part = row & bit;
            any |= *part;
        }
        return any != 0;
    }
    part.copy_from_slice(rows);
    for plane in planes {
        part.iter_mut().zip(*plane).for_each(|(part, bit)| *part &= !bit);
    }
    part.iter().any(|&word| word != 0)
}
