//! One pair of variables in every group: its counts, its strengths, and how much they differ.
//!
//! Given a stratum, a configuration of what the pair is compared under, the pair has a two-way table
//! in each group. Its association in a group is the odds ratio of Mantel and Haenszel over the
//! strata, with the variance of Robins, Breslow and Greenland: both stay good where strata have few
//! rows. Variables of more levels are compared by each of their levels against the rest.

use crate::data::{Var, numbered_configurations};

/// Two variables and the rows of their table.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) ends: (Var, Var),
    /// What it is compared given.
    pub(super) given: Vec<Var>,
    levels: [usize; 2],
    strata: usize,
    /// For each observation: stratum, level of the one and level of the other, as one number.
    cells: Vec<u32>,
}

/// The four cells of a table, weighted.
type Fourfold = [f64; 4];

/// A log odds ratio and its variance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LogOdds {
    pub(super) value: f64,
    pub(super) variance: f64,
}

impl Pair {
    /// The pair of two columns, compared within the strata of others.
    pub(super) fn new(ends: (Var, Var), columns: &[Vec<u32>], levels: [u32; 2], given: Vec<Var>) -> Self {
        let (strata, count) = numbered_configurations(columns, given.iter().copied());
        let [one, other] = [&columns[ends.0], &columns[ends.1]];
        let cell = |row: usize| (strata[row] * levels[0] + one[row]) * levels[1] + other[row];
        Self {
            ends,
            given,
            levels: levels.map(|levels| levels as usize),
            strata: count,
            cells: (0..one.len()).map(cell).collect(),
        }
    }

    /// How often each cell occurs in each group.
    fn counts(&self, groups: &[u16], count: usize) -> Vec<Vec<u32>> {
        let size = self.strata * self.levels[0] * self.levels[1];
        let mut counts = vec![vec![0; size]; count];
        for (&cell, &group) in self.cells.iter().zip(groups) {
            counts[usize::from(group)][cell as usize] += 1;
        }
        counts
    }

    /// How much the association differs between groups: the sum of squared distances of the groups' log
    /// odds ratios from their mean, each in units of its standard error.
    pub(super) fn difference(&self, groups: &[u16], count: usize) -> f64 {
        let counts = self.counts(groups, count);
        self.contrasts()
            .map(|(one, other)| heterogeneity(counts.iter().map(|own| self.log_odds(own, one, other))))
            .sum()
    }

    /// The levels that are compared with the rest; of two levels, one says all.
    fn contrasts(&self) -> impl Iterator<Item = (usize, usize)> {
        let [one, other] = self.levels.map(|levels| if levels == 2 { 1 } else { levels });
        (0..one).flat_map(move |a| (0..other).map(move |b| (a, b)))
    }

    /// The log odds ratio of two levels against the rest.
    fn log_odds(&self, counts: &[u32], one: usize, other: usize) -> LogOdds {
        let [rows, columns] = self.levels;
        let fourfold = |stratum: &[u32]| -> Fourfold {
            let mut cells = [0.0; 4];
            for a in 0..rows {
                for b in 0..columns {
                    let place = 2 * usize::from(a != one) + usize::from(b != other);
                    cells[place] += f64::from(stratum[a * columns + b]);
                }
            }
            cells
        };
        mantel_haenszel(counts.chunks_exact(rows * columns).map(fourfold))
    }

    /// The conditional mutual information of the pair in each group, in nats, and its log odds ratio where
    /// both have two levels.
    pub(super) fn strengths(&self, groups: &[u16], count: usize) -> Vec<(f64, Option<LogOdds>)> {
        let binary = self.levels == [2, 2];
        let of_group =
            |counts: &Vec<u32>| (self.information(counts), binary.then(|| self.log_odds(counts, 0, 0)));
        self.counts(groups, count).iter().map(of_group).collect()
    }

    fn information(&self, counts: &[u32]) -> f64 {
        let [rows, columns] = self.levels;
        let (mut total, mut sum) = (0.0, 0.0);
        for stratum in counts.chunks_exact(rows * columns) {
            let n: f64 = stratum.iter().copied().map(f64::from).sum();
            let row = |a: usize| -> f64 { (0..columns).map(|b| f64::from(stratum[a * columns + b])).sum() };
            let column = |b: usize| -> f64 { (0..rows).map(|a| f64::from(stratum[a * columns + b])).sum() };
            total += n;
            for a in 0..rows {
                for b in 0..columns {
                    let own = f64::from(stratum[a * columns + b]);
                    if own > 0.0 {
                        sum += own * libm::log(own * n / (row(a) * column(b)));
                    }
                }
            }
        }
        if total > 0.0 { sum / total } else { 0.0 }
    }
}

