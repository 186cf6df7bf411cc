//! Answers where the tree does not fit: probable completions and joint distributions, against
//! enumeration on small models and against samples and the exact answer on a large grid.

use crate::inference_support::{
    Listed, MIXED, Shape, assert_close, assert_estimated, generator, query, random_grid, random_question,
    random_tree,
};
use cmnet::{
    Approximation, ClimbOptions, Evidence, ExactOptions, GibbsOptions, InferenceMethod, Network, QueryMethod,
    QueryOptions, uai,
};

fn methods(method: QueryMethod, seed: u64) -> QueryOptions {
    let gibbs = GibbsOptions { seed, ..GibbsOptions::default() };
    QueryOptions { method, gibbs, ..QueryOptions::default() }
}

fn within(memory: u64, options: QueryOptions) -> QueryOptions {
    QueryOptions { exact: ExactOptions { memory, ..ExactOptions::default() }, ..options }
}

/// The probability of levels by enumeration, and the largest one.
fn listed_probability(listed: &Listed, levels: &[(usize, u32)], cardinalities: &[u32]) -> (f64, f64) {
    let targets: Vec<usize> = levels.iter().map(|&(v, _)| v).collect();
    let joint = listed.joint(&targets, cardinalities);
    let cell = levels.iter().fold(0, |cell, &(v, level)| cell * cardinalities[v] + level);
    (joint[cell as usize], joint.iter().copied().fold(0.0, f64::max))
}

#[test]
fn climbs_are_lower_bounds_and_nearly_always_the_best_completion() {
    let mut random = generator(531);
    let mut missed = [0, 0];
    // Too many configurations for one block.
    let shape = Shape { variables: (7, 8), most_levels: 4, edge_probability: 0.7, element_probability: 0.2 };
    for case in 0..200 {
        let (model, network, evidence) = random_question(&mut random, shape, (0.1, 0.2));
        let listed = Listed::new(&model, &evidence);
        let method = if case % 2 == 0 { QueryMethod::Gibbs } else { QueryMethod::Belief };
        let found = query(&network, &[], &evidence, &methods(method, case)).map().unwrap();
        assert_ne!(found.plan.method, InferenceMethod::Exact);
        let (p, best) = listed_probability(&listed, &found.levels, network.cardinalities());
        assert!((libm::exp(found.log_probability.unwrap()) - p).abs() < 1e-10, "case {case}");
        missed[case as usize % 2] += usize::from(best - p > 1e-10);
        let climb = found.climb.unwrap();
        assert!(climb.agreeing >= 1 && climb.agreeing <= climb.starts && climb.blocks > 0);
    }
    assert!(missed[0] <= 1 && missed[1] <= 10, "of 100 each {missed:?} are not the best");
}

#[test]
fn probable_levels_of_some_variables_are_those_of_enumeration() {
    let mut random = generator(532);
    for case in 0..60 {
        let (model, network, evidence) = random_question(&mut random, MIXED, (0.1, 0.2));
        let free: Vec<usize> = (0..network.schema().len()).filter(|&v| evidence.level(v).is_none()).collect();
        let targets = &free[..free.len().div_ceil(2)];
        let listed = Listed::new(&model, &evidence);
        let found = query(&network, targets, &evidence, &methods(QueryMethod::Gibbs, case)).map().unwrap();
        let (p, best) = listed_probability(&listed, &found.levels, network.cardinalities());
        assert!(best - p < 1e-10, "case {case}: {p} is not {best}");
        assert!((libm::exp(found.log_probability.unwrap()) - p).abs() < 1e-10, "case {case}");
        if targets.len() < free.len() {
            let (share, gibbs) = found.visits.unwrap();
            assert_estimated(&[share], &[p], (gibbs.effective[0], 1e-9), &format!("case {case}"));
        }
    }
}

/// The log weight of a row under no evidence.
fn energy(network: &Network, levels: &[(usize, u32)]) -> f64 {
    let mut row = vec![0; network.schema().len()];
    for &(v, level) in levels {
        row[v] = level;
    }
    network.parameters().energy(&row)
}

