//! Standard errors and intervals in words.

use crate::commands::asking;
use cmnet::{EdgeEffect, Quantity, Schema};
use cmnet_report::answer::Explained;
use cmnet_report::answer::intervals::EdgeIntervals;
use std::fmt::Write as _;

/// Configurations of one edge that are printed; JSON has them all.
const MOST_LINES: usize = 32;

/// The intervals of a model's edges, where they were asked for.
pub(super) fn of(schema: &Schema, explained: &Explained<'_>) -> String {
    let Some(intervals) = &explained.intervals else { return String::new() };
    let mut text = String::from(
        "\nIntervals (95 %): the strength of each edge, and the log odds ratio of its ends given all else\n",
    );
    for edge in &intervals.edges {
        add_edge(&mut text, schema, edge);
    }
    if intervals.edges.is_empty() {
        text += "  none\n";
    }
    let effects = intervals.edges.iter().filter_map(|edge| edge.effects.as_ref()).flatten();
    let mut ratios = effects.flat_map(|effect| &effect.pairs);
    if ratios.any(|pair| pair.log_odds_ratio.interval.is_none()) {
        text += "  open: the data have no finite estimate here, since a margin is empty\n";
    }
    text
}

/// A number with its interval.
pub(crate) fn with_interval(known: Quantity) -> String {
    match known.interval {
        Some([low, high]) => format!("{:.3} ({low:.3} to {high:.3})", known.value),
        None => format!("{:.3} (open)", known.value),
    }
}

fn add_edge(text: &mut String, schema: &Schema, known: &EdgeIntervals) {
    let strength = known.strength.map_or("? (too large a table)".to_owned(), with_interval);
    let _ = writeln!(text, "  {}: strength {strength}", asking::edge_text(schema, known.edge));
    let Some(effects) = &known.effects else {
        *text += "    too many configurations of the common neighbours\n";
        return;
    };
    for effect in effects.iter().take(MOST_LINES) {
        add_effect(text, schema, effect);
    }
    if effects.len() > MOST_LINES {
        let _ = writeln!(text, "    ... and {} more (--format json)", effects.len() - MOST_LINES);
    }
}

fn add_effect(text: &mut String, schema: &Schema, effect: &EdgeEffect) {
    let label = |v: usize, level: u32| schema.variable(v).levels[level as usize].as_str();
    let given: Vec<String> =
        effect.given.iter().map(|&(v, level)| format!("{} = {}", schema.name(v), label(v, level))).collect();
    let given = if given.is_empty() { String::new() } else { format!("{}: ", given.join(", ")) };
    if effect.cut {
        let _ = writeln!(text, "    {given}cut off");
        return;
    }
    let (low, high) = effect.edge.ends();
    let only = effect.pairs.len() == 1;
    for pair in &effect.pairs {
        let (one, other) = pair.levels;
        let levels =
            if only { String::new() } else { format!("{}, {}: ", label(low, one), label(high, other)) };
        let _ = writeln!(text, "    {given}{levels}{}", with_interval(pair.log_odds_ratio));
    }
}
