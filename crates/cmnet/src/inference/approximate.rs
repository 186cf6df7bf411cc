//! Joint distributions and most probable levels by the best method that fits.

use super::belief::Belief;
use super::climb::Climb;
use super::cut_edges::Conditioned;
use super::evidence::{Evidence, impossible};
use super::gibbs::Gibbs;
use super::joint::{Best, Completion, Joint};
use super::marginals::{Approximation, unless_stopped};
use super::maximum::Maximum;
use super::network::Network;
use super::options::{ClimbOptions, ExactOptions, InferenceMethod, QueryMethod};
use super::plan::{Asked, QueryPlan};
use super::tally::{Tally, check_size};
use crate::control::Under;
use crate::data::Var;
use crate::error::{Error, Result};
use crate::table::Shape;

/// The most configurations of a joint distribution by belief propagation, which takes a run
/// for nearly each of them.
const MOST_RUNS: u64 = 4096;

/// Cells of the sums that the probability of levels is worth without being asked for.
const PROBABILITY_CELLS: u64 = 1 << 20;

/// Cells that a bound beside a climb may look at.
const BOUND_WORK: u64 = 1 << 26;

/// The most configurations whose weights are compared to find probable levels of some
/// variables.
const MOST_COMPARED: usize = 200;

/// A joint distribution with the method that gave it.
#[derive(Clone, Debug, PartialEq)]
pub struct JointAnswer {
    /// The distribution.
    pub joint: Joint,
    /// The method, why that one, and what it cost.
    pub plan: QueryPlan,
    /// What is known about the error of a method that is not exact.
    pub approximation: Option<Approximation>,
}

/// Probable levels of all or some variables, with the method that gave them.
#[derive(Clone, Debug, PartialEq)]
pub struct MapAnswer {
    /// The variables, ascending, with their levels.
    pub levels: Vec<(Var, u32)>,
    /// The method, why that one, and what it cost.
    pub plan: QueryPlan,
    /// The log-probability of these levels given the evidence, where the fit has log Z or sums take
    /// at most 2^20 cells. [`Network::log_probability_of`] takes any.
    pub log_probability: Option<f64>,
    /// The log weight of these levels, comparable among answers to one question by one method; for some
    /// variables only where a tree has it.
    pub log_weight: Option<f64>,
    /// How much larger the log weight of other levels may be: 0 when nothing is more probable,
    /// up to rounding; `None` when no bound is known.
    pub gap: Option<f64>,
    /// What the climbs of all variables say about themselves, when the method is not exact.
    pub climb: Option<Climb>,
    /// The share of Gibbs draws with these levels and what the chains say about it, for some
    /// variables when the method is not exact.
    pub visits: Option<(f64, Gibbs)>,
}

impl MapAnswer {
    /// Whether nothing is more probable, up to rounding.
    pub fn is_proven(&self) -> bool {
        self.gap == Some(0.0)
    }
}

impl Completion {
    /// The better of this completion and another, and how much better others may be.
    fn against(self, known: Option<Maximum>) -> (Self, Option<f64>) {
        let Some(known) = known else { return (self, None) };
        let bound = known.bound;
        let best = if known.log_weight > self.log_weight {
            Self { levels: known.levels, log_weight: known.log_weight }
        } else {
            self
        };
        let gap = bound - best.log_weight;
        // What a climb finds beyond a bound is rounding.
        (best, Some(if gap <= 1e-9 { 0.0 } else { gap }))
    }
}

impl Network {
    /// What the joint distribution of some variables will take, and by which method.
    pub(super) fn plan_joint(&self, asked: Asked<'_>) -> Result<QueryPlan> {
        self.plan_by(self.joint_cost(asked.targets, asked.evidence, &asked.options.exact), asked)
    }

    /// What the most probable levels of some variables, or all, will take, and by which
    /// method.
    pub(super) fn plan_map(&self, asked: Asked<'_, Option<&[Var]>>) -> Result<QueryPlan> {
        self.plan_by(self.map_cost(asked.targets, asked.evidence, &asked.options.exact), asked)
    }

    /// The joint distribution of some variables given evidence, by the method asked for.
    pub(super) fn joint(&self, asked: Asked<'_>) -> Result<JointAnswer> {
        self.check_targets(asked.targets, asked.evidence)?;
        let plan = self.plan_joint(asked)?;
        let (joint, approximation) = match plan.method {
            InferenceMethod::Exact => (self.joint_exact(asked.targets, asked.evidence, asked.exact())?, None),
            InferenceMethod::Gibbs => {
                let (joint, gibbs) = self.gibbs_joint(asked)?;
                (joint, Some(Approximation::Gibbs(gibbs)))
            }
            InferenceMethod::Belief => {
                let (joint, belief) = self.belief_joint(asked)?;
                (joint, Some(Approximation::Belief(belief)))
            }
        };
        Ok(JointAnswer { joint, plan, approximation })
    }

