//! Mixtures: against the referee and the whole outcome space, the same for any number of threads, stopped
//! anywhere.

use crate::common::{Impatient, Until, labelled};
use cmnet::{
    AnyModel, Control, Dataset, ErrorKind, Evidence, ExactOptions, IncompleteTable, LearnEvent,
    LearnObserver, LearnOptions, LearnedMixture, Mixture, MixtureFit, MixtureNetwork, MixtureOptions,
    MixturePredictor, Model, SearchObserver, Select, StopReason, Under, class_edges, learn_mixture,
};
use cmnet_check::{Class, LogLinear, Table, mixture as referee};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Two kinds of rows: in the first x0 and x1 go together, in the second x2 and x3; the columns after them tell
/// the kinds apart, and so does the level c of x0.
fn kinds(rows: u32, telling: usize) -> Dataset {
    let mut state = 17u32;
    let mut chance = |percent: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % 100 < percent
    };
    let mut row = || -> Vec<u32> {
        let first = chance(60);
        let (one, other) = (u32::from(chance(50)), u32::from(chance(50)));
        let follows = |lead: u32, same: bool| if same { lead } else { 1 - lead };
        let (same, also) = (chance(90), chance(90));
        let mut row = if first {
            vec![one, follows(one, same), u32::from(chance(20)), u32::from(chance(20))]
        } else {
            let lead = if chance(50) { 2 } else { one };
            vec![lead, u32::from(chance(70)), other, follows(other, also)]
        };
        row.extend((0..telling).map(|_| u32::from(chance(if first { 15 } else { 85 }))));
        row
    };
    let name = |level: u32| ["a", "b", "c"][level as usize];
    let labels: Vec<Vec<&str>> = (0..rows).map(|_| row().into_iter().map(name).collect()).collect();
    let names: Vec<String> = (0..4 + telling).map(|v| format!("x{v}")).collect();
    Dataset::from_labels(&names.iter().map(String::as_str).collect::<Vec<_>>(), labels).unwrap()
}

fn two_kinds(rows: u32) -> Dataset {
    kinds(rows, 1)
}

fn options() -> LearnOptions {
    LearnOptions { threads: 1, ..LearnOptions::default() }
}

fn classes(count: &str) -> MixtureOptions {
    MixtureOptions { components: count.parse().unwrap(), ..MixtureOptions::default() }
}

fn learned(data: &Dataset, count: &str) -> LearnedMixture {
    learn_mixture(data, &options(), &classes(count), &()).unwrap()
}

/// Every row of the outcome space.
fn space(cardinalities: &[u32]) -> Vec<Vec<u32>> {
    let longer = |rows: Vec<Vec<u32>>, &levels: &u32| -> Vec<Vec<u32>> {
        let with = |row: &Vec<u32>| (0..levels).map(|level| [row.as_slice(), &[level]].concat()).collect();
        rows.iter().flat_map(|row| -> Vec<Vec<u32>> { with(row) }).collect()
    };
    cardinalities.iter().fold(vec![Vec::new()], longer)
}

/// p(x) by the definition.
fn probability(mixture: &Mixture, row: &[u32]) -> f64 {
    let of_class = |one: &cmnet::Component| {
        let evaluator = one.model.fit().unwrap().parameters.evaluator();
        one.weight * libm::exp(evaluator.log_probability(row).unwrap())
    };
    mixture.components().iter().map(of_class).sum()
}

