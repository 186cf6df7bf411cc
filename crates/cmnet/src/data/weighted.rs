//! Observations with real-valued weights: of a survey's design, or counts that are no whole numbers.
//!
//! Counting stays exact: a weight is a whole number of units, some 2^-20 of an observation, so that sums
//! do not depend on the order of rows. What a unit is worth comes in where counts become scores and
//! estimates.

use super::dataset::Dataset;
use super::digest::DataDigest;
use super::variable::{MAX_ROWS, Schema};
use crate::error::{Error, OptionName, Result, choices, quoted};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::sync::Arc;

choices! {
    /// What weights mean.
    pub enum WeightKind of WeightsAs {
        /// Weights of a design: scaled to add up to the effective sample size (Kish).
        Design = "design",
        /// Counts: they add up to the number of observations.
        Counts = "counts",
    }
}

impl Serialize for WeightKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for WeightKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        word.parse().map_err(|_| serde::de::Error::custom("expected design or counts"))
    }
}

/// What real-valued weights were, as model files record it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weighting {
    /// What they mean.
    pub kind: WeightKind,
    /// Rows with a positive weight.
    pub observations: u64,
    /// The sum of the weights as they were given.
    pub sum: f64,
    /// Kish's effective sample size.
    pub effective: f64,
}

impl Weighting {
    /// Whether the numbers can be those of weights.
    pub(crate) fn is_sound(&self) -> bool {
        let effective = self.effective.is_finite() && self.effective > 0.0;
        self.observations > 0 && self.sum.is_finite() && self.sum > 0.0 && effective
    }
}

/// Distinct rows with the weights of their observations.
pub(crate) type RealRows = BTreeMap<Vec<u32>, Vec<f64>>;

/// Observations of d variables with real-valued weights.
///
/// # Example
/// ```
/// use cmnet::{Schema, Variable, WeightKind, WeightedTable};
/// let variable = |name: &str| Variable { name: name.into(), levels: vec!["no".into(), "yes".into()] };
/// let schema = Schema::new(vec![variable("a"), variable("b")])?;
/// let rows = [(vec![0, 1], 0.5), (vec![1, 1], 1.5), (vec![0, 1], 2.0)];
/// let table = WeightedTable::new(schema, rows, WeightKind::Design)?;
/// // (0.5 + 1.5 + 2)^2 / (0.25 + 2.25 + 4) = 2.46.
/// assert_eq!((table.observations(), table.rows()), (3, 2));
/// # Ok::<(), cmnet::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct WeightedTable {
    units: Dataset,
    given: Arc<RealRows>,
    /// What one unit is worth, in observations.
    value: f64,
    rows: u64,
    observations: u64,
    sum: f64,
    effective: f64,
    kind: WeightKind,
}

impl WeightedTable {
    /// A table of rows with weights, 0 or more.
    ///
    /// # Errors
    /// When a weight is negative or not finite, all are 0, counts add up to less than one half of an
    /// observation or to more than [`MAX_ROWS`], or a code is out of range.
    pub fn new(
        schema: Schema,
        rows: impl IntoIterator<Item = (Vec<u32>, f64)>,
        kind: WeightKind,
    ) -> Result<Self> {
        let mut by_row: BTreeMap<Vec<u32>, Vec<f64>> = BTreeMap::new();
        for (row, weight) in rows {
            if !weight.is_finite() || weight < 0.0 {
                let expected = "finite weights, 0 or more";
                return Err(Error::option(OptionName::Weights, weight.to_string(), expected));
            }
            by_row.entry(row).or_default().push(weight);
        }
        Self::of_rows(schema, by_row, kind)
    }

