//! The row of the largest weight: what cannot be part of it is removed, parts that share no
//! table are solved one by one, small ones by elimination, others by depth-first branch and
//! bound.

use super::super::bucket::{Message, maximise};
use super::dominance::remove_dominated;
use super::dual::Direction;
use super::problem::Problem;
use crate::control::{Control, ask};
use crate::data::Var;
use crate::error::Result;
use crate::graph::{Edge, Graph, VarSet};
use crate::table::Shape;
use crate::tree::{EliminationRule, eliminate};

/// Cells of a part's largest table up to which it is solved by elimination.
const LEAF_CELLS: u64 = 1 << 14;

/// Pairs of sweeps after which a bound is as good as it gets.
const MOST_SWEEPS: usize = 60;

/// Sweeps go on while one closes this share of the gap.
const STALLED: f64 = 0.02;

/// Cells of the tables that are made of those around cycles of four variables.
const MOST_JOINED: u64 = 1 << 18;

/// What a search found, and how far that is from what is possible.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// The best row that is better than what was asked for, with its weight.
    pub(super) best: Option<(Vec<(Var, u32)>, f64)>,
    /// No row weighs more; at least what was asked for.
    pub(super) upper: f64,
}

impl Found {
    fn offer(&mut self, row: Vec<(Var, u32)>, weight: f64, floor: f64) {
        if weight > self.best.as_ref().map_or(floor, |best| best.1) {
            self.best = Some((row, weight));
        }
    }

    fn floor(&self, floor: f64) -> f64 {
        self.best.as_ref().map_or(floor, |best| best.1)
    }
}

/// A depth-first search with a budget of work.
pub(super) struct Search<'a> {
    pub(super) control: &'a dyn Control,
    /// Differences of weights that mean nothing.
    pub(super) tolerance: f64,
    /// Cells that may still be looked at.
    pub(super) left: u64,
    /// Cells that may still be held.
    pub(super) room: u64,
    /// Branches that were followed.
    pub(super) branches: u64,
}

