//! Every exact question against full enumeration, on 1,000 random fitted models.

use crate::inference_support::{
    Listed, MIXED, Shape, assert_close, entropy, fitted, generator, plain, random_network, random_question,
    schema,
};
use cmnet::{
    EliminationRule, Evidence, ExactOptions, Network, Parameters, Session, Terms, VarSet, cut_edges,
};
use rand::Rng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

const MODELS: usize = 1000;

/// Some unobserved variables in random order, at least one.
fn some_free(random: &mut Pcg64Mcg, network: &Network, evidence: &Evidence) -> Vec<usize> {
    let mut free: Vec<usize> = (0..network.schema().len()).filter(|&v| evidence.level(v).is_none()).collect();
    free.shuffle(random);
    free.truncate(random.random_range(1..=free.len()));
    free
}

fn ask(random: &mut Pcg64Mcg) -> ExactOptions {
    let rule = match random.random_range(0..3) {
        0 => None,
        1 => Some(EliminationRule::MinFill),
        _ => Some(EliminationRule::MinWeight),
    };
    ExactOptions { rule, ..ExactOptions::default() }
}

#[test]
fn marginals_evidence_entropy_and_joints_are_those_of_enumeration() {
    let mut random = generator(501);
    for case in 0..MODELS {
        let (model, network, evidence) = random_question(&mut random, MIXED, (0.35, 0.2));
        let listed = Listed::new(&model, &evidence);
        let ask = ask(&mut random);
        let posterior = network.posterior(&evidence, &ask).unwrap();
        let log_evidence = posterior.log_evidence(&ask).unwrap();
        assert!((log_evidence - libm::log(listed.total)).abs() < 1e-10, "case {case}");
        let cardinalities = network.cardinalities();
        for v in 0..cardinalities.len() {
            let expected = listed.joint(&[v], cardinalities);
            assert_close(&posterior.marginal(v), &expected, &format!("case {case}, variable {v}"));
        }
        let all: Vec<f64> = listed.weights.iter().map(|weight| weight / listed.total).collect();
        assert!((posterior.entropy() - entropy(&all)).abs() < 1e-10, "case {case}");
        let row = random.random_range(0..listed.rows.len());
        let p = libm::exp(posterior.log_probability(&listed.rows[row]));
        assert!((p - all[row]).abs() < 1e-10, "case {case}");

        let targets = some_free(&mut random, &network, &evidence);
        let joint = network.joint_exact(&targets, &evidence, &ask).unwrap();
        let expected = listed.joint(&targets, cardinalities);
        assert_close(joint.probabilities(), &expected, &format!("case {case}, joint of {targets:?}"));
        let about: VarSet = targets.iter().copied().collect();
        let local = network.posterior_about(&about, &evidence, &ask).unwrap();
        let expected = listed.joint(&targets[..1], cardinalities);
        assert_close(&local.marginal(targets[0]), &expected, &format!("case {case}, about {targets:?}"));
        information(&network, &listed, (&evidence, &targets), &ask);
    }
}

fn information(
    network: &Network,
    listed: &Listed,
    (evidence, targets): (&Evidence, &[usize]),
    ask: &ExactOptions,
) {
    let of = |sets: &[&[usize]]| entropy(&listed.joint(&sets.concat(), network.cardinalities()));
    let found = network.joint_exact(targets, evidence, ask).unwrap().entropy();
    assert!((found - of(&[targets])).abs() < 1e-10);
    if let [one, other, given @ ..] = targets {
        let (one, other) = ([*one], [*other]);
        let found = network.mutual_information((&one, &other), given, evidence, ask).unwrap();
        let expected = of(&[&one, given]) + of(&[&other, given]) - of(&[&one, &other, given]) - of(&[given]);
        assert!((found - expected).abs() < 1e-10, "{found} {expected}");
    }
}

