//! Resamples of a table: rows drawn with replacement, or a part of them.

use super::{BootstrapOptions, Resample};
use crate::data::{Dataset, RealRows, WeightKind, WeightedTable, below, mix_seed};
use crate::error::{Error, OptionName, Result};
use crate::learn::{Begin, LearnObserver, LearnOptions, Learned, learn_rows, learn_weighted_here};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use std::borrow::Cow;

/// The most observations that are drawn one by one.
const MOST_ROWS: u64 = 1 << 28;

/// Rows that structures are learned from, all of them and resamples.
pub(super) trait Resampled: Sync {
    /// All rows, or the resample of a number.
    fn rows(&self, number: Option<u64>) -> Result<Rows<'_>>;
}

/// A table with whole weights, or one with real weights.
pub(super) enum Rows<'a> {
    Whole(Cow<'a, Dataset>),
    Real(Cow<'a, WeightedTable>),
}

impl Rows<'_> {
    /// The levels of each variable.
    pub(super) fn cardinalities(&self) -> Vec<u32> {
        match self {
            Self::Whole(data) => data.schema().cardinalities(),
            Self::Real(table) => table.schema().cardinalities(),
        }
    }

    /// What they give, and the number of observations n behind it.
    pub(super) fn learn(
        &self,
        begin: Begin<'_>,
        options: &LearnOptions,
        observer: &dyn LearnObserver,
    ) -> Result<(Learned, u64)> {
        Ok(match self {
            Self::Whole(data) => (learn_rows(begin, data, options, observer)?, data.rows()),
            Self::Real(table) => (learn_weighted_here(begin, table, options, observer)?, table.rows()),
        })
    }
}

/// A resample that is drawn, or the table itself.
fn drawn<T: Clone>(table: &T, resample: Option<Result<T>>) -> Result<Cow<'_, T>> {
    Ok(resample.transpose()?.map_or(Cow::Borrowed(table), Cow::Owned))
}

/// Which observations are drawn: determined by the seed and the number of the resample alone.
struct Draws {
    /// Observations up to and with each distinct row.
    up_to: Vec<u64>,
    rows: u64,
    seed: u64,
    kind: Resample,
    /// Observations of a resample.
    drawn: u64,
}

impl Draws {
    /// Draws among distinct rows, each observed so often; refuses a table that cannot be resampled.
    fn new(observed: impl Iterator<Item = u32>, options: &BootstrapOptions) -> Result<Self> {
        let mut rows = 0;
        let add = |often: u32| {
            rows += u64::from(often);
            rows
        };
        let up_to = observed.map(add).collect();
        if rows < 2 {
            return Err(Error::option("rows", "1 row", "at least two observations to draw from"));
        }
        if rows > MOST_ROWS {
            let hint = "divide the weights, or learn from a part of the rows";
            return Err(Error::limit(format!("resamples of {rows} rows"), MOST_ROWS, hint));
        }
        let drawn = ((options.share() * rows as f64).round() as u64).clamp(1, rows);
        Ok(Self { up_to, rows, seed: options.seed, kind: options.resample, drawn })
    }

    /// How often each distinct row is drawn in a resample.
    fn often(&self, number: u64) -> Vec<u32> {
        let mut generator = Pcg64Mcg::seed_from_u64(mix_seed(self.seed ^ mix_seed(number)));
        match self.kind {
            Resample::Rows => self.with_replacement(&mut generator),
            Resample::Part => self.without_replacement(&mut generator),
        }
    }

    fn with_replacement(&self, generator: &mut Pcg64Mcg) -> Vec<u32> {
        let mut drawn = vec![0u32; self.up_to.len()];
        for _ in 0..self.drawn {
            let one = below(generator, self.rows);
            // Where no two rows are equal, an observation is its own distinct row.
            let row = if self.rows as usize == drawn.len() {
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
        let (mut wanted, mut left, mut before) = (self.drawn, self.rows, 0);
        let mut take = |&up_to: &u64| {
            let mut taken = 0;
            for _ in before..up_to {
                if below(generator, left) < wanted {
                    taken += 1;
                    wanted -= 1;
                }
                left -= 1;
            }
            before = up_to;
            taken
        };
        self.up_to.iter().map(&mut take).collect()
    }
}

/// Resamples of a table.
pub(super) struct Resampler<'a> {
    data: &'a Dataset,
    draws: Draws,
}

impl<'a> Resampler<'a> {
    pub(super) fn new(data: &'a Dataset, options: &BootstrapOptions) -> Result<Self> {
        Ok(Self { data, draws: Draws::new(data.weights().iter().copied(), options)? })
    }

