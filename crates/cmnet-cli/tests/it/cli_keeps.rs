//! Nothing that a user has is lost: files that are in the way, work that meets a limit, rows
//! that are left out, streams that nobody reads.

use crate::common::Sandbox;
use serde_json::Value;
use std::process::{Command, Stdio};

#[test]
fn a_checkpoint_replaces_no_other_file() {
    let sandbox = Sandbox::new();
    let learn = "learn data/coronary_heart.csv --no-output --checkpoint";
    std::fs::create_dir(sandbox.path("folder")).unwrap();
    sandbox.run(&format!("{learn} folder")).refused(2, &["folder: this is a folder"]);
    sandbox.write("diary.txt", "dear diary");
    sandbox.run(&format!("{learn} diary.txt")).refused(2, &["diary.txt", "is no checkpoint"]);
    sandbox.write("run.previous", "dear diary");
    sandbox.run(&format!("{learn} run")).refused(2, &["run.previous", "is no checkpoint"]);
    sandbox.run(&format!("{learn} absent/run")).refused(2, &["absent"]);
    sandbox.run(&format!("{learn} run --resume")).refused(2, &["run.previous", "is no checkpoint"]);
    sandbox.run(&format!("{learn} diary.txt --resume")).refused(2, &["diary.txt", "is no checkpoint"]);
    assert_eq!(sandbox.read("diary.txt") + &sandbox.read("run.previous"), "dear diarydear diary");
    assert!(sandbox.path("folder").is_dir());
}

#[test]
fn a_run_that_does_not_resume_keeps_the_checkpoint_of_the_one_before() {
    let sandbox = Sandbox::new();
    let learn = "learn data/coronary_heart.csv --no-output --checkpoint run";
    sandbox.run(learn).succeeds();
    let first = sandbox.read("run");
    let again = sandbox.run(&format!("{learn} --alpha 1")).succeeds();
    assert!(again.stderr.contains("kept as run.old"), "{}", again.stderr);
    assert_eq!(sandbox.read("run.old"), first);
    let third = sandbox.run(learn).succeeds();
    assert!(third.stderr.contains("kept as run.old2"), "{}", third.stderr);
    assert_eq!(sandbox.read("run.old"), first);
    sandbox.run(&format!("{learn} --alpha 1")).succeeds();
    let resumed = format!("{} --resume", learn.replace("--checkpoint run", "--checkpoint run.old"));
    sandbox.run(&resumed).succeeds();
    // An empty file holds nothing; the generation before it does.
    sandbox.write("half.previous", &first).write("half", "").write("half.old", "dear diary");
    let halves = learn.replace("--checkpoint run", "--checkpoint half");
    let again = sandbox.run(&halves).succeeds();
    assert!(again.stderr.contains("kept as half.old2"), "{}", again.stderr);
    assert_eq!(sandbox.read("half.old"), "dear diary");
    assert_eq!(sandbox.read("half.old2.previous"), first);
    assert!(sandbox.run(&format!("{learn} --alpha 1 --resume")).succeeds().stderr.is_empty());
}

#[test]
fn two_outputs_need_two_files() {
    let sandbox = Sandbox::with_model();
    let learn = "learn data/coronary_heart.csv";
    for _ in 0..2 {
        sandbox.run(&format!("{learn} --checkpoint kept --no-output")).succeeds();
    }
    for taken in ["kept.old", "kept.old2", "kept.old.previous"] {
        sandbox.run(&format!("{learn} --checkpoint kept -o {taken}")).refused(2, &[taken, "two things"]);
    }
    sandbox.run(&format!("{learn} -o x.json --checkpoint x.json")).refused(2, &["x.json: two things"]);
    sandbox.run(&format!("{learn} -o x.json --checkpoint x.svg")).refused(2, &["x.svg: two things"]);
    std::fs::create_dir(sandbox.path("folder")).unwrap();
    for (output, checkpoint) in
        [("x.json", "./x.json"), ("./folder/../x.json", "x.json"), ("x.previous", "x"), ("x.old", "./x")]
    {
        let command = format!("{learn} -o {output} --checkpoint {checkpoint}");
        sandbox.run(&command).refused(2, &[output, "two things"]);
        assert!(!sandbox.exists("x.json") && !sandbox.exists("x"), "{command}");
    }
    sandbox.run("export m.model.json -o m.uai --evidence-output ./m.uai").refused(2, &["two things"]);
    sandbox.write("s.toml", "[levels]\n");
    sandbox.run(&format!("{learn} --schema s.toml -o ./s.toml")).refused(2, &["s.toml: this is the input"]);
    assert_eq!(sandbox.read("s.toml"), "[levels]\n");
    sandbox.run(&format!("{learn} -o data")).refused(2, &["data: this is a folder"]);
    sandbox.run("export m.model.json -o m.uai --evidence-output m.uai").refused(2, &["m.uai: two things"]);
}

