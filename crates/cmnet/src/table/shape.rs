//! The layout of a dense table over some variables, and walks from one layout to another.

use super::layout::{Layout, cells_along};
use crate::control::{PIECE, Pace};
use crate::data::Var;
use crate::error::Result;
use crate::graph::VarSet;
use std::convert::Infallible;

/// Variables in table order with their strides: the last one runs fastest.
///
/// Unlike [`crate::table::OutcomeSpace`] the order is free. A clique of a junction tree
/// starts with the separator towards its parent, so that each separator configuration owns
/// one contiguous run of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    variables: Vec<Var>,
    layout: Layout<usize>,
}

impl Shape {
    /// The layout of these variables, given the number of levels of *every* variable. The
    /// caller has checked that the size fits.
    pub(crate) fn new(variables: Vec<Var>, cardinalities: &[u32]) -> Self {
        let layout = Layout::new(variables.iter().map(|&v| cardinalities[v]).collect());
        Self { variables, layout }
    }

    /// The layout of some of these variables, in the order given.
    pub(crate) fn restricted(&self, variables: impl Iterator<Item = Var>) -> Self {
        let levels = |v: Var| self.position(v).map_or(1, |place| self.cardinalities()[place]);
        let variables: Vec<Var> = variables.collect();
        let layout = Layout::new(variables.iter().map(|&v| levels(v)).collect());
        Self { variables, layout }
    }

    fn position(&self, variable: Var) -> Option<usize> {
        self.variables.iter().position(|&own| own == variable)
    }

    /// The variables in table order.
    pub fn variables(&self) -> &[Var] {
        &self.variables
    }

    /// The number of cells.
    pub fn size(&self) -> usize {
        self.layout.size()
    }

    /// The number of levels of each variable, in table order.
    pub fn cardinalities(&self) -> &[u32] {
        self.layout.radices()
    }

    /// The stride of each variable, in table order.
    pub fn strides(&self) -> &[usize] {
        self.layout.strides()
    }

    /// The stride of a variable, 0 when it is not in the table.
    pub fn stride_of(&self, variable: Var) -> usize {
        self.position(variable).map_or(0, |position| self.strides()[position])
    }

    /// The cell of a row of levels of *all* variables.
    pub fn cell(&self, row: &[u32]) -> usize {
        self.layout.cell(self.variables.iter().map(|&v| row[v]))
    }

    /// The cell of levels of the table's own variables, in table order.
    pub(crate) fn cell_of(&self, levels: &[u32]) -> usize {
        self.layout.cell(levels.iter().copied())
    }

    /// The levels of the table's own variables in a cell, in table order.
    pub(crate) fn levels(&self, cell: usize) -> impl Iterator<Item = u32> + '_ {
        self.layout.digits(cell)
    }

    /// The axes of the table: how many levels, and how far apart they are.
    pub(crate) fn axes(&self) -> impl DoubleEndedIterator<Item = (usize, usize)> + Clone + '_ {
        self.cardinalities().iter().zip(self.strides()).map(|(&levels, &stride)| (levels as usize, stride))
    }

    /// The cells of the terms of a set of the table's variables: those where the set's levels
    /// are above 0 and all others are 0, the last variable of the set fastest. None when the
    /// table lacks a variable of the set.
    pub(crate) fn term_cells(&self, set: &VarSet) -> Vec<usize> {
        let Some(places) = set.iter().map(|v| self.position(v)).collect::<Option<Vec<usize>>>() else {
            return Vec::new();
        };
        let axes = places.iter().map(|&at| (self.cardinalities()[at] as usize - 1, self.strides()[at]));
        cells_along(places.iter().map(|&at| self.strides()[at]).sum(), axes)
    }

    /// The walk through this table's cells that keeps track of the cell of another table,
    /// whose variables must be among these.
    pub fn walk_onto(&self, target: &Self) -> Walk {
        let mut steps: Vec<(usize, usize)> = Vec::new();
        for (position, &variable) in self.variables.iter().enumerate() {
            let (count, step) = (self.cardinalities()[position] as usize, target.stride_of(variable));
            match steps.last_mut() {
                // Two loops are one when the outer step is the length of the inner loop.
                Some((outer_count, outer_step)) if *outer_step == count * step => {
                    *outer_count *= count;
                    *outer_step = step;
                }
                _ => steps.push((count, step)),
            }
        }
        let (run, step) = steps.pop().unwrap_or((1, 0));
        let mut starts = vec![0];
        while let Some(&(count, step)) = steps.last().filter(|(count, _)| starts.len() * count <= MOST_STARTS)
        {
            let inner = starts.len();
            starts.reserve(inner * (count - 1));
            for level in 1..count {
                starts.extend_from_within(..inner);
                let new = starts.len() - inner;
                starts[new..].iter_mut().for_each(|start| *start += level * step);
            }
            steps.pop();
        }
        Walk { outer: steps, starts: starts.into(), run, step }
    }
}

