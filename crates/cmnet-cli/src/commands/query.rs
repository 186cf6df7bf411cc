//! `cmnet query`: distributions given evidence, or the most probable completion.

use super::asking;
use crate::args::Format;
use crate::ask_args::QueryArgs;
use crate::exit::Outcome;
use crate::{files, output};
use cmnet::data::Var;
use cmnet::inference::ask::Methods;
use cmnet::inference::{Answer, Approximation, Ask, BeliefOptions, Evidence, Network};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

pub(crate) fn run(arguments: &QueryArgs) -> anyhow::Result<Outcome> {
    let network = files::model(&arguments.model)?.network()?;
    let evidence = asking::evidence(network.schema(), &arguments.given)?;
    let targets = network.targets(&arguments.target, &evidence)?;
    let question =
        Question { network: &network, evidence: &evidence, targets, ask: asking::ask(&arguments.tree)? };
    let (_, cost, reason) = network.choose(&evidence, &question.ask, asking::method(&arguments.method));
    asking::announce(arguments.tree.verbose, cost, &reason);
    let (text, json) =
        if arguments.map { question.map(arguments)? } else { question.marginals(arguments)? };
    match arguments.format.format {
        Format::Text => output::text(&text)?,
        Format::Json => output::json(&json)?,
    }
    Ok(Outcome::Done)
}

struct Question<'a> {
    network: &'a Network,
    evidence: &'a Evidence,
    targets: Vec<Var>,
    ask: Ask,
}

