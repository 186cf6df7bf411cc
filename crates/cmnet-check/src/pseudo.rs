//! The pseudo-likelihood of given phi, row by row from its definition: the product over
//! variables of p(x_j | all others) (paper, section 3.1).
//!
//! Pseudo-counts, where there are any, show every observed row again with each level
//! of the variable equally often; and each adds a small multiple of the squared phi, since rows
//! say nothing about blankets that were not observed.

use crate::error::CheckError;
use crate::likelihood::{check_phi, largest};
use crate::loglinear::LogLinear;
use crate::newton::solve;
use crate::ridge::ridge_slope;
use crate::table::Table;

/// Alternatives times active phi that can be gone through in reasonable time.
const MOST_ACTIVE: usize = 1 << 26;
/// The gradient per observation at which the optimiser ends.
const GRADIENT_ZERO: f64 = 1e-11;
const MOST_ITERATIONS: usize = 500;

/// Pseudo-counts: how many rows they sum to, and the weight of the squared phi for each of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PseudoCounts {
    /// The rows that they sum to.
    pub rows: f64,
    /// The weight of half the squared phi, per row of pseudo-counts.
    pub ridge: f64,
}

impl PseudoCounts {
    /// Nothing.
    pub const NONE: Self = Self { rows: 0.0, ridge: 0.0 };
}

/// One variable of one row: how often each level was counted given the others,
/// and which phi distinguish it.
struct Choice {
    weights: Vec<f64>,
    active: Vec<Vec<usize>>,
}

/// All choices of a table.
struct Choices {
    all: Vec<Choice>,
    total: f64,
    /// The weight of half the squared phi in all.
    ridge: f64,
}

impl Choices {
    fn new(table: &Table, model: &LogLinear, pseudo_counts: PseudoCounts) -> Result<Self, CheckError> {
        Self::of_some(table, model, pseudo_counts, |_| true)
    }

    /// Those of some of the variables.
    fn of_some(
        table: &Table,
        model: &LogLinear,
        pseudo_counts: PseudoCounts,
        takes_part: impl Fn(usize) -> bool,
    ) -> Result<Self, CheckError> {
        if table.cardinalities() != model.cardinalities() {
            return Err(CheckError::NoSuchElement);
        }
        if table.total() == 0 {
            return Err(CheckError::NoObservations);
        }
        let alternatives: usize = table.cardinalities().iter().sum();
        let rows = table.observations().count();
        if rows.saturating_mul(alternatives).saturating_mul(model.terms().len()) > MOST_ACTIVE {
            let what = "rows times levels times phi terms";
            return Err(CheckError::TooLarge { what, limit: MOST_ACTIVE });
        }
        let share = pseudo_counts.rows / table.size();
        let mut all = Vec::new();
        for (row, weight) in table.observations() {
            let weight = weight as f64 * table.unit();
            let observed = Observed { row, weight, pseudo_counts: share * weight };
            let variables = table.cardinalities().iter().enumerate();
            for (variable, &levels) in variables.filter(|(variable, _)| takes_part(*variable)) {
                all.push(choice(model, &observed, variable, levels));
            }
        }
        let total = table.size() + pseudo_counts.rows;
        Ok(Self { all, total, ridge: pseudo_counts.ridge * pseudo_counts.rows })
    }

    fn value(&self, phi: &[f64]) -> f64 {
        let one = |choice: &Choice| -> f64 {
            let log_p = log_probabilities(choice, phi);
            choice.weights.iter().zip(&log_p).filter(|(w, _)| **w > 0.0).map(|(w, log_p)| w * log_p).sum()
        };
        let squares: f64 = phi.iter().map(|value| value * value).sum();
        self.all.iter().map(one).sum::<f64>() - self.ridge / 2.0 * squares
    }

