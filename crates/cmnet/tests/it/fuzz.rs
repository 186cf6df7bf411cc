//! The bodies that the fuzzer runs, over every input that is kept and over damaged copies of it.
//!
//! `CMNET_FUZZ=N` tries N damaged copies for each body; the copies are the same in every run.

#[allow(unreachable_pub, reason = "the fuzzer's targets, in another crate, use them")]
#[path = "../../../../fuzz/src/bodies.rs"]
mod bodies;

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::path::Path;

/// Damaged copies for each body, where no number is asked for.
const SOME: usize = 40;

/// The kept inputs of a body, by name.
fn inputs(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name);
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

#[test]
fn every_kept_input_passes_its_body() {
    for (name, body) in bodies::BODIES {
        let inputs = inputs(name);
        assert!(!inputs.is_empty(), "{name} has no input");
        for input in &inputs {
            body(input);
        }
    }
}

#[test]
fn damaged_copies_of_the_kept_inputs_pass_their_bodies() {
    let count = std::env::var("CMNET_FUZZ").ok().and_then(|text| text.parse().ok()).unwrap_or(SOME);
    for (name, body) in bodies::BODIES {
        let inputs = inputs(name);
        let mut random = Pcg64Mcg::seed_from_u64(1);
        for number in 0..count {
            let mut bytes = inputs[random.random_range(0..inputs.len())].clone();
            for _ in 0..random.random_range(1..5) {
                let other = &inputs[random.random_range(0..inputs.len())];
                damage(&mut bytes, other, &mut random);
            }
            let passed = std::panic::catch_unwind(|| body(&bytes)).is_ok();
            assert!(passed, "{name}, copy {number}: {:?}", bytes.escape_ascii().to_string());
        }
    }
}

/// One change: a byte, a piece taken away, doubled, or of another input.
fn damage(bytes: &mut Vec<u8>, other: &[u8], random: &mut Pcg64Mcg) {
    let at = random.random_range(0..=bytes.len());
    let end = (at + random.random_range(0..16)).min(bytes.len());
    match random.random_range(0..5) {
        0 if at < bytes.len() => bytes[at] = random.random(),
        1 => drop(bytes.drain(at..end)),
        2 => {
            let again = bytes[at..end].to_vec();
            bytes.splice(at..at, again);
        }
        3 if !other.is_empty() => {
            let from = random.random_range(0..other.len());
            let piece = other[from..(from + random.random_range(1..32)).min(other.len())].to_vec();
            bytes.splice(at..end, piece);
        }
        _ => bytes.insert(at, random.random()),
    }
}
