//! What a user knows about edges before any table is seen, by the names of variables.

use super::edge_rules::EdgeRules;
use super::nats::Nats;
use crate::data::{Schema, Var};
use crate::error::{Error, Expected, OptionName, Result, quoted, quoted_list};
use crate::graph::Edge;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Some edges by the names of their ends. A `*` in a name stands for any characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum EdgePattern {
    /// The two names with a hyphen between: `smoking-pressure`, `smoking-*`.
    Text(String),
    /// The two names, which may have hyphens themselves.
    Ends([String; 2]),
}

impl fmt::Display for EdgePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Ends([one, other]) => write!(f, "{one}-{other}"),
        }
    }
}

impl From<&str> for EdgePattern {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// How probable some edges are beforehand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeProbability {
    /// The edges.
    pub edge: EdgePattern,
    /// The probability of each, between 0 and 1, both excluded.
    pub p: f64,
}

/// Edges that must or must not be in a graph, edges that hold in every context, tiers, and how
/// probable edges are beforehand.
///
/// # Example
/// ```
/// use cmnet::{Dataset, Knowledge, LearnOptions, learn};
/// let data = Dataset::from_labels(&["a", "b", "c"], [["0", "0", "1"], ["1", "1", "0"]].repeat(20))?;
/// let knowledge = Knowledge { forbid: vec!["a-*".into()], ..Knowledge::default() };
/// let learned = learn(&data, &LearnOptions { knowledge, ..LearnOptions::default() }, &())?;
/// assert_eq!(learned.models[0].structure.graph().edge_count(), 1);
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Knowledge {
    /// Edges that every graph has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub require: Vec<EdgePattern>,
    /// Edges that no graph has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forbid: Vec<EdgePattern>,
    /// Edges that have no contexts: where they are, they hold throughout.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub no_contexts: Vec<EdgePattern>,
    /// Groups of variables in order, such as the waves of a panel. An edge joins variables of one
    /// tier or of two that follow each other. Variables in no tier are not restricted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<Vec<String>>,
    /// Edges with a probability of their own; the last that names an edge counts. Others have the
    /// prior of all edges.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prior: Vec<EdgeProbability>,
}

impl Knowledge {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// This knowledge and more of it.
    #[must_use]
    pub fn and(mut self, more: Self) -> Self {
        self.require.extend(more.require);
        self.forbid.extend(more.forbid);
        self.no_contexts.extend(more.no_contexts);
        self.tiers.extend(more.tiers);
        self.prior.extend(more.prior);
        self
    }

    /// The rules for the edges of a table.
    ///
    /// # Errors
    /// When a pattern matches no edge or can be read in two ways, when a required edge is
    /// forbidden, when a variable is in two tiers, or when a probability is not between 0 and 1.
    pub fn rules(&self, schema: &Schema) -> Result<EdgeRules> {
        let mut rules = EdgeRules::default();
        for pattern in &self.forbid {
            for edge in matching(schema, pattern, OptionName::Forbid)? {
                rules.forbid(edge, &pattern.to_string());
            }
        }
        self.apply_tiers(schema, &mut rules)?;
        for pattern in &self.no_contexts {
            for edge in matching(schema, pattern, OptionName::Knowledge)? {
                rules.forbid_contexts(edge);
            }
        }
        for EdgeProbability { edge: pattern, p } in &self.prior {
            if !(*p > 0.0 && *p < 1.0) {
                let found = format!("{pattern}: {p}");
                let expected = "a probability between 0 and 1; 0 is a forbidden edge, 1 a required one";
                return Err(Error::option(OptionName::Knowledge, found, expected));
            }
            let end = Nats::from_f64(libm::log(p / (1.0 - p)) / 2.0);
            for edge in matching(schema, pattern, OptionName::Knowledge)? {
                rules.set_end(edge, end);
            }
        }
        for pattern in &self.require {
            for edge in matching(schema, pattern, OptionName::Require)? {
                rules.require(edge).map_err(|by| {
                    let (one, other) = (schema.name(edge.low()), schema.name(edge.high()));
                    let what = format!(
                        "an edge that is not forbidden; {} forbids {} - {}",
                        quoted(&by),
                        quoted(one),
                        quoted(other)
                    );
                    refused(OptionName::Require, pattern, what)
                })?;
            }
        }
        Ok(rules)
    }