#[test]
fn classes_are_found_with_the_edges_that_hold_in_them() {
    let data = kinds(800, 5);
    let (one, two) = (learned(&data, "1"), learned(&data, "2"));
    assert!(two.mixture.bic() > one.mixture.bic());
    let found = class_edges(&two.mixture);
    let has = |ends: (usize, usize)| found.iter().find(|edge| edge.edge.ends() == ends).unwrap();
    assert_eq!((has((0, 1)).classes.len(), has((2, 3)).classes.len()), (1, 1));
    assert_ne!(has((0, 1)).classes, has((2, 3)).classes);
    let weights: Vec<f64> = two.mixture.components().iter().map(|one| one.weight).collect();
    assert!(weights.iter().all(|weight| (0.3..0.7).contains(weight)), "{weights:?}");
    assert_eq!(two.stop, StopReason::Converged);
    // One class is what is learned without classes.
    let whole = cmnet::learn(&data, &options(), &()).unwrap();
    let kept = whole.kept(data.rows()).unwrap();
    assert_eq!(one.mixture.components()[0].model.structure(), &kept.structure);
    for select in [Select::Bic, Select::Heldout] {
        let kappas = vec![cmnet::Kappa::Epsilon];
        let chosen =
            learn_mixture(&data, &LearnOptions { select, kappas, ..options() }, &classes("auto"), &())
                .unwrap();
        assert!(chosen.mixture.components().len() >= 2, "{:?}", chosen.tried);
        assert!(chosen.tried.len() >= 3);
    }
}

#[test]
fn the_referee_finds_the_same_likelihood_and_nowhere_to_go() {
    let data = two_kinds(800);
    let how = MixtureOptions { tolerance: 1e-13, max_steps: 3000, ..classes("2") };
    let mixture = learn_mixture(&data, &options(), &how, &()).unwrap().mixture;
    let wide = |row: Vec<u32>| row.into_iter().map(|level| level as usize).collect::<Vec<_>>();
    let rows = (0..data.distinct_rows()).map(|row| wide(data.row(row))).collect();
    let weights = data.weights().iter().map(|&weight| u64::from(weight)).collect();
    let table = Table::new(wide(data.schema().cardinalities()), rows, weights).unwrap();
    let class = |one: &cmnet::Component| {
        let fit = one.model.fit().unwrap();
        let model = LogLinear::new(table.cardinalities(), &labelled(one.model.structure())).unwrap();
        let mut phi = vec![0.0; model.terms().len()];
        for (term, value) in fit.parameters.iter() {
            let place = model.term_place(term.variables.as_slice(), &wide(term.levels.clone()));
            phi[place.unwrap()] = value;
        }
        Class { weight: one.weight, model, phi, pseudo_counts: fit.smoothing }
    };
    let found = referee(&table, &mixture.components().iter().map(class).collect::<Vec<_>>()).unwrap();
    let fit = mixture.fit().unwrap();
    assert!((found.log_likelihood - fit.log_likelihood).abs() < 1e-7, "{found:?}");
    assert!(fit.converged, "{fit:?}");
    assert!(found.weight_gap < 1e-5 && found.gradient < 1e-5, "{found:?}");
}

#[test]
fn a_ladder_that_is_cut_says_so_and_keeps_its_best() {
    let data = kinds(800, 5);
    let options = LearnOptions { kappas: vec![cmnet::Kappa::Epsilon], ..options() };
    for reason in [StopReason::TimeLimit, StopReason::Interrupted] {
        let at_three = Until::new(reason, |event| matches!(event, LearnEvent::Component { of: 3, .. }));
        let found = learn_mixture(&data, &options, &classes("auto"), &at_three).unwrap();
        assert_eq!((found.stop, found.mixture.components().len()), (reason, 2), "{:?}", found.tried);
    }
}

/// Each step of EM raises the log-likelihood, but for what smoothing takes.
#[test]
fn em_climbs() {
    struct Steps(std::sync::Mutex<Vec<f64>>);
    impl Control for Steps {}
    impl SearchObserver for Steps {}
    impl LearnObserver for Steps {
        fn observe_learning(&self, event: &LearnEvent<'_>) {
            if let LearnEvent::Mixed { log_likelihood, .. } = event {
                self.0.lock().unwrap().push(*log_likelihood);
            }
        }
    }
    let steps = Steps(std::sync::Mutex::default());
    let mut how = options();
    how.fit.smoothing = 1e-9;
    learn_mixture(&two_kinds(500), &how, &classes("3"), &steps).unwrap();
    let steps = steps.0.into_inner().unwrap();
    assert!(steps.len() > 3);
    assert!(steps.windows(2).all(|pair| pair[1] > pair[0] - 1e-9), "{steps:?}");
}

