//! Maximum likelihood in closed form: components whose graph is chordal and has no contexts
//! (Lauritzen 1996, section 4.4: p = product of clique margins / product of separator margins).

use super::margins::{Smoothing, clique_counts};
use super::part::{Part, cells_of};
use super::term::Terms;
use super::transform::{sum_of_terms, terms_of_sum};
use crate::data::Dataset;
use crate::graph::VarSet;
use crate::inference::{JunctionTree, Shape};

/// Imagined observations, in all, where the bare estimate has probabilities of zero: the
/// terms stay finite, and the log-likelihood is off its supremum by less than 1e-6.
pub(crate) const FLOOR: f64 = 1e-8;

/// A fitted part.
#[derive(Clone, Debug)]
pub(crate) struct ClosedForm {
    pub(crate) phi: Vec<f64>,
    pub(crate) log_partition: f64,
    /// The log-likelihood of the data alone: the supremum where no observation is imagined.
    pub(crate) log_likelihood: f64,
    /// The terms that run away, when no observation is imagined.
    pub(crate) boundary: Vec<usize>,
}

/// Fits a part whose junction tree has no fill and whose edges have no contexts.
pub(crate) fn closed_form(
    terms: &Terms,
    part: &Part,
    tree: &JunctionTree,
    data: &Dataset,
    smoothing: Smoothing,
) -> ClosedForm {
    let cliques = tree.cliques().iter().map(|clique| (clique.shape(), 1.0));
    let separators = tree.cliques().iter().filter_map(|clique| Some((clique.separator()?, -1.0)));
    let factors: Vec<Factor<'_>> = cliques
        .chain(separators)
        .map(|(shape, sign)| Factor { shape, sign, counts: clique_counts(data, shape) })
        .collect();
    let bare = smoothing == Smoothing(0.0);
    let has_empty_cell = factors.iter().any(|factor| factor.counts.contains(&0.0));
    let imagined = if bare && has_empty_cell { Smoothing(FLOOR) } else { smoothing };
    let total = data.rows() as f64;
    let mut form = ClosedForm {
        phi: vec![0.0; part.terms.len()],
        log_partition: 0.0,
        log_likelihood: 0.0,
        boundary: Vec::new(),
    };
    for factor in &factors {
        let mut logs = factor.counts.clone();
        imagined.add_to(&mut logs);
        for value in &mut logs {
            *value = libm::log(*value / (total + imagined.0));
        }
        form.log_likelihood += factor.log_likelihood(if bare { None } else { Some(&logs) }, total);
        terms_of_sum(factor.shape, &mut logs);
        form.log_partition -= factor.sign * logs[0];
        factor.scatter(terms, part, &logs, &mut form.phi);
    }
    if bare && has_empty_cell {
        form.boundary = runaways(&factors, terms, part);
    }
    form
}

/// The terms without a finite estimate: those whose formula takes the logarithm of an empty
/// cell of some clique.
fn runaways(factors: &[Factor<'_>], terms: &Terms, part: &Part) -> Vec<usize> {
    let mut empty_cells = vec![0.0; part.terms.len()];
    for clique in factors.iter().filter(|factor| factor.sign > 0.0) {
        let mut empty: Vec<f64> = clique.counts.iter().map(|&n| f64::from(u8::from(n == 0.0))).collect();
        sum_of_terms(clique.shape, &mut empty);
        clique.scatter(terms, part, &empty, &mut empty_cells);
    }
    (0..empty_cells.len()).filter(|&term| empty_cells[term] > 0.0).collect()
}

/// The margin of a clique, or of a separator with sign -1.
struct Factor<'a> {
    shape: &'a Shape,
    sign: f64,
    counts: Vec<f64>,
}

