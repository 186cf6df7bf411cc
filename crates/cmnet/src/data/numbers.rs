//! A column of numbers while it is read: at most as many levels as codes can tell apart, whatever
//! the number of rows.
//!
//! Values become keys that ascend with them. Where there are more keys than codes, the last bits of
//! all keys are dropped, as few as are enough. What is kept then depends on the set of values
//! alone, never on their order.

use super::variable::MAX_LEVELS;
use std::collections::BTreeMap;

/// The least and the largest of the numbers that are one level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// The numbers met so far.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    /// Bits of the keys that are not told apart.
    dropped: u32,
    levels: BTreeMap<u64, u16>,
}

/// Codes that earlier codes became.
pub(crate) type Recoding = Vec<u16>;

impl Numbers {
    /// How many levels there are.
    pub(crate) fn len(&self) -> usize {
        self.levels.len()
    }

    /// The code of a value, if it was met.
    pub(crate) fn find(&self, value: f64) -> Option<u16> {
        self.levels.get(&(key(value) >> self.dropped)).copied()
    }

    /// Adds a value that was not met; its code, and what earlier codes become where they change.
    pub(crate) fn add(&mut self, value: f64) -> (u16, Option<Recoding>) {
        let code = self.levels.len() as u16;
        self.levels.insert(key(value) >> self.dropped, code);
        if self.levels.len() < MAX_LEVELS {
            return (code, None);
        }
        let mut recoding = self.coarsen();
        let own = recoding.pop().unwrap_or_default();
        (own, Some(recoding))
    }

    /// Drops bits until there are few enough levels; the new code of each code.
    fn coarsen(&mut self) -> Recoding {
        let shift = (1..64)
            .find(|shift| {
                let mut last = None;
                let keys = self.levels.keys().map(|key| key >> shift);
                keys.filter(|key| last.replace(*key) != Some(*key)).count() < MAX_LEVELS
            })
            .unwrap_or(63);
        self.dropped += shift;
        let mut recoding = vec![0; self.levels.len()];
        let mut coarse: BTreeMap<u64, u16> = BTreeMap::new();
        for (key, code) in std::mem::take(&mut self.levels) {
            let next = coarse.len() as u16;
            recoding[usize::from(code)] = *coarse.entry(key >> shift).or_insert(next);
        }
        self.levels = coarse;
        recoding
    }

    /// The levels by value, and for every code its place among them.
    pub(crate) fn finish(self) -> (Vec<Span>, Recoding) {
        let mut places = vec![0; self.levels.len()];
        let mut spans = Vec::with_capacity(self.levels.len());
        let last = (1_u64 << self.dropped) - 1;
        for (place, (key, code)) in self.levels.into_iter().enumerate() {
            places[usize::from(code)] = place as u16;
            let first = key << self.dropped;
            spans.push(Span { low: value(first), high: value(first | last) });
        }
        (spans, places)
    }
}

/// A number that ascends with the value. Both zeros are one.
fn key(value: f64) -> u64 {
    let bits = (value + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// The value of a key.
fn value(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key & !(1 << 63) } else { !key })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::mix_seed;

    /// The spans of values, and the place of each value among them.
    fn taken(values: &[f64]) -> (Vec<Span>, Vec<u16>) {
        let mut numbers = Numbers::default();
        let mut codes: Vec<u16> = Vec::new();
        for &value in values {
            let code = numbers.find(value).unwrap_or_else(|| {
                let (code, recoding) = numbers.add(value);
                if let Some(recoding) = recoding {
                    for code in &mut codes {
                        *code = recoding[usize::from(*code)];
                    }
                }
                code
            });
            codes.push(code);
        }
        let (spans, places) = numbers.finish();
        (spans, codes.into_iter().map(|code| places[usize::from(code)]).collect())
    }

    #[test]
    fn few_numbers_are_told_apart_and_ordered() {
        let (spans, places) = taken(&[3.0, -1.0, 0.0, -0.0, 1e-300, 3.0]);
        assert_eq!(spans.iter().map(|span| span.low).collect::<Vec<_>>(), [-1.0, 0.0, 1e-300, 3.0]);
        assert_eq!(places, [3, 0, 1, 1, 2, 3]);
    }

    #[test]
    fn many_numbers_become_fewer_levels_in_any_order() {
        let values: Vec<f64> =
            (0..200_000_u64).map(|row| (mix_seed(row) >> 11) as f64 / 1e12 - 4000.0).collect();
        let (spans, places) = taken(&values);
        let reversed: Vec<f64> = values.iter().rev().copied().collect();
        assert_eq!(taken(&reversed).0, spans);
        assert!(spans.len() > MAX_LEVELS / 3 && spans.len() < MAX_LEVELS, "{}", spans.len());
        assert!(spans.windows(2).all(|pair| pair[0].high < pair[1].low));
        let inside = |(value, place): (&f64, &u16)| {
            let span = spans[usize::from(*place)];
            (span.low..=span.high).contains(value)
        };
        assert!(values.iter().zip(&places).all(inside));
    }
}
