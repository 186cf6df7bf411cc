//! Groups by the names of columns: what front ends are asked for, and what learning takes of it.

use super::{GroupComparison, GroupOptions, compare_groups, group_knowledge};
use crate::data::Dataset;
use crate::error::{Error, ErrorKind, Expected, OptionName, Remedy, Result, quoted};
use crate::inference::{find_variable, find_variables};
use crate::learn::{LearnObserver, LearnOptions};
use crate::score::Knowledge;

/// How groups are asked for, by the names of columns.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupNames {
    /// The column whose levels are the groups.
    pub group: String,
    /// The column of blocks.
    pub block: Option<String>,
    /// The variables that the group is adjacent to; none are all.
    pub among: Vec<String>,
    /// How often labels of groups are exchanged.
    pub permutations: u64,
    /// The level of the tests.
    pub level: f64,
    /// What determines the random numbers.
    pub seed: u64,
}

/// The groups of a table, which still has its column of blocks.
#[derive(Clone, Debug)]
pub struct Grouping {
    /// How they are compared.
    pub options: GroupOptions,
    /// The table, with the column of blocks.
    pub data: Dataset,
    /// The edges that the group is required to have.
    pub knowledge: Knowledge,
    /// Whether the group is adjacent to all other variables.
    pub among_all: bool,
}

impl Grouping {
    /// The groups of a table. `known` is what else is known about its edges.
    ///
    /// # Errors
    /// When a name is no column, when the columns give no groups that can be compared, or when an edge of the
    /// group is forbidden.
    pub fn new(names: &GroupNames, data: Dataset, known: &Knowledge) -> Result<Self> {
        let group = find_variable(data.schema(), &names.group)?;
        let block = names.block.as_ref().map(|name| find_variable(data.schema(), name)).transpose()?;
        let (permutations, level, seed) = (names.permutations, names.level, names.seed);
        let options = GroupOptions { group, block, permutations, level, seed };
        options.check(&data)?;
        let variables = data.select(&options.variables(&data))?;
        let schema = variables.schema();
        let (group, among) = (find_variable(schema, &names.group)?, find_variables(schema, &names.among)?);
        if among.contains(&group) {
            let expected = "other columns than that of the groups";
            return Err(Error::option(OptionName::Among, &names.group, expected));
        }
        let knowledge = group_knowledge(schema, group, &among);
        let (rules, own) = (known.rules(schema)?, knowledge.rules(schema)?);
        if let Some((edge, by)) = own.required().find_map(|edge| Some((edge, rules.forbidden_by(edge)?))) {
            let expected = format!(
                "a column that may be adjacent to {}, as a column of groups must be; {} forbids that edge",
                quoted(schema.name(edge.other(group))),
                quoted(by)
            );
            let found = names.group.as_str();
            return Err(Error::option(OptionName::Group, found, Expected::Described(expected.into())));
        }
        Ok(Self { options, data, knowledge, among_all: among.is_empty() })
    }

    /// The table to learn from: without the column of blocks.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn table(&self) -> Result<Dataset> {
        self.data.select(&self.options.variables(&self.data))
    }

    /// An error of learning, with what helps where the group has too many neighbours.
    #[must_use]
    pub fn advised(&self, error: Error) -> Error {
        match error.kind() {
            ErrorKind::Limit(reached) if self.among_all => {
                let remedies = [Remedy::NameNeighborsOfGroup, Remedy::MoreMemory, Remedy::SmallerKappa];
                Error::limit(&reached.what, &reached.limit, remedies)
            }
            _ => error,
        }
    }

    /// Compares the groups: [`compare_groups`].
    ///
    /// # Errors
    /// As there.
    pub fn compare(&self, learning: &LearnOptions, observer: &dyn LearnObserver) -> Result<GroupComparison> {
        compare_groups(&self.data, &self.options, learning, observer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> GroupNames {
        GroupNames {
            group: "g".to_owned(),
            block: None,
            among: Vec::new(),
            permutations: 9,
            level: 0.05,
            seed: 1,
        }
    }

    fn table() -> Dataset {
        let rows = (0..24).map(|row: u32| {
            let text = |number: u32| number.to_string();
            [text(row % 2), text(row / 2 % 2), text(row / 4 % 2), text(row), text(row / 2)]
        });
        Dataset::from_labels(&["a", "b", "g", "person", "pair"], rows).unwrap()
    }

    #[test]
    fn a_forbidden_edge_of_the_group_is_an_error_about_the_group() {
        let forbid = |edge: &str| Knowledge { forbid: vec![edge.into()], ..Knowledge::default() };
        let error = Grouping::new(&names(), table(), &forbid("a-*")).unwrap_err().to_string();
        assert!(error.starts_with("option group: \"g\""), "{error}");
        assert!(error.contains("adjacent to \"a\"") && error.contains("\"a-*\" forbids"), "{error}");
        // The group has no such edge where it is adjacent to others alone.
        let among = GroupNames { among: vec!["b".to_owned()], ..names() };
        assert_eq!(Grouping::new(&among, table(), &forbid("g-a")).unwrap().knowledge.require.len(), 1);
        assert!(Grouping::new(&names(), table(), &forbid("a-b")).is_ok());
    }

    #[test]
    fn blocks_that_exchange_nothing_are_refused() {
        let refused = |block: &str| {
            let asked = GroupNames { block: Some(block.to_owned()), ..names() };
            Grouping::new(&asked, table(), &Knowledge::default()).map(|_| ()).unwrap_err().to_string()
        };
        assert!(refused("person").starts_with("option block: \"person\""), "{}", refused("person"));
        assert!(refused("person").contains("every block has one row"), "{}", refused("person"));
        assert!(refused("pair").contains("one group"), "{}", refused("pair"));
        let asked = GroupNames { block: Some("b".to_owned()), ..names() };
        let found = Grouping::new(&asked, table(), &Knowledge::default()).unwrap();
        assert_eq!(found.table().unwrap().schema().len(), 4);
    }

    #[test]
    fn a_limit_names_among_where_the_group_is_adjacent_to_all() {
        let words = |among: &[&str], error: Error| {
            let among = among.iter().map(|&name| name.to_owned()).collect();
            let found = Grouping::new(&GroupNames { among, ..names() }, table(), &Knowledge::default());
            found.unwrap().advised(error).to_string()
        };
        let limit = || Error::limit("the number of configurations", 5, Remedy::MoreMemory);
        assert!(words(&[], limit()).contains("goes beyond the limit of 5; name with `among` the variables"));
        assert!(!words(&["a"], limit()).contains("among"));
        assert!(!words(&[], Error::question("no", "ask again")).contains("among"));
    }
}
