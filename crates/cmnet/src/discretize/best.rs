//! The cut points of one column that fit its neighbours best, exactly.
//!
//! Without contexts, the score of equation (7) is a sum over classes. Cut one column into k levels,
//! and every class belongs to one of the levels: in the node's own family the count of the level in
//! each configuration of its neighbours, and in a neighbour's family all classes of configurations
//! with the level. So the score is a sum over the levels, and the best cut points come from a
//! dynamic program over intervals.
//!
//! Levels of which one takes all rows are easy to predict. So each row also has the probability of
//! its value within its level, 1 / n_b for n_b rows: the score then speaks of the values, and not of
//! the levels, and cuts of one column can be compared.

use crate::control::{Control, Pace};
use crate::data::{Var, numbered_configurations};
use crate::error::Result;
use crate::graph::Graph;
use crate::score::{Nats, RisingTable};
use std::collections::BTreeMap;

/// Rows as codes, one list per variable, and how often each was observed.
#[derive(Debug)]
pub(super) struct Coded {
    pub(super) columns: Vec<Vec<u32>>,
    pub(super) weights: Vec<u32>,
    /// The number of levels of each variable.
    pub(super) cardinalities: Vec<u32>,
}

/// The family of one node, as far as it depends on the column that is cut.
#[derive(Debug)]
struct Family {
    /// For each cell of the grid: configuration, level and count.
    cells: Vec<Vec<(u32, u32, u32)>>,
    configurations: usize,
    /// The levels of the node, where it is a neighbour: the own node is the level.
    levels: Option<u32>,
}

impl Coded {
    fn family(&self, node: Option<Var>, others: impl Iterator<Item = Var>, grid: &Grid<'_>) -> Family {
        let (numbers, configurations) = numbered_configurations(&self.columns, others);
        let mut cells: Vec<BTreeMap<(u32, u32), u32>> = vec![BTreeMap::new(); grid.size];
        for (row, &number) in numbers.iter().enumerate() {
            let level = node.map_or(0, |node| self.columns[node][row]);
            *cells[grid.of_rows[row] as usize].entry((number, level)).or_default() += self.weights[row];
        }
        let listed = |cell: BTreeMap<(u32, u32), u32>| {
            cell.into_iter().map(|((number, level), count)| (number, level, count)).collect()
        };
        Family {
            cells: cells.into_iter().map(listed).collect(),
            configurations,
            levels: node.map(|node| self.cardinalities[node]),
        }
    }
}

impl Family {
    /// The contribution of the level that takes the cells from `first` to each further cell, in order.
    fn sums_from(&self, first: usize, table: &RisingTable) -> Vec<Nats> {
        let (rising, width) = (table.starting_at(1), self.levels.unwrap_or(1) as usize);
        let class = self.levels.map(|levels| table.starting_at(levels));
        let mut counts = vec![0_u32; self.configurations * width];
        let mut totals = vec![0_u32; self.configurations];
        let mut sum = Nats::ZERO;
        let mut sums = Vec::with_capacity(self.cells.len() - first);
        for cell in &self.cells[first..] {
            for &(configuration, level, count) in cell {
                let own = &mut counts[configuration as usize * width + level as usize];
                sum += rising.ln(*own + count) - rising.ln(*own);
                *own += count;
                if let Some(class) = class {
                    let total = &mut totals[configuration as usize];
                    sum -= class.ln(*total + count) - class.ln(*total);
                    *total += count;
                }
            }
            sums.push(sum);
        }
        sums
    }
}

/// The grid of a column: the cell of each row, and the number of cells.
pub(super) struct Grid<'a> {
    pub(super) of_rows: &'a [u32],
    pub(super) size: usize,
}

/// What a column is cut for: the levels of all others, and the graph.
pub(super) struct Given<'a> {
    pub(super) rows: &'a Coded,
    pub(super) graph: &'a Graph,
    pub(super) table: &'a RisingTable,
    pub(super) control: &'a dyn Control,
}

impl Given<'_> {
    /// The cells at which the levels begin, but for the first, when the column of a variable is cut into so many
    /// levels; and the score, up to what no cut changes.
    pub(super) fn best_cut(
        &self,
        variable: Var,
        grid: &Grid<'_>,
        levels: usize,
    ) -> Result<(Vec<usize>, Nats)> {
        let families = self.families(variable, grid);
        let mut totals = vec![0_u64; grid.size];
        for (&cell, &weight) in grid.of_rows.iter().zip(&self.rows.weights) {
            totals[cell as usize] += u64::from(weight);
        }
        let mut pace = Pace::new(self.control);
        let mut scores: Vec<Vec<Nats>> = Vec::with_capacity(grid.size);
        for first in 0..grid.size {
            pace.step(self.rows.weights.len() * families.len())?;
            let mut sums = vec![Nats::ZERO; grid.size - first];
            for family in &families {
                sums.iter_mut().zip(family.sums_from(first, self.table)).for_each(|(sum, own)| *sum += own);
            }
            let mut total = 0;
            for (sum, rows) in sums.iter_mut().zip(&totals[first..]) {
                total += rows;
                *sum -= Nats::ln_integer(total) * total;
            }
            scores.push(sums);
        }
        Ok(best_division(&scores, levels.min(grid.size)))
    }

    /// The families that depend on the cut: the variable's own and those of its neighbours.
    fn families(&self, variable: Var, grid: &Grid<'_>) -> Vec<Family> {
        let neighbours = self.graph.markov_blanket(variable);
        let mut families = vec![self.rows.family(None, neighbours.iter(), grid)];
        for node in neighbours.iter() {
            let others = self.graph.markov_blanket(node).iter().filter(|&other| other != variable);
            families.push(self.rows.family(Some(node), others, grid));
        }
        families
    }
}

