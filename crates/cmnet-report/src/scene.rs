//! A drawing with everything on its place, ready for the formats that need coordinates.

use super::draft::{Draft, DraftEdge, Node};
use super::layout::{Frame, Layout, LayoutGraph, Link, Path, Point, Size, lay_out, lay_out_at};
use super::legend::{self, Legend, wrapped};
use super::wording::{many, shown_words};
use super::{Drawing, LabelStyle, metrics};

/// The font size of titles and the height of their lines.
pub(super) const TITLE_FONT: f64 = 15.0;
pub(super) const TITLE_LINE: f64 = 20.0;

/// Room around the whole.
pub(super) const PADDING: f64 = 20.0;

/// What title and legend need at least.
const LEAST_WIDTH: f64 = 400.0;

/// The length of the sample line in the legend.
pub(super) const SAMPLE: f64 = 34.0;

/// How often labels that hide something are put into the list and the others placed again.
const LISTINGS: usize = 3;

/// An edge with its label.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) ends: (usize, usize),
    pub(super) path: Path,
    /// How wide it is, where that says something.
    pub(super) width: Option<f64>,
    /// How opaque it is, where that says something.
    pub(super) opacity: Option<f64>,
    /// Whether another line runs through its label, which must not hide it.
    pub(super) crossed: bool,
    pub(super) label: Option<(Frame, Vec<String>)>,
    /// Whether the label is a sign that the list under the picture explains.
    pub(super) sign: bool,
    pub(super) about: String,
}

/// A line of text, from its left end on the base line.
#[derive(Clone, Debug)]
pub(super) struct Caption {
    pub(super) at: Point,
    pub(super) text: String,
}

/// Everything that is drawn, in pixels.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    pub(super) size: Size,
    pub(super) title: Vec<Caption>,
    pub(super) nodes: Vec<Node>,
    pub(super) lines: Vec<Line>,
    /// The left end of the sample line of the legend, if there is a legend.
    pub(super) sample: Option<Point>,
    pub(super) legend: Vec<Caption>,
    pub(super) style: LabelStyle,
    pub(super) about: String,
}

impl Scene {
    /// Lays out a drawing.
    pub(super) fn new(drawing: &Drawing<'_>) -> Self {
        let mut draft = Draft::new(drawing);
        let mut layout = match &drawing.places {
            Some(places) => lay_out_at(&graph(&draft), places),
            None => lay_out(&graph(&draft)),
        };
        for _ in 0..LISTINGS {
            if !draft.list(&layout.unclear) {
                break;
            }
            layout = again(&draft, &layout);
        }
        let left_out = draft.style == LabelStyle::Codes && draft.edges.iter().any(DraftEdge::leaves_out);
        let signs = draft.signs();
        draft.legend.explain(signs, left_out);
        if !drawing.reading {
            draft.legend.reading.clear();
        }
        let crossed = |place: usize| {
            let others = layout.paths.iter().enumerate().filter(|(other, _)| *other != place);
            layout.labels[place].is_some_and(|label| others.into_iter().any(|(_, path)| path.crosses(label)))
        };
        let nodes =
            draft.nodes.into_iter().zip(&layout.boxes).map(|(node, &frame)| Node { frame, ..node }).collect();
        let line = |(place, edge): (usize, DraftEdge)| Line {
            ends: edge.ends,
            path: layout.paths[place],
            width: edge.width,
            opacity: edge.opacity,
            crossed: crossed(place),
            label: layout.labels[place].zip(edge.label.map(|text| text.lines)),
            sign: edge.listed,
            about: edge.about,
        };
        let mut scene = Self {
            size: layout.size,
            title: Vec::new(),
            nodes,
            lines: draft.edges.into_iter().enumerate().map(line).collect(),
            sample: None,
            legend: Vec::new(),
            style: draft.style,
            about: overview(drawing),
        };
        scene.frame_with(drawing.title(), &draft.legend);
        scene
    }

