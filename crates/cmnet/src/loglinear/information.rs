//! How precisely the free coordinates are known: the inverse of the curvature at an estimate,
//! clique tree or conditionals, component by component.
//!
//! Maximum likelihood: the covariance matrix of the estimate is the inverse of the information.
//! Maximum pseudo-likelihood: the conditionals of one row are not independent of each other, so
//! that the information on both sides encloses the covariance of the rows' own derivatives
//! (Godambe's sandwich).

use super::conjugate::{Preconditioner, solve_to};
use super::coordinates::Coordinates;
use super::likelihood::Likelihood;
use super::margins::Smoothing;
use super::newton::{Stop, newton};
use super::objective::{Objective, dot};
use super::options::{Estimate, Fit, FitOptions};
use super::part::Part;
use super::pseudo::{PseudoLikelihood, RowPlaces};
use super::term::Terms;
use crate::Structure;
use crate::control::{Control, Halting, check};
use crate::counts::CountSource;
use crate::error::{Error, Remedy, Result};
use crate::tree::best_plan;
use rayon::prelude::*;

/// A weighted sum of phi-terms: numbers of terms with coefficients.
pub(crate) type Contrast = Vec<(usize, f64)>;

/// The residual of a solution that is as good as none.
pub(super) const FORCING: f64 = 1e-9;
/// A variance of a sum that the data do not bound: with next to no pseudo-counts an empty cell
/// has a variance of ten thousands, and cells that were seen once sum to less than this.
const UNBOUNDED: f64 = 1e3;
/// The most pseudo-counts that tell what the data do not bound.
const NEXT_TO_NONE: f64 = 1e-4;

/// What an estimate rests on.
#[derive(Clone, Copy)]
pub(crate) struct Estimated<'a> {
    pub(crate) structure: &'a Structure,
    pub(crate) fit: &'a Fit,
    /// The table: maximum pseudo-likelihood needs its rows.
    pub(crate) counts: Option<&'a dyn CountSource>,
    /// The most memory for tables, in bytes.
    pub(crate) memory: u64,
}

/// The curvature at an estimate, ready to be solved with.
pub(crate) struct Information {
    parts: Vec<PartInformation>,
    /// For each term its part, and its place there.
    homes: Vec<(usize, usize)>,
}

struct PartInformation {
    kind: Kind,
    /// The same with next to no pseudo-counts, where some terms have no finite estimate.
    bare: Option<Kind>,
    rows: f64,
}

enum Kind {
    Exact(Box<Solver<Likelihood>>),
    Pseudo(Box<Solver<PseudoLikelihood>>, RowPlaces),
}

struct Solver<O: Objective> {
    objective: O,
    point: O::Point,
    factor: Preconditioner,
}

impl Information {
    /// The information of an estimate.
    pub(crate) fn new(estimated: Estimated<'_>, control: &dyn Control) -> Halting<Self> {
        let Estimated { structure, fit, .. } = estimated;
        check_usable(&estimated)?;
        let terms = fit.parameters.terms();
        let coordinates = Coordinates::under(structure, terms, control)?;
        let parts = Part::components(terms, structure.graph());
        let mut homes = vec![(0, 0); terms.len()];
        for (index, part) in parts.iter().enumerate() {
            part.terms.iter().enumerate().for_each(|(place, &term)| homes[term] = (index, place));
        }
        let job = Job { estimated, terms, control };
        let one = |part: &Part| job.part(part, coordinates.restrict(&part.terms));
        Ok(Self { parts: parts.par_iter().map(one).collect::<Halting<_>>()?, homes })
    }

    /// The covariance matrix of some sums of terms, as whole rows; `None` where the data do not
    /// bound one of them, so that there is none.
    pub(crate) fn covariance(
        &self,
        sums: &[Contrast],
        control: &dyn Control,
    ) -> Halting<Option<Vec<Vec<f64>>>> {
        let mut matrix = vec![vec![0.0; sums.len()]; sums.len()];
        for (index, part) in self.parts.iter().enumerate() {
            let own = |sum: &Contrast| -> Contrast {
                let here = sum.iter().filter(|(term, _)| self.homes[*term].0 == index);
                here.map(|&(term, factor)| (self.homes[term].1, factor)).collect()
            };
            let own: Vec<Contrast> = sums.iter().map(own).collect();
            if own.iter().all(Vec::is_empty) {
                continue;
            }
            let Some(added) = part.covariance(&own, control)? else { return Ok(None) };
            for (row, added) in matrix.iter_mut().zip(added) {
                row.iter_mut().zip(added).for_each(|(sum, value)| *sum += value);
            }
        }
        Ok(Some(matrix))
    }
}

