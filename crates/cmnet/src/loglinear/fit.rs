//! From a structure and data to parameters (paper, section 4; the method is chosen here and
//! each connected component is fitted on its own).

use super::check_cardinalities;
use super::coordinates::Coordinates;
use super::decomposable::Decomposable;
use super::held::Held;
use super::lbfgs::{ClimbStop, climb};
use super::likelihood::Likelihood;
use super::margins::{Smoothing, term_means};
use super::newton::{Ending, Stop, newton};
use super::objective::{Objective, largest};
use super::options::{Estimate, Fit, FitMethod, FitOptions, FitReason, FitStatus};
use super::parameters::Parameters;
use super::part::Part;
use super::penalty::{Penalized, Penalty};
use super::pseudo::PseudoLikelihood;
use super::term::Terms;
use crate::Structure;
use crate::control::{Control, Halting, Outcome, check, outcome};
use crate::counts::{Count, CountSource, RowCounts, check_rows};
use crate::data::{DataDigest, Dataset, Schema, Var};
use crate::error::{Error, OptionName, Remedy, Result};
use crate::graph::VarSet;
use crate::table::Shape;
use crate::tree::{JunctionTree, TreePlan, best_plan};
use rayon::prelude::*;
use std::sync::Arc;

/// Tables per clique that fitting holds at once: potentials, marginals, and two directions.
const TABLES: u64 = 4;

/// What the terms themselves may take however little memory there is, in bytes. Of much memory,
/// a quarter is theirs: coordinates, tables and what is said about each term take the rest.
const LEAST_FOR_TERMS: u64 = 16 << 20;

/// Iterations of L-BFGS before Newton's method takes over: by then it is near enough, and on
/// tables with rare cells L-BFGS would need thousands more.
const CLIMB: u64 = 20;

/// A value of a term that is no help to start from: e^-60 of the rows are none.
const FAR: f64 = 60.0;

/// Pseudo-counts that help the first optimisation.
const HELP: f64 = 1.0;

/// Estimates the parameters of a structure from data.
///
/// Exact: in closed form for components that are chordal, without contexts and with all terms of
/// their cliques, else by L-BFGS
/// and Newton steps on the free coordinates. Pseudo: the same on the pseudo-likelihood.
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
    fit_named(&FitRequest { structure, counts, names: counts.schema(), options }, control)
}

/// What is to be fitted.
#[derive(Clone, Copy)]
pub(crate) struct FitRequest<'a> {
    pub(crate) structure: &'a Structure,
    pub(crate) counts: &'a dyn CountSource,
    /// The names of the variables, where they are known: they serve refusals.
    pub(crate) names: Option<&'a Schema>,
    pub(crate) options: &'a FitOptions,
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

/// What an estimate is made for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// Parameters, and the likelihood of the bare estimate.
    Judgement,
    /// Parameters.
    Parameters,
    /// Parameters that predict held-out rows.
    Predictions,
}

