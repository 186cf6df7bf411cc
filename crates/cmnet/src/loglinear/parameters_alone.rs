//! Parameters with a ridge, and parameters without the bare estimate: to predict rows, or one
//! variable of them.

use super::coordinates::Coordinates;
use super::held::Held;
use super::job::{Bare, Job, Used, Wanted};
use super::margins::Smoothing;
use super::newton::{Ending, newton};
use super::objective::Objective;
use super::part::Part;
use super::penalty::{Penalized, Penalty};
use super::pseudo::PseudoLikelihood;
use crate::control::Halting;
use crate::data::Var;
use crate::graph::VarSet;
use std::sync::Arc;

/// Where an optimisation starts.
pub(super) struct Start {
    pub(super) beta: Vec<f64>,
    pub(super) pseudo_counts: f64,
}

impl Job<'_> {
    /// The estimate with a ridge, from a start.
    pub(super) fn penalized<O: Objective>(
        &self,
        part: &Part,
        plain: O,
        start: Start,
        log_partition: impl Fn(&O::Point) -> f64,
    ) -> Halting<Used> {
        let rows = self.request.counts.total();
        let objective = self.with_ridge(part, plain, start.pseudo_counts, |_| true);
        let found = newton(&objective, start.beta, self.stop(rows))?;
        Ok(Used {
            phi: objective.coordinates().expand(&found.beta),
            log_partition: log_partition(&found.point.plain),
            gradient: found.gradient,
            iterations: found.iterations,
            converged: found.ending != Ending::IterationLimit,
            log_likelihood: None,
        })
    }

    /// A function of the terms less the ridge on the sets that count.
    fn with_ridge<O: Objective>(
        &self,
        part: &Part,
        plain: O,
        pseudo_counts: f64,
        counts: impl Fn(&VarSet) -> bool,
    ) -> Penalized<O> {
        let penalty = Penalty::new(self.terms, part, &self.request.options.ridge, counts);
        Penalized::new(plain, Arc::new(penalty), self.request.counts.total() + pseudo_counts)
    }

    /// The parameters alone, and their likelihood.
    pub(super) fn unjudged<'b, O: Objective + 'b>(
        &'b self,
        part: &'b Part,
        objective: impl Fn(f64) -> Halting<O> + Send + 'b,
        log_partition: impl Fn(&O::Point) -> f64 + Send + 'b,
    ) -> Bare<'b> {
        Bare::parameters_alone(move |pseudo_counts| {
            let rows = self.request.counts.total();
            let stop = self.stop(rows);
            let penalized = self.with_ridge(part, objective(pseudo_counts)?, pseudo_counts, |_| true);
            let (start, climbed) = self.approach(part, &penalized, stop)?;
            let found = newton(&penalized, start, stop)?;
            let bare = objective(0.0)?;
            let mut point = bare.point();
            bare.move_to(&found.beta, &mut point, self.control)?;
            Ok(Used {
                phi: bare.coordinates().expand(&found.beta),
                log_partition: log_partition(&found.point.plain),
                gradient: found.gradient,
                iterations: climbed + found.iterations,
                converged: found.ending != Ending::IterationLimit,
                log_likelihood: Some(rows * bare.plain_value(&point)),
            })
        })
    }

    /// The terms of a target by its conditional likelihood, and the others by the
    /// pseudo-likelihood of the other variables given those terms.
    pub(super) fn predicting<'b>(
        &'b self,
        target: Var,
        part: &'b Part,
        pseudo: PseudoLikelihood,
    ) -> Bare<'b> {
        Bare::parameters_alone(move |pseudo_counts| {
            let rows = self.request.counts.total();
            let stop = self.stop(rows);
            let coordinates = pseudo.coordinates().clone();
            let moves_target = self.coordinates_of(target, part, &coordinates);
            let mut beta = self.start(part, &coordinates);
            let mut used = Used {
                phi: Vec::new(),
                log_partition: 0.0,
                gradient: 0.0,
                iterations: 0,
                converged: true,
                log_likelihood: Some(0.0),
            };
            let stages = if self.wanted == Wanted::Predictions { &[true][..] } else { &[true, false] };
            for &own in stages {
                let plain = pseudo.clone().of_variables(|v| (v == target) == own);
                let bare = plain.clone().with_smoothing(Smoothing(0.0));
                let plain = plain.with_smoothing(Smoothing(pseudo_counts));
                let counts = |set: &VarSet| set.contains(target) == own;
                let penalized = self.with_ridge(part, plain, pseudo_counts, counts);
                let is_free = moves_target.iter().map(|&moves| moves == own).collect();
                let found = newton(&Held::new(penalized, is_free), beta, stop)?;
                used.gradient = used.gradient.max(found.gradient);
                used.iterations += found.iterations;
                used.converged &= found.ending != Ending::IterationLimit;
                beta = found.beta;
                let mut point = bare.point();
                bare.move_to(&beta, &mut point, self.control)?;
                used.log_likelihood = used.log_likelihood.map(|sum| sum + rows * bare.plain_value(&point));
            }
            used.phi = coordinates.expand(&beta);
            Ok(used)
        })
    }

    /// Whether each coordinate moves a term with a variable.
    fn coordinates_of(&self, variable: Var, part: &Part, coordinates: &Coordinates) -> Vec<bool> {
        let mut moves = vec![false; coordinates.len()];
        for (local, &term) in part.terms.iter().enumerate() {
            if self.terms.set_of(term).variables().contains(variable) {
                coordinates.expansion(local).for_each(|(beta, _)| moves[beta] = true);
            }
        }
        moves
    }
}