impl Search<'_> {
    fn spend(&mut self, work: u64) {
        self.left = self.left.saturating_sub(work);
    }

    /// The best row of a problem that weighs more than `floor`. `stale` are the variables
    /// around which something changed.
    pub(super) fn solve(&mut self, mut problem: Problem, floor: f64, stale: Vec<usize>) -> Result<Found> {
        ask(self.control)?;
        let mut found = Found { best: None, upper: f64::INFINITY };
        let work = remove_dominated(&mut problem, stale.into_iter(), self.tolerance);
        self.spend(work);
        if self.narrow(&mut problem, floor, &mut found)? {
            return Ok(found);
        }
        self.part_by_part(&problem, floor, found)
    }

    /// Sweeps and removes levels until that stalls; true when nothing is left to be found.
    fn narrow(&mut self, problem: &mut Problem, floor: f64, found: &mut Found) -> Result<bool> {
        let is_root = self.branches == 0;
        let (mut last, mut joined) = (f64::INFINITY, !is_root);
        for sweep in 0..MOST_SWEEPS {
            if problem.open().next().is_none() {
                break;
            }
            ask(self.control)?;
            if sweep > 0 {
                problem.sweep(Direction::Forward);
                problem.sweep(Direction::Backward);
            }
            let row = problem.round();
            let weight = problem.weight(&row);
            found.offer(problem.named(&row), weight, floor);
            let bar = found.floor(floor) + self.tolerance;
            let bound = problem.bound();
            self.spend(8 * problem.cells() as u64);
            found.upper = found.upper.min(bound);
            if bound <= bar {
                found.upper = found.floor(floor);
                return Ok(true);
            }
            let Some(changed) = problem.cut(bar) else {
                found.upper = found.floor(floor);
                return Ok(true);
            };
            let removed = !changed.is_empty();
            let work = remove_dominated(problem, changed.into_iter(), self.tolerance);
            self.spend(work);
            if self.left == 0 {
                break;
            }
            if sweep > 2 && !removed && last - bound < STALLED * (bound - bar) {
                let most = MOST_JOINED.min(self.room / 4) as usize;
                if std::mem::replace(&mut joined, true) || !problem.join_squares(most) {
                    break;
                }
            }
            last = bound;
        }
        if problem.open().next().is_none() {
            let row = vec![0; problem.names.len()];
            let weight = problem.weight(&row);
            found.offer(problem.named(&row), weight, floor);
            found.upper = found.floor(floor);
            return Ok(true);
        }
        Ok(false)
    }

    /// Solves the parts that share no table one by one.
    fn part_by_part(&mut self, problem: &Problem, floor: f64, mut found: Found) -> Result<Found> {
        let parts = problem.parts();
        let mut uppers: Vec<f64> = parts.iter().map(Problem::bound).collect();
        let (mut row, mut weight) = (problem.settled(), problem.constant);
        for (place, part) in parts.iter().enumerate() {
            let others: f64 =
                uppers.iter().enumerate().filter(|&(other, _)| other != place).map(|(_, u)| u).sum();
            let best = self.part(part, found.floor(floor) - problem.constant - others)?;
            uppers[place] = best.upper;
            let upper = problem.constant + uppers.iter().sum::<f64>();
            found.upper = found.upper.min(upper.max(found.floor(floor)));
            let Some((levels, own)) = best.best else {
                // This part alone keeps every row at or below what is known.
                return Ok(found);
            };
            row.extend(levels);
            weight += own;
        }
        found.offer(row, weight, floor);
        found.upper = found.upper.max(found.floor(floor));
        Ok(found)
    }

    /// Solves a part that hangs together.
    fn part(&mut self, problem: &Problem, floor: f64) -> Result<Found> {
        if let Some((row, weight)) = self.by_elimination(problem)? {
            let mut found = Found { best: None, upper: weight.max(floor) };
            found.offer(problem.named(&row), weight, floor);
            return Ok(found);
        }
        let mut found = Found { best: None, upper: problem.bound() };
        let row = problem.round();
        found.offer(problem.named(&row), problem.weight(&row), floor);
        if self.left == 0 {
            return Ok(found);
        }
        self.branch(problem, floor, found)
    }

    fn branch(&mut self, problem: &Problem, floor: f64, mut found: Found) -> Result<Found> {
        let (v, shortfalls) = branching_variable(problem);
        let (bound, cells) = (problem.bound(), problem.cells() as u64);
        // No memory for another copy ends the search as no time does.
        let held = cells.min(self.room);
        if held < cells {
            self.left = 0;
        }
        self.room -= held;
        let mut order: Vec<usize> = (0..shortfalls.len()).collect();
        order.sort_by(|&one, &other| shortfalls[one].total_cmp(&shortfalls[other]));
        let mut open = f64::NEG_INFINITY;
        for level in order {
            let upper = bound - shortfalls[level];
            if upper <= found.floor(floor) + self.tolerance {
                continue;
            }
            if self.left == 0 {
                open = open.max(upper);
                continue;
            }
            self.branches += 1;
            let near = problem.neighbors(v);
            let mut child = problem.clone();
            child.choose(v, level);
            let best = self.solve(child, found.floor(floor), near)?;
            open = open.max(best.upper.min(upper));
            if let Some((row, weight)) = best.best {
                found.offer(row, weight, floor);
            }
        }
        self.room += held;
        found.upper = found.upper.min(open.max(found.floor(floor)));
        Ok(found)
    }

    /// Maximises over the variables one by one, if the tables stay small.
    fn by_elimination(&mut self, problem: &Problem) -> Result<Option<(Vec<usize>, f64)>> {
        let count = problem.names.len();
        let mut graph = Graph::empty(count);
        for factor in problem.factors.iter().filter(|factor| !factor.scope.is_empty()) {
            for (place, &one) in factor.scope.iter().enumerate() {
                for &other in &factor.scope[place + 1..] {
                    graph.add_edge(Edge::new(one, other)?);
                }
            }
        }
        let cardinalities: Vec<u32> = problem.levels.iter().map(|levels| levels.len() as u32).collect();
        let all: VarSet = (0..count).collect();
        let plan = eliminate(&graph, &all, &cardinalities, EliminationRule::MinFill, LEAF_CELLS);
        let steps: Vec<(Var, VarSet)> = plan.order.into_iter().zip(plan.later).collect();
        let size = |later: &VarSet| later.iter().map(|v| u64::from(cardinalities[v])).product::<u64>();
        let cells = steps.iter().map(|(v, later)| size(later) * u64::from(cardinalities[*v])).sum::<u64>();
        if !plan.finished || 2 * cells > self.room {
            return Ok(None);
        }
        self.spend(4 * cells);
        let shaped =
            |scope: &[usize], table: &[f64]| (Shape::new(scope.to_vec(), &cardinalities), table.to_vec());
        let own = problem.own.iter().enumerate().map(|(v, own)| shaped(&[v], own));
        let shared =
            problem.factors.iter().filter(|f| !f.scope.is_empty()).map(|f| shaped(&f.scope, &f.table));
        let tables: Vec<Message> = own.chain(shared).collect();
        let (constant, best) = maximise(&steps, tables, &cardinalities, self.control)?;
        let mut row = vec![0; count];
        for &(v, level) in &best {
            row[v] = level as usize;
        }
        Ok(Some((row, constant + problem.constant)))
    }
}

/// The variable to branch on: that whose levels the bound tells apart best, by how many others
/// it is tied to; with how far each of its levels is below the bound.
fn branching_variable(problem: &Problem) -> (usize, Vec<f64>) {
    let mut buffer = Vec::new();
    let mut best = (0, Vec::new(), f64::NEG_INFINITY);
    for v in problem.open() {
        let shortfalls = problem.shortfalls(v, &mut buffer);
        let told: f64 = shortfalls.iter().copied().fold(0.0, f64::max);
        let score = (told + 1e-6) * problem.neighbors(v).len() as f64;
        if score > best.2 {
            best = (v, shortfalls, score);
        }
    }
    (best.0, best.1)
}
