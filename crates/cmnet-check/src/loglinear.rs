//! The log-linear parameters of a structure and the linear restrictions that its contexts put
//! on them (paper, section 2.1, eq. (1) to (4), and section 2.2, Proposition 2).

use std::collections::BTreeMap;

use crate::error::CheckError;
use crate::rational::{Fraction, Row, reduced_echelon};
use crate::space::{LARGEST_SPACE, configurations};
use crate::structure::{Configuration, Edge, Labelled};

/// One parameter `phi_A(x_A)`: a complete subset A of the graph and a level other than 0 for
/// each of its variables.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Term {
    /// A, ascending.
    pub variables: Vec<usize>,
    /// `x_A`, none of them 0.
    pub levels: Vec<usize>,
}

impl Term {
    /// Whether this phi takes part in log p(x) of a joint configuration x.
    pub fn is_active(&self, x: &[usize]) -> bool {
        self.variables.iter().zip(&self.levels).all(|(&variable, &level)| x[variable] == level)
    }
}

/// One equation of Proposition 2: the sum of some phi is zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restriction {
    /// The edge (i, j).
    pub edge: Edge,
    /// The element `x_cn(i,j)` of C(i, j).
    pub element: Configuration,
    /// The levels (x'_i, x'_j), both from 1.
    pub edge_levels: (usize, usize),
    /// The places of the phi that are added up, ascending; every coefficient is 1.
    pub terms: Vec<usize>,
}

/// The log-linear parameterization of a structure.
#[derive(Debug, Clone)]
pub struct LogLinear {
    cardinalities: Vec<usize>,
    terms: Vec<Term>,
    restrictions: Vec<Restriction>,
    reduced: BTreeMap<usize, Row>,
    /// Strengths of a ridge, from order 2 on.
    ridge: Vec<f64>,
}

impl LogLinear {
    /// Lists all phi terms and all restrictions, and takes the exact rank of the latter.
    ///
    /// # Errors
    /// An irregular structure, more than [`LARGEST_SPACE`] terms, or fractions beyond 128 bits.
    pub fn new(cardinalities: &[usize], structure: &Labelled) -> Result<Self, CheckError> {
        Self::of_order(cardinalities, structure, usize::MAX)
    }

    /// The same with the phi of at most so many variables; the others are zero.
    ///
    /// # Errors
    /// As [`LogLinear::new`].
    pub fn of_order(cardinalities: &[usize], structure: &Labelled, order: usize) -> Result<Self, CheckError> {
        structure.require_regular(cardinalities)?;
        Self::of_any(cardinalities, structure, order)
    }

    /// The same without asking for strict subsets.
    fn of_any(cardinalities: &[usize], structure: &Labelled, order: usize) -> Result<Self, CheckError> {
        let mut terms = list_terms(cardinalities, structure)?;
        terms.retain(|term| term.variables.len() <= order);
        let restrictions = list_restrictions(cardinalities, structure, &terms)?;
        let rows = restrictions.iter().map(|restriction| row(&restriction.terms)).collect();
        let reduced = reduced_echelon(rows)?;
        Ok(Self { cardinalities: cardinalities.to_vec(), terms, restrictions, reduced, ridge: Vec::new() })
    }

    /// The same with a ridge of these strengths for interactions of two variables, of three, and so
    /// on: gradients are those of the likelihood less the ridge. Maxima are found without it.
    #[must_use]
    pub fn with_ridge(self, strengths: Vec<f64>) -> Self {
        Self { ridge: strengths, ..self }
    }

    /// The strengths of the ridge.
    pub(crate) fn ridge(&self) -> &[f64] {
        &self.ridge
    }

    /// The number of levels of each variable.
    pub fn cardinalities(&self) -> &[usize] {
        &self.cardinalities
    }

    /// All phi terms but the constant, by size of A, then A, then levels (eq. (4)).
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The place of `phi_A(x_A)` among the terms; `None` when A is not complete or a level is 0.
    pub fn term_place(&self, variables: &[usize], levels: &[usize]) -> Option<usize> {
        place(&self.terms, variables, levels)
    }

    /// All equations of Proposition 2, by edge, element and levels of the edge.
    pub fn restrictions(&self) -> &[Restriction] {
        &self.restrictions
    }

    /// The rank of the restrictions.
    pub fn rank(&self) -> usize {
        self.reduced.len()
    }

    /// The number of free parameters: phi terms less the *rank* of the restrictions. Counting
    /// context elements instead counts implied restrictions twice.
    pub fn parameter_count(&self) -> usize {
        self.terms.len() - self.rank()
    }

    /// A basis of the phi that satisfy all restrictions. Every direction raises one phi that
    /// is no pivot by 1 and moves the pivots along; it lists (place of phi, change).
    pub fn free_directions(&self) -> Vec<Vec<(usize, f64)>> {
        directions(self.terms.len(), &self.reduced)
    }

    /// The phi of sets with a node, and a basis of those of them that satisfy the restrictions of
    /// the contexts of the node's edges: (place among them, change).
    pub(crate) fn of_node(&self, node: usize) -> Result<NodeTerms, CheckError> {
        let own: Vec<usize> =
            (0..self.terms.len()).filter(|&term| self.terms[term].variables.contains(&node)).collect();
        let at_node = self.restrictions.iter().filter(|r| r.edge.0 == node || r.edge.1 == node);
        let rows = at_node.map(|restriction| {
            let places = restriction.terms.iter().filter_map(|term| own.binary_search(term).ok());
            row(&places.collect::<Vec<_>>())
        });
        let reduced = reduced_echelon(rows.collect())?;
        Ok((own.clone(), directions(own.len(), &reduced)))
    }
}

