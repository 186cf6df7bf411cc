//! Maximum likelihood in closed form: components whose graph is chordal and has no contexts
//! (Lauritzen 1996, section 4.4: p = product of clique margins / product of separator margins).

use super::margins::{Smoothing, clique_counts};
use super::part::Part;
use super::term::Terms;
use crate::control::{Control, Halting, check};
use crate::counts::CountSource;
use crate::data::Var;
use crate::graph::VarSet;
use crate::table::Shape;
use crate::table::{sum_of_terms, terms_of_sum};
use crate::tree::JunctionTree;

/// The margins of a part whose junction tree has no fill and whose edges have no contexts.
pub(crate) struct Decomposable<'a> {
    terms: &'a Terms,
    part: &'a Part,
    factors: Vec<Factor>,
    rows: f64,
}

impl<'a> Decomposable<'a> {
    pub(crate) fn new(
        terms: &'a Terms,
        part: &'a Part,
        tree: &JunctionTree,
        counts: &dyn CountSource,
        control: &dyn Control,
    ) -> Halting<Self> {
        let cliques = tree.cliques().iter().map(|clique| (clique.shape(), 1.0));
        let separators = tree.cliques().iter().filter_map(|clique| Some((clique.separator()?, -1.0)));
        let factor = |(shape, sign): (&Shape, f64)| {
            check(control)?;
            Ok(Factor { shape: shape.clone(), sign, counts: clique_counts(counts, shape)? })
        };
        let factors = cliques.chain(separators).map(factor).collect::<Halting<_>>()?;
        Ok(Self { terms, part, factors, rows: counts.total() })
    }

    /// The log-likelihood at its maximum, or its supremum.
    pub(crate) fn log_likelihood(&self) -> f64 {
        self.factors.iter().map(|factor| factor.log_likelihood(self.rows)).sum()
    }

    /// The cells of all cliques.
    pub(crate) fn cells(&self) -> usize {
        self.factors.iter().filter(|factor| factor.sign > 0.0).map(|factor| factor.counts.len()).sum()
    }

    /// The parameters and the logarithm of the partition function with pseudo-counts, of which
    /// there must be some where a margin is zero.
    pub(crate) fn estimate(&self, smoothing: Smoothing, control: &dyn Control) -> Halting<(Vec<f64>, f64)> {
        let mut phi = vec![0.0; self.part.terms.len()];
        let mut log_partition = 0.0;
        for factor in &self.factors {
            check(control)?;
            let mut logs = factor.counts.clone();
            smoothing.add_to(&mut logs);
            for value in &mut logs {
                *value = libm::log(*value / (self.rows + smoothing.0));
            }
            terms_of_sum(&factor.shape, &mut logs);
            log_partition -= factor.sign * logs[0];
            factor.scatter(self.terms, self.part, &logs, &mut phi);
        }
        Ok((phi, log_partition))
    }

    /// The terms without a finite estimate: those whose formula takes the logarithm of an
    /// empty cell of some clique.
    pub(crate) fn runaways(&self) -> Vec<usize> {
        let mut empty_cells = vec![0.0; self.part.terms.len()];
        for clique in self.factors.iter().filter(|factor| factor.sign > 0.0) {
            let mut empty: Vec<f64> = clique.counts.iter().map(|&n| f64::from(u8::from(n == 0.0))).collect();
            sum_of_terms(&clique.shape, &mut empty);
            clique.scatter(self.terms, self.part, &empty, &mut empty_cells);
        }
        (0..empty_cells.len()).filter(|&term| empty_cells[term] > 0.0).collect()
    }
}

/// The margin of a clique, or of a separator with sign -1.
struct Factor {
    shape: Shape,
    sign: f64,
    counts: Vec<f64>,
}

impl Factor {
    /// The factor's share of the log-likelihood, at the observed shares.
    fn log_likelihood(&self, rows: f64) -> f64 {
        let term = |&count: &f64| if count == 0.0 { 0.0 } else { count * libm::log(count / rows) };
        self.sign * self.counts.iter().map(term).sum::<f64>()
    }

    /// Adds a table's entries, with the factor's sign, to the terms that they stand for.
    fn scatter(&self, terms: &Terms, part: &Part, table: &[f64], by_term: &mut [f64]) {
        // A variable of a single level has no term.
        let has_terms = |&v: &Var| terms.cardinalities()[v] > 1;
        let variables: Vec<Var> = self.shape.variables().iter().copied().filter(has_terms).collect();
        for mask in 1usize..1 << variables.len() {
            let members: VarSet =
                variables.iter().enumerate().filter(|(k, _)| mask >> k & 1 == 1).map(|(_, &v)| v).collect();
            let Some(set) = terms.set(&members) else { continue };
            let Ok(first) = part.terms.binary_search(&set.range().start) else { continue };
            let cells = self.shape.term_cells(set.variables());
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
    use crate::counts::RowCounts;
    use crate::data::{Dataset, Schema, Variable};
    use crate::graph::Edge;
    use crate::loglinear::Coordinates;
    use crate::loglinear::Likelihood;
    use crate::loglinear::margins::term_means;
    use crate::loglinear::newton::{Ending, Stop, newton};
    use crate::loglinear::objective::Objective;

    /// Rows that look random and leave many cells of the margins empty.
    fn sparse_rows(cardinalities: &[u32], rows: u32, seed: u32) -> Dataset {
        let variable = |(index, &levels): (usize, &u32)| Variable {
            name: format!("x{index}"),
            levels: (0..levels).map(|level| level.to_string()).collect(),
        };
        let schema = Schema::new_unchecked(cardinalities.iter().enumerate().map(variable).collect());
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
            let counts = RowCounts::new(&data);
            let form = Decomposable::new(&terms, &part, &tree, &counts, &()).unwrap();
            let means = |weight| term_means(&terms, &part, &counts, Smoothing(weight), &()).unwrap();
            let likelihood = |weight| empty.clone().with_means(means(weight));
            let rows = f64::from(rows);
            let stop = Stop {
                tolerance: 1e-7,
                iterations: 1000,
                rows,
                bounded: true,
                memory: 1 << 30,
                control: &(),
            };
            let near = newton(&likelihood(1.0), vec![0.0; terms.len()], stop).unwrap();
            let bare = likelihood(0.0);
            let best = newton(&bare, near.beta.clone(), Stop { bounded: false, ..stop }).unwrap();
            assert!((form.log_likelihood() - rows * bare.value(&best.point)).abs() < 1e-6);
            // Also with so little that the maximum is all but a supremum.
            for pseudo_counts in [1.0, 1e-2, 1e-7 * rows] {
                let (phi, _) = form.estimate(Smoothing(pseudo_counts), &()).unwrap();
                let found = newton(&likelihood(pseudo_counts), near.beta.clone(), stop).unwrap();
                assert_eq!(found.ending, Ending::Converged);
                let off = phi.iter().zip(&found.beta).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(off < 1e-3, "seed {seed}, {pseudo_counts} pseudo-counts: {off}");
            }
            let runaways = match best.ending {
                Ending::Boundary(terms) => terms,
                _ => Vec::new(),
            };
            assert_eq!(form.runaways(), runaways);
            boundaries += usize::from(!runaways.is_empty());
        }
        assert!((10..40).contains(&boundaries), "{boundaries}");
    }
}