/// A mixture to ask, and its variables' numbers of levels.
fn asked() -> (Dataset, Mixture, MixtureNetwork) {
    let data = two_kinds(600);
    let mixture = learned(&data, "3").mixture;
    let network = mixture.network().unwrap();
    (data, mixture, network)
}

#[test]
fn answers_are_those_of_the_whole_outcome_space() {
    let (data, mixture, network) = asked();
    let rows = space(&data.schema().cardinalities());
    let exact = ExactOptions::default();
    let mut given = Evidence::read(data.schema(), "x1=b").unwrap();
    given.weigh(data.schema(), 4, &[0.25, 1.0]).unwrap();
    let weight = |row: &Vec<u32>| {
        if row[1] == 1 { probability(&mixture, row) * [0.25, 1.0][row[4] as usize] } else { 0.0 }
    };
    let total: f64 = rows.iter().map(weight).sum();
    let answer = network.marginals(&[0, 3], &given, &exact).unwrap();
    assert!((libm::exp(answer.classes.log_evidence) - total).abs() < 1e-12);
    for (target, found) in &answer.marginals {
        for (level, p) in (0..).zip(found) {
            let sum: f64 = rows.iter().filter(|row| row[*target] == level).map(weight).sum();
            assert!((p - sum / total).abs() < 1e-12);
        }
    }
    let joint = network.joint(&[3, 0], &given, &exact).unwrap();
    for (levels, p) in joint.iter() {
        let here = |row: &&Vec<u32>| row[3] == levels[0] && row[0] == levels[1];
        assert!((p - rows.iter().filter(here).map(weight).sum::<f64>() / total).abs() < 1e-12);
    }
    let best = rows.iter().max_by(|one, other| weight(one).total_cmp(&weight(other))).unwrap();
    let found = network.maximum(None, &given, &exact).unwrap();
    assert!(found.is_proven() && found.levels.iter().all(|&(v, level)| best[v] == level), "{found:?}");
    assert!((found.log_probability - libm::log(weight(best) / total)).abs() < 1e-9);
    let some = network.maximum(Some(&[3, 0]), &given, &exact).unwrap();
    let most = joint.iter().max_by(|one, other| one.1.total_cmp(&other.1)).unwrap();
    assert_eq!(some.levels, [(0, most.0[1]), (3, most.0[0])]);
}

/// The best row of all need not be the best of any class.
#[test]
fn the_most_probable_row_is_found_whatever_the_classes_prefer() {
    for seed in 1..8 {
        let data = two_kinds(40 + 13 * seed);
        let mixture = learned(&data, "4").mixture;
        let found =
            mixture.network().unwrap().maximum(None, &Evidence::none(), &ExactOptions::default()).unwrap();
        let all = space(&data.schema().cardinalities());
        let best = all.iter().map(|row| probability(&mixture, row)).fold(0.0, f64::max);
        assert!(found.is_proven());
        assert!((libm::exp(found.log_probability) - best).abs() < 1e-9 * best, "seed {seed}: {found:?}");
    }
}

#[test]
fn predictions_sum_out_what_is_missing_and_evaluation_counts_every_row() {
    let (data, mixture, network) = asked();
    let rows = space(&data.schema().cardinalities());
    let mut predictor = MixturePredictor::new(&network, 0, &ExactOptions::default(), &()).unwrap();
    for known in [vec![None, Some(1), Some(0), Some(1), Some(1)], vec![Some(2), None, Some(0), None, Some(1)]]
    {
        let fits = |row: &&Vec<u32>| (1..5).all(|v| known[v].is_none_or(|level| row[v] == level));
        let mut expected = vec![0.0; 3];
        rows.iter().filter(fits).for_each(|row| expected[row[0] as usize] += probability(&mixture, row));
        let sum: f64 = expected.iter().sum();
        let found = predictor.predict(&known).unwrap();
        for (p, expected) in found.probabilities.iter().zip(&expected) {
            assert!((p - expected / sum).abs() < 1e-12);
        }
    }
    let found = mixture.evaluate(&data, &()).unwrap();
    let (mut whole, mut pseudo) = (0.0, 0.0);
    for (row, &weight) in data.weights().iter().enumerate() {
        let levels = data.row(row);
        let p = probability(&mixture, &levels);
        whole += f64::from(weight) * libm::log(p);
        for v in 0..levels.len() {
            let with = |level| {
                let mut other = levels.clone();
                other[v] = level;
                probability(&mixture, &other)
            };
            let all: f64 = (0..data.schema().cardinalities()[v]).map(with).sum();
            pseudo += f64::from(weight) * libm::log(p / all);
        }
    }
    let rows = data.rows() as f64;
    assert!((found.log_likelihood.unwrap() - whole / rows).abs() < 1e-10);
    assert!((found.pseudo_log_likelihood - pseudo / rows).abs() < 1e-10);
    assert!((mixture.fit().unwrap().log_likelihood - whole).abs() < 1e-8);
}

