//! The log-likelihood of the free coordinates with gradient and curvature, by junction tree
//! (paper, section 4: maximum likelihood under the restrictions).

use super::block::Block;
use super::coordinates::Coordinates;
use super::margins::{Smoothing, term_means};
use super::objective::{Objective, dot};
use super::part::{Part, TermTables, clique_shapes};
use super::term::Terms;
use crate::Structure;
use crate::control::{Control, Halting, Outcome, ask, outcome};
use crate::counts::RowCounts;
use crate::data::Dataset;
use crate::error::Result;
use crate::loglinear::check_match;
use crate::table::Shape;
use crate::tree::{Clique, JunctionTree, Propagation};
use std::sync::{Arc, Mutex};

/// The mean log-likelihood per observation as a function of beta: concave, smooth.
///
/// With phi = N beta it is sum over terms of phi_t m_t - log Z(phi), m_t being the observed
/// share of term t; the gradient is N'(m - E), with the expected shares E read off the clique
/// marginals. One evaluation costs one propagation, whatever the size of the joint space.
///
/// # Example
/// ```
/// # use cmnet::{Codes, Schema, Structure, Variable, collapse};
/// use cmnet::Likelihood;
/// # let variable = |name: &str| Variable { name: name.into(), levels: vec!["0".into(), "1".into()] };
/// # let data = collapse(Schema::new_unchecked(vec![variable("a")]), &[Codes::from_codes([0, 1])], &[3, 1])?;
/// let structure = Structure::empty(&[2]);
/// let likelihood = Likelihood::new(&structure, &data, 1 << 20)?;
/// let at_zero = likelihood.evaluate(&[0.0]);
/// assert!((at_zero.value + libm::log(2.0)).abs() < 1e-12);
/// assert!((at_zero.gradient[0] - (0.25 - 0.5)).abs() < 1e-12);
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Likelihood {
    tree: JunctionTree,
    tables: TermTables,
    coordinates: Coordinates,
    means: Vec<f64>,
    /// The maximal cliques of the graph, each with a clique of the tree that contains it.
    homes: Arc<[(usize, Shape)]>,
    blocks: Arc<[Block]>,
    room: Room,
}

/// Tables of all cliques that were used up, for the next call: to have large tables from the system
/// each time takes as long as to fill them.
#[derive(Debug, Default)]
struct Room(Mutex<Vec<Vec<f64>>>);

impl Room {
    /// The tables of a tree, whatever they hold.
    fn take(&self, tree: &JunctionTree) -> Vec<Vec<f64>> {
        let tables = self.0.lock().map(|mut tables| std::mem::take(&mut *tables)).unwrap_or_default();
        let size = |clique: &Clique| clique.shape().size();
        if tables.is_empty() {
            tree.cliques().iter().map(|clique| vec![0.0; size(clique)]).collect()
        } else {
            tables
        }
    }

    fn put_back(&self, tables: Vec<Vec<f64>>) {
        if let Ok(mut room) = self.0.lock() {
            *room = tables;
        }
    }
}

impl Clone for Room {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The function at one beta.
#[derive(Clone, Debug)]
pub struct LikelihoodValue {
    /// The mean log-likelihood per observation.
    pub value: f64,
    /// Its derivatives with respect to beta.
    pub gradient: Vec<f64>,
    /// log Z: minus the paper's phi_0.
    pub log_partition: f64,
}

impl Likelihood {
    /// The log-likelihood of a structure on a table.
    ///
    /// # Errors
    /// When they do not match, or the junction tree goes beyond the budget of bytes.
    pub fn new(structure: &Structure, data: &Dataset, budget: u64) -> Result<Self> {
        check_match(structure, data)?;
        let terms = Terms::new(structure, Some(data.schema()))?;
        let coordinates = Coordinates::new(structure, &terms)?;
        let tree = JunctionTree::new(structure.graph(), structure.cardinalities(), budget)?;
        let part = Part::whole(&terms);
        let counts = RowCounts::new(data);
        let mut means = Vec::new();
        if let Outcome::Done(found) = outcome(term_means(&terms, &part, &counts, Smoothing(0.0), &()))? {
            means = found; // nobody asks to stop here
        }
        Ok(Self::of_part(&terms, &part, tree, coordinates).with_means(means))
    }

