//! The posterior of structures under the marginal pseudo-likelihood, by Markov chains over graphs
//! and contexts.

mod chain;
mod density;
mod moves;
mod options;
mod visits;

pub use chain::Moves;
pub use options::PosteriorOptions;
pub use visits::Chance;

use crate::control::{Halt, StopReason};
use crate::counts::{CountSource, PlaneCounts};
use crate::data::{Dataset, Var};
use crate::error::Result;
use crate::graph::Edge;
use crate::inference::BATCHES;
use crate::learn::{LearnEvent, LearnObserver, LearnOptions, in_pool};
use crate::score::Scorer;
use crate::structure::Structure;
use crate::table::{Cell, OutcomeSpace};
use chain::Chain;
use density::Density;
use rayon::prelude::*;
use visits::{Feature, Visits, chances};

/// What a Bayes factor is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BayesFactor {
    /// Posterior odds divided by prior odds.
    pub value: f64,
    /// Whether all draws said the same: then the draws bound it, and it is further from 1 than this.
    pub beyond: bool,
}

/// How probable an edge is.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgePosterior {
    /// The edge.
    pub edge: Edge,
    /// Its probability.
    pub chance: Chance,
    /// For the edge against none; `None` where the chains have not mixed, and for a required edge.
    pub bayes_factor: Option<BayesFactor>,
}

/// How probable a context element is.
#[derive(Clone, Debug, PartialEq)]
pub struct ElementPosterior {
    /// The edge.
    pub edge: Edge,
    /// The common neighbours with their levels, ascending.
    pub given: Vec<(Var, u32)>,
    /// The same as a number.
    pub cell: Cell,
    /// The probability that the edge is there with just these common neighbours, and cut off.
    pub chance: Chance,
    /// The probability that the edge is there with just these common neighbours.
    pub setting: Chance,
    /// For the element against none where the edge has these common neighbours; `None` where the
    /// chains have not mixed.
    pub bayes_factor: Option<BayesFactor>,
}

/// What structures are probable: see [`structure_posterior`].
#[derive(Clone, Debug, PartialEq)]
pub struct StructurePosterior {
    /// What was asked for.
    pub options: PosteriorOptions,
    /// Sweeps of each chain that were used; fewer than asked for when it was ended early, and 0
    /// where that was too early for an answer.
    pub sweeps: usize,
    /// Why it ended.
    pub stop: StopReason,
    /// Every edge that some draw has, in column order. All other pairs were in no draw.
    pub edges: Vec<EdgePosterior>,
    /// Every element that some draw has, in the same order.
    pub elements: Vec<ElementPosterior>,
    /// The structure with the highest density that was met.
    pub best: Structure,
    /// Moves at the lowest temperature, all chains together.
    pub moves: Moves,
}

impl StructurePosterior {
    /// Whether the chains mixed for every edge that was met.
    pub fn is_mixed(&self) -> bool {
        self.sweeps > 0 && self.edges.iter().all(|known| known.chance.is_mixed())
    }

    /// Draws, all chains together.
    pub fn draws(&self) -> usize {
        self.sweeps * self.options.chains
    }
}

/// Draws structures from their posterior, p(G) p(C | G) MPL^exponent, and says how probable each edge
/// and each context element is.
///
/// Graphs have the prior that the options name. Those that do not keep to what is known have probability
/// 0: chains start from the required edges, and toggle only edges that are neither required nor forbidden.
/// Contexts of a graph have one in proportion to kappa
/// to the number of restricted interactions, as in [`crate::ContextPrior`], divided by its sum over
/// all regular contexts of the graph. Each regular pair of graph and contexts is a state of its own,
/// also where another says the same. Structures whose blankets cannot be counted have no probability.
///
/// The marginal pseudo-likelihood looks at each dependence from both ends. So this posterior is too
/// narrow; an exponent of 0.5 undoes that about: see docs/confidence.md.
///
/// The answer is determined by table, options and seed: the number of threads changes nothing. An
/// observer that asks to stop ends the chains, with the sweeps that all of them have finished.
///
/// # Errors
/// When an option cannot be used, also what is known about edges.
///
/// # Example
/// ```
/// use cmnet::{Dataset, PosteriorOptions, structure_posterior};
/// let rows = [["0", "0"], ["1", "1"]].repeat(20);
/// let data = Dataset::from_labels(&["a", "b"], rows)?;
/// let options = PosteriorOptions { sweeps: 200, ..PosteriorOptions::default() };
/// let found = structure_posterior(&data, &options, &())?;
/// assert!(found.edges[0].chance.probability().is_some_and(|chance| chance > 0.99));
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn structure_posterior(
    data: &Dataset,
    options: &PosteriorOptions,
    observer: &dyn LearnObserver,
) -> Result<StructurePosterior> {
    options.check()?;
    let rules = options.knowledge.rules(data.schema())?;
    let threads = LearnOptions { threads: options.threads, ..LearnOptions::default() };
    in_pool(&threads, || {
        let counts = PlaneCounts::new(data);
        let scorer = Scorer::with_memory(&counts, options.alpha, options.memory);
        draw(&Density::new(&scorer, options, rules), options, observer)
    })
}

