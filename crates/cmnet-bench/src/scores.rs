//! Other scores in place of equation (7): what a climb without contexts finds with each.

use crate::blanket_scores::{BlanketScore, PlainClimb};
use crate::known::known;
use crate::usage::Meter;
use anyhow::Result;
use cmnet::{
    ContextPrior, Count, EdgePrior, GraphClimb, Kappa, LocalScore, Nats, PlaneCounts, Scorer, Structure,
    climb_graph,
};
use cmnet_paper::generate::{Known, recovery};
use std::collections::BTreeMap;

/// The maximal log-likelihood of a class, less a penalty.
#[derive(Debug)]
enum Penalised {
    /// Half a logarithm of the rows for each free probability.
    Bic { log_rows: f64 },
    /// The regret of the normalised maximum likelihood, by levels and observations.
    Factorised { regrets: BTreeMap<u32, Vec<f64>> },
}

impl LocalScore for Penalised {
    fn class(&self, levels: u32, counts: &mut dyn Iterator<Item = Count>) -> Nats {
        let (mut total, mut score) = (0, Nats::ZERO);
        for count in counts.map(u64::from) {
            total += count;
            score += Nats::ln_integer(count) * count;
        }
        let penalty = match self {
            Self::Bic { log_rows } => f64::from(levels - 1) / 2.0 * log_rows,
            Self::Factorised { regrets } => regrets[&levels][total as usize],
        };
        score - Nats::ln_integer(total) * total - Nats::from_f64(penalty)
    }
}

/// The logarithm of the sum of all maximal likelihoods of so many observations of two levels.
pub(crate) fn regret_of_two(rows: u64) -> f64 {
    if rows == 0 {
        return 0.0;
    }
    let n = rows as f64;
    let mut log_binomial = 0.0;
    let mut sum = 0.0;
    for ones in 0..=rows {
        let (h, g) = (ones as f64, (rows - ones) as f64);
        let share = |count: f64| if count > 0.0 { count * libm::log(count / n) } else { 0.0 };
        sum += libm::exp(log_binomial + share(h) + share(g));
        log_binomial += libm::log(g) - libm::log(h + 1.0);
    }
    libm::log(sum)
}

/// Regrets for each number of levels and each number of observations, by the recurrence of Kontkanen and
/// Myllymäki: C(r + 2, n) = C(r + 1, n) + n / r C(r, n).
fn regrets(levels: &[u32], rows: u64) -> BTreeMap<u32, Vec<f64>> {
    let twos: Vec<f64> = (0..=rows).map(regret_of_two).collect();
    let of = |most: u32| {
        let one = |(n, &two): (usize, &f64)| {
            let (mut before, mut sum) = (1.0, libm::exp(two));
            for r in 1..most.saturating_sub(1) {
                (before, sum) = (sum, sum + n as f64 / f64::from(r) * before);
            }
            if most == 1 { 0.0 } else { libm::log(sum) }
        };
        (most, twos.iter().enumerate().map(one).collect())
    };
    levels.iter().map(|&most| of(most)).collect()
}

/// The scores of a class that are compared.
const SCORES: [&str; 6] =
    ["Dirichlet 0.1", "Dirichlet 0.25", "Dirichlet 0.5", "Dirichlet 1", "BIC", "factorised NML"];

/// Scores of a blanket that are compared, with a control that must find what the Dirichlet score of a class does.
const BLANKET_SCORES: [(&str, BlanketScore); 5] = [
    ("Dirichlet 0.5, plain climb", BlanketScore::Dirichlet(0.5)),
    ("equivalent sample 1", BlanketScore::EquivalentSample(1.0)),
    ("equivalent sample 4", BlanketScore::EquivalentSample(4.0)),
    ("equivalent sample 10", BlanketScore::EquivalentSample(10.0)),
    ("quotient NML", BlanketScore::QuotientNml),
];

/// Edge F1 of each score without and with a prior of edges, and the processor time of each climb.
pub(crate) fn run(kind: &str, (variables, rows): (usize, usize), seeds: &str) -> Result<()> {
    for seed in seeds.split(',') {
        let truth = known(kind, variables, rows, seed.parse()?)?;
        let levels = truth.data.schema().cardinalities();
        let own = [
            Penalised::Bic { log_rows: libm::log(rows as f64) },
            Penalised::Factorised { regrets: regrets(&levels, truth.data.rows()) },
        ];
        let counts = PlaneCounts::new(&truth.data);
        for (place, score) in SCORES.iter().enumerate() {
            let scorer = match score.strip_prefix("Dirichlet ") {
                Some(alpha) => Scorer::new(&counts, alpha.parse()?),
                None => Scorer::with_score(&counts, &own[place - 4], u64::MAX)?,
            };
            for gamma in ["0", "0.5"] {
                let (f1, seconds) = climbed(&scorer, &truth, &gamma.parse()?)?;
                println!("{kind}\t{variables}\t{rows}\t{seed}\t{score}\t{gamma}\t{f1:.4}\t{seconds:.2}");
            }
        }
        for (name, score) in BLANKET_SCORES {
            for gamma in ["0", "0.5"] {
                let meter = Meter::start();
                let graph = PlainClimb::new(&counts, score).run(&gamma.parse()?)?;
                let seconds = meter.processor();
                let f1 = recovery(&truth.structure, &Structure::from_graph(graph, &levels)?).edges.f1();
                println!("{kind}\t{variables}\t{rows}\t{seed}\t{name}\t{gamma}\t{f1:.4}\t{seconds:.2}");
            }
        }
    }
    Ok(())
}

fn climbed(scorer: &Scorer<'_, PlaneCounts<'_>>, truth: &Known, edges: &EdgePrior) -> Result<(f64, f64)> {
    let prior = ContextPrior::new(Kappa::Epsilon, truth.data.rows());
    let climb = GraphClimb::new(scorer, prior.with_edges(*edges, truth.data.variables()));
    let meter = Meter::start();
    let mut state = climb.start()?;
    climb_graph(&climb, &mut state, &())?;
    Ok((recovery(&truth.structure, state.structure()).edges.f1(), meter.processor()))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The sum of the maximal likelihoods of all sequences, by their counts.
    pub(crate) fn by_hand(levels: usize, rows: u64) -> f64 {
        fn go(levels: usize, left: u64, rows: u64, term: f64) -> f64 {
            let factor = |count: u64| {
                let power =
                    if count == 0 { 0.0 } else { count as f64 * libm::log(count as f64 / rows as f64) };
                libm::exp(power - libm::lgamma(count as f64 + 1.0))
            };
            if levels == 1 {
                return term * factor(left);
            }
            (0..=left).map(|count| go(levels - 1, left - count, rows, term * factor(count))).sum()
        }
        go(levels, rows, rows, libm::exp(libm::lgamma(rows as f64 + 1.0)))
    }

    #[test]
    fn regrets_are_sums_over_all_sequences() {
        let known = regrets(&[2, 3, 5], 12);
        for (&levels, values) in &known {
            for (rows, value) in values.iter().enumerate().skip(1) {
                let expected = libm::log(by_hand(levels as usize, rows as u64));
                assert!((value - expected).abs() < 1e-9, "{levels} {rows}: {value} {expected}");
            }
        }
    }
}
