//! A fitted model as inference sees it: phi-terms over complete sets (paper, eq. 1).

use crate::data::{Schema, Var};
use crate::error::{Error, Result};
use crate::graph::VarSet;
use crate::structure::Structure;
use crate::table::Shape;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The largest sum of absolute terms: beyond it differences between configurations are lost
/// to rounding, and far beyond it sums overflow.
const LARGEST_ENERGY: f64 = 1e12;

/// The phi-terms of one complete set: all configurations without a level 0, the last variable
/// fastest.
#[derive(Clone, Debug)]
pub(super) struct TermTable {
    pub(super) variables: VarSet,
    pub(super) values: Vec<f64>,
}

impl TermTable {
    /// The places of the terms at known levels, by the levels of the other variables; `None`
    /// when a known level is 0, where all terms are.
    pub(super) fn slice(
        &self,
        cardinalities: &[u32],
        level: impl Fn(Var) -> Option<u32>,
    ) -> Option<Vec<usize>> {
        let mut stride = self.values.len();
        let (mut base, mut rest) = (0, Vec::new());
        for v in self.variables.iter() {
            let levels = cardinalities[v] as usize - 1;
            stride /= levels.max(1);
            match level(v) {
                Some(0) => return None,
                Some(level) => base += (level as usize - 1) * stride,
                None => rest.push((levels, stride)),
            }
        }
        let mut cells = vec![base];
        for (levels, stride) in rest {
            cells =
                cells.iter().flat_map(|cell| (0..levels).map(move |level| cell + level * stride)).collect();
        }
        Some(cells)
    }
}

/// A distribution given by phi-terms, with the names and contexts that go with it.
///
/// Made by [`crate::Model::network`]; answers questions through its methods.
#[derive(Clone, Debug)]
pub struct Network {
    schema: Schema,
    structure: Structure,
    /// The structure with what its contexts imply, as far as that is known.
    closed: Structure,
    pub(super) sets: Vec<TermTable>,
    /// Where the set with given variables stands.
    pub(super) places: FxHashMap<VarSet, usize>,
    /// The sets that contain each variable.
    pub(super) sets_at: Vec<Vec<usize>>,
    log_partition: Option<f64>,
}

impl Network {
    /// A network from the terms of each complete set; sets without terms may be left out, but
    /// not the subsets of a set that has some. `log_partition` is log Z, when it is known.
    ///
    /// # Errors
    /// When schema, structure and tables do not fit each other, or a number is not finite.
    pub fn new(
        schema: &Schema,
        structure: &Structure,
        tables: Vec<(VarSet, Vec<f64>)>,
        log_partition: Option<f64>,
    ) -> Result<Self> {
        let unfit = |problem: &str| Error::question(problem, "use a model file that cmnet wrote");
        let cardinalities = structure.cardinalities();
        if schema.cardinalities() != cardinalities {
            return Err(unfit("the levels of the variables do not fit the structure"));
        }
        let mut sets = Vec::with_capacity(tables.len());
        let mut places: FxHashMap<VarSet, usize> = FxHashMap::default();
        for (variables, values) in tables {
            let known = variables.iter().all(|v| v < cardinalities.len());
            if !known || variables.is_empty() || !structure.graph().is_complete(&variables) {
                return Err(unfit("there are terms over variables that are not connected"));
            }
            let size = variables
                .iter()
                .try_fold(1usize, |size, v| size.checked_mul(cardinalities[v] as usize - 1))
                .ok_or_else(|| unfit("there are more terms than can be counted"))?;
            if values.len() != size || !values.iter().all(|value| value.is_finite()) {
                return Err(unfit("the terms of a set are not one finite number each"));
            }
            places.insert(variables.clone(), sets.len());
            sets.push(TermTable { variables, values });
        }
        let subset_missing = |table: &TermTable| {
            table.variables.len() > 1
                && table.variables.iter().any(|v| !places.contains_key(&table.variables.toggled(v)))
        };
        if sets.iter().any(subset_missing) {
            return Err(unfit("a set has terms and one of its subsets has none"));
        }
        let largest: f64 = sets.iter().flat_map(|table| &table.values).map(|value| value.abs()).sum();
        if largest > LARGEST_ENERGY {
            return Err(unfit("the terms are so large that their sums mean nothing"));
        }
        let mut sets_at = vec![Vec::new(); cardinalities.len()];
        for (index, table) in sets.iter().enumerate() {
            table.variables.iter().for_each(|v| sets_at[v].push(index));
        }
        let (schema, structure) = (schema.clone(), structure.clone());
        let closed = structure.clone();
        Ok(Self { schema, structure, closed, sets, places, sets_at, log_partition })
    }

    /// The same network, with a structure that says all that its contexts imply: more context
    /// elements, and perhaps fewer edges. Evidence then cuts the implied edges too.
    ///
    /// The caller vouches that the terms satisfy its restrictions.
    ///
    /// # Errors
    /// When that structure has other variables, or an edge that the network's has not.
    pub fn with_closure(mut self, closed: Structure) -> Result<Self> {
        let known = |edge| self.structure.graph().contains(edge);
        if closed.cardinalities() != self.cardinalities() || !closed.graph().edges().all(known) {
            let problem = "the closure is not one of this network's structure";
            return Err(Error::question(problem, "take it with loglinear::canonical"));
        }
        self.closed = closed;
        Ok(self)
    }

    /// Names and levels.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Graph and contexts.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// Graph and contexts with what they imply, as far as that is known.
    pub fn closed(&self) -> &Structure {
        &self.closed
    }

    /// The number of levels of each variable.
    pub fn cardinalities(&self) -> &[u32] {
        self.structure.cardinalities()
    }