#[test]
fn rows_are_drawn_from_the_mixture() {
    let (data, _, network) = asked();
    let exact = ExactOptions::default();
    let given = Evidence::read(data.schema(), "x4=b").unwrap();
    let sampler = network.sampler(&given, 5, Under::from(&exact)).unwrap();
    let drawn = sampler.rows(0..20_000).unwrap();
    assert_eq!(drawn[300..310], sampler.rows(300..310).unwrap());
    let expected = network.marginals(&[0], &given, &exact).unwrap().marginals[0].1.clone();
    for (level, p) in (0..).zip(expected) {
        let share = drawn.iter().filter(|row| row[0] == level).count() as f64 / 20_000.0;
        assert!((share - p).abs() < 0.015, "{share} and not {p}");
    }
    assert!(drawn.iter().all(|row| row[4] == 1));
}

#[test]
fn files_come_back_and_threads_change_nothing() {
    let data = two_kinds(700);
    let one = learned(&data, "3").mixture;
    let text = one.to_json().unwrap();
    let two = learn_mixture(&data, &LearnOptions { threads: 3, ..options() }, &classes("3"), &()).unwrap();
    assert_eq!(two.mixture.to_json().unwrap(), text);
    assert_eq!(Mixture::from_json(&text, "m").unwrap(), one);
    assert_eq!(AnyModel::from_json(&text, "m").unwrap(), AnyModel::Mixture(one.clone()));
    let refused = Model::from_json(&text, "m").unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::Model { .. }));
    assert!(refused.to_string().contains("this is a mixture of networks"), "{refused}");
    let wrong = text.replacen("\"weight\": 0.", "\"weight\": 0.9", 1);
    assert!(Mixture::from_json(&wrong, "m").unwrap_err().to_string().contains("sum to"));
    let other = learn_mixture(&data, &options(), &MixtureOptions { seed: 2, ..classes("3") }, &()).unwrap();
    assert_ne!(other.mixture.to_json().unwrap(), text);
}

#[test]
fn numbers_that_are_not_finite_are_not_written() {
    let one = learned(&two_kinds(300), "2").mixture;
    let fit = one.fit().unwrap();
    let facts = [
        MixtureFit { log_likelihood: f64::NAN, ..fit.clone() },
        MixtureFit { gain: f64::INFINITY, ..fit.clone() },
    ];
    for wrong in facts {
        let mixture = Mixture::new(one.components().to_vec(), Some(wrong)).unwrap();
        let refused = mixture.to_json().unwrap_err().to_string();
        assert!(refused.contains("not finite, so it cannot be written"), "{refused}");
    }
}

#[test]
fn what_has_no_meaning_is_refused_by_name() {
    let data = two_kinds(50);
    let mut pseudo = options();
    pseudo.fit.method = cmnet::FitMethod::Pseudo;
    let target = LearnOptions { target: Some(1), ..options() };
    let none = LearnOptions { select: Select::None, ..options() };
    for (how, word) in [(pseudo, "method"), (target, "target"), (none, "select")] {
        let refused = learn_mixture(&data, &how, &classes("2"), &()).unwrap_err().to_string();
        assert!(refused.contains(word), "{refused}");
    }
    let mut small = options();
    small.fit.memory = 16;
    let refused = learn_mixture(&data, &small, &classes("2"), &()).unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::Limit(_)), "{refused}");
}

/// Stops after so many questions.
struct Stopper(Impatient, AtomicUsize);

