//! Samples by chi-square against enumeration at a false-alarm rate of 1e-6 over all tests,
//! approximate marginals against exact ones, predictions against conditionals.

use crate::inference_support::{
    Listed, MIXED, assert_close, assert_estimated, fitted, generator, grid, plain, query, random_model,
    random_network, random_question, random_tree,
};
use cmnet::{
    Approximation, Evidence, ExactOptions, GibbsOptions, InferenceMethod, MarginalAnswer, Predictor,
    QueryMethod, QueryOptions,
};
use rand::Rng;

/// The upper tail of the chi-square distribution, by its continued fraction or series
/// (regularised incomplete gamma function).
fn chi_square_tail(statistic: f64, freedom: f64) -> f64 {
    let (a, x) = (freedom / 2.0, statistic / 2.0);
    let front = libm::exp(a * libm::log(x) - x - libm::lgamma(a));
    if x < a + 1.0 {
        let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
        while term > sum * 1e-16 {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        return 1.0 - front * sum;
    }
    let (mut b, mut c) = (x + 1.0 - a, 1e300);
    let mut d = 1.0 / b;
    let mut h = d;
    for i in 1..500 {
        let i = f64::from(i);
        let an = -i * (i - a);
        b += 2.0;
        d = 1.0 / (an * d + b);
        c = b + an / c;
        h *= d * c;
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    front * h
}

#[test]
fn the_tail_is_that_of_tables() {
    for (statistic, freedom, tail) in
        [(3.841_458_820_694_124, 1.0, 0.05), (23.209_251_158_954_36, 10.0, 0.01)]
    {
        assert!((chi_square_tail(statistic, freedom) - tail).abs() < 1e-12);
    }
    assert!((chi_square_tail(2.0, 2.0) - libm::exp(-1.0)).abs() < 1e-14);
}

/// Cells with few expected rows are taken together.
fn goodness(expected: &[f64], counts: &[u32], rows: usize) -> f64 {
    let (mut statistic, mut cells, mut rest) = (0.0, 0, (0.0, 0));
    for (&p, &count) in expected.iter().zip(counts) {
        let mean = p * rows as f64;
        if mean < 10.0 {
            rest = (rest.0 + mean, rest.1 + count);
            continue;
        }
        cells += 1;
        statistic += (f64::from(count) - mean) * (f64::from(count) - mean) / mean;
    }
    if rest.0 >= 10.0 {
        cells += 1;
        statistic += (f64::from(rest.1) - rest.0) * (f64::from(rest.1) - rest.0) / rest.0;
    }
    assert!(rest.0 > 0.0 || rest.1 == 0, "a row of probability 0 was drawn");
    chi_square_tail(statistic, f64::from((cells - 1).max(1)))
}

#[test]
fn exact_samples_have_the_right_frequencies() {
    const MODELS: usize = 50;
    const ROWS: usize = 20_000;
    let mut random = generator(511);
    for case in 0..MODELS {
        let (model, network, evidence) = random_question(&mut random, MIXED, (0.2, 0.2));
        let options = GibbsOptions { seed: case as u64, ..GibbsOptions::default() };
        let options = QueryOptions { gibbs: options, ..QueryOptions::default() };
        let drawn = query(&network, &[], &evidence, &options);
        let sampler = drawn.sampler().unwrap();
        assert_eq!(sampler.method(), InferenceMethod::Exact);
        let rows = sampler.rows(0..ROWS).unwrap();
        let all: Vec<usize> = (0..network.schema().len()).collect();
        let listed = Listed::new(&model, &evidence);
        let expected = listed.joint(&all, network.cardinalities());
        let mut counts = vec![0; expected.len()];
        for row in &rows {
            let cell = row.iter().zip(network.cardinalities()).fold(0, |cell, (level, r)| cell * r + level);
            counts[cell as usize] += 1;
        }
        let tail = goodness(&expected, &counts, ROWS);
        assert!(tail > 1e-6 / MODELS as f64, "case {case}: {tail}");
        assert_eq!(sampler.rows(1500..3000).unwrap(), rows[1500..3000]);
    }
}

#[test]
fn samples_do_not_depend_on_the_number_of_threads() {
    let mut random = generator(512);
    let network = random_model(&mut random, MIXED).network().unwrap();
    for method in [QueryMethod::Exact, QueryMethod::Gibbs] {
        let options = GibbsOptions { warm_up: 20, ..GibbsOptions::default() };
        let options = QueryOptions { method, gibbs: options, ..QueryOptions::default() };
        let drawn = query(&network, &[], &Evidence::none(), &options);
        let sampler = drawn.sampler().unwrap();
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| sampler.rows(0..5000).unwrap())
        };
        assert_eq!(with(1), with(3));
    }
    let marginals = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| network.query().method(QueryMethod::Gibbs).run().unwrap())
    };
    assert_eq!(marginals(1), marginals(3));
}

/// The distributions of all variables that are not given: every one of them must be answered.
fn answered<'a>(
    answer: &'a MarginalAnswer,
    evidence: &Evidence,
    variables: usize,
) -> &'a [(usize, Vec<f64>)] {
    let asked: Vec<usize> = (0..variables).filter(|&v| evidence.level(v).is_none()).collect();
    assert!(answer.marginals.iter().map(|(v, _)| *v).eq(asked));
    &answer.marginals
}

