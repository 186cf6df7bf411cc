//! A pair of variables in groups of rows: strengths, how much they differ, and every order of the labels.
//!
//! The association of a pair in a group is the odds ratio of Mantel and Haenszel (1959) over the
//! configurations of what is given, with the variance of Robins, Breslow and Greenland (1986). Half a row in each
//! cell, shared out over the configurations by their rows, keeps it finite. Levels beyond two are compared one
//! by one against the rest.

use crate::error::CheckError;
use crate::space::{LARGEST_SPACE, configurations, pick};
use crate::table::Table;

/// What is compared: two variables, given others, between the levels of a further one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupPair {
    /// The variable whose levels are the groups.
    pub group: usize,
    /// The pair.
    pub pair: (usize, usize),
    /// The variables that are given.
    pub given: Vec<usize>,
}

/// A pair in one group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InGroup {
    /// The mutual information of the pair given the others, in nats.
    pub information: f64,
    /// The log odds ratio of the first levels against the rest.
    pub log_odds_ratio: f64,
    /// Its variance.
    pub variance: f64,
}

/// A pair in all groups.
#[derive(Debug, Clone, PartialEq)]
pub struct OfGroups {
    /// The pair in each group.
    pub groups: Vec<InGroup>,
    /// Squared distances of the groups' log odds ratios from their weighted mean, in units of their
    /// variances, summed over the levels that are compared.
    pub difference: f64,
    /// The share of all orders of the labels in which they differ as much.
    pub p_value: f64,
}

/// One observation: its levels, and its group apart from them.
type Observation = (Vec<usize>, usize);

/// Compares a pair between groups. All orders of the labels are listed.
///
/// # Errors
/// More orders, or configurations, than can be listed.
pub fn pair_of_groups(table: &Table, asked: &GroupPair) -> Result<OfGroups, CheckError> {
    let mut rows: Vec<Observation> = Vec::new();
    for (row, weight) in table.observations() {
        rows.extend((0..weight).map(|_| (row.to_vec(), row[asked.group])));
    }
    let compared = Compared::new(table, asked)?;
    let groups = (0..table.cardinalities()[asked.group]).map(|group| compared.in_group(&rows, group));
    let difference = compared.difference(&rows);
    let mut orders = Orders { compared: &compared, least: difference - 1e-9, all: 0, reached: 0 };
    let mut left = vec![0; table.cardinalities()[asked.group]];
    for &(_, group) in &rows {
        left[group] += 1;
    }
    let groups = groups.collect();
    orders.list(&mut rows, 0, &mut left)?;
    Ok(OfGroups { groups, difference, p_value: orders.reached as f64 / orders.all as f64 })
}

struct Compared<'a> {
    asked: &'a GroupPair,
    cardinalities: &'a [usize],
    strata: Vec<Vec<usize>>,
}

impl<'a> Compared<'a> {
    fn new(table: &'a Table, asked: &'a GroupPair) -> Result<Self, CheckError> {
        let cardinalities = table.cardinalities();
        Ok(Self { asked, cardinalities, strata: configurations(&pick(cardinalities, &asked.given))? })
    }

    /// How many rows of a group satisfy something, in a stratum.
    fn count(
        &self,
        rows: &[Observation],
        (group, stratum): (usize, &[usize]),
        is: impl Fn(usize, usize) -> bool,
    ) -> f64 {
        let (one, other) = self.asked.pair;
        let counted = rows.iter().filter(|(levels, own)| {
            *own == group && pick(levels, &self.asked.given) == stratum && is(levels[one], levels[other])
        });
        counted.count() as f64
    }

    fn in_group(&self, rows: &[Observation], group: usize) -> InGroup {
        let (log_odds_ratio, variance) = self.odds(rows, group, (0, 0));
        InGroup { information: self.information(rows, group), log_odds_ratio, variance }
    }

