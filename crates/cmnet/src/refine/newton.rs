//! The maximum of a multinomial logistic likelihood, by Newton's method.

use crate::loglinear::{Cholesky, dot};
use crate::table::softmax;

/// The weight of the squared parameters: so little that a likelihood does not feel it, and enough
/// to hold what the rows leave open.
const RIDGE: f64 = 1e-8;
/// A gain of the log-likelihood that does not matter any more.
const NEGLIGIBLE_GAIN: f64 = 1e-6;
/// The largest change of a log-odds in one step, before it is stretched.
const LONGEST_STEP: f64 = 5.0;
const MOST_STEPS: usize = 60;
/// Second derivatives are kept while a step leaves at most this share of what was to be gained.
const SERVES: f64 = 1.0 / 16.0;
/// How many times as long a step may become.
const LONGEST_STRETCH: f64 = 8.0;
const MOST_HALVINGS: i32 = 30;
/// A climb is given up where this times what its next step promises is not enough. Where a parameter runs
/// away, what is left to gain is twice the promise.
const PATIENCE: f64 = 3.0;
/// What is added to each count of a class for the first guess of its log-odds.
const SMOOTHING: f64 = 0.5;
/// The log-odds of a level that has no chance.
const IMPOSSIBLE: f64 = -1e4;

/// The features of each class of rows, with their weights.
#[derive(Debug, Default)]
pub(super) struct Design {
    /// Where the features of each class end.
    ends: Vec<usize>,
    features: Vec<(usize, f64)>,
}

impl Design {
    /// A feature of the next class: they come in ascending order.
    pub(super) fn push(&mut self, feature: usize, weight: f64) {
        self.features.push((feature, weight));
    }

    /// The next class has no more features.
    pub(super) fn end(&mut self) {
        self.ends.push(self.features.len());
    }

    /// The features of each class, ascending.
    fn classes(&self) -> impl Iterator<Item = &[(usize, f64)]> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.features[start..end])
    }
}

/// The lower triangle of a matrix, by rows.
pub(super) type Triangle = Vec<Vec<f64>>;

/// Counts of a node's levels in classes of rows, and the features of each class.
#[derive(Debug)]
pub(super) struct Problem {
    design: Design,
    /// For each class and level.
    counts: Vec<f64>,
    /// For each class.
    totals: Vec<f64>,
    /// The number of features.
    width: usize,
    levels: usize,
    /// For each class and level, whether it is known to have no chance in a maximum; empty where none is.
    pub(super) impossible: Vec<bool>,
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

impl Problem {
    pub(super) fn new(
        (design, width): (Design, usize),
        (counts, levels): (Vec<f64>, usize),
        impossible: Vec<bool>,
    ) -> Self {
        let totals = counts.chunks_exact(levels).map(|counts| counts.iter().sum()).collect();
        Self { design, counts, totals, width, levels, impossible }
    }

    fn free(&self) -> usize {
        self.levels - 1
    }

    fn can_be(&self, cell: usize) -> bool {
        !self.impossible.get(cell).copied().unwrap_or(false)
    }

    /// The log-odds of the levels above 0, for each class.
    fn energies(&self, beta: &[f64]) -> Vec<f64> {
        let (levels, free) = (self.levels, self.free());
        let mut energies = vec![0.0; self.counts.len()];
        for (values, features) in energies.chunks_exact_mut(levels).zip(self.design.classes()) {
            if levels == 2 {
                values[1] = features.iter().fold(0.0, |sum, &(feature, weight)| sum + weight * beta[feature]);
                continue;
            }
            for &(feature, weight) in features {
                let own = &beta[feature * free..(feature + 1) * free];
                values[1..].iter_mut().zip(own).for_each(|(value, beta)| *value += weight * beta);
            }
        }
        energies
    }

    /// The probability of each level in each class.
    pub(super) fn probabilities(&self, beta: &[f64]) -> Vec<f64> {
        self.start(beta.to_vec()).probabilities
    }

    /// Minus the second derivatives at a point.
    pub(super) fn information_at(&self, beta: &[f64]) -> Triangle {
        self.information(&self.probabilities(beta))
    }

