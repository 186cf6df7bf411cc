//! Scores of a node given its blanket that depend on the number of configurations of the blanket: equivalent sample
//! size and quotient NML. They are no sums over classes by counts alone, so a plain climb of its own searches with them.

use crate::scores::regret_of_two;
use anyhow::Result;
use cmnet::{CountSource, EdgePrior, Graph, PlaneCounts, Var, VarSet};
use std::collections::BTreeMap;

/// A score of a node given its blanket.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BlanketScore {
    /// Equation (7) without contexts: so much for each level in each configuration.
    Dirichlet(f64),
    /// So much in all, spread evenly over the levels in all configurations.
    EquivalentSample(f64),
    /// The normalised maximum likelihood of node and blanket as one variable, divided by that of the blanket.
    QuotientNml,
}

/// A score in billionths of a nat: whole numbers, so that equal moves are equal in any order of their parts.
type Billionths = i64;

fn billionths(nats: f64) -> Billionths {
    libm::round(nats * 1e9) as Billionths
}

/// Algorithm 1 without contexts: the best toggle of an edge, of equals the first, while that improves.
pub(crate) struct PlainClimb<'a> {
    counts: &'a PlaneCounts<'a>,
    score: BlanketScore,
    known: BTreeMap<(Var, VarSet), Billionths>,
    regrets: BTreeMap<u64, f64>,
}

impl<'a> PlainClimb<'a> {
    pub(crate) fn new(counts: &'a PlaneCounts<'a>, score: BlanketScore) -> Self {
        Self { counts, score, known: BTreeMap::new(), regrets: BTreeMap::new() }
    }

    /// The graph at which no toggle improves.
    pub(crate) fn run(&mut self, edges: &EdgePrior) -> Result<Graph> {
        let nodes = self.counts.cardinalities().len();
        let price = billionths(2.0 * edges.log_end(nodes).to_f64());
        let mut graph = Graph::empty(nodes);
        let pairs: Vec<_> = graph.pairs().collect();
        let mut changes: Vec<Option<Billionths>> = vec![None; pairs.len()];
        loop {
            for (&pair, change) in pairs.iter().zip(&mut changes) {
                if change.is_none() {
                    let mut sum = if graph.contains(pair) { -price } else { price };
                    for end in [pair.low(), pair.high()] {
                        let own = graph.markov_blanket(end);
                        sum += self.node(end, &own.toggled(pair.other(end)))? - self.node(end, own)?;
                    }
                    *change = Some(sum);
                }
            }
            let best = changes.iter().copied().max().flatten().filter(|&best| best > 0);
            let Some(place) = best.and_then(|_| changes.iter().position(|&change| change == best)) else {
                return Ok(graph);
            };
            let taken = pairs[place];
            graph.toggle(taken);
            for (&pair, change) in pairs.iter().zip(&mut changes) {
                if pair.touches(taken.low()) || pair.touches(taken.high()) {
                    *change = None;
                }
            }
        }
    }

    fn node(&mut self, node: Var, blanket: &VarSet) -> Result<Billionths> {
        let key = (node, blanket.clone());
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let found = billionths(self.computed(node, blanket)?);
        self.known.insert(key, found);
        Ok(found)
    }

    fn computed(&mut self, node: Var, blanket: &VarSet) -> Result<f64> {
        let margin = self.counts.margin(&blanket.toggled(node))?;
        let place = margin.variables().position(node).unwrap_or_default();
        let mut cells: Vec<(Vec<u32>, u64)> =
            margin.iter().map(|(levels, count)| (levels.to_vec(), count.into())).collect();
        for (levels, _) in &mut cells {
            levels.remove(place);
        }
        cells.sort_unstable();
        let classes: Vec<Vec<u64>> = cells
            .chunk_by(|one, other| one.0 == other.0)
            .map(|class| class.iter().map(|(_, count)| *count).collect())
            .collect();
        let cardinalities = self.counts.cardinalities();
        let levels = f64::from(cardinalities[node]);
        let configurations: f64 = blanket.iter().map(|v| f64::from(cardinalities[v])).product();
        Ok(match self.score {
            BlanketScore::Dirichlet(each) => dirichlet(&classes, each, levels),
            BlanketScore::EquivalentSample(all) => dirichlet(&classes, all / configurations / levels, levels),
            BlanketScore::QuotientNml => {
                let rows = self.counts.rows();
                maximum(&classes) - self.regret(configurations * levels, rows)
                    + self.regret(configurations, rows)
            }
        })
    }

    fn regret(&mut self, levels: f64, rows: u64) -> f64 {
        *self.regrets.entry(levels.to_bits()).or_insert_with(|| regret(levels, rows))
    }
}

/// The logarithm of the probability of a node's levels in all classes, a Dirichlet distribution in each.
fn dirichlet(classes: &[Vec<u64>], each: f64, levels: f64) -> f64 {
    let rising = |start: f64, count: u64| libm::lgamma(start + count as f64) - libm::lgamma(start);
    let one = |class: &Vec<u64>| {
        class.iter().map(|&count| rising(each, count)).sum::<f64>()
            - rising(each * levels, class.iter().sum())
    };
    classes.iter().map(one).sum()
}

/// The maximal log-likelihood of a node given its blanket: that of both less that of the blanket.
fn maximum(classes: &[Vec<u64>]) -> f64 {
    let power = |count: u64| count as f64 * libm::log(count as f64);
    let one = |class: &Vec<u64>| class.iter().copied().map(power).sum::<f64>() - power(class.iter().sum());
    classes.iter().map(one).sum()
}

