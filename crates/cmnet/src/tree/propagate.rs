//! Sum-product propagation in a junction tree: partition function, marginals, and how the
//! marginals move with the potentials.
//!
//! Messages go towards the roots in the log domain, each separator configuration scaled by
//! its own maximum; what stays behind is the *conditional* distribution of a clique given its
//! separator. On the way back conditionals are multiplied by separator marginals. Nothing is
//! ever divided by a sum below 1, so that potentials of any size, and of weight zero (minus
//! infinity, evidence), neither overflow nor turn into NaN.

use super::junction_tree::{Clique, JunctionTree};
use crate::control::{Control, PIECE, Pace};
use crate::error::Result;
use crate::table::{softmax, softmax_under};

/// Tables of a junction tree: log potentials at first, then conditionals and marginals.
#[derive(Clone, Debug)]
pub struct Propagation {
    /// Log potentials; after [`Propagation::collect`] p(clique | separator).
    tables: Vec<Vec<f64>>,
    marginals: Vec<Vec<f64>>,
    log_partition: f64,
}

impl Propagation {
    /// Tables for a tree, all potentials 1.
    pub fn new(tree: &JunctionTree) -> Self {
        let zeros = || tree.cliques().iter().map(|clique| vec![0.0; clique.shape().size()]).collect();
        Self { tables: zeros(), marginals: zeros(), log_partition: 0.0 }
    }

    /// The table of log potentials of a clique, to be filled before [`Propagation::collect`].
    pub fn log_potential(&mut self, clique: usize) -> &mut [f64] {
        &mut self.tables[clique]
    }

    /// All tables of log potentials, to be filled before [`Propagation::collect`].
    pub(crate) fn log_potentials(&mut self) -> &mut [Vec<f64>] {
        &mut self.tables
    }

    /// Sends messages to the roots; returns the log partition function: minus infinity when
    /// every configuration has weight zero.
    pub fn collect(&mut self, tree: &JunctionTree) -> f64 {
        // Nobody asks to stop here.
        self.collect_under(tree, &()).unwrap_or(f64::NEG_INFINITY)
    }

    /// As [`Propagation::collect`], and asks on the way whether to go on. After a stop the
    /// tables are of no use.
    pub(crate) fn collect_under(&mut self, tree: &JunctionTree, control: &dyn Control) -> Result<f64> {
        self.log_partition = 0.0;
        for (index, clique) in tree.cliques().iter().enumerate().rev() {
            let mut pace = Pace::new(control);
            let (before, rest) = self.tables.split_at_mut(index);
            let message = normalize(clique, &mut rest[0], &mut pace)?;
            match &clique.parent {
                Some(parent) => {
                    parent.walk.spread_under(&message, &mut before[parent.clique], &mut pace)?;
                }
                None => self.log_partition += message[0],
            }
        }
        Ok(self.log_partition)
    }

    /// Turns conditionals into the marginals of all cliques. Call after
    /// [`Propagation::collect`].
    pub fn distribute(&mut self, tree: &JunctionTree) {
        // Nobody asks to stop here.
        let _ = self.distribute_under(tree, &());
    }

    /// As [`Propagation::distribute`], and asks on the way whether to go on.
    pub(crate) fn distribute_under(&mut self, tree: &JunctionTree, control: &dyn Control) -> Result<()> {
        for (index, clique) in tree.cliques().iter().enumerate() {
            let mut pace = Pace::new(control);
            let (before, rest) = self.marginals.split_at_mut(index);
            let marginal = &mut rest[0];
            marginal.copy_from_slice(&self.tables[index]);
            if let Some(parent) = &clique.parent {
                parent.weigh(&before[parent.clique], marginal, &mut pace)?;
            }
        }
        Ok(())
    }

    /// The log partition function of the last [`Propagation::collect`].
    pub fn log_partition(&self) -> f64 {
        self.log_partition
    }

    /// The marginal distribution of a clique, in the order of its shape.
    pub fn marginal(&self, clique: usize) -> &[f64] {
        &self.marginals[clique]
    }

    /// The conditional distribution of a clique given its separator: what ancestral sampling
    /// draws from.
    pub fn conditional(&self, clique: usize) -> &[f64] {
        &self.tables[clique]
    }