    /// The same of distinct rows with all their weights, which were checked.
    pub(crate) fn of_rows(schema: Schema, by_row: RealRows, kind: WeightKind) -> Result<Self> {
        let mut all: Vec<f64> = by_row.values().flatten().copied().filter(|&weight| weight > 0.0).collect();
        // Sums in the order of the weights: that of the rows must not matter.
        all.sort_by(f64::total_cmp);
        // By a power of two, which changes no digit: squares are neither infinite nor lost.
        let exponent = all.last().map_or(0, |&largest| libm::ilogb(largest));
        let small = |weight: f64| libm::scalbn(weight, -exponent);
        let (sum, squares) = all.iter().fold((0.0, 0.0), |(sum, squares), &weight| {
            let weight = small(weight);
            (sum + weight, squares + weight * weight)
        });
        let effective = if squares > 0.0 { sum * sum / squares } else { 0.0 };
        let whole = libm::scalbn(sum, exponent);
        let rows = match kind {
            WeightKind::Design => effective.round().max(1.0),
            WeightKind::Counts => whole.round(),
        };
        if sum <= 0.0 || !whole.is_finite() || !(1.0..=MAX_ROWS as f64).contains(&rows) {
            let expected = "weights that add up to at least one observation, and to at most 2^31";
            let usual = whole == 0.0 || (1e-6..1e16).contains(&whole);
            let found = if usual { format!("a sum of {whole}") } else { format!("a sum of {whole:.3e}") };
            return Err(Error::option(OptionName::Weights, found, expected));
        }
        // As fine as counts can be, and a power of two, so that whole numbers stay whole.
        let mut fineness = 1.0;
        while rows * fineness * 4.0 <= MAX_ROWS as f64 {
            fineness *= 2.0;
        }
        let scale = rows / sum * fineness;
        let mut columns: Vec<Vec<u32>> = vec![Vec::with_capacity(by_row.len()); schema.len()];
        let mut units = Vec::with_capacity(by_row.len());
        let given = Arc::new(by_row);
        for (row, weights) in given.iter() {
            let mut weights = weights.clone();
            if row.len() != columns.len() {
                let found = format!("{} values", row.len());
                return Err(Error::option("row", found, "one value per variable"));
            }
            for weight in &mut weights {
                *weight = small(*weight);
            }
            weights.sort_by(f64::total_cmp);
            columns.iter_mut().zip(row).for_each(|(column, &level)| column.push(level));
            units.push((weights.iter().sum::<f64>() * scale).round() as u32);
        }
        let units = Dataset::from_columns(schema, &columns, Some(&units))?;
        let value = rows / units.rows() as f64;
        let (rows, observations) = (rows as u64, all.len() as u64);
        Ok(Self { units, given, value, rows, observations, sum: whole, effective, kind })
    }

    /// A table whose weights say nothing but which share of it each row has.
    pub(crate) fn shares(schema: Schema, by_row: RealRows) -> Result<Self> {
        Self::of_rows(schema, by_row, WeightKind::Design)
    }

    /// Names and levels.
    pub fn schema(&self) -> &Schema {
        self.units.schema()
    }

    /// The number of observations n that the weights stand for: what kappas and BIC go by. For weights of
    /// a design it is the effective sample size, for counts their sum, both to the nearest whole number.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Rows with a positive weight.
    pub fn observations(&self) -> u64 {
        self.observations
    }

    /// The sum of the weights as they were given.
    pub fn sum(&self) -> f64 {
        self.sum
    }

    /// Kish's effective sample size: the square of the sum over the sum of the squares.
    pub fn effective(&self) -> f64 {
        self.effective
    }

    /// What the weights mean.
    pub fn kind(&self) -> WeightKind {
        self.kind
    }

    /// What model files record of the weights.
    pub fn weighting(&self) -> Weighting {
        let Self { kind, observations, sum, effective, .. } = *self;
        Weighting { kind, observations, sum, effective }
    }

    /// The rows with the weights of their observations, as they were given.
    pub(crate) fn given(&self) -> &RealRows {
        &self.given
    }

    /// Every observation with a positive weight, in the order of rows and weights.
    pub(crate) fn in_order(&self) -> Vec<(&[u32], f64)> {
        let mut all = Vec::with_capacity(self.observations as usize);
        for (row, weights) in self.given.iter() {
            let mut weights: Vec<f64> = weights.iter().copied().filter(|&weight| weight > 0.0).collect();
            weights.sort_by(f64::total_cmp);
            all.extend(weights.into_iter().map(|weight| (row.as_slice(), weight)));
        }
        all
    }

    /// What one unit is worth, in observations.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// The distinct rows with their weights in units.
    pub fn units(&self) -> &Dataset {
        &self.units
    }

    /// The digest of rows and weights. Weights of a design that are all multiplied have the same.
    pub fn digest(&self) -> DataDigest {
        DataDigest::of(&self.units)
    }

