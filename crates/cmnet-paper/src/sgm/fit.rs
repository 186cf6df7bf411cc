//! Maximum likelihood of a stratified graphical model in closed form: cliques over
//! separators, where merged configurations share one conditional distribution.

use super::Stratified;
use super::clique::margin;
use super::stratified::LabelledClique;
use cmnet::{CountSource, Dataset, Error, Result, RowCounts, VarSet};

/// A fitted stratified graphical model.
#[derive(Clone, Debug)]
pub struct SgmFit {
    cliques: Vec<Table>,
    separators: Vec<Table>,
    /// The number of free parameters k.
    pub free_parameters: usize,
    /// The number of observations n.
    pub rows: u64,
    /// The largest log-likelihood of the data, in all, without smoothing.
    pub log_likelihood: f64,
}

/// Log probabilities of the configurations of a set.
#[derive(Clone, Debug)]
struct Table {
    members: VarSet,
    logs: Vec<f64>,
}

impl Table {
    fn at(&self, row: &[u32]) -> f64 {
        self.logs
            [self.members.iter().enumerate().fold(0, |cell, (place, v)| cell | (row[v] as usize) << place)]
    }
}

impl Stratified {
    /// Fits the parameters: cliques over separators, where merged configurations share one
    /// conditional distribution.
    ///
    /// `smoothing` pseudo-counts, spread evenly over the joint outcome space, keep every
    /// probability positive; the log-likelihood that is reported never sees them. The same
    /// rule as that of `FitOptions::smoothing` for contextual networks.
    ///
    /// # Errors
    /// When smoothing is negative, or the data do not have the structure's variables.
    pub fn fit(&self, data: &Dataset, smoothing: f64) -> Result<SgmFit> {
        cmnet::check_smoothing(smoothing)?;
        if data.schema().cardinalities() != vec![2; self.graph.nodes()] {
            let found = format!("{} variables", data.schema().len());
            return Err(Error::option("data", found, "the two-level variables that the structure has"));
        }
        let counts = RowCounts::new(data);
        let mut fit = self.tables(&counts, smoothing)?;
        let bare = if smoothing == 0.0 { None } else { Some(self.tables(&counts, 0.0)?) };
        fit.log_likelihood = bare.as_ref().unwrap_or(&fit).log_likelihood_of(data);
        Ok(fit)
    }

    fn tables(&self, counts: &RowCounts<'_>, smoothing: f64) -> Result<SgmFit> {
        let clique = |clique: &LabelledClique| {
            let table = smoothed(counts, &clique.members, smoothing)?;
            Ok(Table { members: clique.members.clone(), logs: clique_logs(clique, &table) })
        };
        let separator = |set: &VarSet| {
            let table = smoothed(counts, set, smoothing)?;
            let total: f64 = table.iter().sum();
            let logs = table.iter().map(|&count| libm::log(count / total)).collect();
            Ok(Table { members: set.clone(), logs })
        };
        Ok(SgmFit {
            cliques: self.cliques.iter().map(|one| clique(one)).collect::<Result<_>>()?,
            separators: self.separators.iter().map(separator).collect::<Result<_>>()?,
            free_parameters: self.free_parameters(),
            rows: counts.rows(),
            log_likelihood: 0.0,
        })
    }
}

/// log p(x_C) = log p(x_rest) + log p(x_v | group of x_rest).
fn clique_logs(clique: &LabelledClique, table: &[f64]) -> Vec<f64> {
    let total: f64 = table.iter().sum();
    let Some(pivot) = clique.space.pivot(&clique.labels) else {
        return table.iter().map(|&count| libm::log(count / total)).collect();
    };
    let groups = clique.space.groups(&clique.labels);
    let bit = 1 << pivot;
    let mut sums = vec![[0.0; 2]; table.len()];
    for cell in (0..table.len()).filter(|cell| cell & bit == 0) {
        sums[groups[cell]][0] += table[cell];
        sums[groups[cell]][1] += table[cell | bit];
    }
    let log = |cell: usize| {
        let rest = cell & !bit;
        let margin = table[rest] + table[rest | bit];
        if margin == 0.0 {
            return f64::NEG_INFINITY;
        }
        let group = sums[groups[rest]];
        libm::log(margin / total) + libm::log(group[cell >> pivot & 1] / (group[0] + group[1]))
    };
    (0..table.len()).map(log).collect()
}

/// The counts of a set with pseudo-counts, spread evenly over its configurations.
fn smoothed(counts: &RowCounts<'_>, set: &VarSet, smoothing: f64) -> Result<Vec<f64>> {
    let table = margin(counts, set)?;
    let share = smoothing / table.len() as f64;
    Ok(table.into_iter().map(|count| f64::from(count) + share).collect())
}

impl SgmFit {
    /// log p(x); minus infinity where the estimate without smoothing says "impossible".
    pub fn log_probability(&self, row: &[u32]) -> f64 {
        let cliques: f64 = self.cliques.iter().map(|table| table.at(row)).sum();
        if cliques == f64::NEG_INFINITY {
            return cliques;
        }
        cliques - self.separators.iter().map(|table| table.at(row)).sum::<f64>()
    }

    /// The log-likelihood of a table: the sum over its observations of log p(x).
    pub fn log_likelihood_of(&self, data: &Dataset) -> f64 {
        let rows = data.weights().iter().enumerate();
        rows.map(|(row, &weight)| f64::from(weight) * self.log_probability(&data.row(row))).sum()
    }

    /// BIC = log-likelihood - (k/2) ln n.
    pub fn bic(&self) -> f64 {
        self.log_likelihood - self.free_parameters as f64 / 2.0 * libm::log(self.rows as f64)
    }
}
