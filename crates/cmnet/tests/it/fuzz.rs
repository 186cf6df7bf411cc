//! The bodies that the fuzzer runs, over every input that is kept.

#[allow(unreachable_pub, reason = "the fuzzer's targets, in another crate, use them")]
#[path = "../../../../fuzz/src/bodies.rs"]
mod bodies;

use std::path::Path;

#[test]
fn every_kept_input_passes_its_body() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    for (name, body) in bodies::BODIES {
        let mut inputs = 0;
        for entry in std::fs::read_dir(corpus.join(name)).unwrap() {
            body(&std::fs::read(entry.unwrap().path()).unwrap());
            inputs += 1;
        }
        assert!(inputs > 0, "{name} has no input");
    }
}
