//! The UAI format, which other inference engines read: a network of the kind MARKOV, and
//! evidence files.
//!
//! Variables are numbers in column order and levels are codes; the format has no names. One
//! factor per maximal clique is written, each scaled so that its largest entry is 1, which
//! leaves every conditional probability as it is; entries below 1e-299 of that become 1e-299.
//!
//! The variables of a factor are written in descending order. The format lets the last one
//! run fastest, whatever the order; pyAgrum's reader takes the lowest for the fastest,
//! whatever the order. Descending is where both agree.

use super::model_error::error_at;
use super::source::open_file;
use crate::data::{Schema, Var, Variable};
use crate::error::{Error, Result};
use crate::graph::Edge;
use crate::inference::{Evidence, Factors};
use crate::loglinear::{Parameters, Terms};
use crate::structure::Structure;
use crate::table::{Shape, cells_along};
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;

/// The largest file read, in bytes.
const LARGEST: u64 = 1 << 30;

/// The most cells of the tables that an import lays out.
const MOST_CELLS: u64 = 1 << 26;

/// The most levels of all variables together: each gets a name.
const MOST_LEVELS: u64 = 1 << 24;

/// A network of the kind MARKOV, as text.
pub fn network_to_text(cardinalities: &[u32], factors: &Factors) -> String {
    let mut text = format!("MARKOV\n{}\n", cardinalities.len());
    let words = |numbers: &mut dyn Iterator<Item = String>| numbers.collect::<Vec<_>>().join(" ");
    let _ = writeln!(text, "{}", words(&mut cardinalities.iter().map(u32::to_string)));
    let _ = writeln!(text, "{}", factors.tables().len());
    for (variables, _) in factors.tables() {
        let scope = words(&mut variables.iter().rev().map(Var::to_string));
        let _ = writeln!(text, "{} {scope}", variables.len());
    }
    for (variables, table) in factors.tables() {
        let largest = table.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let value = |cell: usize| format!("{:e}", libm::exp((table[cell] - largest).max(-690.0)));
        let cells = first_fastest(variables, cardinalities);
        let _ = write!(text, "\n{}\n{}\n", table.len(), words(&mut cells.into_iter().map(value)));
    }
    text
}

/// The cells of a table whose last variable runs fastest, in the order in which the first one
/// does.
fn first_fastest(variables: &[Var], cardinalities: &[u32]) -> Vec<usize> {
    cells_along(0, Shape::new(variables.to_vec(), cardinalities).axes().rev())
}

/// Hard evidence as text: how many, then variable and level each.
pub fn evidence_to_text(evidence: &Evidence) -> String {
    let pairs: Vec<String> = evidence.hard().map(|(variable, level)| format!("{variable} {level}")).collect();
    [pairs.len().to_string()].into_iter().chain(pairs).collect::<Vec<_>>().join(" ") + "\n"
}

/// Reads hard evidence into what is known already: how many, then variable and level each.
/// Older files begin with the number of samples; that must be 1.
///
/// # Errors
/// When the text is not of that form, or contradicts the schema or the other evidence.
pub fn read_evidence(text: &str, file: &str, schema: &Schema, evidence: &mut Evidence) -> Result<()> {
    let mut words = Words::new(text, file);
    // Pairs and their count are an odd number of words; one more is the number of samples.
    let count = text.split_whitespace().count();
    if count > 2 && count.is_multiple_of(2) {
        let samples = words.number("the number of observed variables")?;
        if samples != 1 {
            let problem = format!("{samples} samples of evidence, or words missing; expected one sample");
            return Err(words.error_at(problem));
        }
    }
    let count = words.number("the number of observed variables")?;
    for _ in 0..count {
        let variable = words.number("a variable")?;
        let level = words.number("a level")?;
        evidence.observe(schema, variable, u32::try_from(level).unwrap_or(u32::MAX))?;
    }
    words.end()
}

/// A network read from a file: a structure without contexts, and its phi-terms.
#[derive(Clone, Debug)]
pub struct Imported {
    /// Made-up names X0, X1, ... and levels 0, 1, ...
    pub schema: Schema,
    /// Variables of one factor are connected.
    pub structure: Structure,
    /// The terms of each complete set; log Z is not known.
    pub parameters: Parameters,
}

/// Reads a network of the kind MARKOV.
///
/// # Errors
/// When the text is not of that form, a factor has an entry that is not positive, or the
/// tables are too large.
pub fn read_network(text: &str, file: &str) -> Result<Imported> {
    let mut words = Words::new(text, file);
    let kind = words.next("MARKOV")?;
    if kind != "MARKOV" {
        return Err(words.error_at(format!("the kind is {kind:?}; only MARKOV networks are read")));
    }
    let count = words.number("the number of variables")?;
    let mut cardinalities = Vec::new();
    for _ in 0..count {
        let levels = words.number("a number of levels")?;
        if levels == 0 || levels > crate::data::MAX_LEVELS {
            return Err(words.error_at(format!("a variable with {levels} levels")));
        }
        cardinalities.push(levels as u32);
    }
    if cardinalities.is_empty() {
        return Err(words.error_at("there is no variable".to_owned()));
    }
    let scopes = read_scopes(&mut words, &cardinalities)?;
    let mut tables = Vec::new();
    for scope in scopes {
        let table = read_table(&mut words, &scope, &cardinalities)?;
        tables.push((scope, table));
    }
    words.end()?;
    assemble(&cardinalities, tables)
}