    fn start(&self, beta: Vec<f64>) -> Point {
        let mut energies = self.energies(&beta);
        for (energy, &is_impossible) in energies.iter_mut().zip(&self.impossible) {
            if is_impossible {
                *energy = IMPOSSIBLE;
            }
        }
        self.at(beta, energies)
    }

    fn at(&self, beta: Vec<f64>, energies: Vec<f64>) -> Point {
        let mut probabilities = energies.clone();
        let mut log_likelihood = 0.0;
        let classes = probabilities.chunks_exact_mut(self.levels).zip(self.counts.chunks_exact(self.levels));
        for ((values, counts), total) in classes.zip(&self.totals) {
            log_likelihood += dot(counts, values);
            log_likelihood -= total * softmax(values);
        }
        let value = log_likelihood - RIDGE / 2.0 * dot(&beta, &beta);
        Point { beta, energies, probabilities, log_likelihood, value }
    }

    /// For each parameter, the sum of what the classes that have its feature have at its level: what is told of a
    /// class, its total and a cell.
    fn sums(&self, at: impl Fn(f64, usize) -> f64) -> Vec<f64> {
        let (levels, free) = (self.levels, self.free());
        let mut sums = vec![0.0; self.width * free];
        let mut own = vec![0.0; free];
        for (class, (features, &total)) in self.design.classes().zip(&self.totals).enumerate() {
            let first = class * levels + 1;
            if free == 1 {
                let value = at(total, first);
                for &(feature, weight) in features {
                    sums[feature] += weight * value;
                }
                continue;
            }
            own.iter_mut().enumerate().for_each(|(level, value)| *value = at(total, first + level));
            for &(feature, weight) in features {
                let sums = sums[feature * free..(feature + 1) * free].iter_mut();
                sums.zip(&own).for_each(|(sum, value)| *sum += weight * value);
            }
        }
        sums
    }

    /// The derivatives.
    fn gradient(&self, point: &Point) -> Vec<f64> {
        let mut gradient = self.sums(|total, cell| self.counts[cell] - total * point.probabilities[cell]);
        gradient.iter_mut().zip(&point.beta).for_each(|(by, beta)| *by -= RIDGE * beta);
        gradient
    }

    /// Minus the second derivatives where the levels have these probabilities.
    fn information(&self, probabilities: &[f64]) -> Triangle {
        let mut rows: Triangle = (0..self.width * self.free()).map(|row| vec![0.0; row + 1]).collect();
        self.add_information(probabilities, &mut rows, |_| true);
        rows
    }

    /// Minus the second derivatives, in those rows and columns that belong to some features; the others are known.
    fn add_information(&self, probabilities: &[f64], rows: &mut Triangle, is_open: impl Fn(usize) -> bool) {
        let (levels, free) = (self.levels, self.free());
        for (place, row) in rows.iter_mut().enumerate().filter(|&(place, _)| is_open(place / free.max(1))) {
            row[place] += RIDGE;
        }
        // For each pair of levels, minus the second derivative by their log-odds in one class.
        let mut curvature = vec![0.0; free * free];
        let classes = self.totals.iter().zip(probabilities.chunks_exact(levels));
        for (features, (total, p)) in self.design.classes().zip(classes) {
            for (place, value) in curvature.iter_mut().enumerate() {
                let (k, l) = (place / free, place % free);
                let own = if k == l { 1.0 } else { 0.0 };
                *value = total * p[k + 1] * (own - p[l + 1]);
            }
            for (place, &(feature, weight)) in features.iter().enumerate().filter(|(_, one)| is_open(one.0)) {
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
                    // Those that come later and are not open have this one in their rows.
                    for &(other, factor) in features[place + 1..].iter().filter(|one| !is_open(one.0)) {
                        let scale = weight * factor;
                        for (l, value) in curvature.iter().enumerate() {
                            rows[other * free + l][feature * free + k] += scale * value;
                        }
                    }
                }
            }
        }
    }
}

/// A climb to the maximum of a likelihood.
pub(super) struct Climb {
    pub(super) problem: Problem,
    point: Point,
    information: Triangle,
    /// Whether the second derivatives are those of a point of this climb.
    is_own: bool,
    next: Move,
}

