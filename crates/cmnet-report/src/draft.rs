//! What a drawing says, before anything has a place.

use super::label::{LabelText, Labels, labels, says_its_number};
use super::layout::{Frame, Point, Size};
use super::legend::Legend;
use super::wording::{Rows, Stars, level_name, shown};
use super::{Drawing, LabelStyle, metrics, sentence};
use cmnet::{Edge, EdgeContext, Var};
use std::collections::BTreeMap;

/// The font size of names and the height of their lines.
pub(super) const NAME_FONT: f64 = 13.0;
pub(super) const NAME_LINE: f64 = 16.0;

/// Names are broken beyond this width, into so many lines.
const NAME_WIDTH: f64 = 112.0;
const NAME_LINES: usize = 3;

/// A variable in its box.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) frame: Frame,
    /// The number that labels are ordered by, where the name does not say it.
    pub(super) number: Option<usize>,
    pub(super) lines: Vec<String>,
    pub(super) about: String,
}

/// What is drawn, before it has a place.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) nodes: Vec<Node>,
    pub(super) edges: Vec<DraftEdge>,
    pub(super) style: LabelStyle,
    pub(super) legend: Legend,
}

/// An edge before it has a place.
#[derive(Clone, Debug)]
pub(super) struct DraftEdge {
    pub(super) ends: (Var, Var),
    pub(super) label: Option<LabelText>,
    /// Whether the label is a sign, and what it stands for is in the list.
    pub(super) listed: bool,
    pub(super) about: String,
    /// How wide its line is, where that says something.
    pub(super) width: Option<f64>,
    /// How opaque its line is, where that says something.
    pub(super) opacity: Option<f64>,
}

impl Draft {
    /// Chooses the words of a drawing.
    pub(super) fn new(drawing: &Drawing<'_>) -> Self {
        let mut stars = Stars::new();
        let contexts: Vec<(&EdgeContext, Rows)> =
            drawing.structure.contexts().map(|context| (context, stars.rows(context))).collect();
        let Labels { style, texts, to_list } = labels(drawing, &contexts);
        let numbers = style == LabelStyle::Codes && !contexts.is_empty() && !all_say_their_numbers(drawing);
        let mut labelled: BTreeMap<Edge, (LabelText, String)> = contexts
            .iter()
            .zip(texts)
            .map(|((context, rows), text)| {
                (context.edge(), (text, sentence::of_rows(drawing.schema, context, rows)))
            })
            .collect();
        let edge = |edge: Edge| {
            let (label, about) = labelled.remove(&edge).unzip();
            let about = about.unwrap_or_else(|| plain_edge(drawing, edge));
            let about = match drawing.support.get(&edge) {
                Some(support) => format!("{about}; support of the edge {support:.2}"),
                None => about,
            };
            let listed = to_list && label.is_some();
            DraftEdge {
                ends: edge.ends(),
                label,
                listed,
                about,
                width: drawing.width(edge),
                opacity: drawing.opacity(edge),
            }
        };
        let mut draft = Self {
            nodes: (0..drawing.schema.len()).map(|index| node(drawing, index, numbers)).collect(),
            edges: drawing.structure.graph().edges().map(edge).collect(),
            legend: Legend::of(drawing, style, numbers, &contexts),
            style,
        };
        draft.number_signs();
        draft
    }

    /// Puts these labels into the list, where they are not there yet; says whether one was not.
    pub(super) fn list(&mut self, unclear: &[bool]) -> bool {
        let mut news = false;
        for (edge, _) in self.edges.iter_mut().zip(unclear).filter(|(_, unclear)| **unclear) {
            news |= edge.label.is_some() && !edge.listed;
            edge.listed = edge.label.is_some();
        }
        self.number_signs();
        news
    }

    /// Signs in the order of edges: letters beside codes, which are numbers, and numbers beside names.
    fn number_signs(&mut self) {
        let letters = self.style == LabelStyle::Codes;
        for (place, edge) in self.edges.iter_mut().filter(|edge| edge.listed).enumerate() {
            edge.label = Some(LabelText::sign(if letters { letter(place) } else { (place + 1).to_string() }));
        }
    }

    /// What the signs stand for, one line each.
    pub(super) fn signs(&self) -> Vec<String> {
        let listed = self.edges.iter().filter(|edge| edge.listed);
        listed
            .filter_map(|edge| {
                let about = edge.about.trim_end_matches(sentence::GIVEN);
                Some(format!("{}: {about}", edge.label.as_ref()?.lines.first()?))
            })
            .collect()
    }
}

/// a to z, then aa, ab and so on.
fn letter(mut place: usize) -> String {
    let mut letters = Vec::new();
    loop {
        letters.push((b'a' + (place % 26) as u8) as char);
        if place < 26 {
            return letters.iter().rev().collect();
        }
        place = place / 26 - 1;
    }
}

impl DraftEdge {
    /// Whether rows of codes are counted instead of shown.
    pub(super) fn leaves_out(&self) -> bool {
        let last = self.label.as_ref().and_then(|label| label.lines.last());
        !self.listed && last.is_some_and(|line| line.contains('+'))
    }
}

impl Node {
    /// The size of the box that the name needs: a circle for a short name.
    pub(super) fn size(&self) -> Size {
        Size::new(self.frame.half.x * 2.0, self.frame.half.y * 2.0)
    }
}

/// A variable's box, not yet on its place.
fn node(drawing: &Drawing<'_>, index: Var, numbers: bool) -> Node {
    let variable = drawing.schema.variable(index);
    let lines = metrics::broken(&shown(&variable.name), NAME_FONT, NAME_WIDTH, NAME_LINES);
    let number = numbers.then_some(index + 1);
    let prefix = number.map_or(0.0, |number| metrics::width(&format!("{number} "), NAME_FONT));
    let width = lines
        .iter()
        .enumerate()
        .map(|(place, line)| metrics::width(line, NAME_FONT) + if place == 0 { prefix } else { 0.0 })
        .fold(0.0, f64::max);
    let height = lines.len() as f64 * NAME_LINE + 16.0;
    let width = metrics::even(width + 24.0);
    let (width, height) = if width <= 38.0 { (34.0, 34.0) } else { (width, height) };
    let levels: Vec<String> =
        (0..variable.cardinality().min(12)).map(|code| level_name(variable, code)).collect();
    let more = if variable.levels.len() > levels.len() { ", …" } else { "" };
    let about = format!("{}: {}{more}", shown(&variable.name), levels.join(", "));
    Node { frame: Frame::new(Point::default(), Size::new(width, height)), number, lines, about }
}

fn all_say_their_numbers(drawing: &Drawing<'_>) -> bool {
    drawing
        .schema
        .variables()
        .iter()
        .enumerate()
        .all(|(index, variable)| says_its_number(&variable.name, index))
}

fn plain_edge(drawing: &Drawing<'_>, edge: Edge) -> String {
    let (low, high) = edge.ends();
    format!("{} and {}", shown(drawing.schema.name(low)), shown(drawing.schema.name(high)))
}

#[cfg(test)]
mod tests {
    use super::letter;

    #[test]
    fn letters_go_on_after_z() {
        assert_eq!([0, 25, 26, 27, 701, 702].map(letter), ["a", "z", "aa", "ab", "zz", "aaa"]);
    }
}
