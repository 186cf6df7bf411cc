//! Ensembles: means of their networks' answers, the same for any number of threads, stopped anywhere, and drawn
//! once more from their files.

use crate::common::Impatient;
use cmnet::{
    AnyModel, BootstrapOptions, Control, DataDigest, Dataset, Ensemble, ErrorKind, Evidence, ExactOptions,
    FitMethod, LearnObserver, LearnOptions, Member, Model, Predictor, Resample, SearchObserver, Spread,
    StopReason, bootstrap, fit,
};
use cmnet_paper::generate::two_tree;

fn options(replicates: u64, threads: usize) -> BootstrapOptions {
    let learn = LearnOptions { kappas: vec!["n^-0.5".parse().unwrap()], threads, ..LearnOptions::default() };
    BootstrapOptions { replicates, learn, ..BootstrapOptions::default() }
}

fn table() -> Dataset {
    two_tree(6, 300, 3).unwrap().data
}

fn made(data: &Dataset, how: &BootstrapOptions) -> Ensemble {
    bootstrap(data, how, &()).unwrap().ensemble(data, how, &()).unwrap().unwrap()
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-12
}

fn check(found: &Spread, values: &[f64], scale: f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    assert!(near(found.mean, mean), "{found:?}");
    assert!(near(found.deviation.unwrap(), variance.sqrt()));
    assert!(near(found.error.unwrap(), variance.sqrt() * scale));
    let (low, high) = (values.iter().copied().reduce(f64::min), values.iter().copied().reduce(f64::max));
    assert!(low.unwrap() <= found.range[0] && found.range[1] <= high.unwrap());
    assert!(found.range[0] <= found.range[1]);
}

#[test]
fn answers_are_means_of_the_networks_answers() {
    let data = table();
    let ensemble = made(&data, &options(12, 2));
    assert_eq!((ensemble.members().len(), ensemble.left_out()), (12, 0));
    // Parts of 0.632: (n - m) / m of the variance.
    let scale = (0.632f64 / 0.368).sqrt();
    let network = ensemble.network().unwrap();
    let exact = ExactOptions::default();
    for text in ["", "x0=1", "x1=0,x4=1"] {
        let mut given = Evidence::none();
        for one in text.split(',').filter(|one| !one.is_empty()) {
            given.add(network.schema(), one).unwrap();
        }
        let targets = network.free(&given).unwrap();
        let answer = network.marginals(&targets, &given, &exact).unwrap();
        let single = |member: &Member| {
            let network = member.model.network().unwrap();
            let found = network.query().evidence(given.clone()).run().unwrap();
            (found.marginals, found.log_evidence)
        };
        let singles: Vec<_> = ensemble.members().iter().map(single).collect();
        for (place, (v, spreads)) in answer.marginals.iter().enumerate() {
            for (level, spread) in spreads.iter().enumerate() {
                let values: Vec<f64> = singles.iter().map(|(found, _)| found[place].1[level]).collect();
                assert!(singles.iter().all(|(found, _)| found[place].0 == *v));
                check(spread, &values, scale);
            }
        }
        let chances: f64 = singles.iter().map(|(_, log)| libm::exp(log.unwrap_or(0.0))).sum();
        assert!(near(answer.log_evidence, libm::log(chances / 12.0)), "{text}");
    }
}

#[test]
fn predictions_are_means_with_and_without_holes() {
    let data = table();
    let ensemble = made(&data, &BootstrapOptions { resample: Resample::Rows, ..options(7, 1) });
    assert!(near(ensemble.drawn().scale().unwrap(), 1.0));
    let (network, exact) = (ensemble.network().unwrap(), ExactOptions::default());
    let mut predictor = cmnet::EnsemblePredictor::new(&network, 2, &exact, &()).unwrap();
    for row in 0..data.distinct_rows().min(20) {
        let whole: Vec<Option<u32>> = data.row(row).into_iter().map(Some).collect();
        let holes: Vec<Option<u32>> =
            whole.iter().enumerate().map(|(v, level)| level.filter(|_| (v + row) % 3 > 0)).collect();
        for row in [whole, holes] {
            let found = predictor.predict(&row).unwrap();
            let one = |network| Predictor::new(network, 2, &exact).unwrap().predict(&row).unwrap();
            let singles: Vec<_> = network.networks().iter().map(one).collect();
            for (level, spread) in found.spreads.iter().enumerate() {
                let values: Vec<f64> = singles.iter().map(|single| single.probabilities[level]).collect();
                check(spread, &values, 1.0);
                assert_eq!(found.prediction.probabilities[level].to_bits(), spread.mean.to_bits());
            }
            let best = found.prediction.probabilities.iter().copied().reduce(f64::max).unwrap();
            assert_eq!(
                found.prediction.probabilities[found.prediction.level as usize].to_bits(),
                best.to_bits()
            );
        }
    }
}

