//! Whether a context element is there: what the fit without contexts says about the odds ratios
//! in a configuration of an edge's common neighbours.
//!
//! A cut edge has log odds ratios of exactly zero. A test alone cannot say that they are: few
//! rows refute nothing. So zero is weighed against log odds ratios of the usual size by a Bayes
//! factor, which is large only where the estimate is both near zero and precise. An edge whose
//! common neighbours have many configurations has many chances to be near zero by accident;
//! therefore the odds beforehand are one to the number of configurations, and one to its power 1.5
//! where a search did not cut the edge off. The power was chosen among 1, 1.5, 2 and 3 on generated
//! tables.
//!
//! Levels that were not observed in a configuration have no odds ratios there. Where a search cut the edge off, the other
//! levels are tested; and where one end has a single level, so that nothing can be estimated, the counts are weighed in
//! place of odds ratios. Where no search did, such a configuration stays open: rare levels are often absent by chance.

use super::effect::Joint;
use super::observed::{Ends, Observed};
use super::{Precision, Quantity, chi_square_tail};
use crate::control::{Control, ask};
use crate::counts::CountSource;
use crate::error::Result;
use crate::graph::{Blankets, Edge};
use crate::loglinear::{Cholesky, Contrast, ElementPattern};
use crate::structure::Structure;
use crate::table::Cell;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The standard deviation of log odds ratios that are not zero. Chosen among 1, 1.5, 2, 3 and 4
/// on generated tables; `cmnet-bench confirm` measures what it gives.
const USUAL: f64 = 2.0;
/// The most configurations of an edge's common neighbours that are all looked at; of more, those
/// that a search found.
const MOST_CANDIDATES: u64 = 64;
/// The logarithm of a Bayes factor beyond which it does not matter.
const MOST_LOG: f64 = 300.0;

/// What a table says about one element of a context.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementEffect {
    /// The log odds ratio that is farthest from zero, with its standard error, in the fit of the graph without
    /// contexts. `None` where one end of the edge has a single level in the configuration.
    pub log_odds_ratio: Option<(f64, f64)>,
    /// The p-value of the test that all odds ratios of the element are one. It is 1 where none can be estimated.
    pub p_value: f64,
    /// The probability that they are.
    pub probability: f64,
}

impl ElementEffect {
    /// The log odds ratio with its interval of 95 %.
    pub fn quantity(&self) -> Option<Quantity> {
        self.log_odds_ratio.map(|(value, error)| Quantity::on_line(value, Some(error * error)))
    }
}

/// The logarithm of the Bayes factor for zero against log odds ratios of the usual size, by pairs
/// of levels of which `columns` belong to one level of the lower end.
fn log_bayes_factor(values: &[f64], covariance: &[Vec<f64>], columns: usize) -> f64 {
    let mut wide = covariance.to_vec();
    for (at, row) in wide.iter_mut().enumerate() {
        for (other, entry) in row.iter_mut().enumerate() {
            // Independent cells make odds ratios that share a level go together: then it does not
            // matter which level is the first.
            let shared = |one: usize, other: usize| if one == other { 2.0 } else { 1.0 };
            let both = shared(at / columns, other / columns) * shared(at % columns, other % columns);
            *entry += USUAL * USUAL * both / 4.0;
        }
    }
    log_density(values, covariance) - log_density(values, &wide)
}

/// The log density of numbers with mean zero, up to a constant.
fn log_density(values: &[f64], covariance: &[Vec<f64>]) -> f64 {
    let factor = Cholesky::new(&Joint::lower(covariance));
    -0.5 * (factor.inverse_form(values.to_vec()) + factor.log_determinant())
}

/// What estimates of an element's log odds ratios say, where the odds beforehand are one to so many.
fn effect_of(joint: &Joint, columns: usize, chances: f64) -> Option<ElementEffect> {
    let (values, own) = (&joint.values, joint.covariance.as_ref()?);
    let size = |&at: &usize| values[at].abs();
    let farthest = (0..values.len()).max_by(|a, b| size(a).total_cmp(&size(b)))?;
    let log = log_bayes_factor(values, own, columns).clamp(-MOST_LOG, MOST_LOG);
    Some(ElementEffect {
        log_odds_ratio: Some((values[farthest], own[farthest][farthest].max(0.0).sqrt())),
        p_value: chi_square_tail(Joint::distance(values, own), values.len()),
        probability: probability(log, chances),
    })
}

/// The probability by the logarithm of a Bayes factor, where the odds beforehand are one to so many.
fn probability(log: f64, chances: f64) -> f64 {
    let odds = libm::exp(log) / chances;
    odds / (1.0 + odds)
}

/// What the counts of a configuration say in which an end has a single level.
fn effect_by_counts(ends: &Ends, chances: f64) -> ElementEffect {
    let probability = probability(ends.log_bayes_factor(), chances);
    ElementEffect { log_odds_ratio: None, p_value: 1.0, probability }
}

/// The log odds ratios of the levels that were observed, against the first of them: sums of those of all levels against
/// the first level.
fn among(levels: &[Vec<u32>; 2], pairs: &[(u32, u32)], sums: &[Contrast]) -> Vec<Contrast> {
    let against = |a: u32, b: u32, sign: f64| {
        let own = pairs.iter().position(|&pair| pair == (a, b)).map(|at| &sums[at]);
        own.into_iter().flatten().map(move |&(term, factor)| (term, sign * factor))
    };
    let [low, high] = levels;
    let mut found = Vec::new();
    for &a in &low[1..] {
        for &b in &high[1..] {
            let (first, other) = (low[0], high[0]);
            let all = against(a, b, 1.0).chain(against(a, other, -1.0)).chain(against(first, b, -1.0));
            found.push(all.chain(against(first, other, 1.0)).collect());
        }
    }
    found
}

