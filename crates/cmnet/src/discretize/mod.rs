//! Cut points by the graph, and the graph by the cut points, in turn.

mod best;

use crate::control::{Control, ask};
use crate::data::{
    BinRule, Bins, CutColumn, Cuts, Dataset, LoadedIncomplete, LoadedTable, RawTable, Schema, Var, Warning,
    equal_frequency,
};
use crate::error::{Error, OptionName, Result};
use crate::graph::{Edge, Graph};
use crate::learn::{ContextChoice, LearnObserver, LearnOptions, Refine, Select, Tune, in_pool, learn_here};
use crate::score::{Kappa, Nats, RisingTable};
use best::{Coded, Given, Grid};

/// Cells of about equal frequency between which cuts are looked for.
const CELLS: usize = 32;
/// The most searches for a graph.
const ROUNDS: usize = 10;
/// The most times that all columns are cut anew for one graph.
const SWEEPS: usize = 10;

/// How cut points were found.
#[derive(Clone, Debug, PartialEq)]
pub struct CutSearch {
    /// Graphs that were searched for.
    pub rounds: usize,
    /// The log score of equal frequency with its graph, values within levels included.
    pub before: f64,
    /// That of the cut points that were kept.
    pub after: f64,
}

/// Cuts the columns whose rule is [`BinRule::Graph`] where their neighbours in the graph are told best, and
/// learns the graph anew, in turn, while that raises the score. `None` where no column has that rule.
///
/// The graph is learned without contexts by the options' search, prior and knowledge. Its score is
/// log p(x | G) + log p(G), where each value also has its probability within its level; so
/// different cut points can be compared. For one graph, each column in turn gets its best cut points
/// on a grid of about 32 cells, exactly. A column without neighbours keeps equal frequency. Columns that
/// [`Bins::sparing`] names are no variables of the graph.
///
/// # Errors
/// When an option cannot be used, or the observer asks to stop.
pub fn cut_by_graph(
    loaded: &mut LoadedTable,
    bins: &Bins,
    options: &LearnOptions,
    observer: &dyn LearnObserver,
) -> Result<Option<CutSearch>> {
    let Some(raw) = loaded.raw.take() else { return Ok(None) };
    let (found, cuts) = search(&raw, bins, &loaded.data, options, observer)?;
    loaded.data = raw.cut(&cuts, observer)?;
    tell_cuts(&mut loaded.cuts, loaded.data.schema());
    loaded.warnings = Warning::of_cut(&loaded.data, bins.others().is_some());
    Ok(Some(found))
}

/// The same for a table with missing values: rows without any find the graph and the cut points, and all rows are
/// cut there.
///
/// # Errors
/// As [`cut_by_graph`]; when no row is without missing values.
pub fn cut_incomplete_by_graph(
    loaded: &mut LoadedIncomplete,
    bins: &Bins,
    options: &LearnOptions,
    observer: &dyn LearnObserver,
) -> Result<Option<CutSearch>> {
    let Some(raw) = loaded.raw.take() else { return Ok(None) };
    if raw.complete().data().rows() == 0 {
        let expected = "frequency, width or given points: the graph finds cut points on rows without missing values, \
                        and there is none";
        return Err(Error::option(OptionName::Bins, "graph", expected));
    }
    let schema = loaded.table.schema();
    let fixed: Vec<Option<Cuts>> = (0..schema.len()).map(|variable| schema.cuts(variable).cloned()).collect();
    let data = raw.complete().cut(&fixed, observer)?;
    let (found, cuts) = search(raw.complete(), bins, &data, options, observer)?;
    loaded.table = raw.cut(&cuts, observer)?;
    tell_cuts(&mut loaded.cuts, loaded.table.schema());
    loaded.warnings = Warning::of_incomplete(&loaded.table);
    Ok(Some(found))
}

/// Looks for cut points from those that a table has.
fn search(
    raw: &RawTable,
    bins: &Bins,
    data: &Dataset,
    options: &LearnOptions,
    observer: &dyn LearnObserver,
) -> Result<(CutSearch, Vec<Option<Cuts>>)> {
    let options = LearnOptions {
        kappas: vec![Kappa::Epsilon],
        refine: Refine::No,
        select: Select::None,
        contexts: ContextChoice::All,
        tune: Tune::NOTHING,
        target: None,
        ..options.clone()
    };
    let mut cutting = Cutting::new(raw, bins, data);
    let found = in_pool(&options, || cutting.run(&options, observer))?;
    Ok((found, cutting.cuts()))
}

