//! What a user may choose when learning; the command line and Python share these fields.

use super::backbone::Backbone;
use super::refinement::Refine;
use super::tune::Tune;
use crate::data::Var;
use crate::error::{Error, Expected, OptionName, Result, choices};
use crate::loglinear::FitOptions;
use crate::score::{Alpha, EdgePrior, Kappa, Knowledge};
use crate::search::{BlanketLimits, CandidateRule};
use serde::Serialize;
use std::fmt;

choices! {
    /// Which class of models is learned.
    pub enum ModelClass of Model {
        /// Contextual Markov networks.
        Cmn = "cmn",
        /// Decomposable stratified graphical models.
        Sgm = "sgm",
    }
}

choices! {
    /// How structures are searched for.
    #[non_exhaustive]
    pub enum SearchMode of Search {
        /// Picks by estimated cost and says which.
        Auto = "auto",
        /// Algorithms 1 and 2 of the paper, exactly.
        Paper = "paper",
        /// Neighbourhoods first, then toggles among their edges: for many variables.
        Blanket = "blanket",
        /// Branch and bound: the highest score, proven, for few variables.
        Exact = "exact",
    }
}

choices! {
    /// How one of the kappas is chosen.
    pub enum Select of Select {
        /// Fit each structure and take the highest BIC.
        Bic = "bic",
        /// Take the kappa whose structure, learned from four fifths of the rows, gives the rest the
        /// highest probability.
        Heldout = "heldout",
        /// The same with each fifth held out in turn.
        Cv = "cv",
        /// Fit nothing and choose none, unless there is only one.
        None = "none",
    }
}

choices! {
    /// Which context elements a structure has.
    pub enum ContextChoice of Contexts {
        /// All that the search found.
        All = "all",
        /// Those whose odds ratios are one, in the graph found or in the refined one.
        Confirmed = "confirmed",
        /// All that the search found, or the confirmed ones: for each kappa the structure whose BIC, less what the
        /// prior asks for its edges, is higher.
        Auto = "auto",
    }
}

/// Why a search was used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SearchReason {
    /// The caller asked for it.
    AskedFor,
    /// Mode `auto` went by the estimated cost of mode `paper`.
    Work {
        /// Rows that mode `paper` would look at.
        visits: f64,
        /// How many it may look at.
        allowed: f64,
    },
    /// Mode `auto` was given a bound on the cells of the junction tree, which mode `blanket` alone keeps.
    MaxCells,
    /// Mode `auto` was asked for a refinement, which goes further from what mode `blanket` finds.
    Refinement,
}

impl fmt::Display for SearchReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AskedFor => f.write_str("asked for"),
            Self::Work { visits, allowed } => {
                write!(f, "about {visits:.0e} row visits by mode paper, {allowed:.0e} allowed")
            }
            Self::MaxCells => f.write_str("a bound on the cells of the junction tree"),
            Self::Refinement => f.write_str("a refinement follows"),
        }
    }
}