    /// A resample. It has every level of the table, also those that were not drawn.
    pub(super) fn draw(&self, number: u64) -> Result<Dataset> {
        self.data.with_weights(&self.draws.often(number))
    }
}

impl Resampled for Resampler<'_> {
    fn rows(&self, number: Option<u64>) -> Result<Rows<'_>> {
        drawn(self.data, number.map(|number| self.draw(number))).map(Rows::Whole)
    }
}

/// Resamples of a table with real weights: observations are drawn, and each takes its weight along.
pub(super) struct WeightedResampler<'a> {
    table: &'a WeightedTable,
    observations: Vec<(&'a [u32], f64)>,
    draws: Draws,
}

impl<'a> WeightedResampler<'a> {
    pub(super) fn new(table: &'a WeightedTable, options: &BootstrapOptions) -> Result<Self> {
        if table.kind() == WeightKind::Counts {
            let expected =
                "weights of a design, or counts that are whole numbers: resamples draw observations";
            return Err(Error::option(OptionName::WeightsAs, table.kind().to_string(), expected));
        }
        let observations = table.in_order();
        let draws = Draws::new(observations.iter().map(|_| 1), options)?;
        Ok(Self { table, observations, draws })
    }

    /// A resample, whose effective size is that of its own weights.
    fn draw(&self, number: u64) -> Result<WeightedTable> {
        let mut rows = RealRows::new();
        for (&(row, weight), often) in self.observations.iter().zip(self.draws.often(number)) {
            if often > 0 {
                rows.entry(row.to_vec()).or_default().extend((0..often).map(|_| weight));
            }
        }
        WeightedTable::of_rows(self.table.schema().clone(), rows, self.table.kind())
    }
}

impl Resampled for WeightedResampler<'_> {
    fn rows(&self, number: Option<u64>) -> Result<Rows<'_>> {
        drawn(self.table, number.map(|number| self.draw(number))).map(Rows::Real)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Schema, Variable};

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
                for (sum, weight) in sums.iter_mut().zip(resampler.draws.often(number)) {
                    *sum += u64::from(weight);
                }
            }
            for (sum, &weight) in sums.iter().zip(data.weights()) {
                let expected = f64::from(weight) * resampler.draws.drawn as f64 / 6.0;
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
            let weights = resampler.draws.often(number);
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

    #[test]
    fn equal_weights_are_drawn_as_rows_are() {
        let data = table();
        let rows = data.weights().iter().enumerate();
        let rows: Vec<(Vec<u32>, f64)> =
            rows.flat_map(|(row, &often)| vec![(data.row(row), 2.5); often as usize]).collect();
        let weighted = WeightedTable::new(data.schema().clone(), rows, WeightKind::Design).unwrap();
        for resample in [Resample::Rows, Resample::Part] {
            let options = BootstrapOptions { seed: 3, resample, ..BootstrapOptions::default() };
            let resampler = WeightedResampler::new(&weighted, &options).unwrap();
            for number in 0..40 {
                let (drawn, plain) =
                    (resampler.draw(number).unwrap(), of(&data, resample, 3).draw(number).unwrap());
                assert_eq!((drawn.rows(), drawn.schema()), (plain.rows(), plain.schema()));
                let shares = |data: &Dataset| -> Vec<(Vec<u32>, f64)> {
                    let row = |(row, &weight): (usize, &u32)| {
                        (data.row(row), f64::from(weight) / data.rows() as f64)
                    };
                    data.weights().iter().enumerate().map(row).collect()
                };
                assert_eq!(shares(drawn.units()), shares(&plain), "{resample} {number}");
            }
        }
    }

    /// A weight of 1,000 among weights of 1 comes and goes as a whole.
    #[test]
    fn weights_go_along_with_their_rows() {
        let rows = (0..20).map(|row| (vec![row % 2, row / 10], if row == 7 { 1000.0 } else { 1.0 }));
        let variable = |name: &str| Variable { name: name.into(), levels: vec!["0".into(), "1".into()] };
        let schema = Schema::new(vec![variable("a"), variable("b")]).unwrap();
        let table = |kind| WeightedTable::new(schema.clone(), rows.clone(), kind).unwrap();
        let weighted = table(WeightKind::Design);
        let options = BootstrapOptions { resample: Resample::Part, ..BootstrapOptions::default() };
        let resampler = WeightedResampler::new(&weighted, &options).unwrap();
        let sums: Vec<u64> =
            (0..50).map(|number| resampler.draw(number).unwrap().sum().round() as u64).collect();
        assert!(sums.iter().all(|&sum| sum == 13 || sum == 1012), "{sums:?}");
        assert!(sums.contains(&13) && sums.contains(&1012));
        let refused = WeightedResampler::new(&table(WeightKind::Counts), &options).err().unwrap().to_string();
        assert!(refused.contains("weights of a design, or counts that are whole numbers"), "{refused}");
    }
}