    /// The derivative of all marginals when the log potentials move in a direction, which is
    /// given table by table and replaced by the answer. Call after
    /// [`Propagation::distribute`].
    ///
    /// # Complexity
    /// As one propagation, without its exponentials.
    pub fn derivative(&self, tree: &JunctionTree, direction: &mut [Vec<f64>]) {
        for (index, clique) in tree.cliques().iter().enumerate().rev() {
            let (before, rest) = direction.split_at_mut(index);
            let message = center(clique, &self.tables[index], &mut rest[0]);
            if let Some(parent) = &clique.parent {
                parent.walk.spread(&message, &mut before[parent.clique]);
            }
        }
        for (index, clique) in tree.cliques().iter().enumerate() {
            let (before, rest) = direction.split_at_mut(index);
            let (moved, marginal) = (&mut rest[0], &self.marginals[index]);
            let Some(parent) = &clique.parent else {
                for (value, &probability) in moved.iter_mut().zip(marginal) {
                    *value *= probability;
                }
                continue;
            };
            let mut separator = vec![0.0; parent.separator.size()];
            parent.walk.gather(&before[parent.clique], &mut separator);
            let conditional = &self.tables[index];
            match moved.len() / separator.len() {
                2 => move_pairs(moved, marginal, conditional, &separator),
                run => move_runs(run, moved, marginal, conditional, &separator),
            }
        }
    }
}

/// Turns a direction that is centred into the movement of the marginal, given how the marginal of the
/// separator moves; each separator configuration has a run of cells.
#[inline]
fn move_runs(run: usize, moved: &mut [f64], marginal: &[f64], conditional: &[f64], separator: &[f64]) {
    let weights = marginal.chunks_exact(run).zip(conditional.chunks_exact(run));
    for ((values, (marginal, conditional)), &by) in moved.chunks_exact_mut(run).zip(weights).zip(separator) {
        for ((value, probability), share) in values.iter_mut().zip(marginal).zip(conditional) {
            *value = *value * probability + share * by;
        }
    }
}

/// The same for runs of two, as most runs are: what is known beforehand need not be looped over.
fn move_pairs(moved: &mut [f64], marginal: &[f64], conditional: &[f64], separator: &[f64]) {
    move_runs(2, moved, marginal, conditional, separator);
}

/// Replaces a log table by conditionals given the separator; returns the log sums.
pub(crate) fn normalize(clique: &Clique, table: &mut [f64], pace: &mut Pace<'_>) -> Result<Vec<f64>> {
    let run = table.len() / clique.separator_cells();
    if table.len() <= PIECE {
        pace.step(table.len())?;
        return Ok(table.chunks_exact_mut(run).map(softmax).collect());
    }
    if run > PIECE {
        return table.chunks_exact_mut(run).map(|values| softmax_under(values, pace)).collect();
    }
    let mut sums = Vec::with_capacity(table.len() / run);
    for piece in table.chunks_mut(PIECE / run * run) {
        pace.step(piece.len())?;
        sums.extend(piece.chunks_exact_mut(run).map(softmax));
    }
    Ok(sums)
}

/// Subtracts from a direction its expectation given the separator; returns the expectations.
fn center(clique: &Clique, conditional: &[f64], direction: &mut [f64]) -> Vec<f64> {
    let mut means = vec![0.0; clique.separator_cells()];
    match direction.len() / means.len() {
        2 => center_pairs(conditional, direction, &mut means),
        run => center_runs(run, conditional, direction, &mut means),
    }
    means
}

#[inline]
fn center_runs(run: usize, conditional: &[f64], direction: &mut [f64], means: &mut [f64]) {
    let runs = direction.chunks_exact_mut(run).zip(conditional.chunks_exact(run));
    for ((values, weights), found) in runs.zip(means) {
        let mean = values.iter().zip(weights).map(|(value, weight)| value * weight).sum::<f64>();
        for value in values.iter_mut() {
            *value -= mean;
        }
        *found = mean;
    }
}