fn estimate(request: FitRequest<'_>, wanted: Wanted, control: &dyn Control) -> Halting<Fit> {
    let FitRequest { structure, counts, names, options } = request;
    options.check()?;
    check_cardinalities(structure, counts.cardinalities(), names)?;
    check_rows(counts.rows())?;
    check_target(structure, options)?;
    let wanted =
        if wanted == Wanted::Judgement && options.target.is_some() { Wanted::Parameters } else { wanted };
    check(control)?;
    let terms = Terms::within(structure, options.order, names, (options.memory / 4).max(LEAST_FOR_TERMS))?;
    let coordinates = Coordinates::under(structure, &terms, control)?;
    let parts = Part::components(&terms, structure.graph());
    let plans = plan(structure, &parts, options)?;
    let level_counts = |variable| counts.table(&Shape::new(vec![variable], counts.cardinalities()));
    let levels = (0..structure.variables()).map(level_counts).collect::<Result<_>>()?;
    let job = Job { request, wanted, terms: &terms, coordinates: &coordinates, levels, control };
    let (bare, estimate, reason): (Vec<Bare<'_>>, _, _) = match plans {
        Plans::Exact(plans, reason) => {
            let exact = parts.par_iter().zip(plans).map(|(part, plan)| job.fit_exactly(part, plan));
            (exact.collect::<Halting<_>>()?, Estimate::Exact, reason)
        }
        Plans::Pseudo(reason) => {
            let pseudo = parts.par_iter().map(|part| job.fit_pseudo(part));
            (pseudo.collect::<Halting<_>>()?, Estimate::Pseudo, reason)
        }
    };
    let (free_parameters, rows) = (coordinates.len(), counts.rows());
    let boundary = wanted != Wanted::Judgement || bare.iter().any(|part| !part.boundary.is_empty());
    let smoothing = options.pseudo_counts(boundary, rows);
    let fitted = bare.into_par_iter().map(|part| part.finish(smoothing));
    let fitted: Vec<FittedPart> = fitted.collect::<Halting<_>>()?;
    let total = fitted.iter().map(|part| part.log_likelihood).sum();
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

/// Refuses a target that is no variable, or one that exact estimation is asked for.
fn check_target(structure: &Structure, options: &FitOptions) -> Result<()> {
    let Some(target) = options.target else { return Ok(()) };
    if target >= structure.variables() {
        let expected = "the number of one of the variables";
        return Err(Error::option(OptionName::Target, target.to_string(), expected));
    }
    if options.method == FitMethod::Exact {
        let expected = "another method: a target's terms are estimated by its conditional likelihood";
        return Err(Error::option(OptionName::Method, "exact", expected));
    }
    Ok(())
}

fn severity(status: FitStatus) -> u8 {
    match status {
        FitStatus::Converged => 0,
        FitStatus::Boundary => 1,
        FitStatus::IterationLimit => 2,
        FitStatus::NotEstimated => 3,
    }
}

/// What is done, and why.
enum Plans {
    Exact(Vec<TreePlan>, FitReason),
    Pseudo(FitReason),
}

fn plan(structure: &Structure, parts: &[Part], options: &FitOptions) -> Result<Plans> {
    if options.method == FitMethod::Pseudo || options.target.is_some() {
        return Ok(Plans::Pseudo(FitReason::AskedFor));
    }
    let most_cells = options.memory / (8 * TABLES);
    let one =
        |variables: &VarSet| best_plan(structure.graph(), variables, structure.cardinalities(), most_cells);
    let plans: Vec<TreePlan> = parts.iter().map(|part| one(&part.variables)).collect();
    let cost = TreePlan::total_cost(&plans);
    let budget = format!("{} MiB", options.memory >> 20);
    if !cost.at_least && cost.bytes(TABLES) <= options.memory {
        let size = cost.bytes(TABLES).div_ceil(1 << 20);
        let reason = format!("the junction tree ({cost}) takes {size} MiB of {budget}");
        return Ok(Plans::Exact(plans, FitReason::Stated(reason)));
    }
    if options.method == FitMethod::Exact {
        return Err(Error::limit(
            format!("exact fitting with {cost}"),
            budget,
            [Remedy::MoreMemory, Remedy::FitByPseudoLikelihood],
        ));
    }
    let reason = format!("the junction tree ({cost}) does not fit {budget}");
    Ok(Plans::Pseudo(FitReason::Stated(reason)))
}

/// One connected component with its bare estimate found, and the way to the one that is used.
struct Bare<'a> {
    log_likelihood: f64,
    status: FitStatus,
    boundary: Vec<usize>,
    iterations: u64,
    /// The estimate with so many pseudo-counts.
    estimate: Box<dyn FnOnce(f64) -> Halting<Used> + Send + 'a>,
}

/// Parameters that are used.
struct Used {
    phi: Vec<f64>,
    log_partition: f64,
    gradient: f64,
    iterations: u64,
    converged: bool,
    /// The log-likelihood of the parameters, where that of the bare estimate is not asked for.
    log_likelihood: Option<f64>,
}

/// One connected component, fitted.
struct FittedPart {
    used: Used,
    log_likelihood: f64,
    status: FitStatus,
    boundary: Vec<usize>,
    iterations: u64,
}

impl<'a> Bare<'a> {
    /// A component of which the bare estimate is not asked for.
    fn parameters_alone(estimate: impl FnOnce(f64) -> Halting<Used> + Send + 'a) -> Self {
        Self {
            log_likelihood: f64::NAN,
            status: FitStatus::Converged,
            boundary: Vec::new(),
            iterations: 0,
            estimate: Box::new(estimate),
        }
    }

