//! A structure as GraphML, for graph programs: what it says, not how it looks.

use super::escape::xml;
use super::wording::Stars;
use super::{Drawing, label, sentence};
use cmnet::{Edge, EdgeContext};

const HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="name" for="node" attr.name="name" attr.type="string"/>
<key id="levels" for="node" attr.name="levels" attr.type="string"/>
<key id="label" for="edge" attr.name="label" attr.type="string"/>
<key id="context" for="edge" attr.name="context" attr.type="string"/>
<key id="sentence" for="edge" attr.name="sentence" attr.type="string"/>
<graph id="cmnet" edgedefault="undirected">
"#;

/// Writes a structure.
///
/// Nodes are called `n1`, `n2`, ... in column order. `name` is the name as it is;
/// `levels` a JSON list of texts; `label` the paper's notation; `context` a JSON object
/// `{"given": [...], "elements": [[...]]}` with names and levels as in a model file;
/// `sentence` the same in words.
pub fn render(drawing: &Drawing<'_>) -> String {
    let mut stars = Stars::new();
    let mut parts = vec![HEAD.to_owned()];
    parts.extend(drawing.schema.variables().iter().enumerate().map(|(index, variable)| {
        let name = data("name", &variable.name);
        let levels = data("levels", &json_list(variable.levels.iter().map(String::as_str)));
        format!("<node id=\"n{}\">{name}{levels}</node>\n", index + 1)
    }));
    parts.extend(drawing.structure.graph().edges().map(|edge| edge_element(drawing, edge, &mut stars)));
    parts.push("</graph>\n</graphml>\n".to_owned());
    parts.concat()
}

fn edge_element(drawing: &Drawing<'_>, edge: Edge, stars: &mut Stars) -> String {
    let (low, high) = edge.ends();
    let tag = format!("<edge source=\"n{}\" target=\"n{}\"", low + 1, high + 1);
    let Some(context) = drawing.structure.context(edge) else { return tag + "/>\n" };
    let rows = stars.rows(context);
    format!(
        "{tag}>{}{}{}</edge>\n",
        data("label", &label::rows_on_one_line(context, &rows)),
        data("context", &json_context(drawing, context)),
        data("sentence", &sentence::of_rows(drawing.schema, context, &rows))
    )
}

fn data(key: &str, value: &str) -> String {
    format!("<data key=\"{key}\">{}</data>", xml(value))
}

/// The whole context, nothing cut.
fn json_context(drawing: &Drawing<'_>, context: &EdgeContext) -> String {
    let variables = context.space().variables();
    let given = json_list(variables.iter().map(|variable| drawing.schema.name(variable)));
    let element = |cell| {
        let configuration = context.space().configuration(cell);
        let levels = variables.iter().zip(configuration).map(|(variable, level)| {
            drawing.schema.variable(variable).levels.get(level as usize).map_or("", String::as_str)
        });
        json_list(levels)
    };
    let elements: Vec<String> = context.elements().map(element).collect();
    format!("{{\"given\": {given}, \"elements\": [{}]}}", elements.join(", "))
}

fn json_list<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let texts: Vec<String> = texts.map(|text| serde_json::Value::from(text).to_string()).collect();
    format!("[{}]", texts.join(", "))
}
