//! Order and ridge by rows that were held out of the estimate.

use crate::control::{Control, Halt, Halting, Outcome, check, outcome};
use crate::counts::RowCounts;
use crate::data::{Dataset, Fold, FoldPlan, Folds, Var};
use crate::error::{Error, ErrorKind, OptionName, Result};
use crate::loglinear::{Evaluator, Fit, FitOptions, FitRequest, Order, Ridge, fit_to_predict};
use crate::structure::Structure;
use std::str::FromStr;

/// A table is dealt into so many parts.
pub(crate) const PARTS: usize = 5;
/// Rows without which nothing is held out.
pub(crate) const LEAST_ROWS: u64 = 2 * PARTS as u64;
/// Rows from which on one of them is held out, and not each in turn.
const MANY_ROWS: u64 = 4000;
/// The factor between neighbouring strengths.
const FACTOR: f64 = 3.0;
/// The strengths that are considered.
const STRENGTHS: std::ops::RangeInclusive<f64> = 0.01..=1e4;
/// Steps from strength to strength.
const MOST_STEPS: usize = 12;

/// A value, or that rows which are held out choose it: `auto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chosen<T> {
    /// This value.
    Given(T),
    /// The value of the best prediction.
    Auto,
}

impl<T: Default> Chosen<T> {
    /// The value, or that from which the choice starts.
    pub fn value(self) -> T {
        match self {
            Self::Given(value) => value,
            Self::Auto => T::default(),
        }
    }

    /// Whether rows choose it.
    pub fn is_auto(&self) -> bool {
        matches!(self, Self::Auto)
    }
}

impl<T: FromStr<Err = Error>> FromStr for Chosen<T> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.trim() == "auto" { Ok(Self::Auto) } else { text.parse().map(Self::Given) }
    }
}

/// What rows that are held out choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tune {
    /// The most variables of a term: 2, 3 or any number.
    pub order: bool,
    /// The strengths of the ridge.
    pub ridge: bool,
    /// What determines which rows are held out.
    pub seed: u64,
}

impl Tune {
    /// Nothing.
    pub const NOTHING: Self = Self { order: false, ridge: false, seed: 1 };

    /// Whether there is nothing to choose.
    pub fn is_nothing(&self) -> bool {
        !self.order && !self.ridge
    }
}

/// Where no rows are held out to choose order and ridge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixedOnly {
    /// Rows whose weights are real numbers.
    RealWeights,
    /// Rows with missing values.
    MissingValues,
    /// The parameters of a structure that is proven to be the best.
    Proof,
}

impl FixedOnly {
    fn expected(self) -> &'static str {
        match self {
            Self::RealWeights => "a value: rows whose weights are no whole numbers are not held out",
            Self::MissingValues => "a value: rows with missing values are not held out",
            Self::Proof => "a value: the structure is proven on all rows, and none is held out",
        }
    }
}

impl Tune {
    /// Refuses a choice by rows where none are held out.
    ///
    /// # Errors
    /// When something is to be chosen.
    ///
    /// # Example
    /// ```
    /// use cmnet::{FixedOnly, Tune};
    /// let both = Tune { order: true, ridge: true, ..Tune::NOTHING };
    /// assert!(both.check_fixed(FixedOnly::RealWeights).is_err());
    /// assert!(Tune::NOTHING.check_fixed(FixedOnly::RealWeights).is_ok());
    /// ```
    pub fn check_fixed(&self, here: FixedOnly) -> Result<()> {
        let asked = [(OptionName::Order, self.order), (OptionName::Ridge, self.ridge)];
        match asked.into_iter().find(|(_, auto)| *auto) {
            Some((option, _)) => Err(Error::option(option, "auto", here.expected())),
            None => Ok(()),
        }
    }
}

impl Default for Tune {
    fn default() -> Self {
        Self::NOTHING
    }
}

