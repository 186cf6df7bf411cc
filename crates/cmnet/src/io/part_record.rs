//! The fields of a part: what is known of a run, each result under its number.

use super::bootstrap_record::{FirstRecord, ReplicateRecord};
use super::checkpoint_record::{Checked, FoundRecord, NamedFacts, blanket};
use crate::error::Unfitted;
use crate::learn::{FoldNumbers, FoldResult};
use crate::task::{Findings, Shard};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PartRecord {
    pub(super) format: String,
    /// The kind of run.
    pub(super) run: String,
    pub(super) identity: NamedFacts,
    /// The number of levels of each variable.
    pub(super) levels: Vec<u32>,
    /// Which share it is, and of how many.
    pub(super) shard: Option<(u64, u64)>,
    /// Whether the share is done.
    pub(super) finished: bool,
    /// Variable, blanket, whether a limit cut it short.
    blankets: Vec<(usize, Vec<usize>, bool)>,
    graph: Option<FoundRecord>,
    kappas: BTreeMap<usize, FoundRecord>,
    folds: BTreeMap<usize, FoldRecord>,
    folds_by_pseudo_likelihood: BTreeMap<usize, FoldRecord>,
    /// What the whole table gave before it was resampled.
    first: Option<FirstRecord>,
    replicates: Vec<ReplicateRecord>,
}

/// The numbers of each method as texts, to the last bit; or why there are none.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FoldRecord {
    exact: bool,
    numbers: Vec<NumbersRecord>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum NumbersRecord {
    Found([String; 4]),
    Unfitted(Unfitted),
}

/// Of which run a part is, and which share.
pub(super) struct PartHead {
    pub(super) run: String,
    pub(super) identity: NamedFacts,
    pub(super) levels: Vec<u32>,
    pub(super) shard: Option<Shard>,
    pub(super) finished: bool,
}

impl PartRecord {
    pub(super) fn new(format: &str, head: &PartHead, findings: &Findings) -> Self {
        let blanket = |(&variable, (blanket, limited)): (&usize, &(crate::graph::VarSet, bool))| {
            (variable, blanket.as_slice().to_vec(), *limited)
        };
        let folds = |known: &BTreeMap<usize, FoldResult>| {
            known.iter().map(|(&place, result)| (place, FoldRecord::new(result))).collect()
        };
        Self {
            format: format.to_owned(),
            run: head.run.clone(),
            identity: head.identity.clone(),
            levels: head.levels.clone(),
            shard: head.shard.map(|shard| (shard.number(), shard.of())),
            finished: head.finished,
            blankets: findings.blankets.iter().map(blanket).collect(),
            graph: findings.graph.as_ref().map(FoundRecord::new),
            kappas: findings.kappas.iter().map(|(&place, found)| (place, FoundRecord::new(found))).collect(),
            folds: folds(&findings.folds.finished),
            folds_by_pseudo_likelihood: folds(&findings.folds.by_pseudo_likelihood),
            first: findings.resamples.first.as_ref().map(|first| FirstRecord::new(first, &head.levels)),
            replicates: findings.resamples.finished.iter().map(ReplicateRecord::new).collect(),
        }
    }

    pub(super) fn read(self) -> Checked<(PartHead, Findings)> {
        let mut findings = Findings::default();
        for (variable, members, limited) in self.blankets {
            let found = blanket(variable, members, self.levels.len())?;
            findings.blankets.insert(variable, (found, limited));
        }
        findings.graph = self.graph.map(|found| found.found(&self.levels)).transpose()?;
        for (place, found) in self.kappas {
            findings.kappas.insert(place, found.found(&self.levels)?);
        }
        let folds = |records: BTreeMap<usize, FoldRecord>| {
            records.into_iter().map(|(place, record)| Ok((place, record.result()?))).collect::<Checked<_>>()
        };
        findings.folds.finished = folds(self.folds)?;
        findings.folds.by_pseudo_likelihood = folds(self.folds_by_pseudo_likelihood)?;
        findings.resamples.first = self.first.map(|first| first.read(&self.levels)).transpose()?;
        for replicate in self.replicates {
            let (number, found) = replicate.read(&self.levels)?;
            findings.resamples.finished.insert(number, found);
        }
        let shard = match self.shard {
            Some((number, of)) => {
                Some(Shard::new(number, of).ok_or_else(|| format!("there is no share {number}/{of}"))?)
            }
            None => None,
        };
        let Self { run, identity, levels, finished, .. } = self;
        Ok((PartHead { run, identity, levels, shard, finished }, findings))
    }
}

impl FoldRecord {
    fn new(result: &FoldResult) -> Self {
        let numbers = |numbers: &Result<FoldNumbers, Unfitted>| match numbers {
            Ok(FoldNumbers { sbic, predictive, edges, parameters }) => {
                NumbersRecord::Found([sbic, predictive, edges, parameters].map(|value| format!("{value:?}")))
            }
            Err(reason) => NumbersRecord::Unfitted(reason.clone()),
        };
        Self { exact: result.exact, numbers: result.numbers.iter().map(numbers).collect() }
    }

    fn result(self) -> Checked<FoldResult> {
        let number = |text: &String| text.parse().map_err(|_| format!("{text:?} is no number"));
        let numbers = |record| {
            Ok(match record {
                NumbersRecord::Found([sbic, predictive, edges, parameters]) => Ok(FoldNumbers {
                    sbic: number(&sbic)?,
                    predictive: number(&predictive)?,
                    edges: number(&edges)?,
                    parameters: number(&parameters)?,
                }),
                NumbersRecord::Unfitted(reason) => Err(reason),
            })
        };
        let numbers = self.numbers.into_iter().map(numbers).collect::<Checked<_>>()?;
        Ok(FoldResult { numbers, exact: self.exact })
    }
}
