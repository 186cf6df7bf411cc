//! A node's conditional with its maximal likelihood: from scratch, or from that of a family with more or fewer
//! terms.

use super::family::Family;
use super::newton::{Climb, Guess, Problem, Top, Triangle};
use super::rows::{Classes, Rows};
use crate::data::Var;
use crate::graph::VarSet;
use crate::loglinear::{Cholesky, dot};

/// The most parameters whose second derivatives are kept for the families that are tried next.
const MOST_KEPT: usize = 192;

/// A node's conditional, fitted.
#[derive(Clone, Debug)]
pub(super) struct NodeFit {
    family: Family,
    /// For each free feature and level above 0.
    beta: Vec<f64>,
    pub(super) log_likelihood: f64,
    /// About minus the second derivatives; `None` for many parameters.
    information: Option<Triangle>,
    /// Whether some level has no chance in some class.
    has_impossible: bool,
}

impl NodeFit {
    /// The fit of a family, and for each class and level of the node its probability.
    pub(super) fn of(rows: &Rows, node: Var, family: Family, classes: &Classes) -> (Self, Vec<f64>) {
        let problem = family.problem(rows, node, classes);
        let mut climb = Climb::new(problem);
        climb.rise(f64::NEG_INFINITY);
        Self::at(family, climb.top())
    }

    fn at(family: Family, top: Top) -> (Self, Vec<f64>) {
        let Top { beta, log_likelihood, probabilities, information, has_impossible } = top;
        let information = Some(information).filter(|_| beta.len() <= MOST_KEPT);
        (Self { family, beta, log_likelihood, information, has_impossible }, probabilities)
    }

    /// Whether contexts restrict its parameters.
    pub(super) fn is_restricted(&self) -> bool {
        self.family.is_restricted()
    }

    /// The number of free parameters.
    pub(super) fn parameters(&self) -> usize {
        self.family.parameters()
    }

    /// How many parameters belong to terms with all of a set.
    pub(super) fn parameters_with(&self, set: &VarSet) -> usize {
        (0..self.beta.len()).filter(|&at| self.has(at, set)).count()
    }

    /// Whether a parameter is one of a term with all of a set.
    fn has(&self, parameter: usize, set: &VarSet) -> bool {
        let members = self.family.members(parameter);
        set.iter().all(|member| members.contains(member))
    }

    /// For each of some sets of neighbours, about what the log-likelihood loses without the terms
    /// that have all of it: half of Wald's statistic.
    pub(super) fn losses(&self, rows: &Rows, node: Var, classes: &Classes, sets: &[VarSet]) -> Vec<f64> {
        let factor = match &self.information {
            Some(information) => Cholesky::new(information),
            None => Cholesky::new(&self.family.problem(rows, node, classes).information_at(&self.beta)),
        };
        // The inverse is the product of these halves, transposed, and themselves.
        let halves = factor.inverse_halves();
        let loss = |set: &VarSet| {
            let own: Vec<usize> = (0..self.beta.len()).filter(|&at| self.has(at, set)).collect();
            // The covariance of these parameters: rows and columns of the inverse.
            let entry = |low: usize, high: usize| dot(&halves[low][high - low..], &halves[high]);
            let covariance: Vec<Vec<f64>> = (0..own.len())
                .map(|row| own[..=row].iter().map(|&other| entry(other, own[row])).collect())
                .collect();
            let values: Vec<f64> = own.iter().map(|&at| self.beta[at]).collect();
            Cholesky::new(&covariance).inverse_form(values) / 2.0
        };
        sets.iter().map(loss).collect()
    }

    /// For each class and level of the node, its probability.
    pub(super) fn probabilities(&self, rows: &Rows, node: Var, classes: &Classes) -> Vec<f64> {
        self.family.problem(rows, node, classes).probabilities(&self.beta)
    }

