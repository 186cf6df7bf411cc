//! What can be chosen about a mixture.

use crate::error::{Error, Expected, OptionName, Result};
use crate::learn::{Chosen, LearnOptions, Select};
use crate::loglinear::FitMethod;
use std::fmt;
use std::str::FromStr;

/// More classes than this are a slip of the finger.
const MOST: usize = 1000;

/// How many classes a mixture has: from 1 to 1,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComponentCount(usize);

impl ComponentCount {
    /// A number of classes.
    ///
    /// # Errors
    /// When it is 0 or more than 1,000.
    pub fn new(count: usize) -> Result<Self> {
        if (1..=MOST).contains(&count) { Ok(Self(count)) } else { Err(refused(&count.to_string())) }
    }

    /// The number.
    pub fn get(self) -> usize {
        self.0
    }
}

impl Default for ComponentCount {
    fn default() -> Self {
        Self(1)
    }
}

impl fmt::Display for ComponentCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for ComponentCount {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        text.trim().parse().map_err(|_| refused(text)).and_then(Self::new)
    }
}

fn refused(found: &str) -> Error {
    Error::option(OptionName::Components, found, "a number of classes from 1 to 1000, or auto")
}

/// How a mixture is learned, besides the options of the networks.
///
/// # Example
/// ```
/// use cmnet::MixtureOptions;
/// let three = MixtureOptions { components: "3".parse()?, ..MixtureOptions::default() };
/// assert!(!three.components.is_auto());
/// assert!("0".parse::<cmnet::ComponentCount>().is_err());
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MixtureOptions {
    /// How many classes, or that rows choose. \[default: auto\]
    pub components: Chosen<ComponentCount>,
    /// What determines the starts of the clustering, and which rows are held out. \[default: 1\]
    pub seed: u64,
    /// Starts of the clustering. \[default: 5\]
    pub starts: u64,
    /// The most steps of EM with the networks. \[default: 100\]
    pub max_steps: u64,
    /// A step of EM that gains less than this per row is the last. \[default: 1e-6\]
    pub tolerance: f64,
}

impl Default for MixtureOptions {
    fn default() -> Self {
        Self { components: Chosen::Auto, seed: 1, starts: 5, max_steps: 100, tolerance: 1e-6 }
    }
}

impl MixtureOptions {
    /// Refuses what has no meaning for a mixture.
    pub(super) fn check(&self, learning: &LearnOptions) -> Result<()> {
        if self.starts == 0 {
            return Err(Error::option("starts", "0", Expected::AtLeast(1)));
        }
        if learning.fit.method == FitMethod::Pseudo {
            let expected = "exact: the chances of the classes take normalised networks";
            return Err(Error::option(OptionName::Method, "pseudo", expected));
        }
        if learning.select == Select::None {
            let expected = "bic, heldout or cv: every class of a mixture has a fitted network";
            return Err(Error::option(OptionName::Select, "none", expected));
        }
        if learning.target.is_some() {
            let expected = "no target beside components: a mixture is learned for all variables alike";
            return Err(Error::option(OptionName::Target, "a variable", expected));
        }
        Ok(())
    }
}