/// Says where columns were cut in the end.
fn tell_cuts(columns: &mut [CutColumn], schema: &Schema) {
    for column in columns {
        if let Some(variable) = schema.find(&column.name) {
            column.cuts = schema.cuts(variable).cloned();
        }
    }
}

/// A column whose cut points are looked for.
#[derive(Debug)]
struct Column {
    variable: Var,
    levels: usize,
    /// The number, by place, at which each cell begins; the first begins at 0.
    cells: Vec<usize>,
    /// The cell of each row.
    of_rows: Vec<u32>,
    /// The cells at which levels begin, but for the first.
    starts: Vec<usize>,
}

#[derive(Debug)]
struct Cutting<'a> {
    raw: &'a RawTable,
    /// The cut points of all columns at the start.
    fixed: Vec<Option<Cuts>>,
    columns: Vec<Column>,
    /// The columns that the graph is of; others are no variables.
    variables: Vec<Var>,
}

impl<'a> Cutting<'a> {
    /// The start: as the table was cut, which is equal frequency.
    fn new(raw: &'a RawTable, bins: &Bins, data: &Dataset) -> Self {
        let fixed = (0..data.variables()).map(|variable| data.schema().cuts(variable).cloned()).collect();
        let column = |variable: Var| {
            let rule = bins.rule(data.schema().name(variable)).or(bins.others());
            match rule {
                Some(BinRule::Graph(levels)) => Column::new(raw, variable, *levels),
                _ => None,
            }
        };
        let variables = (0..data.variables()).filter(|&variable| !bins.spares(data.schema().name(variable)));
        let variables = variables.collect();
        Self { raw, fixed, columns: raw.numbers().filter_map(column).collect(), variables }
    }

    fn cuts(&self) -> Vec<Option<Cuts>> {
        let mut cuts = self.fixed.clone();
        for column in &self.columns {
            let numbers: Vec<usize> = column.starts.iter().map(|&start| column.cells[start]).collect();
            cuts[column.variable] = self.raw.cuts_before(column.variable, &numbers);
        }
        cuts
    }

    /// Searches for graphs and cuts in turn.
    fn run(&mut self, options: &LearnOptions, observer: &dyn LearnObserver) -> Result<CutSearch> {
        let (graph, score) = self.learn(options, observer)?;
        let mut best = (score, self.starts());
        let mut found = CutSearch { rounds: 1, before: score.to_f64(), after: score.to_f64() };
        let mut graph = graph;
        while found.rounds < ROUNDS && self.sweep(&graph, options, observer)? {
            let (next, score) = self.learn(options, observer)?;
            found.rounds += 1;
            if score <= best.0 {
                break;
            }
            best = (score, self.starts());
            graph = next;
        }
        self.columns.iter_mut().zip(best.1).for_each(|(column, starts)| column.starts = starts);
        found.after = best.0.to_f64();
        Ok(found)
    }

    fn starts(&self) -> Vec<Vec<usize>> {
        self.columns.iter().map(|column| column.starts.clone()).collect()
    }

    /// The graph of the table as it is cut now, and its score.
    fn learn(&self, options: &LearnOptions, observer: &dyn LearnObserver) -> Result<(Graph, Nats)> {
        let data = self.raw.cut(&self.cuts(), observer)?;
        let learned = if self.variables.len() == data.variables() {
            learn_here(&data, options, observer)?
        } else {
            learn_here(&data.select(&self.variables)?, options, observer)?
        };
        ask(observer)?;
        let model = learned.models.first();
        let mut graph = Graph::empty(data.variables());
        for edge in model.iter().flat_map(|model| model.structure.graph().edges()) {
            graph.add_edge(Edge::new(self.variables[edge.low()], self.variables[edge.high()])?);
        }
        let score = model.and_then(|model| model.score.total()).unwrap_or_default();
        let inside = |column: &Column| {
            let counts = data.level_counts(column.variable);
            counts.iter().filter(|&&rows| rows > 0).map(|&rows| Nats::ln_integer(rows) * rows).sum::<Nats>()
        };
        Ok((graph, score - self.columns.iter().map(inside).sum()))
    }

