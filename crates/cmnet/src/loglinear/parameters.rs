//! The phi-terms with values: a distribution (paper, eq. 1 and Definition 3).

use super::objective::dot;
use super::term::{Term, TermSet, Terms};
use crate::control::{Control, ask};
use crate::data::{Dataset, Var};
use crate::error::{Error, Result};
use crate::graph::{Graph, VarSet};
use crate::table::{Homes, Potentials, SetTerms, Shape, softmax, terms_of_sum};
use crate::tree::{Clique, JunctionTree, Propagation};
use std::convert::Infallible;
use std::sync::Arc;

/// Values of all phi-terms of a graph, with phi_0 where it is known.
///
/// Copies share the terms and the values: a fit and all that answers questions about it read
/// the same numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    terms: Arc<Terms>,
    values: Arc<[f64]>,
    log_partition: Option<f64>,
}

impl Parameters {
    /// Values for the terms of a graph, in order. `log_partition` is log Z = -phi_0, when it
    /// is known.
    ///
    /// # Panics
    /// When there is not one value per term.
    pub fn new(terms: Terms, values: Vec<f64>, log_partition: Option<f64>) -> Self {
        assert_eq!(terms.len(), values.len(), "one value per term");
        Self { terms: Arc::new(terms), values: values.into(), log_partition }
    }

    /// The parameters of a product of factors, each given by its variables and a table of
    /// logarithms, the last variable fastest. Constants are left out, and log Z is not known.
    ///
    /// # Errors
    /// When a factor has variables that are not connected, or not one number for each of its
    /// configurations.
    ///
    /// # Example
    /// ```
    /// use cmnet::{Edge, Parameters, Structure, Terms};
    /// let mut structure = Structure::empty(&[2, 2]);
    /// structure.toggle_edge(Edge::new(0, 1)?)?;
    /// let agree = (vec![0, 1], [3.0, 1.0, 1.0, 3.0].map(libm::log).to_vec());
    /// let parameters = Parameters::from_tables(Terms::new(&structure, None)?, [agree])?;
    /// assert!((parameters.values()[2] - libm::log(9.0)).abs() < 1e-12); // phi_01(1,1), the log odds ratio
    /// # Ok::<(), cmnet::Error>(())
    /// ```
    pub fn from_tables(terms: Terms, tables: impl IntoIterator<Item = (Vec<Var>, Vec<f64>)>) -> Result<Self> {
        let mut values = vec![0.0; terms.len()];
        for (scope, table) in tables {
            add_terms(&terms, &scope, table, &mut values)?;
        }
        Ok(Self::new(terms, values, None))
    }

    /// The terms.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The value of each term.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// log Z = -phi_0, when the distribution is normalised.
    pub fn log_partition(&self) -> Option<f64> {
        self.log_partition
    }

    /// The value of one term; 0 when the graph does not have it.
    pub fn value(&self, term: &Term) -> f64 {
        self.terms.number(term).map_or(0.0, |number| self.values[number])
    }

    /// The values of one set's terms.
    pub(crate) fn of_set(&self, set: &TermSet) -> &[f64] {
        &self.values[set.range()]
    }

    /// The sets with the values of their terms, in order.
    pub(crate) fn by_set(&self) -> impl Iterator<Item = SetTerms<'_>> {
        self.terms.sets().iter().map(|set| (set.variables(), self.of_set(set)))
    }

    /// log p(x) + log Z of a row of levels of all variables.
    pub fn energy(&self, row: &[u32]) -> f64 {
        let value = |set: &TermSet| set.active(row).map_or(0.0, |term| self.values[term]);
        self.terms.sets().iter().map(value).sum()
    }

    /// Every term with its value, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Term, f64)> + '_ {
        self.values.iter().enumerate().map(|(number, &value)| (self.terms.term(number), value))
    }

    /// The same parameters with log Z, by a junction tree that fits a budget of bytes.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn normalized(self, graph: &Graph, budget: u64) -> Result<Self> {
        self.normalized_under(graph, budget, &())
    }

    pub(crate) fn normalized_under(self, graph: &Graph, budget: u64, control: &dyn Control) -> Result<Self> {
        let tree = JunctionTree::new(graph, self.terms.cardinalities(), budget)?;
        let log_partition = Some(self.propagate(&tree, &mut Propagation::new(&tree), control)?);
        Ok(Self { log_partition, ..self })
    }

    /// Puts the potentials into a tree whose cliques cover all terms and collects: log Z.
    pub(crate) fn propagate(
        &self,
        tree: &JunctionTree,
        propagation: &mut Propagation,
        control: &dyn Control,
    ) -> Result<f64> {
        let tables = propagation.log_potentials();
        for table in tables.iter_mut() {
            table.fill(0.0);
        }
        self.homes(tree).fill(self.by_set(), tables, control)?;
        propagation.collect_under(tree, control)
    }

    /// The expectation of the sum of these terms under the distribution of a calibrated tree.
    pub(crate) fn expectation(
        &self,
        tree: &JunctionTree,
        propagation: &Propagation,
        control: &dyn Control,
    ) -> Result<f64> {
        let mut tables: Vec<Vec<f64>> =
            tree.cliques().iter().map(|clique| vec![0.0; clique.shape().size()]).collect();
        self.homes(tree).fill(self.by_set(), &mut tables, control)?;
        let mut sum = 0.0;
        for (index, table) in tables.iter().enumerate() {
            ask(control)?;
            sum += dot(table, propagation.marginal(index));
        }
        Ok(sum)
    }

    fn homes<'a>(&self, tree: &'a JunctionTree) -> Homes<'a> {
        Homes::new(tree.cliques().iter().map(Clique::shape), self.terms.cardinalities().len())
    }

    /// The same parameters ready to be evaluated row by row.
    pub fn evaluator(&self) -> Evaluator {
        let Ok(potentials) = self.zeros().fill::<Infallible>(|homes, tables| {
            // Nobody asks to stop here.
            let _ = homes.fill(self.by_set(), tables, &());
            Ok(())
        });
        Evaluator { potentials, log_partition: self.log_partition }
    }

    /// As [`Parameters::evaluator`], under a control that may stop it.
    ///
    /// # Errors
    /// When the control asks to stop.
    pub fn evaluator_under(&self, control: &dyn Control) -> Result<Evaluator> {
        let potentials = self.zeros().fill(|homes, tables| homes.fill(self.by_set(), tables, control))?;
        Ok(Evaluator { potentials, log_partition: self.log_partition })
    }

    fn zeros(&self) -> Potentials {
        Potentials::zeros(self.terms.cliques().iter(), self.terms.cardinalities())
    }
}

