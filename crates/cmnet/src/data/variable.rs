//! Variables with named levels, and the schema of a table (paper, section 2.1).

use super::cuts::Cuts;
use crate::error::{Error, InputProblem, Place, Result, StructureProblem, nearest, quoted, quoted_list};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A variable's index in column order, counted from 0.
pub type Var = usize;

/// The most levels a variable may have.
pub const MAX_LEVELS: usize = 65_535;

/// The most rows a table may have, counted by weight.
pub const MAX_ROWS: u64 = 1 << 31;

/// A named variable X_j with its outcomes 0..r_j-1 in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    /// The column's name.
    pub name: String,
    /// The labels of the levels; level 0 is the reference of the log-linear terms.
    pub levels: Vec<String>,
}

impl Variable {
    /// The number of levels r_j.
    pub fn cardinality(&self) -> u32 {
        self.levels.len() as u32
    }

    /// The code of a label.
    pub fn level(&self, label: &str) -> Option<u32> {
        self.levels.iter().position(|level| level == label).map(|code| code as u32)
    }
}

/// The variables of a table in column order. Names are distinct and not empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    variables: Vec<Variable>,
    /// The indices in the order of the names.
    by_name: Vec<Var>,
    /// Where numbers become levels, for the variables that are cut.
    cuts: BTreeMap<Var, Cuts>,
}

impl Schema {
    /// A schema of these variables; the caller has checked names and levels.
    pub fn new_unchecked(variables: Vec<Variable>) -> Self {
        let mut by_name: Vec<Var> = (0..variables.len()).collect();
        by_name.sort_by_key(|&variable| &variables[variable].name);
        Self { variables, by_name, cuts: BTreeMap::new() }
    }

    /// The same schema in which the levels of a variable are the ranges between cut points, in their
    /// order. Such a variable takes numbers.
    ///
    /// # Errors
    /// When there is no such variable, or it has not one level more than there are cut points.
    pub fn with_cuts(mut self, variable: Var, cuts: Cuts) -> Result<Self> {
        let count = self.len();
        let Some(own) = self.variables.get(variable) else {
            return Err(StructureProblem::UnknownVariable { variable, count }.into());
        };
        check_cuts(&own.levels, &cuts).map_err(|problem| {
            let place = Place::file("the schema").at_column(variable + 1, Some(&own.name));
            Error::input(place, problem)
        })?;
        self.cuts.insert(variable, cuts);
        Ok(self)
    }

    /// The same schema with the cut points of variables that were read with them.
    #[must_use]
    pub(crate) fn with_all_cuts(mut self, cuts: impl IntoIterator<Item = Option<Cuts>>) -> Self {
        self.cuts =
            cuts.into_iter().enumerate().filter_map(|(variable, cuts)| Some((variable, cuts?))).collect();
        self
    }

    /// Where numbers become levels of a variable, if its levels are ranges of numbers.
    pub fn cuts(&self, variable: Var) -> Option<&Cuts> {
        self.cuts.get(&variable)
    }

    /// The schema of some of these variables, in this order; all of them exist.
    pub(crate) fn select(&self, variables: &[Var]) -> Self {
        let chosen = variables.iter().map(|&variable| self.variables[variable].clone()).collect();
        let cuts = variables.iter().map(|&variable| self.cuts(variable).cloned());
        Self::new_unchecked(chosen).with_all_cuts(cuts)
    }

    /// The level that a text is: a label, or a number where the levels are ranges of numbers.
    pub fn level(&self, variable: Var, text: &str) -> Option<u32> {
        let by_value = || self.cuts(variable)?.level_of(text);
        self.variables.get(variable)?.level(text).or_else(by_value)
    }

    /// A schema of these variables, after checking names and levels.
    ///
    /// # Errors
    /// When there is no variable, a name is empty or stands twice, or a variable has no
    /// level, a level twice, or more than [`MAX_LEVELS`] levels.
    pub fn new(variables: Vec<Variable>) -> Result<Self> {
        let place = |column: usize, name| Place::file("the schema").at_column(column, name);
        if variables.is_empty() {
            return Err(Error::input(Place::file("the schema"), InputProblem::NoColumns));
        }
        check_names(variables.iter().map(|variable| variable.name.as_str()))
            .map_err(|(column, problem)| Error::input(place(column, None), problem))?;
        for (column, variable) in (1..).zip(&variables) {
            check_levels(&variable.levels)
                .map_err(|problem| Error::input(place(column, Some(&variable.name)), problem))?;
        }
        Ok(Self::new_unchecked(variables))
    }

    /// The variables in column order.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The number of variables d.
    pub fn len(&self) -> usize {
        self.variables.len()
    }