fn read_scopes(words: &mut Words<'_>, cardinalities: &[u32]) -> Result<Vec<Vec<Var>>> {
    let count = words.number("the number of factors")?;
    let mut scopes = Vec::new();
    for _ in 0..count {
        let size = words.number("the size of a factor")?;
        let mut scope: Vec<Var> = Vec::new();
        for _ in 0..size {
            let variable = words.number("a variable of a factor")?;
            if variable >= cardinalities.len() || scope.contains(&variable) {
                return Err(words.error_at(format!("variable {variable} in a factor: unknown or twice")));
            }
            scope.push(variable);
        }
        let cells = scope.iter().try_fold(1u64, |s, &v| s.checked_mul(cardinalities[v].into()));
        if cells.is_none_or(|cells| cells > MOST_CELLS) {
            return Err(Error::limit("the size of a factor", MOST_CELLS, "split it"));
        }
        scopes.push(scope);
    }
    Ok(scopes)
}

/// The logarithms of a factor's entries, in the factor's own order of variables.
fn read_table(words: &mut Words<'_>, scope: &[Var], cardinalities: &[u32]) -> Result<Vec<f64>> {
    let size: usize = scope.iter().map(|&v| cardinalities[v] as usize).product();
    let count = words.number("the number of entries of a factor")?;
    if count != size {
        return Err(words.error_at(format!("a factor with {count} entries; expected {size}")));
    }
    let mut logs = Vec::with_capacity(size);
    for _ in 0..size {
        let word = words.next("an entry of a factor")?;
        let value: f64 = word.parse().unwrap_or(f64::NAN);
        if !(value > 0.0 && value.is_finite()) {
            let problem = format!(
                "the entry {word:?}; expected a positive number: a contextual Markov network gives every \
                 configuration a positive probability"
            );
            return Err(words.error_at(problem));
        }
        logs.push(libm::log(value));
    }
    Ok(logs)
}

/// The structure that connects the variables of each factor, with the factors' terms.
fn assemble(cardinalities: &[u32], tables: Vec<(Vec<Var>, Vec<f64>)>) -> Result<Imported> {
    let mut structure = Structure::empty(cardinalities);
    for (scope, _) in &tables {
        for (place, &one) in scope.iter().enumerate() {
            for &other in &scope[place + 1..] {
                structure.add_edge(Edge::new(one, other)?)?;
            }
        }
    }
    let levels: u64 = cardinalities.iter().copied().map(u64::from).sum();
    if levels > MOST_LEVELS {
        return Err(Error::limit(format!("{levels} levels in all"), MOST_LEVELS, "is it a UAI file?"));
    }
    let variable = |(index, &levels): (usize, &u32)| Variable {
        name: format!("X{index}"),
        levels: (0..levels).map(|level| level.to_string()).collect(),
    };
    let schema = Schema::new(cardinalities.iter().enumerate().map(variable).collect())?;
    let parameters = Parameters::from_tables(Terms::new(&structure, Some(&schema))?, tables)?;
    Ok(Imported { schema, structure, parameters })
}

/// Reads a text file of limited size.
///
/// # Errors
/// When it cannot be read, is too large or is not UTF-8.
pub fn read_text(path: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    let limited = open_file(path)?.take(LARGEST + 1).read_to_end(&mut bytes);
    limited.map_err(|source| Error::io(path, "read", source))?;
    let file = path.display().to_string();
    if bytes.len() as u64 > LARGEST {
        return Err(Error::limit(format!("the file {file}"), "1 GiB", "is it a UAI file?"));
    }
    String::from_utf8(bytes).map_err(|_| error_at(&file, "text", "it is not UTF-8".to_owned()))
}

/// The words of a file, with their numbers for errors.
struct Words<'a> {
    rest: std::str::SplitWhitespace<'a>,
    file: &'a str,
    read: usize,
}

impl<'a> Words<'a> {
    fn new(text: &'a str, file: &'a str) -> Self {
        Self { rest: text.split_whitespace(), file, read: 0 }
    }

    fn next(&mut self, what: &str) -> Result<&'a str> {
        self.read += 1;
        match self.rest.next() {
            Some(word) => Ok(word),
            None => Err(self.error_at(format!("the file ends; expected {what}"))),
        }
    }

    fn number(&mut self, what: &str) -> Result<usize> {
        let word = self.next(what)?;
        word.parse().map_err(|_| self.error_at(format!("{:?}; expected {what}", cut(word))))
    }

    fn end(&mut self) -> Result<()> {
        match self.rest.next() {
            None => Ok(()),
            Some(word) => Err(self.error_at(format!("{:?} after the end", cut(word)))),
        }
    }

    fn error_at(&self, problem: String) -> Error {
        error_at(self.file, &format!("word {}", self.read), problem)
    }
}

fn cut(word: &str) -> String {
    word.chars().take(40).collect()
}
