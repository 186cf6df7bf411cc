//! The chain over chordal graphs: propose, accept by the posterior ratio, keep the best.

use super::label_search::accepted;
use super::scorer::SgmScorer;
use super::{Kept, LabelTiming, Proposal, SgmOptions, Stratified};
use cmnet::{
    Control, CountSource, Dataset, Edge, Error, Graph, Result, RowCounts, StopReason, mix_seed, quoted,
};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Toggles after which a walk begins again at the current graph: of many toggles nearly none leads to a
/// chordal graph.
const LONGEST_WALK: u32 = 10;

/// The best structure that a search has visited.
#[derive(Clone, Debug)]
pub struct LearnedSgm {
    /// Graph, labels and posterior.
    pub best: Stratified,
    /// Graph proposals made.
    pub proposals: u32,
    /// Graph proposals accepted.
    pub accepted: u32,
    /// Why the search ended: [`StopReason::Converged`] after the iterations asked for.
    pub stop: StopReason,
}

/// Learns a decomposable stratified graphical model by non-reversible Markov chain Monte
/// Carlo: a proposal is accepted with the ratio of posteriors, whatever the proposal's own
/// probability, and the best visited structure is kept.
///
/// # Errors
/// When a variable does not have two levels.
///
/// # Example
/// ```
/// use cmnet::Dataset;
/// use cmnet_paper::sgm::{SgmOptions, learn};
/// let data = Dataset::from_labels(&["a", "b"], [["0", "0"], ["1", "1"]].repeat(20))?;
/// let learned = learn(&data, &SgmOptions::default(), &())?;
/// assert_eq!(learned.best.structure()?.graph().edge_count(), 1);
/// assert_eq!(learned.best.free_parameters(), 3);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn learn(data: &Dataset, options: &SgmOptions, control: &dyn Control) -> Result<LearnedSgm> {
    let schema = data.schema();
    if let Some(variable) = schema.variables().iter().find(|variable| variable.levels.len() != 2) {
        let found = format!("{} with {} levels", quoted(&variable.name), variable.levels.len());
        return Err(Error::option(super::BINARY_ONLY, found, "a table whose variables all have two levels"));
    }
    let counts = RowCounts::new(data);
    if options.reading.labels != LabelTiming::Last {
        return chain(&counts, options, control);
    }
    let without = chain(&counts, &SgmOptions { label_iterations: 0, ..options.clone() }, control)?;
    let mut scorer = SgmScorer::new(&counts, options)?;
    let best = scorer.stratify(&without.best.graph)?.unwrap_or_else(|| without.best.clone());
    Ok(LearnedSgm { best, ..without })
}

/// The chain from the graph without edges.
fn chain<S: CountSource>(counts: &S, options: &SgmOptions, control: &dyn Control) -> Result<LearnedSgm> {
    let mut scorer = SgmScorer::new(counts, options)?;
    let mut rng = Pcg64Mcg::seed_from_u64(mix_seed(options.seed));
    let empty = Graph::empty(scorer.variables());
    let Some(mut current) = scorer.stratify(&empty)? else {
        return Err(Error::limit("the empty graph", "chordal graphs", "report this: it is a defect"));
    };
    let (best, stop) = (current.clone(), StopReason::Converged);
    let mut learned = LearnedSgm { best, proposals: 0, accepted: 0, stop };
    let pairs: Vec<Edge> = empty.pairs().collect();
    if pairs.is_empty() {
        return Ok(learned);
    }
    for _ in 0..options.graph_iterations {
        if let Some(reason) = control.stop() {
            learned.stop = reason;
            break;
        }
        learned.proposals += 1;
        let proposed = propose(&mut scorer, &current.graph, &pairs, (options.reading.proposal, &mut rng))?;
        let Some(proposal) = proposed else { continue };
        if accepted(proposal.log_posterior() - current.log_posterior(), &mut rng) {
            current = proposal;
            learned.accepted += 1;
            let last = options.reading.kept == Kept::Last;
            if last || current.log_posterior() > learned.best.log_posterior() {
                learned.best = current.clone();
            }
        }
    }
    Ok(learned)
}

/// A chordal graph near this one, as the reading says; `None` where the proposal is refused. Toggles
/// end: any chordal graph with an edge has one whose removal leaves it chordal.
fn propose<S: CountSource>(
    scorer: &mut SgmScorer<'_, S>,
    graph: &Graph,
    pairs: &[Edge],
    (proposal, rng): (Proposal, &mut impl Rng),
) -> Result<Option<Stratified>> {
    let mut toggled = graph.clone();
    for toggles in 0.. {
        if proposal != Proposal::Walk || toggles % LONGEST_WALK == 0 {
            toggled.clone_from(graph);
        }
        toggled.toggle(pairs[rng.random_range(0..pairs.len() as u32) as usize]);
        let stratified = scorer.stratify(&toggled)?;
        if stratified.is_some() || proposal == Proposal::Refuse {
            return Ok(stratified);
        }
    }
    Ok(None)
}