    /// The sum over cells of p(s, a, b) log(p(s, a, b) p(s) / (p(s, a) p(s, b))).
    fn information(&self, rows: &[Observation], group: usize) -> f64 {
        let total = rows.iter().filter(|(_, own)| *own == group).count() as f64;
        let mut sum = 0.0;
        for stratum in &self.strata {
            let share = |is: &dyn Fn(usize, usize) -> bool| self.count(rows, (group, stratum), is) / total;
            for a in 0..self.cardinalities[self.asked.pair.0] {
                for b in 0..self.cardinalities[self.asked.pair.1] {
                    let together = share(&|one, other| (one, other) == (a, b));
                    if together > 0.0 {
                        let apart = share(&|one, _| one == a) * share(&|_, other| other == b);
                        sum += together * libm::log(together * share(&|_, _| true) / apart);
                    }
                }
            }
        }
        sum
    }

    /// The log odds ratio of two levels against the rest, and its variance.
    fn odds(&self, rows: &[Observation], group: usize, (a, b): (usize, usize)) -> (f64, f64) {
        let mut tables: Vec<[f64; 4]> = Vec::new();
        for stratum in &self.strata {
            let cell = |first: bool, second: bool| {
                self.count(rows, (group, stratum), |one, other| (one == a, other == b) == (first, second))
            };
            tables.push([cell(true, true), cell(true, false), cell(false, true), cell(false, false)]);
        }
        tables.retain(|cells| cells.iter().sum::<f64>() > 0.0);
        let total: f64 = tables.iter().flatten().sum();
        for cells in &mut tables {
            let own: f64 = cells.iter().sum();
            *cells = cells.map(|cell| cell + own / total / 2.0);
        }
        let sum = |of: &dyn Fn([f64; 4], f64) -> f64| -> f64 {
            tables.iter().map(|&cells| of(cells, cells.iter().sum())).sum()
        };
        let r = sum(&|[a, _, _, d], n| a * d / n);
        let s = sum(&|[_, b, c, _], n| b * c / n);
        let pr = sum(&|[a, _, _, d], n| (a + d) * a * d / (n * n));
        let ps_qr = sum(&|[a, b, c, d], n| ((a + d) * b * c + (b + c) * a * d) / (n * n));
        let qs = sum(&|[_, b, c, _], n| (b + c) * b * c / (n * n));
        (libm::log(r / s), pr / (2.0 * r * r) + ps_qr / (2.0 * r * s) + qs / (2.0 * s * s))
    }

    fn difference(&self, rows: &[Observation]) -> f64 {
        // Of two levels, one says all.
        let compared = |variable: usize| match self.cardinalities[variable] {
            2 => 0..1,
            levels => 0..levels,
        };
        let mut sum = 0.0;
        for a in compared(self.asked.pair.0) {
            for b in compared(self.asked.pair.1) {
                let (mut weights, mut first, mut second) = (0.0, 0.0, 0.0);
                for group in 0..self.cardinalities[self.asked.group] {
                    let (value, variance) = self.odds(rows, group, (a, b));
                    weights += 1.0 / variance;
                    first += value / variance;
                    second += value * value / variance;
                }
                sum += second - first * first / weights;
            }
        }
        sum
    }
}

/// All orders of the labels, one after the other.
struct Orders<'a> {
    compared: &'a Compared<'a>,
    /// What counts as no smaller difference.
    least: f64,
    all: usize,
    reached: usize,
}

impl Orders<'_> {
    /// Gives the rows from a place on each label that is left.
    fn list(&mut self, rows: &mut [Observation], place: usize, left: &mut [usize]) -> Result<(), CheckError> {
        if place == rows.len() {
            self.all += 1;
            self.reached += usize::from(self.compared.difference(rows) >= self.least);
            let limit = LARGEST_SPACE;
            return if self.all > limit {
                Err(CheckError::TooLarge { what: "orders of labels", limit })
            } else {
                Ok(())
            };
        }
        for group in 0..left.len() {
            if left[group] > 0 {
                left[group] -= 1;
                rows[place].1 = group;
                self.list(rows, place + 1, left)?;
                left[group] += 1;
            }
        }
        Ok(())
    }
}
