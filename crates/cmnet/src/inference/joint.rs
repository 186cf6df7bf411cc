//! Joint distributions, most probable completions, and information.

use super::bucket::{BucketPlan, Parts};
use super::cut_edges::Conditioned;
use super::evidence::{Evidence, impossible};
use super::maximum::Maximum;
use super::network::Network;
use super::options::ExactOptions;
use super::plan::ExactCost;
use crate::control::{PIECE, Pace, Under};
use crate::data::Var;
use crate::error::{Error, Result};
use crate::graph::VarSet;
use crate::table::{Shape, log_sum_under};

/// The joint distribution of some variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    pub(super) shape: Shape,
    pub(super) probabilities: Vec<f64>,
}

impl Joint {
    /// The sum of distributions of the same variables, each times its weight. Two are held at a time.
    ///
    /// # Errors
    /// When there is none, or one cannot be had.
    pub(crate) fn mixed(parts: impl IntoIterator<Item = Result<(f64, Self)>>) -> Result<Self> {
        let mut mixed: Option<Self> = None;
        for part in parts {
            let (weight, mut part) = part?;
            part.probabilities.iter_mut().for_each(|p| *p *= weight);
            if let Some(sum) = &mut mixed {
                sum.probabilities.iter_mut().zip(&part.probabilities).for_each(|(sum, p)| *sum += p);
            } else {
                mixed = Some(part);
            }
        }
        mixed.ok_or_else(|| Error::question("a mean over no networks", "give some"))
    }

    /// The variables, as they were asked for.
    pub fn variables(&self) -> &[Var] {
        self.shape.variables()
    }

    /// The probability of each configuration, the last variable fastest.
    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    /// The configurations with their probabilities.
    pub fn iter(&self) -> impl Iterator<Item = (Vec<u32>, f64)> + '_ {
        let levels = |cell: usize| self.shape.levels(cell).collect();
        self.probabilities.iter().enumerate().map(move |(cell, &p)| (levels(cell), p))
    }

    /// The distribution of some of its variables.
    ///
    /// # Panics
    /// When it is not about one of them.
    #[must_use]
    pub fn marginal(&self, targets: &[Var]) -> Self {
        let known = |v: &Var| self.variables().contains(v);
        assert!(targets.iter().all(known), "some of {targets:?} are not in this distribution");
        let shape = self.shape.restricted(targets.iter().copied());
        let probabilities = self.sum_to(&shape);
        Self { shape, probabilities }
    }

    fn sum_to(&self, onto: &Shape) -> Vec<f64> {
        let mut sums = vec![0.0; onto.size()];
        self.shape.walk_onto(onto).gather(&self.probabilities, &mut sums);
        sums
    }

    /// The mutual information between the variables from place `given` on, so many of them, and
    /// all after these, conditional on those before.
    pub(super) fn information(&self, given: usize, one: usize, pace: &mut Pace<'_>) -> Result<f64> {
        let (before, rest) = self.variables().split_at(given);
        let (one, other) = rest.split_at(one);
        let shape = |parts: &[&[Var]]| self.shape.restricted(parts.concat().into_iter());
        let (alone, with_one, with_other) =
            (shape(&[before]), shape(&[before, one]), shape(&[before, other]));
        let [p_given, p_one, p_other] = [&alone, &with_one, &with_other].map(|onto| self.sum_to(onto));
        let mut sum = 0.0;
        for (levels, p) in self.iter().filter(|(_, p)| *p > 0.0) {
            // A cell here takes as long as some tens elsewhere.
            pace.step(32)?;
            let (first, last) = levels.split_at(given + one.len());
            let independent = p_one[with_one.cell_of(first)]
                * p_other[with_other.cell_of(&[&first[..given], last].concat())]
                / p_given[alone.cell_of(&first[..given])];
            sum += p * libm::log(p / independent);
        }
        Ok(sum.max(0.0))
    }

    /// The entropy in nats.
    pub fn entropy(&self) -> f64 {
        entropy(&self.probabilities)
    }
}

pub(super) fn entropy(probabilities: &[f64]) -> f64 {
    probabilities.iter().filter(|&&p| p > 0.0).map(|&p| -p * libm::log(p)).sum()
}

/// The most probable levels of some variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    /// The variables, ascending, with their levels.
    pub levels: Vec<(Var, u32)>,
    /// The log weight of the best configuration: comparable among answers to one question;
    /// [`Network::log_probability_of`] turns it into a probability.
    pub log_weight: f64,
}

