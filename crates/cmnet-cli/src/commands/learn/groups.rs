//! `cmnet learn --group`: groups of rows in the model and in a table of differences.

use crate::args::GroupArgs;
use crate::output;
use crate::progress::Watch;
use cmnet::{
    Dataset, Error, ErrorKind, GroupOptions, LearnOptions, Learned, LoadedTable, OptionName, Remedy,
    StopReason, compare_groups, find_variable, find_variables, group_knowledge, write_atomic,
};
use cmnet_report::answer::GroupsAnswer;
use cmnet_report::group_panels;
use std::path::PathBuf;
use std::time::Duration;

/// The groups of a table, which still has its column of blocks.
pub(crate) struct Grouping {
    options: GroupOptions,
    data: Dataset,
    /// Whether the group is adjacent to all other variables.
    among_all: bool,
}

/// Requires the group's edges, and takes the column of blocks out of the table to learn from.
pub(crate) fn prepare(
    arguments: &GroupArgs,
    seed: Option<u64>,
    options: LearnOptions,
    loaded: &mut LoadedTable,
) -> anyhow::Result<(LearnOptions, Option<Grouping>)> {
    let Some(group) = &arguments.group else { return Ok((options, None)) };
    let schema = loaded.data.schema();
    let own = find_variable(schema, group)?;
    let block = arguments.block.as_ref().map(|name| find_variable(schema, name)).transpose()?;
    let usual = GroupOptions::of(own);
    let grouping = GroupOptions {
        block,
        permutations: arguments.permutations,
        level: arguments.level,
        seed: seed.unwrap_or(usual.seed),
        ..usual
    };
    grouping.check(&loaded.data)?;
    let data = loaded.data.clone();
    if let Some(block) = block {
        let others: Vec<usize> = (0..data.variables()).filter(|&variable| variable != block).collect();
        loaded.data = data.select(&others)?;
        loaded.warnings.retain(|warning| warning.column() != Some(data.schema().name(block)));
    }
    let schema = loaded.data.schema();
    let among = find_variables(schema, &arguments.among)?;
    let own = find_variable(schema, group)?;
    if among.contains(&own) {
        let expected = "other columns than that of the groups";
        return Err(Error::option(OptionName::Among, group, expected).into());
    }
    let known = group_knowledge(schema, own, &among);
    let options = LearnOptions { knowledge: options.knowledge.clone().and(known), ..options };
    Ok((options, Some(Grouping { options: grouping, data, among_all: among.is_empty() })))
}

/// An error of learning, with what helps where the group has too many neighbours.
pub(crate) fn advised(error: Error, grouping: Option<&Grouping>) -> Error {
    match error.kind() {
        ErrorKind::Limit(reached) if grouping.is_some_and(|grouping| grouping.among_all) => {
            let fewer = "name with --among the variables that the group may be adjacent to";
            let remedies = [fewer.into(), Remedy::MoreMemory, Remedy::SmallerKappa];
            Error::limit(&reached.what, &reached.limit, remedies)
        }
        _ => error,
    }
}

/// What the comparison of the groups came to.
#[derive(Default)]
pub(crate) struct Comparison {
    /// What was found; none where no permutation was finished.
    pub(crate) found: Option<GroupsAnswer>,
    /// Why it ended early.
    pub(crate) cut: Option<StopReason>,
}

impl Comparison {
    /// Ended before there was anything to tell.
    fn cut(reason: StopReason) -> Self {
        output::note(&format!("the groups are not compared: that ended early ({reason})"));
        Self { found: None, cut: Some(reason) }
    }
}

/// Compares the groups, unless learning was stopped.
pub(crate) fn compare(
    grouping: Option<&Grouping>,
    learned: &Learned,
    loaded: &LoadedTable,
    options: &LearnOptions,
    time_limit: Option<Duration>,
) -> anyhow::Result<Comparison> {
    let Some(Grouping { options: groups, data, .. }) = grouping else { return Ok(Comparison::default()) };
    if learned.stop != StopReason::Converged {
        output::note(&format!("the groups are not compared, since learning ended early ({})", learned.stop));
        return Ok(Comparison::default());
    }
    let found = match compare_groups(data, groups, options, &Watch::new(time_limit)) {
        Err(error) => match error.kind() {
            ErrorKind::Stopped(reason) => return Ok(Comparison::cut(*reason)),
            _ => return Err(error.into()),
        },
        Ok(found) if found.permutations == 0 => return Ok(Comparison::cut(found.stop)),
        Ok(found) => found,
    };
    let cut = (found.stop != StopReason::Converged).then_some(found.stop);
    if let Some(reason) = cut {
        let (done, asked) = (found.permutations, groups.permutations);
        output::note(&format!(
            "the comparison of the groups ended early ({reason}): {done} of {asked} permutations"
        ));
    }
    let kept = learned.kept(data.rows()).map(|model| (loaded.data.schema(), &model.structure));
    Ok(Comparison { found: Some(GroupsAnswer::of(&found, groups, data.schema(), kept)), cut })
}

/// Draws the network of each group beside the others, where a drawing is asked for.
pub(crate) fn draw(
    grouping: Option<&Grouping>,
    learned: &Learned,
    loaded: &LoadedTable,
    path: Option<PathBuf>,
) -> anyhow::Result<Option<PathBuf>> {
    let (Some(grouping), Some(path)) = (grouping, path) else { return Ok(None) };
    let Some(model) = learned.kept(loaded.data.rows()) else { return Ok(None) };
    let schema = loaded.data.schema();
    let group = find_variable(schema, grouping.data.schema().name(grouping.options.group))?;
    write_atomic(&path, group_panels(schema, &model.structure, group)?.as_bytes())?;
    Ok(Some(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_names_among_where_the_group_is_adjacent_to_all() {
        let data = Dataset::from_labels(&["a", "g"], [["0", "x"], ["1", "y"]]).unwrap();
        let words = |among_all: bool, error: Error| {
            let grouping = Grouping { options: GroupOptions::of(1), data: data.clone(), among_all };
            advised(error, Some(&grouping)).to_string()
        };
        let limit = || Error::limit("the number of configurations", 5, Remedy::MoreMemory);
        assert!(words(true, limit()).contains("goes beyond the limit of 5; name with --among the variables"));
        assert!(!words(false, limit()).contains("--among"));
        assert!(!words(true, Error::question("no", "ask again")).contains("--among"));
        assert!(!advised(limit(), None).to_string().contains("--among"));
    }
}
