//! A structure as lines for the terminal: edges, their labels, and what the labels say.

use super::align::columns;
use super::legend::Legend;
use super::wording::{Rows, Stars, many, shown, shown_words};
use super::{Drawing, LabelStyle, label, sentence};
use cmnet::{Edge, EdgeContext};
use std::collections::BTreeMap;

/// The widest column of edges that labels are lined up behind.
const WIDEST: usize = 56;

/// Writes a structure.
///
/// Codes leave the sentences out and end with a legend; names leave the codes out; the
/// automatic style shows both.
pub fn render(drawing: &Drawing<'_>) -> String {
    let mut stars = Stars::new();
    let contexts: Vec<(&EdgeContext, Rows)> =
        drawing.structure.contexts().map(|context| (context, stars.rows(context))).collect();
    let mut parts: Vec<String> = Vec::new();
    parts.extend(drawing.title().map(|title| format!("{}\n", shown_words(title))));
    parts.push(format!("{}\n", counts(drawing, contexts.len())));
    parts.extend(edges(drawing, &contexts));
    let alone: Vec<String> = (0..drawing.schema.len())
        .filter(|&node| drawing.structure.markov_blanket(node).is_empty())
        .map(|node| format!("  {}\n", shown(drawing.schema.name(node))))
        .collect();
    if !alone.is_empty() {
        parts.push("\nWithout edges\n".to_owned());
        parts.extend(alone);
    }
    parts.extend(notes(drawing, &contexts));
    parts.concat()
}

/// `6 variables, 6 edges, 3 of them with a context`.
fn counts(drawing: &Drawing<'_>, contexts: usize) -> String {
    let edges = drawing.structure.graph().edge_count();
    let with = if contexts > 0 { format!(", {contexts} of them with a context") } else { String::new() };
    format!("{}, {}{with}", many(drawing.schema.len(), "variable"), many(edges, "edge"))
}

/// A line for each edge, and what its context says on the next.
fn edges(drawing: &Drawing<'_>, contexts: &[(&EdgeContext, Rows)]) -> Vec<String> {
    let by_edge: BTreeMap<Edge, &(&EdgeContext, Rows)> =
        contexts.iter().map(|entry| (entry.0.edge(), entry)).collect();
    let named: Vec<(Edge, String)> = drawing
        .structure
        .graph()
        .edges()
        .map(|edge| {
            let (low, high) = edge.ends();
            (edge, format!("{} - {}", shown(drawing.schema.name(low)), shown(drawing.schema.name(high))))
        })
        .collect();
    let widest = named.iter().map(|(_, name)| columns(name)).filter(|&width| width <= WIDEST).max();
    let mut lines = Vec::new();
    if !named.is_empty() {
        lines.push("\nEdges\n".to_owned());
    }
    for (edge, name) in named {
        let Some((context, rows)) = by_edge.get(&edge) else {
            lines.push(format!("  {name}\n"));
            continue;
        };
        let notation = if drawing.labels == LabelStyle::Names {
            String::new()
        } else {
            let room = widest.unwrap_or(0).saturating_sub(columns(&name));
            format!("{:room$}   {}", "", notation(drawing, context, rows))
        };
        lines.push(format!("  {name}{notation}\n"));
        if drawing.labels != LabelStyle::Codes {
            lines.push(format!("      {}\n", sentence::when(drawing.schema, context, rows)));
        }
    }
    lines
}

/// The label in the paper's notation and the variables it is about: `01/10 (c, d)`.
fn notation(drawing: &Drawing<'_>, context: &EdgeContext, rows: &Rows) -> String {
    let names: Vec<String> =
        context.space().variables().iter().map(|variable| shown(drawing.schema.name(variable))).collect();
    format!("{} ({})", label::rows_on_one_line(context, rows), names.join(", "))
}

/// How to read what stands above.
fn notes(drawing: &Drawing<'_>, contexts: &[(&EdgeContext, Rows)]) -> Vec<String> {
    if contexts.is_empty() {
        return Vec::new();
    }
    if drawing.labels != LabelStyle::Codes {
        return vec!["\nIndependent: of each other, given everything else.\n".to_owned()];
    }
    let keys = Legend::of(drawing, LabelStyle::Codes, false, contexts).keys;
    let mut lines: Vec<String> = Vec::new();
    if !keys.is_empty() {
        lines.push("\nLevels\n".to_owned());
        lines.extend(keys.iter().map(|key| format!("  {key}\n")));
    }
    let reading = "\nThe two ends of an edge are independent, given everything else, where the variables\n\
                   in brackets have the levels in a row of its label; * is any level.\n";
    lines.push(reading.to_owned());
    lines
}
