//! Random fitted models from fixed seeds, and their distributions written out in full.
#![allow(dead_code, unused_imports, reason = "each test file uses its own part")]

#[allow(unused_imports, reason = "each test uses its share")]
pub(crate) use crate::loglinear_support::{Shape, generator, grid, plain, schema, uniform_table};

use cmnet::{
    Evidence, FitOptions, Model, Network, OutcomeSpace, Parameters, Query, QueryOptions, Structure, Terms,
    VarSet, fit,
};
use rand::Rng;
use rand_pcg::Pcg64Mcg;

/// 3 to 5 variables with 2 to 4 levels, most pairs connected, contexts on many edges.
pub(crate) const MIXED: Shape =
    Shape { variables: (3, 5), most_levels: 4, edge_probability: 0.6, element_probability: 0.4 };

/// A structure fitted to rows drawn from nowhere.
pub(crate) fn fitted(random: &mut Pcg64Mcg, structure: Structure) -> Model {
    let cardinalities = structure.cardinalities().to_vec();
    let data = uniform_table(random, &cardinalities, 60);
    let options = FitOptions { smoothing: 4.0, ..FitOptions::default() };
    let fit = fit(&structure, &data, &options).unwrap();
    Model::new(schema(&cardinalities), structure).unwrap().with_fit(fit).unwrap()
}

/// A random fitted model.
pub(crate) fn random_model(random: &mut Pcg64Mcg, shape: Shape) -> Model {
    let structure = crate::loglinear_support::structure(random, shape);
    fitted(random, structure)
}

/// A random fitted model and its network.
pub(crate) fn random_network(random: &mut Pcg64Mcg, shape: Shape) -> (Model, Network) {
    let model = random_model(random, shape);
    let network = model.network().unwrap();
    (model, network)
}

/// A random fitted model, its network, and evidence of these probabilities, hard and soft.
pub(crate) fn random_question(
    random: &mut Pcg64Mcg,
    shape: Shape,
    (hard, soft): (f64, f64),
) -> (Model, Network, Evidence) {
    let (model, network) = random_network(random, shape);
    let evidence = random_evidence(random, &network, hard, soft);
    (model, network, evidence)
}

/// A fitted network without loops, and evidence of this probability, hard and soft.
pub(crate) fn random_tree(
    random: &mut Pcg64Mcg,
    (variables, most_levels): (usize, u32),
    known: f64,
) -> (Network, Evidence) {
    let cardinalities: Vec<u32> = (0..variables).map(|_| random.random_range(2..=most_levels)).collect();
    let edges: Vec<(usize, usize)> = (1..variables).map(|v| (random.random_range(0..v), v)).collect();
    let network = fitted(random, plain(&cardinalities, &edges)).network().unwrap();
    let evidence = random_evidence(random, &network, known, known);
    (network, evidence)
}

/// Levels of some variables known, weights for some others; soft weights may be zero.
pub(crate) fn random_evidence(random: &mut Pcg64Mcg, network: &Network, hard: f64, soft: f64) -> Evidence {
    let mut evidence = Evidence::none();
    let count = network.schema().len();
    let spared = random.random_range(0..count);
    for (v, &levels) in network.cardinalities().iter().enumerate() {
        if random.random_bool(soft) {
            let mut weights: Vec<f64> = (0..levels)
                .map(|_| if random.random_bool(0.2) { 0.0 } else { random.random_range(0.1..3.0) })
                .collect();
            weights[0] = 1.0;
            evidence.weigh(network.schema(), v, &weights).unwrap();
        }
        if v != spared && random.random_bool(hard) {
            // Refused when its weight is 0.
            let _ = evidence.observe(network.schema(), v, random.random_range(0..levels));
        }
    }
    evidence
}

/// A question about some variables by number, or about all that are not given.
pub(crate) fn query<'a>(
    network: &'a Network,
    targets: &[usize],
    evidence: &Evidence,
    options: &QueryOptions,
) -> Query<'a> {
    let query = network.query().evidence(evidence.clone()).options(options.clone());
    if targets.is_empty() { query } else { query.about(targets).unwrap() }
}

