//! Bucket elimination: variables summed out or maximised over in a constrained order.
//!
//! A junction tree answers for its cliques; joint distributions across cliques and most
//! probable values of *some* variables need sums before maxima, which buckets do in any order.

use super::cut_edges::Conditioned;
use super::options::ExactOptions;
use crate::control::{Control, PIECE, Pace};
use crate::data::Var;
use crate::error::{Error, Remedy, Result};
use crate::graph::{Edge, Graph, VarSet};
use crate::table::{SetTerms, Shape, add_along, add_potentials, log_sum};
use crate::tree::TreeCost;
use crate::tree::{Elimination, EliminationRule, eliminate};

/// How a variable goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Sum,
    Max,
}

/// Which variables are summed out, maximised over, and kept: together a union of components of
/// what the evidence leaves.
#[derive(Debug, Default)]
pub(super) struct Parts<'a> {
    pub(super) sum: VarSet,
    pub(super) max: VarSet,
    pub(super) kept: &'a [Var],
}

/// An order in which variables are summed out, then maximised over, around some that stay.
#[derive(Debug)]
pub(super) struct BucketPlan {
    steps: Vec<(Var, VarSet, Way)>,
    kept: Vec<Var>,
    pub(super) cost: TreeCost,
    /// The most memory that is held at once: one table, and all that was made of others.
    pub(super) bytes: u64,
}

impl BucketPlan {
    /// Plans to eliminate variables. Ends early at a table beyond the memory.
    pub(super) fn new(conditioned: &Conditioned<'_>, parts: &Parts<'_>, exact: &ExactOptions) -> Self {
        let by_rule = |rule| Self::by_rule(conditioned, parts, exact.memory / 8, rule);
        let best = by_rule(exact.rule.unwrap_or(EliminationRule::MinFill));
        let settled = best.cost.fill == 0 && !best.cost.at_least;
        if exact.rule.is_some() || settled {
            return best;
        }
        let other = by_rule(EliminationRule::MinWeight);
        let rank = |plan: &Self| (plan.cost.at_least, plan.cost.cells);
        if rank(&other) < rank(&best) { other } else { best }
    }

    pub(super) fn fits(&self, memory: u64) -> bool {
        !self.cost.at_least && self.bytes <= memory
    }

    /// The plan, if it fits the memory.
    pub(super) fn affordable(self, memory: u64) -> Result<Self> {
        if self.fits(memory) { Ok(self) } else { Err(self.refusal(memory)) }
    }

    /// The error that it does not fit the memory.
    pub(super) fn refusal(&self, memory: u64) -> Error {
        Error::limit(
            format!("elimination ({})", self.cost),
            format!("{memory} bytes"),
            [
                Remedy::MoreMemory,
                "ask about fewer variables at once".into(),
                "give more evidence".into(),
                Remedy::AutomaticMethod,
            ],
        )
    }

    fn by_rule(
        conditioned: &Conditioned<'_>,
        Parts { sum, max, kept }: &Parts<'_>,
        most_cells: u64,
        rule: EliminationRule,
    ) -> Self {
        let cardinalities = conditioned.network().cardinalities();
        let first = eliminate(conditioned.graph(), sum, cardinalities, rule, most_cells);
        let second = if first.order.is_empty() {
            eliminate(conditioned.graph(), max, cardinalities, rule, most_cells)
        } else {
            eliminate(&without(conditioned.graph(), &first), max, cardinalities, rule, most_cells)
        };
        let size = |members: &mut dyn Iterator<Item = Var>| {
            members.fold(1u64, |size, v| size.saturating_mul(u64::from(cardinalities[v])))
        };
        let kept_size = size(&mut kept.iter().copied());
        let mut cost = TreeCost {
            at_least: !first.finished || !second.finished,
            cells: kept_size,
            largest: kept_size,
            width: kept.len(),
            fill: first.fill + second.fill,
        };
        let steps: Vec<(Var, VarSet, Way)> = steps(first, Way::Sum).chain(steps(second, Way::Max)).collect();
        let mut left = 0u64;
        for (v, later, way) in &steps {
            let message = size(&mut later.iter());
            let cells = message.saturating_mul(cardinalities[*v].into());
            cost.cells = cost.cells.saturating_add(cells);
            cost.largest = cost.largest.max(cells);
            cost.width = cost.width.max(later.len() + 1);
            left = left.saturating_add(message.saturating_mul(if *way == Way::Max { 8 + 2 } else { 8 }));
        }
        let bytes = left.saturating_add(cost.largest.saturating_mul(8));
        Self { steps, kept: kept.to_vec(), cost, bytes }
    }
}

