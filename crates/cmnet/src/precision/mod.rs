//! How precisely a fitted model knows its numbers: standard errors, intervals and tests of
//! terms, odds ratios, probabilities and strengths.

mod chi_square;
mod effect;
mod elements;
mod observed;
mod quantity;
mod score_tests;

pub use chi_square::chi_square_tail;
pub use effect::{EdgeEffect, PairEffect, Wald};
pub use elements::ElementEffect;
pub use quantity::Quantity;
pub(crate) use quantity::Z;
pub use score_tests::{ScoreTest, score_tests};

use crate::control::{Control, Halting};
use crate::counts::CountSource;
use crate::data::Var;
use crate::error::{Error, Result};
use crate::graph::{Edge, VarSet};
use crate::inference::Evidence;
use crate::loglinear::{Asked, Contrast, Estimated, Fit, FitOptions, Information, Response, Term};
use crate::structure::Structure;
use crate::table::Shape;

/// The most cells of a table over an edge and all that its strength is conditional on.
const MOST_CELLS: u64 = 1 << 16;

/// A fit with the covariance of its parameters.
///
/// Maximum likelihood: the inverse of the observed information, which the model itself gives.
/// Maximum pseudo-likelihood: the sandwich of information and rows, so that the table is needed.
/// Functions of the parameters get their error by the delta method.
///
/// # Example
/// ```
/// use cmnet::{Dataset, Edge, FitOptions, Precision, Structure, fit};
/// let rows = [["0", "0"]; 40].iter().chain(&[["0", "1"]; 10]).chain(&[["1", "0"]; 20]).chain(&[["1", "1"]; 30]);
/// let data = Dataset::from_labels(&["a", "b"], rows.copied())?;
/// let mut structure = Structure::empty(&[2, 2]);
/// structure.toggle_edge(Edge::new(0, 1)?)?;
/// let fitted = fit(&structure, &data, &FitOptions { smoothing: 0.0, ..FitOptions::default() })?;
/// let precision = Precision::new(&structure, &fitted, None, &())?;
/// let effects = precision.effects(Edge::new(0, 1)?, &())?;
/// let log_odds_ratio = effects[0].pairs[0].log_odds_ratio;
/// assert!((log_odds_ratio.value - libm::log(6.0)).abs() < 1e-9);
/// let by_hand = (1.0 / 40.0 + 1.0 / 10.0 + 1.0 / 20.0 + 1.0 / 30.0_f64).sqrt(); // Woolf's formula
/// assert!((log_odds_ratio.error.unwrap() - by_hand).abs() < 1e-9);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub struct Precision<'a> {
    structure: &'a Structure,
    fit: &'a Fit,
    information: Information,
    memory: u64,
}

impl std::fmt::Debug for Precision<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Precision").field("estimate", &self.fit.estimate).finish_non_exhaustive()
    }
}

impl<'a> Precision<'a> {
    /// The precision of a structure's fit. The counts are those of the table that it was fitted
    /// to; maximum likelihood estimates do without.
    ///
    /// # Errors
    /// When the parameters were imported; when they are maximum pseudo-likelihood estimates and
    /// no counts are given, or those of other rows; when the tables of the junction tree take
    /// more memory than fitting has by default; when the control asks to stop.
    pub fn new(
        structure: &'a Structure,
        fit: &'a Fit,
        counts: Option<&'a dyn CountSource>,
        control: &dyn Control,
    ) -> Result<Self> {
        Self::within(Estimated { structure, fit, counts, memory: FitOptions::default().memory }, control)
    }

    pub(crate) fn within(estimated: Estimated<'a>, control: &dyn Control) -> Result<Self> {
        let information = Information::new(estimated, control).map_err(Error::from)?;
        let Estimated { structure, fit, memory, .. } = estimated;
        Ok(Self { structure, fit, information, memory })
    }

    /// Every term with its value, in order.
    ///
    /// # Errors
    /// When the control asks to stop.
    pub fn terms(&self, control: &dyn Control) -> Result<Vec<(Term, Quantity)>> {
        let one = |(number, (term, value)): (usize, (Term, f64))| {
            Ok((term, Quantity::on_line(value, self.variance(vec![(number, 1.0)], control)?)))
        };
        self.fit.parameters.iter().enumerate().map(one).collect()
    }

    /// The distribution of a variable given evidence, level by level.
    ///
    /// # Errors
    /// When the evidence weighs levels, or has probability 0; when the tables do not fit the
    /// memory; when the control asks to stop.
    pub fn probabilities(
        &self,
        target: Var,
        evidence: &Evidence,
        control: &dyn Control,
    ) -> Result<Vec<Quantity>> {
        let response = self.response(&VarSet::from_iter([target]), evidence, control)?;
        let distribution = response.distribution();
        let level = |(level, &probability): (usize, &f64)| {
            let mut indicator = vec![0.0; distribution.len()];
            indicator[level] = 1.0;
            let variance = self.variance(response.derivatives(&indicator), control)?;
            Ok(Quantity::probability(probability, variance))
        };
        distribution.iter().enumerate().map(level).collect()
    }

