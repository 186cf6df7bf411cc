//! An upper bound on the weight of every row, made smaller by moving weight between tables
//! (Kolmogorov 2015, sequential reweighted message passing, with single variables between
//! tables): the tables change, their sum at every row does not.

use super::super::belief::first_largest;
use super::problem::{Factor, Problem};

/// Which way a sweep goes through the variables.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Backward,
}

impl Problem {
    /// The sum of each table's largest weight: no row weighs more.
    pub(super) fn bound(&self) -> f64 {
        let own: f64 = self.own.iter().map(|own| largest(own)).sum();
        let shared: f64 = self.factors.iter().filter(|f| !f.scope.is_empty()).map(Factor::largest).sum();
        self.constant + own + shared
    }

    /// Moves weight from the tables that the sweep has passed into each variable, and from
    /// there evenly into those ahead. The bound does not grow.
    pub(super) fn sweep(&mut self, direction: Direction) {
        let mut buffer = Vec::new();
        let pairs = std::mem::take(&mut self.pairs);
        match direction {
            Direction::Forward => {
                let mut rest = pairs.as_slice();
                for v in 0..self.names.len() {
                    self.pass(v, direction, &mut buffer);
                    let own = rest.partition_point(|(pair, _)| pair.0 <= v);
                    rest[..own].iter().for_each(|(pair, factors)| self.balance(*pair, factors));
                    rest = &rest[own..];
                }
            }
            Direction::Backward => {
                let mut rest = pairs.as_slice();
                for v in (0..self.names.len()).rev() {
                    let own = rest.partition_point(|(pair, _)| pair.0 < v);
                    rest[own..].iter().rev().for_each(|(pair, factors)| self.balance(*pair, factors));
                    rest = &rest[..own];
                    self.pass(v, direction, &mut buffer);
                }
            }
        }
        self.pairs = pairs;
    }

    /// Shares what the factors of a pair of variables say about it evenly among them.
    fn balance(&mut self, (one, other): (usize, usize), factors: &[usize]) {
        if self.levels[one].len() < 2 || self.levels[other].len() < 2 {
            return;
        }
        let mut sums = vec![0.0; self.levels[one].len() * self.levels[other].len()];
        let mut found: Vec<Vec<f64>> = Vec::with_capacity(factors.len());
        for &index in factors {
            let factor = &mut self.factors[index];
            let mut own = Vec::new();
            factor.largest_of_pairs((factor.place(one), factor.place(other)), &mut own);
            sums.iter_mut().zip(&own).for_each(|(sum, value)| *sum += value);
            found.push(own);
        }
        for sum in &mut sums {
            *sum /= factors.len() as f64;
        }
        for (&index, own) in factors.iter().zip(&mut found) {
            own.iter_mut().zip(&sums).for_each(|(own, mean)| *own = mean - *own);
            let factor = &mut self.factors[index];
            factor.add_to_pairs((factor.place(one), factor.place(other)), own);
        }
    }

    fn pass(&mut self, v: usize, direction: Direction, buffer: &mut Vec<f64>) {
        if self.levels[v].len() < 2 {
            return;
        }
        let Self { own, factors, at, .. } = self;
        let (own, at) = (&mut own[v], &at[v]);
        let ends = |scope: &[usize]| {
            let (first, last) = (scope[0] == v, scope[scope.len() - 1] == v);
            if direction == Direction::Forward { (first, last) } else { (last, first) }
        };
        let (mut behind, mut ahead) = (0usize, 0usize);
        for &index in at {
            let factor = &mut factors[index];
            let (first, last) = ends(&factor.scope);
            ahead += usize::from(!last);
            if !first {
                behind += 1;
                let place = factor.place(v);
                factor.largest_along(place, buffer);
                own.iter_mut().zip(&*buffer).for_each(|(sum, value)| *sum += value);
                for value in buffer.iter_mut() {
                    *value = -*value;
                }
                factor.add_along(place, buffer);
            }
        }
        if ahead == 0 {
            return;
        }
        let most = behind.max(ahead) as f64;
        buffer.clear();
        buffer.extend(own.iter().map(|value| value / most));
        own.iter_mut().zip(&*buffer).for_each(|(sum, share)| *sum -= share * ahead as f64);
        for &index in at {
            let factor = &mut factors[index];
            if !ends(&factor.scope).1 {
                factor.add_along(factor.place(v), buffer);
            }
        }
    }