fn steps(elimination: Elimination, way: Way) -> impl Iterator<Item = (Var, VarSet, Way)> {
    elimination.order.into_iter().zip(elimination.later).map(move |(v, later)| (v, later, way))
}

/// The graph that an elimination leaves, with its fill.
fn without(graph: &Graph, elimination: &Elimination) -> Graph {
    let gone: VarSet = elimination.order.iter().copied().collect();
    let stays = |v: &Var| !gone.contains(*v);
    let mut rest = Graph::empty(graph.nodes());
    for edge in graph.edges().filter(|edge| stays(&edge.low()) && stays(&edge.high())) {
        rest.add_edge(edge);
    }
    for later in &elimination.later {
        let members: Vec<Var> = later.iter().filter(stays).collect();
        for (place, &one) in members.iter().enumerate() {
            for &other in &members[place + 1..] {
                if let Ok(edge) = Edge::new(one, other) {
                    rest.add_edge(edge);
                }
            }
        }
    }
    rest
}

/// What elimination leaves.
#[derive(Debug)]
pub(super) struct Eliminated {
    /// The log of what went without a variable left.
    pub(super) constant: f64,
    /// The log table over the kept variables, in their order, without the constant.
    pub(super) table: Vec<f64>,
    /// The best level of each maximised variable.
    pub(super) best: Vec<(Var, u32)>,
}

/// A table on its way to a later bucket.
pub(super) type Message = (Shape, Vec<f64>);

impl BucketPlan {
    /// Goes through with the plan.
    pub(super) fn run(&self, conditioned: &Conditioned<'_>, control: &dyn Control) -> Result<Eliminated> {
        let cardinalities = conditioned.network().cardinalities();
        let last = self.steps.len();
        let mut rank = vec![usize::MAX; cardinalities.len()];
        self.kept.iter().for_each(|&v| rank[v] = last);
        self.steps.iter().enumerate().for_each(|(place, &(v, ..))| rank[v] = place);
        let first = |variables: &VarSet| variables.iter().map(|v| rank[v]).min();
        let mut terms: Vec<Vec<SetTerms<'_>>> = vec![Vec::new(); last + 1];
        for (variables, values) in conditioned.terms() {
            if let Some(place) = first(variables).filter(|&place| place <= last) {
                terms[place].push((variables, values));
            }
        }
        let mut messages: Vec<Vec<Message>> = vec![Vec::new(); last + 1];
        let mut constant = 0.0;
        let mut picks = Vec::new();
        for (place, (v, later, way)) in self.steps.iter().enumerate() {
            let mut pace = Pace::new(control);
            // Its own variable outermost: levels are compared run by run.
            let shape = Shape::new([*v].into_iter().chain(later.iter()).collect(), cardinalities);
            let incoming = std::mem::take(&mut messages[place]);
            let bucket = Bucket { shape: &shape, own: &[*v], terms: &terms[place], messages: &incoming };
            let mut table = bucket.table(conditioned, &mut pace)?;
            let run = shape.strides()[0];
            match way {
                Way::Sum => sum_runs(&mut table, run, &mut pace)?,
                Way::Max => picks.push((*v, later, max_runs(&mut table, run, &mut pace)?)),
            }
            table.truncate(run);
            table.shrink_to_fit();
            let message = table;
            match first(later) {
                Some(next) => {
                    messages[next].push((Shape::new(later.iter().collect(), cardinalities), message));
                }
                None => constant += message[0],
            }
        }
        let shape = Shape::new(self.kept.clone(), cardinalities);
        let kept = Bucket { shape: &shape, own: &self.kept, terms: &terms[last], messages: &messages[last] };
        let table = kept.table(conditioned, &mut Pace::new(control))?;
        let best = trace_back(&picks, cardinalities);
        Ok(Eliminated { constant, table, best })
    }
}

