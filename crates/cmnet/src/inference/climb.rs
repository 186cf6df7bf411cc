//! A probable completion where proving the most probable one takes tables that do not fit.
//!
//! From several starting points (max-product messages, each variable for itself, annealed
//! Gibbs chains) a row climbs: one variable at a time, then a whole block of variables at
//! once. A block is a random set of variables that fall into parts without loops, or with few
//! configurations; all others are held, and the best levels of the block are found exactly by
//! elimination. Every step
//! raises the probability or leaves it, so that what comes out is a lower bound of the
//! largest one; that it *is* the largest is never claimed.

use super::belief::{first_largest, max_product};
use super::cut_edges::Conditioned;
use super::evidence::{Evidence, impossible};
use super::factors::Factors;
use super::gibbs::{start, sweep_work};
use super::joint::Completion;
use super::network::Network;
use super::options::{BeliefOptions, ClimbOptions, ExactOptions};
use super::random::{pick, stream};
use crate::control::{Pace, Under};
use crate::data::Var;
use crate::error::Result;
use crate::graph::DisjointSets;
use crate::table::softmax;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;
use std::fmt;

/// Annealing begins at this temperature: four times flatter than the distribution itself.
const HOTTEST: f64 = 4.0;
/// And ends at this one.
const COLDEST: f64 = 0.05;

/// Configurations up to which a part of a block may have loops.
const SMALL_PART: u64 = 1 << 10;

/// Where a climb began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Max-product belief propagation.
    MaxProduct,
    /// Each variable's best level by its own terms.
    Independent,
    /// An annealed Gibbs chain.
    Annealed,
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MaxProduct => "max-product",
            Self::Independent => "independent",
            Self::Annealed => "annealed",
        })
    }
}

/// What the climbs say about themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Climb {
    /// Starting points.
    pub starts: usize,
    /// How many of them led to a row as probable as the best one.
    pub agreeing: usize,
    /// The first that did.
    pub best_start: Start,
    /// Blocks solved exactly, over all starts.
    pub blocks: usize,
}

impl Network {
    /// A completion that several climbs found the most probable: a lower bound, not a proof.
    ///
    /// # Errors
    /// When the clique tables do not fit the memory, or the evidence has probability 0.
    pub(super) fn climb(
        &self,
        evidence: &Evidence,
        exact: Under<'_, ExactOptions>,
        options: &ClimbOptions,
    ) -> Result<(Completion, Climb)> {
        options.check()?;
        let conditioned = Conditioned::new(self, evidence, !exact.keep_cut_edges);
        let factors = Factors::new(&conditioned, exact.memory, exact.control())?;
        let climber = Climber { network: self, conditioned: &conditioned, factors: &factors, exact, options };
        let found: Vec<Ascent> =
            (0..options.chains + 2).into_par_iter().map(|at| climber.run(at)).collect::<Result<_>>()?;
        // The first of the best, whatever finished first.
        let mut best = &found[0];
        for other in &found[1..] {
            if other.weight > best.weight {
                best = other;
            }
        }
        if best.weight == f64::NEG_INFINITY {
            return Err(impossible());
        }
        let close = |other: &&Ascent| best.weight - other.weight <= 1e-9 * (1.0 + best.weight.abs());
        let climb = Climb {
            starts: found.len(),
            agreeing: found.iter().filter(close).count(),
            best_start: best.start,
            blocks: found.iter().map(|one| one.blocks).sum(),
        };
        let levels = factors.free().iter().map(|v| (v, best.row[v])).collect();
        Ok((Completion { levels, log_weight: best.weight }, climb))
    }
}

/// Where one climb ended.
struct Ascent {
    row: Vec<u32>,
    weight: f64,
    start: Start,
    blocks: usize,
}

struct Climber<'a> {
    network: &'a Network,
    conditioned: &'a Conditioned<'a>,
    factors: &'a Factors,
    exact: Under<'a, ExactOptions>,
    options: &'a ClimbOptions,
}

