//! What became of columns of numbers: `cmnet discretize`.

use super::Answer;
use super::described::LevelCount;
use cmnet::{CutColumn, CutSearch, Cuts, LoadedIncomplete, LoadedTable, Schema, Var};
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
        let data = &loaded.data;
        Self::new((data.schema(), data.rows()), &loaded.cuts, |v| data.level_counts(v), search, written)
    }

    /// What became of a table with missing values: they stay missing.
    pub fn of_incomplete(
        loaded: &LoadedIncomplete,
        search: Option<&CutSearch>,
        written: Vec<String>,
    ) -> Self {
        let table = &loaded.table;
        Self::new((table.schema(), table.rows()), &loaded.cuts, |v| table.level_counts(v), search, written)
    }

    fn new(
        (schema, rows): (&Schema, u64),
        cuts: &[CutColumn],
        counts: impl Fn(Var) -> Vec<u64>,
        search: Option<&CutSearch>,
        written: Vec<String>,
    ) -> Self {
        let levels = |variable: Var| {
            let counted = schema.variable(variable).levels.iter().zip(counts(variable));
            counted.map(|(label, count)| LevelCount { label: label.clone(), count }).collect()
        };
        let columns = cuts.iter().map(|column| CutAnswer {
            name: column.name.clone(),
            rule: column.rule.to_string(),
            numbers: column.numbers,
            cuts: column.cuts.clone(),
            levels: schema.find(&column.name).map(levels).unwrap_or_default(),
        });
        let columns = columns.collect();
        let search = search.map(|search| SearchAnswer {
            rounds: search.rounds,
            before: search.before,
            after: search.after,
        });
        Self { rows, columns, search, written }
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