    /// Approximates the joint distribution of some variables by loopy belief propagation:
    /// each given those before it, one run for every configuration of these. What is said of
    /// convergence is the worst of all runs.
    ///
    /// # Errors
    /// As [`Network::belief`]; when there are more than 4,096 configurations.
    fn belief_joint(&self, asked: Asked<'_>) -> Result<(Joint, Belief)> {
        let Asked { targets, evidence, .. } = asked;
        self.check_targets(targets, evidence)?;
        check_size(self, targets, MOST_RUNS)?;
        let shape = Shape::new(targets.to_vec(), self.cardinalities());
        let mut probabilities = vec![0.0; shape.size()];
        let mut worst = Belief { converged: true, rounds: 0, change: 0.0 };
        let mut open = vec![(evidence.clone(), 0, 0, 1.0)];
        while let Some((known, place, cell, p)) = open.pop() {
            let Some(&target) = targets.get(place) else {
                probabilities[cell] = p;
                continue;
            };
            let (marginals, belief) = self.belief(Asked { evidence: &known, ..asked })?;
            worst.converged &= belief.converged;
            worst.rounds = worst.rounds.max(belief.rounds);
            worst.change = worst.change.max(belief.change);
            for (level, &share) in marginals[target].iter().enumerate().filter(|&(_, &share)| share > 0.0) {
                let mut more = known.clone();
                more.observe(self.schema(), target, level as u32)?;
                open.push((more, place + 1, cell + level * shape.strides()[place], p * share));
            }
        }
        Ok((Joint { shape, probabilities }, worst))
    }

    /// The most probable levels given evidence by the method asked for: of all unobserved
    /// variables, or of some, the others summed out. See [`super::Query::map`].
    pub(super) fn map(&self, asked: Asked<'_, Option<&[Var]>>) -> Result<MapAnswer> {
        let Asked { targets, evidence, options } = asked;
        self.check_targets(targets.unwrap_or_default(), evidence)?;
        let (mut plan, exact) = (self.plan_map(asked)?, asked.exact());
        let conditioned = Conditioned::new(self, evidence, !exact.keep_cut_edges);
        let mut known = None;
        if matches!(options.method, QueryMethod::Auto | QueryMethod::Exact) {
            match Best::of(targets, &conditioned, exact)? {
                Best::Proven(best, by_bounds) => {
                    if let Some(branches) = by_bounds.filter(|_| plan.method != InferenceMethod::Exact) {
                        plan.reason = format!("branch and bound ({branches} branches): {}", plan.reason);
                        plan.method = InferenceMethod::Exact;
                    }
                    return self.map_answer(best, asked.about(()), (plan, Some(0.0)), None);
                }
                Best::Open { plan, .. } if options.method == QueryMethod::Exact => {
                    return Err(plan.refusal(exact.memory));
                }
                Best::Open { found, .. } => known = found,
            }
        }
        options.gibbs.check()?;
        let mut climb_options = ClimbOptions { seed: options.gibbs.seed, ..options.climb.clone() };
        if plan.method == InferenceMethod::Belief {
            climb_options.chains = 0;
        }
        let (found, climb) = self.climb(evidence, exact, &climb_options)?;
        if let Some(targets) = targets.filter(|targets| targets.len() < conditioned.free().len()) {
            return self.some_by_visits(asked.about(targets), &found, plan);
        }
        if known.is_none() {
            known = Maximum::under(&conditioned, BOUND_WORK, exact)?;
        }
        let (found, gap) = found.against(known);
        self.map_answer(found, asked.about(()), (plan, gap), Some(climb))
    }

    /// Levels with their probability, where that takes no long sums.
    fn map_answer(
        &self,
        found: Completion,
        asked: Asked<'_, ()>,
        (plan, gap): (QueryPlan, Option<f64>),
        climb: Option<Climb>,
    ) -> Result<MapAnswer> {
        let probability =
            self.log_probability_within(&found, asked.evidence, asked.exact(), PROBABILITY_CELLS);
        let log_probability = unless_stopped(probability)?;
        let Completion { levels, log_weight } = found;
        Ok(MapAnswer {
            levels,
            plan,
            log_probability,
            log_weight: Some(log_weight),
            gap,
            climb,
            visits: None,
        })
    }

