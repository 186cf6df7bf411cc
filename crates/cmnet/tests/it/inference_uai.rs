//! UAI files: what is written is read back as the same distribution.

use crate::inference_support::{
    MIXED, assert_close, generator, plain, random_evidence, random_network, schema,
};
use cmnet::{
    Evidence, ExactOptions, FitOptions, FitStatus, Model, Network, Parameters, ReadOptions, Source, Terms,
    fit, read_csv, uai,
};

#[test]
fn a_network_survives_the_round_trip() {
    let mut random = generator(521);
    for case in 0..200 {
        let (_, network) = random_network(&mut random, MIXED);
        let factors = network.factors(&Evidence::none(), 1 << 20).unwrap();
        let text = uai::network_to_text(network.cardinalities(), &factors);
        let read = uai::read_network(&text, "test").unwrap();
        assert_eq!(read.structure.graph(), network.closed().graph());
        let back = Network::new(&read.schema, &read.structure, read.parameters).unwrap();
        let evidence = random_evidence(&mut random, &network, 0.3, 0.0);
        let written = uai::evidence_to_text(&evidence);
        let mut again = Evidence::none();
        uai::read_evidence(&written, "test", back.schema(), &mut again).unwrap();
        let ask = ExactOptions::default();
        let (one, other) =
            (network.posterior(&evidence, &ask).unwrap(), back.posterior(&again, &ask).unwrap());
        for (p, q) in one.marginals().iter().zip(other.marginals()) {
            assert_close(p, &q, &format!("case {case}"));
        }
        let logs = [one.log_evidence(&ask).unwrap(), other.log_evidence(&ask).unwrap()];
        assert!((logs[0] - logs[1]).abs() < 1e-10, "case {case}: {logs:?}");
    }
}

#[test]
fn factors_may_overlap_and_stand_in_any_order() {
    // p(a, b) from two factors over (b, a) and (a): weights 1*5, 3*5 / 2*7, 4*7.
    let text = "MARKOV\n2\n2 2\n2\n2 1 0\n1 0\n\n4\n1 2 3 4\n\n2\n5 7\n";
    let read = uai::read_network(text, "test").unwrap();
    let network = Network::new(&read.schema, &read.structure, read.parameters).unwrap();
    let joint = network.joint_exact(&[0, 1], &Evidence::none(), &ExactOptions::default()).unwrap();
    assert_close(joint.probabilities(), &[5.0, 15.0, 14.0, 28.0].map(|w| w / 62.0), "joint");
}

#[test]
fn damaged_files_are_refused_with_the_place() {
    let refusal = |text: &str| uai::read_network(text, "x.uai").unwrap_err().to_string();
    for (text, part) in [
        ("BAYES 1 2", "only MARKOV"),
        ("MARKOV", "the file ends; expected the number of variables"),
        ("MARKOV 1 2 1 1 0 2 1", "expected an entry"),
        ("MARKOV 1 2 1 1 0 2 1 0", "positive"),
        ("MARKOV 1 2 1 1 0 2 1 nan", "positive"),
        ("MARKOV 1 2 1 1 0 3 1 1 1", "3 entries; expected 2"),
        ("MARKOV 1 2 1 1 4 2 1 1", "unknown or twice"),
        ("MARKOV 1 2 1 1 0 2 1 1 9", "after the end"),
        ("MARKOV 99999999999999999999 2", "expected the number of variables"),
        ("MARKOV 0 0", "no variable"),
    ] {
        assert!(refusal(text).contains(part), "{text}: {}", refusal(text));
        assert!(refusal(text).starts_with("x.uai: word "), "{}", refusal(text));
    }
    let schema = schema(&[2, 2]);
    let evidence = |text: &str| {
        uai::read_evidence(text, "x.evid", &schema, &mut Evidence::none()).unwrap_err().to_string()
    };
    assert!(evidence("1 0").contains("expected a level"));
    assert!(evidence("1 0 2").contains("not a level"));
    assert!(evidence("1 5 0").contains("no variable 5"));
    assert!(evidence("2 0 0 0 1").contains("given twice"));
    assert!(evidence("2 1 0 0").contains("2 samples of evidence"));
    assert!(evidence("").contains("the file ends"));
    let mut with_samples = Evidence::none();
    uai::read_evidence("1\n2 0 1 1 0\n", "x.evid", &schema, &mut with_samples).unwrap();
    assert_eq!(with_samples.hard().collect::<Vec<_>>(), [(0, 1), (1, 0)]);
}

