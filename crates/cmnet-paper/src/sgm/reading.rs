//! The choices that the published description of the search leaves open.

/// How a graph is proposed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Proposal {
    /// One pair of the current graph is toggled; it is drawn again until the graph is chordal.
    #[default]
    Redraw,
    /// Pairs are toggled one after another until the graph is chordal; after ten, from the beginning.
    Walk,
    /// One pair is toggled; a graph that is not chordal is a proposal that is not accepted.
    Refuse,
}

/// Whose free parameters f the prior 2^(d - f) counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SizePrior {
    /// Those of the graph without its labels.
    #[default]
    Graph,
    /// Those that are left with the labels.
    Labelled,
    /// None: all structures are alike.
    Uniform,
}

/// When labels are searched for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LabelTiming {
    /// Once for each clique; they are remembered.
    #[default]
    Once,
    /// Anew for each graph that is proposed.
    Anew,
    /// After the search over graphs without labels, for the best of them.
    Last,
}

/// Which state of the chain is the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kept {
    /// The one with the highest posterior.
    #[default]
    Best,
    /// The last one.
    Last,
}

/// One reading of the description. The default is ours.
///
/// # Example
/// ```
/// use cmnet_paper::sgm::{Proposal, Reading};
/// assert_eq!(Reading::default().proposal, Proposal::Redraw);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// How a graph is proposed.
    pub proposal: Proposal,
    /// What the prior counts.
    pub prior: SizePrior,
    /// When labels are searched for.
    pub labels: LabelTiming,
    /// Which state is the result.
    pub kept: Kept,
}
