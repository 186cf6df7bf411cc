//! `cmnet query` of a mixture.

use super::{begin, chances};
use crate::args::{Format, Printed};
use crate::ask_args::QueryArgs;
use crate::commands::{asking, query::together};
use crate::exit::Outcome;
use crate::interrupt::Interrupt;
use crate::output;
use cmnet::{
    Error, Evidence, ExactOptions, Mixture, MixtureAnswer, MixtureMaximum, MixtureNetwork, Under, Var,
    find_variables,
};
use cmnet_report::Together;
use cmnet_report::align::{columns, left};
use cmnet_report::answer::{MixtureMarginals, MixtureMostProbable, names};
use std::fmt::Write as _;

pub(crate) fn run(arguments: &Printed<QueryArgs>, mixture: &Mixture) -> anyhow::Result<Outcome> {
    let how = &arguments.question;
    Mixture::check_exact(how.method.method)?;
    if arguments.rows.intervals {
        let problem = "there are no standard errors of a mixture's probabilities";
        return Err(Error::question(problem, "ask without intervals").into());
    }
    let network = mixture.network()?;
    let evidence = asking::evidence(network.schema(), &how.given)?;
    let named = find_variables(network.schema(), &arguments.target)?;
    let exact = begin(&how.tree, mixture)?;
    let asked = Asked { network: &network, evidence: &evidence, exact: Under::new(&exact, &Interrupt) };
    if arguments.map {
        let found = network.maximum((!named.is_empty()).then_some(&named), &evidence, asked.exact)?;
        match arguments.format {
            Format::Text => output::page(&asked.map_text(&found))?,
            Format::Json => output::answer(&MixtureMostProbable::of(&network, &evidence, &found))?,
        }
        return Ok(Outcome::Done);
    }
    let targets = if named.is_empty() { network.free(&evidence)? } else { named };
    asked.marginals(&targets, arguments)?;
    Ok(Outcome::Done)
}

struct Asked<'a> {
    network: &'a MixtureNetwork,
    evidence: &'a Evidence,
    exact: Under<'a, ExactOptions>,
}

impl Asked<'_> {
    fn marginals(&self, targets: &[Var], arguments: &Printed<QueryArgs>) -> anyhow::Result<()> {
        let (schema, shown) = (self.network.schema(), (arguments.joint, arguments.information));
        let answer = self.network.marginals(targets, self.evidence, self.exact)?;
        let joint = if shown.0 || shown.1 {
            Some(self.network.joint(targets, self.evidence, self.exact)?)
        } else {
            None
        };
        match arguments.format {
            Format::Text => {
                let mut text = self.marginals_text(&answer);
                if let Some(joint) = &joint {
                    text += &together(schema, targets, joint, shown);
                }
                output::page(&text)
            }
            Format::Json => {
                let bare = MixtureMarginals::of(schema, self.evidence, &answer);
                match &joint {
                    Some(joint) => output::answer(&bare.with_joint(schema, targets, joint, shown)),
                    None => output::answer(&bare),
                }
            }
        }
    }

    fn marginals_text(&self, answer: &MixtureAnswer) -> String {
        let schema = &output::printable(self.network.schema());
        let mut text = format!("Probabilities{}\n", asking::given_phrase(schema, self.evidence));
        for (v, probabilities) in &answer.marginals {
            let variable = schema.variable(*v);
            let width = variable.levels.iter().map(|level| columns(level)).max().unwrap_or(0);
            let _ = writeln!(text, "  {}", variable.name);
            for (level, p) in variable.levels.iter().zip(probabilities) {
                let _ = writeln!(text, "    {}  {p:.6}", left(level, width));
            }
        }
        text += "Chances of the classes\n";
        text += &chances(&answer.classes.chances);
        if !self.evidence.is_empty() {
            let log = answer.classes.log_evidence;
            let _ = writeln!(text, "Probability of what is given: {:.6} (log {log:.6})", libm::exp(log));
        }
        text + "Method: exact\n"
    }

    fn map_text(&self, found: &MixtureMaximum) -> String {
        let schema = &output::printable(self.network.schema());
        let what =
            if found.is_proven() { "Most probable levels together" } else { "Probable levels together" };
        let mut text = format!("{what}{}\n", asking::given_phrase(schema, self.evidence));
        let width = found.levels.iter().map(|&(v, _)| columns(schema.name(v))).max().unwrap_or(0);
        for &(v, level) in &found.levels {
            let _ = writeln!(text, "  {}  {}", left(schema.name(v), width), names::label(schema, (v, level)));
        }
        let log = found.log_probability;
        let _ = writeln!(text, "probability {:.6} (log {log:.6})", libm::exp(log));
        let _ = if found.is_proven() {
            writeln!(text, "Method: exact")
        } else {
            writeln!(
                text,
                "The best of {} branches, a lower bound: NOT proven to be the most probable; nothing is more \
                 probable by more than {:.6} in log probability",
                found.branches, found.gap
            )
        };
        text
    }
}