    /// The log-likelihood of a part with its own coordinates, before it knows the data.
    pub(crate) fn of_part(terms: &Terms, part: &Part, tree: JunctionTree, coordinates: Coordinates) -> Self {
        let tables = TermTables::new(terms, part, tree.cliques().iter().map(Clique::shape));
        let means = vec![0.0; tables.terms()];
        let shapes = clique_shapes(terms, part);
        let blocks = Block::all(terms, part, &coordinates, &shapes).into();
        let homes =
            shapes.into_iter().filter_map(|shape| Some((tree.home(shape.variables())?, shape))).collect();
        Self { tree, tables, coordinates, means, homes, blocks, room: Room::default() }
    }

    /// The same function of these data.
    pub(crate) fn with_means(self, means: Vec<f64>) -> Self {
        Self { means, ..self }
    }

    /// The free coordinates.
    pub fn coordinates(&self) -> &Coordinates {
        &self.coordinates
    }

    /// The junction tree.
    pub fn tree(&self) -> &JunctionTree {
        &self.tree
    }

    /// Value and gradient at a beta.
    ///
    /// # Panics
    /// When beta does not have one entry per free coordinate.
    pub fn evaluate(&self, beta: &[f64]) -> LikelihoodValue {
        let mut point = self.point();
        // The control that never stops has stopped nothing.
        let _ = self.move_to(beta, &mut point, &());
        LikelihoodValue {
            value: point.value,
            gradient: self.gradient(&point),
            log_partition: point.propagation.log_partition(),
        }
    }

    /// log Z at a point.
    pub(crate) fn log_partition_at(point: &TreePoint) -> f64 {
        point.propagation.log_partition()
    }

    /// The expected share of every term.
    pub(crate) fn expected(&self, point: &TreePoint) -> Vec<f64> {
        let mut expected = vec![0.0; self.tables.terms()];
        let mut room = self.room.take(&self.tree);
        for ((index, clique), table) in self.tree.cliques().iter().enumerate().zip(&mut room) {
            table.copy_from_slice(point.propagation.marginal(index));
            self.tables.margins(index, clique.shape(), table, &mut expected);
        }
        self.room.put_back(room);
        expected
    }

    /// Calibrates the tree; returns log Z.
    fn propagate(&self, phi: &[f64], propagation: &mut Propagation, control: &dyn Control) -> Result<f64> {
        for (index, clique) in self.tree.cliques().iter().enumerate() {
            ask(control)?;
            self.tables.log_potential(index, clique.shape(), phi, propagation.log_potential(index));
        }
        let log_partition = propagation.collect_under(&self.tree, control)?;
        propagation.distribute_under(&self.tree, control)?;
        Ok(log_partition)
    }
}

/// A calibrated junction tree at one beta.
#[derive(Clone, Debug)]
pub(crate) struct TreePoint {
    propagation: Propagation,
    value: f64,
}

impl Objective for Likelihood {
    type Point = TreePoint;

    fn coordinates(&self) -> &Coordinates {
        &self.coordinates
    }

    fn point(&self) -> TreePoint {
        TreePoint { propagation: Propagation::new(&self.tree), value: f64::NEG_INFINITY }
    }

    fn move_to(&self, beta: &[f64], point: &mut TreePoint, control: &dyn Control) -> Halting<()> {
        let phi = self.coordinates.expand(beta);
        point.value = dot(&phi, &self.means) - self.propagate(&phi, &mut point.propagation, control)?;
        Ok(())
    }

    fn value(&self, point: &TreePoint) -> f64 {
        point.value
    }

    fn gradient(&self, point: &TreePoint) -> Vec<f64> {
        let expected = self.expected(point);
        let difference: Vec<f64> = self.means.iter().zip(&expected).map(|(m, e)| m - e).collect();
        self.coordinates.pull_back(&difference)
    }

