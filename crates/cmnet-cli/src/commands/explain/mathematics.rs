//! Terms, restrictions and classes in words.

use crate::commands::asking::{edge_text, level_text, levels_text};
use crate::output;
use cmnet::{Restriction, Schema};
use cmnet_report::answer::Mathematics;
use cmnet_report::answer::mathematics::Classes;
use std::fmt::Write as _;

/// Lines of one part that are told.
const MOST_LINES: usize = 200;
/// Configurations of one class that are told.
const MOST_CONFIGURATIONS: usize = 8;

/// What was asked for, in words.
pub(super) fn of(shown: &Mathematics<'_>) -> String {
    let words = Words { schema: &output::printable(shown.model.schema()), shown };
    let mut parts = Vec::new();
    if shown.shown.restrictions {
        parts.push(words.restrictions());
    }
    parts.extend(shown.classes.as_ref().map(|classes| words.classes(classes)));
    if shown.shown.terms {
        parts.push(words.terms());
    }
    parts.join("\n")
}

struct Words<'a> {
    schema: &'a Schema,
    shown: &'a Mathematics<'a>,
}

impl Words<'_> {
    fn term(&self, number: usize) -> String {
        let levels = self
            .shown
            .term(number)
            .map(|term| levels_text(self.schema, term.variables.iter().zip(term.levels)));
        format!("phi({})", levels.unwrap_or_default())
    }

    fn restrictions(&self) -> String {
        let all = &self.shown.restrictions;
        let mut text = String::from("Restrictions of the contexts on the terms\n");
        let mut before: Option<&Restriction> = None;
        for one in all.iter().take(MOST_LINES) {
            if before.is_none_or(|before| (before.edge, before.cell) != (one.edge, one.cell)) {
                let element = levels_text(self.schema, self.shown.element(one));
                let _ = writeln!(text, "  {}, cut off where {element}", edge_text(self.schema, one.edge));
            }
            let terms: Vec<String> = one.terms.iter().map(|&term| self.term(term)).collect();
            let _ = writeln!(text, "    {} = 0", terms.join(" + "));
            before = Some(one);
        }
        text += &more(all.len(), "restrictions");
        if all.is_empty() {
            text += "  none: the model has no contexts\n";
        }
        let (terms, parameters) = (self.shown.term_count(), self.shown.parameters.unwrap_or_default());
        let _ = writeln!(text, "{terms} terms, {} restrictions, {parameters} free parameters", all.len());
        text
    }

    fn classes(&self, classes: &Classes) -> String {
        let (partition, space) = (&classes.partition, classes.partition.space());
        let name = self.schema.name(partition.node());
        let mut text = format!("Classes of the Markov blanket of {name}\n");
        for (place, cells) in partition.classes().iter().enumerate().take(MOST_LINES) {
            let _ = writeln!(text, "  class {}{}", place + 1, self.of_class(classes, place));
            for &cell in cells.iter().take(MOST_CONFIGURATIONS) {
                let levels = space.variables().iter().zip(space.configuration(cell));
                let levels = levels_text(self.schema, levels);
                let empty = "the blanket is empty";
                let _ = writeln!(text, "    {}", if levels.is_empty() { empty } else { levels.as_str() });
            }
            if cells.len() > MOST_CONFIGURATIONS {
                let left = cells.len() - MOST_CONFIGURATIONS;
                let _ = writeln!(text, "    ... and {left} more configurations (--format json)");
            }
        }
        text += &more(partition.classes().len(), "classes");
        let count = partition.classes().len();
        let _ = writeln!(text, "{} configurations in {count} classes", space.size());
        if classes.counts.is_none() {
            text += "No counts: name a table with --data.\n";
        }
        text
    }

    /// The counts and probabilities of a class.
    fn of_class(&self, classes: &Classes, place: usize) -> String {
        let levels = &self.schema.variable(classes.partition.node()).levels;
        let mut parts = Vec::new();
        if let Some(counts) = &classes.counts {
            let list = levels.iter().zip(&counts[place]).map(|(level, count)| format!("{level}: {count}"));
            parts.push(format!("counts {}", list.collect::<Vec<_>>().join(", ")));
        }
        if let Some(probabilities) = &classes.probabilities {
            let list = levels.iter().zip(&probabilities[place]).map(|(level, p)| format!("{level}: {p:.4}"));
            parts.push(format!("probabilities {}", list.collect::<Vec<_>>().join(", ")));
        }
        if parts.is_empty() { String::new() } else { format!(": {}", parts.join("; ")) }
    }

    fn terms(&self) -> String {
        let shown = self.shown;
        let mut text = String::from(
            "Terms: log p(x) is the sum of the terms whose levels x has. A term with a first level is 0.\n",
        );
        let firsts = (0..self.schema.len()).map(|v| level_text(self.schema, (v, 0)));
        let _ = writeln!(text, "First levels: {}", firsts.collect::<Vec<_>>().join(", "));
        let value = |value: Option<f64>| {
            value.map_or(format!("{:>12}", "?"), |value| format!("{:>12.6}", value + 0.0))
        };
        let _ = writeln!(text, "  {}  the constant, -log Z", value(shown.constant()));
        for term in 0..shown.term_count().min(MOST_LINES) {
            let _ = writeln!(text, "  {}  {}", value(shown.value(term)), self.term(term));
        }
        text += &more(shown.term_count(), "terms");
        if shown.model.fit().is_none() {
            text += "?: no parameters (run cmnet fit)\n";
        }
        text
    }
}

fn more(count: usize, what: &str) -> String {
    match count.saturating_sub(MOST_LINES) {
        0 => String::new(),
        more => format!("  ... and {more} more {what} (--format json)\n"),
    }
}
