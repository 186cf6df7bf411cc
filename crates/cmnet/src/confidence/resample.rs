//! Resamples of a table: rows drawn with replacement, as weights over its distinct rows.

use super::{BootstrapOptions, Resample};
use crate::data::{Dataset, below, mix_seed};
use crate::error::{Error, Result};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

/// The most observations that are drawn one by one.
const MOST_ROWS: u64 = 1 << 28;

/// Draws resamples; each is determined by the seed and its number alone.
pub(super) struct Resampler<'a> {
    data: &'a Dataset,
    /// Observations up to and with each distinct row.
    up_to: Vec<u64>,
    seed: u64,
    kind: Resample,
    /// Observations of a resample.
    drawn: u64,
}

impl<'a> Resampler<'a> {
    /// Refuses a table that cannot be resampled.
    pub(super) fn check(data: &Dataset) -> Result<()> {
        if data.rows() < 2 {
            return Err(Error::option("rows", "1 row", "at least two observations to draw from"));
        }
        if data.rows() > MOST_ROWS {
            let hint = "divide the weights, or learn from a part of the rows";
            return Err(Error::limit(format!("resamples of {} rows", data.rows()), MOST_ROWS, hint));
        }
        Ok(())
    }

    pub(super) fn new(data: &'a Dataset, options: &BootstrapOptions) -> Result<Self> {
        Self::check(data)?;
        let mut total = 0;
        let add = |&weight: &u32| {
            total += u64::from(weight);
            total
        };
        let up_to = data.weights().iter().map(add).collect();
        let drawn = ((options.share() * data.rows() as f64).round() as u64).clamp(1, data.rows());
        Ok(Self { data, up_to, seed: options.seed, kind: options.resample, drawn })
    }

    /// How often each distinct row is drawn in a resample.
    fn weights(&self, number: u64) -> Vec<u32> {
        let mut generator = Pcg64Mcg::seed_from_u64(mix_seed(self.seed ^ mix_seed(number)));
        match self.kind {
            Resample::Rows => self.with_replacement(&mut generator),
            Resample::Part => self.without_replacement(&mut generator),
        }
    }

    fn with_replacement(&self, generator: &mut Pcg64Mcg) -> Vec<u32> {
        let rows = self.data.rows();
        let mut drawn = vec![0u32; self.up_to.len()];
        for _ in 0..self.drawn {
            let one = below(generator, rows);
            // Where no two rows are equal, an observation is its own distinct row.
            let row = if rows as usize == drawn.len() {
                one as usize
            } else {
                self.up_to.partition_point(|&up_to| up_to <= one)
            };
            drawn[row] += 1;
        }
        drawn
    }

    /// Each observation is taken with probability "still wanted of still there": every set of as
    /// many observations is equally probable.
    fn without_replacement(&self, generator: &mut Pcg64Mcg) -> Vec<u32> {
        let (mut wanted, mut left) = (self.drawn, self.data.rows());
        let mut take = |&weight: &u32| {
            let mut taken = 0;
            for _ in 0..weight {
                if below(generator, left) < wanted {
                    taken += 1;
                    wanted -= 1;
                }
                left -= 1;
            }
            taken
        };
        self.data.weights().iter().map(&mut take).collect()
    }

    /// A resample. It has every level of the table, also those that were not drawn.
    pub(super) fn draw(&self, number: u64) -> Result<Dataset> {
        self.data.with_weights(&self.weights(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Dataset {
        let rows = [["x", "0"], ["y", "1"], ["x", "0"], ["z", "1"], ["x", "1"], ["x", "0"]];
        Dataset::from_labels(&["a", "b"], rows).unwrap()
    }

    fn of(data: &Dataset, resample: Resample, seed: u64) -> Resampler<'_> {
        let options = BootstrapOptions { seed, resample, ..BootstrapOptions::default() };
        Resampler::new(data, &options).unwrap()
    }

    /// The same draws, row by row from the whole table.
    fn by_rows(data: &Dataset, seed: u64, number: u64) -> Dataset {
        let weights = data.weights().iter().enumerate();
        let all: Vec<Vec<u32>> =
            weights.flat_map(|(row, &weight)| vec![data.row(row); weight as usize]).collect();
        let mut generator = Pcg64Mcg::seed_from_u64(mix_seed(seed ^ mix_seed(number)));
        let drawn: Vec<&Vec<u32>> =
            (0..all.len()).map(|_| &all[below(&mut generator, all.len() as u64) as usize]).collect();
        let column = |v: usize| drawn.iter().map(|row| row[v]).collect::<Vec<u32>>();
        let columns: Vec<Vec<u32>> = (0..data.variables()).map(column).collect();
        Dataset::from_columns(data.schema().clone(), &columns, None).unwrap()
    }

    #[test]
    fn weights_are_a_resample_of_rows() {
        let data = table();
        for seed in [1, 2] {
            let resampler = of(&data, Resample::Rows, seed);
            for number in 0..40 {
                let drawn = resampler.draw(number).unwrap();
                assert_eq!(drawn, by_rows(&data, seed, number));
                assert_eq!((drawn.rows(), drawn.schema()), (data.rows(), data.schema()));
            }
        }
    }

    #[test]
    fn every_observation_is_drawn_as_often_as_its_share_on_average() {
        let data = table();
        for resample in [Resample::Rows, Resample::Part] {
            let resampler = of(&data, resample, 7);
            let mut sums = vec![0u64; data.distinct_rows()];
            for number in 0..20_000 {
                for (sum, weight) in sums.iter_mut().zip(resampler.weights(number)) {
                    *sum += u64::from(weight);
                }
            }
            for (sum, &weight) in sums.iter().zip(data.weights()) {
                let expected = f64::from(weight) * resampler.drawn as f64 / 6.0;
                assert!((*sum as f64 / 20_000.0 - expected).abs() < 0.05, "{resample} {sum} {weight}");
            }
        }
    }

    #[test]
    fn a_part_has_no_row_more_often_than_the_table() {
        let data = table();
        let resampler = of(&data, Resample::Part, 3);
        let mut seen = std::collections::BTreeSet::new();
        for number in 0..400 {
            let weights = resampler.weights(number);
            assert_eq!(weights.iter().sum::<u32>(), 4);
            assert!(weights.iter().zip(data.weights()).all(|(drawn, all)| drawn <= all));
            seen.insert(weights);
        }
        // Four of x0 x0 x0 x1 y1 z1: 1 to 3 of the first, and all ways to fill up.
        assert_eq!(seen.len(), 7);
    }

    #[test]
    fn a_single_row_is_refused() {
        let data = Dataset::from_labels(&["a"], [["x"]]).unwrap();
        let refused = Resampler::new(&data, &BootstrapOptions::default()).err().unwrap().to_string();
        assert!(refused.contains("at least two observations"), "{refused}");
    }
}