/// One setting, and how well it predicted.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// The most variables of a term.
    pub order: Order,
    /// The ridge.
    pub ridge: Ridge,
    /// The mean log-probability of a held-out row: of the row, or of its target given the rest;
    /// of its conditionals where the estimate is not exact. `None` where it could not be fitted.
    pub predictive: Option<f64>,
}

/// The setting that predicted best, and all that were tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    /// How to fit.
    pub options: FitOptions,
    /// All settings, in the order tried.
    pub tried: Vec<Tried>,
}

impl Tuned {
    /// The mean log-probability of a held-out row at the best setting.
    pub fn predictive(&self) -> Option<f64> {
        let best = |one: &&Tried| one.order == self.options.order && one.ridge == self.options.ridge;
        self.tried.iter().find(best).and_then(|one| one.predictive)
    }
}

/// How well a setting is judged: by whole rows, or by one variable given the others.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'a> {
    /// The structure.
    pub structure: &'a Structure,
    /// The structure of each part's other rows, in place of the structure: one that has not seen the
    /// rows that judge it. Empty where the structure is held fixed.
    pub relearned: &'a [Structure],
    /// The table.
    pub data: &'a Dataset,
    /// The variable that is to be predicted from the others; `None` for whole rows.
    pub target: Option<Var>,
}

/// Chooses order and ridge for a structure by rows that are held out: a fifth of the table at a
/// time, each fifth in turn where there are fewer than 4,000 rows. The structure is held fixed, or
/// each part has its own.
///
/// Strengths are looked for greedily by factors of three, first one for all orders and then one
/// for pairs and one for larger sets. Equal seeds give equal choices. Where there is nothing to
/// choose, nothing is tried; but for a target the one setting is judged. With fewer than ten rows
/// the options stay as they are.
///
/// # Errors
/// As [`crate::fit`].
pub fn tune(
    judged: Judged<'_>,
    options: &FitOptions,
    tune: Tune,
    control: &dyn Control,
) -> Result<Outcome<Tuned>> {
    outcome(Trials::run(judged, options, tune, control))
}

struct Trials<'a> {
    judged: Judged<'a>,
    options: &'a FitOptions,
    folds: Vec<Fold>,
    control: &'a dyn Control,
    tried: Vec<Tried>,
}

impl<'a> Trials<'a> {
    fn run(
        judged: Judged<'a>,
        options: &'a FitOptions,
        tune: Tune,
        control: &'a dyn Control,
    ) -> Halting<Tuned> {
        let has_rows = judged.data.rows() >= LEAST_ROWS;
        if !has_rows || tune.is_nothing() && judged.target.is_none() {
            return Ok(Tuned { options: options.clone(), tried: Vec::new() });
        }
        let folds = held_out(judged.data, tune.seed)?;
        let mut trials = Self { judged, options, folds, control, tried: Vec::new() };
        let orders = if tune.order {
            vec![Order::at_most(2)?, Order::at_most(3)?, Order::FULL]
        } else {
            vec![options.order]
        };
        let starts = if tune.ridge {
            vec![Ridge::NONE, Ridge::by_order(vec![1.0])?, Ridge::by_order(vec![10.0])?]
        } else {
            vec![options.ridge.clone()]
        };
        for &order in &orders {
            for ridge in &starts {
                trials.judge(order, ridge.clone())?;
            }
        }
        if tune.ridge {
            trials.climb()?;
        }
        let best = trials.best();
        let (order, ridge) = (best.order, best.ridge.clone());
        Ok(Tuned { options: FitOptions { order, ridge, ..options.clone() }, tried: trials.tried })
    }

    /// The setting that predicts best; of equals the first.
    fn best(&self) -> &Tried {
        let value = |one: &Tried| one.predictive.unwrap_or(f64::NEG_INFINITY);
        self.tried
            .iter()
            .reduce(|best, next| if value(next) > value(best) { next } else { best })
            .unwrap_or(&NONE)
    }

