//! Real-valued weights: whole numbers as reals give the integers' scores, and real ones the referee's.

use crate::common::{Sample, generator, labelled, random_structure};
use cmnet::{
    Alpha, ContextPrior, Count, CountSource, CountedTable, FitMethod, FitOptions, FoldPlan, Kappa,
    LearnOptions, LocalScore, Nats, Outcome, RowCounts, Scorer, Select, WeightKind, WeightedCounts,
    WeightedTable, cross_validate, cross_validate_weighted, fit, fit_with, learn, learn_counts,
    learn_weighted,
};
use cmnet_paper::generate::two_tree;
use rand::Rng;
use rand::seq::SliceRandom;

fn weighted(sample: &Sample, weights: &[f64], kind: WeightKind) -> WeightedTable {
    let rows: Vec<(Vec<u32>, f64)> = sample.rows.iter().cloned().zip(weights.iter().copied()).collect();
    WeightedTable::new(sample.dataset().schema().clone(), rows, kind).unwrap()
}

/// As many nats as there are observations.
#[derive(Debug)]
struct Observations;

impl LocalScore for Observations {
    fn class(&self, _levels: u32, counts: &mut dyn Iterator<Item = Count>) -> Nats {
        Nats::from_f64(counts.map(f64::from).sum())
    }
}

#[test]
fn a_score_of_ones_own_refuses_real_weights() {
    let sample = Sample::random(&mut generator(7));
    let weights: Vec<f64> = sample.weights.iter().map(|&w| 0.3 + f64::from(w)).collect();
    let table = weighted(&sample, &weights, WeightKind::Counts);
    let real = WeightedCounts::new(&table);
    let said = Scorer::with_score(&real, &Observations, 1 << 20).unwrap_err().to_string();
    assert!(said.contains("takes no real weights"), "{said}");
    let data = sample.dataset();
    let whole = RowCounts::new(&data);
    let scorer = Scorer::with_score(&whole, &Observations, 1 << 20).unwrap();
    let score = scorer.plain_node_score(0, &[].into_iter().collect()).unwrap();
    assert_eq!(score, Nats::from_f64(data.rows() as f64));
}

#[test]
fn whole_numbers_as_reals_are_the_whole_numbers() {
    let mut random = generator(1821);
    for case in 0..12 {
        let sample = Sample::random(&mut random);
        let reals: Vec<f64> = sample.weights.iter().map(|&w| f64::from(w)).collect();
        let (data, table) = (sample.dataset(), weighted(&sample, &reals, WeightKind::Counts));
        assert_eq!(table.rows(), data.rows());
        let (counts, real) = (RowCounts::new(&data), WeightedCounts::new(&table));
        let structure = random_structure(&mut random, &sample.cardinalities, 0.5);
        let prior = ContextPrior::new(Kappa::Power(0.5), data.rows());
        let one = Scorer::new(&counts, Alpha::default()).score(&structure, &prior).unwrap();
        let other = Scorer::new(&real, Alpha::default()).score(&structure, &prior).unwrap();
        assert_eq!(one.log_prior, other.log_prior);
        for (a, b) in one.nodes.iter().zip(&other.nodes) {
            assert!((a.to_f64() - b.to_f64()).abs() < 1e-9, "case {case}: {} {}", a.to_f64(), b.to_f64());
        }
        for method in [FitMethod::Exact, FitMethod::Pseudo] {
            let options = FitOptions { method, ..FitOptions::default() };
            let whole = fit(&structure, &data, &options).unwrap();
            let Outcome::Done(found) = fit_with(&structure, &real, &options, &()).unwrap() else {
                panic!("stopped")
            };
            assert!((whole.bic() - found.bic()).abs() < 1e-6 * whole.bic().abs(), "case {case}");
        }
    }
}

/// Equation (7) literally: lnGamma of the weights of each configuration, added up row by row.
#[test]
fn real_weights_have_the_score_of_equation_7() {
    let mut random = generator(1822);
    for case in 0..10 {
        let sample = Sample::random(&mut random);
        let weights: Vec<f64> = sample.rows.iter().map(|_| random.random_range(0.1..3.0)).collect();
        for kind in [WeightKind::Counts, WeightKind::Design] {
            let table = weighted(&sample, &weights, kind);
            let counts = WeightedCounts::new(&table);
            let mut structure = random_structure(&mut random, &sample.cardinalities, 0.6);
            structure.clear_contexts();
            let found = Scorer::new(&counts, Alpha::default()).log_mpl(&structure).unwrap().to_f64();
            let (units, value) = (table.units(), counts.value());
            let sum: f64 = units.weights().iter().map(|&w| f64::from(w) * value).sum();
            assert!((sum - table.rows() as f64).abs() < 1e-6);
            let mut expected = 0.0;
            for node in 0..sample.cardinalities.len() {
                let levels = sample.cardinalities[node];
                let blanket = structure.markov_blanket(node).clone();
                let mut classes = std::collections::BTreeMap::<Vec<u32>, Vec<f64>>::new();
                for row in 0..units.distinct_rows() {
                    let all = units.row(row);
                    let key = blanket.iter().map(|v| all[v]).collect();
                    let class = classes.entry(key).or_insert_with(|| vec![0.0; levels as usize]);
                    class[all[node] as usize] += f64::from(units.weights()[row]) * value;
                }
                let alpha = 0.5;
                for class in classes.values() {
                    let total: f64 = class.iter().sum();
                    let all = alpha * f64::from(levels);
                    expected += libm::lgamma(all) - libm::lgamma(all + total);
                    expected +=
                        class.iter().map(|n| libm::lgamma(alpha + n) - libm::lgamma(alpha)).sum::<f64>();
                }
            }
            assert!((found - expected).abs() < 1e-8, "case {case}: {found} and not {expected}");
        }
    }
}

