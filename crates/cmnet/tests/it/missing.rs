//! Tables with holes: EM against a direct optimiser of the likelihood of what is known, and
//! imputation.

use crate::common::{Impatient, Sample, generator, labelled, random_structure};
use cmnet::{
    Fill, FitOptions, FitStatus, Imputer, IncompleteTable, Model, Outcome, StopReason, Structure, fit,
    fit_incomplete,
};
use cmnet_check::{HoledRow, LogLinear, configurations, observed_maximum};
use rand::Rng;

/// A table of few variables with holes: each cell is missing with this probability, or with more where
/// the first variable is 0, which is missing nowhere then.
fn holed(rng: &mut impl Rng, share: f64, dependent: bool) -> (Sample, IncompleteTable) {
    let mut sample = Sample::random(rng);
    let variables = sample.cardinalities.len().min(4);
    sample.cardinalities.truncate(variables);
    sample.cardinalities.iter_mut().for_each(|levels| *levels = (*levels).min(3));
    for row in &mut sample.rows {
        row.truncate(variables);
        row.iter_mut().zip(&sample.cardinalities).for_each(|(level, levels)| *level %= levels);
    }
    let mut table = IncompleteTable::new(sample.dataset().schema().clone());
    for (row, &weight) in sample.rows.iter().zip(&sample.weights) {
        let more = if dependent && row[0] == 0 { 2.0 } else { 1.0 };
        let hole =
            |v: usize, rng: &mut dyn rand::RngCore| !(dependent && v == 0) && rng.random_bool(share * more);
        let levels: Vec<Option<u32>> = (0..variables).map(|v| (!hole(v, rng)).then_some(row[v])).collect();
        table.push(&levels, weight.into()).unwrap();
    }
    (sample, table)
}

fn to_referee(table: &IncompleteTable) -> Vec<HoledRow> {
    table.iter().map(|(row, weight)| (row.iter().map(|l| l.map(|l| l as usize)).collect(), weight)).collect()
}

fn done<T>(outcome: Outcome<T>) -> T {
    outcome.done().unwrap()
}

#[test]
fn em_knows_the_boundary_as_fits_of_complete_tables_do() {
    let mut structure = Structure::empty(&[2, 2]);
    structure.toggle_edge(cmnet::Edge::new(0, 1).unwrap()).unwrap();
    let schema = Sample { cardinalities: vec![2, 2], rows: vec![vec![0, 0]], weights: vec![1] };
    let schema = schema.dataset().schema().clone();
    let complete = [([Some(0), Some(0)], 40), ([Some(0), Some(1)], 40), ([Some(1), Some(1)], 40)];
    let holes = [([None, Some(0)], 20), ([None, Some(1)], 20)];
    let table = |rows: &[([Option<u32>; 2], u64)]| {
        let mut table = IncompleteTable::new(schema.clone());
        for (row, weight) in rows {
            table.push(row, *weight).unwrap();
        }
        table
    };
    for smoothing in [0.0, 1.0] {
        let options = FitOptions { smoothing, ..FitOptions::default() };
        let found = |rows: &[_]| done(fit_incomplete(&structure, &table(rows), &options, &()).unwrap()).fit;
        let (whole, holed) = (found(&complete), found(&[&complete[..], &holes[..]].concat()));
        // Nobody has a = 1 and b = 0. With b alone known, the likelihood is that of b's share.
        assert_eq!((whole.status, holed.status), (FitStatus::Boundary, FitStatus::Boundary));
        assert_eq!(whole.boundary, holed.boundary);
        let of = |count: f64, sum: f64| count * libm::log(count / sum);
        let margin = of(60.0, 160.0) + of(100.0, 160.0);
        let supremum = margin + of(40.0, 80.0) + of(40.0, 80.0);
        assert!((holed.log_likelihood.unwrap() - supremum).abs() < 1e-6, "{:?}", holed.log_likelihood);
        assert!(holed.gradient < 1e-6, "{}", holed.gradient);
    }
}

#[test]
fn em_reaches_the_maximum_that_the_referee_finds() {
    let mut rng = generator(1801);
    let (mut cases, mut contexts, mut equal) = (0, 0, 0);
    while cases < 11 {
        let share = [0.05, 0.2, 0.4][cases % 3];
        let (sample, table) = holed(&mut rng, share, cases % 2 == 1);
        let known = (0..sample.cardinalities.len()).all(|v| table.missing(v) < table.rows());
        if table.rows() < 60 || !known {
            continue;
        }
        let structure = random_structure(&mut rng, &sample.cardinalities, 0.7);
        let options = FitOptions::default();
        let found = done(fit_incomplete(&structure, &table, &options, &()).unwrap());
        let cardinalities: Vec<usize> = sample.cardinalities.iter().map(|&r| r as usize).collect();
        let model = LogLinear::new(&cardinalities, &labelled(&structure)).unwrap();
        let expected = observed_maximum(&model, &to_referee(&table), 1.0).unwrap();
        assert!(expected.gradient_norm < 1e-6, "case {cases}: {}", expected.gradient_norm);
        let evaluator = found.fit.parameters.evaluator();
        for (x, log_p) in configurations(&cardinalities).unwrap().iter().zip(&expected.log_probabilities) {
            let row: Vec<u32> = x.iter().map(|&level| level as u32).collect();
            let ours = libm::exp(evaluator.log_probability(&row).unwrap());
            assert!(
                (ours - libm::exp(*log_p)).abs() < 1e-6,
                "case {cases}: {ours} and not {}",
                libm::exp(*log_p)
            );
        }
        let bare = observed_maximum(&model, &to_referee(&table), 0.0).unwrap();
        let ll = found.fit.log_likelihood.unwrap();
        // Not concave, and with a supremum at infinity: the referee may end at a lower maximum.
        let tolerance = 1e-6 * table.rows() as f64;
        assert!(ll > bare.log_likelihood - tolerance, "case {cases}: {ll} {bare:?}");
        equal += usize::from(ll < bare.log_likelihood + tolerance);
        let rising = found.steps.windows(2).all(|pair| pair[1] >= pair[0]);
        assert!(
            rising && found.fit.status != FitStatus::IterationLimit,
            "case {cases}: {:?}",
            found.fit.status
        );
        assert_eq!(found.fit.rows, table.rows());
        contexts += structure.context_elements();
        cases += 1;
    }
    assert!(contexts > 5 && equal >= 10, "{contexts} {equal}");
}