/// Maximises over variables one by one, each with its neighbours that are still there; returns
/// the largest sum of the tables and the levels that have it, the first among equals.
pub(super) fn maximise(
    steps: &[(Var, VarSet)],
    tables: Vec<Message>,
    cardinalities: &[u32],
    control: &dyn Control,
) -> Result<(f64, Vec<(Var, u32)>)> {
    let mut rank = vec![usize::MAX; cardinalities.len()];
    steps.iter().enumerate().for_each(|(place, &(v, _))| rank[v] = place);
    let mut messages: Vec<Vec<Message>> = vec![Vec::new(); steps.len()];
    for (shape, table) in tables {
        if let Some(first) = shape.variables().iter().map(|&v| rank[v]).min() {
            messages[first].push((shape, table));
        }
    }
    let (mut constant, mut picks) = (0.0, Vec::new());
    let mut pace = Pace::new(control);
    for (place, (v, later)) in steps.iter().enumerate() {
        let shape = Shape::new([*v].into_iter().chain(later.iter()).collect(), cardinalities);
        let mut table = vec![0.0; shape.size()];
        for (source, message) in std::mem::take(&mut messages[place]) {
            shape.walk_onto(&source).spread_under(&message, &mut table, &mut pace)?;
        }
        let run = shape.strides()[0];
        picks.push((*v, later, max_runs(&mut table, run, &mut pace)?));
        table.truncate(run);
        match later.iter().map(|v| rank[v]).min() {
            Some(next) => messages[next].push((Shape::new(later.iter().collect(), cardinalities), table)),
            None => constant += table[0],
        }
    }
    Ok((constant, trace_back(&picks, cardinalities)))
}

/// What meets in one table.
struct Bucket<'a> {
    shape: &'a Shape,
    /// The variables whose soft evidence belongs here.
    own: &'a [Var],
    terms: &'a [SetTerms<'a>],
    messages: &'a [Message],
}

impl Bucket<'_> {
    /// Its log potentials: terms, soft evidence about its own variables, messages.
    fn table(&self, conditioned: &Conditioned<'_>, pace: &mut Pace<'_>) -> Result<Vec<f64>> {
        let shape = self.shape;
        let mut table = vec![0.0; shape.size()];
        add_potentials(shape, self.terms, &mut table, pace)?;
        for (variable, weights) in conditioned.evidence().soft().filter(|(v, _)| self.own.contains(v)) {
            add_along(shape, variable, weights, &mut table, pace)?;
        }
        for (source, message) in self.messages {
            shape.walk_onto(source).spread_under(message, &mut table, pace)?;
        }
        Ok(table)
    }
}

/// Replaces the first run of a table by the largest value at each place over all runs;
/// returns the run that has it, the first among equals.
fn max_runs(table: &mut [f64], run: usize, pace: &mut Pace<'_>) -> Result<Vec<u16>> {
    let mut picks = vec![0; run];
    let (best, others) = table.split_at_mut(run);
    if run <= PIECE {
        for (values, level) in others.chunks_exact(run).zip(1..) {
            pace.step(run)?;
            keep_larger(best, &mut picks, values, level);
        }
        return Ok(picks);
    }
    for (values, level) in others.chunks_exact(run).zip(1..) {
        let pieces = best.chunks_mut(PIECE).zip(picks.chunks_mut(PIECE)).zip(values.chunks(PIECE));
        for ((best, picks), values) in pieces {
            pace.step(values.len())?;
            keep_larger(best, picks, values, level);
        }
    }
    Ok(picks)
}

/// Keeps the larger of two values at each place, and the level that has it.
fn keep_larger(best: &mut [f64], picks: &mut [u16], values: &[f64], level: u16) {
    for ((best, pick), &value) in best.iter_mut().zip(picks).zip(values) {
        let better = value > *best;
        *best = if better { value } else { *best };
        *pick = if better { level } else { *pick };
    }
}

/// Replaces the first run of a table by the log of the sum of exponentials at each place over
/// all runs.
fn sum_runs(table: &mut [f64], run: usize, pace: &mut Pace<'_>) -> Result<()> {
    let mut column = Vec::with_capacity(table.len() / run);
    for place in 0..run {
        // An exponential takes as long as some cells.
        pace.step(8 * (table.len() / run))?;
        column.clear();
        column.extend(table[place..].iter().step_by(run));
        table[place] = log_sum(&column);
    }
    Ok(())
}

/// The best level of each variable, given those eliminated after it.
fn trace_back(picks: &[(Var, &VarSet, Vec<u16>)], cardinalities: &[u32]) -> Vec<(Var, u32)> {
    let mut row = vec![0; cardinalities.len()];
    for (v, later, best) in picks.iter().rev() {
        // The cell of the levels in the message's layout: the last variable moves fastest.
        let cell = later.iter().fold(0, |cell, u| cell * cardinalities[u] as usize + row[u] as usize);
        row[*v] = u32::from(best[cell]);
    }
    picks.iter().map(|&(v, ..)| (v, row[v])).collect()
}
