//! A question to a network, built step by step.

use super::approximate::{JointAnswer, MapAnswer};
use super::evidence::{Evidence, find_level, find_variable, find_variables};
use super::marginals::MarginalAnswer;
use super::network::Network;
use super::options::{QueryMethod, QueryOptions};
use super::plan::{Asked, QueryPlan};
use super::sample::Sampler;
use crate::control::{Control, Under};
use crate::data::Var;
use crate::error::Result;
use crate::graph::Edge;
use std::borrow::Cow;

/// What is asked of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// The distribution of each target: [`Query::run`].
    Marginals,
    /// The joint distribution of the targets: [`Query::joint`].
    Joint,
    /// The most probable levels of the targets together: [`Query::map`].
    Map,
    /// Rows of all variables: [`Query::sampler`].
    Rows,
}

/// A question to a network: what is known, what is asked about, and how it is answered.
///
/// Without targets it is about every variable that is not given.
///
/// [`crate::Model::query`] begins a question by names; [`crate::Model::network`] gives the
/// [`crate::Network`] that many questions can be asked of. A network reads the fitted parameters
/// themselves.
///
/// | question | here |
/// |---|---|
/// | distributions of targets, by the best method that fits | [`Query::run`] |
/// | joint distribution of targets | [`Query::joint`] |
/// | most probable levels of all or of some variables | [`Query::map`] |
/// | rows drawn from it | [`Query::sampler`] |
/// | what an answer will take, before anything is allocated | [`Query::plan`] |
/// | marginals, log-probability of evidence, entropy, exactly | [`crate::Network::posterior`] |
/// | joint distribution and most probable levels, exactly | [`crate::Network::joint_exact`], [`crate::Network::map_exact`] |
/// | (conditional) mutual information | [`crate::Network::mutual_information`] |
/// | evidence that changes step by step | [`crate::Session`] |
/// | a class from its Markov blanket | [`crate::Predictor`] |
/// | what the evidence does to the graph | [`crate::Explanation`] |
/// | files for other engines, and from them | [`crate::uai`] |
///
/// # Example
/// ```
/// use cmnet::{Evidence, ExactOptions, Network, Question, uai};
/// // Three binary variables in a row: neighbours agree with odds of 3 to 1.
/// let text = "MARKOV 3 2 2 2 2 2 0 1 2 1 2 4 3 1 1 3 4 3 1 1 3";
/// let read = uai::read_network(text, "agree.uai")?;
/// let network = Network::new(&read.schema, &read.structure, read.parameters)?;
///
/// let query = network.query().given("X0=1")?.memory(1 << 20);
/// assert_eq!(query.plan(Question::Marginals)?.method.to_string(), "exact");
/// let answer = query.clone().target("X2")?.run()?;
/// assert!((answer.marginals[0].1[1] - 10.0 / 16.0).abs() < 1e-12);
/// assert_eq!(answer.plan.method.to_string(), "exact");
/// let joint = query.clone().target("X1,X2")?.joint()?.joint;
/// assert!((joint.probabilities()[3] - 9.0 / 16.0).abs() < 1e-12);
/// assert_eq!(query.map()?.levels, [(1, 1), (2, 1)]);
/// assert!(query.sampler()?.rows(0..10)?.iter().all(|row| row[0] == 1));
///
/// let (given, exact) = (Evidence::read(network.schema(), "X0=1")?, ExactOptions::default());
/// let posterior = network.posterior(&given, &exact)?;
/// assert!((posterior.log_evidence(&exact)? - libm::log(0.5)).abs() < 1e-12);
/// assert!(network.mutual_information((&[0], &[2]), &[1], &Evidence::none(), &exact)? < 1e-12);
///
/// let explained = network.explain(&Evidence::none(), &exact)?;
/// let apart = explained.separations().next().ok_or("none")?;
/// assert_eq!((apart.pair, apart.given.as_slice()), ((0, 2), &[1][..]));
///
/// let export = uai::network_to_text(network.cardinalities(), &network.factors(&Evidence::none(), 1 << 20)?);
/// assert!(export.starts_with("MARKOV\n3\n2 2 2\n2\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Query<'a> {
    network: Cow<'a, Network>,
    targets: Option<Vec<Var>>,
    evidence: Evidence,
    options: QueryOptions,
    control: Under<'a, ()>,
}