    fn curvature(&self, point: &TreePoint, direction: &[f64]) -> Vec<f64> {
        let phi = self.coordinates.expand(direction);
        let mut moved = self.room.take(&self.tree);
        for ((index, clique), table) in self.tree.cliques().iter().enumerate().zip(&mut moved) {
            self.tables.log_potential(index, clique.shape(), &phi, table);
        }
        point.propagation.derivative(&self.tree, &mut moved);
        let mut by_term = vec![0.0; self.tables.terms()];
        for (index, clique) in self.tree.cliques().iter().enumerate() {
            self.tables.margins(index, clique.shape(), &mut moved[index], &mut by_term);
        }
        self.room.put_back(moved);
        self.coordinates.pull_back(&by_term)
    }

    fn variances(&self, point: &TreePoint) -> Vec<f64> {
        self.expected(point).into_iter().map(|share| (share * (1.0 - share)).max(1e-15)).collect()
    }

    fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    fn block_curvature(&self, point: &TreePoint, block: &Block) -> Vec<Vec<f64>> {
        let (home, shape) = &self.homes[block.clique];
        let mut marginal = vec![0.0; shape.size()];
        let walk = self.tree.cliques()[*home].shape().walk_onto(shape);
        walk.gather(point.propagation.marginal(*home), &mut marginal);
        let mut matrix = block.zero_matrix();
        block.add_covariance(marginal.into_iter().enumerate(), 1.0, &mut matrix);
        matrix
    }

    fn work(&self) -> usize {
        self.tree
            .cliques()
            .iter()
            .map(|clique| clique.shape().size() * (clique.shape().variables().len() + 4))
            .sum()
    }

    fn is_large(&self) -> bool {
        self.tree.cost().is_large()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Codes, Schema, Variable, collapse};
    use crate::graph::Edge;

    /// A chordless square with a triangle that has a context, on a few rows.
    fn likelihood() -> Likelihood {
        let cardinalities = [2, 3, 2, 2, 3];
        let mut structure = Structure::empty(&cardinalities);
        for (i, j) in [(0, 1), (1, 2), (2, 3), (0, 3), (3, 4), (2, 4)] {
            structure.toggle_edge(Edge::new(i, j).unwrap()).unwrap();
        }
        structure.add_context_element(Edge::new(2, 3).unwrap(), 1).unwrap();
        let variable = |&levels: &u32| Variable {
            name: "x".into(),
            levels: (0..levels).map(|level| level.to_string()).collect(),
        };
        let schema = Schema::new_unchecked(cardinalities.iter().map(variable).collect());
        let column = |&levels: &u32| Codes::from_codes((0..9).map(|row| (row * row % 7 % levels) as u16));
        let columns: Vec<Codes> = cardinalities.iter().map(column).collect();
        let data = collapse(schema, &columns, &[1; 9]).unwrap();
        Likelihood::new(&structure, &data, 1 << 20).unwrap()
    }

    #[test]
    fn the_curvature_is_the_derivative_of_the_gradient() {
        let likelihood = likelihood();
        let wave = |k: usize, pace: f64| libm::sin(pace * (k + 1) as f64);
        let k = likelihood.coordinates().len();
        let beta: Vec<f64> = (0..k).map(|at| wave(at, 1.3)).collect();
        let direction: Vec<f64> = (0..k).map(|at| wave(at, 0.7)).collect();
        let mut point = likelihood.point();
        likelihood.move_to(&beta, &mut point, &()).unwrap();
        let curvature = likelihood.curvature(&point, &direction);
        let step = 1e-5;
        let moved = |sign: f64| -> Vec<f64> {
            let beta: Vec<f64> = beta.iter().zip(&direction).map(|(b, d)| b + sign * step * d).collect();
            likelihood.evaluate(&beta).gradient
        };
        let (ahead, behind) = (moved(1.0), moved(-1.0));
        for at in 0..k {
            let slope = (behind[at] - ahead[at]) / (2.0 * step);
            assert!((slope - curvature[at]).abs() < 1e-8, "{slope} {}", curvature[at]);
        }
    }
}
