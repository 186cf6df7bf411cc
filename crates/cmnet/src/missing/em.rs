//! Maximum likelihood of the cells that are known, by EM with extrapolation (SQUAREM; Varadhan and
//! Roland 2008).

use super::expected::{Expected, Observed};
use crate::control::{Control, Halt, Halting, Outcome, check, outcome};
use crate::counts::RowCounts;
use crate::data::IncompleteTable;
use crate::error::{Error, OptionName, Result, quoted};
use crate::graph::VarSet;
use crate::loglinear::{
    Estimate, Fit, FitMethod, FitOptions, FitReason, FitRequest, FitStatus, Order, Parameters, Terms,
    fit_named,
};
use crate::structure::Structure;

/// A step of EM that moves no parameter by more than this has arrived.
const STILL: f64 = 1e-9;
/// So many steps in a row that gain less than this share of the log-likelihood have arrived too:
/// a parameter may be on its way to infinity.
const LITTLE: f64 = 1e-13;
const PATIENCE: usize = 3;
/// Fewer expected rows than this, where a climb has arrived, are on their way to none.
const FEW: f64 = 1e-9;
/// A parameter that is as good as infinite.
const FAR: f64 = 500.0;
/// A step of EM for draws alone that moves no parameter by more than this has arrived: far below what
/// a draw can show.
const NEARLY_STILL: f64 = 1e-3;
/// The same for the log-likelihood, in nats.
const NEARLY_LITTLE: f64 = 1e-3;
/// What a step may lose to rounding, as a share of the log-likelihood.
const ROUNDING: f64 = 1e-12;

/// Parameters estimated from a table with holes.
#[derive(Clone, Debug, PartialEq)]
pub struct IncompleteFit {
    /// The parameters, as those of a fit to a complete table. The log-likelihood is that of the cells
    /// that are known.
    pub fit: Fit,
    /// What was maximised after each step, with the pseudo-counts of the parameters; never falling.
    pub steps: Vec<f64>,
    /// Rows with holes, by weight.
    pub incomplete_rows: u64,
}

/// Estimates the parameters of a structure from the cells of a table that are known: EM on the
/// junction tree. A table without holes gives what [`fit`](crate::fit) gives, byte for byte.
///
/// The estimate is a local maximum, reached from independent variables with the distributions of
/// their known cells. Cells must be missing at random.
///
/// # Errors
/// As [`fit`](crate::fit); when a variable is missing in every row; when the pseudo-likelihood is
/// asked for, or the junction tree does not fit the memory.
///
/// # Example
/// ```
/// use cmnet::{FitOptions, IncompleteTable, Schema, Structure, Variable, fit_incomplete};
/// let variable = |name: &str| Variable { name: name.into(), levels: vec!["no".into(), "yes".into()] };
/// let mut table = IncompleteTable::new(Schema::new(vec![variable("a"), variable("b")])?);
/// table.push(&[Some(0), Some(1)], 3)?;
/// table.push(&[Some(1), None], 1)?;
/// let options = FitOptions { smoothing: 0.0, ..FitOptions::default() };
/// let found = fit_incomplete(&Structure::empty(&[2, 2]), &table, &options, &())?.done().ok_or("stopped")?;
/// let probability = found.fit.parameters.evaluator().conditional(0, &[0, 1])[1];
/// assert!((probability - 0.25).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit_incomplete(
    structure: &Structure,
    table: &IncompleteTable,
    options: &FitOptions,
    control: &dyn Control,
) -> Result<Outcome<IncompleteFit>> {
    outcome(estimate(structure, table, options, control))
}

/// Parameters to draw missing cells from: as [`fit_incomplete`], but no closer to the maximum than draws
/// can show. Nothing is said about how far that is.
pub(crate) fn fit_for_draws(
    structure: &Structure,
    table: &IncompleteTable,
    options: &FitOptions,
    control: &dyn Control,
) -> Halting<Parameters> {
    check_known(table, options)?;
    let options = FitOptions { method: FitMethod::Exact, ..options.clone() };
    let observed = Observed::new(structure, table, options.memory);
    let em = Em { observed: &observed, structure, table, options: &options, control, arrival: NEARLY };
    Ok(em.climb(em.start()?)?.fit.parameters)
}

/// When a climb has arrived.
#[derive(Clone, Copy)]
struct Arrival {
    /// The largest move of a parameter.
    still: f64,
    /// The gain, as a share of the log-likelihood.
    little: f64,
    /// The gain in nats.
    nats: f64,
}

const EXACTLY: Arrival = Arrival { still: STILL, little: LITTLE, nats: 0.0 };
const NEARLY: Arrival = Arrival { still: NEARLY_STILL, little: LITTLE, nats: NEARLY_LITTLE };