/// A distribution as a list of rows with probabilities: nothing clever.
pub(crate) struct Listed {
    pub(crate) rows: Vec<Vec<u32>>,
    /// p(x) times the weight of the evidence.
    pub(crate) weights: Vec<f64>,
    /// The sum of `weights`: the probability of the evidence.
    pub(crate) total: f64,
}

impl Listed {
    /// Sums phi-terms over every row.
    pub(crate) fn new(model: &Model, evidence: &Evidence) -> Self {
        let cardinalities = model.structure().cardinalities();
        let space = OutcomeSpace::new((0..cardinalities.len()).collect(), cardinalities).unwrap();
        let rows: Vec<Vec<u32>> = (0..space.size()).map(|cell| space.configuration(cell)).collect();
        let parameters = &model.fit().unwrap().parameters;
        let mut energies = vec![0.0; rows.len()];
        for (term, phi) in parameters.iter() {
            let holds =
                |row: &[u32]| term.variables.iter().zip(&term.levels).all(|(v, &level)| row[v] == level);
            rows.iter()
                .zip(&mut energies)
                .filter(|(row, _)| holds(row))
                .for_each(|(_, energy)| *energy += phi);
        }
        let z: f64 = energies.iter().map(|&energy| libm::exp(energy)).sum();
        let weight = |(row, &energy): (&Vec<u32>, &f64)| {
            if evidence.hard().any(|(v, level)| row[v] != level) {
                return 0.0;
            }
            let soft: f64 = evidence.soft().map(|(v, logs)| libm::exp(logs[row[v] as usize])).product();
            soft * libm::exp(energy) / z
        };
        let weights: Vec<f64> = rows.iter().zip(&energies).map(weight).collect();
        let total = weights.iter().sum();
        Self { rows, weights, total }
    }

    /// The joint distribution of some variables, the last one fastest.
    pub(crate) fn joint(&self, targets: &[usize], cardinalities: &[u32]) -> Vec<f64> {
        let size: u32 = targets.iter().map(|&v| cardinalities[v]).product();
        let mut sums = vec![0.0; size as usize];
        for (row, weight) in self.rows.iter().zip(&self.weights) {
            let cell = targets.iter().fold(0, |cell, &v| cell * cardinalities[v] + row[v]);
            sums[cell as usize] += weight / self.total;
        }
        sums
    }
}

pub(crate) fn entropy(probabilities: &[f64]) -> f64 {
    probabilities.iter().filter(|&&p| p > 0.0).map(|p| -p * libm::log(*p)).sum()
}

pub(crate) fn assert_close(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-10, "{what}: {found} instead of {expected}");
    }
}

/// Probabilities within six standard errors of so many independent rows, and a slack.
pub(crate) fn assert_estimated(found: &[f64], expected: &[f64], (rows, slack): (f64, f64), what: &str) {
    for (p, q) in expected.iter().zip(found) {
        let error = (p * (1.0 - p) / rows).sqrt();
        assert!((p - q).abs() < 6.0 * error + slack, "{what}: {p} {q} {error}");
    }
}

/// A binary grid with random terms on its variables and edges.
pub(crate) fn random_grid(random: &mut Pcg64Mcg, side: usize, strength: f64) -> Network {
    let mut edges = Vec::new();
    for at in 0..side * side {
        edges.extend((at % side + 1 < side).then_some((at, at + 1)));
        edges.extend((at + side < side * side).then_some((at, at + side)));
    }
    let cardinalities = vec![2; side * side];
    let structure = plain(&cardinalities, &edges);
    let singles = (0..side * side).map(|v| VarSet::from_iter([v]));
    let pairs = edges.iter().map(|&(one, other)| VarSet::from_iter([one, other]));
    let terms = Terms::new(&structure, None).unwrap();
    let mut values = vec![0.0; terms.len()];
    for set in singles.chain(pairs) {
        values[terms.set(&set).unwrap().range().start] = random.random_range(-strength..strength);
    }
    let parameters = Parameters::new(terms, values, None);
    Network::new(&schema(&cardinalities), &structure, parameters).unwrap()
}
