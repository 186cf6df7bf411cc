//! From a structure and data to parameters (paper, section 4; the method is chosen here and
//! each connected component is fitted on its own).

use super::check_cardinalities;
use super::coordinates::Coordinates;
use super::decomposable::Decomposable;
use super::job::{Bare, FitRequest, FittedPart, Job, Used, Wanted};
use super::likelihood::Likelihood;
use super::margins::{Smoothing, term_means};
use super::method::{Plans, check_target, plan};
use super::newton::{Ending, Stop, newton, newton_after};
use super::objective::Objective;
use super::options::{Estimate, Fit, FitOptions, FitStatus};
use super::parameters::Parameters;
use super::parameters_alone::Start;
use super::part::Part;
use super::pseudo::PseudoLikelihood;
use super::term::Terms;
use crate::Structure;
use crate::control::{Control, Halting, Outcome, check, outcome};
use crate::counts::{CountSource, RowCounts, check_rows};
use crate::data::{DataDigest, Dataset};
use crate::error::{Error, Result};
use crate::table::Shape;
use crate::tree::{JunctionTree, TreePlan};
use rayon::prelude::*;

/// What the terms themselves may take however little memory there is, in bytes. Of much memory,
/// a quarter is theirs: coordinates, tables and what is said about each term take the rest.
const LEAST_FOR_TERMS: u64 = 16 << 20;

/// Pseudo-counts that help the first optimisation.
const HELP: f64 = 1.0;

/// Estimates the parameters of a structure from data.
///
/// Exact: in closed form for components that are chordal, without contexts and with all terms of
/// their cliques, else by L-BFGS and Newton steps on the free coordinates. Pseudo: the same on the
/// pseudo-likelihood.
///
/// # Errors
/// When structure and data do not match, an option is out of range, a clique is too large, or
/// exact estimation is asked for and the junction tree does not fit the memory budget.
///
/// # Example
/// ```
/// # use cmnet::{Codes, Schema, Structure, Variable, collapse};
/// use cmnet::{FitOptions, fit};
/// # let variable = |name: &str| Variable { name: name.into(), levels: vec!["0".into(), "1".into()] };
/// # let data = collapse(Schema::new_unchecked(vec![variable("a")]), &[Codes::from_codes([0, 1])], &[3, 1])?;
/// let fitted = fit(&Structure::empty(&[2]), &data, &FitOptions { smoothing: 0.0, ..FitOptions::default() })?;
/// let probability = fitted.parameters.evaluator().conditional(0, &[0])[1];
/// assert!((probability - 0.25).abs() < 1e-12);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn fit(structure: &Structure, data: &Dataset, options: &FitOptions) -> Result<Fit> {
    match fit_with(structure, &RowCounts::new(data), options, &())? {
        Outcome::Done(fitted) => Ok(Fit { digest: Some(DataDigest::of(data)), ..fitted }),
        // The control that never stops has stopped nothing.
        Outcome::Stopped(_) => Err(Error::limit("fitting", "no time", "report this: it is a defect")),
    }
}

/// As [`fit`], from any source of counts, and until the control asks to stop. The digest of the
/// table is left to the caller, who may fit several structures to it.
///
/// # Errors
/// As [`fit`], and when the counts cannot be had.
///
/// # Example
/// ```
/// use cmnet::{Control, Dataset, FitOptions, Outcome, RowCounts, StopReason, Structure, fit_with};
///
/// struct Never;
///
/// impl Control for Never {
///     fn stop(&self) -> Option<StopReason> {
///         Some(StopReason::TimeLimit)
///     }
/// }
/// let data = Dataset::from_labels(&["a"], [["x"], ["y"]])?;
/// let (structure, counts) = (Structure::empty(&[2]), RowCounts::new(&data));
/// let stopped = fit_with(&structure, &counts, &FitOptions::default(), &Never)?;
/// assert_eq!(stopped, Outcome::Stopped(StopReason::TimeLimit));
/// assert!(fit_with(&structure, &counts, &FitOptions::default(), &())?.done().is_some());
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn fit_with(
    structure: &Structure,
    counts: &dyn CountSource,
    options: &FitOptions,
    control: &dyn Control,
) -> Result<Outcome<Fit>> {
    fit_named(&FitRequest::new(structure, counts, counts.schema(), options), control)
}

