//! `cmnet query`: distributions given evidence, or the most probable completion.

use super::{approximation, asking};
use crate::args::{Format, Printed};
use crate::ask_args::{IntervalArgs, QueryArgs};
use crate::exit::Outcome;
use crate::interrupt::{self, Interrupt};
use crate::{files, output};
use cmnet::{
    AnyModel, CountSource, Edge, InferenceMethod, Joint, JointAnswer, MapAnswer, MarginalAnswer, Model,
    Query, Question, RowCounts, Schema, Var,
};
use cmnet_report::align::{columns, left};
use cmnet_report::answer::intervals::{Distributions, by_level, probabilities};
use cmnet_report::answer::queried::MutualInformation;
use cmnet_report::answer::{Information, JointDistribution, Marginals, MostProbable, names};
use std::fmt::Write as _;

pub(crate) fn run(arguments: &Printed<QueryArgs>) -> anyhow::Result<Outcome> {
    let model = match files::any_model(&arguments.model.model)? {
        AnyModel::Network(model) => *model,
        AnyModel::Mixture(mixture) => return super::mixture::query::run(arguments, &mixture),
        AnyModel::Ensemble(ensemble) => return super::ensemble::query::run(arguments, &ensemble),
    };
    let network = model.network()?;
    let how = &arguments.question;
    let evidence = asking::evidence(network.schema(), &how.given)?;
    let query = network.query().evidence(evidence).targets(&arguments.target)?;
    let asked = Asked {
        targets: query.variables()?,
        cut: query.cut_edges(),
        query: query.options(asking::options(how)?),
        format: arguments.format,
        page_schema: output::printable(network.schema()),
    };
    if arguments.map {
        asked.map(arguments)?;
    } else {
        asked.marginals(&model, arguments)?;
    }
    Ok(Outcome::Done)
}

struct Asked<'a> {
    query: Query<'a>,
    targets: Vec<Var>,
    cut: Vec<Edge>,
    format: Format,
    /// Names and levels for pages.
    page_schema: Schema,
}

