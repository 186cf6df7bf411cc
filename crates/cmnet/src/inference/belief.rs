//! Loopy belief propagation on the maximal cliques: fast, exact on trees of cliques that
//! share single variables, an approximation elsewhere that says whether it settled. With
//! maxima instead of sums it points to a probable completion.

use super::evidence::impossible;
use super::factors::Factors;
use super::network::Network;
use super::options::BeliefOptions;
use super::plan::Asked;
use crate::control::{Control, Pace, Under};
use crate::data::Var;
use crate::error::Result;
use crate::table::{Shape, add_along, softmax, softmax_under};

/// How belief propagation ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Belief {
    /// Whether messages settled.
    pub converged: bool,
    /// Rounds taken.
    pub rounds: usize,
    /// The largest change of a message in the last round.
    pub change: f64,
}

impl Network {
    /// Approximates all marginals by loopy belief propagation.
    ///
    /// # Errors
    /// When the clique tables do not fit the memory, or the evidence has probability 0.
    pub(super) fn belief<T: Copy>(&self, asked: Asked<'_, T>) -> Result<(Vec<Vec<f64>>, Belief)> {
        let Asked { evidence, options, .. } = asked;
        let factors = self.factors_under(evidence, options.exact.memory, options.control())?;
        let (messages, belief) = Messages::settle(&factors, Over::Sum, options.with(&options.belief))?;
        let mut marginals = Vec::new();
        for (v, &levels) in self.cardinalities().iter().enumerate() {
            let mut marginal = vec![0.0; levels as usize];
            if let Some(level) = evidence.level(v) {
                marginal[level as usize] = 1.0;
            } else {
                marginal = messages.belief(v, None);
                softmax(&mut marginal);
            }
            if marginal.iter().all(|&p| p == 0.0) {
                return Err(impossible());
            }
            marginals.push(marginal);
        }
        Ok((marginals, belief))
    }
}

/// A row in which each unobserved variable has the level that max-product messages, as they
/// are after some rounds, think best; others keep theirs.
pub(super) fn max_product(
    factors: &Factors,
    options: Under<'_, BeliefOptions>,
    row: &mut [u32],
) -> Result<Belief> {
    let (messages, belief) = Messages::settle(factors, Over::Max, options)?;
    for v in factors.free().iter() {
        row[v] = first_largest(&messages.belief(v, None));
    }
    Ok(belief)
}

/// The first place of the largest value.
pub(super) fn first_largest(values: &[f64]) -> u32 {
    let mut best = 0;
    for (place, value) in values.iter().enumerate() {
        if *value > values[best] {
            best = place;
        }
    }
    best as u32
}

/// What a table tells a variable about its own other variables: their sum, or the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Over {
    Sum,
    Max,
}

/// Log messages from each table to each of its variables.
struct Messages<'a> {
    factors: &'a Factors,
    over: Over,
    by_table: Vec<Vec<Vec<f64>>>,
}

impl<'a> Messages<'a> {
    /// Sends messages until they settle or the rounds run out.
    ///
    /// The first messages are what each table says of each variable on average. A term of one
    /// variable stands in one table only and the tables around it make up for that: where there
    /// are several ends to settle in, messages that begin with nothing see half of the matter and
    /// may settle in the wrong one.
    fn settle(factors: &'a Factors, over: Over, options: Under<'_, BeliefOptions>) -> Result<(Self, Belief)> {
        let first = |(shape, values): (&Shape, &[f64])| {
            (0..shape.cardinalities().len()).map(|place| means(shape, place, values)).collect()
        };
        let by_table = factors.potentials.iter().map(first).collect();
        let mut messages = Self { factors, over, by_table };
        let mut belief = Belief { converged: false, rounds: 0, change: 0.0 };
        while !belief.converged && belief.rounds < options.rounds {
            let damping = if belief.rounds < 10 { 0.0 } else { options.damping };
            belief.change = messages.round(damping, options.control())?;
            belief.rounds += 1;
            belief.converged = belief.change <= options.tolerance;
        }
        Ok((messages, belief))
    }

    /// The sum of the messages to a variable, from all tables but one.
    fn belief(&self, variable: Var, but: Option<usize>) -> Vec<f64> {
        let mut sum = vec![0.0; self.factors.cardinalities()[variable] as usize];
        let potentials = &self.factors.potentials;
        for &(table, _) in potentials.at(variable).iter().filter(|&&(table, _)| Some(table) != but) {
            let place = potentials.table(table).0.variables().iter().position(|&v| v == variable);
            let Some(place) = place else { continue };
            sum.iter_mut().zip(&self.by_table[table][place]).for_each(|(sum, m)| *sum += m);
        }
        sum
    }