/// Refuses an estimate that no rows stand behind, or whose rows are needed and not there.
fn check_usable(estimated: &Estimated<'_>) -> Result<()> {
    if !estimated.fit.ridge.is_none() {
        return Err(Error::question(
            "the parameters were drawn towards zero by a ridge: standard errors would not say how far off they are",
            "fit the model without a ridge",
        ));
    }
    match (estimated.fit.estimate, estimated.counts) {
        (Estimate::Exact, _) | (Estimate::Pseudo, Some(_)) => Ok(()),
        (Estimate::Pseudo, None) => Err(Error::question(
            "the parameters are maximum pseudo-likelihood estimates: their standard errors take the rows",
            "give the table that they were estimated from",
        )),
        (Estimate::Imported, _) => Err(Error::question(
            "the parameters were imported: no rows stand behind them, so they have no standard errors",
            Remedy::EstimateParameters,
        )),
    }
}

struct Job<'a> {
    estimated: Estimated<'a>,
    terms: &'a Terms,
    control: &'a dyn Control,
}

impl Job<'_> {
    fn part(&self, part: &Part, coordinates: Coordinates) -> Halting<PartInformation> {
        check(self.control)?;
        let Estimated { fit, counts, .. } = self.estimated;
        let beta: Vec<f64> =
            coordinates.free().iter().map(|&at| fit.parameters.values()[part.terms[at]]).collect();
        let runs_away = fit.boundary.iter().any(|term| {
            self.terms.number(term).is_some_and(|number| part.terms.binary_search(&number).is_ok())
        });
        let rows = fit.rows as f64;
        let loose = (FitOptions::default().tolerance * rows).min(NEXT_TO_NONE);
        let loose = (runs_away && loose < fit.smoothing).then_some(loose);
        if let (Estimate::Pseudo, Some(counts)) = (fit.estimate, counts) {
            let plain = PseudoLikelihood::new(self.terms, part, coordinates, counts, self.control)?;
            let places = plain.places(counts, self.control)?;
            let smoothed = |weight| Ok(plain.clone().with_smoothing(Smoothing(weight)));
            let (used, bare) = self.solvers(smoothed, &beta, loose)?;
            let kind = |solver| Kind::Pseudo(Box::new(solver), places.clone());
            return Ok(PartInformation { kind: kind(used), bare: bare.map(kind), rows });
        }
        let likelihood = self.likelihood(part, coordinates)?;
        let mut point = likelihood.point();
        likelihood.move_to(&beta, &mut point, self.control)?;
        let expected = likelihood.expected(&point);
        let even = even_shares(self.terms, part);
        // The estimate expects each term as often as data and pseudo-counts together have it.
        let smoothed = |weight: f64| {
            let mean = |(expected, even): (&f64, &f64)| {
                let observed = (rows + fit.smoothing) * expected - fit.smoothing * even;
                (observed + weight * even) / (rows + weight)
            };
            Ok(likelihood.clone().with_means(expected.iter().zip(&even).map(mean).collect()))
        };
        let (used, bare) = self.solvers(smoothed, &beta, loose)?;
        let kind = |solver| Kind::Exact(Box::new(solver));
        Ok(PartInformation { kind: kind(used), bare: bare.map(kind), rows })
    }

    fn likelihood(&self, part: &Part, coordinates: Coordinates) -> Halting<Likelihood> {
        let Estimated { structure, memory, .. } = self.estimated;
        let cardinalities = self.terms.cardinalities();
        let plan = best_plan(structure.graph(), &part.variables, cardinalities, memory / 32);
        let tree = plan.build(cardinalities, memory)?;
        Ok(Likelihood::of_part(self.terms, part, tree, coordinates))
    }

    /// The curvature at the estimate, and where next to no pseudo-counts are left of it.
    fn solvers<O: Objective>(
        &self,
        smoothed: impl Fn(f64) -> Halting<O>,
        beta: &[f64],
        loose: Option<f64>,
    ) -> Halting<(Solver<O>, Option<Solver<O>>)> {
        let Estimated { fit, memory, .. } = self.estimated;
        let bare = match loose {
            None => None,
            Some(weight) => {
                let FitOptions { tolerance, max_iterations, .. } = FitOptions::default();
                let rows = fit.rows as f64;
                let stop = Stop {
                    tolerance,
                    iterations: max_iterations,
                    rows,
                    bounded: true,
                    memory,
                    control: self.control,
                };
                let objective = smoothed(weight)?;
                let found = newton(&objective, beta.to_vec(), stop)?;
                Some(Solver::new(objective, &found.beta, memory, self.control)?)
            }
        };
        Ok((Solver::new(smoothed(fit.smoothing)?, beta, memory, self.control)?, bare))
    }
}