/// The same for runs of two, as most runs are.
fn center_pairs(conditional: &[f64], direction: &mut [f64], means: &mut [f64]) {
    center_runs(2, conditional, direction, means);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Edge, Graph};

    fn chain() -> JunctionTree {
        let mut graph = Graph::empty(3);
        graph.toggle(Edge::new(0, 1).unwrap());
        graph.toggle(Edge::new(1, 2).unwrap());
        JunctionTree::new(&graph, &[2, 2, 2], 1 << 20).unwrap()
    }

    #[test]
    fn potentials_that_pull_apart_by_thousands_stay_finite() {
        let tree = chain();
        let mut propagation = Propagation::new(&tree);
        // One clique insists on X_1 = 0, the other on X_1 = 1, each by a factor e^2000.
        for (index, clique) in tree.cliques().iter().enumerate() {
            let sign = if index == 0 { 1.0 } else { -1.0 };
            let stride = clique.shape().stride_of(1);
            let table = propagation.log_potential(index);
            table
                .iter_mut()
                .enumerate()
                .for_each(|(cell, v)| *v = sign * 2000.0 * (cell / stride % 2) as f64);
        }
        assert!((propagation.collect(&tree) - libm::log(8.0)).abs() < 1e-12);
        propagation.distribute(&tree);
        for clique in 0..2 {
            assert!(propagation.marginal(clique).iter().all(|p| (p - 0.25).abs() < 1e-12));
        }
    }

    #[test]
    fn impossible_configurations_have_probability_zero() {
        let tree = chain();
        let mut propagation = Propagation::new(&tree);
        let stride = tree.cliques()[1].shape().stride_of(1);
        let table = propagation.log_potential(1);
        table.iter_mut().enumerate().filter(|(cell, _)| cell / stride % 2 == 1).for_each(|(_, v)| {
            *v = f64::NEG_INFINITY;
        });
        assert!((propagation.collect(&tree) - libm::log(4.0)).abs() < 1e-12);
        propagation.distribute(&tree);
        let marginal = propagation.marginal(0);
        assert!((marginal.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(marginal.iter().filter(|&&p| p == 0.0).count(), 2);
    }

    /// A triangle with a tail, and a variable by itself.
    fn mixed() -> (JunctionTree, [u32; 5]) {
        let mut graph = Graph::empty(5);
        for (i, j) in [(0, 1), (1, 2), (2, 3), (1, 3)] {
            graph.add_edge(Edge::new(i, j).unwrap());
        }
        let cardinalities = [2, 3, 2, 2, 3];
        (JunctionTree::new(&graph, &cardinalities, 1 << 20).unwrap(), cardinalities)
    }

    /// Tables of numbers that look random.
    fn numbers(tree: &JunctionTree, seed: usize) -> Vec<Vec<f64>> {
        let number = |index: usize, cell: usize| libm::sin((seed + 7 * index + 13 * cell * cell) as f64);
        let table = |index: usize, size: usize| (0..size).map(|cell| number(index, cell)).collect();
        tree.cliques().iter().enumerate().map(|(index, clique)| table(index, clique.shape().size())).collect()
    }

    fn propagated(tree: &JunctionTree, potentials: &[Vec<f64>]) -> Propagation {
        let mut propagation = Propagation::new(tree);
        propagation.log_potentials().clone_from_slice(potentials);
        assert_eq!(propagation.collect(tree).to_bits(), propagation.log_partition().to_bits());
        propagation.distribute(tree);
        propagation
    }

    #[test]
    fn the_log_partition_function_is_that_of_the_listed_configurations() {
        let (tree, cardinalities) = mixed();
        let potentials = numbers(&tree, 1);
        let all = cardinalities.iter().product::<u32>();
        let weight = |mut number: u32| {
            let row = cardinalities.map(|levels| {
                let level = number % levels;
                number /= levels;
                level
            });
            let cliques = tree.cliques().iter().zip(&potentials);
            libm::exp(cliques.map(|(clique, table)| table[clique.shape().cell(&row)]).sum::<f64>())
        };
        let listed = libm::log((0..all).map(weight).sum());
        assert!((propagated(&tree, &potentials).log_partition() - listed).abs() < 1e-12);
    }

    #[test]
    fn marginals_move_as_their_derivative_says() {
        let (tree, _) = mixed();
        let (potentials, direction) = (numbers(&tree, 1), numbers(&tree, 5));
        let moved = |by: f64| {
            let table = |(table, along): (&Vec<f64>, &Vec<f64>)| -> Vec<f64> {
                table.iter().zip(along).map(|(value, along)| value + by * along).collect()
            };
            propagated(&tree, &potentials.iter().zip(&direction).map(table).collect::<Vec<_>>())
        };
        let (step, mut derivative) = (1e-5, direction.clone());
        propagated(&tree, &potentials).derivative(&tree, &mut derivative);
        let (up, down) = (moved(step), moved(-step));
        for (clique, table) in derivative.iter().enumerate() {
            for (cell, value) in table.iter().enumerate() {
                let difference = (up.marginal(clique)[cell] - down.marginal(clique)[cell]) / (2.0 * step);
                assert!(
                    (value - difference).abs() < 1e-8,
                    "clique {clique}, cell {cell}: {value} {difference}"
                );
            }
        }
    }
}
