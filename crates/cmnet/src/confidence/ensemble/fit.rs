//! Every replicate of a bootstrap, fitted to its own resample.

use super::super::numbered::{numbered, threads};
use super::super::resample::Resampler;
use super::super::{Bootstrap, BootstrapOptions};
use super::model::{Drawn, Ensemble, Member};
use crate::control::Outcome;
use crate::counts::PlaneCounts;
use crate::data::{DataDigest, Dataset};
use crate::error::{Error, ErrorKind, OptionName, Result};
use crate::learn::{LearnEvent, LearnObserver, LearnOptions};
use crate::loglinear::{Fit, FitMethod, FitOptions, FitReason, fit_with};
use crate::model::Model;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

impl Bootstrap {
    /// The structure of each replicate, fitted to its own resample; `None` when none was fitted.
    ///
    /// Parameters of the resample, and not of the table, make the spread over the networks that of structure
    /// and parameters together. Replicates whose tables do not fit the memory are left out, and counted. An
    /// observer that asks to stop ends it with the networks up to the first that is not fitted, as if only
    /// so many replicates had been asked for. The number of threads changes nothing.
    ///
    /// # Errors
    /// When parameters are asked for that are no exact ones, when this is not the table that was resampled, or
    /// when no replicate fits the memory.
    pub fn ensemble(
        &self,
        data: &Dataset,
        options: &BootstrapOptions,
        observer: &dyn LearnObserver,
    ) -> Result<Option<Ensemble>> {
        options.check_ensemble()?;
        let fitting = Fitting::new(self, data, options, observer)?;
        let all: Vec<u64> = (0..self.finished).collect();
        let mut found = fitting.some(&all, &fitting.beside)?;
        // What is too large beside others is tried once more on its own.
        let is_large = |number: &u64| matches!(found.get(number), Some(Made::TooLarge));
        let large: Vec<u64> = all.iter().copied().filter(is_large).collect();
        if fitting.memory != fitting.beside.memory {
            found.retain(|_, made| matches!(made, Made::Fitted(_)));
            let alone = FitOptions { memory: fitting.memory, ..fitting.beside.clone() };
            found.extend(fitting.some(&large, &alone)?);
        }
        // Up to the first that was stopped.
        let made: Vec<Made> = all.iter().map_while(|number| found.remove(number)).collect();
        let drawn = Drawn {
            rows: data.rows(),
            digest: DataDigest::of(data),
            seed: self.seed,
            resample: self.resample,
            share: self.share,
            replicates: made.len() as u64,
        };
        if made.is_empty() {
            return Ok(None);
        }
        let members: Vec<Member> = made.into_iter().filter_map(Made::member).collect();
        if members.is_empty() {
            let what = format!("the tables of each of {} replicates", drawn.replicates);
            let hint = "allow more memory, or smaller neighbourhoods";
            return Err(Error::limit(what, fitting.memory, hint));
        }
        Ensemble::new(members, drawn).map(Some)
    }
}

impl BootstrapOptions {
    /// Whether [`Bootstrap::ensemble`] can use them: asked before the work, since an ensemble answers exactly.
    ///
    /// # Errors
    /// When parameters are asked for that are no exact ones.
    pub fn check_ensemble(&self) -> Result<()> {
        if self.learn.fit.method == FitMethod::Pseudo {
            let expected = "exact or auto: the networks of an ensemble are exact";
            return Err(Error::option(OptionName::Method, FitMethod::Pseudo.to_string(), expected));
        }
        Ok(())
    }
}

/// What became of a replicate.
enum Made {
    Fitted(Box<Member>),
    /// Its tables do not fit the memory.
    TooLarge,
}

impl Made {
    fn member(self) -> Option<Member> {
        match self {
            Self::Fitted(member) => Some(*member),
            Self::TooLarge => None,
        }
    }
}

struct Fitting<'a> {
    found: &'a Bootstrap,
    data: &'a Dataset,
    resampler: Resampler<'a>,
    learn: LearnOptions,
    observer: &'a dyn LearnObserver,
    threads: usize,
    /// How a network is fitted beside others: in its part of the memory.
    beside: FitOptions,
    /// All of the memory.
    memory: u64,
    done: AtomicU64,
}

impl<'a> Fitting<'a> {
    fn new(
        found: &'a Bootstrap,
        data: &'a Dataset,
        options: &BootstrapOptions,
        observer: &'a dyn LearnObserver,
    ) -> Result<Self> {
        if data.schema().cardinalities() != found.consensus.cardinalities() {
            let problem = "this is not the table that was resampled";
            return Err(Error::mismatch(problem, "give the table that the replicates were learned from"));
        }
        let how = BootstrapOptions {
            seed: found.seed,
            resample: found.resample,
            share: Some(found.share),
            ..options.clone()
        };
        let threads = threads(options.learn.threads);
        let memory = options.learn.fit.memory;
        let share = memory / threads as u64;
        observer.observe_learning(&LearnEvent::Member { finished: 0, of: found.finished });
        Ok(Self {
            found,
            data,
            resampler: Resampler::new(data, &how)?,
            learn: LearnOptions { threads: 1, ..options.learn.clone() },
            observer,
            threads,
            beside: FitOptions { method: FitMethod::Exact, memory: share, ..options.learn.fit.clone() },
            memory,
            done: AtomicU64::new(0),
        })
    }

    /// Networks by number, until the work is to stop.
    fn some(&self, open: &[u64], how: &FitOptions) -> Result<BTreeMap<u64, Made>> {
        let threads = if how.memory == self.memory { 1 } else { self.threads };
        numbered(open, threads, &self.learn, self.observer, |number| self.one(number, how))
    }

    /// A network; `None` when it was stopped.
    fn one(&self, number: u64, how: &FitOptions) -> Result<Option<Made>> {
        let drawn = self.resampler.draw(number)?;
        let structure = &self.found.structures[number as usize];
        let fit = match fit_with(structure, &PlaneCounts::new(&drawn), how, self.observer) {
            Ok(Outcome::Done(fit)) => fit,
            Ok(Outcome::Stopped(_)) => return Ok(None),
            Err(error) if matches!(error.kind(), ErrorKind::Limit(_)) => return Ok(Some(Made::TooLarge)),
            Err(error) => return Err(error),
        };
        let model = Model::new(self.data.schema().clone(), structure.clone())?;
        // Exact is what an ensemble asks for; what it took of the memory goes by the number of threads.
        let (digest, reason) = (Some(DataDigest::of(&drawn)), FitReason::AskedFor);
        let model = model.with_fit(Fit { reason, digest, ..fit })?;
        let finished = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.observer.observe_learning(&LearnEvent::Member { finished, of: self.found.finished });
        Ok(Some(Made::Fitted(Box::new(Member { replicate: number, model }))))
    }
}
