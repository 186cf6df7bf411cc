//! Groups of rows, pair by pair: `cmnet learn --group` and `cmnet compare --groups`.

use super::Answer;
use crate::align::left;
use crate::many;
use cmnet::{Edge, GroupComparison, GroupOptions, Schema, Structure, Var, vanishes_in_group};
use serde::Serialize;
use std::fmt;

/// What the comparison of groups found, by names.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupsAnswer {
    /// The column of the groups.
    pub group: String,
    /// The groups.
    pub levels: Vec<GroupFacts>,
    /// The column within whose levels labels were exchanged.
    pub block: Option<String>,
    /// Permutations that were done.
    pub permutations: u64,
    /// What determined them.
    pub seed: u64,
    /// The level of the tests.
    pub level: f64,
    /// Why the comparison ended.
    pub stop: String,
    /// Every pair of variables.
    pub pairs: Vec<PairAnswer>,
}

/// A group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GroupFacts {
    /// Its label.
    pub label: String,
    /// Its rows.
    pub rows: u64,
}

/// A pair of variables.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairAnswer {
    /// The names.
    pub pair: [String; 2],
    /// The variables that the pair is compared given.
    pub given: Vec<String>,
    /// Whether the model has this edge.
    pub edge: bool,
    /// The pair in each group, in the order of the groups.
    pub groups: Vec<PairInGroupAnswer>,
    /// How much the groups differ.
    pub statistic: f64,
    /// The p-value of that alone.
    pub p_value: f64,
    /// The p-value adjusted for all pairs.
    pub adjusted: f64,
    /// Whether the pair differs at the level.
    pub differs: bool,
}

/// A pair of variables in one group.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairInGroupAnswer {
    /// Whether the model has no such dependence in this group.
    pub vanishes: bool,
    /// The mutual information given the neighbours, in nats.
    pub information: f64,
    /// The log odds ratio given the neighbours; null where a variable has more than two levels.
    pub log_odds_ratio: Option<f64>,
    /// Its standard error.
    pub error: Option<f64>,
}

impl Answer for GroupsAnswer {
    const FORMAT: &'static str = "cmnet-groups/1";
}

impl GroupsAnswer {
    /// A comparison with the structure that was learned. The comparison speaks of the variables of `all`, the
    /// structure of those of `schema`, which has no blocks.
    pub fn of(
        found: &GroupComparison,
        options: &GroupOptions,
        all: &Schema,
        learned: Option<(&Schema, &Structure)>,
    ) -> Self {
        let group = all.variable(options.group);
        let levels = group.levels.iter().zip(&found.rows);
        let pairs = found.pairs.iter().map(|pair| {
            let edge = learned.and_then(|(schema, structure)| {
                Some((schema.find(&group.name)?, edge(all, schema, pair.pair)?, structure))
            });
            let in_group = |(level, own): (usize, &cmnet::PairInGroup)| PairInGroupAnswer {
                vanishes: edge.is_none_or(|(group, edge, structure)| {
                    vanishes_in_group(structure, edge, group, level as u32)
                }),
                information: own.information,
                log_odds_ratio: own.log_odds_ratio.map(|(value, _)| value),
                error: own.log_odds_ratio.map(|(_, error)| error),
            };
            PairAnswer {
                pair: [all.name(pair.pair.0).to_owned(), all.name(pair.pair.1).to_owned()],
                given: pair.given.iter().map(|&variable| all.name(variable).to_owned()).collect(),
                edge: edge.is_some_and(|(_, edge, structure)| structure.graph().contains(edge)),
                groups: pair.groups.iter().enumerate().map(in_group).collect(),
                statistic: pair.statistic,
                p_value: pair.p_value,
                adjusted: pair.adjusted,
                differs: pair.differs,
            }
        });
        Self {
            group: group.name.clone(),
            levels: levels.map(|(label, &rows)| GroupFacts { label: label.clone(), rows }).collect(),
            block: options.block.map(|block| all.name(block).to_owned()),
            permutations: found.permutations,
            seed: options.seed,
            level: options.level,
            stop: found.stop.to_string(),
            pairs: pairs.collect(),
        }
    }
}

fn edge(all: &Schema, schema: &Schema, (one, other): (Var, Var)) -> Option<Edge> {
    Edge::new(schema.find(all.name(one))?, schema.find(all.name(other))?).ok()
}

impl fmt::Display for GroupsAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let groups: Vec<String> =
            self.levels.iter().map(|level| format!("{} ({} rows)", level.label, level.rows)).collect();
        writeln!(f, "Groups of {}: {}", self.group, groups.join(", "))?;
        writeln!(
            f,
            "Edges by group: mutual information given the neighbours in nats, - where the model has none\n"
        )?;
        let shown: Vec<&PairAnswer> = self.pairs.iter().filter(|pair| pair.edge || pair.differs).collect();
        let name = |pair: &PairAnswer| pair.pair.join(" - ");
        let width = shown.iter().map(|pair| name(pair).chars().count()).max().unwrap_or(4).max(4);
        write!(f, "  {}", left("pair", width))?;
        self.levels.iter().try_for_each(|level| write!(f, " {:>10}", level.label))?;
        writeln!(f, " {:>9} {:>9}", "p", "adjusted")?;
        for pair in shown {
            write!(f, "{} {}", if pair.differs { "*" } else { " " }, left(&name(pair), width))?;
            for own in &pair.groups {
                let strength = format!("{:.4}", own.information);
                write!(f, " {:>10}", if own.vanishes { format!("- ({strength})") } else { strength })?;
            }
            writeln!(f, " {:>9.4} {:>9.4}", pair.p_value, pair.adjusted)?;
        }
        let within = self.block.as_ref().map_or(String::new(), |block| format!(" within {block}"));
        writeln!(
            f,
            "\n* differs at level {}: {} permutations of the groups{within}, seed {}, adjusted for {}",
            self.level,
            self.permutations,
            self.seed,
            many(self.pairs.len(), "pair")
        )
    }
}