impl Asked<'_> {
    fn schema(&self) -> &Schema {
        self.query.network().schema()
    }

    fn map(&self, arguments: &QueryArgs) -> anyhow::Result<()> {
        asking::announce_plan(&arguments.question.tree, &self.query.plan(Question::Map)?);
        let found = self.query.map()?;
        match self.format {
            Format::Text => output::page(&self.map_text(&found)),
            Format::Json => output::answer(&MostProbable::of(&self.query, &found)),
        }
    }

    fn map_text(&self, found: &MapAnswer) -> String {
        let schema = &self.page_schema;
        let proven = found.is_proven();
        let what = match (self.query.named().is_some(), proven) {
            (true, true) => "Most probable levels together",
            (false, true) => "Most probable completion",
            (true, false) => "Probable levels together",
            (false, false) => "Probable completion",
        };
        let mut text = format!("{what}{}\n", self.given());
        let width = found.levels.iter().map(|&(v, _)| columns(schema.name(v))).max().unwrap_or(0);
        for &(v, level) in &found.levels {
            let _ = writeln!(text, "  {}  {}", left(schema.name(v), width), names::label(schema, (v, level)));
        }
        let _ = match (found.log_probability, found.log_weight) {
            (Some(log), _) => writeln!(text, "probability {:.6} (log {log:.6})", libm::exp(log)),
            (None, Some(weight)) => {
                writeln!(text, "log weight {weight:.6}; the probability takes large tables and is left out")
            }
            (None, None) => writeln!(text, "the probability takes a tree that does not fit"),
        };
        if proven && found.plan.method == InferenceMethod::Exact {
            return text + "Method: exact\n";
        }
        let _ = writeln!(text, "Method: {}; {}", found.plan.method, found.plan.reason);
        if let Some(climb) = &found.climb {
            text += &approximation::climb_text(climb);
        }
        if let Some((share, gibbs)) = &found.visits {
            let _ = writeln!(text, "{share:.6} of the draws have these levels");
            text += &approximation::gibbs_text(gibbs);
        }
        text + &proof_text(found)
    }

    fn marginals(&self, model: &Model, arguments: &QueryArgs) -> anyhow::Result<()> {
        let tree = &arguments.question.tree;
        asking::announce_plan(tree, &self.query.plan(Question::Marginals)?);
        let together = arguments.joint || arguments.information;
        if together {
            let plan = self.query.plan(Question::Joint)?;
            asking::announce(tree, &format!("together: {}: {}", plan.method, plan.reason));
        }
        let answer = self.query.run()?;
        let joint = if together { Some(self.query.joint()?) } else { None };
        let schema = self.schema();
        let shown = joint.as_ref().filter(|_| arguments.joint);
        let information = joint.as_ref().filter(|_| arguments.information);
        let information = information.map(|found| Information::of(schema, &self.targets, &found.joint));
        let intervals =
            arguments.rows.intervals.then(|| self.intervals(model, &arguments.rows)).transpose()?;
        // A joint distribution can have many cells: only what is printed is made.
        match self.format {
            Format::Text => {
                let mut text = self.marginals_text(&answer, intervals.as_ref());
                text += &shown.map(|joint| self.joint_text(joint)).unwrap_or_default();
                text += &information.as_ref().map(information_text).unwrap_or_default();
                output::page(&text)
            }
            Format::Json => output::answer(&Marginals {
                joint: shown.map(|joint| JointDistribution::of(schema, &self.targets, joint)),
                information,
                intervals: intervals.map(|found| by_level(schema, &found)),
                ..Marginals::of(&self.query, &answer)
            }),
        }
    }

    /// The targets' distributions with intervals.
    fn intervals(&self, model: &Model, rows: &IntervalArgs) -> anyhow::Result<Distributions> {
        interrupt::listen();
        let table = files::fitted_table(model, rows.data.as_deref(), &rows.reading)?;
        let counts = table.as_ref().map(RowCounts::new);
        let counts = counts.as_ref().map(|counts| counts as &dyn CountSource);
        Ok(probabilities(model, counts, (&self.targets, self.query.known()), &Interrupt)?)
    }

    fn marginals_text(&self, answer: &MarginalAnswer, intervals: Option<&Distributions>) -> String {
        let schema = &self.page_schema;
        let mut text = format!("Probabilities{}\n", self.given());
        for (place, (v, probabilities)) in answer.marginals.iter().enumerate() {
            let variable = schema.variable(*v);
            let width = variable.levels.iter().map(|level| columns(level)).max().unwrap_or(0);
            let _ = writeln!(text, "  {}", variable.name);
            for (code, (level, p)) in variable.levels.iter().zip(probabilities).enumerate() {
                let known = intervals.and_then(|all| all.get(place)?.1.get(code)?.interval);
                let interval = known.map(|[low, high]| format!("  ({low:.6} to {high:.6})"));
                let _ = writeln!(text, "    {}  {p:.6}{}", left(level, width), interval.unwrap_or_default());
            }
        }
        if let Some(log_evidence) = answer.log_evidence.filter(|_| !self.query.known().is_empty()) {
            let _ = writeln!(
                text,
                "Probability of what is given: {:.6} (log {log_evidence:.6})",
                libm::exp(log_evidence)
            );
        }
        let _ = match &answer.approximation {
            None => writeln!(text, "Method: {}", answer.plan.method),
            Some(approximation) => {
                let how = approximation::as_text(approximation);
                write!(text, "Method: {}; {}\n{how}", answer.plan.method, answer.plan.reason)
            }
        };
        if !self.cut.is_empty() {
            let cut: Vec<String> = self.cut.iter().map(|&edge| asking::edge_text(schema, edge)).collect();
            let by = if self.query.known().is_empty() { "what the contexts imply" } else { "the evidence" };
            let _ = writeln!(text, "Cut by {by}: {}", cut.join(", "));
        }
        text
    }

    fn joint_text(&self, answer: &JointAnswer) -> String {
        let schema = &self.page_schema;
        let mut text = "Joint distribution\n".to_owned();
        for (levels, p) in answer.joint.iter() {
            let named: Vec<String> = self
                .targets
                .iter()
                .zip(&levels)
                .map(|(&v, &level)| format!("{} = {}", schema.name(v), names::label(schema, (v, level))))
                .collect();
            let _ = writeln!(text, "  {p:.6}  {}", named.join(", "));
        }
        if let Some(found) = &answer.approximation {
            let how = approximation::as_text(found);
            let _ = write!(text, "Method: {}; {}\n{how}", answer.plan.method, answer.plan.reason);
        }
        text
    }

    fn given(&self) -> String {
        asking::given_phrase(&self.page_schema, self.query.known())
    }
}

/// How far from the most probable levels the best that were found may be.
fn proof_text(found: &MapAnswer) -> String {
    let start = "The best that was found, a lower bound: NOT proven to be the most probable";
    match found.gap {
        Some(_) if found.is_proven() => "Proven: nothing is more probable\n".to_owned(),
        Some(gap) => format!("{start}; nothing is more probable by more than {gap:.6} in log weight\n"),
        None => format!("{start}; no bound is known\n"),
    }
}

/// The exact joint distribution of some variables of several networks, and what follows from it, where
/// they are to be shown.
pub(super) fn together(
    schema: &Schema,
    targets: &[Var],
    joint: &Joint,
    (shown, information): (bool, bool),
) -> String {
    let mut text = String::new();
    if shown {
        let schema = &output::printable(schema);
        text += "Joint distribution\n";
        for (levels, p) in joint.iter() {
            let named = asking::levels_text(schema, targets.iter().copied().zip(levels));
            let _ = writeln!(text, "  {p:.6}  {named}");
        }
    }
    let found = information.then(|| Information::of(schema, targets, joint));
    text + &found.as_ref().map(information_text).unwrap_or_default()
}

fn information_text(information: &Information<'_>) -> String {
    let mut text = format!("Entropy of the targets together: {:.6} nats\n", information.joint_entropy);
    let shown = output::on_one_line;
    for (name, entropy) in &information.entropy {
        let _ = writeln!(text, "  {}: {entropy:.6}", shown(name));
    }
    for MutualInformation { pair: [one, other], nats } in &information.mutual_information {
        let _ = writeln!(text, "Mutual information of {} and {}: {nats:.6} nats", shown(one), shown(other));
    }
    text
}
