//! The fields of the checkpoint of a bootstrap.

use super::checkpoint_record::{Checked, StructureRecord, identity_record};
use crate::confidence::BootstrapState;
use crate::graph::Graph;
use crate::learn::{FirstLearning, Replicate, RunFact};
use crate::score::Kappa;
use crate::structure::Structure;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BootstrapRecord {
    format: String,
    identity: BTreeMap<String, String>,
    first: Option<FirstRecord>,
    replicates: Vec<ReplicateRecord>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FirstRecord {
    graphs: Vec<StructureRecord>,
    kappa: String,
    questions: u64,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReplicateRecord {
    number: u64,
    kappa: String,
    structure: StructureRecord,
    closed: bool,
    bounded: bool,
}

impl BootstrapRecord {
    pub(super) fn new(
        format: &str,
        identity: &[(RunFact, String)],
        state: &BootstrapState,
        cardinalities: &[u32],
    ) -> Self {
        Self {
            format: format.to_owned(),
            identity: identity_record(identity),
            first: state.first.as_ref().map(|first| FirstRecord::new(first, cardinalities)),
            replicates: state.finished.iter().map(ReplicateRecord::new).collect(),
        }
    }

    pub(super) fn state(self, cardinalities: &[u32]) -> Checked<BootstrapState> {
        let read = |record: ReplicateRecord| record.read(cardinalities);
        Ok(BootstrapState {
            first: self.first.map(|first| first.read(cardinalities)).transpose()?,
            finished: self.replicates.into_iter().map(read).collect::<Checked<_>>()?,
        })
    }
}

impl FirstRecord {
    pub(super) fn new(first: &FirstLearning, cardinalities: &[u32]) -> Self {
        let plain = |graph: &Graph| Structure::from_graph(graph.clone(), cardinalities).ok();
        let graphs = first.graphs.iter().filter_map(plain);
        Self {
            graphs: graphs.map(|structure| StructureRecord::new(&structure)).collect(),
            kappa: first.kappa.to_string(),
            questions: first.questions,
        }
    }

    pub(super) fn read(self, cardinalities: &[u32]) -> Checked<FirstLearning> {
        let graph = |record: &StructureRecord| Ok(record.structure(cardinalities)?.graph().clone());
        let graphs = self.graphs.iter().map(graph).collect::<Checked<_>>()?;
        Ok(FirstLearning { graphs, kappa: kappa(&self.kappa)?, questions: self.questions })
    }
}

impl ReplicateRecord {
    pub(super) fn new((&number, found): (&u64, &Replicate)) -> Self {
        Self {
            number,
            kappa: found.kappa.to_string(),
            structure: StructureRecord::new(&found.structure),
            closed: found.closed,
            bounded: found.bounded,
        }
    }

    pub(super) fn read(self, cardinalities: &[u32]) -> Checked<(u64, Replicate)> {
        let structure = self.structure.structure(cardinalities)?;
        Ok((
            self.number,
            Replicate { kappa: kappa(&self.kappa)?, structure, closed: self.closed, bounded: self.bounded },
        ))
    }
}

fn kappa(text: &str) -> Checked<Kappa> {
    text.parse().map_err(|error: crate::error::Error| error.to_string())
}
