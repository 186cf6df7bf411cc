//! `cmnet posterior`: how probable each edge and each context is.

use super::fitting::{bytes, knowledge};
use crate::args::{Format, PosteriorArgs, Printed};
use crate::exit::Outcome;
use crate::progress::Watch;
use crate::{files, output};
use cmnet::{
    BayesFactor, Chance, ElementPosterior, OptionName, PosteriorOptions, Schema, StopReason,
    StructurePosterior, parse_duration, structure_posterior,
};
use cmnet_report::answer::PosteriorAnswer;
use cmnet_report::element_name;
use std::fmt::Write;

/// The least probable elements that are printed, and the most lines of them; JSON has them all.
const PROBABLE: f64 = 0.1;
const MOST_LINES: usize = 40;

pub(crate) fn run(arguments: &Printed<PosteriorArgs>) -> anyhow::Result<Outcome> {
    let options = options(arguments)?;
    let limit = arguments.time_limit.as_deref();
    let limit = limit.map(|text| parse_duration(OptionName::TimeLimit, text)).transpose()?;
    let watch = Watch::new(limit);
    let data = files::table_with_note(&arguments.data, None, &cmnet::LearnOptions::default(), &watch)?;
    let found = structure_posterior(&data, &options, &watch)?;
    drop(watch);
    match arguments.format {
        Format::Text => output::page(&as_text(data.schema(), &found)?)?,
        Format::Json => output::answer(&PosteriorAnswer { schema: data.schema(), found: &found })?,
    }
    Ok(match Outcome::of(found.stop) {
        Outcome::Done if !found.is_mixed() => Outcome::Limited,
        outcome => outcome,
    })
}

fn options(arguments: &PosteriorArgs) -> anyhow::Result<PosteriorOptions> {
    Ok(PosteriorOptions {
        kappa: arguments.kappa.parse()?,
        alpha: arguments.alpha.parse()?,
        edge_prior: arguments.edge_prior.parse()?,
        knowledge: knowledge(&arguments.knowledge)?,
        exponent: arguments.exponent,
        chains: arguments.chains,
        sweeps: arguments.sweeps,
        warm_up: arguments.warm_up,
        rungs: arguments.rungs,
        seed: arguments.seed,
        threads: arguments.threads,
        memory: bytes(&arguments.memory)?,
    })
}

fn as_text(schema: &Schema, found: &StructurePosterior) -> anyhow::Result<String> {
    let options = &found.options;
    let mut page = format!(
        "{} chains of {} sweeps, kappa {}, exponent {}, seed {}\n",
        options.chains, found.sweeps, options.kappa, options.exponent, options.seed
    );
    if found.stop != StopReason::Converged {
        writeln!(page, "Ended early ({}): {} sweeps were asked for.", found.stop, options.sweeps)?;
    }
    if found.sweeps == 0 {
        writeln!(page, "No chain has as many sweeps as an answer takes.")?;
        return Ok(page);
    }
    edges(&mut page, schema, found)?;
    elements(&mut page, schema, found)?;
    if !found.is_mixed() {
        writeln!(
            page,
            "\nNot mixed: R-hat of {} or more, or fewer than {} effective draws. Nothing is reported there but\n\
             the range over the chains. Run more --sweeps or --rungs.",
            Chance::MOST_R_HAT,
            Chance::LEAST_EFFECTIVE
        )?;
    }
    writeln!(
        page,
        "\nThe pseudo-likelihood sees each dependence from both ends: with exponent 1 probabilities are too\n\
         near to 0 and 1."
    )?;
    Ok(page)
}

fn edges(page: &mut String, schema: &Schema, found: &StructurePosterior) -> anyhow::Result<()> {
    let mut sorted: Vec<_> = found.edges.iter().collect();
    sorted.sort_by(|one, other| other.chance.share.total_cmp(&one.chance.share));
    let name = |edge: cmnet::Edge| format!("{} - {}", schema.name(edge.low()), schema.name(edge.high()));
    let width = sorted.iter().map(|known| name(known.edge).chars().count()).max().unwrap_or(4).max(4);
    writeln!(page, "\n{:<width$}  {}", "edge", HEAD)?;
    for known in &sorted {
        writeln!(page, "{:<width$}  {}", name(known.edge), numbers(&known.chance, known.bayes_factor))?;
    }
    let never = schema.len() * schema.len().saturating_sub(1) / 2 - found.edges.len();
    if never > 0 {
        writeln!(page, "{never} other pairs: an edge in no draw")?;
    }
    Ok(())
}

const HEAD: &str = "probability   error  R-hat  effective  Bayes factor";

fn numbers(chance: &Chance, factor: Option<BayesFactor>) -> String {
    let (r_hat, effective) = (chance.r_hat, chance.effective);
    let (Some(probability), Some(error)) = (chance.probability(), chance.error()) else {
        let [low, high] = chance.range;
        return format!(
            "  not mixed          {r_hat:>6.3}  {effective:>9.0}  {low:.3} to {high:.3} over the chains"
        );
    };
    let factor = factor.map_or(String::new(), |factor| {
        let beyond = match (factor.beyond, factor.value > 1.0) {
            (false, _) => "",
            (true, true) => "> ",
            (true, false) => "< ",
        };
        format!("{beyond}{:.3e}", factor.value)
    });
    format!("{probability:>11.4}  {error:.4}  {r_hat:>5.3}  {effective:>9.0}  {factor:>12}")
}

fn elements(page: &mut String, schema: &Schema, found: &StructurePosterior) -> anyhow::Result<()> {
    let mut sorted: Vec<&ElementPosterior> =
        found.elements.iter().filter(|known| known.chance.share >= PROBABLE).collect();
    if sorted.is_empty() {
        return Ok(());
    }
    sorted.sort_by(|one, other| other.chance.share.total_cmp(&one.chance.share));
    let name = |known: &ElementPosterior| element_name(schema, known.edge, &known.given);
    let shown: Vec<(String, &ElementPosterior)> =
        sorted.iter().take(MOST_LINES).map(|known| (name(known), *known)).collect();
    let width = shown.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(7).max(7);
    writeln!(page, "\n{:<width$}  {}", "context", HEAD)?;
    for (name, known) in &shown {
        writeln!(page, "{name:<width$}  {}", numbers(&known.chance, known.bayes_factor))?;
    }
    let rest = found.elements.len() - shown.len();
    if rest > 0 {
        writeln!(page, "{rest} others, less probable, are in the JSON answer")?;
    }
    Ok(())
}