    /// log Z, where the fit knew it.
    pub fn log_partition(&self) -> Option<f64> {
        self.log_partition
    }

    /// log p(x) + log Z of a row of levels of all variables.
    pub fn energy(&self, row: &[u32]) -> f64 {
        let value = |table: &TermTable| {
            let mut cell = 0;
            for v in table.variables.iter() {
                let level = row[v] as usize;
                if level == 0 {
                    return 0.0;
                }
                cell = cell * (self.cardinalities()[v] as usize - 1) + level - 1;
            }
            table.values[cell]
        };
        self.sets.iter().map(value).sum()
    }
}

/// The cells of a set's terms in a table that contains the set, in the order of the terms.
pub(super) fn term_cells(variables: &VarSet, shape: &Shape) -> Vec<usize> {
    let mut cells = vec![0];
    for variable in variables.iter() {
        let place = shape.variables().iter().position(|&own| own == variable);
        let Some(place) = place else { return Vec::new() };
        let (levels, stride) = (shape.cardinalities()[place], shape.strides()[place]);
        cells = cells.iter().flat_map(|cell| (1..levels).map(move |level| cell + level * stride)).collect();
    }
    cells
}

/// Turns a table of terms, each at the cell of its configuration with zeros elsewhere, into
/// log potentials: each cell becomes the sum of phi_A(x_A) over all A inside its support.
fn sum_of_terms(shape: &Shape, table: &mut [f64]) {
    for (&stride, &levels) in shape.strides().iter().zip(shape.cardinalities()) {
        for block in table.chunks_exact_mut(stride * levels) {
            let (low, higher) = block.split_at_mut(stride);
            for high in higher.chunks_exact_mut(stride) {
                high.iter_mut().zip(&*low).for_each(|(value, base)| *value += *base);
            }
        }
    }
}

/// Adds to a table of zeros the log potentials of sets of terms, each of which lies inside it.
///
/// They are summed up in a table of the variables that the sets have, usually much smaller.
pub(super) fn add_potentials(shape: &Shape, terms: &[(&VarSet, &[f64])], table: &mut [f64]) {
    let used = |v: &&Var| terms.iter().any(|(variables, _)| variables.contains(**v));
    let inner = shape.restricted(shape.variables().iter().filter(used).copied());
    let whole = inner.size() == shape.size();
    let mut own = if whole { Vec::new() } else { vec![0.0; inner.size()] };
    let small: &mut [f64] = if whole { &mut *table } else { &mut own };
    for (variables, values) in terms {
        let cells = term_cells(variables, &inner);
        cells.iter().zip(*values).for_each(|(&cell, &value)| small[cell] = value);
    }
    sum_of_terms(&inner, small);
    if !whole {
        shape.walk_onto(&inner).spread(&own, table);
    }
}

/// Adds numbers per level of one variable to all cells of a table that contains it.
pub(super) fn add_along(shape: &Shape, variable: Var, by_level: &[f64], table: &mut [f64]) {
    let stride = shape.stride_of(variable);
    for block in table.chunks_exact_mut(stride * by_level.len()) {
        for (run, add) in block.chunks_exact_mut(stride).zip(by_level) {
            for value in run.iter_mut() {
                *value += add;
            }
        }
    }
}

/// Terms of complete sets by set.
pub(crate) type TermMap = BTreeMap<VarSet, Vec<f64>>;

/// Adds a set and its subsets with terms 0, where they are not there yet.
///
/// # Errors
/// When the sets have more cells together than allowed.
pub(crate) fn add_empty_sets(
    clique: &VarSet,
    cardinalities: &[u32],
    most_cells: u64,
    terms: &mut TermMap,
) -> Result<()> {
    let varying: Vec<Var> = clique.iter().filter(|&v| cardinalities[v] > 1).collect();
    let cells = varying.iter().try_fold(1u64, |size, &v| size.checked_mul(cardinalities[v].into()));
    if cells.is_none_or(|cells| cells > most_cells) {
        return Err(Error::limit("the configurations of a clique", most_cells, "use a sparser network"));
    }
    for subset in 1u64..1 << varying.len() {
        let members = varying.iter().enumerate().filter(|&(place, _)| subset >> place & 1 == 1);
        let set: VarSet = members.map(|(_, &v)| v).collect();
        let size = set.iter().map(|v| cardinalities[v] as usize - 1).product();
        terms.entry(set).or_insert_with(|| vec![0.0; size]);
    }
    Ok(())
}

/// Adds the terms of a table of log potentials, whose subsets are all there.
pub(crate) fn add_terms(scope: &[Var], mut table: Vec<f64>, cardinalities: &[u32], terms: &mut TermMap) {
    let shape = Shape::new(scope.to_vec(), cardinalities);
    for (&stride, &levels) in shape.strides().iter().zip(shape.cardinalities()) {
        for block in table.chunks_exact_mut(stride * levels) {
            let (low, higher) = block.split_at_mut(stride);
            for high in higher.chunks_exact_mut(stride) {
                high.iter_mut().zip(&*low).for_each(|(value, base)| *value -= *base);
            }
        }
    }
    let varying: Vec<Var> = scope.iter().copied().filter(|&v| cardinalities[v] > 1).collect();
    for subset in 1u64..1 << varying.len() {
        let members = varying.iter().enumerate().filter(|&(place, _)| subset >> place & 1 == 1);
        let set: VarSet = members.map(|(_, &v)| v).collect();
        if let Some(values) = terms.get_mut(&set) {
            let cells = term_cells(&set, &shape);
            values.iter_mut().zip(cells).for_each(|(sum, cell)| *sum += table[cell]);
        }
    }
}