/// Adds the terms of a table of log potentials: alternating sums, for every set in its scope.
fn add_terms(terms: &Terms, scope: &[Var], mut table: Vec<f64>, values: &mut [f64]) -> Result<()> {
    let unfit =
        |problem: &str| Error::question(problem, "give one number for each configuration of a clique");
    let cardinalities = terms.cardinalities();
    let varies = |v: &Var| cardinalities.get(*v).is_some_and(|&levels| levels > 1);
    let varying: Vec<Var> = scope.iter().copied().filter(varies).collect();
    let whole: VarSet = varying.iter().copied().collect();
    let known = scope.iter().all(|&v| v < cardinalities.len()) && whole.len() == varying.len();
    if !known || !whole.is_empty() && terms.set(&whole).is_none() {
        return Err(unfit("there is a factor over variables that are not connected"));
    }
    let shape = Shape::new(scope.to_vec(), cardinalities);
    if table.len() != shape.size() {
        return Err(unfit("a factor does not have one number for each configuration"));
    }
    terms_of_sum(&shape, &mut table);
    for subset in 1u64..1 << varying.len() {
        let members = varying.iter().enumerate().filter(|&(place, _)| subset >> place & 1 == 1);
        let set: VarSet = members.map(|(_, &v)| v).collect();
        if let Some(set) = terms.set(&set) {
            let cells = shape.term_cells(set.variables());
            values[set.range()].iter_mut().zip(cells).for_each(|(sum, cell)| *sum += table[cell]);
        }
    }
    Ok(())
}

/// Log probabilities of rows, from one table per maximal clique of the graph.
///
/// Rows are level codes of all variables in column order, each below its variable's number
/// of levels.
#[derive(Clone, Debug)]
pub struct Evaluator {
    potentials: Potentials,
    log_partition: Option<f64>,
}

impl Evaluator {
    /// log p(x), or `None` when log Z is not known.
    pub fn log_probability(&self, row: &[u32]) -> Option<f64> {
        let log_partition = self.log_partition?;
        Some(self.potentials.weight(row) - log_partition)
    }

    /// The distribution of one variable given all others, that is given its Markov blanket:
    /// needs no log Z.
    pub fn conditional(&self, variable: Var, row: &[u32]) -> Vec<f64> {
        let mut energies = self.energies(variable, row);
        softmax(&mut energies);
        energies
    }

    /// The logarithm of the probability of a row's level of one variable given all others.
    pub(crate) fn log_conditional(&self, variable: Var, row: &[u32]) -> f64 {
        // In logarithms: a probability of e^-800 rounds to 0, and its logarithm does not.
        let mut energies = self.energies(variable, row);
        energies[row[variable] as usize] - softmax(&mut energies)
    }

    /// The logarithms of that distribution up to a constant.
    fn energies(&self, variable: Var, row: &[u32]) -> Vec<f64> {
        let mut energies = Vec::new();
        self.potentials.energies(variable, row, &mut energies);
        energies
    }

    /// The pseudo-log-probability of a row: the sum over variables of log p(x_j | x_mb(j)).
    pub fn pseudo_log_probability(&self, row: &[u32]) -> f64 {
        (0..row.len()).map(|variable| self.log_conditional(variable, row)).sum()
    }

    /// The log-likelihood of a table: the sum over its observations of log p(x).
    pub fn log_likelihood(&self, data: &Dataset) -> Option<f64> {
        let mut sum = 0.0;
        for (row, &weight) in data.weights().iter().enumerate() {
            sum += f64::from(weight) * self.log_probability(&data.row(row))?;
        }
        Some(sum)
    }

    /// The pseudo-log-likelihood of a table.
    pub fn pseudo_log_likelihood(&self, data: &Dataset) -> f64 {
        let rows = data.weights().iter().enumerate();
        rows.map(|(row, &weight)| f64::from(weight) * self.pseudo_log_probability(&data.row(row))).sum()
    }
}