    /// The derivatives per observation with respect to every phi.
    fn slope(&self, phi: &[f64]) -> Vec<f64> {
        let mut slope: Vec<f64> = phi.iter().map(|value| -self.ridge * value).collect();
        for choice in &self.all {
            let sum: f64 = choice.weights.iter().sum();
            let log_p = log_probabilities(choice, phi);
            for ((weight, log_p), active) in choice.weights.iter().zip(log_p).zip(&choice.active) {
                for &term in active {
                    slope[term] += weight - sum * libm::exp(log_p);
                }
            }
        }
        slope.into_iter().map(|value| value / self.total).collect()
    }

    /// Minus the second derivatives per observation along the free directions.
    fn information(&self, phi: &[f64], directions: &[Vec<(usize, f64)>]) -> Vec<Vec<f64>> {
        let size = directions.len();
        let mut of_term = vec![Vec::new(); phi.len()];
        for (number, direction) in directions.iter().enumerate() {
            for &(term, change) in direction {
                of_term[term].push((number, change));
            }
        }
        let mut information = vec![vec![0.0; size]; size];
        for choice in &self.all {
            let sum: f64 = choice.weights.iter().sum();
            let mut mean = vec![0.0; size];
            for (log_p, active) in log_probabilities(choice, phi).into_iter().zip(&choice.active) {
                let mut feature = vec![0.0; size];
                for &(number, change) in active.iter().flat_map(|&term| &of_term[term]) {
                    feature[number] += change;
                }
                add_square(&mut information, &feature, sum * libm::exp(log_p) / self.total);
                mean.iter_mut().zip(&feature).for_each(|(mean, f)| *mean += libm::exp(log_p) * f);
            }
            add_square(&mut information, &mean, -sum / self.total);
        }
        for (row, one) in information.iter_mut().zip(directions) {
            for (entry, other) in row.iter_mut().zip(directions) {
                *entry += self.ridge / self.total * product(one, other);
            }
        }
        information
    }
}

/// A row, how often it was observed, and the pseudo-counts that its weight brings.
struct Observed<'a> {
    row: &'a [usize],
    weight: f64,
    pseudo_counts: f64,
}

fn choice(model: &LogLinear, observed: &Observed<'_>, variable: usize, levels: usize) -> Choice {
    let mut x = observed.row.to_vec();
    let mut active_at = |level: usize| -> Vec<usize> {
        x[variable] = level;
        let terms = model.terms().iter().enumerate();
        let own = terms.filter(|(_, term)| term.variables.contains(&variable) && term.is_active(&x));
        own.map(|(place, _)| place).collect()
    };
    let active = (0..levels).map(&mut active_at).collect();
    let pseudo_counts = observed.pseudo_counts / levels as f64;
    let seen = |level: usize| if level == observed.row[variable] { observed.weight } else { 0.0 };
    let weights = (0..levels).map(|level| pseudo_counts + seen(level)).collect();
    Choice { weights, active }
}

fn log_probabilities(choice: &Choice, phi: &[f64]) -> Vec<f64> {
    let energy = |active: &Vec<usize>| -> f64 { active.iter().map(|&term| phi[term]).sum() };
    let energies: Vec<f64> = choice.active.iter().map(energy).collect();
    let largest = energies.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = energies.iter().map(|energy| libm::exp(energy - largest)).sum();
    energies.into_iter().map(|energy| energy - largest - libm::log(total)).collect()
}

fn add_square(matrix: &mut [Vec<f64>], vector: &[f64], factor: f64) {
    let nonzero: Vec<(usize, f64)> =
        vector.iter().copied().enumerate().filter(|(_, value)| *value != 0.0).collect();
    for &(a, one) in &nonzero {
        for &(b, other) in &nonzero {
            matrix[a][b] += factor * one * other;
        }
    }
}

fn product(one: &[(usize, f64)], other: &[(usize, f64)]) -> f64 {
    let same = |&(term, change): &(usize, f64)| -> f64 {
        other.iter().filter(|(own, _)| *own == term).map(|(_, own)| own * change).sum()
    };
    one.iter().map(same).sum()
}