    /// Cuts each column anew for a graph until none changes; whether one did.
    fn sweep(&mut self, graph: &Graph, options: &LearnOptions, control: &dyn Control) -> Result<bool> {
        let mut rows = self.coded();
        let levels =
            rows.cardinalities.iter().copied().chain(self.columns.iter().map(|own| own.levels as u32));
        let table = RisingTable::new(options.alpha, levels, self.raw.data().rows());
        let mut changed = false;
        for _ in 0..SWEEPS {
            let mut again = false;
            for column in &mut self.columns {
                if graph.markov_blanket(column.variable).is_empty() {
                    continue;
                }
                let grid = Grid { of_rows: &column.of_rows, size: column.cells.len() };
                let given = Given { rows: &rows, graph, table: &table, control };
                let (starts, _) = given.best_cut(column.variable, &grid, column.starts.len() + 1)?;
                if starts != column.starts {
                    column.starts = starts;
                    again = true;
                    rows.columns[column.variable] = column.codes();
                }
            }
            changed |= again;
            if !again {
                break;
            }
        }
        Ok(changed)
    }

    /// The rows of the raw table with the levels of now.
    fn coded(&self) -> Coded {
        let (data, cuts) = (self.raw.data(), self.cuts());
        let column = |variable: Var| -> Vec<u32> {
            let spans = self.raw.spans(variable);
            let codes = data.column(variable).iter();
            match &cuts[variable] {
                Some(cuts) if !spans.is_empty() => {
                    let levels: Vec<u32> = spans.iter().map(|span| cuts.level(span.low)).collect();
                    codes.map(|code| levels[code as usize]).collect()
                }
                _ => codes.collect(),
            }
        };
        let mut cardinalities = data.schema().cardinalities();
        for (variable, cuts) in cuts.iter().enumerate() {
            if let Some(cuts) = cuts {
                cardinalities[variable] = cuts.points().len() as u32 + 1;
            }
        }
        let columns = (0..data.variables()).map(column).collect();
        Coded { columns, weights: data.weights().to_vec(), cardinalities }
    }
}

impl Column {
    /// A column that has at least two numbers.
    fn new(raw: &RawTable, variable: Var, levels: usize) -> Option<Self> {
        let counts = raw.data().level_counts(variable);
        let begins = equal_frequency(&counts, levels);
        let mut cells = [vec![0], equal_frequency(&counts, CELLS), begins.clone()].concat();
        cells.sort_unstable();
        cells.dedup();
        let cell = |number: usize| cells.partition_point(|&begin| begin <= number) - 1;
        let starts: Vec<usize> = begins.iter().map(|&number| cell(number)).collect();
        let of_rows = raw.data().column(variable).iter().map(|code| cell(code as usize) as u32).collect();
        (!starts.is_empty()).then_some(Self { variable, levels, cells, of_rows, starts })
    }

    /// The level of each row.
    fn codes(&self) -> Vec<u32> {
        let level = |&cell: &u32| self.starts.partition_point(|&start| start <= cell as usize) as u32;
        self.of_rows.iter().map(level).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{ReadOptions, Source, read_csv};
    use std::fmt::Write as _;

    /// Ages, of which those from 70 on are often ill; folds change at 45.
    fn ages(folds: bool) -> String {
        let mut text = if folds { "age,ill,fold\n" } else { "age,ill\n" }.to_owned();
        for row in 0..600_u64 {
            let mixed = (row * 2_654_435_761) % 1009;
            let age = 20 + mixed % 70;
            let ill = if age >= 70 { mixed % 5 != 0 } else { mixed % 11 == 0 };
            let fold = if age >= 45 { ",b" } else { ",a" };
            let _ = writeln!(text, "{age},{ill}{}", if folds { fold } else { "" });
        }
        text
    }

    #[test]
    fn columns_that_are_no_variables_do_not_cut_others() {
        let points = |folds: bool, bins: Bins| {
            let options = ReadOptions { bins: bins.clone(), ..ReadOptions::default() };
            let mut loaded = read_csv(&Source::bytes("ages", ages(folds)), &options).unwrap();
            cut_by_graph(&mut loaded, &bins, &LearnOptions::default(), &()).unwrap();
            loaded.data.schema().cuts(0).unwrap().points().to_vec()
        };
        let bins = || Bins::read(["graph:2"]).unwrap();
        assert_eq!(points(false, bins()), [70.0]);
        assert!(points(true, bins())[0] < 50.0, "a variable of the graph");
        assert_eq!(points(true, bins().sparing("fold")), [70.0]);
    }
}