    /// The strength of an edge: the information in nats that its ends share given all
    /// neighbours of both, that is given everything else. `None` when that takes too large a
    /// table.
    ///
    /// The interval is that of a noncentral chi-square: near zero the estimate is not normal.
    ///
    /// # Errors
    /// When there is no such edge; when the control asks to stop.
    pub fn strength(&self, edge: Edge, control: &dyn Control) -> Result<Option<Quantity>> {
        let (low, high) = edge.ends();
        let graph = self.structure.graph();
        if high >= graph.nodes() || !graph.contains(edge) {
            return Err(Error::question(format!("{edge} is no edge of the model"), "ask about an edge"));
        }
        let around = graph.markov_blanket(low).iter().chain(graph.markov_blanket(high).iter());
        let scope: VarSet = around.chain([low, high]).collect();
        let cardinalities = self.structure.cardinalities();
        let cells = scope.iter().fold(1u64, |cells, v| cells.saturating_mul(cardinalities[v].into()));
        if cells > MOST_CELLS {
            return Ok(None);
        }
        let response = self.response(&scope, &Evidence::none(), control)?;
        let distribution = response.distribution();
        let pointwise = shared_information(response.shape(), &distribution, edge);
        let value: f64 = distribution.iter().zip(&pointwise).map(|(p, shared)| p * shared).sum();
        let variance = self.variance(response.derivatives(&pointwise), control)?;
        Ok(Some(Quantity::strength(value.max(0.0), variance, self.parameters_on(edge))))
    }

    /// Free parameters on an edge: the terms on both ends, less those that its context takes.
    fn parameters_on(&self, edge: Edge) -> u64 {
        let (low, high) = edge.ends();
        let sets = self.fit.parameters.terms().sets_with(low).filter(|set| set.variables().contains(high));
        let terms: u64 = sets.map(|set| set.range().len() as u64).sum();
        let levels = |v: Var| u64::from(self.structure.cardinalities()[v]).saturating_sub(1);
        let cut = self.structure.context(edge).map_or(0, |context| context.len() as u64);
        terms.saturating_sub(cut.saturating_mul(levels(low) * levels(high))).max(1)
    }

    fn response(&self, scope: &VarSet, evidence: &Evidence, control: &dyn Control) -> Result<Response> {
        if evidence.soft().next().is_some() {
            let hint = "give levels instead of weights, or ask without intervals";
            return Err(Error::question("intervals are not known for weighted evidence", hint));
        }
        let asked = Asked {
            parameters: &self.fit.parameters,
            graph: self.structure.graph(),
            scope,
            known: &|v| evidence.level(v),
            memory: self.memory,
        };
        let impossible = || Error::question("what is given has probability 0", "leave out a level");
        Response::new(asked, control)?.ok_or_else(impossible)
    }

    fn variance(&self, sum: Contrast, control: &dyn Control) -> Result<Option<f64>> {
        Ok(self.covariance(&[sum], control)?.map(|matrix| matrix[0][0]))
    }

    fn covariance(&self, sums: &[Contrast], control: &dyn Control) -> Result<Option<Vec<Vec<f64>>>> {
        let found: Halting<_> = self.information.covariance(sums, control);
        found.map_err(Error::from)
    }
}

/// What each cell tells about how the ends of an edge go together given the others:
/// ln p(i,j|g) / p(i|g) p(j|g).
fn shared_information(shape: &Shape, joint: &[f64], edge: Edge) -> Vec<f64> {
    let without = |left_out: &[Var]| {
        shape.restricted(shape.variables().iter().copied().filter(|v| !left_out.contains(v)))
    };
    let (low, high) = edge.ends();
    let sums = [vec![high], vec![low], vec![low, high]].map(|left_out| {
        let onto = without(&left_out);
        let walk = shape.walk_onto(&onto);
        let mut sums = vec![0.0; onto.size()];
        walk.gather(joint, &mut sums);
        let mut spread = vec![0.0; joint.len()];
        walk.spread(&sums, &mut spread);
        spread
    });
    let one = |(cell, &p): (usize, &f64)| {
        let product = sums[0][cell] * sums[1][cell];
        if p > 0.0 && product > 0.0 { libm::log(p * sums[2][cell] / product) } else { 0.0 }
    };
    joint.iter().enumerate().map(one).collect()
}