    fn apply_tiers(&self, schema: &Schema, rules: &mut EdgeRules) -> Result<()> {
        let mut tier_of: Vec<Option<usize>> = vec![None; schema.len()];
        for (tier, names) in self.tiers.iter().enumerate() {
            for name in names {
                let found = named(schema, name);
                if found.is_empty() {
                    return Err(unknown(OptionName::Knowledge, name, schema, name));
                }
                for variable in found {
                    if tier_of[variable].is_some_and(|known| known != tier) {
                        let expected = "each variable in one tier";
                        let name = schema.name(variable);
                        return Err(Error::option(OptionName::Knowledge, name, expected));
                    }
                    tier_of[variable] = Some(tier);
                }
            }
        }
        for low in 0..schema.len() {
            for high in low + 1..schema.len() {
                let apart = tier_of[low].zip(tier_of[high]).map_or(0, |(one, other)| one.abs_diff(other));
                if apart > 1 {
                    rules.forbid(Edge::new(low, high)?, "tiers");
                }
            }
        }
        Ok(())
    }
}

/// The edges that a pattern matches, ascending.
fn matching(schema: &Schema, pattern: &EdgePattern, option: OptionName) -> Result<Vec<Edge>> {
    let (ones, others) = match pattern {
        EdgePattern::Ends([one, other]) => (ends(schema, one, option)?, ends(schema, other, option)?),
        EdgePattern::Text(text) => split(schema, text, option)?,
    };
    let pairs = ones.iter().flat_map(|&one| others.iter().map(move |&other| (one, other)));
    let mut edges = Vec::new();
    for (one, other) in pairs.filter(|(one, other)| one != other) {
        edges.push(Edge::new(one, other)?);
    }
    edges.sort_unstable();
    edges.dedup();
    if edges.is_empty() {
        return Err(refused(option, pattern, "two different variables".to_owned()));
    }
    Ok(edges)
}

/// The variables on both sides of a hyphen. Names may have hyphens: the one that divides the text
/// into two names is meant.
fn split(schema: &Schema, text: &str, option: OptionName) -> Result<(Vec<Var>, Vec<Var>)> {
    let sides = |at: usize| (named(schema, text[..at].trim()), named(schema, text[at + 1..].trim()));
    let hyphens: Vec<usize> = text.match_indices('-').map(|(at, _)| at).collect();
    let mut found =
        hyphens.iter().map(|&at| sides(at)).filter(|(one, other)| !one.is_empty() && !other.is_empty());
    let pattern = EdgePattern::from(text);
    match (found.next(), found.next()) {
        (Some(sides), None) => Ok(sides),
        (Some(_), Some(_)) => {
            let what =
                "a text that can be read in one way; in a file of knowledge, [\"one\", \"other\"] is plain";
            Err(refused(option, &pattern, what.to_owned()))
        }
        (None, _) => {
            let unknown_side = hyphens.first().map(|&at| [text[..at].trim(), text[at + 1..].trim()]);
            let unknown_side =
                unknown_side.and_then(|two| two.into_iter().find(|name| named(schema, name).is_empty()));
            Err(match unknown_side {
                Some(name) => unknown(option, text, schema, name),
                None => refused(
                    option,
                    &pattern,
                    "two names with a hyphen between, such as a-b or a-*".to_owned(),
                ),
            })
        }
    }
}

fn ends(schema: &Schema, name: &str, option: OptionName) -> Result<Vec<Var>> {
    let found = named(schema, name);
    if found.is_empty() { Err(unknown(option, name, schema, name)) } else { Ok(found) }
}

/// The variable of a name, or all that a name with stars matches.
fn named(schema: &Schema, name: &str) -> Vec<Var> {
    if let Some(variable) = schema.find(name) {
        return vec![variable];
    }
    if !name.contains('*') {
        return Vec::new();
    }
    (0..schema.len()).filter(|&variable| matches(name, schema.name(variable))).collect()
}

/// Whether a text is a pattern, with any characters for each star.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(text) = text.strip_prefix(start) else { return false };
    (0..=text.len()).filter(|&at| text.is_char_boundary(at)).any(|at| matches(rest, &text[at..]))
}

