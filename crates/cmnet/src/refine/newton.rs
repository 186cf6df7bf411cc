//! The maximum of a multinomial logistic likelihood, by Newton's method.

use crate::loglinear::{Cholesky, dot};
use crate::table::softmax;

/// The weight of the squared parameters: so little that a likelihood does not feel it, and enough
/// to hold what the rows leave open.
const RIDGE: f64 = 1e-8;
/// A gain of the log-likelihood that does not matter any more.
const NEGLIGIBLE_GAIN: f64 = 1e-7;
/// The largest change of a log-odds in one step, before it is stretched.
const LONGEST_STEP: f64 = 5.0;
const MOST_STEPS: usize = 60;
/// Second derivatives are kept while a step leaves at most this share of what was to be gained.
const SERVES: f64 = 1.0 / 16.0;
/// How many times as long a step may become.
const LONGEST_STRETCH: f64 = 8.0;
const MOST_HALVINGS: i32 = 30;

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
    energies: Vec<f64>,
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
        self.start(beta.to_vec()).probabilities
    }

    fn start(&self, beta: Vec<f64>) -> Point {
        let energies = self.energies(&beta);
        self.at(beta, energies)
    }

    fn at(&self, beta: Vec<f64>, energies: Vec<f64>) -> Point {
        let levels = self.levels();
        let mut probabilities = energies.clone();
        let mut log_likelihood = 0.0;
        for (values, counts) in probabilities.chunks_exact_mut(levels).zip(self.counts.chunks_exact(levels)) {
            log_likelihood += dot(counts, values);
            log_likelihood -= counts.iter().sum::<f64>() * softmax(values);
        }
        let value = log_likelihood - RIDGE / 2.0 * dot(&beta, &beta);
        Point { beta, energies, probabilities, log_likelihood, value }
    }

    /// The derivatives.
    fn gradient(&self, point: &Point) -> Vec<f64> {
        let (levels, free) = (self.levels(), self.levels() - 1);
        let mut gradient: Vec<f64> = point.beta.iter().map(|beta| -RIDGE * beta).collect();
        let classes = self.counts.chunks_exact(levels).zip(point.probabilities.chunks_exact(levels));
        let mut unexplained = vec![0.0; free];
        for (features, (counts, p)) in self.design.iter().zip(classes) {
            let sum: f64 = counts.iter().sum();
            for (level, value) in unexplained.iter_mut().enumerate() {
                *value = counts[level + 1] - sum * p[level + 1];
            }
            for &(feature, weight) in features {
                let own = gradient[feature * free..(feature + 1) * free].iter_mut();
                own.zip(&unexplained).for_each(|(sum, value)| *sum += weight * value);
            }
        }
        gradient
    }

    /// Minus the second derivatives, as the rows of a lower triangle.
    fn information(&self, point: &Point) -> Vec<Vec<f64>> {
        let (levels, free) = (self.levels(), self.levels() - 1);
        let size = self.width * free;
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
                    let row = &mut rows[feature * free + k];
                    match curvature {
                        [curvature] => {
                            for &(other, factor) in &features[..place] {
                                row[other] += weight * factor * curvature;
                            }
                        }
                        [first, second] => {
                            for &(other, factor) in &features[..place] {
                                let scale = weight * factor;
                                row[2 * other] += scale * first;
                                row[2 * other + 1] += scale * second;
                            }
                        }
                        _ => {
                            for &(other, factor) in &features[..place] {
                                let scale = weight * factor;
                                let block = row[other * free..(other + 1) * free].iter_mut();
                                block.zip(curvature).for_each(|(sum, value)| *sum += scale * value);
                            }
                        }
                    }
                    let block = row[feature * free..].iter_mut();
                    block.zip(curvature).for_each(|(sum, value)| *sum += weight * weight * value);
                }
            }
        }
        rows
    }
}

/// The factor of the information at a point: what a Wald statistic needs.
pub(super) fn information(problem: &Problem<'_>, beta: &[f64]) -> Cholesky {
    Cholesky::new(&problem.information(&problem.start(beta.to_vec())))
}

/// The maximum from a start on, and the log-likelihood there. Where the supremum lies at infinity,
/// a point that reaches it but for a negligible rest.
///
/// Second derivatives take the most time. They are kept from step to step while what is left to gain
/// shrinks fast.
pub(super) fn maximize(problem: &Problem<'_>, levels: usize, start: Vec<f64>) -> (Vec<f64>, f64) {
    let mut point = problem.start(start);
    if levels < 2 {
        return (point.beta, point.log_likelihood);
    }
    let mut known: Option<Known> = None;
    for number in 0..MOST_STEPS {
        let gradient = problem.gradient(&point);
        let kept = known.take().and_then(|known| known.kept(&gradient));
        // What fresh derivatives did not bring near: something runs away.
        let is_slow = number > 0 && kept.is_none();
        let Move { mut step, gain, factor } = match kept {
            Some(kept) => kept,
            None => Move::new(Cholesky::new(&problem.information(&point)), &gradient),
        };
        if gain.is_nan() || gain <= 0.0 {
            break;
        }
        let mut changes = problem.energies(&step);
        let length = changes.iter().fold(0.0, |longest: f64, change| longest.max(change.abs()));
        if length > LONGEST_STEP {
            for by in step.iter_mut().chain(&mut changes) {
                *by *= LONGEST_STEP / length;
            }
        }
        let Some((next, is_whole)) = advance(problem, &point, (&step, &changes), is_slow) else { break };
        point = next;
        if gain < NEGLIGIBLE_GAIN {
            break;
        }
        known = is_whole.then_some(Known { factor, gain });
    }
    (point.beta, point.log_likelihood)
}

