//! The lines under a picture that say how to read its labels.

use super::metrics;
use super::wording::{Rows, level_name, shown};
use super::{Drawing, LabelStyle};
use cmnet::{EdgeContext, Symbol, Var, Variable};
use std::collections::{BTreeMap, BTreeSet};

/// The font size of legends.
pub(super) const FONT: f64 = 12.0;

/// The height of a legend's line.
pub(super) const LINE: f64 = 17.0;

/// Keys shown; the rest is counted.
const MOST_KEYS: usize = 40;

/// Signs explained; the rest is counted.
const MOST_SIGNS: usize = 400;

/// Levels listed in full; of longer lists only what the labels mention.
const MOST_LEVELS: usize = 8;

/// A legend: how to read a labelled edge, then what the codes mean.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Legend {
    pub(super) reading: String,
    pub(super) keys: Vec<String>,
}

impl Legend {
    /// The legend of a drawing; empty when no edge has a context.
    pub(super) fn of(
        drawing: &Drawing<'_>,
        style: LabelStyle,
        numbers: bool,
        contexts: &[(&EdgeContext, Rows)],
    ) -> Self {
        if contexts.is_empty() {
            return Self::default();
        }
        if style == LabelStyle::Names {
            let reading = "The two ends of a dashed edge are independent in the context written on it, given \
                           everything else.";
            return Self { reading: reading.to_owned(), keys: Vec::new() };
        }
        let order = if numbers { "by number" } else { "in order" };
        let reading = format!(
            "The two ends of a dashed edge are independent, given everything else, where their common \
             neighbours ({order}) have the levels in a row of its label; * is any level."
        );
        Self { reading, keys: keys(drawing, numbers, contexts) }
    }

    /// Whether it says nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.reading.is_empty() && self.keys.is_empty()
    }

    /// Adds what signs on edges stand for, and what a number of rows that are left out means.
    pub(super) fn explain(&mut self, mut signs: Vec<String>, left_out: bool) {
        if left_out {
            self.reading.push_str(" A number after + counts rows that are not shown.");
        }
        if !signs.is_empty() {
            self.reading.push_str(" A sign in a ring stands for a context of the list.");
        }
        if signs.len() > MOST_SIGNS {
            let more = signs.len() - (MOST_SIGNS - 1);
            signs.truncate(MOST_SIGNS - 1);
            signs.push(format!("and {more} more"));
        }
        self.keys.extend(signs);
    }
}

/// What each code means, variables with the same levels together.
fn keys(drawing: &Drawing<'_>, numbers: bool, contexts: &[(&EdgeContext, Rows)]) -> Vec<String> {
    let mut groups: BTreeMap<(Var, String), Vec<Var>> = BTreeMap::new();
    let mut firsts: BTreeMap<String, Var> = BTreeMap::new();
    let mut unlisted = false;
    for (variable, mentioned) in mentioned(contexts) {
        let Some(levels) = level_key(drawing.schema.variable(variable), &mentioned) else {
            unlisted = true;
            continue;
        };
        let first = *firsts.entry(levels.clone()).or_insert(variable);
        groups.entry((first, levels)).or_default().push(variable);
    }
    // The largest group stands last and needs no list of its members, unless some variable
    // in the labels is in no group at all.
    let largest = groups.iter().map(|(key, variables)| (variables.len(), key.clone())).max();
    let plain = |count: usize| !unlisted && (count > 2 || groups.len() == 1);
    let rest = largest.filter(|(count, _)| plain(*count)).map(|(_, key)| key);
    let mut keys: Vec<String> = groups
        .iter()
        .filter(|(key, _)| rest.as_ref() != Some(*key))
        .map(|((_, levels), variables)| format!("{}: {levels}", who(drawing, numbers, variables)))
        .collect();
    if let Some((_, levels)) = &rest {
        let who = if keys.is_empty() { "" } else { "others: " };
        keys.push(format!("{who}{levels}"));
    }
    if keys.len() > MOST_KEYS {
        let more = keys.len() - (MOST_KEYS - 1);
        keys.truncate(MOST_KEYS - 1);
        keys.push(format!("and {more} more"));
    }
    keys
}

/// The variables whose codes stand in labels, with the levels that do.
fn mentioned(contexts: &[(&EdgeContext, Rows)]) -> BTreeMap<Var, BTreeSet<u32>> {
    let mut mentioned: BTreeMap<Var, BTreeSet<u32>> = BTreeMap::new();
    for (context, rows) in contexts {
        for row in &rows.rows {
            for (variable, symbol) in context.space().variables().iter().zip(row) {
                if let Symbol::Level(level) = symbol {
                    mentioned.entry(variable).or_default().insert(*level);
                }
            }
        }
    }
    mentioned
}

/// `0 = no, 1 = yes`; none when every level is named by its code.
fn level_key(variable: &Variable, mentioned: &BTreeSet<u32>) -> Option<String> {
    if variable.levels.iter().enumerate().all(|(code, level)| *level == code.to_string()) {
        return None;
    }
    let whole = variable.levels.len() <= MOST_LEVELS;
    let codes: Vec<u32> = if whole {
        (0..variable.cardinality()).collect()
    } else {
        mentioned.iter().copied().take(MOST_LEVELS).collect()
    };
    let mut parts: Vec<String> =
        codes.iter().map(|&code| format!("{code} = {}", level_name(variable, code))).collect();
    if !whole {
        parts.push("…".to_owned());
    }
    Some(parts.join(", "))
}

/// The variables a key is for: one by name, several by number.
fn who(drawing: &Drawing<'_>, numbers: bool, variables: &[Var]) -> String {
    match variables {
        [one] if numbers => format!("{} {}", one + 1, shown(drawing.schema.name(*one))),
        _ if numbers => ranges(variables),
        _ => {
            let names: Vec<String> =
                variables.iter().map(|&variable| shown(drawing.schema.name(variable))).collect();
            names.join(", ")
        }
    }
}

/// Numbers from 1, runs of three or more as ranges.
fn ranges(variables: &[Var]) -> String {
    let mut runs: Vec<(Var, Var)> = Vec::new();
    for &variable in variables {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == variable => *last = variable,
            _ => runs.push((variable, variable)),
        }
    }
    let run = |&(first, last): &(Var, Var)| match last - first {
        0 => (first + 1).to_string(),
        1 => format!("{}, {}", first + 1, last + 1),
        _ => format!("{}-{}", first + 1, last + 1),
    };
    runs.iter().map(run).collect::<Vec<_>>().join(", ")
}

/// A text in lines of a width, broken between words, with room for a wider font.
pub(super) fn wrapped(text: &str, size: f64, most: f64) -> Vec<String> {
    let most = most / 1.09;
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if metrics::width(line, size) + metrics::width(word, size) + size * 0.3 <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(metrics::cut(word, size, most)),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_numbers_become_ranges() {
        assert_eq!(ranges(&[0, 1, 2, 4, 6, 7]), "1-3, 5, 7, 8");
    }

    #[test]
    fn words_are_kept_whole() {
        let lines = wrapped("one two three four five", 12.0, 60.0);
        assert!(lines.len() > 1);
        assert_eq!(lines.join(" "), "one two three four five");
    }
}