/// The share of each term of a part when all configurations are equally probable.
fn even_shares(terms: &Terms, part: &Part) -> Vec<f64> {
    let cardinalities = terms.cardinalities();
    let mut shares = Vec::with_capacity(part.terms.len());
    for set in part.sets.iter().map(|&index| &terms.sets()[index]) {
        let share: f64 = set.variables().iter().map(|v| 1.0 / f64::from(cardinalities[v])).product();
        shares.extend(std::iter::repeat_n(share, set.range().len()));
    }
    shares
}

impl<O: Objective> Solver<O> {
    fn new(objective: O, beta: &[f64], memory: u64, control: &dyn Control) -> Halting<Self> {
        let mut point = objective.point();
        objective.move_to(beta, &mut point, control)?;
        let factor = Preconditioner::new(&objective, &point, memory, control)?;
        Ok(Self { objective, point, factor })
    }

    /// A sum of terms as a sum of coordinates.
    fn pull_back(&self, sum: &Contrast) -> Vec<f64> {
        let coordinates = self.objective.coordinates();
        let mut by_beta = vec![0.0; coordinates.len()];
        for &(term, factor) in sum {
            coordinates.expansion(term).for_each(|(at, own)| by_beta[at] += own * factor);
        }
        by_beta
    }

    /// The inverse curvature times a sum of coordinates.
    fn solve(&self, right: &[f64], control: &dyn Control) -> Halting<Vec<f64>> {
        let curvature = |direction: &[f64]| self.objective.curvature(&self.point, direction);
        Ok(solve_to(FORCING, curvature, &self.factor, right, control)?.x)
    }

    fn solutions(&self, sums: &[Contrast], control: &dyn Control) -> Halting<Solved> {
        let one = |sum: &Contrast| {
            let right = self.pull_back(sum);
            let solution = self.solve(&right, control)?;
            Ok((right, solution))
        };
        let both: Vec<(Vec<f64>, Vec<f64>)> = sums.par_iter().map(one).collect::<Halting<_>>()?;
        let (right, solution) = both.into_iter().unzip();
        Ok(Solved { right, solution })
    }
}

/// Sums of coordinates, and the inverse curvature times each.
struct Solved {
    right: Vec<Vec<f64>>,
    solution: Vec<Vec<f64>>,
}

impl Solved {
    /// The variance of each sum by the information alone.
    fn variances(&self, rows: f64) -> Vec<f64> {
        self.right.iter().zip(&self.solution).map(|(right, x)| dot(right, x) / rows).collect()
    }
}

impl PartInformation {
    fn covariance(&self, sums: &[Contrast], control: &dyn Control) -> Halting<Option<Vec<Vec<f64>>>> {
        let solved = match &self.kind {
            Kind::Exact(solver) => solver.solutions(sums, control)?,
            Kind::Pseudo(solver, _) => solver.solutions(sums, control)?,
        };
        let mut variances: Vec<f64> = solved.variances(self.rows);
        if let Some(bare) = &self.bare {
            let open = match bare {
                Kind::Exact(solver) => solver.solutions(sums, control)?,
                Kind::Pseudo(solver, _) => solver.solutions(sums, control)?,
            };
            variances.extend(open.variances(self.rows));
        }
        if variances.iter().any(|&variance| !variance.is_finite() || variance > UNBOUNDED) {
            return Ok(None);
        }
        let matrix = match &self.kind {
            Kind::Exact(_) => products(&solved.right, &solved.solution, |right, x| dot(right, x) / self.rows),
            Kind::Pseudo(solver, places) => {
                let score = |x: &Vec<f64>| solver.objective.row_scores(&solver.point, x, places);
                let scores: Vec<Vec<f64>> = solved.solution.iter().map(score).collect();
                let weighted = |one: &[f64], other: &[f64]| {
                    let all = places.weights.iter().zip(one).zip(other);
                    all.map(|((weight, a), b)| weight * a * b).sum::<f64>() / (self.rows * self.rows)
                };
                products(&scores, &scores, weighted)
            }
        };
        Ok(Some(matrix))
    }
}

fn products(one: &[Vec<f64>], other: &[Vec<f64>], product: impl Fn(&[f64], &[f64]) -> f64) -> Vec<Vec<f64>> {
    one.iter().map(|row| other.iter().map(|column| product(row, column)).collect()).collect()
}