    /// Puts the title above and the legend below.
    fn frame_with(&mut self, title: Option<&str>, legend: &Legend) {
        let inner =
            self.size.width.max(if title.is_some() || !legend.is_empty() { LEAST_WIDTH } else { 0.0 });
        let mut top = PADDING;
        for text in title.map(|title| wrapped(&shown_words(title), TITLE_FONT, inner)).unwrap_or_default() {
            self.title.push(Caption { at: Point::new(PADDING, top + TITLE_FONT), text });
            top += TITLE_LINE;
        }
        if !self.title.is_empty() {
            top += 12.0;
        }
        self.shift(Point::new((PADDING + (inner - self.size.width) / 2.0).round(), top));
        let mut bottom = top + self.size.height;
        if !legend.is_empty() {
            bottom = self.add_legend(legend, inner, bottom + 26.0);
        }
        self.size = Size::new((inner + 2.0 * PADDING).ceil(), (bottom + PADDING).ceil());
    }

    /// Adds the legend's lines from a height on; returns where they end.
    fn add_legend(&mut self, legend: &Legend, inner: f64, mut top: f64) -> f64 {
        let indent = SAMPLE + 10.0;
        if !legend.reading.is_empty() {
            self.sample = Some(Point::new(PADDING, top + 0.5 * legend::FONT));
        }
        let room = (inner - indent).min(760.0);
        for text in wrapped(&legend.reading, legend::FONT, room).into_iter().filter(|text| !text.is_empty()) {
            self.legend.push(Caption { at: Point::new(PADDING + indent, top + 10.0), text });
            top += legend::LINE;
        }
        // Short keys side by side, long ones below one another.
        let widest = legend.keys.iter().map(|key| metrics::width(key, legend::FONT)).fold(1.0, f64::max);
        let column = widest.min(room) + 26.0;
        let columns = ((inner - indent + 26.0) / column).floor().max(1.0) as usize;
        for row in legend.keys.chunks(columns) {
            let mut lowest = top;
            for (place, key) in row.iter().enumerate() {
                let left = (PADDING + indent + place as f64 * column).round();
                for (line, text) in wrapped(key, legend::FONT, room).into_iter().enumerate() {
                    let down = top + line as f64 * legend::LINE;
                    self.legend.push(Caption { at: Point::new(left, down + 10.0), text });
                    lowest = lowest.max(down + legend::LINE);
                }
            }
            top = lowest;
        }
        top
    }

    fn shift(&mut self, by: Point) {
        for node in &mut self.nodes {
            node.frame.center = node.frame.center.plus(by);
        }
        for line in &mut self.lines {
            line.path.from = line.path.from.plus(by);
            line.path.to = line.path.to.plus(by);
            line.path.control = line.path.control.map(|control| control.plus(by));
            if let Some((frame, _)) = &mut line.label {
                frame.center = frame.center.plus(by);
            }
        }
    }
}

fn graph(draft: &Draft) -> LayoutGraph {
    let link = |edge: &DraftEdge| Link { ends: edge.ends, label: edge.label.as_ref().map(|text| text.size) };
    LayoutGraph::new(draft.nodes.iter().map(Node::size).collect(), draft.edges.iter().map(link).collect())
}

/// The same boxes with other labels.
fn again(draft: &Draft, before: &Layout) -> Layout {
    let places: Vec<Point> = before.boxes.iter().map(|frame| frame.center).collect();
    lay_out_at(&graph(draft), &places)
}

/// The structure in one sentence, for readers who do not see the picture.
fn overview(drawing: &Drawing<'_>) -> String {
    let structure = drawing.structure;
    let contexts = match structure.contexts().count() {
        0 => String::new(),
        count => format!(", {count} of them with a context in which the two ends are independent"),
    };
    let (nodes, edges) = (structure.variables(), structure.graph().edge_count());
    format!("An undirected graph of {} and {}{contexts}.", many(nodes, "variable"), many(edges, "edge"))
}