/// Second derivatives of an earlier point, and what was to be gained there.
struct Known {
    factor: Cholesky,
    gain: f64,
}

impl Known {
    /// The step by these second derivatives, while they serve.
    fn kept(self, gradient: &[f64]) -> Option<Move> {
        let found = Move::new(self.factor, gradient);
        (found.gain <= SERVES * self.gain).then_some(found)
    }
}

/// A step, about what it gains, and the factor of the second derivatives behind it.
struct Move {
    step: Vec<f64>,
    gain: f64,
    factor: Cholesky,
}

impl Move {
    fn new(factor: Cholesky, gradient: &[f64]) -> Self {
        let step = factor.solve(gradient);
        Self { gain: dot(gradient, &step) / 2.0, step, factor }
    }
}

/// The point after a step, halved until the value rises, or if asked for doubled while it rises; and whether
/// the step was taken as it is. A step changes parameters and log-odds.
fn advance(
    problem: &Problem<'_>,
    point: &Point,
    (step, changes): (&[f64], &[f64]),
    longer: bool,
) -> Option<(Point, bool)> {
    let moved = |from: &[f64], by: &[f64], share: f64| -> Vec<f64> {
        from.iter().zip(by).map(|(at, by)| at + share * by).collect()
    };
    let after =
        |share: f64| problem.at(moved(&point.beta, step, share), moved(&point.energies, changes, share));
    let next = after(1.0);
    if next.value >= point.value {
        return Some(if longer { stretched(next, after) } else { (next, true) });
    }
    let mut shorter = (1..MOST_HALVINGS).map(|halvings| after(libm::exp2(f64::from(-halvings))));
    Some((shorter.find(|next| next.value >= point.value)?, false))
}

/// The point after the longest doubled step up to which the value rises, given that after the step.
fn stretched(mut next: Point, after: impl Fn(f64) -> Point) -> (Point, bool) {
    let mut is_whole = true;
    let mut share = 2.0;
    while share <= LONGEST_STRETCH {
        let further = after(share);
        if further.value <= next.value {
            break;
        }
        (next, is_whole, share) = (further, false, 2.0 * share);
    }
    (next, is_whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Classes with a main effect and two of three features, one of them with a weight.
    fn design() -> Vec<Vec<(usize, f64)>> {
        vec![
            vec![(0, 1.0)],
            vec![(0, 1.0), (1, 1.0)],
            vec![(0, 1.0), (2, 1.0), (3, -1.0)],
            vec![(0, 1.0), (1, 1.0), (2, 1.0)],
            vec![(0, 1.0), (3, 2.0)],
        ]
    }

    #[test]
    fn a_maximum_has_no_slope_from_wherever_it_starts() {
        for levels in 2..=4 {
            let count = |place: usize| ((place * 7 + place * place) % 11 + 1) as f64 * 20.0;
            let counts: Vec<f64> = (0..5 * levels).map(count).collect();
            let design = design();
            let problem = Problem { design: &design, counts: &counts, width: 4 };
            let (beta, log_likelihood) = maximize(&problem, levels, vec![0.0; 4 * (levels - 1)]);
            let slope = problem.gradient(&problem.start(beta.clone()));
            assert!(slope.iter().all(|by| by.abs() < 1e-2), "{slope:?}");
            let far = beta.iter().map(|at| 2.0 - 3.0 * at).collect();
            let (_, other) = maximize(&problem, levels, far);
            assert!((log_likelihood - other).abs() < 1e-6, "{log_likelihood} {other}");
            // Log-odds that are carried along from step to step are those of the parameters.
            let again = problem.start(beta).log_likelihood;
            assert!((log_likelihood - again).abs() < 1e-9, "{log_likelihood} {again}");
        }
    }

    #[test]
    fn what_runs_away_comes_near_its_supremum_in_few_steps() {
        // The second class never has level 1, so that its parameter has no finite estimate.
        let design = vec![vec![(0, 1.0)], vec![(0, 1.0), (1, 1.0)]];
        let counts = [300.0, 100.0, 500.0, 0.0];
        let problem = Problem { design: &design, counts: &counts, width: 2 };
        let (beta, log_likelihood) = maximize(&problem, 2, vec![0.0; 2]);
        let supremum = 300.0 * libm::log(0.75) + 100.0 * libm::log(0.25);
        assert!((log_likelihood - supremum).abs() < 1e-5, "{log_likelihood} {supremum}");
        assert!(beta[1] < -15.0, "{beta:?}");
    }
}
