//! The joint outcome space X_S of a set of variables, its configurations numbered in
//! mixed radix (paper, section 2.1).

use super::layout::Layout;
use crate::error::{Error, Remedy, Result};
use crate::graph::VarSet;

/// A configuration's number in its outcome space: the last variable runs fastest.
pub type Cell = u64;

/// The outcome space X_S: every joint configuration of the variables S, ascending.
///
/// # Example
/// ```
/// use cmnet::{OutcomeSpace, VarSet};
/// let space = OutcomeSpace::new(VarSet::from_iter([0, 2]), &[2, 5, 3])?;
/// assert_eq!(space.size(), 6);
/// assert_eq!(space.cell(&[1, 2]), 5);
/// assert_eq!(space.configuration(5), [1, 2]);
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutcomeSpace {
    variables: VarSet,
    layout: Layout<u64>,
}

impl OutcomeSpace {
    /// The space of `variables`, given the number of levels of *every* variable.
    ///
    /// # Errors
    /// When the number of configurations does not fit 63 bits.
    pub fn new(variables: VarSet, cardinalities: &[u32]) -> Result<Self> {
        check_size(&variables, cardinalities)?;
        let layout = Layout::new(variables.iter().map(|variable| cardinalities[variable]).collect());
        Ok(Self { variables, layout })
    }

    /// The variables S, ascending.
    pub fn variables(&self) -> &VarSet {
        &self.variables
    }

    /// The number of configurations.
    pub fn size(&self) -> u64 {
        self.layout.size()
    }

    /// The number of levels of each variable of S.
    pub fn cardinalities(&self) -> &[u32] {
        self.layout.radices()
    }

    /// How far apart two cells are that differ by one level at this position.
    pub fn stride(&self, position: usize) -> u64 {
        self.layout.strides()[position]
    }

    /// The number of a configuration.
    pub fn cell(&self, configuration: &[u32]) -> Cell {
        self.layout.cell(configuration.iter().copied())
    }

    /// The level at one position of a cell.
    pub fn level(&self, cell: Cell, position: usize) -> u32 {
        self.layout.digit(cell, position)
    }

    /// The configuration with a number.
    pub fn configuration(&self, cell: Cell) -> Vec<u32> {
        self.layout.digits(cell).collect()
    }

    /// How cells of this space read as cells of the space of a subset.
    pub fn projection(&self, onto: &Self) -> Projection {
        let steps = onto
            .variables
            .iter()
            .zip(onto.layout.strides())
            .filter_map(|(variable, &target)| {
                let position = self.variables.position(variable)?;
                Some((self.stride(position), u64::from(self.cardinalities()[position]), target))
            })
            .collect();
        Projection { steps }
    }
}

/// Refuses variables with more configurations than 63 bits can number.
pub(crate) fn check_size(variables: &VarSet, cardinalities: &[u32]) -> Result<()> {
    let mut levels = variables.iter().map(|variable| u64::from(cardinalities[variable]));
    let size = levels.try_fold(1, u64::checked_mul);
    size.filter(|&size| i64::try_from(size).is_ok()).map(|_| ()).ok_or_else(|| too_large(variables))
}

fn too_large(variables: &VarSet) -> Error {
    Error::limit(
        format!("the joint outcome space of {} variables", variables.len()),
        "2^63 configurations",
        [Remedy::LeaveOutVariables, Remedy::GroupLevels, Remedy::SearchBlankets],
    )
}

/// Maps cells of an outcome space to cells of a subset's space.
#[derive(Clone, Debug)]
pub struct Projection {
    steps: Vec<(u64, u64, u64)>,
}

impl Projection {
    /// The part of a configuration that the subset sees.
    pub fn apply(&self, cell: Cell) -> Cell {
        self.steps.iter().map(|&(stride, levels, target)| cell / stride % levels * target).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_and_configurations_are_inverse() {
        let space = OutcomeSpace::new(VarSet::from_iter([0, 1, 2]), &[2, 3, 4]).unwrap();
        for cell in 0..space.size() {
            assert_eq!(space.cell(&space.configuration(cell)), cell);
        }
        let part = OutcomeSpace::new(VarSet::from_iter([0, 2]), &[2, 3, 4]).unwrap();
        let projection = space.projection(&part);
        assert_eq!(projection.apply(space.cell(&[1, 2, 3])), part.cell(&[1, 3]));
    }

    #[test]
    fn the_empty_set_has_one_configuration_and_huge_spaces_are_refused() {
        assert_eq!(OutcomeSpace::new(VarSet::default(), &[2]).unwrap().size(), 1);
        assert!(OutcomeSpace::new((0..70).collect(), &[2; 70]).is_err());
    }
}
