//! Where a mixture starts: classes in which the variables are independent (latent class analysis), by EM
//! from rows drawn at random.

use super::memberships::Memberships;
use crate::control::Control;
use crate::data::{Dataset, below};
use crate::inference::stream;
use rayon::prelude::*;

/// Steps from every start, and further ones from the best.
const FIRST_STEPS: usize = 15;
const MORE_STEPS: usize = 200;
/// A step that gains less than this per row is the last.
const LITTLE: f64 = 1e-5;
/// How much of a class at the start is the row that it starts from; the rest is the table.
const OWN: f64 = 0.5;

/// Which clustering.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clustering {
    pub(super) classes: usize,
    pub(super) seed: u64,
    pub(super) starts: u64,
}

/// Divides the rows of a table into classes. A stop ends it with what it has.
pub(super) fn cluster(data: &Dataset, how: Clustering, control: &dyn Control) -> Memberships {
    let begin = |start: u64| {
        let profile = Profile::drawn(data, how.classes, &mut stream(how.seed, start));
        climb(data, &profile, FIRST_STEPS, control)
    };
    let found: Vec<(Memberships, f64)> = (0..how.starts).into_par_iter().map(begin).collect();
    let better =
        |best: (Memberships, f64), next: (Memberships, f64)| if next.1 > best.1 { next } else { best };
    let Some((best, _)) = found.into_iter().reduce(better) else {
        return Memberships { chances: vec![vec![1.0; data.distinct_rows()]], shares: vec![1.0] };
    };
    let profile = Profile::of(data, &best);
    climb(data, &profile, MORE_STEPS, control).0
}

/// EM from a profile.
fn climb(data: &Dataset, start: &Profile, steps: usize, control: &dyn Control) -> (Memberships, f64) {
    let mut found = Memberships::of(start.logs(data), data);
    for _ in 0..steps {
        if control.stop().is_some() {
            break;
        }
        let next = Memberships::of(Profile::of(data, &found.0).logs(data), data);
        let gain = next.1 - found.1;
        found = next;
        if gain < LITTLE * data.rows() as f64 {
            break;
        }
    }
    found
}

/// The share of each class, and of the levels of each variable in it, as logarithms.
struct Profile {
    shares: Vec<f64>,
    /// By class, variable and level.
    levels: Vec<Vec<Vec<f64>>>,
}

impl Profile {
    /// A profile near to rows drawn at random, one for each class.
    fn drawn(data: &Dataset, classes: usize, random: &mut rand_pcg::Pcg64Mcg) -> Self {
        let table = of_table(data);
        let near = |row: usize| -> Vec<Vec<f64>> {
            let mixed = |(shares, code): (&Vec<f64>, u32)| {
                let own = |level: usize| if level == code as usize { OWN } else { 0.0 };
                let share = |(level, share): (usize, &f64)| libm::log(own(level) + (1.0 - OWN) * share);
                shares.iter().enumerate().map(share).collect()
            };
            table.iter().zip(data.row(row)).map(mixed).collect()
        };
        let levels = rows_at_random(data, classes, random).into_iter().map(near).collect();
        Self { shares: vec![-libm::log(classes as f64); classes], levels }
    }

    /// The M-step. One pseudo-count per variable, spread as the table is, keeps every share positive.
    fn of(data: &Dataset, members: &Memberships) -> Self {
        let table = of_table(data);
        let class = |class: usize| -> Vec<Vec<f64>> {
            let weights = members.weights(class, data);
            let total: f64 = weights.iter().sum::<f64>() + 1.0;
            let variable = |(variable, shares): (usize, &Vec<f64>)| {
                let mut counts = shares.clone();
                data.column(variable).zip(&weights, |weight, code| counts[code as usize] += weight);
                counts.iter().map(|count| libm::log(count / total)).collect()
            };
            table.iter().enumerate().map(variable).collect()
        };
        let levels = (0..members.chances.len()).into_par_iter().map(class).collect();
        Self { shares: members.shares.iter().map(|&share| libm::log(share)).collect(), levels }
    }

    /// log of share times probability, by class and distinct row.
    fn logs(&self, data: &Dataset) -> Vec<Vec<f64>> {
        let class = |(share, levels): (&f64, &Vec<Vec<f64>>)| {
            let mut sums = vec![*share; data.distinct_rows()];
            for (variable, logs) in levels.iter().enumerate() {
                data.column(variable).zip_mut(&mut sums, |sum, code| *sum += logs[code as usize]);
            }
            sums
        };
        self.shares.par_iter().zip(&self.levels).map(class).collect()
    }
}

/// The shares of the levels of each variable; a level that was never observed has a little.
fn of_table(data: &Dataset) -> Vec<Vec<f64>> {
    let variable = |variable: usize| {
        let counts = data.level_counts(variable);
        let (each, total) = (1.0 / counts.len() as f64, data.rows() as f64 + 1.0);
        counts.iter().map(|&count| (count as f64 + each) / total).collect()
    };
    (0..data.variables()).map(variable).collect()
}

/// Distinct rows drawn by their weights: different ones while there are enough.
fn rows_at_random(data: &Dataset, count: usize, random: &mut rand_pcg::Pcg64Mcg) -> Vec<usize> {
    let ends: Vec<u64> = data
        .weights()
        .iter()
        .scan(0, |sum, &weight| {
            *sum += u64::from(weight);
            Some(*sum)
        })
        .collect();
    let mut drawn: Vec<usize> = Vec::new();
    while drawn.len() < count {
        let observation = below(random, data.rows());
        let row = ends.partition_point(|&end| end <= observation);
        if !drawn.contains(&row) || drawn.len() >= data.distinct_rows() {
            drawn.push(row);
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two kinds of rows that share no level are two classes, and nothing is left between them.
    #[test]
    fn two_kinds_of_rows_are_told_apart() {
        let kinds = [["a", "a", "a", "a", "a"], ["b", "b", "b", "b", "b"]];
        let rows = [vec![kinds[0]; 30], vec![kinds[1]; 10]].concat();
        let data = Dataset::from_labels(&["1", "2", "3", "4", "5"], rows).unwrap();
        let how = Clustering { classes: 2, seed: 3, starts: 4 };
        let found = cluster(&data, how, &());
        let mut shares = found.shares.clone();
        shares.sort_by(f64::total_cmp);
        assert!((shares[0] - 0.25).abs() < 1e-3, "{shares:?}");
        assert_eq!(found, cluster(&data, how, &()));
    }

    #[test]
    fn more_classes_than_distinct_rows_are_no_trouble() {
        let data = Dataset::from_labels(&["a"], [["x"], ["y"], ["y"]]).unwrap();
        let found = cluster(&data, Clustering { classes: 5, seed: 1, starts: 2 }, &());
        assert_eq!(found.chances.len(), 5);
        assert!((found.shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}