impl Question<'_> {
    fn map(&self, arguments: &QueryArgs) -> anyhow::Result<(String, Value)> {
        let some = (!arguments.target.is_empty()).then_some(self.targets.as_slice());
        let best = self.network.most_probable(some, self.evidence, &self.ask)?;
        let schema = self.network.schema();
        let label =
            |&(v, level): &(Var, u32)| (schema.name(v), schema.variable(v).levels[level as usize].as_str());
        let what = if some.is_some() { "Most probable levels together" } else { "Most probable completion" };
        let mut text = format!("{what}{}\n", self.given());
        let width = best.levels.iter().map(|pair| label(pair).0.chars().count()).max().unwrap_or(0);
        for (name, level) in best.levels.iter().map(label) {
            let _ = writeln!(text, "  {name:width$}  {level}");
        }
        let log_probability = self.network.log_probability_of(&best, self.evidence, &self.ask)?;
        let probability = libm::exp(log_probability);
        let _ = writeln!(text, "probability {probability:.6} (log {log_probability:.6})");
        let map: Map<String, Value> =
            best.levels.iter().map(label).map(|(name, level)| (name.to_owned(), level.into())).collect();
        let json = json!({"format": "cmnet-query/1", "map": map, "log_probability": log_probability,
            "method": "exact", "given": asking::given_json(schema, self.evidence)});
        Ok((text, json))
    }

    fn marginals(&self, arguments: &QueryArgs) -> anyhow::Result<(String, Value)> {
        let methods = Methods {
            method: asking::method(&arguments.method),
            gibbs: asking::gibbs(&arguments.method),
            belief: BeliefOptions::default(),
        };
        let answer = self.network.marginals(&self.targets, self.evidence, &self.ask, &methods)?;
        let schema = self.network.schema();
        let marginals: Map<String, Value> = answer
            .marginals
            .iter()
            .map(|(v, p)| (schema.name(*v).to_owned(), asking::distribution_json(schema, *v, p)))
            .collect();
        let cut = self.network.cut_edges(self.evidence);
        let mut json = json!({"format": "cmnet-query/1", "marginals": marginals,
            "method": answer.method.to_string(), "reason": answer.reason,
            "given": asking::given_json(schema, self.evidence), "log_evidence": answer.log_evidence,
            "cut_edges": cut.iter().map(|&edge| asking::edge_json(schema, edge)).collect::<Vec<_>>(),
            "tree": asking::cost_json(answer.cost), "approximation": approximation_json(&answer)});
        let mut text = self.marginals_text(&answer);
        if !cut.is_empty() {
            let cut: Vec<String> = cut.iter().map(|&edge| asking::edge_text(schema, edge)).collect();
            let _ = writeln!(text, "Cut by the evidence: {}", cut.join(", "));
        }
        if arguments.joint {
            self.joint(&mut text, &mut json)?;
        }
        if arguments.information {
            self.information(&mut text, &mut json)?;
        }
        Ok((text, json))
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
        let _ = writeln!(text, "Method: {}; {}", answer.method, answer.reason);
        match &answer.approximation {
            Some(Approximation::Gibbs(gibbs)) => {
                let judgement =
                    if gibbs.agrees() { "the chains agree" } else { "the chains do NOT agree yet" };
                let _ = writeln!(
                    text,
                    "{} chains of {} sweeps: split R-hat at most {:.4}, at least {:.0} effective draws; {judgement}",
                    gibbs.chains,
                    gibbs.sweeps,
                    gibbs.worst_r_hat(),
                    gibbs.least_effective()
                );
            }
            Some(Approximation::Belief(belief)) => {
                let judgement = if belief.converged { "settled" } else { "did NOT settle" };
                let _ = writeln!(
                    text,
                    "messages {judgement} after {} rounds (last change {:.1e}); loops make this approximate",
                    belief.rounds, belief.change
                );
            }
            None => {}
        }
        text
    }

    fn joint(&self, text: &mut String, json: &mut Value) -> anyhow::Result<()> {
        let schema = self.network.schema();
        let joint = self.network.joint(&self.targets, self.evidence, &self.ask)?;
        let label = |v: Var, level: u32| schema.variable(v).levels[level as usize].clone();
        let _ = writeln!(text, "Joint distribution");
        let mut rows = Vec::new();
        for (levels, p) in joint.iter() {
            let labels: Vec<String> = self.targets.iter().zip(&levels).map(|(&v, &l)| label(v, l)).collect();
            let named: Vec<String> = self
                .targets
                .iter()
                .zip(&labels)
                .map(|(&v, label)| format!("{} = {label}", schema.name(v)))
                .collect();
            let _ = writeln!(text, "  {p:.6}  {}", named.join(", "));
            rows.push(json!({"levels": labels, "probability": p}));
        }
        let names: Vec<&str> = self.targets.iter().map(|&v| schema.name(v)).collect();
        json["joint"] = json!({"variables": names, "cells": rows});
        Ok(())
    }

    fn information(&self, text: &mut String, json: &mut Value) -> anyhow::Result<()> {
        let schema = self.network.schema();
        let together = self.network.entropy(&self.targets, self.evidence, &self.ask)?;
        let _ = writeln!(text, "Entropy of the targets together: {together:.6} nats");
        let mut entropies = Map::new();
        for &v in &self.targets {
            let entropy = self.network.entropy(&[v], self.evidence, &self.ask)?;
            let _ = writeln!(text, "  {}: {entropy:.6}", schema.name(v));
            entropies.insert(schema.name(v).to_owned(), json!(entropy));
        }
        let mut pairs = Vec::new();
        for (place, &one) in self.targets.iter().enumerate() {
            for &other in &self.targets[place + 1..] {
                let pair = (&[one][..], &[other][..]);
                let shared = self.network.mutual_information(pair, &[], self.evidence, &self.ask)?;
                let (one, other) = (schema.name(one), schema.name(other));
                let _ = writeln!(text, "Mutual information of {one} and {other}: {shared:.6} nats");
                pairs.push(json!({"pair": [one, other], "nats": shared}));
            }
        }
        json["information"] =
            json!({"joint_entropy": together, "entropy": entropies, "mutual_information": pairs});
        Ok(())
    }

    fn given(&self) -> String {
        match asking::given_text(self.network.schema(), self.evidence) {
            given if given.is_empty() => String::new(),
            given => format!(" given {given}"),
        }
    }
}

fn approximation_json(answer: &Answer) -> Value {
    match &answer.approximation {
        Some(Approximation::Gibbs(gibbs)) => json!({"chains": gibbs.chains, "sweeps": gibbs.sweeps,
            "r_hat": finite(gibbs.worst_r_hat()), "effective": gibbs.least_effective(), "agrees": gibbs.agrees()}),
        Some(Approximation::Belief(belief)) => {
            json!({"converged": belief.converged, "rounds": belief.rounds, "change": belief.change})
        }
        None => Value::Null,
    }
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
