//! What is known when a question is asked: levels, and weights per level.

use crate::data::quoted::{quoted_names, split, split_once, unquoted};
use crate::data::{Schema, Var};
use crate::error::{Error, Remedy, Result, nearest, quoted, quoted_list};
use std::collections::BTreeMap;

/// Hard evidence, one level of a variable, and soft evidence, a weight for each level.
///
/// # Example
/// ```
/// use cmnet::{Evidence, Schema, Variable};
/// let variable = |name: &str, levels: &[&str]| Variable {
///     name: name.to_owned(),
///     levels: levels.iter().map(|&level| level.to_owned()).collect(),
/// };
/// let schema = Schema::new_unchecked(vec![variable("a", &["x", "y,z"]), variable("b", &["<3", "=3"])]);
/// let mut given = Evidence::read(&schema, "a=y,z,b==3")?; // no quotes needed where names decide
/// assert_eq!((given.level(0), given.level(1)), (Some(1), Some(1)));
/// let refused = given.add(&schema, "b=<3").unwrap_err();
/// assert!(refused.to_string().contains("is given twice"));
/// let refused = Evidence::read(&schema, "a=X2").unwrap_err();
/// assert!(refused.to_string().contains("\"X2\" is not a level of \"a\""));
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    hard: BTreeMap<Var, u32>,
    soft: BTreeMap<Var, Soft>,
}

/// What is known about the levels of a variable.
#[derive(Clone, Debug, PartialEq)]
struct Soft {
    /// The products of the weights; up to a factor where those are no numbers.
    weights: Vec<f64>,
    /// The sums of their logarithms.
    logs: Vec<f64>,
}

impl Evidence {
    /// Nothing known.
    pub fn none() -> Self {
        Self::default()
    }

    /// Reads `name=level,name=level`.
    ///
    /// # Errors
    /// As [`Evidence::add`].
    pub fn read(schema: &Schema, text: &str) -> Result<Self> {
        let mut evidence = Self::none();
        evidence.add(schema, text)?;
        Ok(evidence)
    }

    /// Adds evidence written as `name=level,name=level`.
    ///
    /// A name or level may contain commas and equals signs as it is, as long as some reading
    /// of the whole text fits the model's names and levels (the longest names are tried
    /// first); or it stands in double quotes, with quotes inside doubled.
    ///
    /// # Errors
    /// When a variable or level does not exist, with the nearest one that does; when the text
    /// is not of that form; when a variable is given with two levels.
    pub fn add(&mut self, schema: &Schema, text: &str) -> Result<()> {
        let pairs = match literal(schema, text) {
            Some(pairs) => pairs,
            None => quoted_pairs(schema, text)?,
        };
        pairs.into_iter().try_for_each(|(variable, level)| self.observe(schema, variable, level))
    }

    /// Says that a variable has a level.
    ///
    /// # Errors
    /// When that is not among its levels, or it is known to have another one.
    pub fn observe(&mut self, schema: &Schema, variable: Var, level: u32) -> Result<()> {
        check_variable(schema, variable)?;
        let Some(label) = schema.variable(variable).levels.get(level as usize) else {
            return Err(unknown_level(schema, variable, &level.to_string()));
        };
        let name = quoted(schema.name(variable));
        if let Some(&known) = self.hard.get(&variable)
            && known != level
        {
            let other = quoted(&schema.variable(variable).levels[known as usize]);
            let problem = format!("{name} is given twice, as {other} and as {}", quoted(label));
            return Err(Error::question(problem, "give one level"));
        }
        if self.soft.get(&variable).is_some_and(|soft| soft.logs[level as usize] == f64::NEG_INFINITY) {
            let problem = format!("{name} is given as {}, whose weight is 0", quoted(label));
            return Err(Error::question(problem, "this evidence has probability 0"));
        }
        self.hard.insert(variable, level);
        Ok(())
    }

