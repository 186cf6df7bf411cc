//! Folds for cross-validation, drawn by a seed (paper, section 4).

use super::dataset::Dataset;
use crate::error::{Error, Result};
use rand::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// The most observations that are dealt out one by one.
const MOST_ROWS: u64 = 1 << 28;

/// One part of a table held out, the others together.
#[derive(Clone, Debug)]
pub struct Fold {
    /// What is learned from.
    pub training: Dataset,
    /// What was held out.
    pub heldout: Dataset,
}

/// Deals a table's observations into folds of nearly equal size.
///
/// The deal depends on the observations and the seed alone, not on the order of lines: it
/// shuffles the sorted observations by Fisher and Yates with the generator PCG-64 (MCG), and
/// gives observation k of the shuffled order to fold k mod `folds`.
///
/// # Errors
/// When there are fewer than two folds or fewer observations than folds.
pub fn folds(data: &Dataset, folds: usize, seed: u64) -> Result<Vec<Fold>> {
    if folds < 2 {
        return Err(Error::option("--folds", folds.to_string(), "a whole number, 2 or more"));
    }
    if data.rows() < folds as u64 {
        let found = format!("{folds} folds of {} rows", data.rows());
        return Err(Error::option("--folds", found, "no more folds than rows"));
    }
    if data.rows() > MOST_ROWS {
        let hint = "divide the weights, or learn and evaluate on two tables";
        return Err(Error::limit(format!("cross-validation of {} rows", data.rows()), MOST_ROWS, hint));
    }
    let owners = shuffled_rows(data, seed);
    let deal = |fold: usize| {
        let mut held = vec![0u32; data.distinct_rows()];
        for &row in owners.iter().skip(fold).step_by(folds) {
            held[row as usize] += 1;
        }
        let kept: Vec<u32> = data.weights().iter().zip(&held).map(|(all, held)| all - held).collect();
        Ok(Fold { training: data.with_weights(&kept)?, heldout: data.with_weights(&held)? })
    };
    (0..folds).map(deal).collect()
}

/// The distinct row of every observation, shuffled.
fn shuffled_rows(data: &Dataset, seed: u64) -> Vec<u32> {
    let weights = data.weights().iter().enumerate();
    let mut rows: Vec<u32> =
        weights.flat_map(|(row, &weight)| std::iter::repeat_n(row as u32, weight as usize)).collect();
    let mut generator = Pcg64Mcg::seed_from_u64(seed);
    for last in (1..rows.len()).rev() {
        rows.swap(last, below(&mut generator, last as u64 + 1) as usize);
    }
    rows
}

/// A uniform number below a bound, by rejection: the same on every platform and release.
fn below(generator: &mut Pcg64Mcg, bound: u64) -> u64 {
    let zone = u64::MAX - u64::MAX % bound;
    loop {
        let draw = generator.next_u64();
        if draw < zone {
            return draw % bound;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Dataset {
        let rows: Vec<[&str; 1]> = (0..25).map(|row| [["a", "b", "c"][row % 3]]).collect();
        Dataset::from_labels(&["x"], rows).unwrap()
    }

    #[test]
    fn folds_part_the_table() {
        let data = table();
        let parts = folds(&data, 10, 1).unwrap();
        assert_eq!(parts.len(), 10);
        assert_eq!(parts.iter().map(|fold| fold.heldout.rows()).sum::<u64>(), 25);
        for fold in &parts {
            assert!((2..=3).contains(&fold.heldout.rows()));
            let counts = |data: &Dataset| data.level_counts(0);
            let sum: Vec<u64> = counts(&fold.training)
                .iter()
                .zip(counts(&fold.heldout))
                .map(|(one, other)| one + other)
                .collect();
            assert_eq!(sum, counts(&data));
        }
    }

    #[test]
    fn the_deal_is_a_promise() {
        let data = table();
        assert_eq!(shuffled_rows(&data, 1), shuffled_rows(&data, 1));
        assert_ne!(shuffled_rows(&data, 1), shuffled_rows(&data, 2));
        assert_eq!(shuffled_rows(&data, 1)[..10], GOLDEN);
    }

    /// Must not change between releases: published cross-validations depend on it.
    const GOLDEN: [u32; 10] = [2, 0, 2, 0, 0, 2, 1, 2, 2, 2];

    #[test]
    fn too_few_rows_or_folds_are_refused() {
        assert!(folds(&table(), 1, 1).is_err());
        assert!(folds(&table(), 26, 1).is_err());
    }
}
