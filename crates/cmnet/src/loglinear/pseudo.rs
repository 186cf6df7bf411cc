//! The pseudo-log-likelihood of the free coordinates: the sum over variables of
//! log p(x_j | x_mb(j)), which needs no partition function (paper, section 3.1).
//!
//! All conditionals share one beta, so that the context restrictions hold exactly and an
//! interaction is not estimated once from each end. The data only enter as counts of
//! (x_j, x_mb(j)), configurations ascending: the sums do not depend on where the counts come from.

use super::blanket::Node;
use super::block::Block;
use super::coordinates::Coordinates;
use super::margins::Smoothing;
use super::objective::{Objective, dot};
use super::part::{Part, TermTables, clique_shapes};
use super::term::Terms;
use crate::control::{Control, Halting, check};
use crate::counts::CountSource;
use crate::data::Var;
use crate::error::Error;
use crate::graph::VarSet;
use crate::table::Shape;
use rayon::prelude::*;
use std::sync::Arc;

/// The weight of the squared parameters for each pseudo-count. Rows say nothing about
/// blankets that were not observed; this keeps their parameters at zero and is far below what
/// one observation says.
pub const RIDGE: f64 = 1e-6;

/// The same in all, at least: so little that a supremum at infinity is told first, and enough to
/// keep what the rows leave open from drifting. It is not counted in the value.
const BARE_RIDGE: f64 = 1e-10;

/// And at least this for each observation, which is above rounding.
const LEAST_RIDGE: f64 = 1e-15;

/// Nodes or cliques that one thread takes at least.
const SHARE: usize = 8;

/// The mean pseudo-log-likelihood per observation as a function of beta: concave, smooth.
#[derive(Clone, Debug)]
pub(crate) struct PseudoLikelihood {
    shapes: Vec<Shape>,
    tables: TermTables,
    coordinates: Coordinates,
    nodes: Vec<Node>,
    /// For each clique its nodes, each with the clique's place in the node's list.
    members: Vec<Vec<(usize, usize)>>,
    blocks: Arc<[Block]>,
    rows: f64,
    total: f64,
    /// The weight of the squared parameters, per observation.
    ridge: f64,
}

/// The distinct rows of a table as the conditionals see them.
#[derive(Clone, Debug)]
pub(crate) struct RowPlaces {
    /// For each node and row, the place of blanket and level in the node's tables.
    cells: Vec<Vec<u32>>,
    /// How often each row was observed.
    pub(crate) weights: Vec<f64>,
}

/// The conditionals at one beta.
#[derive(Clone, Debug)]
pub(crate) struct ConditionalsPoint {
    phi: Vec<f64>,
    /// For each node, configuration and level.
    probabilities: Vec<Vec<f64>>,
    /// The mean of the logarithms, and the same with what the squared parameters cost.
    plain: f64,
    value: f64,
}

impl PseudoLikelihood {
    pub(crate) fn new(
        terms: &Terms,
        part: &Part,
        coordinates: Coordinates,
        counts: &dyn CountSource,
        control: &dyn Control,
    ) -> Halting<Self> {
        let shapes = clique_shapes(terms, part);
        let tables = TermTables::new(terms, part, shapes.iter());
        let variables: Vec<Var> = part.variables.iter().collect();
        let node = |variable| {
            check(control)?;
            Ok(Node::new(variable, &shapes, counts)?)
        };
        let nodes: Vec<Node> = variables.into_par_iter().map(node).collect::<Halting<_>>()?;
        let mut members = vec![Vec::new(); shapes.len()];
        for (index, node) in nodes.iter().enumerate() {
            node.cliques
                .iter()
                .enumerate()
                .for_each(|(place, &(clique, _))| members[clique].push((index, place)));
        }
        let rows = counts.total();
        let blocks = Block::all(terms, part, &coordinates, &shapes).into();
        Ok(Self { shapes, tables, coordinates, nodes, members, blocks, rows, total: rows, ridge: 0.0 })
    }

    /// The same for the conditionals of some of the variables alone.
    pub(crate) fn of_variables(mut self, takes_part: impl Fn(Var) -> bool) -> Self {
        self.nodes.retain(|node| takes_part(node.variable()));
        for members in &mut self.members {
            members.clear();
        }
        for (index, node) in self.nodes.iter().enumerate() {
            for (place, &(clique, _)) in node.cliques.iter().enumerate() {
                self.members[clique].push((index, place));
            }
        }
        self
    }

    /// The same function of the same data and pseudo-counts.
    pub(crate) fn with_smoothing(mut self, smoothing: Smoothing) -> Self {
        self.total = self.rows + smoothing.0;
        let weight = (RIDGE * smoothing.0).max(BARE_RIDGE).max(LEAST_RIDGE * self.rows);
        self.ridge = weight / self.total;
        let rows = self.rows;
        self.nodes.par_iter_mut().for_each(|node| node.smooth(smoothing, rows));
        self
    }

