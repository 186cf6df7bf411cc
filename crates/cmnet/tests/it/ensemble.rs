//! Ensembles: means of their networks' answers, the same for any number of threads, stopped anywhere, and drawn
//! once more from their files.

use crate::common::Impatient;
use cmnet::{
    AnyModel, BootstrapOptions, DataDigest, Dataset, Ensemble, ErrorKind, Evidence, ExactOptions, FitMethod,
    IncompleteTable, LearnOptions, Member, Model, Predictor, Resample, Spread, bootstrap,
    evaluate_incomplete, fit,
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
fn joints_and_rows_are_means_of_what_the_networks_list() {
    let data = table();
    let ensemble = made(&data, &options(8, 1));
    let (network, exact) = (ensemble.network().unwrap(), ExactOptions::default());
    let given = Evidence::read(network.schema(), "x0=1").unwrap();
    let targets = [4, 1, 2];
    let joint = network.joint(&targets, &given, &exact).unwrap();
    let singles: Vec<_> = network
        .networks()
        .iter()
        .map(|one| one.query().evidence(given.clone()).about(&targets).unwrap().joint().unwrap().joint)
        .collect();
    for (cell, &p) in joint.probabilities().iter().enumerate() {
        let mean = singles.iter().map(|one| one.probabilities()[cell]).sum::<f64>() / 8.0;
        assert!(near(p, mean));
    }
    assert!((joint.probabilities().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    // The distribution of a single variable is that of its own question.
    let alone = network.marginals(&[1], &given, &exact).unwrap();
    for (p, spread) in joint.marginal(&[1]).probabilities().iter().zip(&alone.marginals[0].1) {
        assert!(near(*p, spread.mean));
    }
    // Rows, from probabilities that the referee lists.
    let found = ensemble.evaluate(&data, &()).unwrap();
    let spaces: Vec<Vec<f64>> = ensemble.members().iter().map(listed).collect();
    let (mut whole, mut pseudo, mut each) = (0.0, 0.0, vec![0.0; 8]);
    let cardinalities: Vec<usize> = data.schema().cardinalities().iter().map(|&r| r as usize).collect();
    for (row, &weight) in data.weights().iter().enumerate() {
        let levels: Vec<usize> = data.row(row).iter().map(|&level| level as usize).collect();
        let weight = f64::from(weight) / data.rows() as f64;
        let at = |levels: &[usize], space: &[f64]| space[cmnet_check::position(levels, &cardinalities)];
        let mean = |of: &dyn Fn(&Vec<f64>) -> f64| spaces.iter().map(of).sum::<f64>() / 8.0;
        whole += weight * libm::log(mean(&|space| at(&levels, space)));
        each.iter_mut().zip(&spaces).for_each(|(sum, space)| *sum += weight * libm::log(at(&levels, space)));
        for v in 0..levels.len() {
            let conditional = |space: &Vec<f64>| {
                let with = |level: usize| {
                    let mut other = levels.clone();
                    other[v] = level;
                    at(&other, space)
                };
                with(levels[v]) / (0..cardinalities[v]).map(with).sum::<f64>()
            };
            pseudo += weight * libm::log(mean(&conditional));
        }
    }
    assert_eq!(found.rows, data.rows());
    assert!((found.log_likelihood - whole).abs() < 1e-9, "{found:?} {whole}");
    assert!((found.pseudo_log_likelihood - pseudo).abs() < 1e-9, "{found:?} {pseudo}");
    assert!((found.alone.mean - each.iter().sum::<f64>() / 8.0).abs() < 1e-9);
    assert!(found.log_likelihood >= found.alone.mean);
}

/// The probability of every outcome of a network, by the referee's list of the joint space.
fn listed(member: &Member) -> Vec<f64> {
    let (schema, fit) = (member.model.schema(), member.model.fit().unwrap());
    let cardinalities: Vec<usize> = schema.cardinalities().iter().map(|&levels| levels as usize).collect();
    let weight = |outcome: &Vec<usize>| {
        let holds = |term: &cmnet::Term| {
            term.variables.iter().zip(&term.levels).all(|(v, &level)| outcome[v] == level as usize)
        };
        libm::exp(fit.parameters.iter().filter(|(term, _)| holds(term)).map(|(_, phi)| phi).sum())
    };
    let weights: Vec<f64> = cmnet_check::configurations(&cardinalities).unwrap().iter().map(weight).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}

#[test]
fn the_consensus_is_that_of_the_bootstrap_and_strengths_are_means() {
    let data = table();
    let how = options(10, 1);
    let found = bootstrap(&data, &how, &()).unwrap();
    let ensemble = found.ensemble(&data, &how, &()).unwrap().unwrap();
    let agreed = ensemble.consensus(how.threshold).unwrap();
    assert_eq!((&agreed.edges, &agreed.elements), (&found.edges, &found.elements));
    assert_eq!(agreed.structure, found.consensus);
    let model = agreed.to_model(ensemble.schema()).unwrap();
    assert_eq!(model.support(), found.to_model(&data, &how, &()).unwrap().unwrap().support());
    assert!(model.fit().is_none());
    let (network, exact) = (ensemble.network().unwrap(), ExactOptions::default());
    let strengths = network.strengths(&Evidence::none(), &exact).unwrap();
    assert_eq!(strengths.len(), found.edges.len());
    for known in &found.edges {
        let one = |network: &cmnet::Network| {
            let explained = network.explain(&Evidence::none(), &exact).unwrap();
            let own = explained.edges.iter().find(|strength| strength.edge == known.edge);
            own.map_or(0.0, |strength| strength.information.unwrap())
        };
        let values: Vec<f64> = network.networks().iter().map(one).collect();
        assert_eq!(values.iter().filter(|&&value| value > 0.0).count() as u64, known.found.count);
        check(&strengths[&known.edge].unwrap(), &values, (0.632f64 / 0.368).sqrt());
    }
    for wrong in [0.0, 1.5, f64::NAN] {
        assert!(ensemble.consensus(wrong).unwrap_err().to_string().contains("share"));
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

#[test]
fn a_stop_anywhere_leaves_the_networks_of_fewer_replicates() {
    let data = table();
    let how = options(6, 1);
    let found = bootstrap(&data, &how, &()).unwrap();
    let whole = found.ensemble(&data, &how, &()).unwrap().unwrap();
    let patient = Impatient::new(usize::MAX);
    found.ensemble(&data, &how, &patient).unwrap();
    let asked = patient.asked();
    for patience in (0..asked).step_by(1 + asked / 12) {
        let stopped = found.ensemble(&data, &how, &Impatient::new(patience)).unwrap();
        let Some(stopped) = stopped else { continue };
        let count = stopped.members().len();
        assert_eq!(stopped.members(), &whole.members()[..count], "after {patience} of {asked}");
        let fewer = made(&data, &options(count as u64, 1));
        assert_eq!(stopped.to_json().unwrap(), fewer.to_json().unwrap());
    }
}

#[test]
fn what_is_known_of_rows_is_evaluated_by_the_mean_of_the_networks() {
    let data = table();
    let ensemble = made(&data, &options(5, 1));
    let mut holed = IncompleteTable::new(data.schema().clone());
    for row in 0..data.distinct_rows() {
        let cell = |(v, level): (usize, u32)| (!(row + v).is_multiple_of(4)).then_some(level);
        holed.push(&data.row(row).into_iter().enumerate().map(cell).collect::<Vec<_>>(), 1).unwrap();
    }
    let found = ensemble.evaluate_incomplete(&holed, 1 << 28, &()).unwrap();
    let each = ensemble
        .members()
        .iter()
        .map(|member| evaluate_incomplete(&member.model, &holed, 1 << 28, &()).unwrap().log_likelihood);
    let each: Vec<f64> = each.collect();
    let mean = each.iter().sum::<f64>() / each.len() as f64;
    assert!((found.alone.mean - mean).abs() < 1e-9 && found.log_likelihood >= mean, "{found:?}");
    assert_eq!((found.rows, found.incomplete_rows), (holed.rows(), holed.incomplete_rows()));
    let whole = ensemble.evaluate_incomplete(&IncompleteTable::of(&data), 1 << 28, &()).unwrap();
    let plain = ensemble.evaluate(&data, &()).unwrap();
    assert!((whole.log_likelihood - plain.log_likelihood).abs() < 1e-9);
}
