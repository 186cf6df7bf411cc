//! What is left of the question for the most probable levels: variables with the levels that
//! may still be part of the answer, and tables over several of them.

use crate::data::Var;
use crate::table::Potentials;

/// A dense table of log weights over some variables of a problem, ascending, the last one
/// fastest.
#[derive(Clone, Debug)]
pub(super) struct Factor {
    pub(super) scope: Vec<usize>,
    /// The number of levels of each variable of the scope, and how far apart they are.
    pub(super) axes: Vec<(usize, usize)>,
    pub(super) table: Vec<f64>,
}

impl Factor {
    pub(super) fn new(scope: Vec<usize>, counts: &[usize], table: Vec<f64>) -> Self {
        let mut stride = table.len();
        let axis = |&count: &usize| {
            stride /= count;
            (count, stride)
        };
        Self { axes: counts.iter().map(axis).collect(), scope, table }
    }

    pub(super) fn place(&self, variable: usize) -> usize {
        self.scope.iter().position(|&own| own == variable).unwrap_or(0)
    }

    pub(super) fn largest(&self) -> f64 {
        self.table.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// The largest weight with each level of a variable.
    pub(super) fn largest_along(&self, place: usize, largest: &mut Vec<f64>) {
        let (count, stride) = self.axes[place];
        largest.clear();
        largest.resize(count, f64::NEG_INFINITY);
        for block in self.table.chunks_exact(count * stride) {
            for (largest, run) in largest.iter_mut().zip(block.chunks_exact(stride)) {
                *largest = run.iter().copied().fold(*largest, f64::max);
            }
        }
    }

    /// The largest advantage of one level of a variable over another, whatever the others are.
    pub(super) fn largest_advantage(&self, place: usize, one: usize, other: usize) -> f64 {
        let (count, stride) = self.axes[place];
        let mut largest = f64::NEG_INFINITY;
        for block in self.table.chunks_exact(count * stride) {
            let runs = block[one * stride..].iter().zip(&block[other * stride..]).take(stride);
            largest = runs.map(|(one, other)| one - other).fold(largest, f64::max);
        }
        largest
    }

    /// Adds a value to all cells with each level of a variable.
    pub(super) fn add_along(&mut self, place: usize, values: &[f64]) {
        let (count, stride) = self.axes[place];
        for block in self.table.chunks_exact_mut(count * stride) {
            for (run, value) in block.chunks_exact_mut(stride).zip(values) {
                for cell in run {
                    *cell += value;
                }
            }
        }
    }

    /// Visits the runs of cells with each pair of levels of two variables, the first before the
    /// second in the scope: which pair, and the cells.
    fn pair_runs(&mut self, (one, other): (usize, usize), mut visit: impl FnMut(usize, &mut [f64])) {
        let ((ones, outer), (others, inner)) = (self.axes[one], self.axes[other]);
        for block in self.table.chunks_exact_mut(ones * outer) {
            for (first, part) in block.chunks_exact_mut(outer).enumerate() {
                for slice in part.chunks_exact_mut(others * inner) {
                    for (second, run) in slice.chunks_exact_mut(inner).enumerate() {
                        visit(first * others + second, run);
                    }
                }
            }
        }
    }

    /// The largest weight with each pair of levels of two variables.
    pub(super) fn largest_of_pairs(&mut self, places: (usize, usize), largest: &mut Vec<f64>) {
        largest.clear();
        largest.resize(self.axes[places.0].0 * self.axes[places.1].0, f64::NEG_INFINITY);
        self.pair_runs(places, |pair, run| {
            largest[pair] = run.iter().copied().fold(largest[pair], f64::max);
        });
    }

    /// Adds a value to all cells with each pair of levels of two variables.
    pub(super) fn add_to_pairs(&mut self, places: (usize, usize), values: &[f64]) {
        self.pair_runs(places, |pair, run| run.iter_mut().for_each(|cell| *cell += values[pair]));
    }

    /// Deletes the cells with a level of a variable.
    fn drop_level(&mut self, place: usize, level: usize) {
        let (count, stride) = self.axes[place];
        let mut kept = 0;
        for run in 0..self.table.len() / stride {
            if run % count != level {
                self.table.copy_within(run * stride..(run + 1) * stride, kept * stride);
                kept += 1;
            }
        }
        self.table.truncate(kept * stride);
        self.axes[place].0 = count - 1;
        for axis in &mut self.axes[..place] {
            axis.1 = axis.1 / count * (count - 1);
        }
    }

    /// Leaves out a variable with a single level.
    fn drop_variable(&mut self, place: usize) {
        self.scope.remove(place);
        self.axes.remove(place);
    }
}

/// Variables with the levels that are left, and what they weigh.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    /// The network's variables.
    pub(super) names: Vec<Var>,
    /// The levels that are left of each; a settled variable has one.
    pub(super) levels: Vec<Vec<u32>>,
    /// What each level weighs by itself.
    pub(super) own: Vec<Vec<f64>>,
    pub(super) factors: Vec<Factor>,
    /// The factors of each variable that is not settled, ascending.
    pub(super) at: Vec<Vec<usize>>,
    /// Pairs of variables that several factors share, ascending, with these factors. Some may
    /// be settled since.
    pub(super) pairs: Vec<((usize, usize), Vec<usize>)>,
    /// The weight of what is settled.
    pub(super) constant: f64,
}