/// The best configuration of some variables, and the gap to the second best.
fn best(listed: &Listed, targets: &[usize], cardinalities: &[u32]) -> (Vec<u32>, f64, f64) {
    let joint = listed.joint(targets, cardinalities);
    let mut order: Vec<usize> = (0..joint.len()).collect();
    order.sort_by(|&a, &b| joint[b].total_cmp(&joint[a]));
    let gap = joint[order[0]] - order.get(1).map_or(0.0, |&second| joint[second]);
    let mut cell = order[0] as u32;
    let mut levels: Vec<u32> = targets
        .iter()
        .rev()
        .map(|&v| {
            let level = cell % cardinalities[v];
            cell /= cardinalities[v];
            level
        })
        .collect();
    levels.reverse();
    (levels, joint[order[0]], gap)
}

#[test]
fn the_most_probable_completion_is_that_of_enumeration() {
    let mut random = generator(502);
    let mut unique = 0;
    for case in 0..MODELS {
        let (model, network, evidence) = random_question(&mut random, MIXED, (0.35, 0.2));
        let listed = Listed::new(&model, &evidence);
        let mut some = some_free(&mut random, &network, &evidence);
        some.sort_unstable();
        let free: Vec<usize> = (0..network.schema().len()).filter(|&v| evidence.level(v).is_none()).collect();
        for targets in [None, Some(some.as_slice())] {
            let ask = ask(&mut random);
            let found = network.map_exact(targets, &evidence, &ask).unwrap();
            let log_probability = network.log_probability_of(&found, &evidence, &ask).unwrap();
            let names = targets.unwrap_or(&free);
            let (levels, probability, gap) = best(&listed, names, network.cardinalities());
            assert!((libm::exp(log_probability) - probability).abs() < 1e-10, "case {case}");
            assert_eq!(found.levels.iter().map(|&(v, _)| v).collect::<Vec<_>>(), names, "case {case}");
            if gap > 1e-9 {
                unique += 1;
                assert_eq!(found.levels.iter().map(|&(_, l)| l).collect::<Vec<_>>(), levels, "case {case}");
            }
        }
    }
    // Even counts of binary variables tie now and then.
    assert!(unique > 3 * MODELS / 2, "{unique}");
}

#[test]
fn removing_cut_edges_changes_no_answer() {
    let mut random = generator(503);
    let (mut with_cuts, mut smaller, mut implied) = (0, 0, 0);
    for case in 0..MODELS {
        let shape = Shape { element_probability: 0.7, edge_probability: 0.8, ..MIXED };
        let (model, network, evidence) = random_question(&mut random, shape, (0.4, 0.1));
        let plain = ExactOptions { keep_cut_edges: true, ..ExactOptions::default() };
        let reduced = network.posterior(&evidence, &ExactOptions::default()).unwrap();
        let full = network.posterior(&evidence, &plain).unwrap();
        for (one, other) in reduced.marginals().iter().zip(full.marginals()) {
            assert_close(one, &other, &format!("case {case}"));
        }
        let both = [&reduced, &full].map(|posterior| posterior.log_evidence(&plain).unwrap());
        assert!((both[0] - both[1]).abs() < 1e-10, "case {case}");
        let listed = Listed::new(&model, &evidence);
        for (v, one) in reduced.marginals().iter().enumerate() {
            assert_close(one, &listed.joint(&[v], network.cardinalities()), &format!("case {case}"));
        }
        let maxima = [ExactOptions::default(), plain].map(|ask| {
            let best = network.map_exact(None, &evidence, &ask).unwrap();
            network.log_probability_of(&best, &evidence, &ask).unwrap()
        });
        assert!((maxima[0] - maxima[1]).abs() < 1e-10, "case {case}");
        let cut = reduced.conditioned().cut();
        let declared = cut_edges(network.structure(), network.structure(), &evidence);
        assert!(declared.iter().all(|edge| cut.contains(edge)));
        with_cuts += usize::from(!cut.is_empty());
        smaller += usize::from(reduced.cost().cells < full.cost().cells);
        implied += usize::from(cut.len() > declared.len());
    }
    assert!(implied > MODELS / 20, "{implied} with edges that only the closure cuts");
    assert!(with_cuts > MODELS / 4 && smaller > MODELS / 4, "{with_cuts} with cuts, {smaller} smaller");
}

