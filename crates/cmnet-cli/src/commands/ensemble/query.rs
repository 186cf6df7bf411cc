//! `cmnet query` of an ensemble.

use super::begin;
use crate::args::{Format, Printed};
use crate::ask_args::QueryArgs;
use crate::commands::asking;
use crate::commands::query::together;
use crate::exit::Outcome;
use crate::interrupt::Interrupt;
use crate::output;
use cmnet::{Ensemble, EnsembleAnswer, Error, Evidence, Schema, Spread, Under, find_variables};
use cmnet_report::Together;
use cmnet_report::align::{columns, left};
use cmnet_report::answer::EnsembleMarginals;
use std::fmt::Write as _;

pub(crate) fn run(arguments: &Printed<QueryArgs>, ensemble: &Ensemble) -> anyhow::Result<Outcome> {
    let how = &arguments.question;
    Ensemble::check_exact(how.method.method)?;
    if arguments.map || arguments.rows.intervals {
        let problem = "an ensemble tells distributions, those of single variables with their spread";
        return Err(Error::question(problem, "ask for targets only, or ask the consensus model").into());
    }
    let network = ensemble.network()?;
    let evidence = asking::evidence(network.schema(), &how.given)?;
    let named = find_variables(network.schema(), &arguments.target)?;
    let exact = begin(&how.tree, ensemble)?;
    let targets = if named.is_empty() { network.free(&evidence)? } else { named };
    let under = Under::new(&exact, &Interrupt);
    let answer = network.marginals(&targets, &evidence, under)?;
    let (schema, shown) = (network.schema(), (arguments.joint, arguments.information));
    let joint = if shown.0 || shown.1 { Some(network.joint(&targets, &evidence, under)?) } else { None };
    match (arguments.format, &joint) {
        (Format::Text, None) => output::page(&as_text(ensemble, &evidence, &answer))?,
        (Format::Text, Some(joint)) => {
            let text = as_text(ensemble, &evidence, &answer);
            output::page(&(text + &together(schema, &targets, joint, shown)))?;
        }
        (Format::Json, None) => output::answer(&EnsembleMarginals::of(ensemble, &evidence, &answer))?,
        (Format::Json, Some(joint)) => {
            let bare = EnsembleMarginals::of(ensemble, &evidence, &answer);
            output::answer(&bare.with_joint((schema, &targets), joint, shown))?;
        }
    }
    Ok(Outcome::Done)
}

fn as_text(ensemble: &Ensemble, evidence: &Evidence, answer: &EnsembleAnswer) -> String {
    let schema: &Schema = &output::printable(ensemble.schema());
    let mut text = format!("Probabilities{}\n", asking::given_phrase(schema, evidence));
    for (v, spreads) in &answer.marginals {
        let variable = schema.variable(*v);
        let width = variable.levels.iter().map(|level| columns(level)).max().unwrap_or(0);
        let _ = writeln!(text, "  {}", variable.name);
        for (level, spread) in variable.levels.iter().zip(spreads) {
            let _ = writeln!(text, "    {}  {}", left(level, width), numbers(spread));
        }
    }
    if !evidence.is_empty() {
        let log = answer.log_evidence;
        let _ = writeln!(text, "Probability of what is given: {:.6} (log {log:.6})", libm::exp(log));
    }
    let members = ensemble.members().len();
    let _ =
        writeln!(text, "Means over the networks of {members} resamples; sd: standard deviation over them,");
    text += "se: that for a table of all rows, and what 5 % and 95 % of the networks do not exceed\n";
    text + "Method: exact\n"
}

fn numbers(spread: &Spread) -> String {
    let shown = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.6}"));
    let ([low, high], mean) = (spread.range, spread.mean);
    let (deviation, error) = (shown(spread.deviation), shown(spread.error));
    format!("{mean:.6}  sd {deviation}  se {error}  ({low:.6} to {high:.6})")
}
