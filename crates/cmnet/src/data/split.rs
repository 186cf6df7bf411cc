//! Folds for cross-validation, drawn by a seed or named by a column (paper, section 4).

use super::dataset::Dataset;
use super::variable::Var;
use crate::error::{Error, Expected, OptionName, Result};
use rand::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// The most observations that are dealt out one by one.
const MOST_ROWS: u64 = 1 << 28;

/// Which observations are held out together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldPlan {
    /// Folds of nearly equal size, drawn by a seed.
    ///
    /// The draw depends on the observations and the seed alone, not on the order of lines: it
    /// shuffles the sorted observations by Fisher and Yates with the generator PCG-64 (MCG),
    /// and gives observation k of the shuffled order to fold k mod `folds`.
    Drawn {
        /// How many folds.
        folds: usize,
        /// The seed of the shuffle.
        seed: u64,
    },
    /// One fold for each value of this variable, which is no variable of the models.
    Column(Var),
}

impl FoldPlan {
    /// How many folds this makes of a table.
    pub fn count(self, data: &Dataset) -> usize {
        match self {
            Self::Drawn { folds, .. } => folds,
            Self::Column(by) => levels(data, by).len(),
        }
    }
}

/// The levels of a variable that occur.
fn levels(data: &Dataset, variable: Var) -> Vec<u32> {
    let counts = data.level_counts(variable);
    (0..counts.len() as u32).filter(|&level| counts[level as usize] > 0).collect()
}

/// One part of a table held out, the others together.
#[derive(Clone, Debug)]
pub struct Fold {
    /// What is learned from.
    pub training: Dataset,
    /// What was held out.
    pub heldout: Dataset,
}

/// A table dealt into folds, each made when it is asked for.
#[derive(Clone, Debug)]
pub struct Folds<'a> {
    data: &'a Dataset,
    parts: Parts,
}

#[derive(Clone, Debug)]
enum Parts {
    /// The distinct row of every observation in the order of the deal; the number of folds.
    Drawn(Vec<u32>, usize),
    /// The variable that names the fold, those that stay, and its levels that occur.
    Column { by: Var, others: Vec<Var>, levels: Vec<u32> },
}

impl<'a> Folds<'a> {
    /// Deals out a table.
    ///
    /// # Errors
    /// When there are fewer than two folds or fewer observations than folds, or when the column
    /// of folds is the only one.
    pub fn deal(data: &'a Dataset, plan: FoldPlan) -> Result<Self> {
        let parts = match plan {
            FoldPlan::Drawn { folds, seed } => drawn(data, folds, seed)?,
            FoldPlan::Column(by) => by_column(data, by)?,
        };
        Ok(Self { data, parts })
    }

    /// How many folds there are: two or more.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        match &self.parts {
            Parts::Drawn(_, folds) => *folds,
            Parts::Column { levels, .. } => levels.len(),
        }
    }

    /// The folds, one after the other.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Result<Fold>> + '_ {
        (0..self.len()).map(|place| self.fold(place))
    }

    /// The fold at a place.
    pub(crate) fn fold(&self, place: usize) -> Result<Fold> {
        let weights = self.data.weights();
        match &self.parts {
            Parts::Drawn(order, folds) => {
                let mut held = vec![0u32; weights.len()];
                for &row in order.iter().skip(place).step_by(*folds) {
                    held[row as usize] += 1;
                }
                self.parted(&held)
            }
            Parts::Column { by, others, levels } => {
                let column = self.data.column(*by);
                let within = |row: usize| column.get(row) == levels[place];
                let held: Vec<u32> =
                    (0..weights.len()).map(|row| if within(row) { weights[row] } else { 0 }).collect();
                let Fold { training, heldout } = self.parted(&held)?;
                Ok(Fold { training: training.select(others)?, heldout: heldout.select(others)? })
            }
        }
    }

    /// The fold that holds out this much of each distinct row.
    fn parted(&self, held: &[u32]) -> Result<Fold> {
        let kept: Vec<u32> = self.data.weights().iter().zip(held).map(|(all, held)| all - held).collect();
        Ok(Fold { training: self.data.with_weights(&kept)?, heldout: self.data.with_weights(held)? })
    }
}

