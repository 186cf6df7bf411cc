//! A set of variables in ascending order.

use crate::data::Var;

/// A set of variables; iterates in ascending order.
///
/// A sorted list, since neighbourhoods are small even where there are thousands of nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarSet {
    members: Vec<Var>,
}

impl VarSet {
    /// The number of members.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The members, ascending.
    pub fn as_slice(&self) -> &[Var] {
        &self.members
    }

    /// The members, ascending.
    pub fn iter(&self) -> impl Iterator<Item = Var> + Clone + '_ {
        self.members.iter().copied()
    }

    /// Whether a variable is a member.
    pub fn contains(&self, variable: Var) -> bool {
        self.members.binary_search(&variable).is_ok()
    }

    /// A member's place in ascending order.
    pub fn position(&self, variable: Var) -> Option<usize> {
        self.members.binary_search(&variable).ok()
    }

    /// Adds a variable if it is absent, removes it if present; returns whether it is a
    /// member afterwards.
    pub fn toggle(&mut self, variable: Var) -> bool {
        match self.members.binary_search(&variable) {
            Ok(position) => {
                self.members.remove(position);
                false
            }
            Err(position) => {
                self.members.insert(position, variable);
                true
            }
        }
    }

    /// The same set with one variable toggled.
    #[must_use]
    pub fn toggled(&self, variable: Var) -> Self {
        let mut set = self.clone();
        set.toggle(variable);
        set
    }

    /// The members of both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let (few, many) = if self.len() <= other.len() { (self, other) } else { (other, self) };
        Self { members: few.iter().filter(|&variable| many.contains(variable)).collect() }
    }
}

impl FromIterator<Var> for VarSet {
    fn from_iter<I: IntoIterator<Item = Var>>(variables: I) -> Self {
        let mut members: Vec<Var> = variables.into_iter().collect();
        members.sort_unstable();
        members.dedup();
        Self { members }
    }
}