impl Network {
    /// A question to this network.
    pub fn query(&self) -> Query<'_> {
        Query::of(Cow::Borrowed(self))
    }

    /// A question that owns this network.
    pub fn into_query(self) -> Query<'static> {
        Query::of(Cow::Owned(self))
    }
}

impl<'a> Query<'a> {
    fn of(network: Cow<'a, Network>) -> Self {
        let (evidence, options) = (Evidence::none(), QueryOptions::default());
        Self { network, targets: None, evidence, options, control: (&()).into() }
    }

    /// Adds levels that are known, written as `name=level,name=level`.
    ///
    /// # Errors
    /// As [`Evidence::add`].
    pub fn given(mut self, text: &str) -> Result<Self> {
        self.evidence.add(self.network.schema(), text)?;
        Ok(self)
    }

    /// Adds that a variable has a level, both by name.
    ///
    /// # Errors
    /// When a name does not exist, and as [`Evidence::observe`].
    pub fn observe(mut self, name: &str, label: &str) -> Result<Self> {
        let schema = self.network.schema();
        let variable = find_variable(schema, name)?;
        self.evidence.observe(schema, variable, find_level(schema, variable, label)?)?;
        Ok(self)
    }

    /// Adds weights of a variable's levels, written as `name=level:weight,level:weight`.
    ///
    /// # Errors
    /// As [`Evidence::add_weights`].
    pub fn soft(mut self, text: &str) -> Result<Self> {
        self.evidence.add_weights(self.network.schema(), text)?;
        Ok(self)
    }

    /// Replaces all that is known.
    pub fn evidence(mut self, evidence: Evidence) -> Self {
        self.evidence = evidence;
        self
    }

    /// Adds a variable to ask about, by name; or several with commas between, in double quotes
    /// those that contain commas themselves.
    ///
    /// # Errors
    /// When one does not exist, stands twice or is given already.
    pub fn target(self, name: &str) -> Result<Self> {
        self.targets(&[name])
    }

    /// Adds variables to ask about, each text as in [`Query::target`].
    ///
    /// # Errors
    /// As [`Query::target`].
    pub fn targets(self, names: &[impl AsRef<str>]) -> Result<Self> {
        let found = find_variables(self.network.schema(), names)?;
        if found.is_empty() { Ok(self) } else { self.about(&found) }
    }

    /// Adds variables to ask about, by number.
    ///
    /// # Errors
    /// As [`Query::target`].
    pub fn about(mut self, variables: &[Var]) -> Result<Self> {
        self.targets.get_or_insert_default().extend_from_slice(variables);
        self.network.check_targets(self.targets.as_deref().unwrap_or_default(), &self.evidence)?;
        Ok(self)
    }

    /// The most memory for tables, in bytes. [default: 1 GiB]
    pub fn memory(mut self, bytes: u64) -> Self {
        self.options.exact.memory = bytes;
        self
    }

    /// The method. [default: exact when its tables fit the memory, else Gibbs sampling]
    pub fn method(mut self, method: QueryMethod) -> Self {
        self.options.method = method;
        self
    }

    /// Replaces all options.
    pub fn options(mut self, options: QueryOptions) -> Self {
        self.options = options;
        self
    }

