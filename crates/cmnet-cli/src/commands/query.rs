//! `cmnet query`: distributions given evidence, or the most probable completion.

use super::{approximation, asking};
use crate::args::Format;
use crate::ask_args::QueryArgs;
use crate::exit::Outcome;
use crate::{files, output};
use cmnet::data::{Schema, Var};
use cmnet::graph::Edge;
use cmnet::inference::{Answer, Joint, JointAnswer, MapAnswer, Method, Query, Question};
use cmnet_report::answer::{self, names};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

pub(crate) fn run(arguments: &QueryArgs) -> anyhow::Result<Outcome> {
    let network = files::model(&arguments.model.model)?.network()?;
    let how = &arguments.question;
    let evidence = asking::evidence(network.schema(), &how.given)?;
    let query = network.query().evidence(evidence).targets(&arguments.target)?;
    let asked = Asked {
        targets: query.variables()?,
        cut: query.cut_edges(),
        query: query.options(asking::options(how)?),
        format: arguments.format.format,
    };
    let (text, json) = if arguments.map { asked.map(arguments)? } else { asked.marginals(arguments)? };
    match arguments.format.format {
        Format::Text => output::page(&text)?,
        Format::Json => output::json(&json)?,
    }
    Ok(Outcome::Done)
}

struct Asked<'a> {
    query: Query<'a>,
    targets: Vec<Var>,
    cut: Vec<Edge>,
    format: Format,
}