impl Problem {
    /// The whole problem: tables of log potentials over variables of a network.
    pub(super) fn new(names: Vec<Var>, potentials: &Potentials) -> Self {
        let mut place = vec![usize::MAX; potentials.cardinalities().len()];
        names.iter().enumerate().for_each(|(local, &v)| place[v] = local);
        let counts: Vec<u32> = names.iter().map(|&v| potentials.cardinalities()[v]).collect();
        let mut problem = Self {
            levels: counts.iter().map(|&count| (0..count).collect()).collect(),
            own: counts.iter().map(|&count| vec![0.0; count as usize]).collect(),
            factors: Vec::new(),
            at: vec![Vec::new(); names.len()],
            pairs: Vec::new(),
            names,
            constant: 0.0,
        };
        for (shape, table) in potentials.iter() {
            let scope: Vec<usize> = shape.variables().iter().map(|&v| place[v]).collect();
            let counts: Vec<usize> = scope.iter().map(|&v| problem.own[v].len()).collect();
            problem.add(Factor::new(scope, &counts, table.to_vec()));
        }
        let impossible = |table: &[f64]| table.contains(&f64::NEG_INFINITY);
        if potentials.iter().any(|(_, table)| impossible(table)) {
            problem.drop_impossible();
        }
        for v in 0..problem.names.len() {
            if problem.own[v].len() == 1 {
                problem.settle(v);
            }
        }
        problem.pairs = problem.shared_pairs();
        problem
    }

    /// Adds a table to a problem in which none of its variables is settled.
    fn add(&mut self, factor: Factor) {
        match factor.scope.as_slice() {
            [] => self.constant += factor.table[0],
            &[v] => self.own[v].iter_mut().zip(&factor.table).for_each(|(sum, value)| *sum += value),
            scope => {
                for &v in scope {
                    self.at[v].push(self.factors.len());
                }
                self.factors.push(factor);
            }
        }
    }

    /// Levels of weight zero are never part of an answer. Evidence makes them; the terms of a
    /// network are finite.
    fn drop_impossible(&mut self) {
        for v in 0..self.names.len() {
            for level in (0..self.own[v].len()).rev() {
                let worst = self.own[v].len() > 1 && self.own[v][level] == f64::NEG_INFINITY;
                if worst || self.at[v].iter().any(|&f| self.is_impossible(f, v, level)) {
                    self.drop_level(v, level);
                }
            }
        }
    }

    fn is_impossible(&self, factor: usize, v: usize, level: usize) -> bool {
        let factor = &self.factors[factor];
        let mut largest = Vec::new();
        factor.largest_along(factor.place(v), &mut largest);
        largest.len() > 1 && largest[level] == f64::NEG_INFINITY
    }

