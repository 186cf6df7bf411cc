//! Free coordinates: a basis of the null space of the restrictions, in exact fractions
//! (paper, section 2.2).

use super::rank::blocks;
use super::ratio::{Ratio, Sum};
use super::restriction::{Restriction, check_restrictions, restrictions};
use super::term::Terms;
use crate::Structure;
use crate::control::{Control, ask};
use crate::error::{Error, Result};
use std::collections::BTreeMap;

/// Free coordinates beta of a structure: phi = N beta satisfies every restriction exactly.
///
/// Each beta *is* one of the terms; the other, dependent terms are sums of betas with small
/// rational coefficients. Terms of the largest sets depend, so that the free ones are main
/// effects and low-order interactions wherever possible.
#[derive(Clone, Debug)]
pub struct Coordinates {
    /// The number of the term that each beta is, ascending.
    free: Vec<usize>,
    /// Each term's expansion is `entries[starts[term]..starts[term + 1]]`.
    starts: Vec<usize>,
    entries: Vec<(usize, Ratio)>,
    factors: Vec<f64>,
}

impl Coordinates {
    /// The free coordinates of a structure.
    ///
    /// The basis is found modulo 2^61-1, read back as fractions and then *checked* against
    /// every restriction in exact arithmetic, which also proves the rank.
    ///
    /// # Errors
    /// When a coefficient is no fraction of numbers below 2^29: the structure is too
    /// entangled. None such is known.
    pub fn new(structure: &Structure, terms: &Terms) -> Result<Self> {
        Self::under(structure, terms, &())
    }

    /// As [`Coordinates::new`], under a control that may stop it.
    ///
    /// # Errors
    /// As [`Coordinates::new`]; when the control asks to stop.
    pub fn under(structure: &Structure, terms: &Terms, control: &dyn Control) -> Result<Self> {
        check_restrictions(structure, terms)?;
        Self::of_restrictions(&restrictions(structure, terms), terms.len(), control)
    }

    /// The free coordinates of so many terms under some restrictions.
    pub(crate) fn of_restrictions(rows: &[Restriction], terms: usize, control: &dyn Control) -> Result<Self> {
        let mut dependent: BTreeMap<usize, Vec<(usize, Ratio)>> = BTreeMap::new();
        for block in blocks(rows, terms) {
            for row in block.echelon::<61>(control)?.reduced(control)? {
                let coefficient = |&(column, residue): &(usize, u64)| {
                    Some((block.terms[column], Ratio::from_residue(residue)?.negated()))
                };
                let expansion: Option<Vec<_>> = row.others.iter().map(coefficient).collect();
                dependent.insert(block.terms[row.pivot], expansion.ok_or_else(entangled)?);
            }
        }
        let coordinates = Self::assemble(terms, &dependent);
        coordinates.verify(rows, control)?;
        Ok(coordinates)
    }

    fn assemble(terms: usize, dependent: &BTreeMap<usize, Vec<(usize, Ratio)>>) -> Self {
        let free: Vec<usize> = (0..terms).filter(|term| !dependent.contains_key(term)).collect();
        let mut beta_of = vec![usize::MAX; terms];
        for (beta, &term) in free.iter().enumerate() {
            beta_of[term] = beta;
        }
        let mut starts = vec![0];
        let mut entries = Vec::new();
        for term in 0..terms {
            match dependent.get(&term) {
                Some(expansion) => {
                    entries.extend(expansion.iter().map(|&(term, ratio)| (beta_of[term], ratio)));
                }
                None => entries.push((beta_of[term], Ratio::ONE)),
            }
            starts.push(entries.len());
        }
        let factors = entries.iter().map(|(_, ratio)| ratio.to_f64()).collect();
        Self { free, starts, entries, factors }
    }

    /// Every restriction holds for every basis vector, in exact arithmetic.
    fn verify(&self, rows: &[Restriction], control: &dyn Control) -> Result<()> {
        for row in rows {
            ask(control)?;
            if !self.vanishes(&row.terms)? {
                return Err(entangled());
            }
        }
        Ok(())
    }