impl Serialize for SearchReason {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What a user may choose, unchecked.
///
/// # Example
/// ```
/// use cmnet::LearnOptions;
/// let options = LearnOptions { kappas: vec!["n^-0.5".parse()?], ..LearnOptions::default() };
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LearnOptions {
    /// The priors to learn a structure for. \[default: eps, n^-1, n^-0.5, n^-0.25\]
    pub kappas: Vec<Kappa>,
    /// How to search. \[default: auto\]
    pub search: SearchMode,
    /// The Dirichlet hyperparameter per level. \[default: 0.5\]
    pub alpha: Alpha,
    /// The prior of graphs. \[default: uniform\]
    pub edge_prior: EdgePrior,
    /// What is known about edges. \[default: nothing\]
    pub knowledge: Knowledge,
    /// Whether to refine what the search found. \[default: no\]
    pub refine: Refine,
    /// The most table cells of the junction tree that mode `blanket` and a refinement may add edges within; mode
    /// `auto` is `blanket` then. \[default: any number\]
    pub max_cells: Option<u64>,
    /// How to choose among the kappas. \[default: bic\]
    pub select: Select,
    /// Which context elements to keep. \[default: all\]
    pub contexts: ContextChoice,
    /// How to fit, where that is asked for.
    pub fit: FitOptions,
    /// What rows that are held out choose besides: order and ridge of the chosen structure. Its seed
    /// is that of [`Select::Heldout`] and [`Select::Cv`] too. \[default: nothing\]
    pub tune: Tune,
    /// A variable that is to be predicted from the others: see [`crate::TargetModel`].
    /// \[default: none\]
    pub target: Option<Var>,
    /// Threads to use; 0 takes one per core. \[default: 0\]
    pub threads: usize,
    /// How large a blanket may grow in mode `blanket`.
    pub limits: BlanketLimits,
    /// Which pairs mode `blanket` considers. \[default: or\]
    pub candidates: CandidateRule,
}

impl Default for LearnOptions {
    fn default() -> Self {
        Self {
            kappas: Kappa::paper_grid(),
            search: SearchMode::Auto,
            alpha: Alpha::default(),
            edge_prior: EdgePrior::default(),
            knowledge: Knowledge::default(),
            refine: Refine::No,
            max_cells: None,
            select: Select::Bic,
            contexts: ContextChoice::All,
            fit: FitOptions::default(),
            tune: Tune::NOTHING,
            target: None,
            threads: 0,
            limits: BlanketLimits::default(),
            candidates: CandidateRule::Or,
        }
    }
}

/// The most threads that can be asked for.
const MOST_THREADS: usize = 1024;

/// Work up to which mode `paper` is picked, in row visits: about a second where contexts are allowed,
/// half a minute for graphs alone.
const PAPER_WORK: f64 = 6e9;
/// What evaluating a toggle costs besides looking at rows, in row visits.
const TOGGLE_WORK: f64 = 5e3;
/// What the context climbs of a toggle cost for each distinct row, in row visits. Gains are
/// remembered for all kappas, so that it counts once. Measured on the bundled tables, nltcs, alarm
/// and hubs, where it is right within a factor of ten.
const CONTEXT_WORK: f64 = 1e3;
/// Nodes whose toggles a step changes, times steps per variable: measured on 2-trees of 50 to
/// 200 variables.
const TOGGLES_PER_PAIR: f64 = 20.0;

impl LearnOptions {
    /// Checks what can be checked without a table.
    pub(crate) fn check(&self) -> Result<()> {
        if self.kappas.is_empty() {
            return Err(Error::option(OptionName::Kappa, "", "at least one of eps, n^-0.5, 0.01, ..."));
        }
        for (place, kappa) in self.kappas.iter().enumerate() {
            if self.kappas[..place].contains(kappa) {
                return Err(Error::option(OptionName::Kappa, kappa.to_string(), "each kappa once"));
            }
        }
        if self.threads > MOST_THREADS {
            let expected = "a number from 1 to 1024, or 0 for one per core";
            return Err(Error::option(OptionName::Threads, self.threads.to_string(), expected));
        }
        if self.limits.neighbors == 0 {
            return Err(Error::option(OptionName::MaxNeighbors, "0", Expected::AtLeast(1)));
        }
        if self.limits.configurations < 2 {
            let found = self.limits.configurations.to_string();
            return Err(Error::option(OptionName::MaxConfigurations, found, Expected::AtLeast(2)));
        }
        Ok(())
    }

    /// Refuses what takes complete rows that are held out, where there are none: counts alone, resamples, or rows with missing values.
    pub(crate) fn check_without_rows(&self) -> Result<()> {
        let by_rows = [
            (OptionName::Select, matches!(self.select, Select::Heldout | Select::Cv)),
            (OptionName::Order, self.tune.order),
            (OptionName::Ridge, self.tune.ridge),
            (OptionName::Target, self.target.is_some()),
        ];
        match by_rows.into_iter().find(|(_, asked)| *asked) {
            Some((option, _)) => {
                let expected = "a value that holds out no rows: counts, resamples and tables with missing values have none to hold out";
                Err(Error::option(option, "a choice by rows", expected))
            }
            None => Ok(()),
        }
    }

