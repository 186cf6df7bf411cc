//! The same in sentences.

use crate::commands::asking;
use crate::output;
use cmnet::{Frequency, Schema, VarSet};
use cmnet_report::answer::{Explained, confirmed_lines, names};
use cmnet_report::sentence;
use std::fmt::Write as _;

/// Names spelled out in one list.
const MOST_NAMES: usize = 20;
/// Pairs without an edge that are told.
const MOST_PAIRS: usize = 20;

/// An explanation in words.
pub(super) fn of(explained: &Explained<'_>) -> String {
    let words = Words { schema: &output::printable(explained.model.schema()), explained };
    let known = words.blankets() + &words.contexts() + &words.cuts() + &words.edges();
    known + &words.confidence() + &super::intervals::of(words.schema, explained) + &words.independence()
}

struct Words<'a> {
    schema: &'a Schema,
    explained: &'a Explained<'a>,
}

impl Words<'_> {
    fn names(&self, set: &VarSet) -> String {
        let mut names: Vec<String> =
            set.iter().take(MOST_NAMES).map(|v| self.schema.name(v).to_owned()).collect();
        if set.len() > MOST_NAMES {
            names.push(format!("{} others", set.len() - MOST_NAMES));
        }
        match names.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            _ => names.concat(),
        }
    }

    fn blankets(&self) -> String {
        let mut text = String::from("Markov blankets\n");
        for v in 0..self.schema.len() {
            let (name, blanket) = (self.schema.name(v), self.explained.model.structure().markov_blanket(v));
            let _ = match blanket.len() {
                0 => writeln!(text, "  {name} is independent of all other variables."),
                _ => writeln!(text, "  {name} depends on all others only through {}.", self.names(blanket)),
            };
        }
        text
    }

    fn contexts(&self) -> String {
        let mut text = String::new();
        if self.explained.model.structure().context_elements() > 0 {
            text += "\nContexts\n";
            for context in self.explained.model.structure().contexts() {
                let _ = writeln!(text, "  {}.", sentence(self.schema, context));
            }
        }
        if !self.explained.implied_contexts.is_empty() {
            text += "\nContexts with what they imply together\n";
            for context in &self.explained.implied_contexts {
                let _ = writeln!(text, "  {}.", sentence(self.schema, context));
            }
        }
        text
    }

    fn cuts(&self) -> String {
        let given = asking::given_text(self.schema, self.explained.evidence);
        let mut text = match self.explained.evidence.is_empty() {
            true if self.explained.explanation.cut.is_empty() => return String::new(),
            true => String::from("\nEdges that the contexts together do away with\n"),
            false => format!("\nGiven {given}\n"),
        };
        for &edge in &self.explained.explanation.cut {
            let (low, high) = edge.ends();
            let why = if self.explained.implied_cuts.binary_search(&edge).is_ok() {
                ", as several contexts together imply"
            } else {
                ""
            };
            let _ = writeln!(
                text,
                "  The edge {} is cut{why}: {} and {} do not depend on each other directly.",
                asking::edge_text(self.schema, edge),
                self.schema.name(low),
                self.schema.name(high)
            );
        }
        if self.explained.explanation.cut.is_empty() {
            text += "  No edge is cut beyond those at the given variables.\n";
        }
        text
    }

    fn edges(&self) -> String {
        let left = if self.explained.evidence.is_empty() { "Edges" } else { "Edges that are left" };
        let mut text = format!("\n{left}, with the information in nats that the ends share given all else\n");
        let mut edges: Vec<_> = self.explained.explanation.edges.iter().collect();
        edges.sort_by(|one, other| {
            other.information.unwrap_or(-1.0).total_cmp(&one.information.unwrap_or(-1.0))
        });
        for strength in edges {
            let edge = asking::edge_text(self.schema, strength.edge);
            let _ = match strength.information {
                Some(information) if strength.given_all => writeln!(text, "  {information:.6}  {edge}"),
                Some(information) => {
                    let given = self.names(&strength.given);
                    writeln!(text, "  {information:.6}  {edge} (given only {given}: all else is too large)")
                }
                None => writeln!(text, "  {:8}  {edge}", "?"),
            };
        }
        if self.explained.explanation.edges.is_empty() {
            text += "  none\n";
        }
        if self.explained.explanation.edges.iter().any(|strength| strength.information.is_none()) {
            text += "  ?: no parameters (run cmnet fit), or too large a table\n";
        }
        text
    }

    /// How sure edges and contexts are, as far as the model knows.
    fn confidence(&self) -> String {
        let model = self.explained.model;
        let mut text = String::new();
        if let Some(confirmed) = model.confirmed() {
            let _ = writeln!(text, "\nConfirmed contexts ({} configurations were tested)", confirmed.tested);
            for line in confirmed_lines(self.schema, model.structure(), confirmed) {
                let _ = writeln!(text, "  {line}");
            }
        }
        let Some(support) = model.support() else {
            return text
                + "\nSupport: not known; cmnet bootstrap DATA -o MODEL counts how often each edge and context comes back\n";
        };
        let of = support.replicates;
        let _ = writeln!(text, "\nSupport in {of} resamples: share, 95 % interval, verdict");
        let mut line = |count: u64, what: String| {
            let found = Frequency { count, of };
            let ([low, high], verdict) = (found.interval(), found.verdict());
            let _ = writeln!(text, "  {:.3} ({low:.3} to {high:.3}) {verdict:<12} {what}", found.support());
        };
        for (&edge, &count) in &support.edges {
            line(count, asking::edge_text(self.schema, edge));
        }
        for (&(edge, cell), &count) in &support.elements {
            let Some(context) = model.structure().context(edge) else { continue };
            let levels = context.space().variables().iter().zip(context.space().configuration(cell));
            let given: Vec<String> = levels
                .map(|known| format!("{}={}", self.schema.name(known.0), names::label(self.schema, known)))
                .collect();
            let ends = asking::edge_text(self.schema, edge);
            line(count, format!("{ends} cut off given {}", given.join(", ")));
        }
        text
    }

    /// What is independent of what: separation in the graph that is left.
    fn independence(&self) -> String {
        let given = match asking::given_text(self.schema, self.explained.evidence) {
            given if given.is_empty() => String::new(),
            given => format!(" given {given}"),
        };
        let mut text = format!("\nIndependence{given}\n");
        if let [only] = self.explained.explanation.groups.as_slice() {
            let _ = writeln!(text, "  {} hang together.", self.names(only));
        } else if self.explained.explanation.groups.is_empty() {
            text += "  Every variable is given.\n";
        } else {
            text += "  These groups are independent of each other:\n";
            for group in &self.explained.explanation.groups {
                let _ = writeln!(text, "    {}", self.names(group));
            }
        }
        for parts in &self.explained.explanation.splits {
            let parts: Vec<String> = parts.iter().map(|part| self.names(part)).collect();
            let _ = writeln!(text, "  Without the evidence these hung together: {}.", parts.join("; "));
        }
        text + &self.pairs()
    }

    fn pairs(&self) -> String {
        let mut text = String::new();
        for separation in self.explained.explanation.separations().take(MOST_PAIRS) {
            let (one, other) = (self.schema.name(separation.pair.0), self.schema.name(separation.pair.1));
            let besides = if self.explained.evidence.is_empty() { "" } else { " besides" };
            let _ = writeln!(
                text,
                "  {one} and {other} are independent once {} {} known{besides}.",
                self.names(&separation.given),
                if separation.given.len() == 1 { "is" } else { "are" }
            );
        }
        match self.explained.explanation.separation_count().saturating_sub(MOST_PAIRS) {
            0 => text,
            more => text + &format!("  ... and {more} more pairs without an edge (--format json).\n"),
        }
    }
}