impl Asked<'_> {
    fn schema(&self) -> &Schema {
        self.query.network().schema()
    }

    fn map(&self, arguments: &QueryArgs) -> anyhow::Result<(String, Value)> {
        asking::announce_plan(&arguments.question.tree, &self.query.plan(Question::Map)?);
        let found = self.query.map()?;
        let schema = self.schema();
        let label =
            |&(v, level): &(Var, u32)| (schema.name(v), schema.variable(v).levels[level as usize].as_str());
        let levels: Map<String, Value> =
            found.levels.iter().map(label).map(|(name, level)| (name.to_owned(), level.into())).collect();
        let proven = found.plan.method == Method::Exact;
        let reliability = match (&found.climb, &found.visits) {
            (Some(climb), _) => answer::approximation::climb(climb),
            (_, Some((share, gibbs))) => {
                let mut json = answer::approximation::gibbs(gibbs);
                json["share"] = json!(share);
                json
            }
            _ => Value::Null,
        };
        let json = json!({"format": "cmnet-query/1", "map": levels, "proven": proven,
            "log_probability": found.log_probability, "log_weight": found.log_weight,
            "method": found.plan.method.to_string(), "reason": found.plan.reason,
            "given": names::given(schema, self.query.known()), "soft": names::soft(schema, self.query.known()),
            "cut_edges": names::edges(schema, &self.cut), "tree": asking::tree_json(&found.plan),
            "approximation": reliability});
        Ok((self.map_text(&found), json))
    }

    fn map_text(&self, found: &MapAnswer) -> String {
        let schema = self.schema();
        let proven = found.plan.method == Method::Exact;
        let what = match (self.query.named().is_some(), proven) {
            (true, true) => "Most probable levels together",
            (false, true) => "Most probable completion",
            (true, false) => "Probable levels together",
            (false, false) => "Probable completion",
        };
        let mut text = format!("{what}{}\n", self.given());
        let width = found.levels.iter().map(|&(v, _)| schema.name(v).chars().count()).max().unwrap_or(0);
        for &(v, level) in &found.levels {
            let _ =
                writeln!(text, "  {:width$}  {}", schema.name(v), schema.variable(v).levels[level as usize]);
        }
        let _ = match (found.log_probability, found.log_weight) {
            (Some(log), _) => writeln!(text, "probability {:.6} (log {log:.6})", libm::exp(log)),
            (None, Some(weight)) => {
                writeln!(text, "log weight {weight:.6}; the probability takes a tree that does not fit")
            }
            (None, None) => writeln!(text, "the probability takes a tree that does not fit"),
        };
        if proven {
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
        text + "The best that was found, a lower bound: NOT proven to be the most probable\n"
    }

    fn marginals(&self, arguments: &QueryArgs) -> anyhow::Result<(String, Value)> {
        let tree = &arguments.question.tree;
        asking::announce_plan(tree, &self.query.plan(Question::Marginals)?);
        let together = arguments.joint || arguments.information;
        if together {
            let plan = self.query.plan(Question::Joint)?;
            asking::announce(tree, &format!("together: {}: {}", plan.method, plan.reason));
        }
        let answer = self.query.run()?;
        let mut json = self.marginals_json(&answer);
        let mut text = self.marginals_text(&answer);
        if together {
            let joint = self.query.joint()?;
            if arguments.joint {
                self.joint(&joint, &mut text, &mut json);
            }
            if arguments.information {
                self.information(&joint.joint, &mut text, &mut json);
            }
        }
        Ok((text, json))
    }

    fn marginals_json(&self, answer: &Answer) -> Value {
        let schema = self.schema();
        let marginals: Map<String, Value> = answer
            .marginals
            .iter()
            .map(|(v, p)| (schema.name(*v).to_owned(), names::by_level(schema, *v, p)))
            .collect();
        json!({"format": "cmnet-query/1", "marginals": marginals,
            "method": answer.plan.method.to_string(), "reason": answer.plan.reason,
            "given": names::given(schema, self.query.known()), "soft": names::soft(schema, self.query.known()),
            "log_evidence": answer.log_evidence, "cut_edges": names::edges(schema, &self.cut),
            "tree": asking::tree_json(&answer.plan),
            "approximation": answer::approximation::approximation(answer.approximation.as_ref())})
    }

    fn marginals_text(&self, answer: &Answer) -> String {
        let schema = self.schema();
        let mut text = format!("Probabilities{}\n", self.given());
        for (v, probabilities) in &answer.marginals {
            let variable = schema.variable(*v);
            let width = variable.levels.iter().map(|level| level.chars().count()).max().unwrap_or(0);
            let _ = writeln!(text, "  {}", variable.name);
            for (level, p) in variable.levels.iter().zip(probabilities) {
                let _ = writeln!(text, "    {level:width$}  {p:.6}");
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
            let _ = writeln!(text, "Cut by the evidence: {}", cut.join(", "));
        }
        text
    }

    fn joint(&self, answer: &JointAnswer, text: &mut String, json: &mut Value) {
        let schema = self.schema();
        let label = |v: Var, level: u32| schema.variable(v).levels[level as usize].clone();
        let _ = writeln!(text, "Joint distribution");
        let mut rows = Vec::new();
        for (levels, p) in answer.joint.iter() {
            let labels: Vec<String> = self.targets.iter().zip(&levels).map(|(&v, &l)| label(v, l)).collect();
            let named: Vec<String> = self
                .targets
                .iter()
                .zip(&labels)
                .map(|(&v, label)| format!("{} = {label}", schema.name(v)))
                .collect();
            // A joint distribution can have many cells: only what is printed is made.
            match self.format {
                Format::Text => drop(writeln!(text, "  {p:.6}  {}", named.join(", "))),
                Format::Json => rows.push(json!({"levels": labels, "probability": p})),
            }
        }
        if let Some(found) = &answer.approximation {
            let how = approximation::as_text(found);
            let _ = write!(text, "Method: {}; {}\n{how}", answer.plan.method, answer.plan.reason);
        }
        let names: Vec<&str> = self.targets.iter().map(|&v| schema.name(v)).collect();
        json["joint"] = json!({"variables": names, "cells": rows,
            "method": answer.plan.method.to_string(), "reason": answer.plan.reason,
            "approximation": answer::approximation::approximation(answer.approximation.as_ref())});
    }

    /// Entropies and mutual information, all from the one joint distribution.
    fn information(&self, joint: &Joint, text: &mut String, json: &mut Value) {
        let schema = self.schema();
        let together = joint.entropy();
        let _ = writeln!(text, "Entropy of the targets together: {together:.6} nats");
        let alone: Vec<f64> = self.targets.iter().map(|&v| joint.marginal(&[v]).entropy()).collect();
        let mut entropies = Map::new();
        for (&v, entropy) in self.targets.iter().zip(&alone) {
            let _ = writeln!(text, "  {}: {entropy:.6}", schema.name(v));
            entropies.insert(schema.name(v).to_owned(), json!(entropy));
        }
        let mut pairs = Vec::new();
        for (place, &one) in self.targets.iter().enumerate() {
            for (later, &other) in self.targets.iter().enumerate().skip(place + 1) {
                let both = joint.marginal(&[one, other]).entropy();
                let shared = (alone[place] + alone[later] - both).max(0.0);
                let (one, other) = (schema.name(one), schema.name(other));
                let _ = writeln!(text, "Mutual information of {one} and {other}: {shared:.6} nats");
                pairs.push(json!({"pair": [one, other], "nats": shared}));
            }
        }
        json["information"] =
            json!({"joint_entropy": together, "entropy": entropies, "mutual_information": pairs});
    }

    fn given(&self) -> String {
        match asking::given_text(self.schema(), self.query.known()) {
            given if given.is_empty() => String::new(),
            given => format!(" given {given}"),
        }
    }
}
