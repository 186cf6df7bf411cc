//! JSON answers: the order of their fields is part of their format.

use cmnet_report::answer::approximation::{ChainFacts, ErrorFacts};
use cmnet_report::answer::queried::MutualInformation;
use cmnet_report::answer::{DrawnAnswer, Information, document, fields};

#[test]
fn a_document_begins_with_the_name_of_its_format() {
    let answer = DrawnAnswer { file: Some("a.svg".to_owned()), text: None };
    let text = r#"{"format":"cmnet-draw/1","file":"a.svg","text":null}"#;
    assert_eq!(fields(&document(&answer)).unwrap().to_string(), text);
    assert_eq!(fields(&answer).unwrap().to_string(), r#"{"file":"a.svg","text":null}"#);
}

#[test]
fn fields_keep_their_order_and_what_is_infinite_is_null() {
    let chains =
        ChainFacts { chains: 4, sweeps: 10, r_hat: None, effective: 2.5, agrees: false, share: None };
    let text = r#"{"chains":4,"sweeps":10,"r_hat":null,"effective":2.5,"agrees":false}"#;
    assert_eq!(fields(&ErrorFacts::Chains(chains.clone())).unwrap().to_string(), text);
    let shared = fields(&ChainFacts { share: Some(0.5), ..chains }).unwrap().to_string();
    assert!(shared.ends_with(r#""agrees":false,"share":0.5}"#), "{shared}");
    let information = Information {
        joint_entropy: f64::INFINITY,
        entropy: vec![("z", 1.0), ("a", 0.5)],
        mutual_information: vec![MutualInformation { pair: ["z", "a"], nats: 0.25 }],
    };
    let text = r#"{"joint_entropy":null,"entropy":{"z":1.0,"a":0.5},"mutual_information":[{"pair":["z","a"],"nats":0.25}]}"#;
    assert_eq!(fields(&information).unwrap().to_string(), text);
}
