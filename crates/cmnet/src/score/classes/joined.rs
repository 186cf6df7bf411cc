//! Classes that would become one, with what they have together: what an element would gain.
//!
//! Sums grow with each join, so that nothing is sorted or gone through again in the end.

use super::super::nats::Nats;
use super::dense::DenseClasses;
use crate::counts::Count;

/// Groups of classes. Beginning anew costs nothing.
#[derive(Debug, Default)]
pub(super) struct Joined {
    /// When each class got its group, and which.
    place: Vec<(u32, u32)>,
    now: u32,
    /// For each group the one that it belongs to: itself, or an earlier one.
    parent: Vec<u32>,
    /// The counts of each group that belongs to itself.
    counts: Vec<Count>,
    /// What its classes score apart.
    apart: Vec<Nats>,
}

impl Joined {
    /// Begins anew with classes below `size`.
    pub(super) fn begin(&mut self, size: usize) {
        if self.place.len() < size {
            self.place.resize(size, (0, 0));
        }
        self.now = self.now.wrapping_add(1);
        if self.now == 0 {
            self.place.fill((0, 0));
            self.now = 1;
        }
        self.parent.clear();
        self.counts.clear();
        self.apart.clear();
    }

    /// The group that a class belongs to now. Ways that were gone become shorter.
    #[inline]
    fn group(&mut self, class: u32) -> Option<u32> {
        let (when, mut group) = self.place[class as usize];
        if when != self.now {
            return None;
        }
        while self.parent[group as usize] != group {
            let next = self.parent[group as usize];
            self.parent[group as usize] = self.parent[next as usize];
            group = next;
        }
        Some(group)
    }

    /// Makes two different classes one, for a node with `L` levels, or any number of them where that is 0.
    /// Returns whether both sides were observed.
    #[inline]
    pub(super) fn join<const L: usize>(&mut self, of: &DenseClasses<'_>, one: u32, other: u32) -> bool {
        match (self.group(one), self.group(other)) {
            (None, None) => self.pair::<L>(of, one, other),
            (Some(group), None) => self.put::<L>(of, group, other),
            (None, Some(group)) => self.put::<L>(of, group, one),
            (Some(group), Some(also)) if group == also => false,
            (Some(group), Some(also)) => self.merge::<L>(of, group.min(also), group.max(also)),
        }
    }

    /// A new group of two classes.
    #[inline]
    fn pair<const L: usize>(&mut self, of: &DenseClasses<'_>, one: u32, other: u32) -> bool {
        let levels = if L == 0 { of.levels } else { L };
        let group = self.parent.len() as u32;
        self.parent.push(group);
        self.place[one as usize] = (self.now, group);
        self.place[other as usize] = (self.now, group);
        let (first, second) =
            (&of.counts[one as usize * levels..][..levels], &of.counts[other as usize * levels..][..levels]);
        let (mut in_first, mut in_second) = (0, 0);
        for (&one, &other) in first.iter().zip(second) {
            in_first |= one;
            in_second |= other;
            self.counts.push(one + other);
        }
        self.apart.push(of.scores[one as usize] + of.scores[other as usize]);
        in_first != 0 && in_second != 0
    }

    /// Puts a class into a group.
    #[inline]
    fn put<const L: usize>(&mut self, of: &DenseClasses<'_>, group: u32, class: u32) -> bool {
        let levels = if L == 0 { of.levels } else { L };
        self.place[class as usize] = (self.now, group);
        let more = &of.counts[class as usize * levels..][..levels];
        let sums = &mut self.counts[group as usize * levels..][..levels];
        let (mut before, mut added) = (0, 0);
        for (sum, &more) in sums.iter_mut().zip(more) {
            before |= *sum;
            added |= more;
            *sum += more;
        }
        self.apart[group as usize] += of.scores[class as usize];
        before != 0 && added != 0
    }

    /// Makes two groups one, the earlier.
    fn merge<const L: usize>(&mut self, of: &DenseClasses<'_>, group: u32, also: u32) -> bool {
        let levels = if L == 0 { of.levels } else { L };
        self.parent[also as usize] = group;
        let (before, after) = self.counts.split_at_mut(also as usize * levels);
        let (sums, more) = (&mut before[group as usize * levels..][..levels], &after[..levels]);
        let (mut known, mut added) = (0, 0);
        for (sum, &more) in sums.iter_mut().zip(more) {
            known |= *sum;
            added |= more;
            *sum += more;
        }
        let apart = self.apart[also as usize];
        self.apart[group as usize] += apart;
        known != 0 && added != 0
    }

    /// The change of the score when each group becomes one class.
    #[inline]
    pub(super) fn gain<const L: usize>(&self, of: &DenseClasses<'_>) -> Nats {
        let levels = if L == 0 { of.levels } else { L };
        let mut gain = Nats::ZERO;
        for (group, counts) in self.counts.chunks_exact(levels).enumerate() {
            if self.parent[group] as usize == group {
                // A group of which one class was observed scores what it did.
                gain += of.score.of_counts(counts.iter().copied()) - self.apart[group];
            }
        }
        gain
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::RowCounts;
    use crate::data::Dataset;
    use crate::score::{Alpha, Scorer};

    /// Classes join directly, as a class and a group, or as two groups of which each has one observed class.
    #[test]
    fn groups_gain_where_observed_classes_meet() {
        let data = Dataset::from_labels(&["a"], [["x"], ["y"]]).unwrap();
        let counts = RowCounts::new(&data);
        let scorer = Scorer::new(&counts, Alpha::default());
        let score = scorer.class_score(0);
        // The first and the last class are observed, with the same count of both levels.
        let classes = DenseClasses::new(vec![1, 1, 0, 0, 0, 0, 2, 2], 2, score);
        let of = |count: u32| score.of_counts([count; 2].into_iter());
        let ways: [&[(u32, u32, bool)]; 4] = [
            &[(0, 3, true)],
            &[(0, 1, false), (1, 3, true)],
            &[(1, 2, false), (2, 0, false), (3, 1, true)],
            &[(0, 1, false), (2, 3, false), (1, 2, true)],
        ];
        for way in ways {
            let [mut two, mut any] = [Joined::default(), Joined::default()];
            two.begin(4);
            any.begin(4);
            for &(one, other, meet) in way {
                assert_eq!(two.join::<2>(&classes, one, other), meet, "{way:?}");
                assert_eq!(any.join::<0>(&classes, one, other), meet, "{way:?}");
            }
            let expected = of(3) - of(1) - of(2);
            assert_eq!([two.gain::<2>(&classes), any.gain::<0>(&classes)], [expected; 2], "{way:?}");
        }
    }
}
