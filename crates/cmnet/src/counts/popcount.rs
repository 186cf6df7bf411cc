//! AND and population count over words, in the widest instructions that the machine has.

#![expect(
    clippy::inline_always,
    reason = "only inlined code is compiled for the instructions chosen at run time"
)]

use crate::widest::{Work, widest};

/// Words that stay in the fastest cache while every mask meets every plane.
const BLOCK: usize = 512;

/// For every plane and mask the number of common ones: `counts[plane * masks + mask]`.
pub(crate) fn common_ones(planes: &[&[u64]], masks: &[Vec<u64>], counts: &mut [u32]) {
    widest(CommonOnes { planes, masks, counts });
}

/// The work of [`common_ones`].
struct CommonOnes<'a> {
    planes: &'a [&'a [u64]],
    masks: &'a [Vec<u64>],
    counts: &'a mut [u32],
}

impl Work for CommonOnes<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        blocks(self.planes, self.masks, self.counts);
    }
}

#[inline(always)]
fn blocks(planes: &[&[u64]], masks: &[Vec<u64>], counts: &mut [u32]) {
    let words = masks.first().map_or(0, Vec::len);
    let mut start = 0;
    while start < words {
        let end = words.min(start + BLOCK);
        for (plane, row) in planes.iter().zip(counts.chunks_exact_mut(masks.len())) {
            let plane = &plane[start..end];
            for (mask, count) in masks.iter().zip(row) {
                *count += and_count(plane, &mask[start..end]);
            }
        }
        start = end;
    }
}

/// The number of ones that two equally long rows of words have in common.
#[inline(always)]
fn and_count(one: &[u64], other: &[u64]) -> u32 {
    let ones: u64 = one.iter().zip(other).map(|(a, b)| u64::from((a & b).count_ones())).sum();
    ones as u32
}

/// The number of ones.
pub(crate) fn ones(words: &[u64]) -> u32 {
    widest(Ones { words })
}

/// The work of [`ones`].
struct Ones<'a> {
    words: &'a [u64],
}

impl Work for Ones<'_> {
    type Output = u32;

    #[inline(always)]
    fn call(self) -> u32 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_add_up_to_the_naive_count() {
        let row = |seed: u64| -> Vec<u64> {
            (0..1500u64)
                .map(|word| (word + seed).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(seed as u32))
                .collect()
        };
        let (planes, masks): (Vec<Vec<u64>>, Vec<Vec<u64>>) =
            ((0..5).map(row).collect(), (5..8).map(row).collect());
        let views: Vec<&[u64]> = planes.iter().map(Vec::as_slice).collect();
        let mut counts = vec![0; 15];
        common_ones(&views, &masks, &mut counts);
        for (p, plane) in planes.iter().enumerate() {
            for (m, mask) in masks.iter().enumerate() {
                let naive: u32 = plane.iter().zip(mask).map(|(a, b)| (a & b).count_ones()).sum();
                assert_eq!(counts[p * 3 + m], naive);
            }
        }
        assert_eq!(ones(&planes[0]), planes[0].iter().map(|word| word.count_ones()).sum::<u32>());
    }
}