    /// Multiplies the probability of each level of a variable by a weight: what an uncertain
    /// observation says about it, up to a factor.
    ///
    /// # Errors
    /// When there is not one finite weight, 0 or more, for each level; when all are 0; when
    /// the variable is known to have a level of weight 0.
    pub fn weigh(&mut self, schema: &Schema, variable: Var, weights: &[f64]) -> Result<()> {
        check_variable(schema, variable)?;
        let name = quoted(schema.name(variable));
        let levels = schema.variable(variable).levels.len();
        if weights.len() != levels {
            let problem = format!("{} weights for {name}, which has {levels} levels", weights.len());
            return Err(Error::question(problem, "give one weight for each level"));
        }
        if let Some(wrong) = weights.iter().position(|&weight| !(weight.is_finite() && weight >= 0.0)) {
            let label = quoted(&schema.variable(variable).levels[wrong]);
            let problem = format!("the weight of {label} of {name} is {}", weights[wrong]);
            return Err(Error::question(problem, "a weight is a finite number, 0 or more"));
        }
        let unweighed = || Soft { weights: vec![1.0; levels], logs: vec![0.0; levels] };
        let mut soft = self.soft.get(&variable).cloned().unwrap_or_else(unweighed);
        soft.weights.iter_mut().zip(weights).for_each(|(product, &weight)| *product *= weight);
        let logs = &mut soft.logs;
        logs.iter_mut().zip(weights).for_each(|(log, &weight)| *log += libm::log(weight));
        let possible = match self.hard.get(&variable) {
            Some(&level) => logs[level as usize] > f64::NEG_INFINITY,
            None => logs.iter().any(|&log| log > f64::NEG_INFINITY),
        };
        if !possible {
            let problem = format!("the weights leave no level of {name} that is possible");
            return Err(Error::question(problem, "this evidence has probability 0"));
        }
        let most = soft.weights.iter().copied().fold(0.0, f64::max);
        if !(f64::MIN_POSITIVE..=f64::MAX).contains(&most) {
            let largest = soft.logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            soft.weights = soft.logs.iter().map(|&log| libm::exp(log - largest)).collect();
        }
        self.soft.insert(variable, soft);
        Ok(())
    }

    /// Adds weights written as `name=level:weight,level:weight`; levels that are not listed
    /// have weight 0.
    ///
    /// # Errors
    /// As [`Evidence::weigh`], and when a name or level does not exist.
    pub fn add_weights(&mut self, schema: &Schema, text: &str) -> Result<()> {
        let form = "write name=level:weight,level:weight, a level with commas or colons in double quotes";
        let Some((variable, list)) = after_name(schema, text)? else {
            return Err(Error::question(format!("{} gives no weights", quoted(text)), form));
        };
        let mut weights = vec![0.0; schema.variable(variable).levels.len()];
        let mut named = vec![false; weights.len()];
        for part in split(list, ',') {
            let (label, weight) = part.rsplit_once(':').unwrap_or((part, ""));
            let level = find_level(schema, variable, &unquoted(label))?;
            if std::mem::replace(&mut named[level as usize], true) {
                let problem =
                    format!("{} is given two weights in {}", quoted(&unquoted(label)), quoted(text));
                return Err(Error::question(problem, "give one weight for each level"));
            }
            weights[level as usize] = weight.trim().parse().map_err(|_| {
                Error::question(format!("{} has no weight that is a number", quoted(part)), form)
            })?;
        }
        self.weigh(schema, variable, &weights)
    }

    /// The level that a variable is known to have.
    pub fn level(&self, variable: Var) -> Option<u32> {
        self.hard.get(&variable).copied()
    }

    /// The variables with a known level, ascending, and their levels.
    pub fn hard(&self) -> impl Iterator<Item = (Var, u32)> + '_ {
        self.hard.iter().map(|(&variable, &level)| (variable, level))
    }

    /// The variables with weights and their logarithms, of which some may be minus infinity.
    pub fn soft(&self) -> impl Iterator<Item = (Var, &[f64])> + '_ {
        self.soft.iter().map(|(&variable, soft)| (variable, soft.logs.as_slice()))
    }

    /// The variables with weights, and the weights: as they were given, products where they
    /// were given several times.
    pub fn weights(&self) -> impl Iterator<Item = (Var, &[f64])> + '_ {
        self.soft.iter().map(|(&variable, soft)| (variable, soft.weights.as_slice()))
    }

    /// Forgets all that is known about a variable.
    pub fn retract(&mut self, variable: Var) {
        self.hard.remove(&variable);
        self.soft.remove(&variable);
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.hard.is_empty() && self.soft.is_empty()
    }

    /// The log weight of the soft evidence about variables whose level is known as well.
    pub(super) fn settled_weight(&self) -> f64 {
        self.hard().filter_map(|(v, level)| Some(self.soft.get(&v)?.logs[level as usize])).sum()
    }
}

/// The variable with a name.
///
/// # Errors
/// When there is none; names the nearest one.
pub fn find_variable(schema: &Schema, name: &str) -> Result<Var> {
    schema.find(name).ok_or_else(|| {
        let names = quoted_list(schema.variables().iter().map(|variable| variable.name.as_str()));
        let remedy = match schema.suggest(name) {
            Some(near) => Remedy::DidYouMean(near.to_owned()),
            None => Remedy::Advice(format!("the variables are {names}").into()),
        };
        Error::question(format!("there is no variable {}", quoted(name)), remedy)
    })
}