impl Factor<'_> {
    /// The factor's share of the log-likelihood, at given log probabilities or at the
    /// observed shares.
    fn log_likelihood(&self, logs: Option<&[f64]>, total: f64) -> f64 {
        let term = |(cell, &count): (usize, &f64)| match logs {
            _ if count == 0.0 => 0.0,
            Some(logs) => count * logs[cell],
            None => count * libm::log(count / total),
        };
        self.sign * self.counts.iter().enumerate().map(term).sum::<f64>()
    }

    /// Adds a table's entries, with the factor's sign, to the terms that they stand for.
    fn scatter(&self, terms: &Terms, part: &Part, table: &[f64], by_term: &mut [f64]) {
        let variables = self.shape.variables();
        for mask in 1usize..1 << variables.len() {
            let members: VarSet =
                variables.iter().enumerate().filter(|(k, _)| mask >> k & 1 == 1).map(|(_, &v)| v).collect();
            let Some(set) = terms.set(&members) else { continue };
            let Ok(first) = part.terms.binary_search(&set.range().start) else { continue };
            let cells = cells_of(set, self.shape, terms.cardinalities());
            for (cell, value) in cells.into_iter().zip(&mut by_term[first..]) {
                *value += self.sign * table[cell];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Structure;
    use crate::data::{Schema, Variable};
    use crate::graph::Edge;
    use crate::loglinear::Likelihood;
    use crate::loglinear::coordinates::Coordinates;
    use crate::loglinear::margins::term_means;
    use crate::loglinear::newton::{Ending, Stop, polish};
    use crate::loglinear::objective::Objective;

    /// Rows that look random and leave many cells of the margins empty.
    fn sparse_rows(cardinalities: &[u32], rows: u32, seed: u32) -> Dataset {
        let variable = |(index, &levels): (usize, &u32)| Variable {
            name: format!("x{index}"),
            levels: (0..levels).map(|level| level.to_string()).collect(),
        };
        let schema = Schema::new(cardinalities.iter().enumerate().map(variable).collect());
        let mut state = seed;
        let mut next = |levels: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % levels
        };
        let column = |&levels: &u32| (0..rows).map(|_| next(levels)).collect();
        let columns: Vec<Vec<u32>> = cardinalities.iter().map(column).collect();
        Dataset::from_columns(schema, &columns, None).unwrap()
    }

    #[test]
    fn the_formula_and_the_optimiser_name_the_same_supremum_and_the_same_terms() {
        let cardinalities = [2, 3, 2, 3, 2];
        let mut structure = Structure::empty(&cardinalities);
        for (i, j) in [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (3, 4)] {
            structure.toggle_edge(Edge::new(i, j).unwrap()).unwrap();
        }
        let terms = Terms::new(&structure, None).unwrap();
        let part = Part::whole(&terms);
        let tree = JunctionTree::new(structure.graph(), &cardinalities, 1 << 20).unwrap();
        let coordinates = Coordinates::new(&structure, &terms).unwrap();
        let empty = Likelihood::of_part(&terms, &part, tree.clone(), coordinates);
        let mut boundaries = 0;
        for seed in 0..40 {
            let rows = 5 + 2 * seed;
            let data = sparse_rows(&cardinalities, rows, seed);
            let form = closed_form(&terms, &part, &tree, &data, Smoothing(0.0));
            let likelihood =
                |weight| empty.clone().with_means(term_means(&terms, &part, &data, Smoothing(weight)));
            let halt = || false;
            let stop = Stop { tolerance: 1e-7, iterations: 1000, rows: f64::from(rows), halt: &halt };
            let near = polish(&likelihood(1.0), vec![0.0; terms.len()], stop);
            let bare = likelihood(0.0);
            let best = polish(&bare, near.beta, stop);
            assert!((form.log_likelihood - f64::from(rows) * bare.value(&best.point)).abs() < 1e-6);
            let runaways = match best.ending {
                Ending::Boundary(terms) => terms,
                _ => Vec::new(),
            };
            assert_eq!(form.boundary, runaways);
            boundaries += usize::from(!runaways.is_empty());
        }
        assert!((10..40).contains(&boundaries), "{boundaries}");
    }
}