    /// Probable levels of some variables by what Gibbs chains visit, beside those of a `whole`
    /// completion.
    fn some_by_visits(&self, asked: Asked<'_>, whole: &Completion, plan: QueryPlan) -> Result<MapAnswer> {
        let (evidence, exact) = (asked.evidence, asked.exact());
        let mut targets = asked.targets.to_vec();
        targets.sort_unstable();
        let tally = Tally::new(self, asked.about(&targets))?;
        let of_whole = whole.levels.iter().filter(|(v, _)| targets.contains(v)).map(|&(_, level)| level);
        let of_whole: Vec<u32> = of_whole.collect();
        let mut often: Vec<(&[u32], u64)> = tally.totals().into_iter().collect();
        often.sort_by_key(|&(_, visits)| std::cmp::Reverse(visits));
        let mut candidates = vec![of_whole];
        candidates.extend(often.iter().take(10).map(|(levels, _)| levels.to_vec()));
        let scorer = Scorer { network: self, evidence, targets: &targets, exact };
        let (levels, log_weight) = if let Some((levels, weight)) = scorer.ascend(&candidates)? {
            (levels, Some(weight))
        } else {
            let most = often.first().map(|(levels, _)| levels.to_vec()).ok_or_else(impossible)?;
            // Seen no more often than what the climb says: then the climb knows better.
            let better = tally.share(&most) > tally.share(&candidates[0]);
            (if better { most } else { candidates[0].clone() }, None)
        };
        let visits = (tally.share(&levels), tally.gibbs([levels.as_slice()].into_iter()));
        let whole_weight = unless_stopped(self.posterior(evidence, exact))?.map(|all| all.log_weight());
        let log_probability = log_weight.zip(whole_weight).map(|(own, all)| own - all);
        Ok(MapAnswer {
            levels: targets.iter().copied().zip(levels).collect(),
            plan,
            log_probability,
            log_weight,
            gap: None,
            climb: None,
            visits: Some(visits),
        })
    }
}

/// Weighs levels of some variables exactly, the others summed out.
struct Scorer<'a> {
    network: &'a Network,
    evidence: &'a Evidence,
    targets: &'a [Var],
    exact: Under<'a, ExactOptions>,
}

impl Scorer<'_> {
    fn known(&self, levels: &[u32]) -> Option<Evidence> {
        let mut known = self.evidence.clone();
        for (&v, &level) in self.targets.iter().zip(levels) {
            known.observe(self.network.schema(), v, level).ok()?;
        }
        Some(known)
    }

    /// Minus infinity when the levels are impossible.
    fn weight(&self, levels: &[u32]) -> Result<f64> {
        let Some(known) = self.known(levels) else { return Ok(f64::NEG_INFINITY) };
        let posterior = unless_stopped(self.network.posterior(&known, self.exact))?;
        Ok(posterior.map_or(f64::NEG_INFINITY, |posterior| posterior.log_weight()))
    }

    /// The best of some configurations, moved one variable at a time while that helps; `None`
    /// when a tree without the targets does not fit.
    fn ascend(&self, candidates: &[Vec<u32>]) -> Result<Option<(Vec<u32>, f64)>> {
        let known = candidates.iter().find_map(|levels| self.known(levels)).ok_or_else(impossible)?;
        let cost = self.network.cost(&known, &self.exact);
        if cost.at_least || cost.bytes(2) > self.exact.memory {
            return Ok(None);
        }
        let mut best = (candidates[0].clone(), f64::NEG_INFINITY);
        let mut compared = 0;
        let mut compare = |levels: Vec<u32>, best: &mut (Vec<u32>, f64)| {
            compared += 1;
            let weight = self.weight(&levels)?;
            let better = weight > best.1;
            if better {
                *best = (levels, weight);
            }
            Ok::<_, Error>((better, compared < MOST_COMPARED))
        };
        for levels in candidates {
            compare(levels.clone(), &mut best)?;
        }
        let mut moved = true;
        while std::mem::take(&mut moved) {
            for (place, &v) in self.targets.iter().enumerate() {
                for level in 0..self.network.cardinalities()[v] {
                    let mut levels = best.0.clone();
                    if std::mem::replace(&mut levels[place], level) == level {
                        continue;
                    }
                    let (better, more) = compare(levels, &mut best)?;
                    if !more {
                        return Ok(Some(best));
                    }
                    moved |= better;
                }
            }
        }
        Ok((best.1 > f64::NEG_INFINITY).then_some(best))
    }
}
