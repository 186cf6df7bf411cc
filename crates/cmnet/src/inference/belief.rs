//! Loopy belief propagation on the maximal cliques: fast, exact on trees of cliques that
//! share single variables, an approximation elsewhere that says whether it settled.

use super::ask::Ask;
use super::evidence::Evidence;
use super::factors::{Factors, to_probabilities};
use super::network::Network;
use super::posterior::impossible;
use super::shape::Shape;
use crate::data::Var;
use crate::error::Result;

/// How belief propagation runs.
#[derive(Clone, Debug, PartialEq)]
pub struct BeliefOptions {
    /// The most rounds over all cliques. [default: 1000]
    pub rounds: usize,
    /// Messages that change by no more than this have settled. [default: 1e-9]
    pub tolerance: f64,
    /// The share of the old message that a new one keeps, from the tenth round on.
    /// [default: 0.3]
    pub damping: f64,
}

impl Default for BeliefOptions {
    fn default() -> Self {
        Self { rounds: 1000, tolerance: 1e-9, damping: 0.3 }
    }
}

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
    pub fn belief(
        &self,
        evidence: &Evidence,
        ask: &Ask,
        options: &BeliefOptions,
    ) -> Result<(Vec<Vec<f64>>, Belief)> {
        let factors = self.factors(evidence, ask.memory)?;
        let mut messages = Messages::new(&factors);
        let mut belief = Belief { converged: false, rounds: 0, change: 0.0 };
        while !belief.converged && belief.rounds < options.rounds {
            let damping = if belief.rounds < 10 { 0.0 } else { options.damping };
            belief.change = messages.round(damping);
            belief.rounds += 1;
            belief.converged = belief.change <= options.tolerance;
        }
        let mut marginals = Vec::new();
        for (v, &levels) in self.cardinalities().iter().enumerate() {
            let mut marginal = vec![0.0; levels as usize];
            if let Some(level) = evidence.level(v) {
                marginal[level as usize] = 1.0;
            } else {
                marginal = messages.belief(v, None);
                to_probabilities(&mut marginal);
            }
            if marginal.iter().all(|&p| p == 0.0) {
                return Err(impossible());
            }
            marginals.push(marginal);
        }
        Ok((marginals, belief))
    }
}

/// Log messages from each table to each of its variables.
struct Messages<'a> {
    factors: &'a Factors,
    by_table: Vec<Vec<Vec<f64>>>,
}

impl<'a> Messages<'a> {
    fn new(factors: &'a Factors) -> Self {
        let zeros = |(shape, _): &(Shape, Vec<f64>)| {
            shape.cardinalities().iter().map(|&levels| vec![0.0; levels]).collect()
        };
        Self { factors, by_table: factors.tables.iter().map(zeros).collect() }
    }

    /// The sum of the messages to a variable, from all tables but one.
    fn belief(&self, variable: Var, but: Option<usize>) -> Vec<f64> {
        let mut sum = vec![0.0; self.factors.cardinalities[variable] as usize];
        for &(table, _) in self.factors.at[variable].iter().filter(|&&(table, _)| Some(table) != but) {
            let place = self.factors.tables[table].0.variables().iter().position(|&v| v == variable);
            let Some(place) = place else { continue };
            sum.iter_mut().zip(&self.by_table[table][place]).for_each(|(sum, m)| *sum += m);
        }
        sum
    }

    /// Renews the messages of every table in turn; returns the largest change of a
    /// probability.
    fn round(&mut self, damping: f64) -> f64 {
        let mut change: f64 = 0.0;
        for table in 0..self.by_table.len() {
            let (shape, values) = &self.factors.tables[table];
            let incoming: Vec<Vec<f64>> =
                shape.variables().iter().map(|&v| self.belief(v, Some(table))).collect();
            let mut weights = values.clone();
            for (&v, message) in shape.variables().iter().zip(&incoming) {
                super::network::add_along(shape, v, message, &mut weights);
            }
            to_probabilities(&mut weights);
            for (place, message) in incoming.iter().enumerate() {
                let new = outgoing(shape, place, &weights, message);
                change = change.max(self.replace(table, place, new, damping));
            }
        }
        change
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
            to_probabilities(&mut values);
            values
        };
        let pairs = probability(&new).into_iter().zip(probability(old));
        let change = pairs.map(|(one, other)| (one - other).abs()).fold(0.0, f64::max);
        *old = new;
        change
    }
}

/// The message of a table to one of its variables: its marginal, divided by what came in.
fn outgoing(shape: &Shape, place: usize, weights: &[f64], incoming: &[f64]) -> Vec<f64> {
    let (stride, levels) = (shape.strides()[place], shape.cardinalities()[place]);
    let mut sums = vec![0.0; levels];
    for block in weights.chunks_exact(stride * levels) {
        block.chunks_exact(stride).zip(&mut sums).for_each(|(run, sum)| *sum += run.iter().sum::<f64>());
    }
    let log = |(sum, came): (&f64, &f64)| if *sum > 0.0 { libm::log(*sum) - came } else { f64::NEG_INFINITY };
    let mut message: Vec<f64> = sums.iter().zip(incoming).map(log).collect();
    let largest = message.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest > f64::NEG_INFINITY {
        for value in &mut message {
            *value -= largest;
        }
    }
    message
}
