//! UAI files: what is written is read back as the same distribution.
#![allow(clippy::unwrap_used, reason = "helpers of tests, not only tests")]

mod inference_support;

use cmnet::inference::{Ask, Evidence, Network};
use cmnet::io::uai;
use inference_support::{MIXED, assert_close, generator, random_evidence, random_model, schema};

#[test]
fn a_network_survives_the_round_trip() {
    let mut random = generator(521);
    for case in 0..200 {
        let model = random_model(&mut random, MIXED);
        let network = model.network().unwrap();
        let factors = network.factors(&Evidence::none(), 1 << 20).unwrap();
        let text = uai::network_to_text(network.cardinalities(), &factors);
        let read = uai::read_network(&text, "test").unwrap();
        assert_eq!(read.structure.graph(), network.closed().graph());
        let back = Network::new(&read.schema, &read.structure, read.terms, None).unwrap();
        let evidence = random_evidence(&mut random, &network, 0.3, 0.0);
        let written = uai::evidence_to_text(&evidence);
        let mut again = Evidence::none();
        uai::read_evidence(&written, "test", back.schema(), &mut again).unwrap();
        let ask = Ask::default();
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
    let network = Network::new(&read.schema, &read.structure, read.terms, None).unwrap();
    let joint = network.joint(&[0, 1], &Evidence::none(), &Ask::default()).unwrap();
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
}
