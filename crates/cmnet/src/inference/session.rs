//! Evidence that changes step by step, on one tree that is never rebuilt.

use super::cut_edges::Conditioned;
use super::evidence::{Evidence, impossible};
use super::network::Network;
use super::options::ExactOptions;
use crate::control::{Control, Pace, Under};
use crate::data::Var;
use crate::error::Result;
use crate::table::{Homes, Shape, add_along, shares_of_levels};
use crate::tree::{Clique, JunctionTree, TreeCost, normalize};

/// A junction tree of the whole network in which observations come and go.
///
/// A change of evidence about one variable renews the messages from its clique towards the
/// root, and stops where a message stays the same; a question renews what lies between the
/// root and the clique that answers. For few questions under much evidence
/// [`Network::posterior`], which deletes what the evidence makes superfluous, is cheaper.
///
/// # Example
/// ```
/// use cmnet::{Edge, ExactOptions, Network, Parameters, Schema, Session, Structure, Terms, Variable};
/// let variable = |name: &str| Variable { name: name.into(), levels: vec!["no".into(), "yes".into()] };
/// let schema = Schema::new_unchecked(vec![variable("a"), variable("b")]);
/// let mut structure = Structure::empty(&[2, 2]);
/// structure.toggle_edge(Edge::new(0, 1)?)?;
/// let factor = (vec![0, 1], [1.0, 1.0, 1.0, 3.0].map(libm::log).to_vec());
/// let parameters = Parameters::from_tables(Terms::new(&structure, None)?, [factor])?;
/// let network = Network::new(&schema, &structure, parameters)?;
/// let mut session = Session::new(&network, &ExactOptions::default())?;
/// assert!((session.marginal(1)?[1] - 2.0 / 3.0).abs() < 1e-12);
/// session.observe(0, 1)?;
/// assert!((session.marginal(1)?[1] - 3.0 / 4.0).abs() < 1e-12);
/// session.retract(0);
/// assert!((session.marginal(1)?[1] - 2.0 / 3.0).abs() < 1e-12);
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Session<'a> {
    network: &'a Network,
    control: Under<'a, ()>,
    tree: JunctionTree,
    children: Vec<Vec<usize>>,
    /// The clique of each variable nearest to the root.
    homes: Vec<usize>,
    /// Log potentials without evidence.
    base: Vec<Vec<f64>>,
    conditionals: Vec<Vec<f64>>,
    messages: Vec<Vec<f64>>,
    marginals: Vec<Vec<f64>>,
    evidence: Evidence,
    /// Cliques whose message has to be renewed.
    stale: Vec<bool>,
    /// Cliques whose marginal is that of the evidence.
    fresh: Vec<bool>,
    log_partition: f64,
    renewed: usize,
}

impl<'a> Session<'a> {
    /// A session without evidence.
    ///
    /// # Errors
    /// When the tables, three per clique, do not fit the memory.
    pub fn new(network: &'a Network, exact: &ExactOptions) -> Result<Self> {
        Self::under(network, exact, &())
    }

    /// A session that obeys a control. Where that asked it to stop, the next question goes on.
    ///
    /// # Errors
    /// As [`Session::new`]; when the control asks to stop.
    pub fn under(network: &'a Network, exact: &ExactOptions, control: &'a dyn Control) -> Result<Self> {
        let conditioned = Conditioned::new(network, &Evidence::none(), false);
        let budget = exact.memory / 3 * 2;
        let tree = JunctionTree::new(conditioned.graph(), network.cardinalities(), budget)?;
        let zeros: Vec<Vec<f64>> =
            tree.cliques().iter().map(|clique| vec![0.0; clique.shape().size()]).collect();
        let mut base = zeros.clone();
        let homes = Homes::new(tree.cliques().iter().map(Clique::shape), network.cardinalities().len());
        conditioned.fill(&homes, &mut base, control)?;
        let count = tree.cliques().len();
        let mut children = vec![Vec::new(); count];
        let mut homes = vec![usize::MAX; network.cardinalities().len()];
        for (index, clique) in tree.cliques().iter().enumerate() {
            if let Some(parent) = clique.parent() {
                children[parent].push(index);
            }
            clique.shape().variables().iter().for_each(|&v| homes[v] = homes[v].min(index));
        }
        let mut session = Self {
            network,
            control: Under::new(&(), control),
            children,
            homes,
            base,
            conditionals: zeros.clone(),
            messages: vec![Vec::new(); count],
            marginals: zeros,
            evidence: Evidence::none(),
            stale: vec![true; count],
            fresh: vec![false; count],
            log_partition: 0.0,
            renewed: 0,
            tree,
        };
        session.collect()?;
        session.log_partition = session.log_weight();
        Ok(session)
    }

    /// What the tree costs.
    pub fn cost(&self) -> TreeCost {
        self.tree.cost()
    }

    /// The evidence as it stands.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// Clique messages computed so far: what incremental changes save.
    pub fn renewed(&self) -> usize {
        self.renewed
    }

    /// Says that a variable has a level.
    ///
    /// # Errors
    /// As [`Evidence::observe`].
    pub fn observe(&mut self, variable: Var, level: u32) -> Result<()> {
        self.evidence.observe(self.network.schema(), variable, level)?;
        self.stale[self.homes[variable]] = true;
        Ok(())
    }

    /// Adds soft evidence about a variable.
    ///
    /// # Errors
    /// As [`Evidence::weigh`].
    pub fn weigh(&mut self, variable: Var, weights: &[f64]) -> Result<()> {
        self.evidence.weigh(self.network.schema(), variable, weights)?;
        self.stale[self.homes[variable]] = true;
        Ok(())
    }