/// Cells of all tables, and of one, up to which elimination is faster than bounds.
const SMALL_CELLS: u64 = 1 << 13;
const SMALL_TABLE: u64 = 1 << 8;

/// Cells that bounds may look at where elimination does not fit: some seconds.
pub(super) const MOST_WORK: u64 = 1 << 32;

/// What is known of the most probable levels.
pub(super) enum Best {
    /// They are these; by bounds with so many branches, else by elimination.
    Proven(Completion, Option<u64>),
    /// Elimination does not fit the memory, and bounds leave a gap or do not fit either.
    Open { found: Option<Maximum>, plan: BucketPlan },
}

impl Best {
    /// The most probable levels of some variables or all, proven, else what is known of them.
    ///
    /// All variables of a network with large tables by [`Maximum`] first; everything else, and
    /// what that does not prove, by elimination if it fits the memory.
    pub(super) fn of(
        targets: Option<&[Var]>,
        conditioned: &Conditioned<'_>,
        exact: Under<'_, ExactOptions>,
    ) -> Result<Self> {
        let plan = map_plan(conditioned, targets, &exact);
        let fits = plan.fits(exact.memory);
        let all = targets.is_none_or(|targets| targets.len() == conditioned.free().len());
        // Of a chordal graph elimination makes no table larger than its cliques'.
        let filled = plan.cost.fill > 0 && plan.cost.cells > SMALL_CELLS && plan.cost.largest > SMALL_TABLE;
        let large = plan.cost.at_least || filled;
        let mut open = None;
        if all && (large || !fits) {
            let work = if fits { 8 * plan.cost.cells + SMALL_CELLS } else { MOST_WORK };
            open = Maximum::under(conditioned, work, exact)?;
            if let Some(found) = open.as_ref().filter(|found| found.is_proven()) {
                let levels = found.levels.clone();
                let log_weight = found.log_weight;
                return Ok(Self::Proven(Completion { levels, log_weight }, Some(found.branches)));
            }
        }
        if !fits {
            return Ok(Self::Open { found: open, plan });
        }
        let best = plan.run(conditioned, exact.control())?;
        if best.constant == f64::NEG_INFINITY {
            return Err(impossible());
        }
        let mut levels = best.best;
        levels.sort_unstable();
        Ok(Self::Proven(Completion { levels, log_weight: best.constant }, None))
    }
}

/// Sums out all that matters to some variables but is none of them.
fn joint_plan(conditioned: &Conditioned<'_>, targets: &[Var], exact: &ExactOptions) -> BucketPlan {
    let wanted: VarSet = targets.iter().copied().collect();
    let sum: VarSet = conditioned.relevant(&wanted).iter().filter(|&v| !wanted.contains(v)).collect();
    BucketPlan::new(conditioned, &Parts { sum, kept: targets, ..Parts::default() }, exact)
}

/// Maximises over some variables, or all, after summing out what else matters to them.
fn map_plan(conditioned: &Conditioned<'_>, targets: Option<&[Var]>, exact: &ExactOptions) -> BucketPlan {
    let max: VarSet = match targets {
        Some(targets) => targets.iter().copied().collect(),
        None => conditioned.free().clone(),
    };
    let relevant = conditioned.relevant(&max);
    let sum: VarSet = relevant.iter().filter(|&v| !max.contains(v)).collect();
    BucketPlan::new(conditioned, &Parts { sum, max, kept: &[] }, exact)
}

impl Network {
    /// What the joint distribution of some variables takes exactly.
    pub(super) fn joint_cost(&self, targets: &[Var], evidence: &Evidence, exact: &ExactOptions) -> ExactCost {
        let conditioned = Conditioned::new(self, evidence, !exact.keep_cut_edges);
        let plan = joint_plan(&conditioned, targets, exact);
        ExactCost { what: "elimination", cost: plan.cost, bytes: plan.bytes }
    }

    /// What the most probable levels of some variables, or all, take exactly.
    pub(super) fn map_cost(
        &self,
        targets: Option<&[Var]>,
        evidence: &Evidence,
        exact: &ExactOptions,
    ) -> ExactCost {
        let conditioned = Conditioned::new(self, evidence, !exact.keep_cut_edges);
        let plan = map_plan(&conditioned, targets, exact);
        ExactCost { what: "elimination", cost: plan.cost, bytes: plan.bytes }
    }