impl Control for Stopper {
    fn stop(&self) -> Option<StopReason> {
        self.0.stop()
    }
}
impl SearchObserver for Stopper {}
impl LearnObserver for Stopper {
    fn observe_learning(&self, event: &LearnEvent<'_>) {
        if matches!(event, LearnEvent::Component { .. }) {
            self.1.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_stop_anywhere_keeps_a_whole_mixture() {
    let data = two_kinds(300);
    let patient = Stopper(Impatient::new(usize::MAX), AtomicUsize::new(0));
    let whole = learn_mixture(&data, &options(), &classes("3"), &patient).unwrap();
    assert_eq!(patient.1.load(Ordering::Relaxed), 4);
    let asked = patient.0.asked();
    for patience in [0, asked / 4, asked / 2, asked - 1] {
        let stopped = Stopper(Impatient::new(patience), AtomicUsize::new(0));
        let found = learn_mixture(&data, &options(), &classes("3"), &stopped).unwrap();
        assert_eq!(found.stop, StopReason::TimeLimit, "after {patience} of {asked}");
        assert!(!found.mixture.components().is_empty());
        assert!(found.mixture.evaluate(&data, &()).unwrap().log_likelihood.is_some());
    }
    assert_eq!(whole.stop, StopReason::Converged);
}

/// Wherever the ladder is interrupted there is a mixture, also while the first network is fitted.
#[test]
fn a_ladder_that_is_interrupted_anywhere_keeps_what_it_has() {
    let data = two_kinds(40);
    for select in [Select::Bic, Select::Heldout, Select::Cv] {
        let kappas = vec![cmnet::Kappa::Epsilon];
        let options = LearnOptions { kappas, select, threads: 1, ..options() };
        let patient = Impatient::interrupting(usize::MAX);
        let whole = learn_mixture(&data, &options, &classes("auto"), &patient).unwrap();
        assert_eq!(whole.stop, StopReason::Converged);
        let asked = patient.asked();
        let some = (0..40).chain((40..asked).step_by(asked / 12 + 1));
        for patience in some.chain([asked - 1]) {
            let stopped = Impatient::interrupting(patience);
            let found = learn_mixture(&data, &options, &classes("auto"), &stopped);
            let found = found.unwrap_or_else(|error| panic!("{select}, {patience} of {asked}: {error}"));
            assert_eq!(found.stop, StopReason::Interrupted, "{select}, {patience} of {asked}");
            assert!(found.mixture.evaluate(&data, &()).unwrap().log_likelihood.is_some());
        }
    }
}

#[test]
fn what_is_known_of_a_row_is_summed_over_the_rest() {
    let data = two_kinds(400);
    let mixture = learned(&data, "2").mixture;
    let mut table = IncompleteTable::new(data.schema().clone());
    let holes = [vec![Some(0), None, Some(1), None, Some(0)], vec![None; 5], vec![Some(1); 5]];
    for row in &holes {
        table.push(row, 2).unwrap();
    }
    let cardinalities = data.schema().cardinalities();
    let matches = |row: &[u32], known: &[Option<u32>]| {
        row.iter().zip(known).all(|(level, known)| known.is_none_or(|known| known == *level))
    };
    let log = |known: &Vec<Option<u32>>| -> f64 {
        let rows = space(&cardinalities).into_iter().filter(|row| matches(row, known));
        libm::log(rows.map(|row| probability(&mixture, &row)).sum())
    };
    let found = mixture.evaluate_incomplete(&table, 1 << 28, &()).unwrap();
    let expected = holes.iter().map(log).sum::<f64>() / 3.0;
    assert!((found.log_likelihood - expected).abs() < 1e-9, "{} {expected}", found.log_likelihood);
    assert_eq!((found.rows, found.incomplete_rows, found.parameters), (6, 4, mixture.free_parameters()));
    let whole = mixture.evaluate_incomplete(&IncompleteTable::of(&data), 1 << 28, &()).unwrap();
    let plain = mixture.evaluate(&data, &()).unwrap();
    assert!((whole.log_likelihood - plain.log_likelihood.unwrap()).abs() < 1e-9);
}