#[test]
fn hyperparameters_read_back_whatever_they_are() {
    let sandbox = Sandbox::new();
    for (option, field) in [
        ("--alpha 1/3", "alpha"),
        ("--kappa 1/3", "kappa"),
        ("--alpha 0.30000000000000004", "alpha"),
        ("--alpha 19.000003814697265625", "alpha"),
    ] {
        sandbox.run(&format!("learn data/coronary_heart.csv {option} -o m.json")).succeeds();
        let model: Value = serde_json::from_str(&sandbox.read("m.json")).unwrap();
        assert_eq!(model["learned"][field], option.split_once(' ').unwrap().1);
        sandbox.run("check m.json data/coronary_heart.csv").succeeds().says(&["agrees"]);
    }
}

#[test]
fn structures_survive_a_fit_that_meets_a_limit() {
    let sandbox = Sandbox::new();
    let rows: Vec<String> = (0..2000).map(|row| format!("{0},{0}\n", row % 200)).collect();
    sandbox.write("t.csv", "a,b\n".to_owned() + &rows.concat());
    let learn = "learn t.csv --method exact --memory 1M";
    let ran = sandbox.run(&format!("{learn} --format json")).ends_with(3);
    let found = ran.document();
    assert_eq!((found["selected"].clone(), found["criterion"].clone()), (Value::Null, Value::Null));
    for model in found["models"].as_array().unwrap() {
        assert_eq!(model["edges"].as_array().unwrap().len(), 1);
        assert!(model["unfitted"].as_str().unwrap().contains("exact fitting"), "{model}");
    }
    let text = sandbox.run(&format!("{learn} --kappa n^-0.25 -o m.json")).ends_with(3);
    text.says(&["kappa n^-0.25 was not fitted", "wrote m.json"]);
    sandbox.run("fit m.json t.csv -o fitted.json").succeeds();
    let several = sandbox.run(&format!("{learn} --kappa n^-1,eps,1/10 -o s.json")).ends_with(3);
    several.says(&["none could be fitted", "s.json has the structure of kappa eps", "wrote s.json"]);
    let kept: Value = serde_json::from_str(&sandbox.read("s.json")).unwrap();
    assert_eq!(kept["learned"]["kappa"], "eps");
    let validated = sandbox.run("cv t.csv --folds 2 --method exact --memory 1M").ends_with(3);
    validated
        .says(&["CMN is left out: none of the structures could be fitted", "MN is left out: exact fitting"]);
}

#[test]
fn options_without_meaning_are_refused() {
    let sandbox = Sandbox::with_model();
    let sgm = "learn data/coronary_heart.csv --model sgm --no-output";
    for option in [
        "--checkpoint run",
        "--kappa 0.5",
        "--search paper",
        "--alpha 1",
        "--max-neighbors 3",
        "--target smoking",
        "--group smoking",
        "--order auto",
        "--ridge auto",
    ] {
        let flag = option.split_once(' ').unwrap().0;
        sandbox.run(&format!("{sgm} {option}")).refused(2, &[flag, "--model sgm does not use this"]);
    }
    let learn = "learn data/coronary_heart.csv --no-output";
    for (option, says) in [
        ("--permutations 99", "--group <COLUMN>"),
        ("--level 0.01", "--group <COLUMN>"),
        ("--max-cells 100 --search paper", "--max-cells: \"100\" is not usable; expected mode blanket"),
        ("--max-cells 100 --search exact", "--max-cells: \"100\" is not usable; expected mode blanket"),
        ("--completions 3", "--completions goes with --on-missing model"),
        ("--rounds 3", "goes with --on-missing model"),
        ("--agreement 0.9", "goes with --on-missing model"),
    ] {
        sandbox.run(&format!("{learn} {option}")).refused(2, &[says]);
    }
    let cells = "--max-cells 100 --search paper --replicates 2";
    sandbox.run(&format!("bootstrap data/coronary_heart.csv {cells}")).refused(2, &["--max-cells"]);
    let predict = "predict m.model.json data/coronary_heart.csv --target smoking";
    for option in ["--columns smoking", "--on-missing drop", "--schema s.toml"] {
        sandbox.run(&format!("{predict} {option}")).refused(2, &["unexpected argument"]);
    }
    let sweeps = "query m.model.json --method gibbs --sweeps 18446744073709551615";
    sandbox.run(sweeps).refused(2, &["sweeps", "1000000000"]);
}

#[test]
fn rows_that_are_left_out_are_counted() {
    let sandbox = Sandbox::with_model();
    let table = std::fs::read_to_string(sandbox.path("data/coronary_heart.csv")).unwrap();
    let gap = format!("?{}\n", ",no".repeat(table.lines().next().unwrap().matches(',').count()));
    sandbox.write("gaps.csv", &(table + &gap + &gap));
    let says = "gaps.csv: 2 rows with missing values were left out";
    for command in ["evaluate m.model.json", "score m.model.json", "fit m.model.json", "cv"] {
        let ran = sandbox.run(&format!("{command} gaps.csv --on-missing drop")).succeeds();
        assert!(ran.stderr.contains(says), "{command}: {}", ran.stderr);
    }
    let learned = sandbox.json("learn gaps.csv --on-missing drop");
    assert_eq!(learned["data"]["dropped_rows"], 2);
}