    /// The pseudo-log-likelihood of the observed shares, in all: no parameters have more.
    pub(crate) fn supremum(&self) -> f64 {
        self.nodes.iter().map(Node::supremum).sum()
    }

    /// The blankets' configurations in the distinct rows of a table.
    pub(crate) fn places(&self, counts: &dyn CountSource, control: &dyn Control) -> Halting<RowPlaces> {
        let variables: VarSet = self.nodes.iter().map(Node::variable).collect();
        let margin = counts.margin(&variables)?;
        let width = counts.cardinalities().len();
        let mut rows = vec![0; width * margin.observed()];
        for (row, (levels, _)) in rows.chunks_exact_mut(width.max(1)).zip(margin.iter()) {
            variables.iter().zip(levels).for_each(|(v, &level)| row[v] = level);
        }
        let one = |node: &Node| {
            check(control)?;
            let places = node.locate(&self.shapes, rows.chunks_exact(width));
            let places = places.ok_or_else(|| {
                Error::mismatch("the rows differ from those of the estimate", "use the same table")
            })?;
            let levels = rows.chunks_exact(width).map(|row| row[node.variable()]);
            let cells = places.iter().zip(levels).map(|(&at, level)| at * node.levels as u32 + level);
            Ok(cells.collect())
        };
        let cells = self.nodes.par_iter().map(one).collect::<Halting<Vec<Vec<u32>>>>()?;
        let weights = margin.iter().map(|(_, count)| f64::from(count) * counts.value()).collect();
        Ok(RowPlaces { cells, weights })
    }

    /// The derivative of each distinct row's pseudo-log-probability along a direction of beta.
    pub(crate) fn row_scores(
        &self,
        point: &ConditionalsPoint,
        direction: &[f64],
        places: &RowPlaces,
    ) -> Vec<f64> {
        let tables = self.clique_tables(&self.coordinates.expand(direction));
        let mut scores = vec![0.0; places.weights.len()];
        for ((node, probabilities), cells) in self.nodes.iter().zip(&point.probabilities).zip(&places.cells) {
            let mut moves = node.energies(&tables);
            let runs = moves.chunks_exact_mut(node.levels).zip(probabilities.chunks_exact(node.levels));
            for (values, p) in runs {
                let mean = dot(values, p);
                for value in values {
                    *value -= mean;
                }
            }
            scores.iter_mut().zip(cells).for_each(|(score, &cell)| *score += moves[cell as usize]);
        }
        scores
    }

    fn clique_tables(&self, phi: &[f64]) -> Vec<Vec<f64>> {
        let table = |(clique, shape): (usize, &Shape)| {
            let mut table = vec![0.0; shape.size()];
            self.tables.log_potential(clique, shape, phi, &mut table);
            table
        };
        self.shapes.par_iter().with_min_len(SHARE).enumerate().map(table).collect()
    }

    /// Sums per node, configuration and level to sums per term, divided by the total.
    fn by_term(&self, by_node: &[Vec<f64>]) -> Vec<f64> {
        let gather = |(clique, shape): (usize, &Shape)| {
            let mut table = vec![0.0; shape.size()];
            for &(index, place) in &self.members[clique] {
                let node = &self.nodes[index];
                let (count, stride) = (node.cliques.len(), node.cliques[place].1);
                for (values, bases) in
                    by_node[index].chunks_exact(node.levels).zip(node.bases.chunks_exact(count))
                {
                    let base = bases[place] as usize;
                    values
                        .iter()
                        .enumerate()
                        .for_each(|(level, value)| table[base + level * stride] += value);
                }
            }
            table
        };
        let mut cells: Vec<Vec<f64>> =
            self.shapes.par_iter().with_min_len(SHARE).enumerate().map(gather).collect();
        let mut by_term = vec![0.0; self.tables.terms()];
        for (clique, shape) in self.shapes.iter().enumerate() {
            self.tables.margins(clique, shape, &mut cells[clique], &mut by_term);
        }
        for value in &mut by_term {
            *value /= self.total;
        }
        by_term
    }

    /// Adds a multiple of the parameters: the ridge's part of a derivative.
    fn with_ridge(&self, mut by_term: Vec<f64>, phi: &[f64], sign: f64) -> Vec<f64> {
        by_term.iter_mut().zip(phi).for_each(|(value, phi)| *value += sign * self.ridge * phi);
        by_term
    }

    /// One table per node from its probabilities: (count, sum, probability) for each cell.
    fn per_cell(
        &self,
        point: &ConditionalsPoint,
        cell: impl Fn(f64, f64, f64) -> f64 + Sync,
    ) -> Vec<Vec<f64>> {
        let table = |(node, probabilities): (&Node, &Vec<f64>)| -> Vec<f64> {
            let sums = node.sums.iter().flat_map(|&sum| std::iter::repeat_n(sum, node.levels));
            node.counts.iter().zip(sums).zip(probabilities).map(|((&n, sum), &p)| cell(n, sum, p)).collect()
        };
        self.nodes.par_iter().with_min_len(SHARE).zip(&point.probabilities).map(table).collect()
    }
}

