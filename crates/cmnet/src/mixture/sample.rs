//! Rows drawn from a mixture: a class by its chances, then a row of its network.

use super::ask::{ClassChances, MixtureNetwork};
use crate::control::{Pace, Under};
use crate::error::Result;
use crate::inference::{Evidence, ExactOptions, Posterior, pick, stream};
use std::ops::Range;

/// Draws rows given evidence, exactly.
#[derive(Debug)]
pub struct MixtureSampler<'a> {
    posteriors: Vec<Posterior<'a>>,
    classes: ClassChances,
    control: Under<'a, ()>,
    variables: usize,
    seed: u64,
}

impl MixtureNetwork {
    /// Something that draws rows given evidence. Row k of a seed is the same whatever is drawn besides.
    ///
    /// # Errors
    /// As [`MixtureNetwork::classes`].
    pub fn sampler<'a>(
        &'a self,
        evidence: &Evidence,
        seed: u64,
        exact: Under<'a, ExactOptions>,
    ) -> Result<MixtureSampler<'a>> {
        let posteriors = self.posteriors(evidence, exact)?;
        let classes = self.chances(&posteriors, exact)?;
        let (control, variables) = (Under::new(&(), exact.control()), self.schema().len());
        Ok(MixtureSampler { posteriors, classes, control, variables, seed })
    }
}

impl MixtureSampler<'_> {
    /// The chances of the classes that rows are drawn from.
    pub fn classes(&self) -> &ClassChances {
        &self.classes
    }

    /// The seed of the draws.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Rows by their numbers.
    ///
    /// # Errors
    /// When the control asks to stop.
    pub fn rows(&self, numbers: Range<usize>) -> Result<Vec<Vec<u32>>> {
        let mut pace = Pace::new(self.control.control());
        numbers
            .map(|number| {
                pace.step(64 * self.variables)?;
                let mut random = stream(self.seed, number as u64);
                let class = pick(&mut random, &self.classes.chances);
                let mut row = vec![0; self.variables];
                self.posteriors[class].draw(&mut random, &mut row);
                Ok(row)
            })
            .collect()
    }
}
