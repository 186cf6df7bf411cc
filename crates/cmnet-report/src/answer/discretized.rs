//! What became of columns of numbers: `cmnet discretize`.

use super::Answer;
use super::described::{Description, LevelCount};
use cmnet::{CutSearch, Cuts, LoadedTable};
use serde::Serialize;
use std::fmt;

/// `cmnet-discretize/1`: the columns that were cut.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DiscretizedAnswer {
    /// Observations, counted by weight.
    pub rows: u64,
    /// The columns of numbers that were cut, in column order.
    pub columns: Vec<CutAnswer>,
    /// How the graph found cut points, where it did.
    pub search: Option<SearchAnswer>,
    /// The files that were written.
    pub written: Vec<String>,
}

/// A column of numbers that was cut.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CutAnswer {
    /// Its name.
    pub name: String,
    /// The rule, as it is typed.
    pub rule: String,
    /// How many different numbers it had.
    pub numbers: usize,
    /// Where it was cut; null where it has one number.
    pub cuts: Option<Cuts>,
    /// The classes in their order, each with its number of observations.
    pub levels: Vec<LevelCount>,
}

/// How the graph found cut points.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SearchAnswer {
    /// Graphs that were searched for.
    pub rounds: usize,
    /// The log score at equal frequency, values within classes included.
    pub before: f64,
    /// That of the cut points that were kept.
    pub after: f64,
}

impl DiscretizedAnswer {
    /// What became of a table.
    pub fn of(loaded: &LoadedTable, search: Option<&CutSearch>, written: Vec<String>) -> Self {
        let mut described = Description::of(&loaded.data).variables;
        let columns = loaded.cuts.iter().map(|column| {
            let own = described.iter_mut().find(|variable| variable.name == column.name);
            CutAnswer {
                name: column.name.clone(),
                rule: column.rule.to_string(),
                numbers: column.numbers,
                cuts: column.cuts.clone(),
                levels: own.map(|own| std::mem::take(&mut own.levels)).unwrap_or_default(),
            }
        });
        let columns = columns.collect();
        let search = search.map(|search| SearchAnswer {
            rounds: search.rounds,
            before: search.before,
            after: search.after,
        });
        Self { rows: loaded.data.rows(), columns, search, written }
    }
}

impl Answer for DiscretizedAnswer {
    const FORMAT: &'static str = "cmnet-discretize/1";
}

impl fmt::Display for DiscretizedAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.columns.is_empty() {
            writeln!(f, "No column was cut: none has more than 20 different numbers and nothing else.")?;
        }
        for column in &self.columns {
            writeln!(f, "{}: {} different numbers, {}", column.name, column.numbers, column.rule)?;
            for level in &column.levels {
                writeln!(f, "  {}: {}", level.label, level.count)?;
            }
        }
        if let Some(search) = &self.search {
            writeln!(
                f,
                "score {:.3} at equal frequency, {:.3} with these cut points; graphs learned: {}",
                search.before, search.after, search.rounds
            )?;
        }
        self.written.iter().try_for_each(|path| writeln!(f, "wrote {path}"))
    }
}
