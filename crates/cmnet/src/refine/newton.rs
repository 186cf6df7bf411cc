//! The maximum of a multinomial logistic likelihood, by Newton's method.

use crate::loglinear::{Cholesky, dot};
use crate::table::softmax;

/// The weight of the squared parameters: so little that a likelihood does not feel it, and enough
/// to hold what the rows leave open.
const RIDGE: f64 = 1e-8;
/// A gain of the log-likelihood that does not matter any more.
const NEGLIGIBLE_GAIN: f64 = 1e-7;
/// The largest change of a log-odds in one step.
const LONGEST_STEP: f64 = 5.0;
const MOST_STEPS: usize = 60;
const MOST_HALVINGS: usize = 30;

/// Counts of a node's levels in classes of rows, and the features of each class.
#[derive(Clone, Copy)]
pub(super) struct Problem<'a> {
    pub(super) design: &'a [Vec<(usize, f64)>],
    /// For each class and level.
    pub(super) counts: &'a [f64],
    /// The number of features.
    pub(super) width: usize,
}

/// A point of the climb.
struct Point {
    beta: Vec<f64>,
    probabilities: Vec<f64>,
    log_likelihood: f64,
    /// With what the squared parameters cost.
    value: f64,
}

impl Problem<'_> {
    fn levels(&self) -> usize {
        self.counts.len() / self.design.len().max(1)
    }

    /// The log-odds of the levels above 0, for each class.
    fn energies(&self, beta: &[f64]) -> Vec<f64> {
        let levels = self.levels();
        let mut energies = vec![0.0; self.counts.len()];
        for (values, features) in energies.chunks_exact_mut(levels).zip(self.design) {
            if levels == 2 {
                values[1] = features.iter().fold(0.0, |sum, &(feature, weight)| sum + weight * beta[feature]);
                continue;
            }
            for &(feature, weight) in features {
                let own = &beta[feature * (levels - 1)..(feature + 1) * (levels - 1)];
                values[1..].iter_mut().zip(own).for_each(|(value, beta)| *value += weight * beta);
            }
        }
        energies
    }

    /// The probability of each level in each class.
    pub(super) fn probabilities(&self, beta: &[f64]) -> Vec<f64> {
        self.at(beta.to_vec()).probabilities
    }

    fn at(&self, beta: Vec<f64>) -> Point {
        let levels = self.levels();
        let mut probabilities = self.energies(&beta);
        let mut log_likelihood = 0.0;
        for (values, counts) in probabilities.chunks_exact_mut(levels).zip(self.counts.chunks_exact(levels)) {
            log_likelihood += dot(counts, values);
            log_likelihood -= counts.iter().sum::<f64>() * softmax(values);
        }
        let value = log_likelihood - RIDGE / 2.0 * dot(&beta, &beta);
        Point { beta, probabilities, log_likelihood, value }
    }

    /// The derivatives, and minus the second ones as the rows of a lower triangle.
    fn derivatives(&self, point: &Point) -> (Vec<f64>, Vec<Vec<f64>>) {
        let (levels, free) = (self.levels(), self.levels() - 1);
        let size = self.width * free;
        let mut gradient: Vec<f64> = point.beta.iter().map(|beta| -RIDGE * beta).collect();
        let mut rows: Vec<Vec<f64>> = (0..size).map(|row| vec![0.0; row + 1]).collect();
        rows.iter_mut().enumerate().for_each(|(place, row)| row[place] = RIDGE);
        let classes = self.counts.chunks_exact(levels).zip(point.probabilities.chunks_exact(levels));
        // For each pair of levels, minus the second derivative by their log-odds in one class.
        let mut curvature = vec![0.0; free * free];
        for (features, (counts, p)) in self.design.iter().zip(classes) {
            let sum: f64 = counts.iter().sum();
            for (place, value) in curvature.iter_mut().enumerate() {
                let (k, l) = (place / free, place % free);
                let own = if k == l { 1.0 } else { 0.0 };
                *value = sum * p[k + 1] * (own - p[l + 1]);
            }
            for (place, &(feature, weight)) in features.iter().enumerate() {
                // A variable with one level has nothing free, and no chunk.
                for (k, curvature) in curvature.chunks_exact(free.max(1)).enumerate() {
                    gradient[feature * free + k] += weight * (counts[k + 1] - sum * p[k + 1]);
                    let row = &mut rows[feature * free + k];
                    for &(other, factor) in &features[..place] {
                        let scale = weight * factor;
                        let block = row[other * free..(other + 1) * free].iter_mut();
                        block.zip(curvature).for_each(|(sum, value)| *sum += scale * value);
                    }
                    let block = row[feature * free..].iter_mut();
                    block.zip(curvature).for_each(|(sum, value)| *sum += weight * weight * value);
                }
            }
        }
        (gradient, rows)
    }

    /// The largest change of a log-odds that a step makes.
    fn length(&self, step: &[f64]) -> f64 {
        self.energies(step).iter().fold(0.0, |longest: f64, change| longest.max(change.abs()))
    }
}

/// The factor of the information at a point: what a Wald statistic needs.
pub(super) fn information(problem: &Problem<'_>, beta: &[f64]) -> Cholesky {
    Cholesky::new(&problem.derivatives(&problem.at(beta.to_vec())).1)
}

/// The maximum from a start on, and the log-likelihood there. Where the supremum lies at infinity,
/// a point that reaches it but for a negligible rest.
pub(super) fn maximize(problem: &Problem<'_>, levels: usize, start: Vec<f64>) -> (Vec<f64>, f64) {
    let mut point = problem.at(start);
    if levels < 2 {
        return (point.beta, point.log_likelihood);
    }
    for _ in 0..MOST_STEPS {
        let (gradient, rows) = problem.derivatives(&point);
        let mut step = Cholesky::new(&rows).solve(&gradient);
        let gain = dot(&gradient, &step) / 2.0;
        if gain.is_nan() || gain <= 0.0 {
            break;
        }
        let length = problem.length(&step);
        if length > LONGEST_STEP {
            for by in &mut step {
                *by *= LONGEST_STEP / length;
            }
        }
        let Some(next) = advance(problem, &point, &step) else { break };
        point = next;
        if gain < NEGLIGIBLE_GAIN {
            break;
        }
    }
    (point.beta, point.log_likelihood)
}

/// The point after a step, halved until the value rises.
fn advance(problem: &Problem<'_>, point: &Point, step: &[f64]) -> Option<Point> {
    let mut share = 1.0;
    for _ in 0..MOST_HALVINGS {
        let beta = point.beta.iter().zip(step).map(|(at, by)| at + share * by).collect();
        let next = problem.at(beta);
        if next.value >= point.value {
            return Some(next);
        }
        share /= 2.0;
    }
    None
}