impl Climber<'_> {
    fn run(&self, at: usize) -> Result<Ascent> {
        let mut random = stream(self.options.seed, at as u64);
        let mut row = start(self.factors, self.conditioned.evidence(), &mut random);
        let start = match at {
            0 => Start::MaxProduct,
            1 => Start::Independent,
            _ => Start::Annealed,
        };
        match start {
            Start::MaxProduct => {
                let options = BeliefOptions { rounds: 200, ..BeliefOptions::default() };
                max_product(self.factors, self.exact.with(&options), &mut row)?;
            }
            Start::Independent => self.independent(&mut row),
            Start::Annealed => self.anneal(&mut random, &mut row)?,
        }
        self.one_by_one(&mut row)?;
        let blocks = self.block_by_block(&mut random, &mut row)?;
        Ok(Ascent { weight: self.factors.potentials.weight(&row), row, start, blocks })
    }

    /// Each variable's best level by its own terms and weights.
    fn independent(&self, row: &mut [u32]) {
        let cardinalities = self.factors.cardinalities();
        let mut weights: Vec<Vec<f64>> = cardinalities.iter().map(|&r| vec![0.0; r as usize]).collect();
        for (variables, values) in self.conditioned.terms().filter(|(variables, _)| variables.len() == 1) {
            let own = &mut weights[variables.as_slice()[0]];
            own[1..].iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        }
        for (v, soft) in self.conditioned.evidence().soft() {
            weights[v].iter_mut().zip(soft).for_each(|(sum, value)| *sum += value);
        }
        self.factors.free().iter().for_each(|v| row[v] = first_largest(&weights[v]));
    }

    /// Gibbs sweeps at falling temperature; leaves the best row that was met.
    fn anneal(&self, random: &mut Pcg64Mcg, row: &mut [u32]) -> Result<()> {
        let (mut best, mut best_weight) = (row.to_vec(), self.factors.potentials.weight(row));
        let mut buffer = Vec::new();
        let mut pace = Pace::new(self.exact.control());
        for sweep in 0..self.options.sweeps {
            pace.step(sweep_work(self.factors))?;
            let share = sweep as f64 / self.options.sweeps as f64;
            let temperature = HOTTEST * libm::pow(COLDEST / HOTTEST, share);
            for v in self.factors.free().iter() {
                self.factors.potentials.energies(v, row, &mut buffer);
                for energy in &mut buffer {
                    *energy /= temperature;
                }
                softmax(&mut buffer);
                row[v] = pick(random, &buffer) as u32;
            }
            let weight = self.factors.potentials.weight(row);
            if weight > best_weight {
                best_weight = weight;
                best.copy_from_slice(row);
            }
        }
        row.copy_from_slice(&best);
        Ok(())
    }

    /// Moves single variables to better levels until none is left.
    fn one_by_one(&self, row: &mut [u32]) -> Result<()> {
        let mut buffer = Vec::new();
        let mut pace = Pace::new(self.exact.control());
        let mut moved = true;
        while moved {
            pace.step(sweep_work(self.factors))?;
            moved = false;
            for v in self.factors.free().iter() {
                self.factors.potentials.energies(v, row, &mut buffer);
                let best = first_largest(&buffer);
                if is_gain(buffer[best as usize], buffer[row[v] as usize]) {
                    row[v] = best;
                    moved = true;
                }
            }
        }
        Ok(())
    }

    /// Solves blocks exactly, all else held, until some in a row gain nothing;
    /// returns how many.
    fn block_by_block(&self, random: &mut Pcg64Mcg, row: &mut Vec<u32>) -> Result<usize> {
        let (mut idle, mut blocks) = (0, 0);
        let mut weight = self.factors.potentials.weight(row);
        while idle < self.options.patience {
            blocks += 1;
            let mut held = self.conditioned.evidence().clone();
            let block = self.block(random);
            for v in self.factors.free().iter().filter(|&v| !block[v]) {
                held.observe(self.network.schema(), v, row[v])?;
            }
            let found = self.network.map_exact(None, &held, self.exact)?;
            let mut next = row.clone();
            found.levels.iter().for_each(|&(v, level)| next[v] = level);
            let new = self.factors.potentials.weight(&next);
            idle += 1;
            if is_gain(new, weight) {
                (*row, weight) = (next, new);
                idle = 0;
            }
        }
        Ok(blocks)
    }

    /// A random set of unobserved variables, as large as it can be while each part that hangs
    /// together has no loop or few configurations.
    fn block(&self, random: &mut Pcg64Mcg) -> Vec<bool> {
        let graph = self.conditioned.graph();
        let most = SMALL_PART.min(self.exact.memory / 32);
        let mut order: Vec<Var> = self.factors.free().iter().collect();
        order.shuffle(random);
        let mut inside = vec![false; graph.nodes()];
        let mut sets = DisjointSets::new(graph.nodes());
        // By root: configurations, and whether there is no loop.
        let mut parts: Vec<(u64, bool)> =
            self.factors.cardinalities().iter().map(|&levels| (levels.into(), true)).collect();
        for v in order {
            let neighbors = graph.markov_blanket(v).iter().filter(|&other| inside[other]);
            let mut roots: Vec<Var> = neighbors.map(|other| sets.find(other)).collect();
            let links = roots.len();
            roots.sort_unstable();
            roots.dedup();
            let cells = roots.iter().fold(parts[v].0, |cells, &part| cells.saturating_mul(parts[part].0));
            let loopless = links == roots.len() && roots.iter().all(|&part| parts[part].1);
            if loopless || cells <= most {
                inside[v] = true;
                for part in roots {
                    sets.join(part, v);
                }
                parts[sets.find(v)] = (cells, loopless);
            }
        }
        inside
    }
}

/// Whether a log weight is better by more than rounding: equals would change places for ever.
fn is_gain(new: f64, old: f64) -> bool {
    new > old && (old == f64::NEG_INFINITY || new - old > 1e-12 * new.abs())
}