    /// What may stop the work. Every long step asks it, many times a second; when it says so,
    /// the answer is an error of the kind [`crate::ErrorKind::Stopped`].
    ///
    /// # Example
    /// ```
    /// use cmnet::{Control, Network, Outcome, StopReason, uai};
    /// struct Never;
    /// impl Control for Never {
    ///     fn stop(&self) -> Option<StopReason> {
    ///         Some(StopReason::Interrupted)
    ///     }
    /// }
    /// let read = uai::read_network("MARKOV 2 2 2 1 2 0 1 4 3 1 1 3", "agree.uai")?;
    /// let network = Network::new(&read.schema, &read.structure, read.parameters)?;
    /// let stopped = Outcome::of(network.query().control(&Never).run())?;
    /// assert_eq!(stopped, Outcome::Stopped(StopReason::Interrupted));
    /// # Ok::<(), cmnet::Error>(())
    /// ```
    pub fn control(mut self, control: &'a dyn Control) -> Self {
        self.control = Under::new(&(), control);
        self
    }

    fn under(&self) -> Under<'_, QueryOptions> {
        self.control.with(&self.options)
    }

    /// This question, about these targets.
    fn asked<Targets>(&self, targets: Targets) -> Asked<'_, Targets> {
        Asked { targets, evidence: &self.evidence, options: self.under() }
    }

    /// The network that is asked.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// All that is known.
    pub fn known(&self) -> &Evidence {
        &self.evidence
    }

    /// The targets that were named; `None` when there are none.
    pub fn named(&self) -> Option<&[Var]> {
        self.targets.as_deref()
    }

    /// The variables that the question is about: the targets, or every variable that is not
    /// given.
    ///
    /// # Errors
    /// When there are no targets and every variable is given.
    pub fn variables(&self) -> Result<Vec<Var>> {
        if let Some(targets) = &self.targets {
            return Ok(targets.clone());
        }
        self.network.free(&self.evidence)
    }

    /// The edges between unobserved variables that the evidence cuts, in order.
    pub fn cut_edges(&self) -> Vec<Edge> {
        self.network.cut_edges(&self.evidence)
    }

    /// What an answer will take, and by which method: known before any table is allocated.
    ///
    /// # Errors
    /// When a method without a tree is chosen and there are too many cliques to count.
    pub fn plan(&self, question: Question) -> Result<QueryPlan> {
        match question {
            Question::Marginals => self.network.plan_marginals(self.asked(&*self.variables()?)),
            Question::Joint => self.network.plan_joint(self.asked(&*self.variables()?)),
            Question::Map => self.network.plan_map(self.asked(self.named())),
            Question::Rows => self.network.plan_rows(&self.evidence, self.under()),
        }
    }

    /// The distribution of each target.
    ///
    /// # Errors
    /// When a target is given; when the tree does not fit the memory and the method is exact;
    /// when the evidence has probability 0; when the control asks to stop.
    pub fn run(&self) -> Result<MarginalAnswer> {
        self.network.marginals(self.asked(&*self.variables()?))
    }

    /// The joint distribution of the targets.
    ///
    /// # Errors
    /// As [`Query::run`]; when the table itself is too large.
    pub fn joint(&self) -> Result<JointAnswer> {
        self.network.joint(self.asked(&*self.variables()?))
    }

    /// The most probable levels of the targets together, all others summed out; without
    /// targets, of all unobserved variables.
    ///
    /// Exactly where elimination fits the memory. Else all variables by climbing from several
    /// starts, from annealed chains too unless the method is belief propagation; some
    /// variables as the best of what Gibbs chains visited most and of the climb's levels,
    /// compared by their exact weights where a tree without them fits, else by visits.
    ///
    /// # Errors
    /// As [`Query::run`].
    pub fn map(&self) -> Result<MapAnswer> {
        self.network.map(self.asked(self.named()))
    }

    /// Something that draws rows of all variables given the evidence.
    ///
    /// By Gibbs sampling, each block of 1,024 rows is a chain of its own: it starts with the
    /// options' warm-up, and keeps every fifth sweep. The options' number of sweeps is for
    /// [`Sampler::diagnose`] alone, and their seed is the sampler's.
    ///
    /// # Errors
    /// As [`Query::run`]; when the method is belief propagation, which draws no rows.
    pub fn sampler(&self) -> Result<Sampler<'_>> {
        self.network.sampler(&self.evidence, self.under(), self.control)
    }
}