fn along(slope: &[f64], directions: &[Vec<(usize, f64)>]) -> Vec<f64> {
    let one = |direction: &Vec<(usize, f64)>| -> f64 {
        direction.iter().map(|&(term, change)| change * slope[term]).sum()
    };
    directions.iter().map(one).collect()
}

/// The pseudo-log-likelihood of a table under given phi.
///
/// # Errors
/// A table that does not fit the model, no observations, phi values that do not match the terms
/// or are not finite, or too many rows and terms.
pub fn pseudo_log_likelihood(table: &Table, model: &LogLinear, phi: &[f64]) -> Result<f64, CheckError> {
    check_phi(model, phi)?;
    Ok(Choices::new(table, model, PseudoCounts::NONE)?.value(phi))
}

/// How far given phi are from a maximum with pseudo-counts: the largest absolute
/// derivative, less the model's ridge, per observation along one of [`LogLinear::free_directions`].
///
/// # Errors
/// As for [`pseudo_log_likelihood`].
pub fn pseudo_gradient_norm(
    table: &Table,
    model: &LogLinear,
    phi: &[f64],
    pseudo_counts: PseudoCounts,
) -> Result<f64, CheckError> {
    check_phi(model, phi)?;
    let choices = Choices::new(table, model, pseudo_counts)?;
    let mut slope = choices.slope(phi);
    let ridge = ridge_slope(model, phi, |_| true)?;
    slope.iter_mut().zip(ridge).for_each(|(slope, cost)| *slope -= cost / choices.total);
    Ok(largest(&along(&slope, &model.free_directions())))
}

/// The same for phi that were estimated to predict one variable: those of its sets maximise its
/// own conditional likelihood, less the ridge on these sets; the others that of the other
/// variables, less the ridge on the other sets, with the first held.
///
/// # Errors
/// As for [`pseudo_log_likelihood`].
pub fn target_gradient_norm(
    table: &Table,
    model: &LogLinear,
    phi: &[f64],
    pseudo_counts: PseudoCounts,
    target: usize,
) -> Result<f64, CheckError> {
    check_phi(model, phi)?;
    let has = |&(term, _): &(usize, f64)| model.terms()[term].variables.contains(&target);
    let mut norm = 0.0;
    for own in [true, false] {
        let choices = Choices::of_some(table, model, pseudo_counts, |variable| (variable == target) == own)?;
        let mut slope = choices.slope(phi);
        let ridge = ridge_slope(model, phi, |set| set.contains(&target) == own)?;
        slope.iter_mut().zip(ridge).for_each(|(slope, cost)| *slope -= cost / choices.total);
        let mut directions = model.free_directions();
        directions.retain(|direction| direction.iter().any(has) == own);
        norm = f64::max(norm, largest(&along(&slope, &directions)));
    }
    Ok(norm)
}

/// The largest pseudo-log-likelihood under all restrictions, or its supremum, by Newton's
/// method with step halving from phi = 0; less what the squared phi cost, where they cost.
///
/// # Errors
/// As for [`pseudo_log_likelihood`].
pub fn maximum_pseudo_likelihood(
    table: &Table,
    model: &LogLinear,
    pseudo_counts: PseudoCounts,
) -> Result<f64, CheckError> {
    let choices = Choices::new(table, model, pseudo_counts)?;
    let directions = model.free_directions();
    let mut phi = vec![0.0; model.terms().len()];
    for _ in 0..MOST_ITERATIONS {
        let slope = along(&choices.slope(&phi), &directions);
        if largest(&slope) <= GRADIENT_ZERO {
            break;
        }
        let step = solve(&choices.information(&phi, &directions), &slope);
        let before = choices.value(&phi);
        let mut length = 1.0;
        while length > 1e-12 {
            let mut moved = phi.clone();
            for (direction, by) in directions.iter().zip(&step) {
                for &(term, change) in direction {
                    moved[term] += length * by * change;
                }
            }
            if choices.value(&moved) >= before - 1e-13 * choices.total {
                phi = moved;
                break;
            }
            length /= 2.0;
        }
    }
    Ok(choices.value(&phi))
}