    /// Whether the sum of these terms is zero for every beta.
    pub(crate) fn vanishes(&self, terms: &[usize]) -> Result<bool> {
        let mut sums: BTreeMap<usize, Sum> = BTreeMap::new();
        for &term in terms {
            for &(beta, ratio) in self.exact_expansion(term) {
                let sum = sums.entry(beta).or_insert(Sum::ZERO);
                *sum = sum.add(ratio).ok_or_else(entangled)?;
            }
        }
        Ok(sums.values().all(|sum| sum.is_zero()))
    }

    /// Whether a term is zero for every beta.
    pub(crate) fn is_zero(&self, term: usize) -> bool {
        self.exact_expansion(term).is_empty()
    }

    fn exact_expansion(&self, term: usize) -> &[(usize, Ratio)] {
        &self.entries[self.starts[term]..self.starts[term + 1]]
    }

    /// The number of free parameters k.
    pub fn len(&self) -> usize {
        self.free.len()
    }

    /// Whether nothing is free.
    pub fn is_empty(&self) -> bool {
        self.free.is_empty()
    }

    /// The number of terms.
    pub fn terms(&self) -> usize {
        self.starts.len() - 1
    }

    /// The term that each beta is.
    pub fn free(&self) -> &[usize] {
        &self.free
    }

    /// A term as a sum of betas: their numbers with coefficients.
    pub fn expansion(&self, term: usize) -> impl ExactSizeIterator<Item = (usize, f64)> + '_ {
        let range = self.starts[term]..self.starts[term + 1];
        self.entries[range.clone()]
            .iter()
            .zip(&self.factors[range])
            .map(|((beta, _), &factor)| (*beta, factor))
    }

    /// phi = N beta.
    pub fn expand(&self, beta: &[f64]) -> Vec<f64> {
        let value = |term| self.expansion(term).map(|(at, factor)| factor * beta[at]).sum();
        (0..self.terms()).map(value).collect()
    }

    /// N' v: what a gradient with respect to the terms is with respect to the betas.
    pub fn pull_back(&self, by_term: &[f64]) -> Vec<f64> {
        let mut by_beta = vec![0.0; self.len()];
        for (term, &value) in by_term.iter().enumerate() {
            for (at, factor) in self.expansion(term) {
                by_beta[at] += factor * value;
            }
        }
        by_beta
    }

    /// For each beta the dependent terms that it occurs in, with its coefficient.
    pub(crate) fn dependents(&self) -> Vec<Vec<(usize, f64)>> {
        let mut dependents = vec![Vec::new(); self.len()];
        for term in (0..self.terms()).filter(|term| self.free.binary_search(term).is_err()) {
            for (beta, factor) in self.expansion(term) {
                dependents[beta].push((term, factor));
            }
        }
        dependents
    }

    /// The diagonal of N' D N for a diagonal matrix D.
    pub(crate) fn pull_back_squares(&self, by_term: &[f64]) -> Vec<f64> {
        let mut by_beta = vec![0.0; self.len()];
        for (term, &value) in by_term.iter().enumerate() {
            for (at, factor) in self.expansion(term) {
                by_beta[at] += factor * factor * value;
            }
        }
        by_beta
    }

    /// The coordinates of some of the terms, renumbered from 0 in the given ascending order.
    /// The terms must be closed: whatever one of them depends on is among them.
    pub(crate) fn restrict(&self, terms: &[usize]) -> Self {
        let local: BTreeMap<usize, usize> = terms.iter().enumerate().map(|(at, &term)| (term, at)).collect();
        let mut dependent = BTreeMap::new();
        for (at, &term) in terms.iter().enumerate() {
            let expansion = self.exact_expansion(term);
            let own = |&(beta, ratio): &(usize, Ratio)| Some((*local.get(&self.free[beta])?, ratio));
            if self.free.binary_search(&term).is_err() {
                dependent.insert(at, expansion.iter().filter_map(own).collect());
            }
        }
        Self::assemble(terms.len(), &dependent)
    }
}

fn entangled() -> Error {
    Error::limit(
        "the size of the exact coefficients of the context restrictions",
        "29 bits",
        "learn with a smaller kappa, which allows fewer contexts",
    )
}
