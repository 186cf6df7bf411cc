//! The most probable levels under a mixture. They need not be most probable in any of its classes.
//!
//! Best first: where the classes' own best rows agree, that row is the best of all; where they do not, one of
//! the variables that they disagree about is settled. What a branch can reach is bounded by the sum over
//! classes of the weight times the probability of the class's own best row.

use super::ask::MixtureNetwork;
use super::evaluate::log_sum;
use crate::control::{Under, ask};
use crate::data::Var;
use crate::error::{Error, Result};
use crate::inference::{Completion, Evidence, ExactOptions};

/// Branches that are looked at before a gap is admitted.
const MOST_BRANCHES: usize = 2000;
/// Bounds that differ by less are equal but for rounding.
const ROUNDING: f64 = 1e-9;

/// The most probable levels of some variables, or the best that were found.
#[derive(Clone, Debug, PartialEq)]
pub struct MixtureMaximum {
    /// The variables, ascending, with their levels.
    pub levels: Vec<(Var, u32)>,
    /// The log-probability of the levels given the evidence.
    pub log_probability: f64,
    /// By how much the log-probability of other levels may be larger: 0 where these are proven to be the
    /// most probable.
    pub gap: f64,
    /// Branches that were looked at; 0 where the joint distribution was.
    pub branches: usize,
}

impl MixtureMaximum {
    /// Whether nothing can be more probable.
    pub fn is_proven(&self) -> bool {
        self.gap == 0.0
    }
}

/// What some levels leave open.
struct Branch {
    evidence: Evidence,
    /// The best row of each class.
    rows: Vec<Vec<u32>>,
    /// No row of this branch has a larger log weight.
    bound: f64,
}

impl MixtureNetwork {
    /// The most probable levels given evidence: of all unobserved variables, or of some, the others summed
    /// out. Some variables take their joint table; all take branches, and after 2,000 of them a gap may be
    /// left.
    ///
    /// # Errors
    /// When the tables do not fit the memory; as [`MixtureNetwork::marginals`].
    pub fn maximum<'e>(
        &self,
        targets: Option<&[Var]>,
        evidence: &Evidence,
        exact: impl Into<Under<'e, ExactOptions>>,
    ) -> Result<MixtureMaximum> {
        let exact = exact.into();
        if let Some(targets) = targets.filter(|targets| !self.is_all(targets, evidence)) {
            return self.by_table(targets, evidence, exact);
        }
        let log_evidence = self.classes(evidence, exact)?.log_evidence;
        let (row, log_weight, gap, branches) = self.by_branches(evidence, exact)?;
        let free = self.free(evidence)?;
        let levels = free.into_iter().map(|v| (v, row[v])).collect();
        Ok(MixtureMaximum { levels, log_probability: log_weight - log_evidence, gap, branches })
    }

    fn by_table(
        &self,
        targets: &[Var],
        evidence: &Evidence,
        exact: Under<'_, ExactOptions>,
    ) -> Result<MixtureMaximum> {
        let mut targets = targets.to_vec();
        targets.sort_unstable();
        let joint = self.joint(&targets, evidence, exact)?;
        let better = |best: (Vec<u32>, f64), next: (Vec<u32>, f64)| if next.1 > best.1 { next } else { best };
        let Some((levels, p)) = joint.iter().reduce(better) else {
            return Err(Error::question("nothing is asked about", "name a target"));
        };
        let levels = targets.into_iter().zip(levels).collect();
        Ok(MixtureMaximum { levels, log_probability: libm::log(p), gap: 0.0, branches: 0 })
    }

    /// The best row, its log weight, the gap that is left and the branches looked at.
    fn by_branches(
        &self,
        evidence: &Evidence,
        exact: Under<'_, ExactOptions>,
    ) -> Result<(Vec<u32>, f64, f64, usize)> {
        let root = self.branch(evidence.clone(), exact)?;
        let mut best = self.best_row(&root);
        let mut open = vec![root];
        let mut looked_at = 1;
        loop {
            open.retain(|branch| branch.bound > best.1 + ROUNDING);
            let bounds = open.iter().map(|branch| branch.bound).enumerate();
            let next = bounds.reduce(|best, next| if next.1 > best.1 { next } else { best });
            let Some((next, bound)) = next else { return Ok((best.0, best.1, 0.0, looked_at)) };
            if looked_at >= MOST_BRANCHES {
                return Ok((best.0, best.1, bound - best.1, looked_at));
            }
            let branch = open.swap_remove(next);
            let Some(variable) = self.disputed(&branch) else { continue };
            for level in 0..self.schema().variable(variable).levels.len() as u32 {
                ask(exact.control())?;
                let mut further = branch.evidence.clone();
                if further.observe(self.schema(), variable, level).is_err() {
                    continue; // soft evidence of weight 0
                }
                let child = self.branch(further, exact)?;
                let found = self.best_row(&child);
                if found.1 > best.1 {
                    best = found;
                }
                open.push(child);
                looked_at += 1;
            }
        }
    }

    fn branch(&self, evidence: Evidence, exact: Under<'_, ExactOptions>) -> Result<Branch> {
        let mut rows = Vec::new();
        let mut bounds = Vec::new();
        let all_known = (0..self.schema().len()).all(|v| evidence.level(v).is_some());
        for (class, network) in self.networks().iter().enumerate() {
            let found = if all_known {
                Completion { levels: Vec::new(), log_weight: 0.0 }
            } else {
                network.map_exact(None, &evidence, exact)?
            };
            let mut row = vec![0; self.schema().len()];
            let known = evidence.hard().chain(found.levels);
            known.for_each(|(v, level)| row[v] = level);
            bounds.push(self.log_weight(class, &row, &evidence));
            rows.push(row);
        }
        Ok(Branch { evidence, rows, bound: log_sum(&bounds) })
    }

    /// log of weight times probability of a row in a class, soft evidence multiplied in.
    fn log_weight(&self, class: usize, row: &[u32], evidence: &Evidence) -> f64 {
        let parameters = self.networks()[class].parameters();
        let soft: f64 = evidence.soft().map(|(v, weights)| weights[row[v] as usize]).sum();
        let log_partition = parameters.log_partition().unwrap_or(f64::INFINITY);
        self.log_weights()[class] + parameters.energy(row) - log_partition + soft
    }

    /// The most probable of the classes' best rows, and its log weight under the mixture.
    fn best_row(&self, branch: &Branch) -> (Vec<u32>, f64) {
        let value = |row: &Vec<u32>| {
            let logs: Vec<f64> = (0..self.networks().len())
                .map(|class| self.log_weight(class, row, &branch.evidence))
                .collect();
            log_sum(&logs)
        };
        let mut best = (branch.rows[0].clone(), value(&branch.rows[0]));
        for row in &branch.rows[1..] {
            let found = value(row);
            if found > best.1 {
                best = (row.clone(), found);
            }
        }
        best
    }

    /// The variable that the two classes with the most to say differ in first; `None` where all agree.
    fn disputed(&self, branch: &Branch) -> Option<Var> {
        let weight = |class: usize| self.log_weight(class, &branch.rows[class], &branch.evidence);
        let mut order: Vec<usize> = (0..branch.rows.len()).collect();
        order.sort_by(|&one, &other| weight(other).total_cmp(&weight(one)).then(one.cmp(&other)));
        let first = &branch.rows[*order.first()?];
        let differs = |&class: &usize| {
            let other = &branch.rows[class];
            (0..first.len()).find(|&v| first[v] != other[v])
        };
        order.iter().skip(1).find_map(differs)
    }
}
