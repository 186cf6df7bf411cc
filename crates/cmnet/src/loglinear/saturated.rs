//! Pseudo-likelihood of a large component that is complete and without contexts.
//!
//! Its model has a parameter for every cell. So the observed shares reach the largest value of all conditionals
//! at once, and no optimiser has to follow the terms that run away. With pseudo-counts, which differ from one
//! conditional to the other, the maximum is near the logarithms of counts that are raised a little.

use super::decomposable::Decomposable;
use super::job::{Bare, FitRequest, Job, Used, Wanted};
use super::margins::Smoothing;
use super::newton::{Ending, newton};
use super::objective::Objective;
use super::options::FitStatus;
use super::part::Part;
use super::pseudo::PseudoLikelihood;
use crate::control::Halting;
use crate::tree::best_plan;

/// The most terms of a component that is left to the optimiser.
const MOST_BY_CLIMB: usize = 1000;

impl Job<'_> {
    /// The counts of a component that has a parameter for every cell, if it is one and large.
    pub(super) fn saturated<'b>(&'b self, part: &'b Part) -> Halting<Option<Decomposable<'b>>> {
        let FitRequest { structure, options, counts, .. } = self.request;
        let variables: Vec<usize> = part.variables.iter().collect();
        let is_saturated = part.terms.len() > MOST_BY_CLIMB
            && structure.graph().is_complete(&part.variables)
            && structure.contexts().all(|context| !part.variables.contains(context.edge().low()))
            && self.terms.are_all_of(&variables);
        if !is_saturated || self.wanted != Wanted::Judgement || !options.ridge.is_none() {
            return Ok(None);
        }
        let cardinalities = self.terms.cardinalities();
        // The pseudo-likelihood has tables of the same size already.
        let plan = best_plan(structure.graph(), &part.variables, cardinalities, u64::MAX);
        let tree = plan.build(cardinalities, u64::MAX)?;
        Decomposable::new(self.terms, part, &tree, counts, self.control).map(Some)
    }

    /// The estimate of such a component.
    pub(super) fn by_counts<'b>(&'b self, form: Decomposable<'b>, pseudo: PseudoLikelihood) -> Bare<'b> {
        let boundary = form.runaways();
        Bare {
            log_likelihood: pseudo.supremum(),
            status: if boundary.is_empty() { FitStatus::Converged } else { FitStatus::Boundary },
            boundary,
            iterations: 0,
            estimate: Box::new(move |pseudo_counts| {
                let rows = self.request.counts.total();
                // About what each cell of a conditional with one observation gets.
                let raised = Smoothing(form.cells() as f64 * pseudo_counts / (2.0 * rows));
                let (start, _) = form.estimate(raised, self.control)?;
                if pseudo_counts == 0.0 {
                    return Ok(Used { phi: start, ..Used::at_a_maximum() });
                }
                // Without contexts the coordinates are the terms.
                let objective = pseudo.with_smoothing(Smoothing(pseudo_counts));
                let found = newton(&objective, start, self.stop(rows))?;
                Ok(Used {
                    phi: objective.coordinates().expand(&found.beta),
                    gradient: found.gradient,
                    iterations: found.iterations,
                    converged: found.ending != Ending::IterationLimit,
                    ..Used::at_a_maximum()
                })
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Structure;
    use crate::counts::{CountSource, RowCounts};
    use crate::data::Dataset;
    use crate::graph::Edge;
    use crate::loglinear::coordinates::Coordinates;
    use crate::loglinear::fit::fit;
    use crate::loglinear::options::{FitMethod, FitOptions};
    use crate::loglinear::term::{Term, Terms};
    use crate::table::Shape;

    #[test]
    fn a_large_component_needs_no_optimiser_and_little_memory() {
        // Two variables of 40 levels: 1,599 terms, and no cell is empty.
        let mut structure = Structure::empty(&[40, 40]);
        structure.toggle_edge(Edge::new(0, 1).unwrap()).unwrap();
        let cells = (0..40_u32).flat_map(|a| (0..40_u32).map(move |b| (a, b)));
        let rows = cells.flat_map(|(a, b)| {
            std::iter::repeat_n([a, b].map(|level| format!("{level:02}")), 1 + (a * b % 3) as usize)
        });
        let data = Dataset::from_labels(&["a", "b"], rows.collect::<Vec<_>>()).unwrap();
        let options = FitOptions {
            method: FitMethod::Pseudo,
            smoothing: 0.0,
            memory: 1 << 20,
            ..FitOptions::default()
        };
        let fitted = fit(&structure, &data, &options).unwrap();
        assert_eq!((fitted.iterations, fitted.status, fitted.boundary.len()), (0, FitStatus::Converged, 0));
        let values = fitted.parameters.values();
        assert_eq!(values.len(), 1599);
        // ln(n_11 n_00 / (n_10 n_01)): two observations at (1, 1), one at the others.
        let term = fitted.parameters.value(&Term { variables: (0..2).collect(), levels: vec![1, 1] });
        assert!((term - libm::log(2.0)).abs() < 1e-12, "{term}");
        let ridged = FitOptions { ridge: "1".parse().unwrap(), ..options };
        assert!(fit(&structure, &data, &ridged).unwrap().iterations > 0);
    }

    #[test]
    fn counts_and_the_optimiser_give_the_same_estimate() {
        let mut structure = Structure::empty(&[2, 3, 2, 2]);
        for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            structure.toggle_edge(Edge::new(i, j).unwrap()).unwrap();
        }
        let mut with_boundary = 0;
        for rows in [10_u32, 25, 60, 400] {
            let mut state = rows;
            let mut next = |levels: u32| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                ((state >> 16) % levels).to_string()
            };
            // Every level is there.
            let first = [["0"; 4], ["1"; 4], ["0", "2", "0", "0"]].map(|row| row.map(str::to_owned));
            let drawn = (0..rows).map(|_| [next(2), next(3), next(2), next(2)]);
            let labels: Vec<[String; 4]> = first.into_iter().chain(drawn).collect();
            let data = Dataset::from_labels(&["a", "b", "c", "d"], &labels).unwrap();
            let (counts, options) = (RowCounts::new(&data), FitOptions::default());
            let terms = Terms::new(&structure, None).unwrap();
            let coordinates = Coordinates::new(&structure, &terms).unwrap();
            let part = Part::whole(&terms);
            let request = FitRequest::new(&structure, &counts, None, &options);
            let levels =
                (0..4).map(|v| counts.weights(&Shape::new(vec![v], counts.cardinalities())).unwrap());
            let job = Job {
                request,
                wanted: Wanted::Judgement,
                terms: &terms,
                coordinates: &coordinates,
                levels: levels.collect(),
                control: &(),
            };
            assert!(job.saturated(&part).unwrap().is_none(), "small components are left to the optimiser");
            let pseudo = PseudoLikelihood::new(&terms, &part, coordinates.clone(), &counts, &()).unwrap();
            let plan = best_plan(structure.graph(), &part.variables, terms.cardinalities(), 1 << 20);
            let tree = plan.build(terms.cardinalities(), 1 << 20).unwrap();
            let form = Decomposable::new(&terms, &part, &tree, &counts, &()).unwrap();
            let smoothed = pseudo.clone();
            let climbed = job
                .optimize(
                    &part,
                    move |weight| Ok(smoothed.clone().with_smoothing(Smoothing(weight))),
                    |_| 0.0,
                )
                .unwrap();
            let counted = job.by_counts(form, pseudo);
            assert!((counted.log_likelihood - climbed.log_likelihood).abs() < 1e-6);
            assert_eq!((counted.status, &counted.boundary), (climbed.status, &climbed.boundary));
            with_boundary += u32::from(!counted.boundary.is_empty());
            let pseudo_counts = if counted.boundary.is_empty() { 0.0 } else { 1.0 };
            let (one, other) =
                (counted.finish(pseudo_counts).unwrap(), climbed.finish(pseudo_counts).unwrap());
            assert!(one.used.converged && other.used.converged);
            let pairs = one.used.phi.iter().zip(&other.used.phi);
            let off = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-6 && one.used.phi.len() == terms.len(), "{rows} rows: {off}");
        }
        assert!((1..4).contains(&with_boundary), "{with_boundary}");
    }
}
