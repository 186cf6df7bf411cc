//! Where resampling stands: saved at any moment, it lets another process go on to the same answer.

use super::run::replicate_search;
use super::{BootstrapOptions, Replicate};
use crate::data::Dataset;
use crate::error::OptionName;
use crate::learn::{FirstLearning, LearnEvent, RunFact, estimation_identity, replace, run_identity};
use std::collections::BTreeMap;

/// Resampling under way.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BootstrapState {
    /// What the whole table gave.
    pub first: Option<FirstLearning>,
    /// The replicates that are finished, by number. Some may be missing in between.
    pub finished: BTreeMap<u64, Replicate>,
}

impl BootstrapState {
    /// Takes over what an event says; whether it says anything.
    pub fn follow(&mut self, event: &LearnEvent<'_>) -> bool {
        match event {
            LearnEvent::Resampling(first) => self.first = Some((*first).clone()),
            LearnEvent::Replicate { number, found, .. } => {
                self.finished.insert(*number, (*found).clone());
            }
            _ => return false,
        }
        true
    }
}

/// All that must be the same for resampling to go on: see [`run_identity`]. The number of
/// replicates, the threshold and stopping early are not among them: they do not change a replicate.
pub fn bootstrap_identity(data: &Dataset, options: &BootstrapOptions) -> Vec<(RunFact, String)> {
    let mut identity = run_identity(data, &options.learn);
    identity.extend([
        (RunFact::Kind, format!("bootstrap, replicates by {}", replicate_search(&options.learn))),
        (RunFact::Option(OptionName::Seed), options.seed.to_string()),
        (RunFact::Option(OptionName::Resample), options.resample.to_string()),
        (RunFact::Option(OptionName::Share), options.share().to_string()),
        (RunFact::Option(OptionName::Start), options.start.to_string()),
        (RunFact::Option(OptionName::KappaChoice), options.kappa_choice.to_string()),
        (RunFact::Option(OptionName::Bound), options.bound.to_string()),
    ]);
    replace(&mut identity, estimation_identity(&options.learn));
    identity
}
