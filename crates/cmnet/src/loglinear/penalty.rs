//! The ridge as a function of the phi-terms, and an objective with it.
//!
//! The log potential is a sum of phi-terms, each zero where a level is the first. Its interactions
//! theta_A sum to zero over the levels of each variable of A instead. Along one axis with r levels
//! the change is (base, phi_l) -> (base + S/r, phi_l - S/r) with S the sum of the phi_l; over all
//! axes of a clique's table it gives every theta_A of that table at once, and where terms live in
//! several tables the thetas add up. The theta of the first level is minus the sum of the others.

use super::block::Block;
use super::coordinates::Coordinates;
use super::objective::{Objective, dot};
use super::part::{Part, TermTables, clique_shapes};
use super::ridge::Ridge;
use super::term::Terms;
use crate::control::{Control, Halting};
use crate::data::Var;
use crate::graph::VarSet;
use crate::table::Shape;
use std::sync::Arc;

/// Half the weighted sum of squared interactions, as a quadratic function of a part's terms.
#[derive(Clone, Debug)]
pub(crate) struct Penalty {
    shapes: Vec<Shape>,
    /// Where each term lives.
    tables: TermTables,
    /// For each table, the cells of all sets inside it, with the part's terms.
    cells: Vec<Vec<(usize, usize)>>,
    sets: Vec<Set>,
}

/// A set of a part with its terms.
#[derive(Clone, Debug)]
struct Set {
    first: usize,
    variables: Vec<Var>,
    /// Levels above the first.
    radices: Vec<usize>,
    strength: f64,
    /// Strengths of the interactions of the sets inside, by their number of variables.
    strengths: Arc<[f64]>,
}

impl Penalty {
    /// The ridge on the interactions of those sets that count.
    pub(crate) fn new(terms: &Terms, part: &Part, ridge: &Ridge, counts: impl Fn(&VarSet) -> bool) -> Self {
        let shapes = clique_shapes(terms, part);
        let tables = TermTables::new(terms, part, shapes.iter());
        let cardinalities = terms.cardinalities();
        let most = part.sets.iter().map(|&set| terms.sets()[set].variables().len()).max().unwrap_or(0);
        let strengths: Arc<[f64]> = (0..=most).map(|order| ridge.strength(order)).collect();
        let (mut sets, mut first) = (Vec::new(), 0);
        for set in part.sets.iter().map(|&index| &terms.sets()[index]) {
            let variables: Vec<Var> = set.variables().iter().collect();
            let radices = variables.iter().map(|&v| cardinalities[v] as usize - 1).collect();
            let strength = if counts(set.variables()) { strengths[variables.len()] } else { 0.0 };
            let strengths = strengths.clone();
            sets.push(Set { first, variables, radices, strength, strengths });
            first += set.range().len();
        }
        let mut cells = vec![Vec::new(); shapes.len()];
        let mut near: Vec<Vec<usize>> = vec![Vec::new(); cardinalities.len()];
        for (index, shape) in shapes.iter().enumerate() {
            shape.variables().iter().for_each(|&v| near[v].push(index));
        }
        for (set, &index) in sets.iter().zip(&part.sets) {
            let variables = terms.sets()[index].variables();
            for &table in &near[set.variables[0]] {
                cells[table].extend(shapes[table].term_cells(variables).into_iter().zip(set.first..));
            }
        }
        Self { shapes, tables, cells, sets }
    }

    /// The gradient of the penalty, which is linear in the terms; half its product with them is
    /// the penalty.
    pub(crate) fn apply(&self, phi: &[f64]) -> Vec<f64> {
        let mut theta = self.interactions(phi);
        for set in &self.sets {
            set.weigh(&mut theta[set.first..set.first + set.size()]);
        }
        let mut slope = vec![0.0; phi.len()];
        for (index, shape) in self.shapes.iter().enumerate() {
            let mut table = vec![0.0; shape.size()];
            for &(cell, term) in &self.cells[index] {
                table[cell] = theta[term];
            }
            along_axes(shape, &mut table, |fibre| {
                let shift = (fibre.first() - fibre.sum_of_others()) / fibre.levels() as f64;
                fibre.add_to_others(shift);
            });
            self.tables.read(index, &table, &mut slope);
        }
        slope
    }

    /// theta_A(x_A) at the levels above the first, in the place of the term phi_A(x_A).
    fn interactions(&self, phi: &[f64]) -> Vec<f64> {
        let mut theta = vec![0.0; phi.len()];
        for (index, shape) in self.shapes.iter().enumerate() {
            let mut table = vec![0.0; shape.size()];
            self.tables.place(index, phi, &mut table);
            along_axes(shape, &mut table, |fibre| {
                let mean = fibre.sum_of_others() / fibre.levels() as f64;
                fibre.add_to_first(mean);
                fibre.add_to_others(-mean);
            });
            for &(cell, term) in &self.cells[index] {
                theta[term] += table[cell];
            }
        }
        theta
    }

