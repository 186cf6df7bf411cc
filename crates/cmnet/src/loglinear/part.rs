//! Parts of a model that are fitted on their own: connected components, with the place of
//! their terms in the tables of cliques.

use super::term::Terms;
use crate::data::Var;
use crate::graph::{Graph, VarSet, components};
use crate::table::{Homes, Shape, margins_of_some_cells, sum_of_some_terms, sum_of_terms};

/// Variables that are independent of all others, and the terms on them, renumbered from 0.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) variables: VarSet,
    /// Indices into [`Terms::sets`], ascending.
    pub(crate) sets: Vec<usize>,
    /// The number of each of the part's terms in the whole, ascending.
    pub(crate) terms: Vec<usize>,
}

impl Part {
    /// The whole model as one part.
    pub(crate) fn whole(terms: &Terms) -> Self {
        let variables = (0..terms.cardinalities().len()).collect();
        Self { variables, sets: (0..terms.sets().len()).collect(), terms: (0..terms.len()).collect() }
    }

    /// One part for each connected component.
    pub(crate) fn components(terms: &Terms, graph: &Graph) -> Vec<Self> {
        let mut parts: Vec<Self> = components(graph)
            .into_iter()
            .map(|variables| Self { variables, sets: Vec::new(), terms: Vec::new() })
            .collect();
        let mut part_of = vec![0; graph.nodes()];
        for (index, part) in parts.iter().enumerate() {
            part.variables.iter().for_each(|v| part_of[v] = index);
        }
        for (index, set) in terms.sets().iter().enumerate() {
            let part = &mut parts[part_of[set.variables().as_slice()[0]]];
            part.sets.push(index);
            part.terms.extend(set.range());
        }
        parts
    }
}

/// Cells of a table above which terms are summed up where they are: a large table of a filled clique
/// has few. Smaller tables keep the order of additions that they always had.
const LARGE: usize = 1 << 12;

/// Where the terms of a part stand in the tables of some cliques, each term in one table.
#[derive(Clone, Debug)]
pub(crate) struct TermTables {
    /// Per clique: (cell, the part's term), by cell.
    places: Vec<Vec<(usize, usize)>>,
    terms: usize,
}

impl TermTables {
    /// Gives each set of terms to the first clique that contains it.
    pub(crate) fn new<'a>(
        terms: &Terms,
        part: &Part,
        shapes: impl ExactSizeIterator<Item = &'a Shape>,
    ) -> Self {
        let mut places = vec![Vec::new(); shapes.len()];
        let homes = Homes::new(shapes, terms.cardinalities().len());
        let mut first = 0;
        for set in part.sets.iter().map(|&index| &terms.sets()[index]) {
            if let Some((clique, shape)) = homes.of(set.variables()) {
                places[clique].extend(shape.term_cells(set.variables()).into_iter().zip(first..));
            }
            first += set.range().len();
        }
        for places in &mut places {
            places.sort_unstable();
        }
        Self { places, terms: first }
    }

    /// Fills a clique's table with its share of the log potential.
    pub(crate) fn log_potential(&self, clique: usize, shape: &Shape, phi: &[f64], table: &mut [f64]) {
        table.fill(0.0);
        self.place(clique, phi, table);
        if table.len() > LARGE {
            sum_of_some_terms(shape, &self.places[clique], table);
        } else {
            sum_of_terms(shape, table);
        }
    }

    /// Writes a clique's terms into its table.
    pub(crate) fn place(&self, clique: usize, phi: &[f64], table: &mut [f64]) {
        for &(cell, term) in &self.places[clique] {
            table[cell] = phi[term];
        }
    }

    /// Reads a clique's terms from its table.
    pub(crate) fn read(&self, clique: usize, table: &[f64], by_term: &mut [f64]) {
        for &(cell, term) in &self.places[clique] {
            by_term[term] = table[cell];
        }
    }

    /// Reads the margins of a clique's terms off a table of probabilities or counts, which is
    /// used up.
    pub(crate) fn margins(&self, clique: usize, shape: &Shape, table: &mut [f64], by_term: &mut [f64]) {
        margins_of_some_cells(shape, &self.places[clique], table);
        self.read(clique, table, by_term);
    }

    /// The number of terms of the part.
    pub(crate) fn terms(&self) -> usize {
        self.terms
    }
}

/// The layouts of the maximal cliques inside a part, variables ascending.
pub(crate) fn clique_shapes(terms: &Terms, part: &Part) -> Vec<Shape> {
    // Cliques are in lexicographic order, and all of a clique is in the part of its first member.
    let first = |clique: &VarSet| clique.as_slice()[0];
    let starting_with = |variable: Var| {
        let cliques = &terms.cliques()[terms.cliques().partition_point(|clique| first(clique) < variable)..];
        cliques.iter().take_while(move |clique| first(clique) == variable)
    };
    let shape = |clique: &VarSet| Shape::new(clique.iter().collect(), terms.cardinalities());
    part.variables.iter().flat_map(starting_with).map(shape).collect()
}