/// As [`fit_with`], with names that the counts need not know.
pub(crate) fn fit_named(request: &FitRequest<'_>, control: &dyn Control) -> Result<Outcome<Fit>> {
    outcome(estimate(*request, Wanted::Judgement, control))
}

/// As [`fit_named`], to predict rows with: without the bare estimate, so that the likelihood is
/// that of the parameters and nothing is said about a boundary, and where there is a target with
/// its own terms alone.
pub(crate) fn fit_to_predict(request: &FitRequest<'_>, control: &dyn Control) -> Result<Outcome<Fit>> {
    outcome(estimate(*request, Wanted::Predictions, control))
}

/// An estimate before its first iteration: what is estimated, and how.
pub(crate) struct Prepared<'a> {
    pub(super) request: FitRequest<'a>,
    pub(super) terms: Terms,
    pub(super) coordinates: Coordinates,
    pub(super) parts: Vec<Part>,
    pub(super) plans: Plans,
}

impl<'a> Prepared<'a> {
    /// Looks at what is asked for, and lists terms and what is free of them.
    pub(crate) fn new(request: FitRequest<'a>, control: &dyn Control) -> Halting<Self> {
        let FitRequest { structure, counts, names, options, .. } = request;
        options.check()?;
        check_cardinalities(structure, counts.cardinalities(), names)?;
        check_rows(counts.rows())?;
        check_target(structure, options)?;
        check(control)?;
        let terms =
            Terms::within(structure, options.order, names, (options.memory / 4).max(LEAST_FOR_TERMS))?;
        let coordinates = Coordinates::under(structure, &terms, control)?;
        let parts = Part::components(&terms, structure.graph());
        let plans = plan(structure, &parts, options)?;
        Ok(Self { request, terms, coordinates, parts, plans })
    }

    /// The work on it.
    pub(super) fn job<'b>(&'b self, wanted: Wanted, control: &'b dyn Control) -> Result<Job<'b>> {
        let FitRequest { structure, counts, .. } = self.request;
        let level_counts = |variable| counts.weights(&Shape::new(vec![variable], counts.cardinalities()));
        let levels = (0..structure.variables()).map(level_counts).collect::<Result<_>>()?;
        let (terms, coordinates) = (&self.terms, &self.coordinates);
        Ok(Job { request: self.request, wanted, terms, coordinates, levels, control })
    }
}

pub(super) fn estimate(request: FitRequest<'_>, wanted: Wanted, control: &dyn Control) -> Halting<Fit> {
    let prepared = Prepared::new(request, control)?;
    let FitRequest { counts, options, .. } = request;
    let wanted =
        if wanted == Wanted::Judgement && options.target.is_some() { Wanted::Parameters } else { wanted };
    let (free_parameters, rows) = (prepared.coordinates.len(), counts.rows());
    let job = prepared.job(wanted, control)?;
    let bare = job.bare(&prepared.parts, &prepared.plans)?;
    let boundary = wanted != Wanted::Judgement || bare.iter().any(|part| !part.boundary.is_empty());
    let smoothing = options.pseudo_counts(boundary, rows);
    let fitted = bare.into_par_iter().map(|part| part.finish(smoothing));
    let fitted: Vec<FittedPart> = fitted.collect::<Halting<_>>()?;
    let total = fitted.iter().map(|part| part.log_likelihood).sum();
    let Prepared { terms, parts, plans, .. } = prepared;
    let (estimate, reason) = plans.method();
    let (values, boundary) = merge(&terms, &parts, &fitted);
    let log_partition =
        (estimate == Estimate::Exact).then(|| fitted.iter().map(|part| part.used.log_partition).sum());
    Ok(Fit {
        boundary: boundary.iter().map(|&term| terms.term(term)).collect(),
        parameters: Parameters::new(terms, values, log_partition),
        estimate,
        reason,
        smoothing,
        target: options.target,
        ridge: options.ridge.clone(),
        free_parameters,
        rows,
        digest: None,
        weights: counts.weighting(),
        log_likelihood: (estimate == Estimate::Exact).then_some(total),
        pseudo_log_likelihood: (estimate == Estimate::Pseudo).then_some(total),
        status: fitted
            .iter()
            .map(|part| part.status)
            .max_by_key(|&status| severity(status))
            .unwrap_or(FitStatus::Converged),
        gradient: fitted.iter().map(|part| part.used.gradient).fold(0.0, f64::max),
        iterations: fitted.iter().map(|part| part.iterations).sum(),
    })
}

