//! The most probable completion of all variables, proven: dead-end elimination, an upper bound
//! that shrinks by moving weight between tables, and branch and bound.

mod dominance;
mod dual;
mod problem;
mod search;

use super::cut_edges::Conditioned;
use super::factors::Factors;
use super::marginals::unless_stopped;
use super::options::ExactOptions;
use crate::control::{Control, Under};
use crate::data::Var;
use crate::error::Result;
use problem::Problem;
use search::Search;

/// Cells of the clique tables up to which this is tried: a sweep over all of them stays well
/// below a second.
const MOST_CELLS: u64 = 1 << 20;

/// What may be spent.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Cells that are looked at.
    work: u64,
    /// Bytes of all tables.
    memory: u64,
}

/// A completion, and how close it is to what is possible.
#[derive(Clone, Debug)]
pub(super) struct Maximum {
    /// The variables, ascending, with their levels.
    pub(super) levels: Vec<(Var, u32)>,
    /// The log weight of these levels.
    pub(super) log_weight: f64,
    /// No completion has a larger log weight, up to rounding.
    pub(super) bound: f64,
    /// Branches that were followed.
    pub(super) branches: u64,
}

impl Maximum {
    /// Looks for the most probable completion of what evidence leaves; `None` when the clique
    /// tables are too large for that.
    pub(super) fn under(
        conditioned: &Conditioned<'_>,
        work: u64,
        exact: Under<'_, ExactOptions>,
    ) -> Result<Option<Self>> {
        let control = exact.control();
        let factors = unless_stopped(Factors::new(conditioned, exact.memory, control))?;
        let Some(factors) = factors else { return Ok(None) };
        Self::of(&factors, Limits { work, memory: exact.memory }, control)
    }

    /// The same from clique tables.
    fn of(factors: &Factors, limits: Limits, control: &dyn Control) -> Result<Option<Self>> {
        let cells: u64 = factors.potentials.iter().map(|(_, table)| table.len() as u64).sum();
        // The factors themselves, and the problem with as much for its lists.
        if cells > MOST_CELLS || 4 * 8 * cells > limits.memory {
            return Ok(None);
        }
        let problem = Problem::new(factors.free().iter().collect(), &factors.potentials);
        let tolerance = tolerance(&problem);
        let room = limits.memory / 8 - 4 * cells;
        let mut search = Search { control, tolerance, left: limits.work, room, branches: 0 };
        let open: Vec<usize> = problem.open().collect();
        let found = search.solve(problem, f64::NEG_INFINITY, open)?;
        let mut row = vec![0; factors.cardinalities().len()];
        for (v, level) in found.best.into_iter().flat_map(|(levels, _)| levels) {
            row[v] = level;
        }
        let log_weight = factors.potentials.weight(&row);
        let levels = factors.free().iter().map(|v| (v, row[v])).collect();
        let mut maximum = Self { levels, log_weight, bound: found.upper, branches: search.branches };
        if maximum.gap() <= 2.0 * tolerance {
            maximum.bound = log_weight;
        }
        Ok(Some(maximum))
    }

    /// How much larger a log weight may be.
    pub(super) fn gap(&self) -> f64 {
        self.bound - self.log_weight
    }

    /// Whether no other completion is more probable, up to rounding.
    pub(super) fn is_proven(&self) -> bool {
        self.gap() <= 0.0
    }
}