/// The common odds ratio of fourfold tables. Half a row in each cell, shared out over the tables by their rows,
/// keeps it finite: of one table this is Haldane's correction.
fn mantel_haenszel(tables: impl Iterator<Item = Fourfold> + Clone) -> LogOdds {
    let rows = |cells: &Fourfold| cells.iter().sum::<f64>();
    let total: f64 = tables.clone().map(|cells| rows(&cells)).sum();
    let shared = tables.map(|cells| {
        let share = 0.5 * rows(&cells) / total;
        cells.map(|cell| cell + share)
    });
    // Without any row nothing is known.
    let none = (total == 0.0).then_some([0.5; 4]);
    let (mut r, mut s) = (0.0, 0.0);
    let (mut pr, mut mixed, mut qs) = (0.0, 0.0, 0.0);
    for [a, b, c, d] in shared.chain(none) {
        let n = a + b + c + d;
        if n > 0.0 {
            let (own_r, own_s) = (a * d / n, b * c / n);
            let (p, q) = ((a + d) / n, (b + c) / n);
            r += own_r;
            s += own_s;
            pr += p * own_r;
            mixed += p * own_s + q * own_r;
            qs += q * own_s;
        }
    }
    let variance = pr / (2.0 * r * r) + mixed / (2.0 * r * s) + qs / (2.0 * s * s);
    LogOdds { value: libm::log(r / s), variance }
}

/// The squared distances of estimates from their weighted mean, in units of their variances.
fn heterogeneity(estimates: impl Iterator<Item = LogOdds> + Clone) -> f64 {
    let (mut weights, mut sum) = (0.0, 0.0);
    for estimate in estimates.clone() {
        weights += 1.0 / estimate.variance;
        sum += estimate.value / estimate.variance;
    }
    let mean = sum / weights;
    estimates.map(|estimate| (estimate.value - mean) * (estimate.value - mean) / estimate.variance).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_odds_ratio_of_a_published_example() {
        // Two strata with odds ratios 4 and 4: the common one is 4 but for the half rows.
        let tables = [[400.0, 100.0, 100.0, 100.0], [100.0, 100.0, 100.0, 400.0]];
        let odds = mantel_haenszel(tables.into_iter());
        assert!((odds.value - libm::log(4.0)).abs() < 0.01, "{odds:?}");
        // One stratum: Woolf's variance, 1/a + 1/b + 1/c + 1/d.
        let one = mantel_haenszel([[40.0, 20.0, 10.0, 30.0]].into_iter());
        let woolf: f64 = [40.0, 20.0, 10.0, 30.0].iter().map(|n| 1.0 / n).sum();
        assert!((one.variance - woolf).abs() < 0.05 * woolf, "{} {woolf}", one.variance);
        assert!(mantel_haenszel([[5.0, 0.0, 0.0, 0.0]].into_iter()).value.is_finite());
    }

    #[test]
    fn equal_groups_do_not_differ_and_others_do() {
        let columns: Vec<Vec<u32>> = vec![
            (0..80).map(|row| u32::from(row % 4 >= 2)).collect(),
            (0..80)
                .map(|row| if row < 40 { u32::from(row % 4 >= 2) } else { u32::from(row % 4 < 2) })
                .collect(),
        ];
        let pair = Pair::new((0, 1), &columns, [2, 2], Vec::new());
        let opposite: Vec<u16> = (0..80).map(|row| u16::from(row >= 40)).collect();
        let alike: Vec<u16> = (0..80).map(|row| (row % 2) as u16).collect();
        assert!(pair.difference(&opposite, 2) > 5.0, "{}", pair.difference(&opposite, 2));
        assert!(pair.difference(&alike, 2) < 0.1);
        let strengths = pair.strengths(&opposite, 2);
        assert!((strengths[0].0 - libm::log(2.0)).abs() < 1e-9);
        assert!(strengths[0].1.unwrap().value > 3.0 && strengths[1].1.unwrap().value < -3.0);
    }
}