#[test]
fn a_table_without_holes_is_fitted_as_ever_and_order_does_not_matter() {
    let mut rng = generator(1802);
    for _ in 0..4 {
        let (sample, table) = holed(&mut rng, 0.2, false);
        let data = sample.dataset();
        let structure = random_structure(&mut rng, &sample.cardinalities, 0.6);
        let options = FitOptions::default();
        let complete = done(fit_incomplete(&structure, &IncompleteTable::of(&data), &options, &()).unwrap());
        assert_eq!(complete.fit, fit(&structure, &data, &options).unwrap());
        let mut backwards = IncompleteTable::new(table.schema().clone());
        let rows: Vec<_> = table.iter().collect();
        rows.iter().rev().for_each(|(row, weight)| backwards.push(row, *weight).unwrap());
        assert_eq!(backwards, table);
        if (0..sample.cardinalities.len()).any(|v| table.missing(v) == table.rows()) {
            continue;
        }
        let fitted = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| done(fit_incomplete(&structure, &table, &options, &()).unwrap()))
        };
        assert_eq!(fitted(1), fitted(2));
        let stopped = fit_incomplete(&structure, &table, &options, &Impatient::new(3)).unwrap();
        assert!(table.incomplete_rows() == 0 || matches!(stopped, Outcome::Stopped(StopReason::TimeLimit)));
    }
}

#[test]
fn a_column_that_is_missing_throughout_is_refused_by_name() {
    let sample = Sample { cardinalities: vec![2, 2], rows: vec![vec![0, 1]], weights: vec![1] };
    let mut table = IncompleteTable::new(sample.dataset().schema().clone());
    table.push(&[Some(0), None], 5).unwrap();
    let refused = fit_incomplete(&Structure::empty(&[2, 2]), &table, &FitOptions::default(), &());
    assert!(refused.unwrap_err().to_string().contains("every value of \"x1\" is missing"));
}

#[test]
fn draws_follow_the_model_and_the_most_probable_values_are_its_mode() {
    let mut rng = generator(1803);
    let (sample, _) = holed(&mut rng, 0.2, false);
    let data = sample.dataset();
    let structure = random_structure(&mut rng, &sample.cardinalities, 1.0);
    let fitted = fit(&structure, &data, &FitOptions::default()).unwrap();
    let network = Model::new(data.schema().clone(), structure).unwrap().with_fit(fitted.clone()).unwrap();
    let network = network.network().unwrap();
    let imputer = Imputer::new(&network, 1 << 24);
    let mut row: Vec<Option<u32>> = vec![Some(0); sample.cardinalities.len()];
    *row.last_mut().unwrap() = None;
    let last = sample.cardinalities.len() - 1;
    let known: Vec<u32> = vec![0; sample.cardinalities.len()];
    let expected = fitted.parameters.evaluator().conditional(last, &known);
    let draws = 4000;
    let mut counts = vec![0.0; expected.len()];
    for number in 0..draws {
        let filled = imputer.fill(&row, Fill::Draw { seed: 7 }, number, &()).unwrap();
        assert!(filled[..last].iter().all(|&level| level == 0));
        counts[filled[last] as usize] += 1.0 / draws as f64;
    }
    for (count, p) in counts.iter().zip(&expected) {
        assert!(
            (count - p).abs() < 4.5 * (p * (1.0 - p) / draws as f64).sqrt() + 1e-9,
            "{counts:?} {expected:?}"
        );
    }
    let mode = imputer.fill(&row, Fill::MostProbable, 0, &()).unwrap()[last] as usize;
    assert!(expected.iter().all(|p| *p <= expected[mode]));
    let mut table = IncompleteTable::new(data.schema().clone());
    table.push(&row, 50).unwrap();
    let one = imputer.complete(&table, Fill::Draw { seed: 1 }, &()).unwrap().unwrap();
    assert_eq!(one, imputer.complete(&table, Fill::Draw { seed: 1 }, &()).unwrap().unwrap());
    assert_eq!(one.rows(), 50);
}