#[test]
fn on_a_grid_beyond_the_memory_climbs_beat_samples_and_single_moves() {
    let mut random = generator(533);
    for strength in [0.5, 1.0, 2.0] {
        let network = random_grid(&mut random, 12, strength);
        let tight = ExactOptions { memory: 1 << 15, ..ExactOptions::default() };
        let none = Evidence::none();
        let refused = network.map_exact(None, &none, &tight).unwrap_err();
        assert!(matches!(refused.kind(), cmnet::ErrorKind::Limit { .. }), "{refused}");
        let found =
            query(&network, &[], &none, &within(1 << 15, methods(QueryMethod::Auto, 1))).map().unwrap();
        assert_eq!(found.plan.method, InferenceMethod::Gibbs);
        assert!(found.plan.reason.contains("does not fit"), "{}", found.plan.reason);
        assert_eq!(found.log_probability, None);
        let weight = found.log_weight.unwrap();
        assert!((weight - energy(&network, &found.levels)).abs() < 1e-9);
        // Never worse than the variables for themselves, than their single moves, or than any
        // of many samples.
        let alone = ClimbOptions { chains: 0, patience: 0, ..ClimbOptions::default() };
        let alone = QueryOptions { climb: alone, ..methods(QueryMethod::Gibbs, 1) };
        let single = query(&network, &[], &none, &within(1 << 15, alone)).map().unwrap();
        assert_eq!(single.climb.unwrap().blocks, 0);
        assert!(weight >= single.log_weight.unwrap() - 1e-9);
        let gibbs = GibbsOptions { warm_up: 100, ..GibbsOptions::default() };
        let chains = QueryOptions { method: QueryMethod::Gibbs, gibbs, ..QueryOptions::default() };
        let drawn = query(&network, &[], &none, &within(1 << 15, chains));
        let sampler = drawn.sampler().unwrap();
        let samples = sampler.rows(0..2048).unwrap();
        assert!(samples.iter().all(|row| weight >= network.parameters().energy(row) - 1e-9));
        // With the memory for a proof: a lower bound, and here the optimum itself.
        let proven = network.map_exact(None, &none, &ExactOptions::default()).unwrap();
        assert!(weight <= proven.log_weight + 1e-9);
        assert!(weight >= proven.log_weight - 1e-9, "{weight} is not {}", proven.log_weight);
    }
}