#[test]
fn a_session_follows_evidence_that_comes_and_goes() {
    let mut random = generator(504);
    for _ in 0..200 {
        let (model, network) = random_network(&mut random, MIXED);
        let mut session = Session::new(&network, &ExactOptions::default()).unwrap();
        for _ in 0..6 {
            let v = random.random_range(0..network.schema().len());
            session.retract(v);
            match random.random_range(0..3) {
                0 => {}
                1 => session.observe(v, random.random_range(0..network.cardinalities()[v])).unwrap(),
                _ => {
                    let weights: Vec<f64> =
                        (0..network.cardinalities()[v]).map(|_| random.random_range(0.0..2.0)).collect();
                    session.weigh(v, &weights).unwrap();
                }
            }
            let listed = Listed::new(&model, session.evidence());
            assert!((session.log_evidence().unwrap() - libm::log(listed.total)).abs() < 1e-10);
            let asked = random.random_range(0..network.schema().len());
            let expected = listed.joint(&[asked], network.cardinalities());
            assert_close(&session.marginal(asked).unwrap(), &expected, "session");
        }
    }
}

#[test]
fn a_session_renews_only_what_changed() {
    let edges: Vec<(usize, usize)> = (1..40).map(|v| (v - 1, v)).collect();
    let mut random = generator(505);
    let model = fitted(&mut random, plain(&[2; 40], &edges));
    let network = model.network().unwrap();
    let mut session = Session::new(&network, &ExactOptions::default()).unwrap();
    let all = session.renewed();
    assert_eq!(all, 39);
    session.log_evidence().unwrap();
    assert_eq!(session.renewed(), all);
    // The variable nearest to the root: one message; the farthest: at most all of them.
    let costs: Vec<usize> = (0..40)
        .map(|v| {
            let before = session.renewed();
            session.observe(v, 1).unwrap();
            session.log_evidence().unwrap();
            session.retract(v);
            session.log_evidence().unwrap();
            session.renewed() - before
        })
        .collect();
    assert_eq!(*costs.iter().min().unwrap(), 2);
    assert!(costs.iter().sum::<usize>() < 40 * 2 * all * 2 / 3, "{costs:?}");
}

#[test]
fn questions_that_cannot_be_answered_say_why() {
    let mut random = generator(506);
    let (model, network) = random_network(&mut random, MIXED);
    let schema = network.schema().clone();
    let refusal = |text: &str| Evidence::read(&schema, text).unwrap_err().to_string();
    assert!(
        refusal("x00=1").contains("there is no variable \"x00\"; did you mean \"x0\"?"),
        "{}",
        refusal("x00=1")
    );
    assert!(refusal("x0=7").contains("\"7\" is not a level of \"x0\""), "{}", refusal("x0=7"));
    assert!(refusal("x0=0,x0=1").contains("given twice"), "{}", refusal("x0=0,x0=1"));
    assert!(refusal("x0").contains("name=level"), "{}", refusal("x0"));
    let given = Evidence::read(&schema, "x0=1").unwrap();
    let twice = network.joint_exact(&[0], &given, &ExactOptions::default()).unwrap_err().to_string();
    assert!(twice.contains("both a target and given"), "{twice}");
    let mut impossible = given.clone();
    let mut weights = vec![1.0; network.cardinalities()[0] as usize];
    weights[1] = 0.0;
    let zero = impossible.weigh(&schema, 0, &weights).unwrap_err().to_string();
    assert!(zero.contains("probability 0"), "{zero}");
    let tight = ExactOptions { memory: 16, ..ExactOptions::default() };
    assert!(matches!(
        network.posterior(&Evidence::none(), &tight).unwrap_err().kind(),
        cmnet::ErrorKind::Limit { .. }
    ));
    let bare = model.without_fit().network().unwrap_err().words(&crate::command_line::CommandLine);
    assert!(bare.contains("cmnet fit"), "{bare}");
}