    /// Whether structures are learned from parts of the table and judged by its other rows: to choose a kappa, or
    /// to predict a target.
    pub fn relearns_parts(&self) -> bool {
        let by_rows = matches!(self.select, Select::Heldout | Select::Cv) && self.kappas.len() > 1;
        by_rows || self.target.is_some()
    }

    /// Refuses a bound on cells where nothing adds edges within it.
    ///
    /// # Errors
    /// When there is such a bound, the mode is `paper` or `exact`, and there is neither a refinement nor a backbone.
    pub fn check_max_cells(&self, backbone: Backbone) -> Result<()> {
        match self.max_cells {
            Some(cells) if self.has_no_bound() && self.refine == Refine::No && backbone == Backbone::None => {
                let expected = "mode blanket, a refinement or a backbone beside it: nothing else adds edges within a bound";
                Err(Error::option(OptionName::MaxCells, cells.to_string(), expected))
            }
            _ => Ok(()),
        }
    }

    /// Whether the search knows no bound on cells.
    fn has_no_bound(&self) -> bool {
        matches!(self.search, SearchMode::Paper | SearchMode::Exact)
    }

    /// The first option other than its default that stratified graphical models
    /// have no use for.
    pub fn unused_by_sgm(&self) -> Option<OptionName> {
        let usual = Self::default();
        let used = [
            (OptionName::Kappa, self.kappas != usual.kappas),
            (OptionName::Search, self.search != usual.search),
            (OptionName::Alpha, self.alpha != usual.alpha),
            (OptionName::EdgePrior, self.edge_prior != usual.edge_prior),
            (OptionName::Require, !self.knowledge.require.is_empty()),
            (OptionName::Forbid, !self.knowledge.forbid.is_empty()),
            (OptionName::Knowledge, self.knowledge != usual.knowledge),
            (OptionName::Refine, self.refine != usual.refine),
            (OptionName::MaxCells, self.max_cells != usual.max_cells),
            (OptionName::Select, self.select != usual.select),
            (OptionName::Target, self.target != usual.target),
            (OptionName::Order, self.tune.order),
            (OptionName::Ridge, self.tune.ridge),
            (OptionName::Contexts, self.contexts != usual.contexts),
            (OptionName::MaxNeighbors, self.limits.neighbors != usual.limits.neighbors),
            (OptionName::MaxConfigurations, self.limits.configurations != usual.limits.configurations),
            (OptionName::Candidates, self.candidates != usual.candidates),
        ];
        used.into_iter().find(|(_, asked)| *asked).map(|(option, _)| option)
    }

    /// The mode to use and why.
    ///
    /// Mode `paper` takes about 2d steps, and each has the toggles of some ten nodes with
    /// all d evaluated again; an evaluation looks at the distinct rows and climbs contexts, which
    /// takes most of the time where contexts are allowed.
    ///
    /// A refinement starts from mode `blanket`: where hubs have many neighbours, mode `paper` joins these
    /// to each other, and single toggles do not mend that.
    pub(crate) fn mode(&self, variables: usize, distinct_rows: u64) -> (SearchMode, SearchReason) {
        if self.search != SearchMode::Auto {
            return (self.search, SearchReason::AskedFor);
        }
        if self.max_cells.is_some() {
            return (SearchMode::Blanket, SearchReason::MaxCells);
        }
        let (toggles, rows) = (TOGGLES_PER_PAIR * (variables as f64).powi(2), distinct_rows as f64);
        let graphs = self.kappas.len() as f64 * (rows + TOGGLE_WORK);
        let contexts = self.kappas.iter().any(|&kappa| kappa != Kappa::Epsilon);
        let work = toggles * (graphs + if contexts { CONTEXT_WORK * rows } else { 0.0 });
        let is_affordable = work <= PAPER_WORK;
        if is_affordable && self.refine != Refine::No {
            return (SearchMode::Blanket, SearchReason::Refinement);
        }
        let mode = if is_affordable { SearchMode::Paper } else { SearchMode::Blanket };
        (mode, SearchReason::Work { visits: work, allowed: PAPER_WORK })
    }
}
