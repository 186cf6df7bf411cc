//! Decomposable stratified graphical models (SGM), the baseline of the paper's section 4.
//!
//! Binary variables, chordal graphs, and labels under three restrictions: none inside a
//! separator, all labelled edges of a clique share a node, labels regular and maximal. Under
//! them the marginal likelihood has a closed form, and so have the estimates (H. Nyman,
//! J. Pensar, T. Koski, J. Corander, *Stratified graphical models*, Bayesian Analysis 9,
//! 2014). The result is an ordinary [`Structure`](cmnet::Structure), so that whatever is
//! computed for contextual networks can be computed for it.
//!
//! Where the description of the search leaves a choice: a graph proposal toggles one pair,
//! drawn again until the toggled graph is chordal; the chain starts without edges; labels of
//! a clique are searched once, from none, with a generator seeded by the clique. [`Reading`]
//! has the other choices.

mod clique;
mod factorials;
mod fit;
mod graph_search;
mod label_search;
mod labels;
mod reading;
mod scorer;
mod stratified;

use cmnet::{OptionName, Subject};

pub use fit::SgmFit;
pub use graph_search::{LearnedSgm, learn};
pub use reading::{Kept, LabelTiming, Proposal, Reading, SizePrior};
pub use scorer::SgmScorer;
pub use stratified::Stratified;

/// What a table with other variables is refused by.
const BINARY_ONLY: Subject = Subject::Setting(OptionName::Model, "sgm");

/// How a stratified graphical model is searched for.
///
/// # Example
/// ```
/// use cmnet_paper::sgm::SgmOptions;
/// assert_eq!(SgmOptions::default().graph_iterations, 500);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SgmOptions {
    /// Proposed graphs. \[default: 500\]
    pub graph_iterations: u32,
    /// Proposed label sets per clique; 0 leaves graphs without labels. \[default: 500\]
    pub label_iterations: u32,
    /// The seed of the random search. \[default: 1\]
    pub seed: u64,
    /// How the published description is read where it leaves a choice.
    pub reading: Reading,
}

impl Default for SgmOptions {
    fn default() -> Self {
        Self { graph_iterations: 500, label_iterations: 500, seed: 1, reading: Reading::default() }
    }
}