    /// What is known here about the maximum of another family of the same node.
    fn guess(
        &self,
        (rows, node, classes): (&Rows, Var, &Classes),
        family: &Family,
        problem: &Problem,
    ) -> Guess {
        let free = family.free_levels;
        let shared = match &self.information {
            Some(information) if !self.is_restricted() && !family.is_restricted() => {
                Some((information, self.family.shared(family)))
            }
            _ => None,
        };
        let Some((information, shared)) = shared else {
            return Guess::alone(self.family.values_for(family, &self.beta));
        };
        // For each parameter that both have, its number here and there.
        let both: Vec<(usize, usize)> = shared
            .into_iter()
            .flat_map(|(here, there, len)| {
                (0..len * free).map(move |at| (here * free + at, there * free + at))
            })
            .collect();
        if both.len() == self.beta.len() {
            // More terms.
            let mut beta = vec![0.0; family.parameters()];
            for &(here, there) in &both {
                beta[there] = self.beta[here];
            }
            if !problem.impossible.is_empty()
                && problem.impossible != self.family.impossible_in(rows, node, classes)
            {
                return Guess::alone(beta);
            }
            let mut triangle: Triangle = (0..beta.len()).map(|row| vec![0.0; row + 1]).collect();
            let mut open = vec![true; family.width()];
            for (at, &(here, there)) in both.iter().enumerate() {
                open[there / free] = false;
                for &(h, t) in &both[..=at] {
                    triangle[there][t] = information[here][h];
                }
            }
            return Guess { beta, information: Some(triangle), factor: None, open };
        }
        // Fewer terms: where the parabola around the maximum here has its top without the others.
        let triangle: Triangle = (0..both.len())
            .map(|row| both[..=row].iter().map(|&(here, _)| information[both[row].0][here]).collect())
            .collect();
        let mut is_gone = vec![true; self.beta.len()];
        for &(here, _) in &both {
            is_gone[here] = false;
        }
        let gone: Vec<usize> = (0..self.beta.len()).filter(|&at| is_gone[at]).collect();
        let entry = |one: usize, other: usize| information[one.max(other)][one.min(other)];
        let pull = |&(here, _): &(usize, usize)| gone.iter().map(|&at| entry(here, at) * self.beta[at]).sum();
        let factor = Cholesky::new(&triangle);
        let moved = factor.solve(&both.iter().map(pull).collect::<Vec<f64>>());
        let beta = both.iter().zip(moved).map(|(&(here, _), by)| self.beta[here] + by).collect();
        if self.has_impossible {
            return Guess::alone(beta);
        }
        Guess { beta, information: Some(triangle), factor: Some(factor), open: Vec::new() }
    }
}

/// A fit of another family of a node, not yet at its maximum.
pub(super) struct Attempt<'a> {
    pub(super) node: Var,
    earlier: &'a NodeFit,
    family: Family,
    climb: Climb,
}

impl<'a> Attempt<'a> {
    pub(super) fn new(
        rows: &Rows,
        (node, blanket): (Var, &VarSet),
        family: Family,
        earlier: &'a NodeFit,
    ) -> Self {
        let classes = Classes::of(rows, node, blanket);
        let problem = family.problem(rows, node, &classes);
        let guess = earlier.guess((rows, node, &classes), &family, &problem);
        Self { node, earlier, climb: Climb::from(problem, guess), family }
    }

    /// What the log-likelihood may gain over the earlier fit.
    pub(super) fn most(&self) -> f64 {
        self.climb.most() - self.earlier.log_likelihood
    }

    /// The fit with what it gains; what it may gain where that is less than is needed.
    pub(super) fn fit(mut self, needed: f64) -> Result<(NodeFit, f64), f64> {
        if !self.climb.rise(self.earlier.log_likelihood + needed) {
            return Err(self.most());
        }
        let fit = NodeFit::at(self.family, self.climb.top()).0;
        let gain = fit.log_likelihood - self.earlier.log_likelihood;
        Ok((fit, gain))
    }
}