/// The most levels for which a regret is computed level by level.
const MOST_BY_RECURRENCE: f64 = 4096.0;

/// The logarithm of the sum of the maximal likelihoods of all sequences of so many rows: up to 4,096 levels by the
/// recurrence of Kontkanen and Myllymäki, C(r + 2) = C(r + 1) + n / r C(r); beyond by the approximation of
/// Szpankowski and Weinberger.
fn regret(levels: f64, rows: u64) -> f64 {
    if levels > MOST_BY_RECURRENCE {
        return approximate_regret(levels, rows);
    }
    if levels < 2.0 {
        return 0.0;
    }
    let two = regret_of_two(rows);
    // The quotient of a number of levels and the one before: the sums themselves are too large.
    let (mut sum, mut quotient) = (two, libm::exp(two));
    for r in 1..=levels as u64 - 2 {
        quotient = 1.0 + rows as f64 / r as f64 / quotient;
        sum += libm::log(quotient);
    }
    sum
}

fn approximate_regret(levels: f64, rows: u64) -> f64 {
    let n = rows as f64;
    let a = levels / n;
    let c = 0.5 + 0.5 * libm::sqrt(1.0 + 4.0 / a);
    n * (libm::log(a) + (a + 2.0) * libm::log(c) - 1.0 / c) - 0.5 * libm::log(c + 2.0 / a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::known;
    use crate::scores::tests::by_hand;
    use cmnet::{ContextPrior, GraphClimb, Kappa, Scorer, climb_graph};

    #[test]
    fn the_control_ends_where_the_climb_of_the_library_ends() {
        for (kind, variables, rows) in
            [("field", 16, 300), ("ternary-2-tree", 12, 500), ("hubs", 20, 400), ("grid", 16, 200)]
        {
            for seed in 1..=3 {
                let truth = known(kind, variables, rows, seed).unwrap();
                let counts = PlaneCounts::new(&truth.data);
                let scorer = Scorer::new(&counts, "0.5".parse().unwrap());
                for gamma in ["0", "0.5"] {
                    let edges: EdgePrior = gamma.parse().unwrap();
                    let prior = ContextPrior::new(Kappa::Epsilon, truth.data.rows());
                    let climb = GraphClimb::new(&scorer, prior.with_edges(edges, variables));
                    let mut state = climb.start().unwrap();
                    climb_graph(&climb, &mut state, &()).unwrap();
                    let own = PlainClimb::new(&counts, BlanketScore::Dirichlet(0.5)).run(&edges).unwrap();
                    assert!(own.edge_count() > 0);
                    assert_eq!(&own, state.structure().graph(), "{kind} {seed} {gamma}");
                }
            }
        }
    }

    /// One row after the other: what was seen and the share of the prior, out of all.
    #[test]
    fn an_equivalent_sample_predicts_row_by_row() {
        let truth = known("ternary-field", 4, 60, 1).unwrap();
        let counts = PlaneCounts::new(&truth.data);
        let (node, blanket) = (2, VarSet::from_iter([0, 3]));
        let mut climb = PlainClimb::new(&counts, BlanketScore::EquivalentSample(4.0));
        let mut seen: BTreeMap<Vec<u32>, [f64; 3]> = BTreeMap::new();
        let mut expected = 0.0;
        for row in 0..truth.data.distinct_rows() {
            let levels = truth.data.row(row);
            for _ in 0..truth.data.weights()[row] {
                let class = seen.entry(vec![levels[0], levels[3]]).or_insert([4.0 / 27.0; 3]);
                let own = &mut class[levels[node] as usize];
                let (share, all) = (*own, {
                    *own += 1.0;
                    class.iter().sum::<f64>() - 1.0
                });
                expected += libm::log(share / all);
            }
        }
        assert!((climb.computed(node, &blanket).unwrap() - expected).abs() < 1e-9);
    }

    #[test]
    fn quotient_nml_is_a_quotient_of_sums_over_all_sequences() {
        let truth = known("field", 3, 9, 1).unwrap();
        let counts = PlaneCounts::new(&truth.data);
        let mut climb = PlainClimb::new(&counts, BlanketScore::QuotientNml);
        let log_nml = |variables: &VarSet| {
            let n = truth.data.rows();
            let margin = counts.margin(variables).unwrap();
            let fitted = |count: u64| count as f64 * libm::log(count as f64 / n as f64);
            let likelihood: f64 = margin.iter().map(|(_, count)| fitted(count.into())).sum();
            likelihood - libm::log(by_hand(1 << variables.len(), n))
        };
        for blanket in [VarSet::default(), VarSet::from_iter([0]), VarSet::from_iter([0, 2])] {
            let expected = log_nml(&blanket.toggled(1)) - log_nml(&blanket);
            let found = climb.computed(1, &blanket).unwrap();
            assert!((found - expected).abs() < 1e-9, "{blanket:?}: {found} {expected}");
        }
    }

    #[test]
    fn the_approximate_regret_is_near_where_it_takes_over() {
        for rows in [400, 800, 3000] {
            let (exact, near) =
                (regret(MOST_BY_RECURRENCE, rows), approximate_regret(MOST_BY_RECURRENCE, rows));
            assert!((exact - near).abs() < 1e-3, "{rows}: {exact} {near}");
        }
    }
}