    /// For each level of a variable, how far below the bound every row with it is.
    pub(super) fn shortfalls(&self, v: usize, buffer: &mut Vec<f64>) -> Vec<f64> {
        let mut sums = self.own[v].clone();
        let mut most = largest(&sums);
        for &index in &self.at[v] {
            let factor = &self.factors[index];
            factor.largest_along(factor.place(v), buffer);
            most += largest(buffer);
            sums.iter_mut().zip(&*buffer).for_each(|(sum, value)| *sum += value);
        }
        for sum in &mut sums {
            *sum = most - *sum;
        }
        sums
    }

    /// Removes the levels with which no row weighs more than `floor`. Returns the variables
    /// that lost some, and whether every level of a variable would have to go.
    pub(super) fn cut(&mut self, floor: f64) -> Option<Vec<usize>> {
        let (room, mut buffer, mut changed) = (self.bound() - floor, Vec::new(), Vec::new());
        for v in 0..self.names.len() {
            if self.levels[v].len() < 2 {
                continue;
            }
            let shortfalls = self.shortfalls(v, &mut buffer);
            let hopeless: Vec<usize> =
                (0..shortfalls.len()).filter(|&level| shortfalls[level] >= room).collect();
            if hopeless.len() == shortfalls.len() {
                return None;
            }
            if !hopeless.is_empty() {
                changed.push(v);
                changed.extend(self.neighbors(v));
            }
            hopeless.into_iter().rev().for_each(|level| self.remove(v, level));
        }
        changed.sort_unstable();
        changed.dedup();
        changed.retain(|&v| self.levels[v].len() > 1);
        Some(changed)
    }

    /// A probable row: each variable's best level given those before it, by what the tables
    /// then promise at most; then single variables move to better levels.
    pub(super) fn round(&self) -> Vec<usize> {
        let mut row = vec![0; self.names.len()];
        let mut values = Vec::new();
        for v in self.open() {
            self.value(v, &mut values, |factor, place, values| {
                let before = factor.scope[..place].iter().zip(&factor.axes);
                let base: usize = before.map(|(&u, &(_, stride))| row[u] * stride).sum();
                let runs = factor.table[base..].chunks_exact(factor.axes[place].1);
                values.iter_mut().zip(runs).for_each(|(value, run)| *value += largest(run));
            });
            row[v] = first_largest(&values) as usize;
        }
        self.improve(&mut row);
        row
    }

    /// Values each level of a variable: its own value, and what `add` adds from the tables of the variable, each
    /// with the variable's place in it.
    fn value(&self, v: usize, values: &mut Vec<f64>, add: impl Fn(&Factor, usize, &mut [f64])) {
        values.clear();
        values.extend_from_slice(&self.own[v]);
        for &index in &self.at[v] {
            let factor = &self.factors[index];
            add(factor, factor.place(v), values);
        }
    }

    fn improve(&self, row: &mut [usize]) {
        let mut values = Vec::new();
        // Each round but the last moves something; rounding could move for ever.
        for _ in 0..20 {
            let mut moved = false;
            for v in self.open() {
                self.value(v, &mut values, |factor, place, values| {
                    let axes = factor.scope.iter().zip(&factor.axes);
                    let cell: usize = axes.map(|(&u, &(_, stride))| row[u] * stride).sum();
                    let stride = factor.axes[place].1;
                    let base = cell - row[v] * stride;
                    let cells = factor.table[base..].iter().step_by(stride);
                    values.iter_mut().zip(cells).for_each(|(value, cell)| *value += cell);
                });
                let best = first_largest(&values) as usize;
                if values[best] > values[row[v]] + 1e-12 {
                    row[v] = best;
                    moved = true;
                }
            }
            if !moved {
                return;
            }
        }
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}