/// What one chain gave.
struct Walked {
    visits: Visits,
    best: (Structure, f64),
    moves: Moves,
}

fn draw<S: CountSource>(
    density: &Density<'_, S>,
    options: &PosteriorOptions,
    observer: &dyn LearnObserver,
) -> Result<StructurePosterior> {
    let chains: Vec<Walked> = (0..options.chains)
        .into_par_iter()
        .map(|number| walk(Chain::start(density, options, number)?, options, observer))
        .collect::<Result<_>>()?;
    let (mut moves, mut best) = (Moves::default(), None::<(Structure, f64)>);
    let mut all = Vec::new();
    for walked in chains {
        moves.tried += walked.moves.tried;
        moves.made += walked.moves.made;
        if best.as_ref().is_none_or(|(_, log)| walked.best.1 > *log) {
            best = Some(walked.best);
        }
        all.push(walked.visits);
    }
    let (found, sweeps) = chances(&all);
    let whole = sweeps >= options.sweeps / BATCHES * BATCHES;
    let cardinalities = density.scorer.cardinalities();
    Ok(StructurePosterior {
        options: options.clone(),
        sweeps,
        stop: if whole { StopReason::Converged } else { observer.stop().unwrap_or(StopReason::Interrupted) },
        edges: edges(&found, density),
        elements: elements(&found, density)?,
        best: best.map_or_else(|| Structure::empty(cardinalities), |(structure, _)| structure),
        moves,
    })
}

fn walk<S: CountSource>(
    mut chain: Chain<'_, S>,
    options: &PosteriorOptions,
    observer: &dyn LearnObserver,
) -> Result<Walked> {
    let mut visits = Visits::default();
    let (structure, log) = chain.structure();
    let mut best = (structure.clone(), log);
    for sweep in 0..options.warm_up + options.sweeps {
        if sweep == options.warm_up {
            chain.moves = Moves::default();
        }
        match chain.sweep(observer) {
            Ok(()) => {}
            Err(Halt::Stopped(_)) => break,
            Err(Halt::Failed(error)) => return Err(error),
        }
        let (structure, log) = chain.structure();
        if log > best.1 {
            best = (structure.clone(), log);
        }
        if sweep >= options.warm_up {
            visits.add(structure);
        }
        let of = (options.warm_up + options.sweeps) as u64;
        observer.observe_learning(&LearnEvent::Sweep { finished: sweep as u64 + 1, of });
    }
    Ok(Walked { visits, best, moves: chain.moves })
}

type Found = std::collections::BTreeMap<Feature, Chance>;

fn edges<S: CountSource>(found: &Found, density: &Density<'_, S>) -> Vec<EdgePosterior> {
    let known = found.iter().filter_map(|(feature, &chance)| match feature {
        Feature::Edge(edge) => {
            let beyond = chance.share >= 1.0;
            let prior_odds = libm::exp(density.prior.edge(*edge).to_f64());
            let factor = BayesFactor { value: chance.odds() / prior_odds, beyond };
            let told = chance.is_mixed() && !density.prior.rules().requires(*edge);
            Some(EdgePosterior { edge: *edge, chance, bayes_factor: told.then_some(factor) })
        }
        _ => None,
    });
    known.collect()
}

fn elements<S: CountSource>(found: &Found, density: &Density<'_, S>) -> Result<Vec<ElementPosterior>> {
    let mut known = Vec::new();
    for (feature, &chance) in found {
        let Feature::Element(edge, variables, cell) = feature else { continue };
        let Some(&setting) = found.get(&Feature::Setting(*edge, variables.clone())) else { continue };
        let space = OutcomeSpace::new(variables.iter().copied().collect(), density.scorer.cardinalities())?;
        let given = space.variables().iter().zip(space.configuration(*cell)).collect();
        // Of the draws with these common neighbours, those that are cut off.
        let share = (chance.share / setting.share).min(1.0);
        let within = Chance { share, effective: (setting.effective * setting.share).max(1.0), ..chance };
        let prior_odds = density.element_odds(*edge, space.size());
        let factor =
            prior_odds.map(|prior| BayesFactor { value: within.odds() / prior, beyond: share >= 1.0 });
        let mixed = chance.is_mixed() && setting.is_mixed();
        known.push(ElementPosterior {
            edge: *edge,
            given,
            cell: *cell,
            chance,
            setting,
            bayes_factor: factor.filter(|_| mixed),
        });
    }
    Ok(known)
}