/// Differences of weights that rounding can make.
fn tolerance(problem: &Problem) -> f64 {
    let size = |table: &[f64]| table.iter().map(|value| value.abs()).fold(0.0, f64::max);
    let own: f64 = problem.own.iter().map(|own| size(own)).sum();
    let shared: f64 = problem.factors.iter().map(|factor| size(&factor.table)).sum();
    1e-12 * (1.0 + own + shared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::VarSet;
    use crate::table::Potentials;
    use rand::{Rng, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    /// Random tables over random sets, the levels of some variables impossible, some weights
    /// whole numbers so that rows tie.
    fn random_factors(random: &mut Pcg64Mcg, variables: usize, sets: &[VarSet], ties: bool) -> Factors {
        let cardinalities: Vec<u32> = (0..variables).map(|_| random.random_range(1..=3)).collect();
        let mut zeros: Vec<VarSet> = sets.to_vec();
        zeros.extend((0..variables).map(|v| VarSet::from_iter([v])));
        let potentials = Potentials::zeros(zeros.iter(), &cardinalities)
            .fill(|_, tables| {
                for (table, set) in tables.iter_mut().zip(&zeros) {
                    for cell in table.iter_mut() {
                        let value: f64 = random.random_range(-3.0..3.0);
                        *cell = if ties { value.round() } else { value };
                    }
                    if set.len() == 1 && random.random_bool(0.2) && table.len() > 1 {
                        table[0] = f64::NEG_INFINITY;
                    }
                }
                Ok::<(), crate::error::Error>(())
            })
            .unwrap();
        Factors::of_tables((0..variables).collect(), potentials)
    }

    fn largest(factors: &Factors) -> f64 {
        let cardinalities = factors.cardinalities();
        let mut row = vec![0; cardinalities.len()];
        let mut best = f64::NEG_INFINITY;
        loop {
            best = best.max(factors.potentials.weight(&row));
            let Some(v) = (0..row.len()).find(|&v| row[v] + 1 < cardinalities[v]) else { return best };
            row[v] += 1;
            row[..v].fill(0);
        }
    }

    fn random_sets(random: &mut Pcg64Mcg, variables: usize, count: usize) -> Vec<VarSet> {
        let size = |random: &mut Pcg64Mcg| random.random_range(2..=3);
        let set = |_| (0..size(random)).map(|_| random.random_range(0..variables)).collect();
        (0..count).map(set).collect()
    }

    const AMPLE: Limits = Limits { work: 1 << 26, memory: 1 << 24 };

    #[test]
    fn what_is_proven_is_what_enumeration_finds() {
        let mut random = Pcg64Mcg::seed_from_u64(61);
        for case in 0..400 {
            let variables = random.random_range(1..=8);
            let count = random.random_range(0..=12);
            let sets = random_sets(&mut random, variables, count);
            let factors = random_factors(&mut random, variables, &sets, case % 2 == 0);
            let found = Maximum::of(&factors, AMPLE, &()).unwrap().unwrap();
            assert!(found.is_proven(), "case {case}");
            assert!((found.log_weight - largest(&factors)).abs() < 1e-9, "case {case}");
            let again = Maximum::of(&factors, AMPLE, &()).unwrap().unwrap();
            assert_eq!(found.levels, again.levels);
        }
    }

    #[test]
    fn what_is_not_proven_lies_within_its_gap() {
        let mut random = Pcg64Mcg::seed_from_u64(62);
        let mut open = 0;
        for _ in 0..50 {
            let sets = random_sets(&mut random, 9, 24);
            let factors = random_factors(&mut random, 9, &sets, false);
            let best = largest(&factors);
            for work in [0, 1 << 9, 1 << 12] {
                let found = Maximum::of(&factors, Limits { work, memory: 12 << 10 }, &()).unwrap();
                let Some(found) = found else { continue };
                assert!(found.log_weight <= best + 1e-9 && best <= found.bound + 1e-9);
                open += usize::from(!found.is_proven());
            }
        }
        assert!(open > 0, "every search ended with a proof");
    }

    #[test]
    fn grids_beyond_elimination_are_proven() {
        let mut random = Pcg64Mcg::seed_from_u64(63);
        let side = 24;
        let right = (0..side * side).filter(|v| v % side + 1 < side).map(|v| VarSet::from_iter([v, v + 1]));
        let below = (0..side * (side - 1)).map(|v| VarSet::from_iter([v, v + side]));
        let sets: Vec<VarSet> = right.chain(below).collect();
        let factors = random_factors(&mut random, side * side, &sets, false);
        let found = Maximum::of(&factors, AMPLE, &()).unwrap().unwrap();
        assert!(found.is_proven(), "{} to {}", found.log_weight, found.bound);
        // No single move and no pair of neighbours is better.
        let mut row: Vec<u32> = vec![0; side * side];
        found.levels.iter().for_each(|&(v, level)| row[v] = level);
        for set in &sets {
            let [one, other] = [set.as_slice()[0], set.as_slice()[1]];
            let before = (row[one], row[other]);
            for a in 0..factors.cardinalities()[one] {
                for b in 0..factors.cardinalities()[other] {
                    (row[one], row[other]) = (a, b);
                    assert!(factors.potentials.weight(&row) <= found.log_weight + 1e-9);
                }
            }
            (row[one], row[other]) = before;
        }
    }
}
