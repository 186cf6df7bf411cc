//! A run divided among the jobs of a batch queue: `--shard`, `--part`, `cmnet merge`, `--known`.

use crate::common::Sandbox;

const TABLE: &str = "data/coronary_heart.csv";

/// Runs all shares in an order of their own, and puts them together.
fn merged(sandbox: &Sandbox, run: &str, known: &str, of: usize, whole: &str) {
    let mut parts = String::new();
    for number in (1..=of).rev() {
        let part = format!("{whole}.{number}");
        let ran = sandbox.run(&format!("{run} --shard {number}/{of} --part {part} {known}"));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        parts = format!("{part} {parts}");
    }
    let ran = sandbox.run(&format!("merge {parts} -o {whole} --format json"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("cmnet-merge/1"));
}

#[test]
fn shares_end_at_the_bytes_of_one_machine() {
    for (search, of) in [("paper", 3), ("blanket", 2)] {
        let sandbox = Sandbox::new();
        let learn = format!("learn {TABLE} --search {search} --threads 1");
        merged(&sandbox, &learn, "", of, "first.part");
        // The structures of mode blanket come after all blankets: a second round may do them.
        let known = if search == "blanket" {
            merged(&sandbox, &learn, "--known first.part", of, "second.part");
            "second.part"
        } else {
            "first.part"
        };
        let ended = sandbox.run(&format!("{learn} --known {known} --format json -o ended.json"));
        let alone = sandbox.run(&format!("{learn} --format json -o alone.json"));
        assert_eq!((ended.code, alone.code), (0, 0), "{}", ended.stderr);
        assert_eq!(ended.stdout, alone.stdout);
        assert_eq!(sandbox.read("ended.json"), sandbox.read("alone.json"));
        assert!(!ended.stderr.contains("tasks are left"), "{}", ended.stderr);
    }
}

#[test]
fn folds_are_shared_too() {
    let sandbox = Sandbox::new();
    let cv = format!("cv {TABLE} --folds 4 --kappa eps,n^-0.5");
    merged(&sandbox, &cv, "", 3, "all.part");
    let (ended, alone) = (sandbox.run(&format!("{cv} --known all.part")), sandbox.run(&cv));
    assert_eq!((ended.code, &ended.stdout), (0, &alone.stdout), "{}", ended.stderr);
    let other = sandbox.run(&format!("{cv} --seed 2 --known all.part"));
    assert_eq!(other.code, 2);
    assert!(
        other.stderr.contains("all.part: this file has another --seed: 1 there, 2 here"),
        "{}",
        other.stderr
    );
}

#[test]
fn replicates_are_shared_too() {
    let sandbox = Sandbox::new();
    let bootstrap = format!("bootstrap {TABLE} --replicates 21 --kappa n^-0.5 --format json");
    merged(&sandbox, &bootstrap, "", 3, "all.part");
    // The checkpoint of a share is its part.
    assert_eq!(sandbox.run(&format!("{bootstrap} --shard 2/3 --checkpoint second.part")).code, 0);
    assert_eq!(sandbox.read("second.part"), sandbox.read("all.part.2"));
    let both = sandbox.run(&format!("{bootstrap} --shard 2/3 --checkpoint 2.part --part 3.part"));
    assert!(both.code == 2 && both.stderr.contains("one file"), "{}", both.stderr);
    let ended = sandbox.run(&format!("{bootstrap} --known all.part -o ended.json"));
    let alone = sandbox.run(&format!("{bootstrap} -o alone.json"));
    assert_eq!((ended.code, &ended.stdout), (0, &alone.stdout), "{}", ended.stderr);
    assert_eq!(sandbox.read("ended.json"), sandbox.read("alone.json"));
    let refused = sandbox.run(&format!("{bootstrap} --known all.part --checkpoint run.ck"));
    assert!(refused.code == 2 && refused.stderr.contains("one beginning"), "{}", refused.stderr);
    let kept = format!("bootstrap {TABLE} --replicates 21 --kappa-choice table --format json");
    merged(&sandbox, &kept, "", 3, "kept.part");
    let (ended, alone) = (sandbox.run(&format!("{kept} --known kept.part")), sandbox.run(&kept));
    assert_eq!((ended.code, ended.stdout), (0, alone.stdout), "{}", ended.stderr);
    let other = sandbox.run(&format!("{} --known kept.part", kept.replace("choice table", "choice anew")));
    assert!(other.code == 2 && other.stderr.contains("--kappa-choice"), "{}", other.stderr);
}

#[test]
fn what_is_no_whole_run_is_refused() {
    let sandbox = Sandbox::new();
    let learn = format!("learn {TABLE} --kappa eps,n^-0.5");
    assert_eq!(sandbox.run(&format!("{learn} --shard 1/2 --part 1.part")).code, 0);
    let refused = |arguments: &str, words: &str| {
        let ran = sandbox.run(arguments);
        assert_eq!(ran.code, 2, "{arguments}: {}", ran.stderr);
        assert!(ran.stderr.contains(words), "{arguments}: {}", ran.stderr);
    };
    refused("merge 1.part -o all.part", "share 2 of 2 missing");
    refused("merge 1.part 1.part -o all.part", "share 1/2 is here twice");
    refused("merge 1.part -o 1.part", "this is the input");
    refused("merge none.part -o all.part", "none.part: cannot read");
    refused(&format!("{learn} --shard 1/2"), "--shard needs --part");
    refused(&format!("{learn} --part 1.part"), "--part needs --shard");
    refused(&format!("{learn} --shard 3/2 --part 3.part"), "counted from 1");
    refused(&format!("{learn} --shard 2/2 --part 1.part"), "another --shard: 1/2 there, 2/2 here");
    refused(&format!("{learn} --alpha 1 --shard 1/2 --part 1.part"), "another --alpha");
    refused(&format!("{learn} --shard 1/2 --part {TABLE}"), "this is the input");
    refused(&format!("{learn} --model sgm --shard 1/2 --part 3.part"), "--model sgm");
    // Done again, it does nothing again.
    let again = sandbox.run(&format!("{learn} --shard 1/2 --part 1.part"));
    assert_eq!(again.code, 0, "{}", again.stderr);
}