    /// The second derivatives of single terms.
    fn diagonal(&self) -> Vec<f64> {
        let mut diagonal = Vec::new();
        for set in &self.sets {
            let value = set.product(set, |_, _| true);
            diagonal.extend(std::iter::repeat_n(value, set.size()));
        }
        diagonal
    }

    /// The second derivative of two terms.
    fn entry(&self, one: usize, other: usize) -> f64 {
        let of = |term: usize| &self.sets[self.sets.partition_point(|set| set.first <= term) - 1];
        let (first, second) = (of(one), of(other));
        let (levels, others) = (first.levels(one), second.levels(other));
        first.product(second, |at, with| levels[at] == others[with])
    }

    /// The second derivatives of a block's terms, as the rows of a lower triangle. Terms that
    /// depend on them are left out.
    fn matrix(&self, block: &Block, coordinates: &Coordinates) -> Vec<Vec<f64>> {
        let terms: Vec<usize> = block.betas.iter().map(|&beta| coordinates.free()[beta]).collect();
        let row = |at: usize| (0..=at).map(|with| self.entry(terms[at], terms[with])).collect();
        (0..terms.len()).map(row).collect()
    }
}

impl Set {
    fn size(&self) -> usize {
        self.radices.iter().product()
    }

    /// The levels of a term, counted from that above the first.
    fn levels(&self, term: usize) -> Vec<usize> {
        let mut rest = term - self.first;
        let mut levels = vec![0; self.radices.len()];
        for (level, &radix) in levels.iter_mut().zip(&self.radices).rev() {
            (*level, rest) = (rest % radix, rest / radix);
        }
        levels
    }

    /// Turns interactions into the derivatives of half their weighted squares: along each axis the
    /// first level's interaction, minus the sum of the others, counts too.
    fn weigh(&self, theta: &mut [f64]) {
        if self.strength == 0.0 {
            theta.fill(0.0);
            return;
        }
        let mut stride = 1;
        for &radix in self.radices.iter().rev() {
            for block in theta.chunks_exact_mut(stride * radix) {
                for at in 0..stride {
                    let sum: f64 = block[at..].iter().step_by(stride).sum();
                    block[at..].iter_mut().step_by(stride).for_each(|value| *value += sum);
                }
            }
            stride *= radix;
        }
        for value in theta {
            *value *= self.strength;
        }
    }

    /// The second derivative of a term of this set and one of another, given which of their
    /// common variables have the same level: the sum over the sets A that both contain of
    /// strength times the product over A of ([same level] - 1/r) and elsewhere of 1/r.
    fn product(&self, other: &Self, same: impl Fn(usize, usize) -> bool) -> f64 {
        // by_size[k]: the sum over the sets A of k variables.
        let mut by_size = vec![1.0];
        for (at, (variable, radix)) in self.variables.iter().zip(&self.radices).enumerate() {
            let mean = 1.0 / (radix + 1) as f64;
            match other.variables.iter().position(|v| v == variable) {
                None => by_size.iter_mut().for_each(|value| *value *= mean),
                Some(with) => {
                    let inside = if same(at, with) { 1.0 - mean } else { -mean };
                    by_size.push(0.0);
                    for size in (0..by_size.len()).rev() {
                        let smaller = if size > 0 { by_size[size - 1] } else { 0.0 };
                        by_size[size] = by_size[size] * mean * mean + smaller * inside;
                    }
                }
            }
        }
        let alone = other.variables.iter().zip(&other.radices).filter(|(v, _)| !self.variables.contains(v));
        let alone: f64 = alone.map(|(_, radix)| 1.0 / (radix + 1) as f64).product();
        alone * by_size.iter().zip(&*self.strengths).map(|(value, strength)| value * strength).sum::<f64>()
    }
}

/// The cells of a table along one axis, the others fixed.
struct Fibre<'a> {
    cells: &'a mut [f64],
    stride: usize,
}

impl Fibre<'_> {
    fn levels(&self) -> usize {
        self.cells.len().div_ceil(self.stride)
    }

    fn first(&self) -> f64 {
        self.cells[0]
    }

    fn sum_of_others(&self) -> f64 {
        self.cells.iter().step_by(self.stride).skip(1).sum()
    }

    fn add_to_first(&mut self, by: f64) {
        self.cells[0] += by;
    }

    fn add_to_others(&mut self, by: f64) {
        self.cells.iter_mut().step_by(self.stride).skip(1).for_each(|value| *value += by);
    }
}