#[test]
fn a_member_is_the_fit_of_its_own_resample() {
    let data = table();
    let how = options(6, 1);
    let ensemble = made(&data, &how);
    for member in ensemble.members() {
        let drawn = ensemble.redraw(member, &data).unwrap();
        assert_eq!(drawn.rows(), 190);
        let fitted = member.model.fit().unwrap();
        assert_eq!(fitted.digest, Some(DataDigest::of(&drawn)));
        let again = fit(member.model.structure(), &drawn, &how.learn.fit).unwrap();
        for ((_, one), (_, other)) in fitted.parameters.iter().zip(again.parameters.iter()) {
            assert!((one - other).abs() < 1e-9);
        }
    }
    let other = two_tree(6, 300, 4).unwrap().data;
    let refused = ensemble.redraw(&ensemble.members()[0], &other).unwrap_err().to_string();
    assert!(refused.contains("not the table that was resampled"), "{refused}");
}

#[test]
fn files_come_back_and_threads_change_nothing() {
    let data = table();
    let mut how = options(9, 1);
    let ensemble = made(&data, &how);
    let text = ensemble.to_json().unwrap();
    for threads in [2, 5] {
        how.learn.threads = threads;
        assert_eq!(made(&data, &how).to_json().unwrap(), text);
    }
    assert_eq!(Ensemble::from_json(&text, "e").unwrap(), ensemble);
    assert_eq!(AnyModel::from_json(&text, "e").unwrap(), AnyModel::Ensemble(ensemble.clone()));
    let refused = Model::from_json(&text, "e").unwrap_err().to_string();
    assert!(refused.contains("this is an ensemble of networks, and one network is expected"), "{refused}");
    // A file that was damaged says where.
    let damaged = [
        ("\"replicate\": 3", "\"replicate\": 2", "members: network 4 is of replicate 2"),
        ("\"replicate\": 0,", "", "members[0]: missing field `replicate`"),
        ("\"share\": 0.632", "\"share\": 1.5", "drawn.share: 1.5; expected a share"),
        ("\"resample\": \"part\"", "\"resample\": \"some\"", "drawn.resample"),
        ("\"rows\": 300", "\"rows\": 0", "drawn.rows: 0; expected at least 1"),
        ("sha256:", "sha1:", "drawn.digest"),
        ("\"replicates\": 9", "\"replicates\": 5", "members: network 6 is of replicate 5"),
        ("\"x5\"", "\"y5\"", "members[0]."),
    ];
    for (from, to, told) in damaged {
        let wrong = text.replacen(from, to, 1);
        assert_ne!(wrong, text, "{from}");
        let refused = Ensemble::from_json(&wrong, "e").unwrap_err();
        assert!(matches!(refused.kind(), ErrorKind::Model { .. }), "{refused}");
        assert!(refused.to_string().contains(told), "{refused} has no {told}");
    }
    assert!(Ensemble::from_json(&text[..text.len() / 2], "e").is_err());
}

#[test]
fn what_has_no_meaning_is_refused_by_name() {
    let data = table();
    let mut how = options(4, 1);
    let found = bootstrap(&data, &how, &()).unwrap();
    how.learn.fit.method = FitMethod::Pseudo;
    let refused = found.ensemble(&data, &how, &()).unwrap_err().to_string();
    assert!(refused.contains("method") && refused.contains("exact"), "{refused}");
    how.learn.fit.method = FitMethod::Auto;
    how.learn.fit.memory = 16;
    let refused = found.ensemble(&data, &how, &()).unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::Limit(_)), "{refused}");
    let ensemble = made(&data, &options(4, 1));
    let mut members = ensemble.members().to_vec();
    let foreign = two_tree(5, 300, 3).unwrap().data;
    members[2].model = made(&foreign, &options(1, 1)).members()[0].model.clone();
    let refused = Ensemble::new(members, ensemble.drawn().clone()).unwrap_err().to_string();
    assert!(refused.contains("network 3 has other variables"), "{refused}");
    let refused = Ensemble::new(Vec::new(), ensemble.drawn().clone()).unwrap_err().to_string();
    assert!(refused.contains("at least one network"), "{refused}");
}

/// Stops after so many questions.
struct Stopper(Impatient);

impl Control for Stopper {
    fn stop(&self) -> Option<StopReason> {
        self.0.stop()
    }
}
impl SearchObserver for Stopper {}
impl LearnObserver for Stopper {}

#[test]
fn a_stop_anywhere_leaves_the_networks_of_fewer_replicates() {
    let data = table();
    let how = options(6, 1);
    let found = bootstrap(&data, &how, &()).unwrap();
    let whole = found.ensemble(&data, &how, &()).unwrap().unwrap();
    let patient = Stopper(Impatient::new(usize::MAX));
    found.ensemble(&data, &how, &patient).unwrap();
    let asked = patient.0.asked();
    for patience in (0..asked).step_by(1 + asked / 12) {
        let stopped = found.ensemble(&data, &how, &Stopper(Impatient::new(patience))).unwrap();
        let Some(stopped) = stopped else { continue };
        let count = stopped.members().len();
        assert_eq!(stopped.members(), &whole.members()[..count], "after {patience} of {asked}");
        let fewer = made(&data, &options(count as u64, 1));
        assert_eq!(stopped.to_json().unwrap(), fewer.to_json().unwrap());
    }
}
