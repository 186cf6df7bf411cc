//! Why the referee could not answer (no section of the paper: these are limits of input and size).

use std::fmt;

use crate::structure::Complaint;

/// What kept the referee from an answer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum CheckError {
    /// A variable has no level at all.
    NoLevels {
        /// The variable, from 0.
        variable: usize,
    },
    /// A row has more or fewer values than there are variables.
    RowLength {
        /// The row, from 0.
        row: usize,
        /// How many values it has.
        found: usize,
        /// How many variables there are.
        expected: usize,
    },
    /// A value is not a level of its variable.
    LevelOutOfRange {
        /// The row, from 0.
        row: usize,
        /// The variable, from 0.
        variable: usize,
        /// The value found.
        level: usize,
    },
    /// The list of weights is not as long as the list of rows.
    WeightCount {
        /// The number of rows.
        rows: usize,
        /// The number of weights.
        weights: usize,
    },
    /// The weights add up to more than a 64-bit number holds.
    TooManyObservations,
    /// What a weight is worth is not a positive number.
    Unit,
    /// A likelihood was asked of a table without observations.
    NoObservations,
    /// The Dirichlet parameter is not a positive number.
    BadAlpha(f64),
    /// Kappa is not in (0, 1].
    BadKappa(f64),
    /// Gamma, the exponent of the edge prior, is not a number from 0 on.
    BadGamma(f64),
    /// The structure is not a regular contextual Markov network structure.
    Irregular(Vec<Complaint>),
    /// The structure has contexts although kappa = eps forbids all of them.
    ContextsForbidden,
    /// The structure lacks an edge that is required, or has one that is forbidden.
    KnownOtherwise,
    /// A variable, edge or configuration does not exist in the structure at hand.
    NoSuchElement,
    /// A list would be longer than the referee is willing to write down.
    TooLarge {
        /// What would have been listed.
        what: &'static str,
        /// The largest number of entries it may have.
        limit: usize,
    },
    /// An exact fraction grew beyond 128 bits.
    FractionOverflow,
    /// The phi values do not match the phi terms one to one.
    PhiCount {
        /// The number of values.
        found: usize,
        /// The number of terms.
        expected: usize,
    },
    /// A phi value is infinite or not a number.
    PhiNotFinite {
        /// Its place among the terms.
        term: usize,
    },
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLevels { variable } => write!(f, "variable {variable} has no levels"),
            Self::RowLength { row, found, expected } => {
                write!(f, "row {row} has {found} values, expected {expected}")
            }
            Self::LevelOutOfRange { row, variable, level } => {
                write!(f, "row {row}: {level} is not a level of variable {variable}")
            }
            Self::WeightCount { rows, weights } => write!(f, "{rows} rows but {weights} weights"),
            Self::TooManyObservations => write!(f, "the weights add up to more than 2^64"),
            Self::Unit => write!(f, "a weight of 1 must be worth a positive number of observations"),
            Self::NoObservations => write!(f, "a likelihood needs at least one observation"),
            Self::BadAlpha(alpha) => write!(f, "alpha = {alpha}, expected a positive number"),
            Self::BadKappa(kappa) => write!(f, "kappa = {kappa}, expected a number in (0, 1]"),
            Self::BadGamma(gamma) => write!(f, "gamma = {gamma}, expected a number, 0 or more"),
            Self::Irregular(complaints) => {
                write!(f, "the structure is not regular:")?;
                complaints.iter().try_for_each(|complaint| write!(f, " {complaint};"))
            }
            Self::KnownOtherwise => {
                f.write_str("the structure lacks an edge that is required, or has one that is forbidden")
            }
            Self::ContextsForbidden => {
                write!(f, "kappa = eps forbids contexts, but there are some")
            }
            Self::NoSuchElement => write!(f, "no such variable, edge or configuration"),
            Self::TooLarge { what, limit } => write!(f, "{what}: more than {limit} entries"),
            Self::FractionOverflow => write!(f, "an exact fraction outgrew 128 bits"),
            Self::PhiCount { found, expected } => {
                write!(f, "{found} phi values for {expected} phi terms")
            }
            Self::PhiNotFinite { term } => write!(f, "the value of phi term {term} is not finite"),
        }
    }
}

impl std::error::Error for CheckError {}