/// A network of the format may have zeros; a contextual Markov network is positive, so that
/// evidence of probability 0 is either refused with the file or contradicts itself.
#[test]
fn what_is_impossible_is_refused_and_what_is_nearly_so_is_answered() {
    let refused = uai::read_network("MARKOV 2 2 2 1 2 0 1 4 1 0 0 1", "x.uai").unwrap_err().to_string();
    assert!(refused.contains("positive probability"), "{refused}");
    // As near to the boundary as the format goes: X1 is X0 but for one part in 10^300.
    let read = uai::read_network("MARKOV 2 2 2 1 2 0 1 4 1 1e-300 1e-300 1", "x.uai").unwrap();
    let network = Network::new(&read.schema, &read.structure, read.parameters).unwrap();
    let ask = ExactOptions::default();
    let mut evidence = Evidence::none();
    evidence.observe(network.schema(), 0, 0).unwrap();
    let posterior = network.posterior(&evidence, &ask).unwrap();
    assert_close(&posterior.marginal(1), &[1.0, 0.0], "nearly certain");
    evidence.observe(network.schema(), 1, 1).unwrap();
    let log_evidence = network.posterior(&evidence, &ask).unwrap().log_evidence(&ask).unwrap();
    assert!((log_evidence - libm::log(1e-300) + libm::log(2.0)).abs() < 1e-9, "{log_evidence}");
    // Hard evidence against weights, in either order, and weights against weights.
    let mut given = Evidence::none();
    given.observe(network.schema(), 0, 1).unwrap();
    let said = given.weigh(network.schema(), 0, &[1.0, 0.0]).unwrap_err().to_string();
    assert!(said.contains("this evidence has probability 0"), "{said}");
    let mut given = Evidence::none();
    given.weigh(network.schema(), 0, &[1.0, 0.0]).unwrap();
    let said = given.observe(network.schema(), 0, 1).unwrap_err().to_string();
    assert!(said.contains("this evidence has probability 0"), "{said}");
    let said = given.weigh(network.schema(), 0, &[0.0, 1.0]).unwrap_err().to_string();
    assert!(said.contains("this evidence has probability 0"), "{said}");
    // Terms that no sum survives are no model.
    let terms = Terms::new(&read.structure, None).unwrap();
    let huge = Parameters::new(terms, vec![1e300, 0.0, 0.0], None);
    let said = Network::new(&schema(&[2, 2]), &read.structure, huge).unwrap_err().to_string();
    assert!(said.contains("so large"), "{said}");
}

/// A table without one combination: the bare estimate lies on the boundary, at terms that are
/// finite all the same.
#[test]
fn evidence_on_the_boundary_is_improbable_and_answered() {
    let table = Source::bytes("table", "a,b\n0,0\n0,0\n1,1\n0,1\n");
    let data = read_csv(&table, &ReadOptions::default()).unwrap().data;
    let structure = plain(&[2, 2], &[(0, 1)]);
    let options = FitOptions { smoothing: 0.0, ..FitOptions::default() };
    let fit = fit(&structure, &data, &options).unwrap();
    assert_eq!(fit.status, FitStatus::Boundary);
    let model = Model::new(data.schema().clone(), structure).unwrap().with_fit(fit).unwrap();
    let network = model.network().unwrap();
    let (ask, given) = (ExactOptions::default(), Evidence::read(network.schema(), "a=1,b=0").unwrap());
    let posterior = network.posterior(&given, &ask).unwrap();
    let p = libm::exp(posterior.log_evidence(&ask).unwrap());
    assert!(p < 1e-6, "{p}");
    let one = Evidence::read(network.schema(), "a=1").unwrap();
    let b = network.posterior(&one, &ask).unwrap().marginal(1);
    assert!(b[0] < 1e-5 && (b[0] + b[1] - 1.0).abs() < 1e-12, "{b:?}");
}

#[test]
fn the_plan_counts_the_tree_for_the_probability_of_the_evidence() {
    // An imported network knows no log Z: that takes the tree without the evidence.
    let scope: Vec<String> = (0..12).map(|v| v.to_string()).collect();
    let entries: Vec<String> = (0..1 << 12).map(|cell: u32| (1 + cell % 7).to_string()).collect();
    let text =
        format!("MARKOV 12 {} 1 12 {} 4096 {}", ["2"; 12].join(" "), scope.join(" "), entries.join(" "));
    let read = uai::read_network(&text, "x").unwrap();
    let network = Network::new(&read.schema, &read.structure, read.parameters).unwrap();
    let given = (0..8).map(|v| format!("X{v}=0")).collect::<Vec<_>>().join(",");
    let query = network.query().given(&given).unwrap();
    let bytes = |query: &cmnet::Query<'_>| query.plan(cmnet::Question::Marginals).unwrap().bytes;
    assert_eq!((bytes(&query), bytes(&network.query())), (65_536, 65_536));
    assert!(query.run().unwrap().log_evidence.is_some());
    // Where that does not fit, it is left out and not counted. A network that was asked before knows it.
    let network =
        Network::new(&read.schema, &read.structure, uai::read_network(&text, "x").unwrap().parameters)
            .unwrap();
    let small = network.query().given(&given).unwrap().memory(1 << 12);
    assert_eq!((bytes(&small), small.run().unwrap().log_evidence), (256, None));
}