fn estimate(
    structure: &Structure,
    table: &IncompleteTable,
    options: &FitOptions,
    control: &dyn Control,
) -> Halting<IncompleteFit> {
    let incomplete_rows = table.incomplete_rows();
    if let Some(data) = table.complete_rows().filter(|_| incomplete_rows == 0) {
        let counts = RowCounts::new(&data);
        let request = FitRequest::new(structure, &counts, Some(table.schema()), options);
        let fit = done(fit_named(&request, control)?)?;
        let steps = fit.log_likelihood.or(fit.pseudo_log_likelihood).into_iter().collect();
        return Ok(IncompleteFit {
            fit: Fit { digest: Some(table.digest()), ..fit },
            steps,
            incomplete_rows,
        });
    }
    check_known(table, options)?;
    let options = FitOptions { method: FitMethod::Exact, ..options.clone() };
    let observed = Observed::new(structure, table, options.memory);
    let em = Em { observed: &observed, structure, table, options: &options, control, arrival: EXACTLY };
    let used = em.settled(em.climb(em.start()?)?)?;
    // BIC ignores smoothing: from there without pseudo-counts.
    let bare_options = FitOptions { smoothing: 0.0, ..options.clone() };
    let bare = if options.smoothing == 0.0 {
        used.clone()
    } else {
        let em = Em { options: &bare_options, ..em };
        em.settled(em.climb(used.fit.parameters.clone())?)?
    };
    let iterations = (used.steps.len() + bare.steps.len()) as u64;
    let status = if used.arrived && bare.arrived { bare.fit.status } else { FitStatus::IterationLimit };
    let reason = format!("EM over {incomplete_rows} rows with missing values; {}", used.fit.reason);
    let fit = Fit {
        estimate: Estimate::Exact,
        reason: FitReason::Stated(reason),
        log_likelihood: Some(bare.expected.log_likelihood),
        status,
        boundary: bare.fit.boundary,
        gradient: used.moved,
        iterations,
        digest: Some(table.digest()),
        ..used.fit
    };
    Ok(IncompleteFit { fit, steps: used.steps, incomplete_rows })
}

/// Something must be known of every variable, and the junction tree is needed.
fn check_known(table: &IncompleteTable, options: &FitOptions) -> Result<()> {
    let unknown = (0..table.schema().len()).find(|&v| table.missing(v) == table.rows());
    if let Some(variable) = unknown {
        let problem = format!("every value of {} is missing", quoted(table.schema().name(variable)));
        return Err(Error::mismatch(problem, "leave the variable out, or give rows that have it"));
    }
    if options.method == FitMethod::Pseudo {
        let expected = "exact: rows with missing values need the junction tree";
        return Err(Error::option(OptionName::Method, "pseudo", expected));
    }
    if options.order != Order::FULL {
        let expected = "full: EM over missing values estimates all terms";
        return Err(Error::option(OptionName::Order, options.order.to_string(), expected));
    }
    if !options.ridge.is_none() {
        let expected = "0: EM over missing values knows no ridge";
        return Err(Error::option(OptionName::Ridge, options.ridge.to_string(), expected));
    }
    Ok(())
}

fn done(fitted: Outcome<Fit>) -> Halting<Fit> {
    match fitted {
        Outcome::Done(fit) => Ok(fit),
        Outcome::Stopped(reason) => Err(Halt::Stopped(reason)),
    }
}

#[derive(Clone, Copy)]
struct Em<'a> {
    observed: &'a Observed<'a>,
    structure: &'a Structure,
    table: &'a IncompleteTable,
    options: &'a FitOptions,
    control: &'a dyn Control,
    arrival: Arrival,
}

/// Where a climb ended.
#[derive(Clone)]
struct Climbed {
    fit: Fit,
    expected: Expected,
    steps: Vec<f64>,
    moved: f64,
    arrived: bool,
}

