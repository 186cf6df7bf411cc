//! `cmnet query`: distributions given evidence, or the most probable completion.

use super::{approximation, asking};
use crate::args::Format;
use crate::ask_args::QueryArgs;
use crate::exit::Outcome;
use crate::{files, output};
use cmnet::data::Var;
use cmnet::graph::Edge;
use cmnet::inference::{
    Answer, Ask, CompletionAnswer, Evidence, Joint, JointAnswer, MethodUsed, Methods, Network,
};
use cmnet_report::answer::{self, names};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

pub(crate) fn run(arguments: &QueryArgs) -> anyhow::Result<Outcome> {
    let network = files::model(&arguments.model.model)?.network()?;
    let how = &arguments.question;
    let evidence = asking::evidence(network.schema(), &how.given)?;
    let question = Question {
        network: &network,
        evidence: &evidence,
        targets: network.targets(&arguments.target, &evidence)?,
        ask: asking::ask(&how.tree)?,
        methods: asking::methods(&how.method),
        cut: network.cut_edges(&evidence),
        format: arguments.format.format,
    };
    let (text, json) =
        if arguments.map { question.map(arguments)? } else { question.marginals(arguments)? };
    match arguments.format.format {
        Format::Text => output::page(&text)?,
        Format::Json => output::json(&json)?,
    }
    Ok(Outcome::Done)
}

struct Question<'a> {
    network: &'a Network,
    evidence: &'a Evidence,
    targets: Vec<Var>,
    ask: Ask,
    methods: Methods,
    cut: Vec<Edge>,
    format: Format,
}

impl Question<'_> {
    fn map(&self, arguments: &QueryArgs) -> anyhow::Result<(String, Value)> {
        let some = (!arguments.target.is_empty()).then_some(self.targets.as_slice());
        let choice = self.network.choose_completion(some, self.evidence, &self.ask, self.methods.method)?;
        asking::announce_choice(&arguments.question.tree, &choice);
        let found = self.network.completion_by(some, self.evidence, &self.ask, &self.methods)?;
        let schema = self.network.schema();
        let label =
            |&(v, level): &(Var, u32)| (schema.name(v), schema.variable(v).levels[level as usize].as_str());
        let levels: Map<String, Value> =
            found.levels.iter().map(label).map(|(name, level)| (name.to_owned(), level.into())).collect();
        let proven = found.choice.method == MethodUsed::Exact;
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
            "method": found.choice.method.to_string(), "reason": found.choice.reason,
            "given": names::given(schema, self.evidence), "soft": names::soft(schema, self.evidence),
            "cut_edges": names::edges(schema, &self.cut), "tree": asking::tree_json(&found.choice),
            "approximation": reliability});
        Ok((self.map_text(&found, some.is_some()), json))
    }

    fn map_text(&self, found: &CompletionAnswer, some: bool) -> String {
        let schema = self.network.schema();
        let proven = found.choice.method == MethodUsed::Exact;
        let what = match (some, proven) {
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
        let _ = writeln!(text, "Method: {}; {}", found.choice.method, found.choice.reason);
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
        let (tree, method) = (&arguments.question.tree, self.methods.method);
        let choice = self.network.choose_marginals(&self.targets, self.evidence, &self.ask, method)?;
        asking::announce_choice(tree, &choice);
        let together = arguments.joint || arguments.information;
        if together {
            let choice = self.network.choose_joint(&self.targets, self.evidence, &self.ask, method)?;
            asking::announce(tree, &format!("together: {}: {}", choice.method, choice.reason));
        }
        let answer = self.network.marginals(&self.targets, self.evidence, &self.ask, &self.methods)?;
        let mut json = self.marginals_json(&answer);
        let mut text = self.marginals_text(&answer);
        if together {
            let joint = self.network.joint_by(&self.targets, self.evidence, &self.ask, &self.methods)?;
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
        let schema = self.network.schema();
        let marginals: Map<String, Value> = answer
            .marginals
            .iter()
            .map(|(v, p)| (schema.name(*v).to_owned(), names::by_level(schema, *v, p)))
            .collect();
        json!({"format": "cmnet-query/1", "marginals": marginals,
            "method": answer.choice.method.to_string(), "reason": answer.choice.reason,
            "given": names::given(schema, self.evidence), "soft": names::soft(schema, self.evidence),
            "log_evidence": answer.log_evidence, "cut_edges": names::edges(schema, &self.cut),
            "tree": asking::tree_json(&answer.choice),
            "approximation": answer::approximation::approximation(answer.approximation.as_ref())})
    }

    fn marginals_text(&self, answer: &Answer) -> String {
        let schema = self.network.schema();
        let mut text = format!("Probabilities{}\n", self.given());
        for (v, probabilities) in &answer.marginals {
            let variable = schema.variable(*v);
            let width = variable.levels.iter().map(|level| level.chars().count()).max().unwrap_or(0);
            let _ = writeln!(text, "  {}", variable.name);
            for (level, p) in variable.levels.iter().zip(probabilities) {
                let _ = writeln!(text, "    {level:width$}  {p:.6}");
            }
        }
        if let Some(log_evidence) = answer.log_evidence.filter(|_| !self.evidence.is_empty()) {
            let _ = writeln!(
                text,
                "Probability of what is given: {:.6} (log {log_evidence:.6})",
                libm::exp(log_evidence)
            );
        }
        let _ = match &answer.approximation {
            None => writeln!(text, "Method: {}", answer.choice.method),
            Some(approximation) => {
                let how = approximation::as_text(approximation);
                write!(text, "Method: {}; {}\n{how}", answer.choice.method, answer.choice.reason)
            }
        };
        if !self.cut.is_empty() {
            let cut: Vec<String> = self.cut.iter().map(|&edge| asking::edge_text(schema, edge)).collect();
            let _ = writeln!(text, "Cut by the evidence: {}", cut.join(", "));
        }
        text
    }

    fn joint(&self, answer: &JointAnswer, text: &mut String, json: &mut Value) {
        let schema = self.network.schema();
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
            let _ = write!(text, "Method: {}; {}\n{how}", answer.choice.method, answer.choice.reason);
        }
        let names: Vec<&str> = self.targets.iter().map(|&v| schema.name(v)).collect();
        json["joint"] = json!({"variables": names, "cells": rows,
            "method": answer.choice.method.to_string(), "reason": answer.choice.reason,
            "approximation": answer::approximation::approximation(answer.approximation.as_ref())});
    }

    /// Entropies and mutual information, all from the one joint distribution.
    fn information(&self, joint: &Joint, text: &mut String, json: &mut Value) {
        let schema = self.network.schema();
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
        match asking::given_text(self.network.schema(), self.evidence) {
            given if given.is_empty() => String::new(),
            given => format!(" given {given}"),
        }
    }
}