fn severity(status: FitStatus) -> u8 {
    match status {
        FitStatus::Converged => 0,
        FitStatus::Boundary => 1,
        FitStatus::IterationLimit => 2,
        FitStatus::NotEstimated => 3,
    }
}

/// Puts the parts' terms together: values, and the numbers of those that run away.
fn merge(terms: &Terms, parts: &[Part], fitted: &[FittedPart]) -> (Vec<f64>, Vec<usize>) {
    let mut values = vec![0.0; terms.len()];
    let mut boundary = Vec::new();
    for (part, fitted) in parts.iter().zip(fitted) {
        part.terms.iter().zip(&fitted.used.phi).for_each(|(&term, &value)| values[term] = value);
        boundary.extend(fitted.boundary.iter().map(|&term| part.terms[term]));
    }
    boundary.sort_unstable();
    (values, boundary)
}

impl Job<'_> {
    /// The bare estimate of each part.
    pub(super) fn bare<'b>(&'b self, parts: &'b [Part], plans: &Plans) -> Halting<Vec<Bare<'b>>> {
        match plans {
            Plans::Exact(plans, _) => {
                parts.par_iter().zip(plans).map(|(part, plan)| self.fit_exactly(part, plan)).collect()
            }
            Plans::Pseudo(_) => parts.par_iter().map(|part| self.fit_pseudo(part)).collect(),
        }
    }

    fn fit_exactly<'b>(&'b self, part: &'b Part, plan: &TreePlan) -> Halting<Bare<'b>> {
        check(self.control)?;
        let FitRequest { structure, options, .. } = self.request;
        let tree = plan.clone().build_for_fit(self.terms.cardinalities(), options.memory)?;
        let plain = structure.contexts().all(|context| !part.variables.contains(context.edge().low()));
        // A clique that lacks terms has no table of its own to read them off.
        let whole = tree.cliques().iter().all(|clique| self.terms.are_all_of(clique.shape().variables()));
        if plain && whole && tree.cost().fill == 0 {
            return self.in_closed_form(part, tree);
        }
        self.optimize(part, self.likelihood(part, tree), Likelihood::log_partition_at)
    }

    /// The log-likelihood of a part as a function of the number of pseudo-counts.
    fn likelihood<'b>(
        &'b self,
        part: &'b Part,
        tree: JunctionTree,
    ) -> impl Fn(f64) -> Halting<Likelihood> + Send + 'b {
        let coordinates = self.coordinates.restrict(&part.terms);
        let likelihood = Likelihood::of_part(self.terms, part, tree, coordinates);
        move |weight| {
            let counts = self.request.counts;
            let means = term_means(self.terms, part, counts, Smoothing(weight), self.control)?;
            Ok(likelihood.clone().with_means(means))
        }
    }

    /// The closed form of the bare estimate, and from there the way to that with a ridge.
    fn in_closed_form<'b>(&'b self, part: &'b Part, tree: JunctionTree) -> Halting<Bare<'b>> {
        let form = Decomposable::new(self.terms, part, &tree, self.request.counts, self.control)?;
        let boundary = form.runaways();
        Ok(Bare {
            log_likelihood: form.log_likelihood(),
            status: if boundary.is_empty() { FitStatus::Converged } else { FitStatus::Boundary },
            boundary,
            iterations: 0,
            estimate: Box::new(move |pseudo_counts| {
                let (phi, log_partition) = form.estimate(Smoothing(pseudo_counts), self.control)?;
                if !self.request.options.ridge.is_none() && !part.sets.is_empty() {
                    let objective = self.likelihood(part, tree)(pseudo_counts)?;
                    // Without contexts the coordinates are the terms.
                    let start = Start { beta: phi, pseudo_counts };
                    return self.penalized(part, objective, start, Likelihood::log_partition_at);
                }
                Ok(Used { phi, log_partition, ..Used::at_a_maximum() })
            }),
        })
    }

    fn fit_pseudo<'b>(&'b self, part: &'b Part) -> Halting<Bare<'b>> {
        let coordinates = self.coordinates.restrict(&part.terms);
        let counts = self.request.counts;
        let pseudo = PseudoLikelihood::new(self.terms, part, coordinates, counts, self.control)?;
        if let Some(target) = self.request.options.target.filter(|&target| part.variables.contains(target)) {
            return Ok(self.predicting(target, part, pseudo));
        }
        if let Some(form) = self.saturated(part)? {
            return Ok(self.by_counts(form, pseudo));
        }
        let objective = move |weight| Ok(pseudo.clone().with_smoothing(Smoothing(weight)));
        self.optimize(part, objective, |_| 0.0)
    }

    /// Maximises a function of the number of pseudo-counts: with some, where a maximum always
    /// exists; from there with none; and then with as many as it takes.
    pub(super) fn optimize<'b, O: Objective + 'b>(
        &'b self,
        part: &'b Part,
        objective: impl Fn(f64) -> Halting<O> + Send + 'b,
        log_partition: impl Fn(&O::Point) -> f64 + Send + 'b,
    ) -> Halting<Bare<'b>> {
        if self.wanted != Wanted::Judgement {
            return Ok(self.unjudged(part, objective, log_partition));
        }
        let rows = self.request.counts.total();
        let stop = self.stop(rows);
        let (helped, bare) = (objective(HELP)?, objective(0.0)?);
        let (start, climbed) = self.approach(part, &helped, stop)?;
        let near = newton(&helped, start, stop)?;
        let best = newton_after(&bare, &near, Stop { bounded: false, ..stop })?;
        let (status, boundary) = match best.ending.clone() {
            Ending::Converged => (FitStatus::Converged, Vec::new()),
            Ending::Boundary(terms) => (FitStatus::Boundary, terms),
            Ending::IterationLimit => (FitStatus::IterationLimit, Vec::new()),
        };
        Ok(Bare {
            log_likelihood: rows * bare.plain_value(&best.point),
            status,
            boundary,
            iterations: climbed + near.iterations + best.iterations,
            estimate: Box::new(move |pseudo_counts| {
                if !self.request.options.ridge.is_none() {
                    let beta = if near.ending == Ending::Converged { near.beta } else { best.beta };
                    let plain = objective(pseudo_counts)?;
                    return self.penalized(part, plain, Start { beta, pseudo_counts }, log_partition);
                }
                let (used, iterations) = if pseudo_counts == 0.0 {
                    (best, 0)
                } else if pseudo_counts == HELP {
                    (near, 0)
                } else {
                    let start = if near.ending == Ending::Converged { near.beta } else { best.beta };
                    let found = newton(&objective(pseudo_counts)?, start, stop)?;
                    let iterations = found.iterations;
                    (found, iterations)
                };
                Ok(Used {
                    phi: bare.coordinates().expand(&used.beta),
                    log_partition: log_partition(&used.point),
                    gradient: used.gradient,
                    iterations,
                    converged: used.ending != Ending::IterationLimit,
                    log_likelihood: None,
                })
            }),
        })
    }
}
