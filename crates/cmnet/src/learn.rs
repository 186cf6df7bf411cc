//! The front door: options, checked once, and a table become learned structures.

use crate::counts::RowCounts;
use crate::data::{DataDigest, Dataset};
use crate::error::{Error, Result};
use crate::model::{Model, Provenance};
use crate::score::{Alpha, ContextPrior, Kappa, Scorer, StructureScore};
use crate::search::{Event, GraphClimb, GraphStep, Observer, StopReason, run};
use crate::structure::Structure;

/// How structures are searched for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SearchMode {
    /// Picks by cost; at present always [`SearchMode::Paper`].
    #[default]
    Auto,
    /// Algorithms 1 and 2 of the paper, exactly.
    Paper,
}

/// What a user may choose, unchecked.
///
/// # Example
/// ```
/// use cmnet::learn::LearnOptions;
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
    /// Threads to use; 0 takes one per core. \[default: 0\]
    pub threads: usize,
}

impl Default for LearnOptions {
    fn default() -> Self {
        Self { kappas: Kappa::paper_grid(), search: SearchMode::Auto, alpha: Alpha::default(), threads: 0 }
    }
}

/// The most threads that can be asked for.
const MOST_THREADS: usize = 1024;

/// Options that were checked against nothing but themselves.
#[derive(Clone, Debug)]
struct Plan<'a> {
    kappas: &'a [Kappa],
    alpha: Alpha,
    threads: usize,
}

impl LearnOptions {
    fn check(&self) -> Result<Plan<'_>> {
        if self.kappas.is_empty() {
            return Err(Error::option("--kappa", "", "at least one of eps, n^-0.5, 0.01, ..."));
        }
        for (place, kappa) in self.kappas.iter().enumerate() {
            if self.kappas[..place].contains(kappa) {
                return Err(Error::option("--kappa", kappa.to_string(), "each kappa once"));
            }
        }
        if self.threads > MOST_THREADS {
            return Err(Error::option(
                "--threads",
                self.threads.to_string(),
                "a number from 1 to 1024, or 0 for one per core",
            ));
        }
        Ok(Plan { kappas: &self.kappas, alpha: self.alpha, threads: self.threads })
    }
}

/// The structures learned from one table.
#[derive(Clone, Debug)]
pub struct Learned {
    /// One per kappa, in the order asked for; fewer when the search was ended early.
    pub models: Vec<LearnedModel>,
    /// The search mode that was used.
    pub search: &'static str,
    /// Why the search ended.
    pub stop: StopReason,
}

impl Learned {
    /// Choices among equals over all climbs.
    pub fn ties(&self) -> u64 {
        self.models.iter().map(|model| model.ties).sum()
    }
}

/// The structure that was learned for one kappa.
#[derive(Clone, Debug)]
pub struct LearnedModel {
    /// The prior.
    pub prior: ContextPrior,
    /// Graph and contexts.
    pub structure: Structure,
    /// Its score, part by part.
    pub score: StructureScore,
    /// The steps of the graph climb.
    pub steps: Vec<GraphStep>,
    /// Moves considered.
    pub moves: u64,
    /// Choices among equals.
    pub ties: u64,
    /// Why this climb ended.
    pub stop: StopReason,
}

impl LearnedModel {
    /// The model with its provenance, ready to be saved.
    pub fn to_model(&self, data: &Dataset, options: &LearnOptions, search: &str) -> Model {
        let part =
            |nats: Option<crate::score::Nats>| nats.map_or(f64::NEG_INFINITY, crate::score::Nats::to_f64);
        let learned = Provenance {
            rows: data.rows(),
            digest: DataDigest::of(data),
            kappa: self.prior.kappa(),
            alpha: options.alpha,
            search: search.to_owned(),
            stop: self.stop,
            log_mpl: self.score.log_mpl.to_f64(),
            log_prior: part(self.score.log_prior),
        };
        Model { schema: data.schema().clone(), structure: self.structure.clone(), learned: Some(learned) }
    }
}

/// Learns one structure per kappa.
///
/// An observer that asks to stop ends the search with what was found so far; the result
/// then says so.
///
/// # Errors
/// When an option cannot be used, or a Markov blanket grows beyond what can be counted.
///
/// # Example
/// ```
/// use cmnet::{data::Dataset, learn::{LearnOptions, learn}};
/// let rows = [["0", "0"], ["1", "1"]].repeat(20);
/// let data = Dataset::from_labels(&["a", "b"], &rows)?;
/// let learned = learn(&data, &LearnOptions::default(), &())?;
/// assert_eq!(learned.models[0].structure.graph().edge_count(), 1);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn learn(data: &Dataset, options: &LearnOptions, observer: &dyn Observer) -> Result<Learned> {
    let plan = options.check()?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(plan.threads).build().map_err(|_| {
        Error::option("--threads", plan.threads.to_string(), "a number of threads that the system can start")
    })?;
    pool.install(|| learn_all(data, &plan, observer))
}

fn learn_all(data: &Dataset, plan: &Plan<'_>, observer: &dyn Observer) -> Result<Learned> {
    let counts = RowCounts::new(data);
    let scorer = Scorer::new(&counts, plan.alpha);
    let mut learned = Learned { models: Vec::new(), search: "paper", stop: StopReason::Converged };
    for (index, &kappa) in plan.kappas.iter().enumerate() {
        observer.observe(&Event::Started { index, of: plan.kappas.len(), kappa: &kappa.to_string() });
        let prior = ContextPrior::new(kappa, data.rows());
        let climb = GraphClimb::new(&scorer, prior);
        let mut state = climb.start()?;
        let stop = run(&climb, &mut state, observer)?;
        learned.models.push(LearnedModel {
            prior,
            score: scorer.score(state.structure(), &prior)?,
            structure: state.structure().clone(),
            steps: state.steps().to_vec(),
            moves: state.moves(),
            ties: state.ties(),
            stop,
        });
        if stop != StopReason::Converged {
            learned.stop = stop;
            break;
        }
    }
    Ok(learned)
}
