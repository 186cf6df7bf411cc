//! A structure for Graphviz.

use super::draft::{Draft, DraftEdge, Node};
use super::escape::dot;
use super::wording::shown_words;
use super::{Drawing, LabelStyle};

const HEAD: &str = r##"graph cmnet {
  graph [layout=neato, overlap=false, splines=true, sep="+12", charset="UTF-8"];
  node [shape=box, style="rounded,filled", fillcolor="#eceff3", color="#55606e", fontname="Helvetica"];
  edge [color="#707b88", fontname="Helvetica", fontcolor="#9a3412"];
"##;

/// Writes a structure in the DOT language; `dot -Tsvg` draws it.
///
/// Nodes are called `n1`, `n2`, ... in column order and carry their names as labels.
pub fn render(drawing: &Drawing<'_>) -> String {
    let draft = Draft::new(drawing);
    let mut legend: Vec<String> = drawing.title().map(shown_words).into_iter().collect();
    if draft.style == LabelStyle::Codes {
        legend.extend(draft.legend.keys.iter().cloned());
    }
    let mut parts = vec![HEAD.to_owned()];
    if !legend.is_empty() {
        parts.push(format!("  graph [label=\"{}\"];\n", stacked(&legend)));
    }
    parts.extend(draft.nodes.iter().enumerate().map(|(index, shape)| node(index, shape)));
    parts.extend(draft.edges.iter().map(edge));
    parts.push("}\n".to_owned());
    parts.concat()
}

fn node(index: usize, node: &Node) -> String {
    let number = node.number.map(|number| format!("{number} ")).unwrap_or_default();
    let (name, about) = (stacked(&node.lines), dot(&node.about));
    format!("  n{} [label=\"{number}{name}\", tooltip=\"{about}\"];\n", index + 1)
}

fn edge(edge: &DraftEdge) -> String {
    let (low, high) = (edge.ends.0 + 1, edge.ends.1 + 1);
    let Some(label) = &edge.label else {
        let color = edge.opacity.map(|opacity| format!("color=\"#707b88{}\"", alpha(opacity)));
        let style: Vec<String> =
            edge.width.map(|width| format!("penwidth={width}")).into_iter().chain(color).collect();
        let style = if style.is_empty() { String::new() } else { format!(" [{}]", style.join(", ")) };
        return format!("  n{low} -- n{high}{style};\n");
    };
    let width = edge.width.map_or(String::new(), |width| format!(", penwidth={width}"));
    let alpha = edge.opacity.map(alpha).unwrap_or_default();
    let (label, about) = (stacked(&label.lines), dot(&edge.about));
    format!(
        "  n{low} -- n{high} [label=\"{label}\", style=dashed, color=\"#c2410c{alpha}\", tooltip=\"{about}\"{width}];\n"
    )
}

/// The last two digits of a colour.
fn alpha(opacity: f64) -> String {
    format!("{:02x}", (255.0 * opacity).round() as u8)
}

/// Lines one below the other.
fn stacked(lines: &[String]) -> String {
    lines.iter().map(|line| dot(line)).collect::<Vec<_>>().join("\\n")
}