impl Objective for PseudoLikelihood {
    type Point = ConditionalsPoint;

    fn coordinates(&self) -> &Coordinates {
        &self.coordinates
    }

    fn point(&self) -> ConditionalsPoint {
        let nowhere = f64::NEG_INFINITY;
        ConditionalsPoint { phi: Vec::new(), probabilities: Vec::new(), plain: nowhere, value: nowhere }
    }

    fn move_to(&self, beta: &[f64], point: &mut ConditionalsPoint, control: &dyn Control) -> Halting<()> {
        point.phi = self.coordinates.expand(beta);
        let tables = self.clique_tables(&point.phi);
        let one = |node: &Node| {
            check(control)?;
            let mut energies = node.energies(&tables);
            let value = node.normalize(&mut energies);
            Ok((energies, value))
        };
        let nodes = self.nodes.par_iter().with_min_len(SHARE).map(one);
        let nodes: Vec<(Vec<f64>, f64)> = nodes.collect::<Halting<_>>()?;
        let sum: f64 = nodes.iter().map(|(_, value)| value).sum();
        point.plain = sum / self.total;
        point.value = point.plain - self.ridge / 2.0 * dot(&point.phi, &point.phi);
        point.probabilities = nodes.into_iter().map(|(probabilities, _)| probabilities).collect();
        Ok(())
    }

    fn value(&self, point: &ConditionalsPoint) -> f64 {
        point.value
    }

    fn plain_value(&self, point: &ConditionalsPoint) -> f64 {
        point.plain
    }

    /// The largest change of a conditional log-probability that the rows see: directions that
    /// they leave open do not count.
    fn length(&self, step: &[f64]) -> f64 {
        let tables = self.clique_tables(&self.coordinates.expand(step));
        let one = |node: &Node| {
            let moves = node.energies(&tables);
            let spread = |values: &[f64]| {
                let ends = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &value| {
                    (low.min(value), high.max(value))
                });
                ends.1 - ends.0
            };
            moves.chunks_exact(node.levels).map(spread).fold(0.0, f64::max)
        };
        self.nodes.par_iter().with_min_len(SHARE).map(one).reduce(|| 0.0, f64::max)
    }

    fn gradient(&self, point: &ConditionalsPoint) -> Vec<f64> {
        let residuals = self.per_cell(point, |count, sum, p| count - sum * p);
        self.coordinates.pull_back(&self.with_ridge(self.by_term(&residuals), &point.phi, -1.0))
    }

    fn curvature(&self, point: &ConditionalsPoint, direction: &[f64]) -> Vec<f64> {
        let phi = self.coordinates.expand(direction);
        let tables = self.clique_tables(&phi);
        let one = |(node, probabilities): (&Node, &Vec<f64>)| {
            let mut moves = node.energies(&tables);
            let cells = moves.chunks_exact_mut(node.levels).zip(probabilities.chunks_exact(node.levels));
            for ((values, p), sum) in cells.zip(&node.sums) {
                let mean = dot(values, p);
                values.iter_mut().zip(p).for_each(|(value, p)| *value = sum * p * (*value - mean));
            }
            moves
        };
        let moves: Vec<Vec<f64>> =
            self.nodes.par_iter().with_min_len(SHARE).zip(&point.probabilities).map(one).collect();
        self.coordinates.pull_back(&self.with_ridge(self.by_term(&moves), &phi, 1.0))
    }

    fn variances(&self, point: &ConditionalsPoint) -> Vec<f64> {
        let variances = self.per_cell(point, |_, sum, p| sum * p * (1.0 - p));
        self.by_term(&variances).into_iter().map(|value| (value + self.ridge).max(1e-15)).collect()
    }

    fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    fn block_curvature(&self, point: &ConditionalsPoint, block: &Block) -> Vec<Vec<f64>> {
        let mut matrix = block.zero_matrix();
        for &(index, place) in &self.members[block.clique] {
            let (node, probabilities) = (&self.nodes[index], &point.probabilities[index]);
            let (count, stride) = (node.cliques.len(), node.cliques[place].1);
            let configurations = probabilities.chunks_exact(node.levels).zip(node.bases.chunks_exact(count));
            for ((p, bases), sum) in configurations.zip(&node.sums) {
                let base = bases[place] as usize;
                let cells = p.iter().enumerate().map(|(level, &p)| (base + level * stride, p));
                block.add_covariance(cells, sum / self.total, &mut matrix);
            }
        }
        matrix.iter_mut().enumerate().for_each(|(place, row)| row[place] += self.ridge);
        matrix
    }

    fn work(&self) -> usize {
        self.nodes.iter().map(|node| node.counts.len() * (node.cliques.len() + 4)).sum()
    }
}