#[test]
fn what_an_explanation_calls_independent_is_independent() {
    let mut random = generator(507);
    let (mut separated, mut split) = (0, 0);
    for case in 0..300 {
        let shape = Shape { edge_probability: 0.5, element_probability: 0.6, ..MIXED };
        let (model, network, evidence) = random_question(&mut random, shape, (0.3, 0.0));
        let explanation = network.explain(&evidence, &ExactOptions::default()).unwrap();
        let listed = Listed::new(&model, &evidence);
        let of = |sets: &[&[usize]]| entropy(&listed.joint(&sets.concat(), network.cardinalities()));
        let information = |one: usize, other: usize, given: &[usize]| {
            of(&[&[one], given]) + of(&[&[other], given]) - of(&[&[one, other], given]) - of(&[given])
        };
        for separation in explanation.separations() {
            let ((low, high), given) = (separation.pair, separation.given.as_slice());
            assert!(information(low, high, given) < 1e-10, "case {case}: {separation:?}");
            assert!(explanation.separated(low, high, &separation.given));
            for left_out in separation.given.iter() {
                assert!(!explanation.separated(low, high, &separation.given.toggled(left_out)));
            }
            separated += 1;
        }
        for parts in &explanation.splits {
            for (place, one) in parts.iter().enumerate() {
                for other in &parts[place + 1..] {
                    let (a, b) = (one.as_slice(), other.as_slice());
                    assert!(of(&[a]) + of(&[b]) - of(&[a, b]) < 1e-10, "case {case}: {parts:?}");
                    split += 1;
                }
            }
        }
        // Every pair of unobserved variables is an edge, separated, or in different groups.
        let free = explanation.free.len();
        let across: usize = explanation.groups.iter().map(|g| g.len() * (free - g.len())).sum();
        let pairs = explanation.edges.len() + explanation.separations().count() + across / 2;
        assert_eq!(pairs, free * (free - 1) / 2, "case {case}");
    }
    assert!(separated > 100 && split > 30, "{separated} pairs, {split} splits");
}

#[test]
fn edges_that_share_a_tree_have_the_strengths_of_eliminations() {
    let mut random = generator(611);
    let variables = 900;
    let cardinalities: Vec<u32> = (0..variables).map(|_| random.random_range(2..=3)).collect();
    let mut edges = Vec::new();
    for v in 1..variables {
        for (back, probability) in [(1, 0.97), (2, 0.4), (7, 0.03)] {
            if v >= back && random.random_bool(probability) {
                edges.push((v - back, v));
            }
        }
    }
    // A hub: its blanket is too large for a table, and its edges are given common neighbours only.
    edges.extend((450..500).filter(|v| ![451, 452, 457].contains(v)).map(|v| (450, v)).skip(1));
    edges.sort_unstable();
    edges.dedup();
    let structure = plain(&cardinalities, &edges);
    let tables: Vec<(Vec<usize>, Vec<f64>)> = edges
        .iter()
        .map(|&(i, j)| {
            let cells = cardinalities[i] * cardinalities[j];
            (vec![i, j], (0..cells).map(|_| random.random_range(-1.0..1.0)).collect())
        })
        .collect();
    let parameters = Parameters::from_tables(Terms::new(&structure, None).unwrap(), tables).unwrap();
    let network = Network::new(&schema(&cardinalities), &structure, parameters).unwrap();
    let mut evidence = Evidence::none();
    for v in [3, 100, 101, 640] {
        evidence.observe(network.schema(), v, 1).unwrap();
    }
    evidence.weigh(network.schema(), 470, &vec![0.25; cardinalities[470] as usize]).unwrap();
    let exact = ExactOptions::default();
    let explanation = network.explain(&evidence, &exact).unwrap();
    assert!(explanation.edges.iter().any(|strength| !strength.given_all));
    let (cost, bytes) = network.explain_cost(&evidence, &exact);
    assert!(bytes > cost.bytes(2) && bytes < 64 << 20, "{bytes} bytes");
    for strength in explanation.edges.iter().step_by(23).chain(&explanation.edges[700..760]) {
        let (low, high) = strength.edge.ends();
        let alone = network
            .mutual_information((&[low], &[high]), strength.given.as_slice(), &evidence, &exact)
            .unwrap();
        let shared = strength.information.unwrap();
        assert!((alone - shared).abs() < 1e-9, "{strength:?}: {alone}");
    }
}