/// The referee, which shares no code, with contexts: its table has the same units.
#[test]
fn the_referee_agrees_about_real_weights() {
    let mut random = generator(1824);
    for case in 0..10 {
        let sample = Sample::random(&mut random);
        let weights: Vec<f64> = sample.rows.iter().map(|_| random.random_range(0.1..3.0)).collect();
        let table = weighted(&sample, &weights, WeightKind::Design);
        let structure = random_structure(&mut random, &sample.cardinalities, 0.6);
        let prior = ContextPrior::new(Kappa::Power(0.5), table.rows());
        let counts = WeightedCounts::new(&table);
        let found = Scorer::new(&counts, Alpha::default()).score(&structure, &prior).unwrap();
        let wide = |levels: Vec<u32>| levels.into_iter().map(|level| level as usize).collect::<Vec<_>>();
        let units = table.units();
        let referee = cmnet_check::Table::new(
            wide(sample.cardinalities.clone()),
            (0..units.distinct_rows()).map(|row| wide(units.row(row))).collect(),
            units.weights().iter().map(|&weight| u64::from(weight)).collect(),
        );
        let referee = referee.unwrap().with_unit(table.value()).unwrap();
        assert!((referee.size() - table.rows() as f64).abs() < 1e-6);
        let scoring = cmnet_check::Scoring::new(0.5, prior.log_kappa().map(Nats::to_f64)).unwrap();
        let expected = cmnet_check::score(&referee, &labelled(&structure), &scoring).unwrap();
        let near = |one: f64, other: f64| (one - other).abs() < 1e-7;
        assert!(near(found.log_mpl.to_f64(), expected.log_mpl), "case {case}");
        assert!(near(found.log_prior.unwrap().to_f64(), expected.log_prior), "case {case}");
    }
    let empty = cmnet_check::Table::new(vec![2], vec![vec![0]], vec![1]).unwrap();
    assert!(empty.clone().with_unit(0.0).is_err() && empty.with_unit(f64::NAN).is_err());
}

#[test]
fn equal_weights_are_cross_validated_as_rows_are() {
    let mut random = generator(1825);
    let sample = Sample::random(&mut random);
    let ones = Sample { weights: vec![1; sample.rows.len()], ..sample };
    let (data, options) = (ones.dataset(), LearnOptions::default());
    let table = weighted(&ones, &vec![0.25; ones.rows.len()], WeightKind::Design);
    for plan in [FoldPlan::Drawn { folds: 3, seed: 5 }, FoldPlan::Column(0)] {
        let whole = cross_validate(&data, plan, &options, &()).unwrap();
        let real = cross_validate_weighted(&table, plan, &options, &()).unwrap();
        assert_eq!((whole.finished, whole.rows.len()), (real.finished, real.rows.len()));
        for (one, other) in whole.rows.iter().zip(&real.rows) {
            assert_eq!(
                (&one.method, one.edges, one.parameters),
                (&other.method, other.edges, other.parameters)
            );
            assert!((one.predictive - other.predictive).abs() < 1e-5, "{one:?} {other:?}");
            assert!((one.sbic - other.sbic).abs() < 1e-5, "{one:?} {other:?}");
        }
    }
    let refused = |folds| {
        let plan = FoldPlan::Drawn { folds, seed: 1 };
        cross_validate_weighted(&table, plan, &options, &()).unwrap_err().to_string()
    };
    assert!(refused(1).contains("2 or more") && refused(1 << 20).contains("at most one fold"));
}

#[test]
fn no_kappa_is_passed_over_when_weights_are_cross_validated() {
    let data = two_tree(24, 1_000, 1).unwrap().data;
    let rows = data.weights().iter().enumerate().map(|(row, &weight)| (data.row(row), f64::from(weight)));
    let table = WeightedTable::new(data.schema().clone(), rows, WeightKind::Counts).unwrap();
    let kappas = ["eps", "n^-0.4", "n^-0.2", "n^-0.15"].map(|kappa| kappa.parse().unwrap()).to_vec();
    let options = LearnOptions { kappas, ..LearnOptions::default() };
    let counts = WeightedCounts::new(&table);
    let counted = CountedTable::with_digest(&counts, table.schema(), || table.digest()).unwrap();
    assert!(!learn_counts(&counted, &options, &()).unwrap().passed_over.is_empty());
    let found =
        cross_validate_weighted(&table, FoldPlan::Drawn { folds: 2, seed: 5 }, &options, &()).unwrap();
    let methods: Vec<&str> = found.rows.iter().map(|row| row.method.as_str()).collect();
    assert_eq!(methods, ["CMN", "MN", "n^-0.4", "n^-0.2", "n^-0.15"]);
}

