//! The table that a model is examined on, with whole or with real weights.

use crate::interrupt::Interrupt;
use crate::weights::Weighed;
use cmnet::{
    Alpha, ContextPrior, CountSource, DataDigest, Dataset, LearnOptions, Model, Nats, RowCounts, Scorer,
    StopReason, Structure, WeightedCounts, Weighting, learn, learn_weighted,
};
use cmnet_check::Table;

/// Sums of weights that differ by more than this share are a disagreement.
const TOLERANCE: f64 = 1e-9;

/// A table as the referee takes it.
pub(super) struct Examined<'a> {
    weighed: &'a Weighed,
    /// The number of observations.
    pub(super) rows: u64,
    pub(super) digest: DataDigest,
    /// Distinct rows, and what a weight of 1 is worth.
    units: &'a Dataset,
    unit: f64,
    weighting: Option<Weighting>,
}

impl<'a> Examined<'a> {
    pub(super) fn of(weighed: &'a Weighed) -> Self {
        match weighed {
            Weighed::Whole(data) => Self::whole(weighed, data),
            Weighed::Real(table) => Self {
                weighed,
                rows: table.rows(),
                digest: table.digest(),
                units: table.units(),
                unit: table.value(),
                weighting: Some(table.weighting()),
            },
        }
    }

    fn whole(weighed: &'a Weighed, data: &'a Dataset) -> Self {
        let digest = DataDigest::of(data);
        Self { weighed, rows: data.rows(), digest, units: data, unit: 1.0, weighting: None }
    }

    /// The referee's own table.
    pub(super) fn table(&self) -> anyhow::Result<Table> {
        Ok(table(self.units)?.with_unit(self.unit)?)
    }

    /// The score by the learner.
    pub(super) fn learner(
        &self,
        model: &Model,
        alpha: Alpha,
        prior: &ContextPrior,
    ) -> anyhow::Result<Option<Nats>> {
        fn scored<S: CountSource>(
            counts: &S,
            model: &Model,
            alpha: Alpha,
            prior: &ContextPrior,
        ) -> cmnet::Result<Option<Nats>> {
            Ok(Scorer::new(counts, alpha).score(model.structure(), prior)?.total())
        }
        Ok(match self.weighed {
            Weighed::Whole(data) => scored(&RowCounts::new(data), model, alpha, prior)?,
            Weighed::Real(table) => scored(&WeightedCounts::new(table), model, alpha, prior)?,
        })
    }

    /// The structure at which the search ends that the model records, made once more by the learner; `None` where
    /// it cannot be repeated, or was stopped.
    pub(super) fn searched(&self, model: &Model) -> anyhow::Result<Option<Structure>> {
        let Some(options) = LearnOptions::repeating(model) else { return Ok(None) };
        let learned = match self.weighed {
            Weighed::Whole(data) => learn(data, &options, &Interrupt)?,
            Weighed::Real(table) => learn_weighted(table, &options, &Interrupt)?,
        };
        let converged = learned.stop == StopReason::Converged;
        Ok(learned.models.into_iter().next().filter(|_| converged).map(|found| found.structure))
    }

    /// What a file records about weights and is not so. Files of earlier versions record nothing.
    pub(super) fn wrong_weights(&self, recorded: Option<Weighting>) -> Option<String> {
        let recorded = recorded?;
        let Some(found) = self.weighting else {
            return Some("The file records weights that are no counts; those of the table are.".to_owned());
        };
        // A design whose weights are all multiplied is the same table.
        let near = |one: f64, other: f64| (one - other).abs() <= TOLERANCE * other.abs();
        let same = found.kind == recorded.kind
            && found.observations == recorded.observations
            && near(found.effective, recorded.effective);
        (!same).then(|| {
            format!(
                "The file records {} weights of {} rows with an effective size of {:.6}; these are {} weights of {} \
                 with {:.6}.",
                recorded.kind,
                recorded.observations,
                recorded.effective,
                found.kind,
                found.observations,
                found.effective
            )
        })
    }
}

/// A table in the referee's words.
pub(super) fn table(data: &Dataset) -> anyhow::Result<Table> {
    let wide = |levels: Vec<u32>| levels.into_iter().map(|level| level as usize).collect::<Vec<_>>();
    Ok(Table::new(
        wide(data.schema().cardinalities()),
        (0..data.distinct_rows()).map(|row| wide(data.row(row))).collect(),
        data.weights().iter().map(|&weight| u64::from(weight)).collect(),
    )?)
}