fn drawn(data: &Dataset, folds: usize, seed: u64) -> Result<Parts> {
    if folds < 2 {
        return Err(Error::option(OptionName::Folds, folds.to_string(), Expected::AtLeast(2)));
    }
    if data.rows() < folds as u64 {
        let found = format!("{folds} folds of {} rows", data.rows());
        return Err(Error::option(OptionName::Folds, found, "no more folds than rows"));
    }
    if data.rows() > MOST_ROWS {
        let hint = "divide the weights, name the folds in a column, or learn and evaluate on two tables";
        return Err(Error::limit(format!("cross-validation of {} rows", data.rows()), MOST_ROWS, hint));
    }
    Ok(Parts::Drawn(shuffled_rows(data, seed), folds))
}

fn by_column(data: &Dataset, by: Var) -> Result<Parts> {
    let levels = levels(data, by);
    let others: Vec<Var> = (0..data.variables()).filter(|&variable| variable != by).collect();
    let refused = |expected| Error::option(OptionName::FoldColumn, data.schema().name(by), expected);
    if levels.len() < 2 {
        return Err(refused("a column with two values or more, one for each fold"));
    }
    if others.is_empty() {
        return Err(refused("a table that has other columns too"));
    }
    Ok(Parts::Column { by, others, levels })
}

/// The distinct row of every observation, shuffled.
fn shuffled_rows(data: &Dataset, seed: u64) -> Vec<u32> {
    let weights = data.weights().iter().enumerate();
    let mut rows: Vec<u32> =
        weights.flat_map(|(row, &weight)| std::iter::repeat_n(row as u32, weight as usize)).collect();
    shuffle(&mut rows, seed);
    rows
}

/// The numbers below a bound, shuffled.
pub(crate) fn shuffled(bound: usize, seed: u64) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..bound as u32).collect();
    shuffle(&mut numbers, seed);
    numbers
}

/// Shuffles by Fisher and Yates.
fn shuffle(rows: &mut [u32], seed: u64) {
    let mut generator = Pcg64Mcg::seed_from_u64(seed);
    for last in (1..rows.len()).rev() {
        rows.swap(last, below(&mut generator, last as u64 + 1) as usize);
    }
}

/// A uniform number below a bound, by rejection: the same on every platform and release.
pub(crate) fn below(generator: &mut Pcg64Mcg, bound: u64) -> u64 {
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

    fn drawn(data: &Dataset, folds: usize) -> Result<Folds<'_>> {
        Folds::deal(data, FoldPlan::Drawn { folds, seed: 1 })
    }

    /// Every observation is held out once, and learned from in all other folds.
    fn parts(folds: &Folds<'_>, whole: &Dataset) {
        let mut held = 0;
        for fold in folds.iter().map(Result::unwrap) {
            held += fold.heldout.rows();
            let counts = |data: &Dataset| data.level_counts(0);
            let sum: Vec<u64> = counts(&fold.training)
                .iter()
                .zip(counts(&fold.heldout))
                .map(|(one, other)| one + other)
                .collect();
            assert_eq!(sum, counts(whole));
        }
        assert_eq!(held, whole.rows());
    }

    #[test]
    fn folds_part_the_table() {
        let data = table();
        let folds = drawn(&data, 10).unwrap();
        assert_eq!(folds.len(), 10);
        parts(&folds, &data);
        assert!(folds.iter().all(|fold| (2..=3).contains(&fold.unwrap().heldout.rows())));
    }

    #[test]
    fn a_column_names_the_folds_and_is_left_out() {
        let rows = [["a", "1"], ["b", "1"], ["a", "2"], ["a", "3"], ["b", "3"], ["b", "3"]];
        let data = Dataset::from_labels(&["x", "part"], rows).unwrap();
        let folds = Folds::deal(&data, FoldPlan::Column(1)).unwrap();
        assert_eq!(folds.len(), 3);
        parts(&folds, &data.select(&[0]).unwrap());
        let held: Vec<Vec<u64>> = folds.iter().map(|fold| fold.unwrap().heldout.level_counts(0)).collect();
        assert_eq!(held, [[1, 1], [1, 0], [1, 2]]);
        let only = data.select(&[1]).unwrap();
        assert!(Folds::deal(&only, FoldPlan::Column(0)).is_err());
        let constant = Dataset::from_labels(&["x", "part"], [["a", "1"], ["b", "1"]]).unwrap();
        assert!(Folds::deal(&constant, FoldPlan::Column(1)).is_err());
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
        assert!(drawn(&table(), 1).is_err());
        assert!(drawn(&table(), 26).is_err());
    }
}