impl Em<'_> {
    /// Independent variables with the distributions of their known cells.
    fn start(&self) -> Halting<Parameters> {
        let terms = Terms::new(self.structure, Some(self.table.schema()))?;
        let counts: Vec<Vec<u64>> =
            (0..self.table.schema().len()).map(|v| self.table.level_counts(v)).collect();
        let value = |term: usize| {
            let term = terms.term(term);
            match (term.variables.as_slice(), term.levels.as_slice()) {
                (&[variable], &[level]) => {
                    let count = |level: u32| counts[variable][level as usize] as f64 + 0.5;
                    libm::log(count(level) / count(0))
                }
                _ => 0.0,
            }
        };
        let values = (0..terms.len()).map(value).collect();
        Ok(Parameters::new(terms, values, None))
    }

    /// The log-likelihood of what is known, and of the pseudo-counts: what every step raises.
    fn value(&self, expected: &Expected, parameters: &Parameters) -> f64 {
        let smoothing = self.options.smoothing;
        if smoothing == 0.0 {
            return expected.log_likelihood;
        }
        let cardinalities = self.structure.cardinalities();
        // Pseudo-counts are even: a term is there in one of so many of them.
        let share =
            |variables: &VarSet| -> f64 { variables.iter().map(|v| f64::from(cardinalities[v])).product() };
        let energy: f64 = parameters.iter().map(|(term, value)| value / share(&term.variables)).sum();
        expected.log_likelihood + smoothing * (energy - expected.log_partition)
    }

    fn expect(&self, parameters: &Parameters) -> Halting<(Expected, f64)> {
        check(self.control)?;
        let expected = self.observed.expect(parameters.clone(), self.control)?;
        let value = self.value(&expected, parameters);
        Ok((expected, value))
    }

    /// The M-step: the fit of complete tables.
    fn maximize(&self, expected: &Expected) -> Halting<Fit> {
        let names = Some(self.table.schema());
        let request = FitRequest::new(self.structure, expected, names, self.options);
        done(fit_named(&request, self.control)?)
    }

    /// Pairs of steps, each followed by one further along the same way where that is no worse.
    fn climb(&self, start: Parameters) -> Halting<Climbed> {
        let (mut expected, first) = self.expect(&start)?;
        let (mut here, mut steps, mut patience) = (start, vec![first], PATIENCE);
        loop {
            let one = self.maximize(&expected)?;
            let moved = distance(&here, &one.parameters);
            let (after_one, value_one) = self.expect(&one.parameters)?;
            let last = steps.last().copied().unwrap_or(value_one);
            let gain = value_one - last;
            // Below rounding a step is none.
            if gain < -ROUNDING * value_one.abs().max(1.0) {
                return Ok(Climbed { fit: one, expected: after_one, steps, moved, arrived: true });
            }
            let reached = value_one.max(last);
            steps.push(reached);
            let little = self.arrival.nats.max(self.arrival.little * value_one.abs().max(1.0));
            patience = if gain < little { patience - 1 } else { PATIENCE };
            let arrived = moved < self.arrival.still || patience == 0;
            if arrived || steps.len() as u64 > self.options.max_iterations {
                return Ok(Climbed { fit: one, expected: after_one, steps, moved, arrived });
            }
            let two = self.maximize(&after_one)?;
            let further = extrapolated(&here, &one.parameters, &two.parameters);
            if let Some((after_further, value_further)) = self.expect_within(&further)?
                && value_further > reached
            {
                steps.push(value_further);
                (here, expected) = (further, after_further);
            } else {
                let (after_two, value_two) = self.expect(&two.parameters)?;
                steps.push(value_two.max(reached));
                (here, expected) = (two.parameters, after_two);
            }
        }
    }

    /// A climb to the boundary never ends there: some cells come to expect fewer and fewer rows. The parameters are
    /// then those of a table in which nobody has them, by the rules of complete tables; what the log-likelihood
    /// came to stays.
    fn settled(&self, climbed: Climbed) -> Halting<Climbed> {
        let Some(fewer) = climbed.expected.without(FEW).filter(|_| climbed.arrived) else {
            return Ok(climbed);
        };
        let fit = self.maximize(&fewer)?;
        let (_, value) = self.expect(&fit.parameters)?;
        let lost = climbed.steps.last().map_or(0.0, |last| last - value);
        // Parameters on a boundary have some pseudo-counts, and lose about as much by them.
        if fit.status != FitStatus::Boundary || lost > fit.smoothing + LITTLE * value.abs() {
            return Ok(climbed);
        }
        let moved = fit.gradient;
        Ok(Climbed { fit, moved, ..climbed })
    }

    /// The E-step, unless the parameters are so large that nothing is left of a probability.
    fn expect_within(&self, parameters: &Parameters) -> Halting<Option<(Expected, f64)>> {
        if parameters.values().iter().all(|value| value.abs() < FAR) {
            self.expect(parameters).map(Some)
        } else {
            Ok(None)
        }
    }
}

/// The largest change of a parameter.
fn distance(one: &Parameters, other: &Parameters) -> f64 {
    one.values().iter().zip(other.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// The point that the way over two steps leads to: theta - 2 a r + a^2 v with a = -|r| / |v|.
fn extrapolated(start: &Parameters, one: &Parameters, two: &Parameters) -> Parameters {
    let triples = || start.values().iter().zip(one.values()).zip(two.values());
    let (mut first, mut second) = (0.0, 0.0);
    for ((zero, one), two) in triples() {
        let (step, bend) = (one - zero, two - 2.0 * one + zero);
        first += step * step;
        second += bend * bend;
    }
    let along = if second > 0.0 { (first / second).sqrt().max(1.0) } else { 1.0 };
    let point = |((zero, one), two): ((&f64, &f64), &f64)| {
        let (step, bend) = (one - zero, two - 2.0 * one + zero);
        zero + 2.0 * along * step + along * along * bend
    };
    Parameters::new(two.terms().clone(), triples().map(point).collect(), None)
}