#[test]
fn joint_distributions_by_counts_lie_within_their_own_error() {
    let mut random = generator(534);
    for case in 0..40 {
        let (model, network, evidence) = random_question(&mut random, MIXED, (0.1, 0.2));
        let mut targets: Vec<usize> =
            (0..network.schema().len()).filter(|&v| evidence.level(v).is_none()).collect();
        targets.truncate(3);
        targets.reverse();
        let expected = Listed::new(&model, &evidence).joint(&targets, network.cardinalities());
        let answer =
            query(&network, &targets, &evidence, &methods(QueryMethod::Gibbs, case)).joint().unwrap();
        assert_eq!(answer.plan.method, InferenceMethod::Gibbs);
        let Some(Approximation::Gibbs(gibbs)) = answer.approximation else { panic!("no word on the chains") };
        let visited = answer.joint.probabilities().iter().filter(|&&p| p > 0.0).count();
        assert_eq!(gibbs.effective.len(), visited, "one per configuration met");
        assert!(gibbs.worst_r_hat() < 1.1, "case {case}: {gibbs:?}");
        assert!((answer.joint.probabilities().iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let within = (gibbs.least_effective(), 1e-3);
        assert_estimated(answer.joint.probabilities(), &expected, within, &format!("case {case}"));
    }
}

#[test]
fn joint_distributions_by_messages_are_exact_without_loops() {
    let mut random = generator(535);
    for _ in 0..30 {
        let (network, evidence) = random_tree(&mut random, (7, 3), 0.1);
        let mut targets: Vec<usize> = (0..7).filter(|&v| evidence.level(v).is_none()).collect();
        targets.truncate(3);
        let answer = query(&network, &targets, &evidence, &methods(QueryMethod::Belief, 1)).joint().unwrap();
        assert_eq!(answer.plan.method, InferenceMethod::Belief);
        assert!(matches!(answer.approximation, Some(Approximation::Belief(belief)) if belief.converged));
        let exact = network.joint_exact(&targets, &evidence, &ExactOptions::default()).unwrap();
        assert_close(answer.joint.probabilities(), exact.probabilities(), "messages");
    }
    let network = random_grid(&mut random, 6, 1.0);
    let many: Vec<usize> = (0..13).collect();
    let refused =
        query(&network, &many, &Evidence::none(), &methods(QueryMethod::Belief, 1)).joint().unwrap_err();
    assert!(refused.to_string().contains("8192 configurations"), "{refused}");
}

#[test]
fn approximate_answers_do_not_depend_on_the_number_of_threads() {
    let mut random = generator(536);
    let network = random_grid(&mut random, 5, 1.0);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (none, methods) = (Evidence::none(), methods(QueryMethod::Gibbs, 3));
            (
                query(&network, &[], &none, &methods).map().unwrap(),
                query(&network, &[0, 7, 24], &none, &methods).map().unwrap(),
                query(&network, &[0, 7], &none, &methods).joint().unwrap(),
            )
        })
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn some_variables_of_a_network_that_fits_nowhere_are_judged_by_visits() {
    let mut random = generator(537);
    let network = random_grid(&mut random, 8, 0.5);
    let tight = within(1 << 12, methods(QueryMethod::Auto, 1));
    let answer = query(&network, &[0, 63], &Evidence::none(), &tight).map().unwrap();
    let (share, gibbs) = answer.visits.unwrap();
    assert_eq!((answer.log_weight, answer.log_probability), (None, None));
    let exact = network.map_exact(Some(&[0, 63]), &Evidence::none(), &ExactOptions::default()).unwrap();
    let p =
        libm::exp(network.log_probability_of(&exact, &Evidence::none(), &ExactOptions::default()).unwrap());
    assert_eq!(answer.levels, exact.levels);
    assert!((share - p).abs() < 0.05, "{share} {p} {gibbs:?}");
}

#[test]
fn options_without_sense_are_refused() {
    let mut random = generator(538);
    let network = random_grid(&mut random, 3, 1.0);
    let none = Evidence::none();
    for (chains, sweeps) in [(0, 10), (1, 10), (4, 0)] {
        let gibbs = GibbsOptions { chains, sweeps, ..GibbsOptions::default() };
        let methods = QueryOptions { method: QueryMethod::Gibbs, gibbs, ..QueryOptions::default() };
        query(&network, &[0], &none, &methods).run().unwrap_err();
        query(&network, &[0], &none, &methods).joint().unwrap_err();
    }
    let messages = query(&network, &[], &none, &methods(QueryMethod::Belief, 1));
    assert!(messages.sampler().unwrap_err().to_string().contains("draws no rows"));
}

#[test]
fn what_does_not_matter_to_the_targets_need_not_fit() {
    let mut random = generator(539);
    let grid = random_grid(&mut random, 9, 1.0);
    // Evidence on a column leaves a narrow part and a wide one.
    let tight = within(1 << 14, QueryOptions::default());
    let mut evidence = Evidence::none();
    for row in 0..9 {
        evidence.observe(grid.schema(), row * 9 + 1, 1).unwrap();
    }
    let some = query(&grid, &[0, 9], &evidence, &tight).run().unwrap();
    assert_eq!(some.plan.method, InferenceMethod::Exact);
    assert!(some.plan.reason.contains("what matters to the targets"), "{}", some.plan.reason);
    assert_eq!(some.log_evidence, None);
    let all = grid.posterior(&evidence, &ExactOptions::default()).unwrap();
    for (v, marginal) in &some.marginals {
        assert_close(marginal, &all.marginal(*v), "relevant part");
    }
    let beyond = query(&grid, &[0, 8], &evidence, &tight).run().unwrap();
    assert_eq!(beyond.plan.method, InferenceMethod::Gibbs);
}

/// A square grid whose neighbours like to agree, as a UAI file: coupling and field of spins of
/// minus and plus one.
fn spins(side: usize, coupling: f64, field: f64) -> String {
    let variables = side * side;
    let at = |row: usize, column: usize| row * side + column;
    let mut scopes = Vec::new();
    for row in 0..side {
        for column in 0..side {
            scopes.extend((column + 1 < side).then(|| [at(row, column), at(row, column + 1)]));
            scopes.extend((row + 1 < side).then(|| [at(row, column), at(row + 1, column)]));
        }
    }
    let exp = libm::exp;
    let (like, unlike) = (exp(coupling), exp(-coupling));
    let factors = scopes.len() + variables;
    let mut text = format!("MARKOV {variables} {}{factors} ", "2 ".repeat(variables));
    text.extend(scopes.iter().map(|[one, other]| format!("2 {one} {other} ")));
    text.extend((0..variables).map(|v| format!("1 {v} ")));
    text.extend(scopes.iter().map(|_| format!("4 {like} {unlike} {unlike} {like} ")));
    text.extend((0..variables).map(|_| format!("2 {} {} ", exp(-field), exp(field))));
    text
}

#[test]
fn messages_settle_in_the_mode_that_the_field_favours() {
    for field in [0.1, -0.1, 0.02] {
        let read = uai::read_network(&spins(10, 0.6, field), "spins.uai").unwrap();
        let network = Network::new(&read.schema, &read.structure, read.parameters).unwrap();
        let ask = |method| {
            let options = QueryOptions { method, ..QueryOptions::default() };
            let answer = network.query().options(options).about(&[55]).unwrap().run().unwrap();
            answer.marginals[0].1[1]
        };
        let (exact, belief) = (ask(QueryMethod::Exact), ask(QueryMethod::Belief));
        assert!((exact - belief).abs() < 0.1, "{field}: {exact} and {belief}");
    }
}