/// The most runs of a block.
const MOST_STARTS: usize = 256;

/// Visits the cells of a table in order, with the matching cells of a smaller table.
#[derive(Clone, Debug)]
pub struct Walk {
    outer: Vec<(usize, usize)>,
    /// Where each run of a block begins in the smaller table, from where the block does.
    starts: Box<[usize]>,
    run: usize,
    step: usize,
}

impl Walk {
    /// Calls `visit` with the start of each block in both tables.
    fn blocks<E>(
        &self,
        mut visit: impl FnMut(usize, usize) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let mut digits = vec![0; self.outer.len()];
        let (mut source, mut target) = (0, 0);
        loop {
            visit(source, target)?;
            source += self.block();
            let mut position = self.outer.len();
            loop {
                let Some(next) = position.checked_sub(1) else { return Ok(()) };
                position = next;
                let (count, step) = self.outer[position];
                digits[position] += 1;
                target += step;
                if digits[position] < count {
                    break;
                }
                digits[position] = 0;
                target -= count * step;
            }
        }
    }

    /// The cells of a block.
    fn block(&self) -> usize {
        self.starts.len() * self.run
    }

    /// Adds each cell of the smaller table to all cells of the larger one that match it.
    pub fn spread(&self, small: &[f64], large: &mut [f64]) {
        let Ok(()) = self.blocks::<Infallible>(|source, target| {
            self.spread_block(&small[target..], &mut large[source..source + self.block()]);
            Ok(())
        });
    }

    /// As [`Walk::spread`], and asks on the way whether to go on.
    pub(crate) fn spread_under(&self, small: &[f64], large: &mut [f64], pace: &mut Pace<'_>) -> Result<()> {
        if large.len() <= PIECE {
            pace.step(large.len())?;
            self.spread(small, large);
            return Ok(());
        }
        self.blocks(|source, target| {
            let (small, block) = (&small[target..], &mut large[source..source + self.block()]);
            if !self.is_long() {
                pace.step(block.len())?;
                self.spread_block(small, block);
                return Ok(());
            }
            for (run, &start) in block.chunks_exact_mut(self.run).zip(&self.starts) {
                for (piece, from) in run.chunks_mut(PIECE).zip((0..).step_by(PIECE)) {
                    pace.step(piece.len())?;
                    self.spread_run(small, start + from * self.step, piece);
                }
            }
            Ok(())
        })
    }

    /// Whether a run alone is more than may go by without a question.
    fn is_long(&self) -> bool {
        self.run > PIECE / MOST_STARTS
    }

    /// Most runs have two cells, those of a variable with two levels.
    fn spread_block(&self, small: &[f64], block: &mut [f64]) {
        if self.run == 2 {
            let step = self.step;
            for (pair, &start) in block.chunks_exact_mut(2).zip(&self.starts) {
                pair[0] += small[start];
                pair[1] += small[start + step];
            }
            return;
        }
        for (run, &start) in block.chunks_exact_mut(self.run).zip(&self.starts) {
            self.spread_run(small, start, run);
        }
    }

    fn spread_run(&self, small: &[f64], target: usize, run: &mut [f64]) {
        match self.step {
            0 => run.iter_mut().for_each(|value| *value += small[target]),
            1 => run.iter_mut().zip(&small[target..]).for_each(|(value, add)| *value += add),
            step => {
                run.iter_mut().enumerate().for_each(|(k, value)| *value += small[target + k * step]);
            }
        }
    }

    /// Adds each cell of the larger table to the matching cell of the smaller one.
    pub fn gather(&self, large: &[f64], small: &mut [f64]) {
        let Ok(()) = self.blocks::<Infallible>(|source, target| {
            self.gather_block(&large[source..source + self.block()], &mut small[target..]);
            Ok(())
        });
    }

    /// A run that belongs to one cell is summed up first: the same additions for every size of blocks.
    fn gather_block(&self, block: &[f64], small: &mut [f64]) {
        let runs = block.chunks_exact(self.run).zip(&self.starts);
        match (self.run, self.step) {
            (2, 0) => runs.for_each(|(pair, &start)| small[start] += pair[0] + pair[1]),
            (2, step) => runs.for_each(|(pair, &start)| {
                small[start] += pair[0];
                small[start + step] += pair[1];
            }),
            (_, 0) => runs.for_each(|(run, &start)| small[start] += run.iter().sum::<f64>()),
            (_, step) => runs.for_each(|(run, &start)| gather_run(run, start, step, small)),
        }
    }

