//! What completed tables agree on, as models like any others.

use super::super::Tally;
use super::super::tally::support;
use super::super::{EdgeSupport, ElementSupport, Frequency};
use super::CompletionOptions;
use super::run::{Ended, Work};
use crate::control::{Halt, Outcome, StopReason};
use crate::counts::PlaneCounts;
use crate::data::{Dataset, IncompleteTable};
use crate::error::{ErrorKind, Result, Unfitted};
use crate::learn::{
    CompletedStructure, CompletionRound, Criterion, FitControl, LearnEvent, Learned, LearnedModel, Select,
    best_of,
};
use crate::missing::fit_incomplete;
use crate::model::{Model, Support};
use crate::score::{ContextPrior, Nats, Scorer, StructureScore};
use crate::search::{ClimbRecord, SearchUsed};
use crate::structure::Structure;
use std::sync::Arc;

/// What was learned from a table with holes: see [`learn_incomplete`](crate::learn_incomplete).
#[derive(Clone, Debug)]
pub struct CompletedLearning {
    /// The consensus of each kappa, with parameters that maximise the likelihood of the known cells.
    /// Scores are means over the completed tables.
    pub learned: Learned,
    /// How many completed tables agree on each edge and element, for each of the models; none where the
    /// table has no holes.
    pub agreement: Vec<Agreement>,
    /// Completed tables of a round.
    pub completions: u64,
    /// The seed that they were drawn with.
    pub seed: u64,
    /// The share of them from which on edges and elements are kept.
    pub threshold: f64,
    /// Observations, by weight.
    pub observations: u64,
    /// The rounds, in order; none where the table has no holes.
    pub rounds: Vec<CompletionRound>,
    /// Whether another round would find the same.
    pub stable: bool,
}

/// How many completed tables agree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Agreement {
    /// Every edge that some completed table has, in column order.
    pub edges: Vec<EdgeSupport>,
    /// Every configuration in which some completed table cuts an edge off, in the same order.
    pub elements: Vec<ElementSupport>,
}

impl Agreement {
    /// The counts of a structure of which this is the agreement.
    fn support(&self, structure: &Structure, seed: u64) -> Support {
        let of = self.edges.first().map_or(1, |known| known.found.of);
        support(structure, (&self.edges, &self.elements), (of, seed))
    }

    /// The lowest agreement on an edge or element of a structure; `None` where it has none.
    pub fn lowest(&self, structure: &Structure) -> Option<Frequency> {
        let support = self.support(structure, 0);
        let counts = support.edges.values().chain(support.elements.values());
        counts.min().map(|&count| Frequency { count, of: support.replicates })
    }
}

impl CompletedLearning {
    /// What was learned from a table without holes.
    pub(super) fn complete(learned: Learned, observations: u64, options: &CompletionOptions) -> Self {
        Self {
            learned,
            agreement: Vec::new(),
            completions: options.completions,
            seed: options.seed,
            threshold: options.agreement,
            observations,
            rounds: Vec::new(),
            stable: true,
        }
    }

    /// The consensus of the last round.
    pub(super) fn of(work: &Work<'_>, ended: Ended) -> Result<Self> {
        let Ended { rounds, stable, stop, data } = ended;
        let options = &work.options.learn;
        let (_, search_reason) = options.mode(work.table.schema().len(), work.table.distinct_rows() as u64);
        let learned = Learned::none(SearchUsed::Imputation, search_reason, stop);
        let mut own = Self { rounds, stable, ..Self::complete(learned, work.table.rows(), work.options) };
        let Some(last) = own.rounds.last().filter(|_| !work.observer.gives_up()).cloned() else {
            return Ok(own);
        };
        let searched = stop == StopReason::Converged;
        let control = FitControl { observer: work.observer, searched, fitted: false };
        let data = match data.map_or_else(|| work.completed(&last.drawn_from, &control), Ok) {
            Ok(data) => data,
            Err(Halt::Stopped(reason)) => {
                own.learned.stop = reason;
                return Ok(own);
            }
            Err(Halt::Failed(error)) => return Err(error),
        };
        own.agree(work, &last, &data)?;
        own.fit(work)?;
        Ok(own)
    }

