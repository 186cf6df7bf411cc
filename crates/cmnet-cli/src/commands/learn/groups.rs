//! `cmnet learn --group`: groups of rows in the model and in a table of differences.

use crate::args::GroupArgs;
use crate::output;
use crate::progress::Watch;
use cmnet::{
    Error, ErrorKind, GroupNames, GroupOptions, Grouping, LearnOptions, Learned, LoadedTable, StopReason,
    find_variable, write_atomic,
};
use cmnet_report::answer::GroupsAnswer;
use cmnet_report::group_panels;
use std::path::PathBuf;
use std::time::Duration;

/// Requires the group's edges, and takes the column of blocks out of the table to learn from.
pub(crate) fn prepare(
    arguments: &GroupArgs,
    seed: Option<u64>,
    options: LearnOptions,
    loaded: &mut LoadedTable,
) -> anyhow::Result<(LearnOptions, Option<Grouping>)> {
    let Some(group) = &arguments.group else { return Ok((options, None)) };
    let names = GroupNames {
        group: group.clone(),
        block: arguments.block.clone(),
        among: arguments.among.clone(),
        permutations: arguments.permutations,
        level: arguments.level,
        seed: seed.unwrap_or(GroupOptions::of(0).seed),
    };
    let grouping = Grouping::new(&names, loaded.data.clone(), &options.knowledge)?;
    if let Some(block) = &arguments.block {
        loaded.data = grouping.table()?;
        loaded.warnings.retain(|warning| warning.column() != Some(block.as_str()));
    }
    let knowledge = options.knowledge.clone().and(grouping.knowledge.clone());
    Ok((LearnOptions { knowledge, ..options }, Some(grouping)))
}

/// An error of learning, with what helps where the group has too many neighbours.
pub(crate) fn advised(error: Error, grouping: Option<&Grouping>) -> Error {
    match grouping {
        Some(grouping) => grouping.advised(error),
        None => error,
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
    let Some(grouping) = grouping else { return Ok(Comparison::default()) };
    let (groups, data) = (&grouping.options, &grouping.data);
    if learned.stop != StopReason::Converged {
        output::note(&format!("the groups are not compared, since learning ended early ({})", learned.stop));
        return Ok(Comparison::default());
    }
    let found = match grouping.compare(options, &Watch::new(time_limit)) {
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