/// Places of phi, and directions along which they may change.
pub(crate) type NodeTerms = (Vec<usize>, Vec<Vec<(usize, f64)>>);

/// The row of a sum of phi.
fn row(terms: &[usize]) -> Row {
    terms.iter().map(|&term| (term, Fraction::ONE)).collect()
}

/// Every direction raises one phi that is no pivot by 1 and moves the pivots along.
fn directions(terms: usize, reduced: &BTreeMap<usize, Row>) -> Vec<Vec<(usize, f64)>> {
    let free = (0..terms).filter(|term| !reduced.contains_key(term));
    let direction = |term: usize| {
        let mut changes = vec![(term, 1.0)];
        for (&pivot, row) in reduced {
            if let Some(coefficient) = row.get(&term) {
                changes.push((pivot, -coefficient.to_f64()));
            }
        }
        changes
    };
    free.map(direction).collect()
}

/// Whether the structure already has everything that one more element of C(i, j) would demand:
/// its restrictions lie in the row space of the others (maximality, end of section 2.2).
///
/// # Errors
/// An irregular structure, an edge or configuration that does not exist, or a size limit.
pub fn is_implied(
    cardinalities: &[usize],
    structure: &Labelled,
    (i, j): Edge,
    element: &[usize],
) -> Result<bool, CheckError> {
    let before = LogLinear::new(cardinalities, structure)?;
    let common = structure.common_neighbors(i, j);
    let levels_exist = common.iter().zip(element).all(|(&k, &level)| level < cardinalities[k]);
    if !structure.edges.contains(&(i, j)) || element.len() != common.len() || !levels_exist {
        return Err(CheckError::NoSuchElement);
    }
    let mut more = structure.clone();
    more.contexts.entry((i, j)).or_default().insert(element.to_vec());
    Ok(LogLinear::of_any(cardinalities, &more, usize::MAX)?.rank() == before.rank())
}

fn place(terms: &[Term], variables: &[usize], levels: &[usize]) -> Option<usize> {
    let key = (variables.len(), variables, levels);
    terms
        .binary_search_by(|term| (term.variables.len(), &term.variables[..], &term.levels[..]).cmp(&key))
        .ok()
}

/// Eq. (3) leaves the `phi_A` with A complete, eq. (1) those without a level 0.
fn list_terms(cardinalities: &[usize], structure: &Labelled) -> Result<Vec<Term>, CheckError> {
    let mut terms = Vec::new();
    for variables in complete_subsets(cardinalities.len(), structure)? {
        let nonzero: Vec<usize> = variables.iter().map(|&k| cardinalities[k] - 1).collect();
        for x in configurations(&nonzero)? {
            let levels = x.into_iter().map(|level| level + 1).collect();
            terms.push(Term { variables: variables.clone(), levels });
        }
        if terms.len() > LARGEST_SPACE {
            return Err(CheckError::TooLarge { what: "phi terms", limit: LARGEST_SPACE });
        }
    }
    Ok(terms)
}

/// All non-empty complete subsets of the graph, by size and then lexicographically: every
/// complete set of one size, with every later neighbour of its last node that keeps it complete.
fn complete_subsets(variables: usize, structure: &Labelled) -> Result<Vec<Vec<usize>>, CheckError> {
    let mut all: Vec<Vec<usize>> = (0..variables).map(|variable| vec![variable]).collect();
    let mut next = 0;
    while next < all.len() {
        let subset = all[next].clone();
        let last = subset[subset.len() - 1];
        let later = structure.edges.range((last, last + 1)..(last, variables)).map(|&(_, later)| later);
        for later in later {
            let mut larger = subset.clone();
            larger.push(later);
            if structure.is_complete(&larger) {
                all.push(larger);
            }
        }
        if all.len() > LARGEST_SPACE {
            return Err(CheckError::TooLarge { what: "complete subsets", limit: LARGEST_SPACE });
        }
        next += 1;
    }
    Ok(all)
}

fn list_restrictions(
    cardinalities: &[usize],
    structure: &Labelled,
    terms: &[Term],
) -> Result<Vec<Restriction>, CheckError> {
    let mut restrictions = Vec::new();
    for (&edge, context) in &structure.contexts {
        let nonzero = [cardinalities[edge.0] - 1, cardinalities[edge.1] - 1];
        let common = structure.common_neighbors(edge.0, edge.1);
        for element in context {
            for x in configurations(&nonzero)? {
                let edge_levels = (x[0] + 1, x[1] + 1);
                let mut fixed: BTreeMap<usize, usize> =
                    common.iter().copied().zip(element.iter().copied()).collect();
                fixed.insert(edge.0, edge_levels.0);
                fixed.insert(edge.1, edge_levels.1);
                let terms = summands(&fixed, edge, terms);
                restrictions.push(Restriction { edge, element: element.clone(), edge_levels, terms });
            }
        }
    }
    Ok(restrictions)
}

/// The left-hand side of Proposition 2: all `phi_A` with A between {i, j} and cn(i, j) + {i, j},
/// at the levels fixed. Terms on sets that are not complete, or with a level 0, do not exist.
fn summands(fixed: &BTreeMap<usize, usize>, (i, j): Edge, terms: &[Term]) -> Vec<usize> {
    let takes_part = |term: &Term| {
        let agrees = |(k, level): (&usize, &usize)| fixed.get(k) == Some(level);
        term.variables.contains(&i)
            && term.variables.contains(&j)
            && term.variables.iter().zip(&term.levels).all(agrees)
    };
    (0..terms.len()).filter(|&place| takes_part(&terms[place])).collect()
}