/// A maximum. Where the supremum lies at infinity, a point that reaches it but for a negligible rest.
pub(super) struct Top {
    pub(super) beta: Vec<f64>,
    pub(super) log_likelihood: f64,
    /// The probability of each level in each class.
    pub(super) probabilities: Vec<f64>,
    /// Minus the second derivatives, there or near.
    pub(super) information: Triangle,
    pub(super) has_impossible: bool,
}

/// What is known about a maximum before the climb.
pub(super) struct Guess {
    pub(super) beta: Vec<f64>,
    /// About minus the second derivatives.
    pub(super) information: Option<Triangle>,
    /// Their factor, where it is known.
    pub(super) factor: Option<Cholesky>,
    /// The features whose second derivatives are still missing; empty where none is.
    pub(super) open: Vec<bool>,
}

impl Guess {
    /// A point about which nothing else is known.
    pub(super) fn alone(beta: Vec<f64>) -> Self {
        Self { beta, information: None, factor: None, open: Vec::new() }
    }
}

impl Climb {
    /// A climb that begins at a guess.
    pub(super) fn from(problem: Problem, guess: Guess) -> Self {
        let point = problem.start(guess.beta);
        let is_own = guess.information.is_none();
        let information = match guess.information {
            Some(mut known) => {
                if guess.open.contains(&true) {
                    problem.add_information(&point.probabilities, &mut known, |feature| guess.open[feature]);
                }
                known
            }
            None => problem.information(&point.probabilities),
        };
        let factor = guess.factor.unwrap_or_else(|| Cholesky::new(&information));
        let next = Move::new(factor, problem.gradient(&point));
        Self { problem, point, information, is_own, next }
    }

    /// A climb without a guess: it begins near the log-odds of the counts themselves.
    pub(super) fn new(problem: Problem) -> Self {
        let levels = problem.levels;
        let mut probabilities = problem.counts.clone();
        for (class, values) in probabilities.chunks_exact_mut(levels).enumerate() {
            let first = class * levels;
            for (level, value) in values.iter_mut().enumerate() {
                *value = if problem.can_be(first + level) { *value + SMOOTHING } else { 0.0 };
            }
            let sum: f64 = values.iter().sum();
            for value in values {
                *value /= sum;
            }
        }
        let mut weighted = probabilities.clone();
        for (values, total) in weighted.chunks_exact_mut(levels).zip(&problem.totals) {
            let log = |p: f64| if p > 0.0 { libm::log(p) } else { 0.0 };
            let mean: f64 = values.iter().map(|&p| p * log(p)).sum();
            for p in values {
                *p *= total * (log(*p) - mean);
            }
        }
        let information = problem.information(&probabilities);
        let factor = Cholesky::new(&information);
        let beta = factor.solve(&problem.sums(|_, cell| weighted[cell]));
        let (information, factor) = (Some(information), Some(factor));
        Self::from(problem, Guess { beta, information, factor, open: Vec::new() })
    }

    /// What the log-likelihood may reach.
    pub(super) fn most(&self) -> f64 {
        self.point.log_likelihood + PATIENCE * self.next.gain.max(0.0)
    }

    /// Rises to the maximum; `false` where it is given up, since what the log-likelihood may reach is less than
    /// is needed.
    ///
    /// Second derivatives take the most time. They are kept from step to step while what is left to gain
    /// shrinks fast.
    pub(super) fn rise(&mut self, needed: f64) -> bool {
        // What fresh derivatives did not bring near: something runs away.
        let mut is_slow = false;
        for _ in 0..MOST_STEPS {
            if self.next.gain.is_nan() || self.next.gain <= 0.0 {
                break;
            }
            if self.most() < needed {
                return false;
            }
            let Some((point, is_whole)) = self.advance(is_slow) else { break };
            let before = std::mem::replace(&mut self.point, point);
            let gain = self.next.gain;
            if gain < NEGLIGIBLE_GAIN {
                break;
            }
            let gradient = self.problem.gradient(&self.point);
            if is_whole && self.next.goes_on(&before.beta, &self.point.beta, &gradient) {
                is_slow = false;
            } else {
                self.information = self.problem.information(&self.point.probabilities);
                self.next = Move::new(Cholesky::new(&self.information), gradient);
                is_slow = self.is_own;
                self.is_own = true;
            }
        }
        true
    }