    /// The joint distribution of some variables given evidence, exactly.
    ///
    /// # Errors
    /// When a target does not exist, is asked for twice or is given; when the tables do not
    /// fit the memory, before they are allocated; when the evidence has probability 0; when the
    /// control asks to stop.
    pub fn joint_exact<'e>(
        &self,
        targets: &[Var],
        evidence: &Evidence,
        exact: impl Into<Under<'e, ExactOptions>>,
    ) -> Result<Joint> {
        let exact = exact.into();
        self.check_targets(targets, evidence)?;
        let conditioned = Conditioned::new(self, evidence, !exact.keep_cut_edges);
        let plan = joint_plan(&conditioned, targets, &exact).affordable(exact.memory)?;
        let mut probabilities = plan.run(&conditioned, exact.control())?.table;
        let mut pace = Pace::new(exact.control());
        let total = log_sum_under(&probabilities, &mut pace)?;
        if total == f64::NEG_INFINITY {
            return Err(impossible());
        }
        for piece in probabilities.chunks_mut(PIECE) {
            pace.step(piece.len())?;
            for p in piece {
                *p = libm::exp(*p - total);
            }
        }
        let shape = Shape::new(targets.to_vec(), self.cardinalities());
        Ok(Joint { shape, probabilities })
    }

    /// The most probable levels given evidence: of all unobserved variables, or of some, the
    /// others summed out. Among equals the lower levels win.
    ///
    /// # Errors
    /// As [`Network::joint_exact`].
    pub fn map_exact<'e>(
        &self,
        targets: Option<&[Var]>,
        evidence: &Evidence,
        exact: impl Into<Under<'e, ExactOptions>>,
    ) -> Result<Completion> {
        let exact = exact.into();
        self.check_targets(targets.unwrap_or_default(), evidence)?;
        let conditioned = Conditioned::new(self, evidence, !exact.keep_cut_edges);
        match Best::of(targets, &conditioned, exact)? {
            Best::Proven(completion, _) => Ok(completion),
            Best::Open { plan, .. } => Err(plan.refusal(exact.memory)),
        }
    }

    /// The log-probability, given the same evidence, of the levels that
    /// [`Network::map_exact`] found: takes one more elimination.
    ///
    /// # Errors
    /// When the tables do not fit the memory.
    pub fn log_probability_of<'e>(
        &self,
        found: &Completion,
        evidence: &Evidence,
        exact: impl Into<Under<'e, ExactOptions>>,
    ) -> Result<f64> {
        self.log_probability_within(found, evidence, exact.into(), u64::MAX)
    }

    /// The same; an error too when it takes more than so many cells.
    pub(super) fn log_probability_within(
        &self,
        found: &Completion,
        evidence: &Evidence,
        exact: Under<'_, ExactOptions>,
        most_cells: u64,
    ) -> Result<f64> {
        let conditioned = Conditioned::new(self, evidence, !exact.keep_cut_edges);
        let targets: VarSet = found.levels.iter().map(|&(v, _)| v).collect();
        let relevant = Parts { sum: conditioned.relevant(&targets), ..Parts::default() };
        let all = BucketPlan::new(&conditioned, &relevant, &exact);
        // Where sums take long and log Z is known, it is the same.
        let whole = evidence.is_empty() && targets.len() == self.schema().len();
        let large = all.cost.at_least || all.cost.cells > SMALL_CELLS;
        if let Some(log_partition) = self.known_partition().filter(|_| whole && large) {
            return Ok(found.log_weight - log_partition);
        }
        if all.cost.cells > most_cells {
            return Err(all.refusal(exact.memory));
        }
        let all = all.affordable(exact.memory)?;
        Ok(found.log_weight - all.run(&conditioned, exact.control())?.constant)
    }

    /// The mutual information between two sets of variables, conditional on a third one
    /// (averaged over its levels) and on evidence, in nats.
    ///
    /// # Errors
    /// As [`Network::joint_exact`]; the sets must be disjoint.
    pub fn mutual_information<'e>(
        &self,
        (one, other): (&[Var], &[Var]),
        conditional_on: &[Var],
        evidence: &Evidence,
        exact: impl Into<Under<'e, ExactOptions>>,
    ) -> Result<f64> {
        let exact = exact.into();
        let together = [conditional_on, one, other].concat();
        let joint = self.joint_exact(&together, evidence, exact)?;
        joint.information(conditional_on.len(), one.len(), &mut Pace::new(exact.control()))
    }
}