impl Precision<'_> {
    /// What this fit of a graph without contexts says about all configurations of its edges' common
    /// neighbours, up to a bound; `found` has the same graph with what a search cut off, and `counts` are those of the
    /// fit. `None` stands where the data do not bound an odds ratio.
    ///
    /// # Errors
    /// When the counts cannot be had; when the control asks to stop.
    pub(crate) fn element_effects(
        &self,
        found: &Structure,
        counts: &dyn CountSource,
        control: &dyn Control,
    ) -> Result<BTreeMap<(Edge, Cell), Option<ElementEffect>>> {
        let (graph, terms) = (self.structure.graph(), self.fit.parameters.terms());
        let mut effects = BTreeMap::new();
        for edge in graph.edges().filter(|&edge| graph.have_common_neighbor(edge)) {
            let (space, context) = (self.structure.context_space(edge)?, found.context(edge));
            let was_found = |cell: Cell| context.is_some_and(|context| context.contains(cell));
            let (cells, observed): (Vec<Cell>, _) = match context {
                _ if space.size() <= MOST_CANDIDATES => {
                    ((0..space.size()).collect(), Some(Observed::new(counts, edge, &space)?))
                }
                Some(context) => (context.elements().collect(), None),
                None => continue,
            };
            let pattern = ElementPattern::new(graph, terms, edge, &space);
            let one = |&cell: &Cell| {
                ask(control)?;
                let configurations = space.size() as f64;
                let more = if was_found(cell) { 1.0 } else { configurations.sqrt() };
                let observed = observed.as_ref().filter(|_| was_found(cell));
                let ends = observed.map(|observed| observed.at(&space.configuration(cell)));
                let tested = Tested { pattern: &pattern, cell, chances: configurations * more };
                Ok(((edge, cell), self.element_effect(&tested, ends.as_ref(), control)?))
            };
            effects.extend(cells.par_iter().map(one).collect::<Result<Vec<_>>>()?);
        }
        Ok(effects)
    }

    fn element_effect(
        &self,
        tested: &Tested<'_>,
        ends: Option<&Ends>,
        control: &dyn Control,
    ) -> Result<Option<ElementEffect>> {
        let (pairs, mut sums) = Self::contrasts(tested.pattern, tested.cell);
        let mut columns = pairs.last().map_or(1, |&(_, levels)| levels as usize);
        if let Some(ends) = ends {
            let levels = ends.levels();
            if levels.iter().any(|levels| levels.len() < 2) {
                return Ok(Some(effect_by_counts(ends, tested.chances)));
            }
            columns = levels[1].len() - 1;
            sums = among(&levels, &pairs, &sums);
        }
        Ok(effect_of(&self.joint(&sums, control)?, columns, tested.chances))
    }
}

/// An element that is tested, where the odds beforehand are one to so many.
struct Tested<'a> {
    pattern: &'a ElementPattern<'a>,
    cell: Cell,
    chances: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binary(value: f64, error: f64, chances: f64) -> ElementEffect {
        let joint = Joint { values: vec![value], covariance: Some(vec![vec![error * error]]) };
        effect_of(&joint, 1, chances).unwrap()
    }

    /// N(e; 0, s^2) / N(e; 0, s^2 + 4).
    #[test]
    fn the_probability_is_that_of_two_normal_densities() {
        let (value, error) = (0.1, 0.08);
        let density = |variance: f64| libm::exp(-value * value / (2.0 * variance)) / variance.sqrt();
        let factor = density(error * error) / density(error * error + 4.0);
        let found = binary(value, error, 2.0);
        assert!((found.probability - factor / (factor + 2.0)).abs() < 1e-12);
        assert!((found.p_value - 0.211_299_5).abs() < 1e-6);
    }

    #[test]
    fn few_rows_confirm_nothing_and_many_configurations_ask_for_more() {
        assert!(binary(0.0, 0.05, 2.0).probability > 0.9);
        assert!(binary(0.0, 2.0, 2.0).probability < 0.5);
        assert!(binary(0.0, 0.3, 2.0).probability > 0.5 && binary(0.0, 0.3, 16.0).probability < 0.5);
        assert!(binary(0.5, 0.05, 2.0).probability < 1e-6);
        let open = Joint { values: vec![0.0], covariance: None };
        assert_eq!(effect_of(&open, 1, 2.0), None);
    }

    /// Two levels of the lower end and three of the higher, with another level as the first.
    #[test]
    fn the_order_of_levels_does_not_matter() {
        let (values, covariance) = ([0.3, -0.2], [vec![0.05, 0.02], vec![0.02, 0.04]]);
        // Against the second level: minus its ratio, and the difference.
        let turned = [-values[0], values[1] - values[0]];
        let (a, b, c) = (covariance[0][0], covariance[0][1], covariance[1][1]);
        let other = [vec![a, a - b], vec![a - b, a - 2.0 * b + c]];
        let one = log_bayes_factor(&values, &covariance, 2);
        assert!((one - log_bayes_factor(&turned, &other, 2)).abs() < 1e-10);
    }
}
