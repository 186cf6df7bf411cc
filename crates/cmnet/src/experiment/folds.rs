//! Ten parts of a table, shuffled with a fixed seed (paper, section 4).

use crate::data::Dataset;
use crate::data::collapse::collapse;
use crate::error::Result;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// The parts of the paper's protocol.
pub(super) const FOLDS: usize = 10;

/// Training and held-out rows of each part. Parts differ in size by at most one row; the
/// order of the file's lines does not matter.
pub(super) fn folds(data: &Dataset, seed: u64) -> Result<Vec<(Dataset, Dataset)>> {
    let weights = data.weights();
    let mut rows: Vec<u32> =
        (0..).zip(weights).flat_map(|(row, &weight)| (0..weight).map(move |_| row)).collect();
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    for place in (1..rows.len()).rev() {
        rows.swap(place, rng.random_range(0..=place as u32) as usize);
    }
    let columns: Vec<_> = (0..data.variables()).map(|variable| data.column(variable).clone()).collect();
    let part = |fold: usize| {
        let mut held_out = vec![0u32; weights.len()];
        for &row in rows.iter().skip(fold).step_by(FOLDS) {
            held_out[row as usize] += 1;
        }
        let train: Vec<u32> = weights.iter().zip(&held_out).map(|(all, held)| all - held).collect();
        let table = |weights: &[u32]| collapse(data.schema().clone(), &columns, weights);
        Ok((table(&train)?, table(&held_out)?))
    };
    (0..FOLDS.min(rows.len())).map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_the_table_once() {
        let labels: Vec<[String; 1]> = (0..105).map(|row| [(row % 7).to_string()]).collect();
        let data = Dataset::from_labels(&["a"], &labels).unwrap();
        let parts = folds(&data, 3).unwrap();
        assert_eq!(parts.len(), 10);
        let mut held_out = 0;
        for (train, test) in &parts {
            assert_eq!(train.rows() + test.rows(), 105);
            assert!((10..=11).contains(&test.rows()));
            held_out += test.rows();
        }
        assert_eq!(held_out, 105);
        assert_eq!(folds(&data, 3).unwrap(), parts);
        assert_ne!(folds(&data, 4).unwrap(), parts);
    }
}
