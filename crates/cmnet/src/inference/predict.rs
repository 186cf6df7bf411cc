//! A network as a classifier: one variable from the others, by its Markov blanket.

use super::belief::first_largest;
use super::evidence::Evidence;
use super::factors::Factors;
use super::network::Network;
use super::options::ExactOptions;
use super::region::{Border, Region, RegionTree};
use crate::control::{Control, Under, ask};
use crate::data::Var;
use crate::error::Result;
use crate::graph::VarSet;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The distribution of a target given a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The probability of each level.
    pub probabilities: Vec<f64>,
    /// The most probable level, the lowest among equals.
    pub level: u32,
}

impl Prediction {
    pub(crate) fn new(probabilities: Vec<f64>) -> Self {
        let level = first_largest(&probabilities);
        Self { probabilities, level }
    }
}

/// Predicts one variable from rows in which others may be missing.
///
/// A row with the whole Markov blanket costs a look into the tables of the target's own
/// cliques. Where cells of the blanket are missing, the unobserved variables that are
/// connected to the target through unobserved ones are summed out exactly, in a tree of
/// their own; what observed variables and cut edges separate from the target is never looked
/// at. Neither cost grows with the number of variables beyond. Trees are kept per pattern of
/// missing cells, answers per pattern and levels around it.
///
/// # Example
/// ```
/// use cmnet::{Edge, ExactOptions, FitOptions, Model, Predictor, ReadOptions, Source, Structure, fit, read_csv};
/// let table = Source::bytes("table", "rain,wet,slip\nno,no,no\nyes,yes,yes\nyes,yes,no\nno,yes,no\n");
/// let data = read_csv(&table, &ReadOptions::default())?.data;
/// let mut structure = Structure::empty(&[2, 2, 2]);
/// structure.toggle_edge(Edge::new(0, 1)?)?;
/// structure.toggle_edge(Edge::new(1, 2)?)?;
/// let fit = fit(&structure, &data, &FitOptions::default())?;
/// let model = Model::new(data.schema().clone(), structure)?.with_fit(fit)?;
/// let network = model.network()?;
/// let mut predictor = Predictor::new(&network, 2, &ExactOptions::default())?;
/// let known = predictor.predict(&[None, Some(1), None])?; // only the blanket, wet, matters
/// let blind = predictor.predict(&[Some(1), None, None])?; // wet is summed out
/// assert!(known.probabilities[1] > blind.probabilities[1]);
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Debug)]
pub struct Predictor<'a> {
    network: &'a Network,
    target: Var,
    control: Under<'a, ()>,
    /// Predictions since the control was asked.
    pace: usize,
    factors: Factors,
    memory: u64,
    /// A row of which only blanket and target are looked at.
    row: Vec<u32>,
    probabilities: Vec<f64>,
    trees: BTreeMap<Region, RegionTree>,
    seen: BTreeMap<(VarSet, Border), Prediction>,
    made: usize,
    largest: u64,
    /// The most answers and the most trees that are kept.
    most: [usize; 2],
}

/// Answers about rows with missing cells that are remembered.
const MOST_SEEN: usize = 100_000;
/// Predictions between two questions to the control.
const BETWEEN: usize = 64;
/// Trees that are kept; then all are forgotten.
const MOST_TREES: usize = 1_000;

impl<'a> Predictor<'a> {
    /// A predictor of one variable.
    ///
    /// # Errors
    /// When the target does not exist, or its cliques' tables do not fit the memory.
    pub fn new(network: &'a Network, target: Var, exact: &ExactOptions) -> Result<Self> {
        Self::under(network, target, exact, &())
    }

    /// A predictor that obeys a control: each prediction asks it whether to go on.
    ///
    /// # Errors
    /// As [`Predictor::new`]; when the control asks to stop.
    pub fn under(
        network: &'a Network,
        target: Var,
        exact: &ExactOptions,
        control: &'a dyn Control,
    ) -> Result<Self> {
        network.check_targets(&[target], &Evidence::none())?;
        Ok(Self {
            network,
            target,
            control: Under::new(&(), control),
            pace: 0,
            factors: Factors::around(network, target, exact.memory, control)?,
            memory: exact.memory,
            row: vec![0; network.schema().len()],
            probabilities: Vec::new(),
            trees: BTreeMap::new(),
            seen: BTreeMap::new(),
            made: 0,
            largest: 0,
            most: [MOST_SEEN, MOST_TREES],
        })
    }

    /// The same as one of several that share what is remembered.
    #[must_use]
    pub(crate) fn sharing(self, among: usize) -> Self {
        let share = |most: usize| (most / among.max(1)).max(1);
        Self { most: self.most.map(share), ..self }
    }

    /// The target's Markov blanket.
    pub fn blanket(&self) -> &VarSet {
        self.network.closed().markov_blanket(self.target)
    }

    /// Trees made for rows with missing cells, and the cells of the largest one.
    pub fn trees(&self) -> (usize, u64) {
        (self.made, self.largest)
    }

    /// The distribution of the target given a row of levels of all variables, `None` where
    /// one is missing. What the row says about the target itself is not looked at.
    ///
    /// # Errors
    /// When cells of the blanket are missing and summing them out does not fit the memory;
    /// when the control asks to stop.
    ///
    /// # Panics
    /// When the row does not have a place for each variable, or a level that does not exist.
    pub fn predict(&mut self, row: &[Option<u32>]) -> Result<Prediction> {
        self.pace = self.pace.wrapping_add(1);
        if self.pace % BETWEEN == 1 {
            ask(self.control.control())?;
        }
        let blanket = self.network.closed().markov_blanket(self.target);
        if blanket.iter().all(|v| row[v].is_some()) {
            for v in blanket.iter() {
                self.row[v] = row[v].unwrap_or(0);
            }
            self.factors.conditional(self.target, &self.row, &mut self.probabilities);
            return Ok(Prediction::new(self.probabilities.clone()));
        }
        let target = self.target;
        let level = |v: Var| if v == target { None } else { row[v] };
        let (region, border) = Region::around(self.network, target, &level);
        let key = (region.members().clone(), border);
        if let Some(known) = self.seen.get(&key) {
            return Ok(known.clone());
        }
        if self.trees.len() >= self.most[1] && !self.trees.contains_key(&region) {
            self.trees.clear();
        }
        let tree = match self.trees.entry(region.clone()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let tree = RegionTree::new(self.network, &region, self.memory)?;
                self.made += 1;
                self.largest = self.largest.max(tree.cells());
                place.insert(tree)
            }
        };
        let control = self.control.control();
        let prediction = Prediction::new(tree.marginal(self.network, target, &level, control)?);
        if self.seen.len() < self.most[0] {
            self.seen.insert(key, prediction.clone());
        }
        Ok(prediction)
    }
}