    /// The point that it rose to.
    pub(super) fn top(self) -> Top {
        let Point { beta, probabilities, log_likelihood, .. } = self.point;
        let has_impossible = !self.problem.impossible.is_empty();
        Top { beta, log_likelihood, probabilities, information: self.information, has_impossible }
    }

    /// The point after the next step, halved until the value rises, or if asked for doubled while it rises; and
    /// whether the step was taken as it is.
    fn advance(&self, longer: bool) -> Option<(Point, bool)> {
        let (problem, point) = (&self.problem, &self.point);
        let mut step = self.next.step.clone();
        let mut changes = problem.energies(&step);
        for (change, &is_impossible) in changes.iter_mut().zip(&problem.impossible) {
            if is_impossible {
                *change = 0.0;
            }
        }
        let length = changes.iter().fold(0.0, |longest: f64, change| longest.max(change.abs()));
        if length > LONGEST_STEP {
            for by in step.iter_mut().chain(&mut changes) {
                *by *= LONGEST_STEP / length;
            }
        }
        let moved = |from: &[f64], by: &[f64], share: f64| -> Vec<f64> {
            from.iter().zip(by).map(|(at, by)| at + share * by).collect()
        };
        let after = |share: f64| {
            problem.at(moved(&point.beta, &step, share), moved(&point.energies, &changes, share))
        };
        let next = after(1.0);
        if next.value >= point.value {
            return Some(if longer { stretched(next, after) } else { (next, true) });
        }
        let mut shorter = (1..MOST_HALVINGS).map(|halvings| after(libm::exp2(f64::from(-halvings))));
        Some((shorter.find(|next| next.value >= point.value)?, false))
    }
}

/// A step, and about what it gains.
struct Move {
    gradient: Vec<f64>,
    step: Vec<f64>,
    gain: f64,
    curvature: Curvature,
}

impl Move {
    fn new(factor: Cholesky, gradient: Vec<f64>) -> Self {
        let curvature = Curvature { factor, changes: Vec::new() };
        let step = curvature.solve(&gradient);
        Self { gain: dot(&gradient, &step) / 2.0, gradient, step, curvature }
    }

    /// Becomes the step after this one, by the same second derivatives; `false` where they serve no longer.
    fn goes_on(&mut self, before: &[f64], after: &[f64], gradient: &[f64]) -> bool {
        let difference =
            |one: &[f64], other: &[f64]| -> Vec<f64> { one.iter().zip(other).map(|(a, b)| a - b).collect() };
        let (step, bend) = (difference(after, before), difference(&self.gradient, gradient));
        let product = dot(&step, &bend);
        if product > 0.0 {
            self.curvature.changes.push(Change { step, bend, product });
        }
        let step = self.curvature.solve(gradient);
        let gain = dot(gradient, &step) / 2.0;
        let serves = gain <= SERVES * self.gain;
        if serves {
            (self.gradient, self.step, self.gain) = (gradient.to_vec(), step, gain);
        }
        serves
    }
}

/// The second derivatives at one point, and what the steps since then told about them.
struct Curvature {
    factor: Cholesky,
    changes: Vec<Change>,
}

/// A step, by how much the derivatives fell, and the product of both.
struct Change {
    step: Vec<f64>,
    bend: Vec<f64>,
    product: f64,
}

impl Curvature {
    /// The step that these derivatives ask for: the two loops of BFGS.
    fn solve(&self, gradient: &[f64]) -> Vec<f64> {
        let mut right = gradient.to_vec();
        let mut shares = Vec::with_capacity(self.changes.len());
        for Change { step, bend, product } in self.changes.iter().rev() {
            let share = dot(step, &right) / product;
            right.iter_mut().zip(bend).for_each(|(value, bend)| *value -= share * bend);
            shares.push(share);
        }
        let mut solved = self.factor.solve(&right);
        for (Change { step, bend, product }, share) in self.changes.iter().zip(shares.into_iter().rev()) {
            let by = share - dot(bend, &solved) / product;
            solved.iter_mut().zip(step).for_each(|(value, step)| *value += by * step);
        }
        solved
    }
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
    fn problem(levels: usize) -> Problem {
        let design = design(&[
            &[(0, 1.0)],
            &[(0, 1.0), (1, 1.0)],
            &[(0, 1.0), (2, 1.0), (3, -1.0)],
            &[(0, 1.0), (1, 1.0), (2, 1.0)],
            &[(0, 1.0), (3, 2.0)],
        ]);
        let count = |place: usize| ((place * 7 + place * place) % 11 + 1) as f64 * 20.0;
        Problem::new((design, 4), ((0..5 * levels).map(count).collect(), levels), Vec::new())
    }

