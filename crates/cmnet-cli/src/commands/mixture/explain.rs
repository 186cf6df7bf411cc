//! `cmnet explain` of a mixture: its classes, and the edges that hold only in some of them.

use super::begin;
use crate::args::{Format, Printed};
use crate::ask_args::ExplainArgs;
use crate::commands::asking;
use crate::exit::Outcome;
use crate::interrupt::Interrupt;
use crate::output;
use cmnet::{Mixture, Schema, Under};
use cmnet_report::answer::{ExplainedMixture, names};
use cmnet_report::sentence;
use std::fmt::Write as _;

/// A level is told of a class where it is so much more probable there than in the whole.
const TELLING: f64 = 0.02;

pub(crate) fn run(arguments: &Printed<ExplainArgs>, mixture: &Mixture) -> anyhow::Result<Outcome> {
    asking::check_shared(arguments, "mixture")?;
    let evidence = asking::evidence(mixture.schema(), &arguments.given)?;
    let exact = begin(&arguments.tree, mixture)?;
    let explained = ExplainedMixture::of(mixture, &evidence, Under::new(&exact, &Interrupt))?;
    match arguments.format {
        Format::Text => output::page(&words(&explained))?,
        Format::Json => output::answer(&explained)?,
    }
    Ok(Outcome::Done)
}

fn words(explained: &ExplainedMixture<'_>) -> String {
    let schema = &output::printable(explained.mixture.schema());
    classes(schema, explained) + &edges(schema, explained) + &contexts(schema, explained)
}

/// Each class, its chance and the levels that tell it from the others.
fn classes(schema: &Schema, explained: &ExplainedMixture<'_>) -> String {
    let mut text = format!("Classes{}\n", asking::given_phrase(schema, explained.evidence));
    let parts = explained.mixture.components().iter().zip(&explained.classes.chances).zip(&explained.traits);
    for (place, ((component, chance), traits)) in (1..).zip(parts) {
        let structure = component.model.structure();
        let (edges, cut) = (structure.graph().edge_count(), structure.context_elements());
        let now = if explained.evidence.is_empty() {
            String::new()
        } else {
            format!(", chance {chance:.6} given this")
        };
        let _ = writeln!(
            text,
            "  Class {place}: {:.6} of all{now}; {edges} edges, {cut} context elements",
            component.weight
        );
        for one in traits.iter().filter(|one| one.here - one.whole > TELLING) {
            let level = asking::level_text(schema, one.level);
            let _ = writeln!(text, "    {level}: {:.3}, in all {:.3}", one.here, one.whole);
        }
    }
    text
}

fn edges(schema: &Schema, explained: &ExplainedMixture<'_>) -> String {
    let all = explained.mixture.components().len();
    let mut text = "\nEdges of every class\n".to_owned();
    let mut shared = 0;
    for edge in explained.edges.iter().filter(|edge| edge.classes.len() == all) {
        let _ = writeln!(text, "  {}", names::edge(schema, edge.edge).join(" - "));
        shared += 1;
    }
    if shared == 0 {
        text += "  none\n";
    }
    text += "\nEdges that hold only in some classes\n";
    let mut some = 0;
    for edge in explained.partial() {
        let _ = writeln!(text, "  {}.", explained.sentence(schema, edge));
        some += 1;
    }
    if some == 0 {
        text += "  none\n";
    }
    text
}

fn contexts(schema: &Schema, explained: &ExplainedMixture<'_>) -> String {
    let mut text = String::new();
    for (place, component) in (1..).zip(explained.mixture.components()) {
        if component.model.structure().context_elements() == 0 {
            continue;
        }
        let _ = writeln!(text, "\nContexts in class {place}");
        for context in component.model.structure().contexts() {
            let _ = writeln!(text, "  {}.", sentence(schema, context));
        }
    }
    text
}