#[test]
fn gibbs_estimates_lie_within_their_own_error() {
    let mut random = generator(513);
    for case in 0..40 {
        let (_, network, evidence) = random_question(&mut random, MIXED, (0.2, 0.2));
        let exact = network.posterior(&evidence, &ExactOptions::default()).unwrap().marginals();
        let options = GibbsOptions { seed: case, ..GibbsOptions::default() };
        let options = QueryOptions { method: QueryMethod::Gibbs, gibbs: options, ..QueryOptions::default() };
        let answer = query(&network, &[], &evidence, &options).run().unwrap();
        let Some(Approximation::Gibbs(gibbs)) = &answer.approximation else {
            panic!("no word on the chains")
        };
        assert!(gibbs.worst_r_hat() < 1.05, "case {case}: {gibbs:?}");
        for (v, estimate) in answered(&answer, &evidence, exact.len()) {
            assert_estimated(estimate, &exact[*v], (gibbs.effective[*v], 1e-9), &format!("case {case}"));
        }
    }
}

#[test]
fn belief_propagation_is_exact_without_loops_and_says_when_it_settles() {
    let mut random = generator(514);
    for _ in 0..50 {
        let (network, evidence) = random_tree(&mut random, (8, 4), 0.2);
        let options = QueryOptions { method: QueryMethod::Belief, ..QueryOptions::default() };
        let answer = query(&network, &[], &evidence, &options).run().unwrap();
        assert!(matches!(answer.approximation, Some(Approximation::Belief(belief)) if belief.converged));
        let exact = network.posterior(&evidence, &ExactOptions::default()).unwrap().marginals();
        for (v, found) in answered(&answer, &evidence, exact.len()) {
            assert_close(found, &exact[*v], "belief");
        }
    }
}

#[test]
fn auto_falls_back_to_sampling_and_says_so() {
    let mut random = generator(515);
    let network = fitted(&mut random, grid(6)).network().unwrap();
    let answer = network.query().about(&[0, 35]).unwrap().memory(4096).run().unwrap();
    assert_eq!(answer.plan.method, InferenceMethod::Gibbs);
    assert!(answer.plan.reason.contains("does not fit"), "{}", answer.plan.reason);
    assert!(matches!(answer.approximation, Some(Approximation::Gibbs(_))));
    let exact = network.query().about(&[0, 35]).unwrap().run().unwrap();
    assert_eq!(exact.plan.method, InferenceMethod::Exact);
    for ((_, p), (_, q)) in answer.marginals.iter().zip(&exact.marginals) {
        assert!((p[0] - q[0]).abs() < 0.05, "{p:?} {q:?}");
    }
}

#[test]
fn predictions_are_conditionals_with_missing_cells_summed_out() {
    let mut random = generator(516);
    for _ in 0..200 {
        let (model, network) = random_network(&mut random, MIXED);
        let target = random.random_range(0..network.schema().len());
        let mut predictor = Predictor::new(&network, target, &ExactOptions::default()).unwrap();
        for missing in [0.0, 0.4, 1.0] {
            let row: Vec<Option<u32>> = network
                .cardinalities()
                .iter()
                .map(|&levels| (!random.random_bool(missing)).then(|| random.random_range(0..levels)))
                .collect();
            let mut evidence = Evidence::none();
            for (v, level) in row.iter().enumerate().filter(|&(v, _)| v != target) {
                if let Some(level) = level {
                    evidence.observe(network.schema(), v, *level).unwrap();
                }
            }
            let expected = Listed::new(&model, &evidence).joint(&[target], network.cardinalities());
            let found = predictor.predict(&row).unwrap();
            assert_close(&found.probabilities, &expected, "prediction");
            let best = expected.iter().copied().fold(0.0, f64::max);
            assert!((expected[found.level as usize] - best).abs() < 1e-10);
        }
    }
}

#[test]
fn what_lies_beyond_observed_variables_costs_a_prediction_nothing() {
    let mut random = generator(517);
    let sizes: Vec<(usize, u64)> = [30, 600]
        .into_iter()
        .map(|count| {
            // A chain of triangles: each variable next to the two before it.
            let edges: Vec<(usize, usize)> =
                (1..count).flat_map(|v| (v.max(2) - 2..v).map(move |before| (before, v))).collect();
            let model = fitted(&mut random, plain(&vec![2; count], &edges));
            let network = model.network().unwrap();
            let mut predictor = Predictor::new(&network, 10, &ExactOptions::default()).unwrap();
            for missing in [[9, 11], [12, 13], [8, 20]] {
                let level = |v: usize| (!missing.contains(&v)).then_some((v % 2) as u32);
                let row: Vec<Option<u32>> = (0..count).map(level).collect();
                let found = predictor.predict(&row).unwrap();
                let mut evidence = Evidence::none();
                for v in (0..count).filter(|v| *v != 10 && !missing.contains(v)) {
                    evidence.observe(network.schema(), v, (v % 2) as u32).unwrap();
                }
                let expected = network.posterior(&evidence, &ExactOptions::default()).unwrap().marginal(10);
                assert_close(&found.probabilities, &expected, "prediction");
                // Another level far away changes nothing, and no tree is made for it.
                let (trees, mut far) = (predictor.trees(), row.clone());
                far[count - 1] = None;
                assert_eq!(predictor.predict(&far).unwrap(), found);
                assert_eq!(predictor.trees(), trees);
            }
            predictor.trees()
        })
        .collect();
    assert_eq!(sizes[0], sizes[1]);
    assert_eq!(sizes[0], (3, 8), "three patterns; three variables at most to sum over");
}