    /// Renews the messages of every table in turn; returns the largest change of a
    /// probability.
    fn round(&mut self, damping: f64, control: &dyn Control) -> Result<f64> {
        let mut change: f64 = 0.0;
        let mut pace = Pace::new(control);
        for table in 0..self.by_table.len() {
            let (shape, values) = self.factors.potentials.table(table);
            pace.step(values.len())?;
            let incoming: Vec<Vec<f64>> =
                shape.variables().iter().map(|&v| self.belief(v, Some(table))).collect();
            let mut weights = values.to_vec();
            for (&v, message) in shape.variables().iter().zip(&incoming) {
                add_along(shape, v, message, &mut weights, &mut pace)?;
            }
            if self.over == Over::Sum {
                softmax_under(&mut weights, &mut pace)?;
            }
            for (place, message) in incoming.iter().enumerate() {
                pace.step(weights.len())?;
                let mut new = match self.over {
                    Over::Sum => log_sums(shape, place, &weights),
                    Over::Max => maxima(shape, place, &weights),
                };
                divide(&mut new, message);
                change = change.max(self.replace(table, place, new, damping));
            }
        }
        Ok(change)
    }

    fn replace(&mut self, table: usize, place: usize, mut new: Vec<f64>, damping: f64) -> f64 {
        let old = &mut self.by_table[table][place];
        if damping > 0.0 {
            for (new, &old) in new.iter_mut().zip(&*old) {
                if *new > f64::NEG_INFINITY && old > f64::NEG_INFINITY {
                    *new = (1.0 - damping) * *new + damping * old;
                }
            }
        }
        let probability = |message: &[f64]| {
            let mut values = message.to_vec();
            softmax(&mut values);
            values
        };
        let pairs = probability(&new).into_iter().zip(probability(old));
        let change = pairs.map(|(one, other)| (one - other).abs()).fold(0.0, f64::max);
        *old = new;
        change
    }
}

/// The mean of a table of logarithms over all variables but one, of the cells that are possible.
fn means(shape: &Shape, place: usize, logs: &[f64]) -> Vec<f64> {
    let (stride, levels) = (shape.strides()[place], shape.cardinalities()[place] as usize);
    let mut sums = vec![(0.0, 0_u32); levels];
    for block in logs.chunks_exact(stride * levels) {
        for (run, (sum, count)) in block.chunks_exact(stride).zip(&mut sums) {
            for &log in run.iter().filter(|log| log.is_finite()) {
                *sum += log;
                *count += 1;
            }
        }
    }
    let mean = |(sum, count): (f64, u32)| if count > 0 { sum / f64::from(count) } else { f64::NEG_INFINITY };
    let mut means: Vec<f64> = sums.into_iter().map(mean).collect();
    scale(&mut means);
    means
}

/// The logarithms of a table's sums over all variables but one.
fn log_sums(shape: &Shape, place: usize, weights: &[f64]) -> Vec<f64> {
    let (stride, levels) = (shape.strides()[place], shape.cardinalities()[place] as usize);
    let mut sums = vec![0.0; levels];
    for block in weights.chunks_exact(stride * levels) {
        block.chunks_exact(stride).zip(&mut sums).for_each(|(run, sum)| *sum += run.iter().sum::<f64>());
    }
    sums.iter().map(|&sum| if sum > 0.0 { libm::log(sum) } else { f64::NEG_INFINITY }).collect()
}

/// The largest values of a table of logarithms over all variables but one.
fn maxima(shape: &Shape, place: usize, logs: &[f64]) -> Vec<f64> {
    let (stride, levels) = (shape.strides()[place], shape.cardinalities()[place] as usize);
    let mut best = vec![f64::NEG_INFINITY; levels];
    for block in logs.chunks_exact(stride * levels) {
        for (run, best) in block.chunks_exact(stride).zip(&mut best) {
            *best = run.iter().copied().fold(*best, f64::max);
        }
    }
    best
}

/// Takes out of a message what came in from its variable, and scales it to a largest of 1.
fn divide(message: &mut [f64], incoming: &[f64]) {
    for (value, came) in message.iter_mut().zip(incoming) {
        *value = if *value > f64::NEG_INFINITY { *value - came } else { f64::NEG_INFINITY };
    }
    scale(message);
}

/// Scales a message to a largest of 1.
fn scale(message: &mut [f64]) {
    let largest = message.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest > f64::NEG_INFINITY {
        for value in message.iter_mut() {
            *value -= largest;
        }
    }
}
