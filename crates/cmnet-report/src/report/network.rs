//! The network: its picture, and every edge with its strength and its support.

use super::Report;
use super::html::{Page, fixed, percent};
use crate::wording::shown;
use crate::{Drawing, svg};
use cmnet::{Control, Edge, EdgeStrength, Evidence, ExactOptions, Network, Result, Under};

/// Variables up to which the graph is drawn.
const MOST_DRAWN: usize = 150;

pub(super) fn write(
    report: &Report<'_>,
    network: Option<&Network>,
    page: &mut Page,
    control: &dyn Control,
) -> Result<()> {
    let model = report.model;
    page.heading("The network");
    let exact = ExactOptions::default();
    let strengths: Vec<EdgeStrength> = match network {
        Some(network) => network.explain(&Evidence::none(), Under::new(&exact, control))?.edges,
        None => Vec::new(),
    };
    if model.schema().len() <= MOST_DRAWN {
        let drawing = Drawing::new(model.schema(), model.structure())?.with_strengths(&strengths);
        page.figure(
            &svg::render(&drawing),
            "Two variables without an edge are independent given all others. A dashed edge vanishes in the context written \
             on it. Wider edges are stronger.",
        );
    } else {
        page.paragraph(
            "The graph has too many variables for a legible picture: the table below has every edge.",
        );
    }
    let strength = |edge: Edge| {
        let place = strengths.binary_search_by_key(&edge, |known| known.edge).ok()?;
        strengths.get(place)
    };
    let mut edges: Vec<Edge> = model.structure().graph().edges().collect();
    let order = |edge: &Edge| strength(*edge).and_then(|known| known.information).unwrap_or(0.0);
    edges.sort_by(|one, other| order(other).total_cmp(&order(one)));
    let support = model.support();
    let row = |edge: &Edge| {
        let name = |v| shown(model.schema().name(v));
        let known = strength(*edge);
        let star = if known.is_some_and(|known| !known.given_all) { " *" } else { "" };
        let share = support.and_then(|support| {
            support.edges.get(edge).map(|&count| percent(count as f64 / support.replicates as f64))
        });
        vec![
            format!("{} – {}", name(edge.low()), name(edge.high())),
            fixed(known.and_then(|known| known.information), 5) + star,
            model.structure().context(*edge).map_or(0, cmnet::EdgeContext::len).to_string(),
            share.unwrap_or_default(),
        ]
    };
    let mut columns = vec!["edge", "strength (nats)", "context elements"];
    if support.is_some() {
        columns.push("support");
    }
    let rows: Vec<_> = edges.iter().map(row).collect();
    page.table("Edges, the strongest first", &columns, &rows);
    page.paragraph(
        "Strength is the conditional mutual information of the two ends given all other variables, in the model. With a star \
         it is given the common neighbours only.",
    );
    if let Some(support) = support {
        page.paragraph(&format!(
            "Support is the share of {} structures, each learned anew from a resample of the table, that have the edge.",
            support.replicates
        ));
    }
    Ok(())
}
