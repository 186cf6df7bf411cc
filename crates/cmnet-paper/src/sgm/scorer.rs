//! The posterior of a chordal graph with the best labels found for each of its cliques.

use super::clique::{margin, plain};
use super::factorials::LogFactorials;
use super::label_search::best_labels;
use super::labels::LabelSpace;
use super::stratified::{LabelledClique, Stratified, chordal_parameters};
use super::{LabelTiming, SgmOptions, SizePrior};
use cmnet::{CountSource, Error, Graph, Nats, Result, VarSet, decompose, mix_seed};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The largest clique that is considered: its prior is below 2^-4000.
pub(super) const LARGEST_CLIQUE: usize = 12;

/// A clique and those of its edges, by place, that lie in no separator.
type CliqueKey = (VarSet, Vec<(usize, usize)>);

/// Scores chordal graphs; labels of a clique that was seen before are remembered.
#[derive(Debug)]
pub struct SgmScorer<'a, S> {
    counts: &'a S,
    factorials: LogFactorials,
    options: SgmOptions,
    cliques: BTreeMap<CliqueKey, Arc<LabelledClique>>,
    plain: BTreeMap<VarSet, Nats>,
    /// Searches for labels so far.
    searches: u64,
}

impl<'a, S: CountSource> SgmScorer<'a, S> {
    /// A scorer over these counts.
    ///
    /// # Errors
    /// When a variable does not have two levels.
    pub fn new(counts: &'a S, options: &SgmOptions) -> Result<Self> {
        if let Some(place) = counts.cardinalities().iter().position(|&levels| levels != 2) {
            let found = format!("variable {} with {} levels", place + 1, counts.cardinalities()[place]);
            return Err(Error::option(
                super::BINARY_ONLY,
                found,
                "a table whose variables all have two levels",
            ));
        }
        let factorials = LogFactorials::up_to(counts.rows() + (1 << LARGEST_CLIQUE));
        let options = options.clone();
        let (cliques, plain) = (BTreeMap::new(), BTreeMap::new());
        Ok(Self { counts, factorials, options, cliques, plain, searches: 0 })
    }

    /// The number of variables d.
    pub fn variables(&self) -> usize {
        self.counts.cardinalities().len()
    }

    /// The graph with the best labels found; `None` when it is not chordal, or has a clique
    /// of more than twelve nodes.
    ///
    /// # Errors
    /// When the counts cannot be had.
    pub fn stratify(&mut self, graph: &Graph) -> Result<Option<Stratified>> {
        let Some(parts) = decompose(graph) else { return Ok(None) };
        if parts.cliques.iter().any(|clique| clique.len() > LARGEST_CLIQUE) {
            return Ok(None);
        }
        let cliques: Vec<Arc<LabelledClique>> = parts
            .cliques
            .iter()
            .map(|clique| self.labelled_clique(clique, &parts.separators))
            .collect::<Result<_>>()?;
        let mut log_marginal_likelihood: Nats = cliques.iter().map(|clique| clique.log_likelihood).sum();
        for separator in &parts.separators {
            log_marginal_likelihood -= self.plain_set(separator)?;
        }
        let parameters = chordal_parameters(parts.cliques.iter(), &parts.separators);
        let counted = match self.options.reading.prior {
            SizePrior::Graph => parameters,
            SizePrior::Labelled => parameters - cliques.iter().map(|clique| clique.merged()).sum::<usize>(),
            SizePrior::Uniform => 0,
        };
        let surplus = counted.saturating_sub(graph.nodes()) as u64;
        Ok(Some(Stratified {
            graph: graph.clone(),
            cliques,
            separators: parts.separators,
            log_marginal_likelihood,
            log_prior: -(Nats::ln_integer(2) * surplus),
        }))
    }

    fn plain_set(&mut self, set: &VarSet) -> Result<Nats> {
        if let Some(&score) = self.plain.get(set) {
            return Ok(score);
        }
        let score = plain(&self.factorials, &margin(self.counts, set)?);
        self.plain.insert(set.clone(), score);
        Ok(score)
    }

    fn labelled_clique(&mut self, members: &VarSet, separators: &[VarSet]) -> Result<Arc<LabelledClique>> {
        let key = (members.clone(), free_edges(members, separators));
        let anew = self.options.reading.labels == LabelTiming::Anew;
        if let Some(clique) = self.cliques.get(&key).filter(|_| !anew) {
            return Ok(Arc::clone(clique));
        }
        self.searches += 1;
        let table = margin(self.counts, members)?;
        let space = LabelSpace::new(members.len(), &key.1);
        let stream = if anew { mix_seed(self.stream(&key) ^ self.searches) } else { self.stream(&key) };
        let mut rng = Pcg64Mcg::seed_from_u64(stream);
        let iterations = self.options.label_iterations;
        let (labels, log_likelihood) = best_labels(&self.factorials, &table, &space, iterations, &mut rng);
        let clique = Arc::new(LabelledClique { members: members.clone(), space, labels, log_likelihood });
        self.cliques.insert(key, Arc::clone(&clique));
        Ok(clique)
    }

    /// A seed of its own for every clique, whenever it is met.
    fn stream(&self, (members, edges): &CliqueKey) -> u64 {
        let places = edges.iter().flat_map(|&(low, high)| [low, high]);
        members.iter().chain(places).fold(self.options.seed, |seed, part| mix_seed(seed ^ part as u64))
    }
}

/// The edges inside a clique that lie in no separator, by place.
fn free_edges(members: &VarSet, separators: &[VarSet]) -> Vec<(usize, usize)> {
    let nodes = members.as_slice();
    let within = |one, other| separators.iter().any(|set| set.contains(one) && set.contains(other));
    let pairs = (0..nodes.len()).flat_map(|low| (low + 1..nodes.len()).map(move |high| (low, high)));
    pairs.filter(|&(low, high)| !within(nodes[low], nodes[high])).collect()
}