/// The variables with these names, in the order given. A text may hold several names with
/// commas between, in double quotes those that contain commas themselves.
///
/// # Errors
/// When one does not exist; names the nearest one.
pub fn find_variables(schema: &Schema, texts: &[impl AsRef<str>]) -> Result<Vec<Var>> {
    let mut found = Vec::new();
    for text in texts.iter().map(AsRef::as_ref) {
        match schema.find(text) {
            Some(whole) => found.push(whole),
            None => {
                for name in quoted_names(text) {
                    found.push(find_variable(schema, &name)?);
                }
            }
        }
    }
    Ok(found)
}

/// The level of a variable with a label, or that of a number where the levels are ranges of numbers.
///
/// # Errors
/// When there is none; names the nearest one.
pub fn find_level(schema: &Schema, variable: Var, label: &str) -> Result<u32> {
    schema.level(variable, label).ok_or_else(|| unknown_level(schema, variable, label))
}

fn check_variable(schema: &Schema, variable: Var) -> Result<()> {
    if variable < schema.len() {
        return Ok(());
    }
    let problem = format!("there is no variable {variable}");
    Err(Error::question(problem, format!("there are {}, counted from 0", schema.len())))
}

fn unknown_level(schema: &Schema, variable: Var, label: &str) -> Error {
    let variable = schema.variable(variable);
    let levels = || variable.levels.iter().map(String::as_str);
    let remedy = match nearest(label, levels()) {
        Some(near) => Remedy::DidYouMean(near.to_owned()),
        None => Remedy::Advice(format!("its levels are {}", quoted_list(levels())).into()),
    };
    Error::question(format!("{} is not a level of {}", quoted(label), quoted(&variable.name)), remedy)
}

/// A reading of the whole text by names and levels as they are, if there is one.
fn literal(schema: &Schema, text: &str) -> Option<Vec<(Var, u32)>> {
    let mut names: Vec<Var> =
        (0..schema.len()).filter(|&v| rest_after(text, schema.name(v), '=').is_some()).collect();
    names.sort_by_key(|&v| std::cmp::Reverse(schema.name(v).len()));
    for variable in names {
        let Some(rest) = rest_after(text, schema.name(variable), '=') else { continue };
        let labels = &schema.variable(variable).levels;
        if let Some(level) = labels.iter().position(|label| label == rest) {
            return Some(vec![(variable, level as u32)]);
        }
        for (level, label) in labels.iter().enumerate() {
            let more = rest_after(rest, label, ',').and_then(|rest| literal(schema, rest));
            if let Some(mut pairs) = more {
                pairs.insert(0, (variable, level as u32));
                return Some(pairs);
            }
        }
    }
    None
}

fn rest_after<'a>(text: &'a str, start: &str, mark: char) -> Option<&'a str> {
    text.trim_start().strip_prefix(start)?.strip_prefix(mark)
}

/// The variable that a text begins with, by the longest name as it is or by what stands before
/// the first equals sign outside quotes, and the text after that sign; `None` without one.
fn after_name<'a>(schema: &Schema, text: &'a str) -> Result<Option<(Var, &'a str)>> {
    let as_it_is = (0..schema.len()).filter_map(|v| Some((v, rest_after(text, schema.name(v), '=')?)));
    if let Some(longest) = as_it_is.max_by_key(|&(v, _)| schema.name(v).len()) {
        return Ok(Some(longest));
    }
    let Some((name, rest)) = split_once(text, '=') else { return Ok(None) };
    Ok(Some((find_variable(schema, &unquoted(name))?, rest)))
}

/// The pairs of a text split at commas and equals signs outside quotes.
fn quoted_pairs(schema: &Schema, text: &str) -> Result<Vec<(Var, u32)>> {
    let mut pairs = Vec::new();
    for part in split(text, ',') {
        let Some((variable, label)) = after_name(schema, part)? else {
            let hint = "write name=level, with commas between, and in double quotes what contains them";
            return Err(Error::question(format!("{} is not of the form name=level", quoted(part)), hint));
        };
        pairs.push((variable, find_level(schema, variable, &unquoted(label))?));
    }
    Ok(pairs)
}

pub(super) fn impossible() -> Error {
    Error::question("the evidence has probability 0 in this model", "nothing can be said given it")
}