/// The best division of cells into so many intervals: where they begin, but for the first, and the sum.
/// `scores[first][length - 1]` is the score of an interval.
fn best_division(scores: &[Vec<Nats>], intervals: usize) -> (Vec<usize>, Nats) {
    let size = scores.len();
    let score = |first: usize, end: usize| scores[first][end - first - 1];
    // best[end] of the divisions of the first `end` cells, and where the last interval begins.
    let mut best: Vec<Option<Nats>> = vec![None; size + 1];
    best[0] = Some(Nats::ZERO);
    let mut begins: Vec<Vec<usize>> = Vec::with_capacity(intervals);
    for _ in 0..intervals {
        let (mut next, mut begin) = (vec![None; size + 1], vec![0; size + 1]);
        for end in 1..=size {
            for (first, before) in best.iter().enumerate().take(end) {
                let Some(before) = *before else { continue };
                let sum = before + score(first, end);
                if next[end].is_none_or(|known| sum > known) {
                    (next[end], begin[end]) = (Some(sum), first);
                }
            }
        }
        best = next;
        begins.push(begin);
    }
    let mut starts = Vec::with_capacity(intervals);
    let mut end = size;
    for begin in begins.iter().rev() {
        end = begin[end];
        starts.push(end);
    }
    starts.pop();
    starts.reverse();
    (starts, best[size].unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::RowCounts;
    use crate::data::{Codes, Schema, Variable, collapse, mix_seed};
    use crate::graph::Edge;
    use crate::score::{Alpha, Scorer};
    use crate::structure::Structure;

    /// The score of a cut by the scorer of structures.
    fn literal(rows: &Coded, graph: &Graph, variable: Var, grid: &[u32], starts: &[usize]) -> f64 {
        let mut columns = rows.columns.clone();
        columns[variable] = grid
            .iter()
            .map(|&cell| starts.iter().filter(|&&start| start <= cell as usize).count() as u32)
            .collect();
        let mut cardinalities = rows.cardinalities.clone();
        cardinalities[variable] = starts.len() as u32 + 1;
        let named = |(place, &levels): (usize, &u32)| Variable {
            name: format!("x{place}"),
            levels: (0..levels).map(|level| level.to_string()).collect(),
        };
        let schema = Schema::new_unchecked(cardinalities.iter().enumerate().map(named).collect());
        let codes: Vec<Codes> =
            columns.iter().map(|column| Codes::from_codes(column.iter().map(|&code| code as u16))).collect();
        let data = collapse(schema, &codes, &rows.weights).unwrap();
        let counts = RowCounts::new(&data);
        let mut structure = Structure::empty(&cardinalities);
        graph.edges().for_each(|edge| assert!(structure.add_edge(edge).unwrap()));
        let score = Scorer::new(&counts, Alpha::default()).log_mpl(&structure).unwrap().to_f64();
        let density =
            data.level_counts(variable).iter().map(|&rows| rows as f64 * libm::log(rows as f64)).sum::<f64>();
        score - density
    }

    fn subsets(size: usize, count: usize, from: usize) -> Vec<Vec<usize>> {
        if count == 0 {
            return vec![Vec::new()];
        }
        let with = |first: usize| {
            subsets(size, count - 1, first + 1).into_iter().map(move |rest| [vec![first], rest].concat())
        };
        (from..size).flat_map(with).collect()
    }

    #[test]
    fn no_other_cut_scores_higher() {
        const CELLS: usize = 7;
        for seed in 0..6_u64 {
            let random = |row: u64, of: u64| mix_seed(seed * 1000 + row * 10 + of);
            let grid: Vec<u32> = (0..60).map(|row| (random(row, 0) % CELLS as u64) as u32).collect();
            let noisy = |row: usize, of: u64| {
                let own = u32::from(u64::from(grid[row]) * 2 > 3 + seed);
                if random(row as u64, of) % 4 == 0 { 1 - own } else { own }
            };
            let columns = vec![
                vec![0; 60],
                (0..60).map(|row| noisy(row, 1)).collect(),
                (0..60).map(|row| noisy(row, 2) + u32::from(random(row as u64, 3) % 5 == 0)).collect(),
                (0..60).map(|row| (random(row as u64, 4) % 3) as u32).collect(),
            ];
            let weights = (0..60).map(|row| 1 + (random(row, 5) % 2) as u32).collect();
            let rows = Coded { columns, weights, cardinalities: vec![1, 2, 3, 3] };
            let mut graph = Graph::empty(4);
            for (one, other) in [(0, 1), (0, 2), (1, 2), (2, 3)] {
                graph.toggle(Edge::new(one, other).unwrap());
            }
            let table = RisingTable::new(Alpha::default(), [2, 3, 4], 200);
            let given = Given { rows: &rows, graph: &graph, table: &table, control: &() };
            for levels in [2, 3, 4] {
                let cells = Grid { of_rows: &grid, size: CELLS };
                let (starts, _) = given.best_cut(0, &cells, levels).unwrap();
                let all = subsets(CELLS, levels - 1, 1);
                let scores: Vec<f64> =
                    all.iter().map(|starts| literal(&rows, &graph, 0, &grid, starts)).collect();
                let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let own = literal(&rows, &graph, 0, &grid, &starts);
                assert!(own >= highest - 1e-9, "{seed} {levels}: {starts:?} {own} {highest}");
            }
        }
    }
}
