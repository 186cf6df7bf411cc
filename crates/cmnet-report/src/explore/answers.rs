//! The numbers that a page answers by: the model's tree, or rows drawn where that is too large.

use super::PageAnswers;
use crate::answer::approximation::ChainFacts;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cmnet::{Clique, Control, Evidence, ExactOptions, Network, Question, Result, Under};
use serde::Serialize;

/// The most cells of a tree that a page carries: 4 MiB of numbers.
const MOST_CELLS: u64 = 1 << 19;

/// Rows that are drawn for a page without a tree. Counts of them fit 16 bits.
const ROWS: usize = 16_384;

/// The most levels of all variables together of which each pair is counted.
const MOST_LEVELS: usize = 1000;

/// What a page answers by.
pub(super) enum Numbers {
    Tree(TreeRecord),
    Sampled(SampledRecord),
    None,
}

/// A calibrated junction tree.
#[derive(Debug, Serialize)]
pub(super) struct TreeRecord {
    cliques: Vec<CliqueRecord>,
    tables: String,
}

#[derive(Debug, Serialize)]
struct CliqueRecord {
    variables: Vec<usize>,
    separator: usize,
    parent: i64,
}

/// How often levels, and pairs of levels, were drawn.
#[derive(Debug, Serialize)]
pub(super) struct SampledRecord {
    rows: usize,
    seed: u64,
    /// What the chains that rows come from say about themselves; `None` where rows are drawn exactly.
    chains: Option<ChainFacts>,
    tree: String,
    counts: String,
    pairs: Option<String>,
}

impl Numbers {
    pub(super) fn kind(&self) -> PageAnswers {
        match self {
            Self::Tree(_) => PageAnswers::Exact,
            Self::Sampled(_) => PageAnswers::Sampled,
            Self::None => PageAnswers::Structure,
        }
    }
}

/// The numbers of a network.
pub(super) fn numbers(network: &Network, control: &dyn Control) -> Result<Numbers> {
    let exact = ExactOptions { memory: 16 * MOST_CELLS, ..ExactOptions::default() };
    let query = network.query().memory(exact.memory).control(control);
    let cost = query.plan(Question::Marginals)?.cost;
    if cost.at_least || cost.cells > MOST_CELLS {
        return Ok(Numbers::Sampled(sampled(network, cost.to_string(), control)?));
    }
    let posterior = network.posterior(&Evidence::none(), Under::new(&exact, control))?;
    let (tree, propagation) = (posterior.tree(), posterior.propagation());
    let record = |clique: &Clique| CliqueRecord {
        variables: clique.shape().variables().to_vec(),
        separator: clique.separator().map_or(0, |separator| separator.variables().len()),
        parent: clique.parent().map_or(-1, |parent| parent as i64),
    };
    let tables = (0..tree.cliques().len()).flat_map(|clique| propagation.conditional(clique));
    let bytes: Vec<u8> = tables.flat_map(|&p| libm::log(p).to_le_bytes()).collect();
    let cliques = tree.cliques().iter().map(record).collect();
    Ok(Numbers::Tree(TreeRecord { cliques, tables: STANDARD.encode(bytes) }))
}

/// Counts of rows drawn from a network.
fn sampled(network: &Network, tree: String, control: &dyn Control) -> Result<SampledRecord> {
    let query = network.query().control(control);
    let sampler = query.sampler()?;
    let chains = sampler.diagnose()?.map(|gibbs| ChainFacts::from(&gibbs));
    let (rows, seed) = (sampler.rows(0..ROWS)?, sampler.seed());
    let mut offsets = Vec::with_capacity(network.cardinalities().len());
    let levels = network.cardinalities().iter().fold(0, |sum, &levels| {
        offsets.push(sum);
        sum + levels as usize
    });
    let mut counts = vec![0u16; levels];
    let all = levels <= MOST_LEVELS;
    let mut pairs = vec![0u16; if all { levels * levels } else { 0 }];
    for row in &rows {
        let places: Vec<usize> =
            row.iter().zip(&offsets).map(|(&level, &offset)| offset + level as usize).collect();
        for &place in &places {
            counts[place] += 1;
            if all {
                let own = &mut pairs[place * levels..(place + 1) * levels];
                for &other in &places {
                    own[other] += 1;
                }
            }
        }
    }
    let text = |numbers: &[u16]| {
        STANDARD.encode(numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>())
    };
    let pairs = all.then(|| text(&pairs));
    Ok(SampledRecord { rows: ROWS, seed, chains, tree, counts: text(&counts), pairs })
}