#[test]
fn scaling_order_and_threads_change_nothing() {
    let mut random = generator(1823);
    let sample = loop {
        let sample = Sample::random(&mut random);
        if sample.rows.len() > 200 && sample.cardinalities.len() > 3 {
            break sample;
        }
    };
    let weights: Vec<f64> = sample.rows.iter().map(|_| random.random_range(0.2..4.0)).collect();
    let learned = |sample: &Sample, weights: &[f64], threads: usize| {
        let table = weighted(sample, weights, WeightKind::Design);
        let counts = WeightedCounts::new(&table);
        let counted = CountedTable::with_digest(&counts, table.schema(), || table.digest()).unwrap();
        let options = LearnOptions { threads, ..LearnOptions::default() };
        let learned = learn_counts(&counted, &options, &()).unwrap();
        let models =
            learned.models.iter().map(|m| m.to_model_of(&counted, &options, &learned.search).unwrap());
        // The file records what the weights add up to as they were given.
        let without_sum = |model: cmnet::Model| {
            let mut json: serde_json::Value = serde_json::from_str(&model.to_json().unwrap()).unwrap();
            for part in ["learned", "parameters"] {
                let sum = json[part]["weights"].as_object_mut().unwrap().remove("sum").unwrap();
                assert!((sum.as_f64().unwrap() / table.sum() - 1.0).abs() < 1e-12);
            }
            json
        };
        models.map(without_sum).collect::<Vec<_>>()
    };
    let first = learned(&sample, &weights, 1);
    let larger: Vec<f64> = weights.iter().map(|w| 512.0 * w).collect();
    assert_eq!(first, learned(&sample, &larger, 2));
    let mut order: Vec<usize> = (0..sample.rows.len()).collect();
    order.shuffle(&mut random);
    let shuffled = Sample { rows: order.iter().map(|&r| sample.rows[r].clone()).collect(), ..sample.clone() };
    let theirs: Vec<f64> = order.iter().map(|&row| weights[row]).collect();
    assert_eq!(first, learned(&shuffled, &theirs, 1));
    // Equal weights are those of the rows themselves.
    let ones = Sample { weights: vec![1; sample.rows.len()], ..sample.clone() };
    let whole = learn(&ones.dataset(), &LearnOptions::default(), &()).unwrap();
    let table = weighted(&ones, &vec![0.37; ones.rows.len()], WeightKind::Design);
    assert_eq!(table.rows(), ones.dataset().rows());
    let counts = WeightedCounts::new(&table);
    let counted = CountedTable::with_digest(&counts, table.schema(), || table.digest()).unwrap();
    let found = learn_counts(&counted, &LearnOptions::default(), &()).unwrap();
    for (one, other) in whole.models.iter().zip(&found.models) {
        assert!((one.score.log_mpl.to_f64() - other.score.log_mpl.to_f64()).abs() < 1e-6);
    }
}

#[test]
fn weighted_rows_that_are_held_out_choose_a_kappa() {
    let data = two_tree(6, 200, 5).unwrap().data;
    let rows = |weight: &dyn Fn(usize) -> f64| -> Vec<(Vec<u32>, f64)> {
        let repeated =
            (0..data.distinct_rows()).flat_map(|row| vec![data.row(row); data.weights()[row] as usize]);
        repeated.enumerate().map(|(place, row)| (row, weight(place))).collect()
    };
    let table = |weight: &dyn Fn(usize) -> f64| {
        WeightedTable::new(data.schema().clone(), rows(weight), WeightKind::Design).unwrap()
    };
    let kappas = ["eps", "n^-0.5", "0.5"].map(|kappa| kappa.parse().unwrap()).to_vec();
    for select in [Select::Heldout, Select::Cv] {
        let options = LearnOptions { kappas: kappas.clone(), select, ..LearnOptions::default() };
        let (plain, equal) =
            (learn(&data, &options, &()).unwrap(), learn_weighted(&table(&|_| 1.5), &options, &()).unwrap());
        assert_eq!(equal.criterion, plain.criterion);
        let (one, other) = (plain.by_rows.unwrap(), equal.by_rows.unwrap());
        for ((kappa, one), (_, other)) in one.predictive.iter().zip(&other.predictive) {
            assert!((one.unwrap() - other.unwrap()).abs() < 1e-5, "{kappa}: {one:?} {other:?}");
        }
        assert_eq!(equal.models[0].structure, plain.models[0].structure);
        let unequal = table(&|place| if place % 3 == 0 { 4.0 } else { 0.5 });
        let weighed = learn_weighted(&unequal, &options, &()).unwrap().by_rows.unwrap();
        assert!(weighed.predictive != other.predictive && weighed.finished == weighed.parts);
    }
    let target = LearnOptions { target: Some(0), ..LearnOptions::default() };
    assert!(learn_weighted(&table(&|_| 1.5), &target, &()).is_err());
}
