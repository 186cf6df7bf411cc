//! Which levels of an edge's ends were observed in a configuration of their common neighbours, and what the counts
//! say where one end has a single level there: no odds ratio can be estimated then.

use crate::counts::CountSource;
use crate::data::Var;
use crate::error::Result;
use crate::graph::Edge;
use crate::table::{OutcomeSpace, Shape};

/// The counts of an edge's ends in every configuration of their common neighbours.
pub(super) struct Observed {
    shape: Shape,
    counts: Vec<f64>,
    edge: Edge,
    common: Vec<Var>,
}

/// The counts of an edge's ends in one configuration: rows are levels of the lower end.
pub(super) struct Ends {
    counts: Vec<Vec<f64>>,
}

impl Observed {
    pub(super) fn new(counts: &dyn CountSource, edge: Edge, space: &OutcomeSpace) -> Result<Self> {
        let common: Vec<Var> = space.variables().iter().collect();
        let scope = common.iter().copied().chain([edge.low(), edge.high()]);
        let mut variables: Vec<Var> = scope.collect();
        variables.sort_unstable();
        let shape = Shape::new(variables, counts.cardinalities());
        let counts = counts.weights(&shape)?;
        Ok(Self { shape, counts, edge, common })
    }

    /// The counts in one configuration of the common neighbours.
    pub(super) fn at(&self, configuration: &[u32]) -> Ends {
        let given = self.common.iter().zip(configuration);
        let start: usize = given.map(|(&v, &level)| self.shape.stride_of(v) * level as usize).sum();
        let stride = |v: Var| self.shape.stride_of(v);
        let levels = |v: Var| {
            let at = self.shape.variables().binary_search(&v).unwrap_or(0);
            self.shape.cardinalities()[at] as usize
        };
        let (low, high) = self.edge.ends();
        let count = |a: usize, b: usize| self.counts[start + a * stride(low) + b * stride(high)];
        let row = |a: usize| (0..levels(high)).map(|b| count(a, b)).collect();
        Ends { counts: (0..levels(low)).map(row).collect() }
    }
}

impl Ends {
    fn margins(&self) -> [Vec<f64>; 2] {
        let low = self.counts.iter().map(|row| row.iter().sum()).collect();
        let high = (0..self.counts[0].len()).map(|b| self.counts.iter().map(|row| row[b]).sum()).collect();
        [low, high]
    }

    /// The levels of both ends that were observed.
    pub(super) fn levels(&self) -> [Vec<u32>; 2] {
        self.margins()
            .map(|margin| (0..).zip(margin).filter(|known| known.1 > 0.0).map(|known| known.0).collect())
    }

    /// ln p(counts | independent) / p(counts | not), each with uniform distributions beforehand: that of either end, and
    /// that of both together.
    pub(super) fn log_bayes_factor(&self) -> f64 {
        let evidence = |counts: &[f64]| {
            let (cells, rows) = (counts.len() as f64, counts.iter().sum::<f64>());
            let each: f64 = counts.iter().map(|&count| libm::lgamma(count + 1.0)).sum();
            libm::lgamma(cells) - libm::lgamma(rows + cells) + each
        };
        let [low, high] = self.margins();
        evidence(&low) + evidence(&high) - evidence(&self.counts.concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// n rows with one level of a binary end: the ratio of the integrals is (n + 2)(n + 3) / (6 (n + 1)).
    #[test]
    fn an_end_with_one_level_is_the_more_probably_constant_the_more_rows_there_are() {
        for (a, b) in [(0.0, 0.0), (3.0, 1.0), (40.0, 60.0)] {
            let ends = Ends { counts: vec![vec![a, b], vec![0.0, 0.0]] };
            let n: f64 = a + b;
            let by_hand = (n + 2.0) * (n + 3.0) / (6.0 * (n + 1.0));
            assert!((ends.log_bayes_factor() - libm::log(by_hand)).abs() < 1e-10, "{a} {b}");
        }
        let ends = Ends { counts: vec![vec![2.0, 0.0, 1.0], vec![0.0, 0.0, 0.0]] };
        assert_eq!(ends.levels(), [vec![0], vec![0, 2]]);
    }
}