fn refused(option: OptionName, pattern: &EdgePattern, expected: String) -> Error {
    Error::option(option, pattern.to_string(), Expected::Described(expected.into()))
}

fn unknown(option: OptionName, found: &str, schema: &Schema, name: &str) -> Error {
    let names = || quoted_list(schema.variables().iter().map(|variable| variable.name.as_str()));
    let near = schema.suggest(name).map_or_else(names, quoted);
    let expected = format!("names of variables; {} is none, but {near}", quoted(name));
    Error::option(option, found, Expected::Described(expected.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Variable;

    fn schema(names: &[&str]) -> Schema {
        let variable =
            |name: &&str| Variable { name: (*name).to_owned(), levels: vec!["0".into(), "1".into()] };
        Schema::new(names.iter().map(variable).collect()).unwrap()
    }

    fn edge(low: Var, high: Var) -> Edge {
        Edge::new(low, high).unwrap()
    }

    fn read(text: &str, names: &[&str]) -> Result<EdgeRules> {
        serde_json::from_str::<Knowledge>(text).unwrap().rules(&schema(names))
    }

    #[test]
    fn knowledge_is_empty_until_something_is_known() {
        let one = serde_json::from_str::<Knowledge>(r#"{"tiers": [["a"], ["b"]]}"#).unwrap();
        assert!(Knowledge::default().is_empty() && !one.is_empty());
        assert_eq!(Knowledge::default().and(one.clone()), one);
    }

    #[test]
    fn stars_hyphens_and_pairs_name_edges() {
        let names = ["a", "a-b", "b", "c"];
        let rules = read(r#"{"forbid": ["a-*"], "require": [["a-b", "b"]]}"#, &["a", "b", "c", "a-b"]);
        let rules = rules.unwrap();
        assert!(!rules.allows(edge(0, 1)) && !rules.allows(edge(0, 3)) && rules.allows(edge(1, 2)));
        assert!(rules.requires(edge(1, 3)) && !rules.is_free(edge(1, 3)) && rules.is_free(edge(1, 2)));
        // "a-b-c" is a with b-c, or a-b with c: here only the second exists.
        assert!(read(r#"{"require": ["a-b-c"]}"#, &names).unwrap().requires(edge(1, 3)));
        for (text, told) in [
            (r#"{"require": ["a-b"], "forbid": ["*-a"]}"#, "\"*-a\" forbids \"a\" - \"b\""),
            (r#"{"require": ["a-x"]}"#, "\"x\" is none"),
            (r#"{"forbid": ["a-a"]}"#, "two different variables"),
            (r#"{"forbid": ["a"]}"#, "two names with a hyphen"),
            (r#"{"prior": [{"edge": "a-b", "p": 1}]}"#, "between 0 and 1"),
            (r#"{"tiers": [["a"], ["a", "b"]]}"#, "each variable in one tier"),
            (r#"{"tiers": [["a"], ["b"], ["c"]], "require": ["a-c"]}"#, "\"tiers\" forbids \"a\" - \"c\""),
        ] {
            let error = read(text, &["a", "b", "c"]).unwrap_err().to_string();
            assert!(error.contains(told), "{text}: {error}");
        }
        let twice = read(r#"{"require": ["a-b-c"]}"#, &["a", "b-c", "a-b", "c"]).unwrap_err().to_string();
        assert!(twice.contains("read in one way"), "{twice}");
    }

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("a*", "abc", true),
            ("*c", "abc", true),
            ("a*c*", "abcd", true),
            ("a*x", "abc", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
        assert!(matches("ä*", "äö"));
    }

    #[test]
    fn each_end_of_an_edge_has_half_of_its_log_odds() {
        let prior = EdgeProbability { edge: EdgePattern::Ends(["a".into(), "b".into()]), p: 0.8 };
        let knowledge = Knowledge { prior: vec![prior], ..Knowledge::default() };
        let rules = knowledge.rules(&schema(&["a", "b", "c"])).unwrap();
        let end = rules.log_end(edge(0, 1)).unwrap().to_f64();
        assert!((end - libm::log(4.0) / 2.0).abs() < 1e-12, "{end}");
        assert_eq!(rules.log_end(edge(0, 2)), None);
    }
}
