//! The networks of an ensemble, and how their resamples were drawn.

use super::super::options::check_share;
use super::super::resample::Resampler;
use super::super::{BootstrapOptions, Resample};
use super::ask::EnsembleNetwork;
use crate::data::{DataDigest, Dataset, Schema};
use crate::error::{Error, OptionName, Result};
use crate::model::Model;

/// A network of an ensemble.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The number of its resample, from 0 on.
    pub replicate: u64,
    /// The network, with parameters estimated from that resample.
    pub model: Model,
}

/// How resamples were drawn: all that it takes to draw them again.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// Observations of the table, by weight.
    pub rows: u64,
    /// What the table contained.
    pub digest: DataDigest,
    /// What determined the draws.
    pub seed: u64,
    /// How a resample was drawn.
    pub resample: Resample,
    /// Its rows as a share of those of the table.
    pub share: f64,
    /// Replicates that were to be fitted: those whose tables did not fit the memory are no members.
    pub replicates: u64,
}

impl Drawn {
    /// What turns the standard deviation over resamples into the standard error of an estimate from the whole
    /// table. A part of m of n rows, drawn without replacement, varies around the whole by (n - m) / m of the
    /// variance of the whole; rows drawn with replacement by n / m of it. `None` where all resamples are the
    /// whole table.
    pub fn scale(&self) -> Option<f64> {
        match self.resample {
            Resample::Part => (self.share < 1.0).then(|| (self.share / (1.0 - self.share)).sqrt()),
            Resample::Rows => Some(self.share.sqrt()),
        }
    }
}

/// Networks of resamples of one table, each fitted to its own resample.
///
/// Made by [`crate::Bootstrap::ensemble`] or [`crate::AnyModel::load`]. Every network has parameters that are
/// normalised.
///
/// # Example
/// ```
/// use cmnet::{BootstrapOptions, Dataset, Evidence, ExactOptions, bootstrap};
/// let rows = [["0", "0"], ["1", "1"], ["0", "1"], ["1", "1"], ["0", "0"]].repeat(20);
/// let data = Dataset::from_labels(&["a", "b"], rows)?;
/// let options = BootstrapOptions { replicates: 20, ..BootstrapOptions::default() };
/// let found = bootstrap(&data, &options, &())?;
/// let ensemble = found.ensemble(&data, &options, &())?.ok_or("nothing was fitted")?;
/// let network = ensemble.network()?;
/// let given = Evidence::read(network.schema(), "a=1")?;
/// let answer = network.marginals(&[1], &given, &ExactOptions::default())?;
/// let chance = answer.marginals[0].1[1];
/// assert!(chance.mean > 0.9 && chance.deviation.unwrap() < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Ensemble {
    members: Vec<Member>,
    drawn: Drawn,
}

impl Ensemble {
    /// Puts networks of the same variables together.
    ///
    /// # Errors
    /// When there is none, they are not in the order of their resamples, variables differ, a network has no
    /// normalised parameters, or the share is none.
    pub fn new(members: Vec<Member>, drawn: Drawn) -> Result<Self> {
        let refuse = |problem: String| Err(Error::mismatch(problem, "give normalised networks of one table"));
        check_share(OptionName::Share, drawn.share)?;
        let Some(first) = members.first() else {
            return refuse("an ensemble has at least one network".to_owned());
        };
        let mut next = 0;
        for (place, member) in (1..).zip(&members) {
            if member.replicate < next || member.replicate >= drawn.replicates {
                let (found, of) = (member.replicate, drawn.replicates);
                return refuse(format!(
                    "network {place} is of replicate {found}; expected one from {next} on, below {of}"
                ));
            }
            next = member.replicate + 1;
            if member.model.schema() != first.model.schema() {
                return refuse(format!("network {place} has other variables or levels than network 1"));
            }
            if member.model.fit().and_then(|fit| fit.parameters.log_partition()).is_none() {
                return refuse(format!("network {place} has no normalised parameters"));
            }
        }
        Ok(Self { members, drawn })
    }

    /// Names and levels.
    pub fn schema(&self) -> &Schema {
        self.members[0].model.schema()
    }

    /// The networks, in the order of their resamples.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// How the resamples were drawn.
    pub fn drawn(&self) -> &Drawn {
        &self.drawn
    }

    /// Replicates that are no members, since their tables did not fit the memory.
    pub fn left_out(&self) -> u64 {
        self.drawn.replicates - self.members.len() as u64
    }

    /// The ensemble as something that many questions can be asked of.
    ///
    /// # Errors
    /// When a parameter is so large that its sums mean nothing.
    pub fn network(&self) -> Result<EnsembleNetwork> {
        let networks = self.members.iter().map(|member| member.model.network()).collect::<Result<_>>()?;
        Ok(EnsembleNetwork::new(networks, self.drawn.scale()))
    }

    /// A table that has this ensemble's variables and levels, with its columns in the ensemble's order.
    ///
    /// # Errors
    /// Names the first difference in variables or levels.
    pub fn arrange(&self, data: Dataset) -> Result<Dataset> {
        self.members[0].model.arrange(data)
    }

    /// The resample that a member was learned from, drawn once more from the table.
    ///
    /// # Errors
    /// When this is not the table that was resampled.
    pub fn redraw(&self, member: &Member, data: &Dataset) -> Result<Dataset> {
        if DataDigest::of(data) != self.drawn.digest {
            let problem = "this is not the table that was resampled";
            return Err(Error::mismatch(problem, "give the table that the ensemble was made of"));
        }
        let Drawn { seed, resample, share, .. } = self.drawn;
        let options = BootstrapOptions { seed, resample, share: Some(share), ..BootstrapOptions::default() };
        Resampler::new(data, &options)?.draw(member.replicate)
    }
}
