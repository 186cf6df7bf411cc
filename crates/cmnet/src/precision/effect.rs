//! How strongly the ends of an edge depend on each other in each configuration of their common
//! neighbours: log odds ratios, and a test that they are all zero.

use super::chi_square::chi_square_tail;
use super::{Precision, Quantity};
use crate::control::{Control, ask};
use crate::data::Var;
use crate::error::{Error, Result};
use crate::graph::Edge;
use crate::loglinear::{Cholesky, Contrast, ElementPattern};
use crate::table::{Cell, OutcomeSpace};

/// The most configurations of common neighbours that are gone through for one edge.
const MOST_CONFIGURATIONS: u64 = 1 << 12;

/// The log odds ratio of one pair of levels against the first levels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairEffect {
    /// The levels of the edge's lower and higher end, none of them the first.
    pub levels: (u32, u32),
    /// ln p(a,b) p(0,0) / p(a,0) p(0,b), given the common neighbours and everything else.
    pub log_odds_ratio: Quantity,
}

/// A test that some numbers are all zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wald {
    /// The squared distance from zero, in units of the covariance.
    pub statistic: f64,
    /// The number of numbers.
    pub degrees: usize,
    /// The probability of at least this distance, if they are all zero.
    pub p_value: f64,
}

/// The dependence between the ends of an edge in one configuration of their common neighbours.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeEffect {
    /// The edge.
    pub edge: Edge,
    /// The common neighbours with their levels, ascending.
    pub given: Vec<(Var, u32)>,
    /// The same as a number.
    pub cell: Cell,
    /// Whether the structure cuts the edge off here, so that every log odds ratio is zero.
    pub cut: bool,
    /// One log odds ratio for each pair of levels above the first.
    pub pairs: Vec<PairEffect>,
    /// The test that all of them are zero; `None` where they are, or the data do not bound them.
    pub wald: Option<Wald>,
}

impl EdgeEffect {
    /// The log odds ratio that is farthest from zero.
    pub fn largest(&self) -> Option<&PairEffect> {
        let size = |pair: &PairEffect| pair.log_odds_ratio.value.abs();
        self.pairs.iter().max_by(|one, other| size(one).total_cmp(&size(other)))
    }
}

/// Estimates that are zero together or not: numbers and their covariance matrix.
pub(crate) struct Joint {
    pub(crate) values: Vec<f64>,
    /// Whole rows; `None` where the data do not bound them.
    pub(crate) covariance: Option<Vec<Vec<f64>>>,
}

impl Joint {
    /// The rows of a matrix up to the diagonal.
    pub(crate) fn lower(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
        matrix.iter().enumerate().map(|(at, row)| row[..=at].to_vec()).collect()
    }

    /// The squared distance from zero, in units of a covariance matrix.
    pub(crate) fn distance(values: &[f64], covariance: &[Vec<f64>]) -> f64 {
        Cholesky::new(&Self::lower(covariance)).inverse_form(values.to_vec())
    }

    /// The test that all numbers are zero.
    pub(crate) fn wald(&self) -> Option<Wald> {
        let covariance = self.covariance.as_ref()?;
        let (statistic, degrees) = (Self::distance(&self.values, covariance), self.values.len());
        Some(Wald { statistic, degrees, p_value: chi_square_tail(statistic, degrees) })
    }
}

impl Precision<'_> {
    /// The dependence between the ends of an edge, configuration by configuration.
    ///
    /// # Errors
    /// When there is no such edge, or its common neighbours have more than 4,096
    /// configurations; when the control asks to stop.
    pub fn effects(&self, edge: Edge, control: &dyn Control) -> Result<Vec<EdgeEffect>> {
        let space = self.space(edge)?;
        let pattern = ElementPattern::new(self.structure.graph(), self.fit.parameters.terms(), edge, &space);
        let context = self.structure.context(edge);
        let one = |cell: Cell| {
            ask(control)?;
            let cut = context.is_some_and(|context| context.contains(cell));
            let (levels, sums) = Self::contrasts(&pattern, cell);
            let joint = if cut { None } else { Some(self.joint(&sums, control)?) };
            let quantity = |at: usize| -> Result<Quantity> {
                match &joint {
                    None => Ok(Quantity::fixed(0.0)),
                    Some(Joint { values, covariance: Some(matrix) }) => {
                        Ok(Quantity::on_line(values[at], Some(matrix[at][at])))
                    }
                    // Some of them have no bound; others may have one.
                    Some(Joint { values, covariance: None }) => {
                        Ok(Quantity::on_line(values[at], self.variance(sums[at].clone(), control)?))
                    }
                }
            };
            let pair = |(at, &levels): (usize, &(u32, u32))| {
                Ok(PairEffect { levels, log_odds_ratio: quantity(at)? })
            };
            Ok(EdgeEffect {
                edge,
                given: space.variables().iter().zip(space.configuration(cell)).collect(),
                cell,
                cut,
                pairs: levels.iter().enumerate().map(pair).collect::<Result<_>>()?,
                wald: joint.and_then(|joint| joint.wald()),
            })
        };
        (0..space.size()).map(one).collect()
    }

    fn space(&self, edge: Edge) -> Result<OutcomeSpace> {
        let graph = self.structure.graph();
        if edge.high() >= graph.nodes() || !graph.contains(edge) {
            return Err(Error::question(format!("{edge} is no edge of the model"), "ask about an edge"));
        }
        let space = self.structure.context_space(edge)?;
        if space.size() > MOST_CONFIGURATIONS {
            let what = format!("the number of configurations of the common neighbours of edge {edge}");
            return Err(Error::limit(what, MOST_CONFIGURATIONS, "ask about other edges"));
        }
        Ok(space)
    }

    /// The sums of terms that are the log odds ratios in one configuration, by pairs of levels.
    pub(crate) fn contrasts(pattern: &ElementPattern<'_>, cell: Cell) -> (Vec<(u32, u32)>, Vec<Contrast>) {
        let rows = pattern.restrictions(cell).into_iter();
        rows.map(|row| (row.levels, row.terms.iter().map(|&term| (term, 1.0)).collect())).unzip()
    }

    /// The values of some sums of terms, with their covariance.
    pub(crate) fn joint(&self, sums: &[Contrast], control: &dyn Control) -> Result<Joint> {
        let values = self.fit.parameters.values();
        let value = |sum: &Contrast| sum.iter().map(|&(term, factor)| factor * values[term]).sum();
        let values = sums.iter().map(value).collect();
        Ok(Joint { values, covariance: self.covariance(sums, control)? })
    }
}