    /// Goes from strengths to neighbouring ones while that helps.
    fn climb(&mut self) -> Halting<()> {
        for _ in 0..MOST_STEPS {
            let (order, ridge) = (self.best().order, self.best().ridge.clone());
            let (pairs, higher) = (ridge.strength(2), ridge.strength(3));
            let mut neighbors = vec![(pairs * FACTOR, higher * FACTOR), (pairs / FACTOR, higher / FACTOR)];
            if order.allows(3) {
                neighbors.extend([(pairs, higher * FACTOR), (pairs, higher / FACTOR)]);
            }
            if ridge.is_none() {
                neighbors = vec![(0.1, 0.1)];
            }
            for (pairs, higher) in neighbors {
                if STRENGTHS.contains(&pairs) && STRENGTHS.contains(&higher) {
                    let strengths = if order.allows(3) { vec![pairs, higher] } else { vec![pairs] };
                    self.judge(order, Ridge::by_order(strengths)?)?;
                }
            }
            if (self.best().order, &self.best().ridge) == (order, &ridge) {
                break;
            }
        }
        Ok(())
    }

    /// Tries a setting, unless it was tried.
    fn judge(&mut self, order: Order, ridge: Ridge) -> Halting<()> {
        let near = |one: f64, other: f64| (one - other).abs() <= 1e-9 * one.abs().max(other.abs());
        let same = |one: &Tried| {
            one.order == order && (2..4).all(|order| near(one.ridge.strength(order), ridge.strength(order)))
        };
        if self.tried.iter().any(same) {
            return Ok(());
        }
        let options = FitOptions { order, ridge: ridge.clone(), ..self.options.clone() };
        let predictive = self.predictive(&options)?;
        self.tried.push(Tried { order, ridge, predictive });
        Ok(())
    }

    fn predictive(&self, options: &FitOptions) -> Halting<Option<f64>> {
        let (mut sum, mut rows) = (0.0, 0.0);
        for (place, fold) in self.folds.iter().enumerate() {
            check(self.control)?;
            let counts = RowCounts::new(&fold.training);
            let structure = self.judged.relearned.get(place).unwrap_or(self.judged.structure);
            let request = FitRequest::new(structure, &counts, Some(self.judged.data.schema()), options);
            match fit_to_predict(&request, self.control) {
                Ok(Outcome::Done(fit)) => sum += log_probability(&fit, &fold.heldout, self.judged.target),
                Ok(Outcome::Stopped(reason)) => return Err(Halt::Stopped(reason)),
                Err(error) if matches!(error.kind(), ErrorKind::Limit(_)) => return Ok(None),
                Err(error) => return Err(error.into()),
            }
            rows += fold.heldout.rows() as f64;
        }
        Ok(Some(sum / rows))
    }
}

static NONE: Tried = Tried { order: Order::FULL, ridge: Ridge::NONE, predictive: None };

/// The folds that decide.
pub(super) fn held_out(data: &Dataset, seed: u64) -> Result<Vec<Fold>> {
    let folds = Folds::deal(data, FoldPlan::Drawn { folds: PARTS, seed })?;
    let most = if data.rows() >= MANY_ROWS { 1 } else { PARTS };
    folds.iter().take(most).collect()
}

/// The log-probability of held-out rows in all: of whole rows, or of a target given the others.
fn log_probability(fit: &Fit, heldout: &Dataset, target: Option<Var>) -> f64 {
    let evaluator = fit.parameters.evaluator();
    match target {
        Some(target) => conditional(&evaluator, heldout, target),
        None => evaluator.log_likelihood(heldout).unwrap_or_else(|| evaluator.pseudo_log_likelihood(heldout)),
    }
}

fn conditional(evaluator: &Evaluator, heldout: &Dataset, target: Var) -> f64 {
    let one = |(row, &weight): (usize, &u32)| {
        let levels = heldout.row(row);
        f64::from(weight) * evaluator.log_conditional(target, &levels)
    };
    heldout.weights().iter().enumerate().map(one).sum()
}
