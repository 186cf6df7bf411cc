//! Scalar products of many rows with a few: what a factorisation spends its time with.
//!
//! The sums are those of [`dot`](super::objective::dot), bit for bit. Rows are taken two by four, and a piece of
//! them at a time, so that the sums stay in registers and the few rows in the cache.

#![expect(
    clippy::inline_always,
    reason = "only inlined code is compiled for the instructions chosen at run time"
)]

use super::objective::Sums;
use crate::widest::{Work, widest};
use rayon::prelude::*;

/// Rows of a panel: a multiple of the number of running sums.
pub(super) const PANEL: usize = 32;
/// Entries of a row that are taken at a time.
const PIECE: usize = 1024;
/// Products of entries that are not worth sharing among threads.
const MOST_ALONE: usize = 1 << 20;

/// For each row and each row of the panel, which are the first ones: the running sums of the scalar product of
/// their first entries.
pub(super) fn sums_before(rows: &[Vec<f64>], entries: usize) -> Vec<Sums> {
    let width = PANEL.min(rows.len());
    let mut sums = vec![[0.0; 4]; rows.len() * width];
    if entries == 0 {
        return sums;
    }
    let panel = &rows[..width];
    let share = MOST_ALONE / (width * entries) + 1;
    let shares = rows.par_chunks(share).zip(sums.par_chunks_mut(share * width));
    shares.for_each(|(rows, sums)| widest(SumsBefore { rows, panel, entries, sums }));
    sums
}

/// The work of [`sums_before`], for some rows.
struct SumsBefore<'a> {
    rows: &'a [Vec<f64>],
    panel: &'a [Vec<f64>],
    entries: usize,
    sums: &'a mut [Sums],
}

impl Work for SumsBefore<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let width = self.panel.len();
        for start in (0..self.entries).step_by(PIECE) {
            let piece = start..self.entries.min(start + PIECE);
            let pairs = self.rows.chunks(2).zip(self.sums.chunks_mut(2 * width));
            for (pair, sums) in pairs {
                for column in (0..width).step_by(4) {
                    let others = &self.panel[column..width.min(column + 4)];
                    match (pair, others) {
                        ([one, two], [a, b, c, d]) => {
                            let rows = [one, two].map(|row| &row[piece.clone()]);
                            let others = [a, b, c, d].map(|row| &row[piece.clone()]);
                            add(rows, others, &mut sums[column..], width);
                        }
                        _ => {
                            for (row, sums) in pair.iter().zip(sums.chunks_mut(width)) {
                                for (other, sums) in others.iter().zip(&mut sums[column..]) {
                                    let (row, other) = (&row[piece.clone()], &other[piece.clone()]);
                                    add([row], [other], std::slice::from_mut(sums), 1);
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Adds the products of rows with others to their sums, which stand in rows of so many.
#[inline(always)]
fn add<const ROWS: usize, const OTHERS: usize>(
    rows: [&[f64]; ROWS],
    others: [&[f64]; OTHERS],
    sums: &mut [Sums],
    width: usize,
) {
    let mut own = [[[0.0; 4]; OTHERS]; ROWS];
    for (row, own) in own.iter_mut().enumerate() {
        own.copy_from_slice(&sums[row * width..][..OTHERS]);
    }
    let rows = rows.map(|row| row.as_chunks::<4>().0);
    let others = others.map(|row| row.as_chunks::<4>().0);
    let count = rows.iter().chain(&others).map(|row| row.len()).min().unwrap_or(0);
    let (rows, others) = (rows.map(|row| &row[..count]), others.map(|row| &row[..count]));
    for at in 0..count {
        for (row, own) in rows.iter().zip(&mut own) {
            for (other, own) in others.iter().zip(own) {
                for k in 0..4 {
                    own[k] += row[at][k] * other[at][k];
                }
            }
        }
    }
    for (row, own) in own.iter().enumerate() {
        sums[row * width..][..OTHERS].copy_from_slice(own);
    }
}
