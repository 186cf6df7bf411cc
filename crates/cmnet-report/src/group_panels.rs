//! The network of each group beside the others, with the variables on the same places.

use crate::{Drawing, Places, svg};
use cmnet::{Graph, Result, Schema, Structure, Var, vanishes_in_group};

/// Columns of pictures.
const COLUMNS: usize = 3;

/// One picture with a panel for each level of the group: the edges between other variables that do not vanish
/// there.
///
/// # Errors
/// When schema and structure do not fit together.
pub fn group_panels(schema: &Schema, structure: &Structure, group: Var) -> Result<String> {
    let kept: Vec<Var> = (0..schema.len()).filter(|&variable| variable != group).collect();
    let variables = kept.iter().map(|&variable| schema.variable(variable).clone()).collect();
    let others = Schema::new(variables)?;
    let holding = |level: Option<u32>| -> Result<Structure> {
        let mut graph = Graph::empty(kept.len());
        for edge in graph.pairs() {
            let (one, other) = edge.ends();
            let own = cmnet::Edge::new(kept[one], kept[other])?;
            let holds = match level {
                Some(level) => !vanishes_in_group(structure, own, group, level),
                None => structure.graph().contains(own),
            };
            if holds {
                graph.add_edge(edge);
            }
        }
        Structure::from_graph(graph, &others.cardinalities())
    };
    let whole = holding(None)?;
    let places = Places::of(&Drawing::new(&others, &whole)?);
    let mut pictures = Vec::new();
    for (level, label) in (0..).zip(&schema.variable(group).levels) {
        let own = holding(Some(level))?;
        let drawing =
            Drawing::new(&others, &own)?.with_places(&places)?.without_reading().with_title(label.clone());
        pictures.push(svg::render(&drawing));
    }
    let note = "Edges that hold in each group. Variables have the same places in all panels.";
    Ok(svg::panels(&format!("Groups of {}", schema.name(group)), note, &pictures, COLUMNS))
}