fn along_axes(shape: &Shape, table: &mut [f64], visit: impl Fn(&mut Fibre<'_>)) {
    for (levels, stride) in shape.axes() {
        for block in table.chunks_exact_mut(stride * levels) {
            for at in 0..stride {
                let end = block.len() - stride + at + 1;
                visit(&mut Fibre { cells: &mut block[at..end], stride });
            }
        }
    }
}

/// A function of beta less a ridge.
pub(crate) struct Penalized<O> {
    plain: O,
    penalty: Arc<Penalty>,
    /// The weight of the penalty per observation.
    share: f64,
    diagonal: Vec<f64>,
    /// The penalty's matrix of each block.
    matrices: Vec<Vec<Vec<f64>>>,
}

/// A point of the function, with the terms and what the ridge costs there.
pub(crate) struct PenalizedPoint<P> {
    pub(crate) plain: P,
    phi: Vec<f64>,
    slope: Vec<f64>,
}

impl<O: Objective> Penalized<O> {
    /// A function that is a mean over so many observations, less the penalty.
    pub(crate) fn new(plain: O, penalty: Arc<Penalty>, observations: f64) -> Self {
        let share = 1.0 / observations;
        let diagonal = penalty.diagonal();
        let matrices =
            plain.blocks().iter().map(|block| penalty.matrix(block, plain.coordinates())).collect();
        Self { plain, penalty, share, diagonal, matrices }
    }
}

impl<O: Objective> Objective for Penalized<O> {
    type Point = PenalizedPoint<O::Point>;

    fn coordinates(&self) -> &Coordinates {
        self.plain.coordinates()
    }

    fn point(&self) -> Self::Point {
        PenalizedPoint { plain: self.plain.point(), phi: Vec::new(), slope: Vec::new() }
    }

    fn move_to(&self, beta: &[f64], point: &mut Self::Point, control: &dyn Control) -> Halting<()> {
        point.phi = self.coordinates().expand(beta);
        point.slope = self.penalty.apply(&point.phi);
        self.plain.move_to(beta, &mut point.plain, control)
    }

    fn value(&self, point: &Self::Point) -> f64 {
        self.plain.value(&point.plain) - self.share / 2.0 * dot(&point.phi, &point.slope)
    }

    fn plain_value(&self, point: &Self::Point) -> f64 {
        self.plain.plain_value(&point.plain)
    }

    fn length(&self, step: &[f64]) -> f64 {
        self.plain.length(step)
    }

    fn gradient(&self, point: &Self::Point) -> Vec<f64> {
        let mut gradient = self.plain.gradient(&point.plain);
        let cost = self.coordinates().pull_back(&point.slope);
        gradient.iter_mut().zip(cost).for_each(|(slope, cost)| *slope -= self.share * cost);
        gradient
    }

    fn curvature(&self, point: &Self::Point, direction: &[f64]) -> Vec<f64> {
        let mut curvature = self.plain.curvature(&point.plain, direction);
        let bend = self.coordinates().pull_back(&self.penalty.apply(&self.coordinates().expand(direction)));
        curvature.iter_mut().zip(bend).for_each(|(sum, bend)| *sum += self.share * bend);
        curvature
    }

    fn variances(&self, point: &Self::Point) -> Vec<f64> {
        let mut variances = self.plain.variances(&point.plain);
        variances.iter_mut().zip(&self.diagonal).for_each(|(sum, bend)| *sum += self.share * bend);
        variances
    }

    fn blocks(&self) -> &[Block] {
        self.plain.blocks()
    }

    fn block_curvature(&self, point: &Self::Point, block: &Block) -> Vec<Vec<f64>> {
        let mut matrix = self.plain.block_curvature(&point.plain, block);
        let place = self.blocks().binary_search_by_key(&block.clique, |own| own.clique);
        if let Ok(bend) = place.map(|place| &self.matrices[place]) {
            for (row, bend) in matrix.iter_mut().zip(bend) {
                row.iter_mut().zip(bend).for_each(|(sum, bend)| *sum += self.share * bend);
            }
        }
        matrix
    }

    fn is_large(&self) -> bool {
        self.plain.is_large()
    }

    fn work(&self) -> usize {
        let own: usize = self.penalty.shapes.iter().map(|shape| 4 * shape.size()).sum();
        self.plain.work() + own
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Edge, Graph};
    use crate::structure::Structure;

    #[test]
    fn second_derivatives_are_those_of_the_gradient() {
        let mut graph = Graph::empty(4);
        for (one, other) in [(0, 1), (0, 2), (1, 2), (2, 3)] {
            graph.add_edge(Edge::new(one, other).unwrap());
        }
        let structure = Structure::from_graph(graph, &[2, 3, 2, 4]).unwrap();
        let terms = Terms::new(&structure, None).unwrap();
        let part = Part::whole(&terms);
        let ridge = Ridge::by_order(vec![0.5, 2.0, 3.0]).unwrap();
        let penalty = Penalty::new(&terms, &part, &ridge, |_| true);
        let (count, diagonal) = (part.terms.len(), penalty.diagonal());
        for one in 0..count {
            let mut unit = vec![0.0; count];
            unit[one] = 1.0;
            let slope = penalty.apply(&unit);
            for (other, &slope) in slope.iter().enumerate() {
                let entry = penalty.entry(one, other);
                assert!((entry - slope).abs() < 1e-12, "{one}, {other}: {entry} and {slope}");
            }
            assert!((diagonal[one] - slope[one]).abs() < 1e-12);
        }
    }
}