    /// Forgets what is known about a variable.
    pub fn retract(&mut self, variable: Var) {
        self.evidence.retract(variable);
        if let Some(&home) = self.homes.get(variable) {
            self.stale[home] = true;
        }
    }

    /// The distribution of a variable given the evidence.
    ///
    /// # Errors
    /// When the evidence has probability 0; when the control asks to stop.
    ///
    /// # Panics
    /// When the variable does not exist.
    pub fn marginal(&mut self, variable: Var) -> Result<Vec<f64>> {
        self.collect()?;
        if self.log_weight() == f64::NEG_INFINITY {
            return Err(impossible());
        }
        let home = self.homes[variable];
        self.distribute(home)?;
        let shape = self.tree.cliques()[home].shape();
        Ok(shares_of_levels(shape, &self.marginals[home], variable))
    }

    /// The log-probability of the evidence; minus infinity when it is impossible.
    ///
    /// # Errors
    /// When the control asks to stop.
    pub fn log_evidence(&mut self) -> Result<f64> {
        self.collect()?;
        Ok(self.log_weight() - self.log_partition)
    }

    /// The shapes of the cliques.
    pub(crate) fn shapes(&self) -> impl Iterator<Item = &Shape> {
        self.tree.cliques().iter().map(Clique::shape)
    }

    /// The log partition function of the network.
    pub(crate) fn log_partition(&self) -> f64 {
        self.log_partition
    }

    /// Says that a variable has a level, whatever was said before.
    pub(crate) fn observe_anew(&mut self, variable: Var, level: u32) -> Result<()> {
        if self.evidence.level(variable) == Some(level) {
            return Ok(());
        }
        self.retract(variable);
        self.observe(variable, level)
    }

    /// Adds the distribution of every clique given the evidence, times a weight, to tables of the
    /// cliques' shapes; the log-probability of the evidence.
    pub(crate) fn add_marginals(&mut self, weight: f64, tables: &mut [Vec<f64>]) -> Result<f64> {
        let log_evidence = self.log_evidence()?;
        if log_evidence == f64::NEG_INFINITY {
            return Err(impossible());
        }
        for (clique, table) in tables.iter_mut().enumerate() {
            self.distribute(clique)?;
            table.iter_mut().zip(&self.marginals[clique]).for_each(|(sum, p)| *sum += weight * p);
        }
        Ok(log_evidence)
    }

    fn log_weight(&self) -> f64 {
        let roots =
            self.tree.cliques().iter().zip(&self.messages).filter(|(clique, _)| clique.parent().is_none());
        roots.map(|(_, message)| message[0]).sum()
    }

    /// Renews stale messages, children before parents.
    fn collect(&mut self) -> Result<()> {
        for index in (0..self.stale.len()).rev() {
            if !self.stale[index] {
                continue;
            }
            self.fresh.fill(false);
            let message = self.renew(index, &mut Pace::new(self.control.control()))?;
            // Only now: what was stopped is renewed by the next question.
            self.stale[index] = false;
            self.renewed += 1;
            if message != self.messages[index] {
                self.messages[index] = message;
                if let Some(parent) = self.tree.cliques()[index].parent() {
                    self.stale[parent] = true;
                }
            }
        }
        Ok(())
    }

    fn renew(&mut self, index: usize, pace: &mut Pace<'_>) -> Result<Vec<f64>> {
        let clique = &self.tree.cliques()[index];
        let shape = clique.shape();
        let table = &mut self.conditionals[index];
        table.copy_from_slice(&self.base[index]);
        for &v in shape.variables().iter().filter(|&&v| self.homes[v] == index) {
            if let Some(weights) = log_weights(&self.evidence, v, self.network.cardinalities()[v]) {
                add_along(shape, v, &weights, table, pace)?;
            }
        }
        for &child in &self.children[index] {
            if let Some(parent) = &self.tree.cliques()[child].parent {
                parent.walk.spread_under(&self.messages[child], table, pace)?;
            }
        }
        normalize(clique, table, pace)
    }

    /// Makes the marginal of a clique, and of those between it and its root, fresh.
    fn distribute(&mut self, clique: usize) -> Result<()> {
        let mut path = vec![clique];
        while let Some(parent) = path.last().and_then(|&at| self.tree.cliques()[at].parent()) {
            path.push(parent);
        }
        for index in path.into_iter().rev() {
            if self.fresh[index] {
                continue;
            }
            let (before, rest) = self.marginals.split_at_mut(index);
            let marginal = &mut rest[0];
            marginal.copy_from_slice(&self.conditionals[index]);
            if let Some(parent) = &self.tree.cliques()[index].parent {
                parent.weigh(&before[parent.clique], marginal, &mut Pace::new(self.control.control()))?;
            }
            self.fresh[index] = true;
        }
        Ok(())
    }
}

/// What evidence says about the levels of a variable, as log weights.
fn log_weights(evidence: &Evidence, variable: Var, levels: u32) -> Option<Vec<f64>> {
    let soft = evidence.soft().find(|&(v, _)| v == variable).map(|(_, weights)| weights.to_vec());
    let Some(level) = evidence.level(variable) else { return soft };
    let mut weights = soft.unwrap_or_else(|| vec![0.0; levels as usize]);
    let others = weights.iter_mut().enumerate().filter(|&(other, _)| other != level as usize);
    others.for_each(|(_, weight)| *weight = f64::NEG_INFINITY);
    Some(weights)
}