#[test]
fn the_referee_refuses_like_everybody_else() {
    let sandbox = Sandbox::with_model();
    sandbox.run("check m.model.json data/coronary_heart.csv --kappa eps").refused(2, &["forbids contexts"]);
}

#[test]
fn labels_do_not_steer_the_terminal() {
    let sandbox = Sandbox::new();
    sandbox.write("t.csv", &("a,b\n".to_owned() + &"\u{1b}[2Jx,y\nz,w\n".repeat(9)));
    sandbox.run("learn t.csv -o m.json").succeeds();
    for command in ["query m.json", "describe t.csv", "explain m.json", "score m.json t.csv"] {
        let ran = sandbox.run(command).succeeds();
        assert!(
            !ran.stdout.contains('\u{1b}') && !ran.stderr.contains('\u{1b}'),
            "{command}: {}",
            ran.stdout
        );
    }
    sandbox.run("sample m.json -n 20").succeeds().says(&["\u{1b}[2Jx"]);
}

#[cfg(unix)]
#[test]
fn nobody_has_to_read_the_complaints() {
    let sandbox = Sandbox::new();
    // A constant column is warned about, so that something is written to standard error.
    sandbox.write("odd.csv", "a,b\nx,y\nx,z\n");
    for arguments in [["describe", "absent.csv"], ["cv", "odd.csv"], ["learn", "odd.csv"]] {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("cmnet"));
        command.args(arguments).current_dir(sandbox.path("."));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stderr.take());
        let code = child.wait().unwrap().code();
        assert_eq!(code, Some(if arguments[0] == "learn" { 0 } else { 2 }));
    }
}

#[test]
fn columns_of_identifiers_end_and_say_what_was_left_out() {
    let sandbox = Sandbox::new();
    let rows: Vec<String> = (0..3000).map(|row| format!("{row},{row},{row},{}\n", row % 2)).collect();
    sandbox.write("ids.csv", "one,two,three,bit\n".to_owned() + &rows.concat());
    let learned =
        sandbox.run("learn ids.csv --select none --kappa n^-0.5 --format json").succeeds().document();
    assert_eq!(learned["stop"], "converged");
    assert!(!learned["limited"].as_array().unwrap().is_empty());
    assert!(!learned["models"][0]["edges"].as_array().unwrap().is_empty());
}

#[test]
fn the_experiment_takes_the_papers_tables_only() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("tables")).unwrap();
    sandbox.write("tables/coronary_heart.csv", "a,b\nx,y\nz,w\n");
    let says = ["coronary_heart.csv has 2 rows and 2 variables, the paper's table 1841 and 6"];
    sandbox.run("experiment real --quick --data tables --out out").refused(2, &says);
}

/// `cargo xtask faults` walks through every fault of every command; this is its shortest walk.
#[cfg(unix)]
#[test]
fn a_file_beyond_the_limit_of_the_system_is_an_error_and_leaves_the_old_one() {
    let sandbox = Sandbox::with_model();
    for (limit, whole) in [(0, false), (1, false), (2, false), (100, true)] {
        sandbox.write("out.svg", "old");
        let line =
            format!("ulimit -f {limit}; exec {} draw m.model.json -o out.svg", env!("CARGO_BIN_EXE_cmnet"));
        let shell = Command::new("sh").args(["-c", &line]).current_dir(sandbox.path("")).output();
        let ran = crate::common::Ran::of(&line, &shell.unwrap()).ends_with(if whole { 0 } else { 2 });
        assert_eq!(sandbox.read("out.svg") == "old", !whole, "{}", ran.stderr);
        let files = std::fs::read_dir(sandbox.path("")).unwrap();
        let left =
            files.filter(|file| file.as_ref().unwrap().file_name().to_string_lossy().starts_with(".cmnet-"));
        assert_eq!(left.count(), 0, "limit {limit}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_does_not_swallow_the_answer() {
    let sandbox = Sandbox::with_model();
    for (line, told) in [
        ("fit m.model.json data/coronary_heart.csv", "log-likelihood"),
        ("predict m.model.json data/coronary_heart.csv --target smoking", "rows predicted"),
        ("bootstrap data/coronary_heart.csv --replicates 2 --kappa n^-0.5", "2 replicates"),
    ] {
        let ran = sandbox.run(&format!("{line} -o /dev/full")).ends_with(2);
        assert!(ran.stdout.contains(told), "{line}: {}", ran.stdout);
        assert!(ran.stderr.contains("/dev/full: cannot write"), "{line}: {}", ran.stderr);
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_has_gone_does_not_cost_the_model() {
    let sandbox = Sandbox::new();
    let table = "data/coronary_heart.csv";
    for line in [format!("bootstrap {table} --replicates 2 --kappa n^-0.5"), format!("learn {table}")] {
        let line = format!("{} {line} -o kept.model.json | true", env!("CARGO_BIN_EXE_cmnet"));
        let shell = Command::new("sh").args(["-c", &line]).current_dir(sandbox.path("")).status();
        assert!(shell.unwrap().success());
        assert!(sandbox.exists("kept.model.json"), "{line}");
        std::fs::remove_file(sandbox.path("kept.model.json")).unwrap();
    }
}