    fn design(classes: &[&[(usize, f64)]]) -> Design {
        let mut design = Design::default();
        for features in classes {
            for &(feature, weight) in *features {
                design.push(feature, weight);
            }
            design.end();
        }
        design
    }

    fn top(mut climb: Climb) -> Top {
        assert!(climb.rise(f64::NEG_INFINITY));
        climb.top()
    }

    #[test]
    fn a_maximum_has_no_slope_from_wherever_it_starts() {
        for levels in 2..=4 {
            let found = top(Climb::new(problem(levels)));
            let again = problem(levels).start(found.beta.clone());
            let slope = problem(levels).gradient(&again);
            assert!(slope.iter().all(|by| by.abs() < 1e-2), "{slope:?}");
            // Log-odds that are carried along from step to step are those of the parameters.
            let (one, other) = (found.log_likelihood, again.log_likelihood);
            assert!((one - other).abs() < 1e-9, "{one} {other}");
            let beta: Vec<f64> = found.beta.iter().map(|at| 2.0 - 3.0 * at).collect();
            // Second derivatives that are wrong cost steps and nothing else.
            let wrong: Triangle = (0..beta.len()).map(|row| [vec![0.0; row], vec![900.0]].concat()).collect();
            for information in [None, Some(wrong)] {
                let guess = Guess { information, ..Guess::alone(beta.clone()) };
                let far = Climb::from(problem(levels), guess);
                let other = top(far).log_likelihood;
                assert!((one - other).abs() < 1e-6, "{one} {other}");
            }
        }
    }

    #[test]
    fn second_derivatives_by_parts_are_those_at_once() {
        for levels in 2..=4 {
            let problem = problem(levels);
            let point = problem.start((0..4 * (levels - 1)).map(|at| 0.3 * at as f64 - 0.5).collect());
            let whole = problem.information(&point.probabilities);
            let open = [false, true, false, true];
            let mut parts = whole.clone();
            for (place, row) in parts.iter_mut().enumerate() {
                for (column, value) in row.iter_mut().enumerate() {
                    if open[place / (levels - 1)] || open[column / (levels - 1)] {
                        *value = 0.0;
                    }
                }
            }
            problem.add_information(&point.probabilities, &mut parts, |feature| open[feature]);
            let near = |one: &f64, other: &f64| (one - other).abs() < 1e-9;
            let all = whole.iter().flatten().zip(parts.iter().flatten());
            assert!(all.clone().all(|(one, other)| near(one, other)), "{whole:?} {parts:?}");
        }
    }

    #[test]
    fn what_runs_away_comes_near_its_supremum_in_few_steps() {
        // The second class never has level 1, so that its parameter has no finite estimate.
        let supremum = 300.0 * libm::log(0.75) + 100.0 * libm::log(0.25);
        for impossible in [Vec::new(), vec![false, false, false, true]] {
            let is_known = !impossible.is_empty();
            let design = design(&[&[(0, 1.0)], &[(0, 1.0), (1, 1.0)]]);
            let counts = vec![300.0, 100.0, 500.0, 0.0];
            let found = top(Climb::new(Problem::new((design, 2), (counts, 2), impossible)));
            let off = (found.log_likelihood - supremum).abs();
            assert!(off < if is_known { 1e-9 } else { 1e-5 }, "{off}");
            assert!(is_known || found.beta[1] < -15.0, "{:?}", found.beta);
        }
    }

    #[test]
    fn a_climb_that_cannot_reach_what_is_needed_is_given_up() {
        for levels in 2..=4 {
            let most = top(Climb::new(problem(levels))).log_likelihood;
            let far = || Climb::from(problem(levels), Guess::alone(vec![1.5; 4 * (levels - 1)]));
            assert!(far().rise(most - 1e-3));
            let mut hopeless = far();
            assert!(!hopeless.rise(most + 1e4) && hopeless.most() >= most);
        }
    }
}