    /// The table in the order of other names.
    ///
    /// # Errors
    /// When a variable of the names is not there, or has other levels.
    pub fn arranged(&self, schema: &Schema) -> Result<Self> {
        let place = |name: &str| {
            self.schema().find(name).ok_or_else(|| {
                Error::mismatch(
                    format!("the data have no column {}", quoted(name)),
                    "choose the model's columns",
                )
            })
        };
        let places: Vec<usize> =
            schema.variables().iter().map(|variable| place(&variable.name)).collect::<Result<_>>()?;
        let units = self.units.select(&places)?;
        if units.schema() != schema {
            let problem = "the levels of the data are not those of the model";
            return Err(Error::mismatch(problem.to_owned(), "give the model's levels in a schema"));
        }
        let mut given = RealRows::new();
        for (row, weights) in self.given.iter() {
            given.entry(places.iter().map(|&place| row[place]).collect()).or_default().extend(weights);
        }
        Ok(Self { units, given: Arc::new(given), ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Variable;

    fn table(weights: &[f64], kind: WeightKind) -> Result<WeightedTable> {
        let variable = |name: &str| Variable { name: name.into(), levels: vec!["0".into(), "1".into()] };
        let schema = Schema::new(vec![variable("a"), variable("b")])?;
        let rows =
            weights.iter().enumerate().map(|(row, &w)| (vec![(row % 2) as u32, (row / 2 % 2) as u32], w));
        WeightedTable::new(schema, rows.collect::<Vec<_>>(), kind)
    }

    #[test]
    fn whole_weights_as_counts_are_whole_multiples_and_scaling_a_design_changes_nothing() {
        let counts = table(&[3.0, 1.0, 2.0, 0.0, 4.0], WeightKind::Counts).unwrap();
        assert_eq!((counts.rows(), counts.observations(), counts.sum()), (10, 4, 10.0));
        let units = counts.units();
        let observations: Vec<f64> = units.weights().iter().map(|&w| f64::from(w) * counts.value()).collect();
        assert_eq!(observations, [7.0, 2.0, 1.0]);
        let weights = [0.3, 1.7, 2.25, 0.8, 1.1, 0.05];
        let design = table(&weights, WeightKind::Design).unwrap();
        let larger = table(&weights.map(|w| 1000.0 * w), WeightKind::Design).unwrap();
        assert_eq!((design.units(), design.rows()), (larger.units(), larger.rows()));
        let [sum, squares] = [1, 2].map(|power| weights.iter().map(|w| w.powi(power)).sum::<f64>());
        assert!((design.effective() - sum * sum / squares).abs() < 1e-12);
        assert!((units.rows() as f64 * counts.value() - 10.0).abs() < 1e-12);
    }

    #[test]
    fn weights_that_are_none_are_refused() {
        for bad in [f64::NAN, f64::INFINITY, -0.5] {
            assert!(table(&[1.0, bad], WeightKind::Design).is_err());
        }
        assert!(table(&[0.0, 0.0], WeightKind::Design).is_err());
        assert!(table(&[0.1, 0.2], WeightKind::Counts).is_err());
        assert!(table(&[1e300, 1e300], WeightKind::Counts).is_err());
        assert!(table(&[f64::MAX, f64::MAX], WeightKind::Design).is_err());
        for sum in ["1e300", "1e-300"].map(|weight| weight.parse().unwrap()) {
            let refusal = table(&[sum, sum], WeightKind::Counts).unwrap_err().to_string();
            assert!(refusal.len() < 200, "{refusal}");
        }
    }

    #[test]
    fn a_design_has_one_effective_size_however_large_or_small_its_weights_are() {
        let weights = [0.3, 1.7, 2.25, 0.8, 1.1, 0.05];
        let design = table(&weights, WeightKind::Design).unwrap();
        for factor in [1e-300, 1e-170, 1e-12, 1e12, 1e200, 1e300] {
            let scaled = table(&weights.map(|w| factor * w), WeightKind::Design).unwrap();
            assert_eq!((design.units(), design.rows()), (scaled.units(), scaled.rows()), "{factor}");
            assert!((design.effective() - scaled.effective()).abs() < 1e-9);
            assert!((scaled.sum() / factor - design.sum()).abs() < 1e-9);
        }
    }
}
