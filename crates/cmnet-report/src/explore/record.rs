//! What a page knows about a model, in the fields of `page/types.js`.

use super::answers::{Numbers, SampledRecord, TreeRecord};
use crate::layout::{Frame, LayoutGraph, Link, Path, Point, Size, lay_out};
use crate::support::least_support;
use crate::wording::{level_name, many, shown};
use crate::{metrics, sentence};
use cmnet::{Dataset, Edge, EdgeContext, Error, Model, Result, Structure, Variable};
use serde::Serialize;

/// The measures of a box, as `page/box.js` has them.
const NAME_FONT: f64 = 13.0;
const NAME_LINE: f64 = 16.0;
const ROW: f64 = 18.0;
const MOST_ROWS: usize = 6;
const LEAST_WIDTH: f64 = 186.0;
const MOST_NAME: f64 = 176.0;
const NAME_LINES: usize = 2;
const ROOM: f64 = 32.0;

/// How much wider names are than in the font of drawings: they are bold, and the widest of the fonts
/// that systems have for their pages is wide.
const BOLD: f64 = 1.24;

/// What the caller says about a page.
pub(super) struct Facts<'a> {
    pub(super) title: &'a str,
    pub(super) file: &'a str,
    pub(super) table: Option<&'a Dataset>,
}

/// All that is in a page besides its code.
#[derive(Debug, Serialize)]
pub(super) struct PageRecord<'a> {
    title: String,
    about: String,
    version: &'static str,
    file: &'a str,
    size: [f64; 2],
    variables: Vec<VariableRecord<'a>>,
    edges: Vec<EdgeRecord>,
    tree: Option<TreeRecord>,
    sampled: Option<SampledRecord>,
    rows: Option<u64>,
}

#[derive(Debug, Serialize)]
struct VariableRecord<'a> {
    name: &'a str,
    label: String,
    lines: Vec<String>,
    levels: &'a [String],
    labels: Vec<String>,
    #[serde(rename = "box")]
    frame: [f64; 4],
    #[serde(skip_serializing_if = "Option::is_none")]
    observed: Option<Vec<u64>>,
}

#[derive(Debug, Serialize)]
struct EdgeRecord {
    ends: (usize, usize),
    path: Vec<f64>,
    context: Option<ContextRecord>,
    implied: bool,
    removed: bool,
    support: Option<f64>,
}

#[derive(Debug, Serialize)]
struct ContextRecord {
    given: Vec<usize>,
    elements: Vec<Vec<u32>>,
    sentence: String,
    /// The smallest share of resamples that had one of the elements, where that is known.
    support: Option<f64>,
}

impl<'a> PageRecord<'a> {
    /// Lays out a model. `closed` is its structure with what the contexts imply.
    pub(super) fn new(
        model: &'a Model,
        closed: &Structure,
        numbers: Numbers,
        facts: &Facts<'a>,
    ) -> Result<Self> {
        let (schema, structure) = (model.schema(), model.structure());
        if facts.table.is_some_and(|table| table.schema() != schema) {
            let problem = "the table has other variables or levels than the model".to_owned();
            return Err(Error::mismatch(problem, "arrange the table as the model has its variables"));
        }
        let lines: Vec<Vec<String>> = schema.variables().iter().map(name_lines).collect();
        let boxes: Vec<Size> =
            schema.variables().iter().zip(&lines).map(|(variable, lines)| size(variable, lines)).collect();
        let edges: Vec<Edge> = structure.graph().edges().collect();
        // Room around each box, so that short lines can be seen and their marks have a place.
        let roomy = |size: &Size| Size::new(size.width + ROOM, size.height + ROOM);
        let links = edges.iter().map(|edge| Link { ends: edge.ends(), label: None }).collect();
        let layout = lay_out(&LayoutGraph::new(boxes.iter().map(roomy).collect(), links));
        let variables = schema.variables().iter().zip(lines).enumerate();
        let variables = variables.map(|(v, (variable, lines))| VariableRecord {
            name: &variable.name,
            label: shown(&variable.name),
            lines,
            levels: &variable.levels,
            labels: (0..variable.cardinality()).map(|level| level_name(variable, level)).collect(),
            frame: frame(Frame::new(layout.boxes[v].center, boxes[v])),
            observed: facts.table.map(|table| table.level_counts(v)),
        });
        let (tree, sampled) = match numbers {
            Numbers::Tree(tree) => (Some(tree), None),
            Numbers::Sampled(sampled) => (None, Some(sampled)),
            Numbers::None => (None, None),
        };
        let paths = edges.iter().zip(&layout.paths);
        Ok(Self {
            title: shown(facts.title),
            about: about(model),
            version: env!("CARGO_PKG_VERSION"),
            file: facts.file,
            size: [layout.size.width, layout.size.height],
            variables: variables.collect(),
            edges: paths.map(|(&edge, path)| EdgeRecord::new(model, closed, edge, path)).collect(),
            tree,
            sampled,
            rows: facts.table.map(Dataset::rows),
        })
    }
}

impl EdgeRecord {
    fn new(model: &Model, closed: &Structure, edge: Edge, path: &Path) -> Self {
        let own = model.structure().context(edge).map_or(0, EdgeContext::len);
        let context = closed.context(edge);
        let removed = !closed.graph().contains(edge);
        let support = model.support().and_then(|support| {
            support.edges.get(&edge).map(|&count| count as f64 / support.replicates as f64)
        });
        let points = [Some(path.from), path.control, Some(path.to)];
        Self {
            ends: edge.ends(),
            path: points
                .iter()
                .flatten()
                .flat_map(|point: &Point| [point.x.round(), point.y.round()])
                .collect(),
            implied: removed || context.is_some_and(|context| context.len() > own),
            context: context.map(|context| ContextRecord {
                given: context.space().variables().iter().collect(),
                elements: context.elements().map(|cell| context.space().configuration(cell)).collect(),
                sentence: sentence(model.schema(), context),
                support: least_support(model, context),
            }),
            removed,
            support,
        }
    }
}

fn name_lines(variable: &Variable) -> Vec<String> {
    metrics::broken(&shown(&variable.name), BOLD * NAME_FONT, MOST_NAME, NAME_LINES)
}

/// The box of a variable: its name, then one row for each level.
fn size(variable: &Variable, lines: &[String]) -> Size {
    let widest = lines.iter().map(|line| metrics::width(line, BOLD * NAME_FONT)).fold(0.0, f64::max);
    let rows = variable.levels.len().min(MOST_ROWS);
    let height = 8.0 + lines.len() as f64 * NAME_LINE + 4.0 + rows as f64 * ROW + 6.0;
    Size::new(metrics::even((widest + 20.0).max(LEAST_WIDTH)), metrics::even(height))
}

fn frame(frame: Frame) -> [f64; 4] {
    [frame.center.x.round(), frame.center.y.round(), 2.0 * frame.half.x, 2.0 * frame.half.y]
}

/// One line about a model.
fn about(model: &Model) -> String {
    let structure = model.structure();
    let mut parts = vec![
        many(structure.variables(), "variable"),
        many(structure.graph().edge_count(), "edge"),
        format!("{} with a context", structure.contexts().count()),
    ];
    if let Some(learned) = model.provenance() {
        parts.push(format!("learned from {} rows", learned.rows));
        parts.push(format!("kappa {}", learned.kappa));
    }
    if let Some(support) = model.support() {
        parts.push(format!("{} resamples", support.replicates));
    }
    parts.join(" · ")
}