    fn finish(self, pseudo_counts: f64) -> Halting<FittedPart> {
        let used = (self.estimate)(pseudo_counts)?;
        Ok(FittedPart {
            log_likelihood: used.log_likelihood.unwrap_or(self.log_likelihood),
            // What is used must have converged too.
            status: if used.converged { self.status } else { FitStatus::IterationLimit },
            boundary: self.boundary,
            iterations: self.iterations + used.iterations,
            used,
        })
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

struct Job<'a> {
    request: FitRequest<'a>,
    wanted: Wanted,
    terms: &'a Terms,
    coordinates: &'a Coordinates,
    /// How often each level of each variable was observed.
    levels: Vec<Vec<Count>>,
    control: &'a dyn Control,
}

impl Job<'_> {
    fn fit_exactly<'b>(&'b self, part: &'b Part, plan: TreePlan) -> Halting<Bare<'b>> {
        check(self.control)?;
        let FitRequest { structure, options, .. } = self.request;
        let tree = plan.build(self.terms.cardinalities(), options.memory)?;
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
                    return self.penalized(part, objective, phi, pseudo_counts, Likelihood::log_partition_at);
                }
                Ok(Used {
                    phi,
                    log_partition,
                    gradient: 0.0,
                    iterations: 0,
                    converged: true,
                    log_likelihood: None,
                })
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
        let objective = move |weight| Ok(pseudo.clone().with_smoothing(Smoothing(weight)));
        self.optimize(part, objective, |_| 0.0)
    }

    /// Maximises a function of the number of pseudo-counts: with some, where a maximum always
    /// exists; from there with none; and then with as many as it takes.
    fn optimize<'b, O: Objective + 'b>(
        &'b self,
        part: &'b Part,
        objective: impl Fn(f64) -> Halting<O> + Send + 'b,
        log_partition: impl Fn(&O::Point) -> f64 + Send + 'b,
    ) -> Halting<Bare<'b>> {
        if self.wanted != Wanted::Judgement {
            return Ok(self.unjudged(part, objective, log_partition));
        }
        let rows = self.request.counts.rows() as f64;
        let stop = self.stop(rows);
        let (helped, bare) = (objective(HELP)?, objective(0.0)?);
        let (start, climbed) = self.approach(part, &helped, stop)?;
        let near = newton(&helped, start, stop)?;
        let best = newton(&bare, near.beta.clone(), Stop { bounded: false, ..stop })?;
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
                    let start = if near.ending == Ending::Converged { near.beta } else { best.beta };
                    let plain = objective(pseudo_counts)?;
                    return self.penalized(part, plain, start, pseudo_counts, log_partition);
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

    /// The estimate with a ridge, from a start.
    fn penalized<O: Objective>(
        &self,
        part: &Part,
        plain: O,
        start: Vec<f64>,
        pseudo_counts: f64,
        log_partition: impl Fn(&O::Point) -> f64,
    ) -> Halting<Used> {
        let rows = self.request.counts.rows() as f64;
        let objective = self.with_ridge(part, plain, pseudo_counts, |_| true);
        let found = newton(&objective, start, self.stop(rows))?;
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
        Penalized::new(plain, Arc::new(penalty), self.request.counts.rows() as f64 + pseudo_counts)
    }

    /// The parameters alone, and their likelihood.
    fn unjudged<'b, O: Objective + 'b>(
        &'b self,
        part: &'b Part,
        objective: impl Fn(f64) -> Halting<O> + Send + 'b,
        log_partition: impl Fn(&O::Point) -> f64 + Send + 'b,
    ) -> Bare<'b> {
        Bare::parameters_alone(move |pseudo_counts| {
            let rows = self.request.counts.rows() as f64;
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
    fn predicting<'b>(&'b self, target: Var, part: &'b Part, pseudo: PseudoLikelihood) -> Bare<'b> {
        Bare::parameters_alone(move |pseudo_counts| {
            let rows = self.request.counts.rows() as f64;
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

    fn stop(&self, rows: f64) -> Stop<'_> {
        let FitOptions { tolerance, max_iterations, .. } = *self.request.options;
        Stop { tolerance, iterations: max_iterations, rows, bounded: true, control: self.control }
    }

    /// Where Newton's method starts, and the iterations that led there.
    fn approach(&self, part: &Part, helped: &impl Objective, stop: Stop<'_>) -> Halting<(Vec<f64>, u64)> {
        let begin = self.start(part, helped.coordinates());
        let iterations = CLIMB.min(stop.iterations);
        let until = ClimbStop { tolerance: stop.tolerance, iterations, control: self.control };
        let (start, climbed) = climb(helped, begin.clone(), until)?;
        // Where rows are very unequal, a line search may end so far out that nothing is left there.
        let lost = largest(&helped.coordinates().expand(&start)) > FAR;
        Ok((if lost { begin } else { start }, climbed))
    }

    /// Where the climb starts: independent variables, each with its observed distribution.
    fn start(&self, part: &Part, coordinates: &Coordinates) -> Vec<f64> {
        let value = |&local: &usize| {
            let term = self.terms.term(part.terms[local]);
            match (term.variables.as_slice(), term.levels.as_slice()) {
                (&[variable], &[level]) => {
                    let count = |level: u32| f64::from(self.levels[variable][level as usize]) + 0.5;
                    libm::log(count(level) / count(0))
                }
                _ => 0.0,
            }
        };
        coordinates.free().iter().map(value).collect()
    }
}
