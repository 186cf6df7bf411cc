//! Refinement: from a structure that the paper's score found to one that a log-linear score
//! prefers.
//!
//! Equation (7) gives each configuration of a blanket a distribution of its own. One log-linear
//! parameter is then paid for once per configuration of the rest of the blanket, and weak edges
//! are left out. Here a node's conditional has the terms of complete sets alone, as the model
//! itself has, and each is paid for once:
//!
//! conditional BIC = sum over nodes of max log p(x_j | x_mb(j)) - (k_j / 2) ln n - gamma |mb(j)| ln d.
//!
//! The maximum is over the terms with j of at most `order` variables, under the restrictions of
//! the contexts of j's edges; k_j counts those that are free. Edges are toggled greedily from the
//! given structure; contexts are carried along ([`carry`]) and none is looked for.
//!
//! What is heuristic: the greedy toggles, and the screening of pairs by residuals ([`screen`]).

mod carry;
mod climb;
mod family;
mod fitted;
mod newton;
mod rows;
mod screen;

use crate::control::{Control, Halt, Outcome, StopReason, outcome};
use crate::counts::CountSource;
use crate::data::Var;
use crate::error::{Error, Expected, OptionName, Result};
use crate::graph::Edge;
use crate::score::{EdgePrior, EdgeRules};
use crate::structure::Structure;
use climb::Judge;
use rows::Rows;

/// How structures are judged in a refinement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefineOptions {
    /// The most variables of a term: 2 or more. \[default: 3\]
    pub order: usize,
    /// The prior of graphs: gamma.
    pub edge_prior: EdgePrior,
    /// The most cells of the junction tree of a graph that an edge is added to. \[default: any number\]
    pub max_cells: Option<u64>,
}

impl Default for RefineOptions {
    fn default() -> Self {
        Self { order: 3, edge_prior: EdgePrior::for_refinement(), max_cells: None }
    }
}

/// One accepted toggle.
#[derive(Clone, Debug, PartialEq)]
pub struct RefineStep {
    /// The edge.
    pub edge: Edge,
    /// Whether it was added; otherwise it was removed.
    pub added: bool,
    /// The conditional BIC after the step.
    pub score: f64,
}

/// A refined structure and the way that led to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Refined {
    /// Graph and contexts.
    pub structure: Structure,
    /// The toggles, in order.
    pub steps: Vec<RefineStep>,
    /// Toggles considered.
    pub moves: u64,
    /// The conditional BIC of the structure that it began with. Nodes with too many parameters to
    /// be fitted are left out of both scores, and nothing around them is toggled.
    pub before: f64,
    /// The conditional BIC of the refined structure.
    pub score: f64,
    /// Why it ended.
    pub stop: StopReason,
    /// The ends of edges whose conditionals have too many parameters, or that would make the junction
    /// tree too large.
    pub limited: Vec<Var>,
}

/// Refines a structure by its counts. A control that asks to stop ends it with what was found.
///
/// # Errors
/// When the order is below 2, or the counts cannot be had.
///
/// # Example
/// ```
/// use cmnet::{Dataset, EdgeRules, RefineOptions, RowCounts, Structure, refine};
/// let data = Dataset::from_labels(&["a", "b"], [["0", "0"], ["1", "1"]].repeat(20))?;
/// let (empty, counts) = (Structure::empty(&[2, 2]), RowCounts::new(&data));
/// let refined = refine(&empty, &counts, &RefineOptions::default(), &EdgeRules::default(), &())?;
/// assert_eq!(refined.structure.graph().edge_count(), 1);
/// assert!(refined.score > refined.before);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn refine<S: CountSource + ?Sized>(
    structure: &Structure,
    counts: &S,
    options: &RefineOptions,
    rules: &EdgeRules,
    control: &dyn Control,
) -> Result<Refined> {
    options.check()?;
    let rows = Rows::of(counts)?;
    let judge = Judge::new(&rows, options, rules, control);
    let mut state = match judge.start(structure) {
        Ok(state) => state,
        Err(Halt::Stopped(stop)) => return Ok(Refined::untouched(structure, stop)),
        Err(Halt::Failed(error)) => return Err(error),
    };
    let stop = judge.climb(&mut state)?;
    Ok(state.refined(stop))
}

/// The conditional BIC of a structure.
///
/// # Errors
/// As [`refine`], and when a conditional has too many parameters.
pub fn conditional_bic<S: CountSource + ?Sized>(
    structure: &Structure,
    counts: &S,
    options: &RefineOptions,
    rules: &EdgeRules,
    control: &dyn Control,
) -> Result<Outcome<f64>> {
    options.check()?;
    let rows = Rows::of(counts)?;
    let judge = Judge::new(&rows, options, rules, control);
    let fits = match outcome(judge.fits(structure))? {
        Outcome::Done(fits) => fits,
        Outcome::Stopped(reason) => return Ok(Outcome::Stopped(reason)),
    };
    let mut sum = 0.0;
    for (node, fit) in fits.iter().enumerate() {
        let too_many = || {
            let what = "the number of parameters of one conditional distribution";
            Error::limit(what, family::MOST_PARAMETERS, crate::error::Remedy::LearnSparserGraph)
        };
        sum += judge.value(structure, node, fit.as_ref().ok_or_else(too_many)?);
    }
    Ok(Outcome::Done(sum))
}

impl RefineOptions {
    fn check(&self) -> Result<()> {
        if self.order < 2 {
            return Err(Error::option(OptionName::Order, self.order.to_string(), Expected::AtLeast(2)));
        }
        Ok(())
    }
}

impl Refined {
    /// A structure that nothing was found out about.
    fn untouched(structure: &Structure, stop: StopReason) -> Self {
        Self {
            structure: structure.clone(),
            steps: Vec::new(),
            moves: 0,
            before: f64::NAN,
            score: f64::NAN,
            stop,
            limited: Vec::new(),
        }
    }
}