    /// The consensus of each kappa and its score.
    fn agree(&mut self, work: &Work<'_>, last: &CompletionRound, data: &[Dataset]) -> Result<()> {
        let (options, schema) = (&work.options.learn, work.table.schema());
        let rules = Arc::new(options.knowledge.rules(schema)?);
        let data = &data[..last.tables.len().min(data.len())];
        let counts: Vec<PlaneCounts<'_>> = data.iter().map(PlaneCounts::new).collect();
        for (place, &kappa) in options.kappas.iter().enumerate() {
            let found: Vec<&CompletedStructure> =
                last.tables.iter().filter_map(|table| table.found.get(place)).collect();
            let structures: Vec<&Structure> = found.iter().map(|one| &one.structure).collect();
            let tally = Tally::of(&structures, &schema.cardinalities(), self.threshold)?;
            let prior = ContextPrior::new(kappa, work.table.rows());
            let prior = prior.with_edges(options.edge_prior, schema.len()).with_rules(Arc::clone(&rules));
            let score = mean_score(&counts, &tally.consensus, &prior, work)?;
            let climb = ClimbRecord {
                moves: found.iter().map(|one| one.moves).sum(),
                ties: found.iter().map(|one| one.ties).sum(),
                ..ClimbRecord::none(self.learned.stop)
            };
            self.learned.models.push(LearnedModel::found(prior, tally.consensus, score, climb));
            self.agreement.push(Agreement { edges: tally.edges, elements: tally.elements });
        }
        let mut limited: Vec<_> =
            last.tables.iter().flat_map(|table| table.limited.iter().copied()).collect();
        limited.sort_unstable();
        limited.dedup();
        self.learned.limited = limited;
        Ok(())
    }

    /// Parameters from the known cells, each different structure once, and the choice by BIC.
    fn fit(&mut self, work: &Work<'_>) -> Result<()> {
        let (options, learned) = (&work.options.learn, &mut self.learned);
        if options.select == Select::None {
            learned.selected = (learned.models.len() == 1).then_some(0);
            return Ok(());
        }
        let of = learned.models.len();
        for place in 0..of {
            let (before, rest) = learned.models.split_at_mut(place);
            let Some(model) = rest.first_mut() else { break };
            if let Some(same) = before.iter().find(|other| other.structure == model.structure) {
                (model.fit, model.unfitted) = (same.fit.clone(), same.unfitted.clone());
                continue;
            }
            work.observer.observe_learning(&LearnEvent::Fitting { index: place, of });
            let fitted = before.iter().any(|other| other.fit.is_some());
            let searched = model.climb.stop == StopReason::Converged;
            let control = FitControl { observer: work.observer, searched, fitted };
            match fit_incomplete(&model.structure, work.table, &options.fit, &control) {
                Ok(Outcome::Done(found)) => model.fit = Some(found.fit),
                Ok(Outcome::Stopped(reason)) => {
                    learned.stop = reason;
                    model.unfitted = Some(match reason {
                        StopReason::TimeLimit => Unfitted::OutOfTime,
                        _ => Unfitted::Interrupted,
                    });
                }
                Err(error) => match error.kind() {
                    ErrorKind::Limit(limit) => model.unfitted = Some(Unfitted::Limit(limit.clone())),
                    _ => return Err(error),
                },
            }
        }
        let fitted = learned.models.iter().any(|model| model.fit.is_some());
        learned.criterion = fitted.then_some(Criterion::Bic);
        learned.selected = best_of(&learned.models, false, work.table.rows());
        Ok(())
    }

    /// The place of the model to keep: see [`Learned::kept`].
    pub fn kept(&self) -> Option<usize> {
        let kept = self.learned.kept(self.observations)?.prior.kappa();
        self.learned.models.iter().position(|model| model.prior.kappa() == kept)
    }

    /// A model with its provenance and the agreement on its edges and elements, ready to be saved.
    ///
    /// # Errors
    /// When the table is not the one that it was learned from.
    pub fn to_model(
        &self,
        place: usize,
        table: &IncompleteTable,
        options: &CompletionOptions,
    ) -> Result<Option<Model>> {
        let Some(found) = self.learned.models.get(place) else { return Ok(None) };
        let model = found.to_model_of_incomplete(table, &options.learn, &self.learned.search)?;
        Ok(Some(match self.agreement.get(place) {
            Some(known) => model.with_support(known.support(&found.structure, self.seed))?,
            None => model,
        }))
    }
}

/// The mean of the scores that completed tables give a structure.
fn mean_score(
    counts: &[PlaneCounts<'_>],
    structure: &Structure,
    prior: &ContextPrior,
    work: &Work<'_>,
) -> Result<StructureScore> {
    let options = &work.options.learn;
    let (mut nodes, mut log_prior) = (vec![Nats::ZERO; structure.variables()], None);
    for counts in counts {
        let score = Scorer::with_memory(counts, options.alpha, options.fit.memory).score(structure, prior)?;
        nodes.iter_mut().zip(&score.nodes).for_each(|(sum, own)| *sum += *own);
        log_prior = score.log_prior;
    }
    let tables = counts.len().max(1) as i128;
    for sum in &mut nodes {
        *sum = Nats::from_units(sum.units() / tables);
    }
    Ok(StructureScore { log_mpl: nodes.iter().copied().sum(), nodes, log_prior })
}