    /// As [`Walk::gather`], and asks on the way whether to go on.
    pub(crate) fn gather_under(&self, large: &[f64], small: &mut [f64], pace: &mut Pace<'_>) -> Result<()> {
        if large.len() <= PIECE {
            pace.step(large.len())?;
            self.gather(large, small);
            return Ok(());
        }
        self.blocks(|source, target| {
            let (block, small) = (&large[source..source + self.block()], &mut small[target..]);
            if !self.is_long() {
                pace.step(block.len())?;
                self.gather_block(block, small);
                return Ok(());
            }
            for (run, &start) in block.chunks_exact(self.run).zip(&self.starts) {
                self.gather_long(run, start, small, pace)?;
            }
            Ok(())
        })
    }

    fn gather_long(&self, run: &[f64], start: usize, small: &mut [f64], pace: &mut Pace<'_>) -> Result<()> {
        let mut pieces = run.chunks(PIECE);
        if self.step == 0 {
            // One sum over all pieces, in the order of the whole run: the same bits.
            let mut sum = 0.0;
            if let Some(first) = pieces.next() {
                pace.step(first.len())?;
                sum = first.iter().sum::<f64>();
            }
            for piece in pieces {
                pace.step(piece.len())?;
                sum = piece.iter().fold(sum, |sum, value| sum + value);
            }
            small[start] += sum;
            return Ok(());
        }
        for (piece, from) in pieces.zip((0..).step_by(PIECE)) {
            pace.step(piece.len())?;
            gather_run(piece, start + from * self.step, self.step, small);
        }
        Ok(())
    }
}

fn gather_run(run: &[f64], target: usize, step: usize, small: &mut [f64]) {
    if step == 1 {
        small[target..].iter_mut().zip(run).for_each(|(sum, add)| *sum += add);
    } else {
        run.iter().enumerate().for_each(|(k, add)| small[target + k * step] += add);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_agree_with_cells() {
        let cardinalities = [2, 3, 2, 4];
        let large = Shape::new(vec![2, 0, 3, 1], &cardinalities);
        for small in [vec![], vec![0], vec![3, 1], vec![1, 2], vec![2, 0, 3, 1], vec![1, 3, 0]] {
            let small = Shape::new(small, &cardinalities);
            let walk = large.walk_onto(&small);
            let numbers: Vec<f64> = (0..small.size()).map(|cell| cell as f64).collect();
            let mut spread = vec![0.0; large.size()];
            walk.spread(&numbers, &mut spread);
            let mut gathered = vec![0.0; small.size()];
            walk.gather(&vec![1.0; large.size()], &mut gathered);
            for row in 0..48u32 {
                let row = [row % 2, row / 2 % 3, row / 6 % 2, row / 12];
                assert_eq!(spread[large.cell(&row)] as usize, small.cell(&row));
            }
            assert!(gathered.iter().all(|&sum| sum as usize == large.size() / small.size()));
        }
    }

    #[test]
    fn walks_of_many_blocks_agree_with_cells() {
        let cardinalities = [2, 2, 3, 2, 2, 5, 2, 2, 2];
        let large = Shape::new(vec![4, 2, 0, 5, 1, 3, 8, 6, 7], &cardinalities);
        let wave = |cell: usize| (cell * cell % 101) as f64;
        let of_large: Vec<f64> = (0..large.size()).map(wave).collect();
        for small in
            [vec![7], vec![6], vec![7, 6, 8], vec![5, 2], vec![4, 8, 0], vec![0, 1, 2, 3, 7], vec![4, 2]]
        {
            let small = Shape::new(small, &cardinalities);
            let walk = large.walk_onto(&small);
            let of_small: Vec<f64> = (0..small.size()).map(wave).collect();
            let (mut spread, mut gathered) = (of_large.clone(), of_small.clone());
            walk.spread(&of_small, &mut spread);
            walk.gather(&of_large, &mut gathered);
            let (mut wide, mut narrow) = (of_large.clone(), of_small.clone());
            let mut row = [0; 9];
            for cell in 0..large.size() {
                large.variables().iter().zip(large.levels(cell)).for_each(|(&v, level)| row[v] = level);
                wide[cell] += of_small[small.cell(&row)];
                narrow[small.cell(&row)] += of_large[cell];
            }
            assert_eq!((spread, gathered), (wide, narrow));
        }
    }
}