    /// Whether there is no variable.
    pub fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }

    /// The variable at an index.
    ///
    /// # Panics
    /// When the index is not below [`Schema::len`].
    pub fn variable(&self, variable: Var) -> &Variable {
        &self.variables[variable]
    }

    /// The name of the variable at an index.
    pub fn name(&self, variable: Var) -> &str {
        &self.variables[variable].name
    }

    /// The index of a name.
    pub fn find(&self, name: &str) -> Option<Var> {
        let place = self.by_name.partition_point(|&variable| self.name(variable) < name);
        self.by_name.get(place).copied().filter(|&variable| self.name(variable) == name)
    }

    /// The name nearest to one that was not found.
    pub fn suggest(&self, name: &str) -> Option<&str> {
        nearest(name, self.variables.iter().map(|variable| variable.name.as_str()))
    }

    /// The first thing in which another schema differs, in words. Ranges are compared by their labels.
    pub fn first_difference(&self, other: &Self) -> Option<String> {
        if self.len() != other.len() {
            return Some(format!("the one has {} variables, the other {}", self.len(), other.len()));
        }
        let mut pairs = (1..).zip(self.variables.iter().zip(&other.variables));
        let (place, (one, other)) = pairs.find(|(_, (one, other))| one != other)?;
        let name = quoted(&one.name);
        if one.name != other.name {
            return Some(format!(
                "variable {place} is {name} in the one and {} in the other",
                quoted(&other.name)
            ));
        }
        let levels = |of: &Variable| quoted_list(of.levels.iter().map(String::as_str));
        Some(format!(
            "the levels of {name} are {} in the one and {} in the other",
            levels(one),
            levels(other)
        ))
    }

    /// The numbers of levels r_1..r_d.
    pub fn cardinalities(&self) -> Vec<u32> {
        self.variables.iter().map(Variable::cardinality).collect()
    }
}

/// Checks that names are distinct and not empty; the column at fault, counted from 1.
pub(crate) fn check_names<'a>(
    names: impl IntoIterator<Item = &'a str>,
) -> std::result::Result<(), (usize, InputProblem)> {
    let mut first_columns = BTreeMap::new();
    for (column, name) in (1..).zip(names) {
        if name.is_empty() {
            return Err((column, InputProblem::EmptyColumnName));
        }
        if let Some(first) = first_columns.insert(name, column) {
            return Err((column, InputProblem::DuplicateColumn { name: quoted(name), first }));
        }
    }
    Ok(())
}

/// As [`check_names`], for the columns of a table, whose names are text: a file of text could not hold a zero byte.
pub(crate) fn check_columns<'a>(
    names: impl IntoIterator<Item = &'a str> + Clone,
) -> std::result::Result<(), (usize, InputProblem)> {
    match names.clone().into_iter().position(|name| name.contains('\0')) {
        Some(place) => Err((place + 1, InputProblem::NotText { what: "binary data (a zero byte)" })),
        None => check_names(names),
    }
}

/// Checks that there is a level for each range between cut points.
pub(crate) fn check_cuts(levels: &[String], cuts: &Cuts) -> std::result::Result<(), InputProblem> {
    let (levels, points) = (levels.len(), cuts.points().len());
    if levels == points + 1 { Ok(()) } else { Err(InputProblem::CutsAndLevels { levels, points }) }
}

/// Checks that levels are distinct, at least one and not too many.
pub(crate) fn check_levels(levels: &[String]) -> std::result::Result<(), InputProblem> {
    if levels.is_empty() {
        return Err(InputProblem::NoLevels);
    }
    if levels.len() > MAX_LEVELS {
        return Err(InputProblem::TooManyLevels { limit: MAX_LEVELS });
    }
    let mut seen = BTreeSet::new();
    match levels.iter().find(|level| !seen.insert(level.as_str())) {
        Some(level) => Err(InputProblem::DuplicateLevel { level: quoted(level) }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str, levels: &[&str]) -> Variable {
        Variable { name: name.to_owned(), levels: levels.iter().map(|&level| level.to_owned()).collect() }
    }

    #[test]
    fn a_checked_schema_has_distinct_names_and_levels() {
        assert!(Schema::new(vec![variable("a", &["x"]), variable("b", &["x", "y"])]).is_ok());
        let refused = |variables| Schema::new(variables).unwrap_err().to_string();
        assert!(refused(vec![]).contains("no column"));
        assert!(refused(vec![variable("", &["x"])]).contains("column 1: this column has no name"));
        assert!(refused(vec![variable("a", &["x"]), variable("a", &["x"])]).contains("first as column 1"));
        assert!(refused(vec![variable("a", &[])]).contains("(\"a\"): this variable has no level"));
        assert!(refused(vec![variable("a", &["x", "x"])]).contains("\"x\" is listed twice"));
    }

    /// A schema may have any names, so that drawings can be tried with all of them; a table may not.
    #[test]
    fn a_column_whose_name_has_a_zero_byte_is_refused() {
        let (column, problem) = check_columns(["a", "b\0"]).unwrap_err();
        assert!(column == 2 && matches!(problem, InputProblem::NotText { .. }), "{problem:?}");
        assert!(check_columns(["a", "b"]).is_ok());
        assert!(matches!(check_columns(["a", "a"]), Err((2, InputProblem::DuplicateColumn { .. }))));
    }
}