    /// The variables that are not settled, ascending.
    pub(super) fn open(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.names.len()).filter(|&v| self.levels[v].len() > 1)
    }

    /// Cells of all tables.
    pub(super) fn cells(&self) -> usize {
        self.factors.iter().map(|factor| factor.table.len()).sum::<usize>() + 2 * self.names.len()
    }

    /// Deletes a level of a variable that has more; settles it when one is left.
    pub(super) fn remove(&mut self, v: usize, level: usize) {
        self.drop_level(v, level);
        if self.levels[v].len() == 1 {
            self.settle(v);
        }
    }

    /// Settles a variable on one of its levels.
    pub(super) fn choose(&mut self, v: usize, level: usize) {
        for other in (0..self.levels[v].len()).rev().filter(|&other| other != level) {
            self.drop_level(v, other);
        }
        self.settle(v);
    }

    fn drop_level(&mut self, v: usize, level: usize) {
        self.levels[v].remove(level);
        self.own[v].remove(level);
        for &index in &self.at[v] {
            let factor = &mut self.factors[index];
            factor.drop_level(factor.place(v), level);
        }
    }

    fn settle(&mut self, v: usize) {
        self.constant += std::mem::replace(&mut self.own[v][0], 0.0);
        for index in std::mem::take(&mut self.at[v]) {
            let factor = &mut self.factors[index];
            factor.drop_variable(factor.place(v));
            if let &[last] = factor.scope.as_slice() {
                let table = std::mem::take(&mut factor.table);
                factor.scope.clear();
                factor.axes.clear();
                self.own[last].iter_mut().zip(table).for_each(|(sum, value)| *sum += value);
                self.at[last].retain(|&other| other != index);
            }
        }
    }

    /// The variables that share a table with one.
    pub(super) fn neighbors(&self, v: usize) -> Vec<usize> {
        let scopes = self.at[v].iter().flat_map(|&f| self.factors[f].scope.iter().copied());
        let mut found: Vec<usize> = scopes.filter(|&other| other != v).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The weight of a choice of levels, by place among those that are left.
    pub(super) fn weight(&self, row: &[usize]) -> f64 {
        let own: f64 = self.own.iter().zip(row).map(|(own, &level)| own[level]).sum();
        let shared: f64 = self.factors.iter().filter(|f| !f.scope.is_empty()).map(|f| f.at(row)).sum();
        self.constant + own + shared
    }

    /// The network's variables with the levels of a row.
    pub(super) fn named(&self, row: &[usize]) -> Vec<(Var, u32)> {
        let pairs = self.names.iter().zip(&self.levels).zip(row);
        pairs.map(|((&v, levels), &level)| (v, levels[level])).collect()
    }

    /// The settled variables with their levels.
    pub(super) fn settled(&self) -> Vec<(Var, u32)> {
        let all = self.names.iter().zip(&self.levels);
        all.filter(|(_, levels)| levels.len() == 1).map(|(&v, levels)| (v, levels[0])).collect()
    }

    /// The parts that share no table, each a problem of its own without a constant; settled
    /// variables are in none.
    pub(super) fn parts(&self) -> Vec<Self> {
        let mut part_of = vec![usize::MAX; self.names.len()];
        let mut members: Vec<Vec<usize>> = Vec::new();
        for start in self.open() {
            if part_of[start] != usize::MAX {
                continue;
            }
            let part = members.len();
            part_of[start] = part;
            let (mut found, mut next) = (vec![start], 0);
            while let Some(&v) = found.get(next) {
                next += 1;
                for other in self.at[v].iter().flat_map(|&f| self.factors[f].scope.iter().copied()) {
                    if part_of[other] == usize::MAX {
                        part_of[other] = part;
                        found.push(other);
                    }
                }
            }
            found.sort_unstable();
            members.push(found);
        }
        members.iter().map(|members| self.part(members)).collect()
    }

    /// The problem of some variables that are a union of parts.
    fn part(&self, members: &[usize]) -> Self {
        let local = |v: usize| members.binary_search(&v).unwrap_or(0);
        let mut part = Self {
            names: members.iter().map(|&v| self.names[v]).collect(),
            levels: members.iter().map(|&v| self.levels[v].clone()).collect(),
            own: members.iter().map(|&v| self.own[v].clone()).collect(),
            factors: Vec::new(),
            at: vec![Vec::new(); members.len()],
            pairs: Vec::new(),
            constant: 0.0,
        };
        // Each table once, at its lowest variable; those over part of another go into that.
        for &v in members {
            let own = self.at[v].iter().map(|&f| &self.factors[f]).filter(|factor| factor.scope[0] == v);
            let mut own: Vec<&Factor> = own.collect();
            own.sort_by_key(|factor| std::cmp::Reverse(factor.scope.len()));
            for factor in own {
                let scope: Vec<usize> = factor.scope.iter().map(|&v| local(v)).collect();
                if !part.join(&scope, factor) {
                    part.add(Factor { scope, axes: factor.axes.clone(), table: factor.table.clone() });
                }
            }
        }
        part.pairs = part.shared_pairs();
        part
    }

    /// Makes one factor of the factors around each cycle of four variables that has no chord;
    /// returns whether there was one. Cells of the new factors are at most `most`.
    pub(super) fn join_squares(&mut self, most: usize) -> bool {
        let near: Vec<Vec<usize>> = (0..self.names.len()).map(|v| self.neighbors(v)).collect();
        let adjacent = |one: usize, other: usize| near[one].binary_search(&other).is_ok();
        let mut squares: Vec<Vec<usize>> = Vec::new();
        for one in 0..self.names.len() {
            // Variables across, each with those between.
            let ways = near[one].iter().flat_map(|&v| near[v].iter().map(move |&across| (across, v)));
            let mut ways: Vec<(usize, usize)> =
                ways.filter(|&(across, _)| across > one && !adjacent(one, across)).collect();
            ways.sort_unstable();
            for across in ways.chunk_by(|a, b| a.0 == b.0) {
                for pair in across.windows(2).filter(|pair| !adjacent(pair[0].1, pair[1].1)) {
                    let mut scope = vec![one, across[0].0, pair[0].1, pair[1].1];
                    scope.sort_unstable();
                    squares.push(scope);
                }
            }
        }
        squares.sort_unstable();
        squares.dedup();
        let mut room = most;
        let old = std::mem::take(&mut self.factors);
        self.at.iter_mut().for_each(Vec::clear);
        for scope in squares {
            let counts: Vec<usize> = scope.iter().map(|&v| self.levels[v].len()).collect();
            let cells = counts.iter().product();
            if cells <= room {
                room -= cells;
                self.add(Factor::new(scope, &counts, vec![0.0; cells]));
            }
        }
        let joined = !self.factors.is_empty();
        for factor in old.into_iter().filter(|factor| !factor.scope.is_empty()) {
            if !self.join(&factor.scope, &factor) {
                self.add(factor);
            }
        }
        self.pairs = self.shared_pairs();
        joined
    }

    fn shared_pairs(&self) -> Vec<((usize, usize), Vec<usize>)> {
        let mut all = Vec::new();
        for (index, factor) in self.factors.iter().enumerate() {
            for (place, &one) in factor.scope.iter().enumerate() {
                all.extend(factor.scope[place + 1..].iter().map(|&other| ((one, other), index)));
            }
        }
        all.sort_unstable();
        let groups = all.chunk_by(|one, other| one.0 == other.0).filter(|group| group.len() > 1);
        groups.map(|group| (group[0].0, group.iter().map(|&(_, index)| index).collect())).collect()
    }

    /// Adds a table to one over more variables, if there is one.
    fn join(&mut self, scope: &[usize], factor: &Factor) -> bool {
        let holds = |&index: &usize| scope.iter().all(|v| self.factors[index].scope.contains(v));
        let Some(home) = self.at[scope[0]].iter().copied().find(holds) else { return false };
        let home = &mut self.factors[home];
        let places: Vec<usize> = scope.iter().map(|&v| home.place(v)).collect();
        for cell in 0..home.table.len() {
            let axes = places.iter().zip(&factor.axes);
            let from = axes.map(|(&place, &(_, stride))| {
                let (count, own) = home.axes[place];
                cell / own % count * stride
            });
            home.table[cell] += factor.table[from.sum::<usize>()];
        }
        true
    }
}

impl Factor {
    /// The weight of a row.
    pub(super) fn at(&self, row: &[usize]) -> f64 {
        let cell: usize = self.scope.iter().zip(&self.axes).map(|(&v, &(_, stride))| row[v] * stride).sum();
        self.table[cell]
    }
}
