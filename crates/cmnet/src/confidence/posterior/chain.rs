//! One chain: structures at several temperatures, which move and change places.

use super::PosteriorOptions;
use super::density::Density;
use super::moves::toggled;
use crate::control::{Control, Halt, Halting, check};
use crate::counts::CountSource;
use crate::data::below;
use crate::error::{ErrorKind, Result};
use crate::graph::{Blankets, Edge};
use crate::inference::stream;
use crate::structure::Structure;
use libm::{log, pow};
use rand_pcg::Pcg64Mcg;

/// The inverse temperature of the hottest rung.
const HOTTEST: f64 = 0.2;

/// Moves between two questions to the control.
const PATIENCE: usize = 64;

/// A structure at one temperature.
struct Rung {
    structure: Structure,
    nodes: Vec<f64>,
    /// Its log density.
    log: f64,
    /// Edges with common neighbours, and configurations up to and with each.
    rooms: Vec<(Edge, u64)>,
}

/// How many moves were tried, and made, at the lowest temperature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moves {
    /// Tried.
    pub tried: u64,
    /// Made.
    pub made: u64,
}

/// A chain under way.
pub(super) struct Chain<'a, S> {
    density: &'a Density<'a, S>,
    rungs: Vec<Rung>,
    /// The inverse temperature of each rung.
    inverse: Vec<f64>,
    random: Pcg64Mcg,
    /// The pairs whose edges may come and go.
    pairs: Vec<Edge>,
    pub(super) moves: Moves,
}

impl<'a, S: CountSource> Chain<'a, S> {
    pub(super) fn start(
        density: &'a Density<'a, S>,
        options: &PosteriorOptions,
        number: usize,
    ) -> Result<Self> {
        let mut random = stream(options.seed, number as u64);
        let cardinalities = density.scorer.cardinalities();
        let rules = density.prior.rules();
        let structure = Structure::from_graph(rules.required_graph(cardinalities.len()), cardinalities)?;
        let pairs: Vec<Edge> = structure.graph().pairs().filter(|&pair| rules.is_free(pair)).collect();
        let last = (options.rungs - 1).max(1) as f64;
        let mut chain = Self {
            density,
            rungs: Vec::new(),
            inverse: (0..options.rungs).map(|rung| pow(HOTTEST, rung as f64 / last)).collect(),
            random: stream(options.seed, u64::MAX - number as u64),
            pairs,
            moves: Moves::default(),
        };
        for _ in 0..options.rungs {
            let mut begin = structure.clone();
            // Every other chain starts at a random graph, so that chains can disagree.
            if number % 2 == 1 {
                for &pair in &chain.pairs {
                    let few = below(&mut random, cardinalities.len() as u64) < 2;
                    if few {
                        begin.add_edge(pair)?;
                    }
                }
            }
            let rung = chain.rung(begin).or_else(|error| match error.kind() {
                ErrorKind::Limit(_) => chain.rung(structure.clone()),
                _ => Err(error),
            })?;
            chain.rungs.push(rung);
        }
        Ok(chain)
    }

    fn rung(&self, structure: Structure) -> Result<Rung> {
        let nodes: Vec<f64> = (0..structure.variables())
            .map(|node| self.density.node(&structure, node))
            .collect::<Result<_>>()?;
        let log = nodes.iter().sum::<f64>() + self.density.log_prior(&structure)?;
        let rooms = self.rooms(&structure)?;
        Ok(Rung { structure, nodes, log, rooms })
    }

    fn rooms(&self, structure: &Structure) -> Result<Vec<(Edge, u64)>> {
        let mut total = 0u64;
        let mut rooms = Vec::new();
        for edge in structure.graph().edges() {
            if self.density.element(edge).is_some() && structure.graph().have_common_neighbor(edge) {
                total = total.saturating_add(structure.context_space(edge)?.size());
                rooms.push((edge, total));
            }
        }
        Ok(rooms)
    }

    /// The structure at the lowest temperature, and its log density.
    pub(super) fn structure(&self) -> (&Structure, f64) {
        (&self.rungs[0].structure, self.rungs[0].log)
    }

    /// Tries every kind of move about as often as there are pairs, at every temperature, and lets
    /// temperatures change places.
    pub(super) fn sweep(&mut self, control: &dyn Control) -> Halting<()> {
        let many = self.pairs.len() as u64;
        for rung in 0..self.rungs.len() {
            let variables = self.rungs[rung].structure.variables();
            for turn in 0..variables * variables.saturating_sub(1) / 2 {
                if turn % PATIENCE == 0 {
                    check(control)?;
                }
                if many > 0 {
                    let pair = self.pairs[below(&mut self.random, many) as usize];
                    self.try_edges(rung, &[pair])?;
                }
                self.try_element(rung)?;
                if turn % 4 == 0 {
                    self.try_swap(rung)?;
                }
            }
        }
        self.exchange();
        Ok(())
    }

