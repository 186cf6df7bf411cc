//! `cmnet explain` of an ensemble: how many networks have an edge or a context, and how strong edges are.

use super::begin;
use crate::args::{Format, Printed};
use crate::ask_args::ExplainArgs;
use crate::commands::asking;
use crate::commands::bootstrap::{elements, numbers};
use crate::exit::Outcome;
use crate::interrupt::Interrupt;
use crate::output;
use cmnet::{BootstrapOptions, EdgeSupport, Ensemble, Spread, Under};
use cmnet_report::align::{columns, left};
use cmnet_report::answer::ExplainedEnsemble;
use std::fmt::Write as _;

pub(crate) fn run(arguments: &Printed<ExplainArgs>, ensemble: &Ensemble) -> anyhow::Result<Outcome> {
    asking::check_shared(arguments, "ensemble")?;
    let evidence = asking::evidence(ensemble.schema(), &arguments.given)?;
    let exact = begin(&arguments.tree, ensemble)?;
    let threshold = BootstrapOptions::default().threshold;
    let network = ensemble.network()?;
    let under = Under::new(&exact, &Interrupt);
    let explained = ExplainedEnsemble::of((ensemble, &network), &evidence, threshold, under)?;
    match arguments.format {
        Format::Text => output::page(&words(&explained)?)?,
        Format::Json => output::answer(&explained)?,
    }
    Ok(Outcome::Done)
}

fn words(explained: &ExplainedEnsemble<'_>) -> anyhow::Result<String> {
    let schema = &output::printable(explained.ensemble.schema());
    let found = &explained.consensus;
    let given = asking::given_phrase(schema, explained.evidence);
    let mut page = format!("The networks of {} resamples{given}\n", explained.ensemble.members().len());
    let mut sorted: Vec<&EdgeSupport> = found.edges.iter().collect();
    sorted.sort_by_key(|known| std::cmp::Reverse(known.found.count));
    let names: Vec<String> = sorted.iter().map(|known| asking::edge_text(schema, known.edge)).collect();
    let width = names.iter().map(|name| columns(name)).max().unwrap_or(4).max(4);
    let head = left("edge", width);
    writeln!(page, "\n{head}  {:>7}  {:<14}  {:<12}  strength in nats", "support", "interval", "verdict")?;
    for (known, name) in sorted.iter().zip(&names) {
        let strength = explained.strength(known.edge).map_or("-".to_owned(), strength);
        let (shown, verdict) = (numbers(known.found), known.found.verdict());
        writeln!(page, "{}  {shown}  {verdict:<12}  {strength}", left(name, width))?;
    }
    elements(&mut page, schema, &found.structure, &found.elements)?;
    writeln!(
        page,
        "\nConsensus (support {} or more): {} edges, {} context elements\n\
         Strength: mutual information of the ends given everything else, 0 in a network without the edge; mean,\n\
         standard deviation over the networks, and what 5 % and 95 % of them do not exceed.",
        explained.threshold,
        found.structure.graph().edge_count(),
        found.structure.context_elements()
    )?;
    Ok(page)
}

fn strength(spread: Spread) -> String {
    let deviation = spread.deviation.map_or("-".to_owned(), |value| format!("{value:.6}"));
    let [low, high] = spread.range;
    format!("{:.6}  sd {deviation}  ({low:.6} to {high:.6})", spread.mean)
}