    /// Whether a move that changes the log density by so much is made.
    fn accepts(&mut self, rung: usize, change: f64) -> bool {
        let one = (below(&mut self.random, 1 << 53) + 1) as f64 / (1u64 << 53) as f64;
        let made = log(one) < self.inverse[rung] * change;
        if rung == 0 {
            self.moves.tried += 1;
            self.moves.made += u64::from(made);
        }
        made
    }

    /// Toggles edges.
    fn try_edges(&mut self, rung: usize, edges: &[Edge]) -> Halting<()> {
        let next = match self.with_edges(rung, edges) {
            Ok(Some(next)) => next,
            Ok(None) => return Ok(()),
            Err(error) => match error.kind() {
                // What cannot be counted has no probability.
                ErrorKind::Limit(_) => return Ok(()),
                _ => return Err(Halt::Failed(error)),
            },
        };
        if self.accepts(rung, next.log - self.rungs[rung].log) {
            self.rungs[rung] = next;
        }
        Ok(())
    }

    fn with_edges(&self, rung: usize, edges: &[Edge]) -> Result<Option<Rung>> {
        let now = &self.rungs[rung];
        let mut structure = now.structure.clone();
        let mut changed = Vec::new();
        for &edge in edges {
            let Some(next) = toggled(&structure, edge)? else { return Ok(None) };
            changed.extend([edge.low(), edge.high()]);
            changed.extend(next.graph().common_neighbors(edge).iter());
            structure = next;
        }
        changed.sort_unstable();
        changed.dedup();
        let mut nodes = now.nodes.clone();
        for node in changed {
            nodes[node] = self.density.node(&structure, node)?;
        }
        let log = nodes.iter().sum::<f64>() + self.density.log_prior(&structure)?;
        let rooms = self.rooms(&structure)?;
        Ok(Some(Rung { structure, nodes, log, rooms }))
    }

    /// Moves one end of an edge to a variable that it has no edge with.
    fn try_swap(&mut self, rung: usize) -> Halting<()> {
        let graph = self.rungs[rung].structure.graph();
        let node = below(&mut self.random, graph.nodes() as u64) as usize;
        let blanket = graph.markov_blanket(node);
        // As many on either side before and after the move, so that it is as probable as its way back.
        let (mut there, mut absent) = (Vec::new(), Vec::new());
        for other in (0..graph.nodes()).filter(|&other| other != node) {
            if self.density.prior.rules().is_free(Edge::new(node, other)?) {
                if blanket.contains(other) { &mut there } else { &mut absent }.push(other);
            }
        }
        if there.is_empty() || absent.is_empty() {
            return Ok(());
        }
        let from = there[below(&mut self.random, there.len() as u64) as usize];
        let to = absent[below(&mut self.random, absent.len() as u64) as usize];
        let (old, new) = (Edge::new(node, from)?, Edge::new(node, to)?);
        self.try_edges(rung, &[old, new])
    }

    /// Adds or removes one element of a context.
    fn try_element(&mut self, rung: usize) -> Halting<()> {
        let now = &self.rungs[rung];
        let Some(&(_, total)) = now.rooms.last() else { return Ok(()) };
        let one = below(&mut self.random, total);
        let place = now.rooms.partition_point(|&(_, up_to)| up_to <= one);
        let before = if place == 0 { 0 } else { now.rooms[place - 1].1 };
        let (edge, size) = (now.rooms[place].0, now.rooms[place].1 - before);
        let (cell, context) = (one - before, now.structure.context(edge));
        let Some(cost) = self.density.element(edge) else { return Ok(()) };
        let removes = context.is_some_and(|context| context.contains(cell));
        if !removes && context.map_or(0, |context| context.len() as u64) + 1 >= size {
            return Ok(());
        }
        let mut structure = now.structure.clone();
        if removes {
            structure.remove_context_element(edge, cell);
        } else {
            structure.add_context_element(edge, cell)?;
        }
        let mut nodes = now.nodes.clone();
        for end in [edge.low(), edge.high()] {
            nodes[end] = self.density.node(&structure, end)?;
        }
        let own = |nodes: &[f64]| nodes[edge.low()] + nodes[edge.high()];
        let change = own(&nodes) - own(&now.nodes) + if removes { -cost } else { cost };
        if self.accepts(rung, change) {
            let now = &mut self.rungs[rung];
            (now.structure, now.nodes) = (structure, nodes);
            now.log += change;
        }
        Ok(())
    }

    /// Lets neighbouring temperatures change places.
    fn exchange(&mut self) {
        for rung in 1..self.rungs.len() {
            let gap = self.inverse[rung - 1] - self.inverse[rung];
            let gain = gap * (self.rungs[rung].log - self.rungs[rung - 1].log);
            let one = (below(&mut self.random, 1 << 53) + 1) as f64 / (1u64 << 53) as f64;
            if log(one) < gain {
                self.rungs.swap(rung - 1, rung);
            }
        }
    }
}
