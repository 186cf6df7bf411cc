//! Bad input to every command: the exit code, and a message with file, line, column, the
//! offending text and what to do.

use crate::common::Sandbox;

/// Tables that no command accepts, and what is said about them.
const BAD_TABLES: [(&str, &[u8], &[&str]); 10] = [
    ("ragged.csv", b"a,b\nx,y\nx\n", &["ragged.csv, line 3", "1 field where 2 were expected", "--delimiter"]),
    ("empty.csv", b"", &["empty.csv", "the file is empty"]),
    ("header.csv", b"a,b\n", &["header.csv", "no rows are left"]),
    ("twice.csv", b"a,a\nx,y\n", &["twice.csv, line 1, column 2", "\"a\" appears twice", "--no-header"]),
    ("unnamed.csv", b"a,\nx,y\n", &["unnamed.csv, line 1, column 2", "has no name"]),
    ("again.csv", b"a,b\nx,y\na,b\n", &["again.csv, line 3", "repeats the header line"]),
    (
        "missing.csv",
        b"a,b\nx,y\nNA,y\nz,?\n",
        &[
            "missing.csv",
            "missing values in 2 of 3 rows, first in line 3",
            "\"a\": 1, \"b\": 1",
            "--on-missing drop",
        ],
    ),
    ("latin.csv", b"a,b\nx,\xe9\n", &["latin.csv, line 2, column 2 (\"b\")", "\"\\xe9\" is not UTF-8"]),
    ("quote.csv", b"a,b\nx,\"y\n", &["quote.csv, line 2", "is never closed"]),
    ("after.csv", b"a,b\nx,\"y\"z\n", &["after.csv, line 2", "text follows the closing quote"]),
];

fn all_refused(sandbox: &Sandbox, command: impl Fn(&str) -> String) {
    for (name, bytes, says) in BAD_TABLES {
        sandbox.write(name, bytes).run(&command(name)).refused(2, says);
    }
    sandbox.run(&command("data")).refused(2, &["data: this is a directory"]);
    sandbox.run(&command("absent.csv")).refused(2, &["absent.csv: there is no such file"]);
}

#[test]
fn describe_learn_and_cv_refuse_bad_tables() {
    let sandbox = Sandbox::new();
    all_refused(&sandbox, |table| format!("describe {table}"));
    all_refused(&sandbox, |table| format!("learn {table} --format json"));
    all_refused(&sandbox, |table| format!("cv {table} --folds 2"));
}

#[test]
fn arguments_that_cannot_be_understood_take_one_line() {
    let sandbox = Sandbox::new();
    for (line, says) in [
        ("learn", "required arguments were not provided: <DATA>; see cmnet learn --help"),
        ("learn a.csv --kapa 1", "a similar argument exists: '--kappa'"),
        ("lern a.csv", "a similar subcommand exists: 'learn'"),
        ("learn a.csv --search fast", "[possible values: auto, "),
    ] {
        let ran = sandbox.run(line);
        ran.refused(2, &["cmnet: ", says]);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    }
    assert!(sandbox.run("learn --help").succeeds().stdout.lines().count() > 20);
}

#[test]
fn weights_must_be_counts() {
    let sandbox = Sandbox::new();
    let table = |weight: &str| format!("a,b,w\nx,y,2\nz,y,{weight}\n");
    let place = "w.csv, line 3, column 3 (\"w\")";
    for (weight, says) in [
        ("-1", "a count cannot be negative"),
        ("1.5", "round or multiply"),
        ("many", "is this the right --weights column?"),
        ("", "write 0"),
        ("99999999999", "divide the weights"),
    ] {
        // Structures are learned from real weights too.
        let commands: &[&str] = if weight == "1.5" { &["describe"] } else { &["describe", "learn", "cv"] };
        for command in commands {
            let ran = sandbox.write("w.csv", table(weight)).run(&format!("{command} w.csv --weights w"));
            ran.refused(2, &[place, says]);
        }
    }
    sandbox.write("w.csv", "a,b,w\nx,y,0\nz,y,0\n");
    for command in ["describe", "learn", "cv"] {
        sandbox.run(&format!("{command} w.csv --weights w")).refused(2, &["w.csv", "all weights are 0"]);
    }
    sandbox.run("describe w.csv --weights v").refused(2, &["there is no column \"v\""]);
}

#[test]
fn options_say_what_they_expect() {
    let sandbox = Sandbox::new();
    for (options, says) in [
        ("--kappa 2", "--kappa: \"2\" is not usable; expected eps"),
        ("--kappa eps,eps", "each kappa once"),
        ("--kappa n^1", "--kappa: \"n^1\""),
        ("--alpha 0", "--alpha: \"0\" is not usable"),
        ("--time-limit soon", "--time-limit: \"soon\" is not usable"),
        ("--memory 3", "--memory: \"3\" is not usable"),
        ("--threads 5000", "--threads: \"5000\" is not usable"),
        ("--smoothing=-1", "smoothing"),
        ("--smoothing nan", "smoothing"),
        ("--search fast", "invalid value 'fast'"),
        ("--columns smokng", "did you mean \"smoking\"?"),
        ("--delimiter ab", "delimiter"),
        ("--schema absent.toml", "absent.toml"),
        ("-o a.json --no-output", "cannot be used with"),
        ("--select none -o a.json", "chooses no model to write"),
    ] {
        sandbox.run(&format!("learn data/coronary_heart.csv {options}")).refused(2, &[says]);
    }
    sandbox.run("").ends_with(2);
    sandbox.run("teach data/car.csv").refused(2, &["unrecognized subcommand 'teach'"]);
}

#[test]
fn schemas_are_checked() {
    let sandbox = Sandbox::new();
    let learn = "learn data/coronary_heart.csv --no-output --schema s.toml";
    for (schema, says) in [
        ("[levels]\nsmoking = [\"yes\"]\n", "data/coronary_heart.csv, line 2, column 1 (\"smoking\")"),
        ("[levels]\nsmoking = [\"yes\", \"yes\"]\n", "s.toml, line 2"),
        ("[levels]\nsmokng = [\"yes\", \"no\"]\n", "did you mean \"smoking\"?"),
        ("levels = 3\n", "s.toml, line 1"),
        ("[levels\n", "s.toml, line 1"),
    ] {
        sandbox.write("s.toml", schema).run(learn).refused(2, &[says]);
    }
}

#[test]
fn outputs_are_refused_before_the_work() {
    let sandbox = Sandbox::new();
    let table = std::fs::read_to_string(sandbox.path("data/coronary_heart.csv")).unwrap();
    sandbox.write("t.csv", &table);
    sandbox.run("learn t.csv -o t.csv").refused(2, &["t.csv: this is the input"]);
    sandbox.run("learn t.csv -o ./t.csv").refused(2, &["./t.csv: this is the input"]);
    sandbox.run("learn t.csv --checkpoint t.csv --no-output").refused(2, &["t.csv: this is the input"]);
    sandbox.run("learn t.csv -o -").refused(2, &["-: this is no file"]);
    sandbox.run("learn t.csv -o absent/m.json").refused(2, &["absent/m.json: cannot write"]);
    sandbox.run("learn t.csv -o m.json").succeeds();
    sandbox.run("fit m.json t.csv -o t.csv").refused(2, &["t.csv: this is the input"]);
    sandbox.run("fit m.json t.csv -o absent/m.json").ends_with(2);
    sandbox.write("m.svg", sandbox.read("m.json"));
    sandbox.run("draw m.svg -o m.svg").refused(2, &["m.svg: this is the input"]);
    sandbox.run("draw m.json -o absent/g.svg").refused(2, &["absent/g.svg: cannot write"]);
    sandbox.run("draw m.json -o g.bmp").refused(2, &["g.bmp", ".svg, .dot"]);
    sandbox.run("draw m.json -o data").refused(2, &["data"]);
    assert_eq!(sandbox.read("t.csv"), table);
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_to_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    let folder = sandbox.path("locked");
    std::fs::create_dir(&folder).unwrap();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o555)).unwrap();
    if std::fs::write(folder.join("probe"), "").is_ok() {
        return; // The superuser writes wherever it likes.
    }
    let ran = sandbox.run("learn data/coronary_heart.csv -o locked/m.json").ends_with(2);
    assert!(ran.stderr.contains("locked/m.json: cannot write"), "{}", ran.stderr);
}

const MODEL_COMMANDS: [&str; 4] = ["score", "check", "fit", "evaluate"];

#[test]
fn models_that_are_none_are_refused_with_their_place() {
    let sandbox = Sandbox::with_model();
    let model = sandbox.read("m.model.json");
    let first_elements = "[[\">=3\"]]";
    for (name, text, says) in [
        ("table", "a,b\nx,y\n".to_owned(), "line 1"),
        ("cut", model[..model.len() / 2].to_owned(), "line"),
        ("version", model.replace("cmnet-model/1", "cmnet-model/9"), "cmnet-model/9"),
        (
            "edge",
            model.replacen("[\"smoking\", \"strenuous_physical_work\"]", "[\"smoking\", \"age\"]", 1),
            "edges[0]",
        ),
        ("full", model.replacen(first_elements, "[[\"<3\"], [\">=3\"]]", 1), "contexts[0]"),
        ("level", model.replacen(first_elements, "[[\"4\"]]", 1), "contexts[0].elements[0]"),
        ("phi", model.replacen("\"phi\": ", "\"phi\": 1e999", 1), "line"),
        ("term", model.replacen("\"smoking\": \"yes\"", "\"smoking\": \"no\"", 1), "parameters.terms[0]"),
    ] {
        sandbox.write(name, text);
        for command in MODEL_COMMANDS {
            sandbox.run(&format!("{command} {name} data/coronary_heart.csv")).refused(2, &[name, says]);
        }
        sandbox.run(&format!("draw {name}")).refused(2, &[name, says]);
        sandbox.run(&format!("compare {name} m.model.json")).refused(2, &[name, says]);
    }
    sandbox.run("draw absent.json").refused(2, &["absent.json: there is no such file"]);
}

#[test]
fn models_and_tables_must_speak_of_the_same() {
    let sandbox = Sandbox::with_model();
    sandbox.write(
        "unseen.csv",
        "smoking,strenuous_mental_work,strenuous_physical_work,systolic_blood_pressure,lipoprotein_ratio,family_anamnesis\n\
         no,no,no,<140,<3,negative\nno,no,no,<140,4,negative\n",
    );
    for command in MODEL_COMMANDS {
        sandbox
            .run(&format!("{command} m.model.json data/car.csv"))
            .refused(2, &["data/car.csv", "no column \"smoking\""]);
        sandbox
            .run(&format!("{command} m.model.json unseen.csv"))
            .refused(2, &["unseen.csv, line 3, column 5 (\"lipoprotein_ratio\")", "\"4\" is not a level"]);
        all_models_tables_refused(&sandbox, command);
    }
    sandbox.run("learn data/car.csv -o car.json --kappa eps --select none").succeeds();
    sandbox.run("compare m.model.json car.json").refused(2, &["the two models do not match"]);
    sandbox
        .run("compare m.model.json m.model.json --data data/car.csv")
        .refused(2, &["no column \"smoking\""]);
    sandbox
        .run("evaluate car.json data/car.csv")
        .refused(2, &["car.json: this model has no parameters", "cmnet fit"]);
}

fn all_models_tables_refused(sandbox: &Sandbox, command: &str) {
    for (name, says) in
        [("empty.csv", "the file is empty"), ("data", "directory"), ("absent.csv", "no such file")]
    {
        sandbox
            .write("empty.csv", "")
            .run(&format!("{command} m.model.json {name}"))
            .refused(2, &[name, says]);
    }
}

#[test]
fn experiments_are_named_and_need_folders() {
    let sandbox = Sandbox::new();
    sandbox.run("experiment table2 --data data --out x").refused(2, &["\"table2\"", "synthetic, real"]);
    sandbox.run("experiment real --out x").refused(2, &["--data <DIR>"]);
    sandbox.run("experiment real --data data").refused(2, &["--out <DIR>"]);
    assert!(!sandbox.exists("x"));
}

#[test]
fn folds_need_rows() {
    let sandbox = Sandbox::new();
    sandbox.write("t.csv", "a,b\nx,y\nz,w\n");
    sandbox.run("cv t.csv").refused(2, &["--folds: \"10 folds of 2 rows\"", "no more folds than rows"]);
    sandbox.run("cv data/coronary_heart.csv --folds 1").refused(2, &["--folds: \"1\""]);
    sandbox.run("cv data/coronary_heart.csv --kappa 3").refused(2, &["--kappa: \"3\""]);
    sandbox.run("cv data/coronary_heart.csv --folds few").refused(2, &["few"]);
}

#[test]
fn a_column_of_folds_must_be_one() {
    let sandbox = Sandbox::new();
    sandbox.write("t.csv", "a,part,same\nx,1,s\ny,2,s\nx,2,s\n");
    sandbox
        .run("cv t.csv --fold-column parts")
        .refused(2, &["no variable \"parts\"", "did you mean \"part\"?"]);
    sandbox.run("cv t.csv --fold-column same").refused(2, &["--fold-column: \"same\"", "two values or more"]);
    sandbox.run("cv t.csv --fold-column part --drop a,same").refused(2, &["other columns too"]);
    sandbox.run("cv t.csv --fold-column part --drop part").refused(2, &["part: that column is left out"]);
    sandbox
        .run("cv t.csv --fold-column part --weights part")
        .refused(2, &["part: that column has the weights"]);
    sandbox.run("cv t.csv --fold-column part --folds 2").refused(2, &["--folds", "cannot be used with"]);
    sandbox.run("cv t.csv --fold-column part --seed 2").refused(2, &["--seed", "cannot be used with"]);
}

#[test]
fn a_clique_beyond_the_memory_or_beyond_all_measure_is_refused() {
    let sandbox = Sandbox::new();
    // Few sets with many levels: the terms fit, the tree does not.
    let levels: Vec<String> = (0..20).map(|level| level.to_string()).collect();
    let model = complete_model(4).replace("[\"0\",\"1\"]", &serde_json::json!(levels).to_string());
    sandbox.write("big.csv", big_table(4)).write("big.json", model);
    let ran = sandbox.run("fit big.json big.csv --method exact --memory 1M");
    ran.refused(3, &["goes beyond the limit", "--method pseudo"]);
    sandbox.write("huge.csv", big_table(24)).write("huge.json", complete_model(24));
    sandbox.run("fit huge.json huge.csv").refused(3, &["v0", "v1", "goes beyond the limit"]);
}

/// Rows of binary columns.
fn big_table(columns: usize) -> String {
    let mut table = (0..columns).map(|column| format!("v{column}")).collect::<Vec<_>>().join(",") + "\n";
    for row in 0..40_usize {
        let cell = |column: usize| if (row * 7 + column * column * 3) % 5 < 2 { "1" } else { "0" };
        table += &((0..columns).map(cell).collect::<Vec<_>>().join(",") + "\n");
    }
    table
}

/// A hand-written model in which everything is connected with everything.
fn complete_model(columns: usize) -> String {
    let names: Vec<String> = (0..columns).map(|column| format!("v{column}")).collect();
    let variable = |name: &String| serde_json::json!({"name": name, "levels": ["0", "1"]});
    let edges: Vec<[&String; 2]> = (0..columns)
        .flat_map(|low| (low + 1..columns).map(move |high| (low, high)))
        .map(|(low, high)| [&names[low], &names[high]])
        .collect();
    serde_json::json!({
        "format": "cmnet-model/1",
        "variables": names.iter().map(variable).collect::<Vec<_>>(),
        "edges": edges,
        "contexts": [],
    })
    .to_string()
}

#[test]
fn experiments_need_a_known_name_and_a_folder() {
    let sandbox = Sandbox::new();
    sandbox.run("experiment nope --data data --out o").refused(2, &["nope", "synthetic"]);
    sandbox.run("experiment real --data nowhere --out o --quick").refused(2, &["nowhere", "folder"]);
}

#[test]
fn options_that_would_do_nothing_are_refused() {
    let sandbox = Sandbox::with_model();
    sandbox.run("learn data/coronary_heart.csv --seed 4").refused(2, &["--seed", "--model sgm"]);
    let export = "export m.model.json -o e.uai --given smoking=yes";
    sandbox.run(export).refused(2, &["--evidence-output FILE"]);
    assert!(!sandbox.exists("e.uai"));
    sandbox.run(&format!("{export} --evidence-output e.evid")).succeeds();
}

#[test]
fn models_of_other_variables_are_told_apart_by_the_first_difference() {
    let sandbox = Sandbox::new();
    for (name, table) in [("a", "u,v\n0,x\n1,y\n"), ("b", "u,v\n0,x\n1,z\n"), ("c", "u,w\n0,x\n1,y\n")] {
        sandbox.write(&format!("{name}.csv"), table);
        sandbox.run(&format!("learn {name}.csv -o {name}.json")).succeeds();
    }
    let says = ["the levels of \"v\" are \"x\", \"y\" in the one and \"x\", \"z\" in the other"];
    sandbox.run("compare a.json b.json").refused(2, &says);
    sandbox
        .run("compare a.json c.json")
        .refused(2, &["variable 2 is \"v\" in the one and \"w\" in the other"]);
    sandbox.run("learn data/coronary_heart.csv -o h.json").succeeds();
    sandbox.run("compare a.json h.json").refused(2, &["the one has 2 variables, the other 6"]);
}

#[test]
fn what_would_take_too_much_memory_is_refused_before_it_is_taken() {
    let sandbox = Sandbox::new();
    sandbox.write("complete.csv", big_table(20)).write("complete.model.json", complete_model(20));
    let says = ["log-linear terms of the structure", "goes beyond the limit of 16 MiB", "give more memory"];
    sandbox.run("fit complete.model.json complete.csv --memory 64M").refused(3, &says);
    // Graphs are compared without their terms where there are no contexts.
    sandbox.run("compare complete.model.json complete.model.json").succeeds();
    let scope: Vec<String> = (0..20).map(|v| v.to_string()).collect();
    let (twos, ones) = (vec!["2"; 20].join(" "), "1 ".repeat(1 << 20));
    sandbox.write("large.uai", format!("MARKOV 20 {twos} 1 20 {} {} {ones}", scope.join(" "), 1 << 20));
    sandbox.run("import large.uai -o x.model.json").refused(3, &["goes beyond the limit of 256 MiB"]);
    let wide = format!("a{}\n", ",".repeat(3_000_000));
    sandbox.write("wide.csv", wide).run("describe wide.csv").refused(2, &["more than 1048576 columns"]);
    let names: Vec<String> = (0..140_000).map(|v| v.to_string()).collect();
    let many = format!("{}\n{}\n", names.join(","), vec!["1"; 140_000].join(","));
    sandbox.write("many.csv", many).run("describe many.csv").refused(2, &["more than 131072 columns"]);
    sandbox.run("describe many.csv --columns 7,9").succeeds();
}

#[test]
fn check_reads_every_number_that_learning_recorded() {
    let sandbox = Sandbox::new();
    sandbox.run("learn data/coronary_heart.csv -o m.model.json").succeeds();
    let model = sandbox.read("m.model.json");
    let edited = |from: &str, to: &str| {
        assert!(model.contains(from), "{from}");
        sandbox.write("e.model.json", model.replacen(from, to, 1));
        sandbox.run("check e.model.json data/coronary_heart.csv --skip-optimality")
    };
    let line = |key: &str| model.lines().find(|line| line.contains(key)).unwrap().trim().to_owned();
    edited(&line("\"score\""), "\"score\": -1.5").refused(2, &["learned.score: -1.5 is not the sum"]);
    let rows = edited("\"rows\": 1841", "\"rows\": 1840");
    rows.says(&["The file records 1840 rows; the table has 1841.", "The referee DISAGREES."]);
    assert_eq!(rows.code, 1);
    let search = edited("\"search\": \"paper\"", "\"search\": \"magic\"");
    search.says(&["records the search \"magic\", which does not exist", "The referee DISAGREES."]);
    assert_eq!(search.code, 1);
    // Two numbers whose sum stays the same.
    let learned: serde_json::Value = serde_json::from_str(&model).unwrap();
    let part = |key: &str| learned["learned"][key].as_f64().unwrap();
    let moved = model
        .replacen(&line("\"log_mpl\""), &format!("\"log_mpl\": {},", part("log_mpl") - 8.0), 1)
        .replacen(&line("\"log_prior\""), &format!("\"log_prior\": {},", part("log_prior") + 8.0), 1);
    sandbox.write("e.model.json", moved);
    let parts = sandbox.run("check e.model.json data/coronary_heart.csv --skip-optimality");
    parts.says(&["The file records log_mpl ", "The file records log_prior ", "DISAGREES"]);
    assert_eq!(parts.code, 1);
}

#[test]
fn check_makes_the_recorded_search_once_more() {
    let sandbox = Sandbox::new();
    let table = "data/congressional_voting.csv";
    let learn = |options: &str| {
        sandbox.run(&format!("learn {table} --kappa eps {options} -o m.model.json")).succeeds();
        sandbox.run(&format!("check m.model.json {table}")).succeeds();
        sandbox.read("m.model.json")
    };
    let disagrees = |model: &str, from: &str, to: &str, why: &str| {
        assert!(model.contains(from), "{from}");
        sandbox.write("e.model.json", model.replacen(from, to, 1));
        let ran = sandbox.run(&format!("check e.model.json {table}")).ends_with(1);
        ran.says(&[why, "The referee DISAGREES."]);
    };
    let (paper, blanket) = ("\"search\": \"paper\"", "\"search\": \"blanket\"");
    let by_blanket = learn("--search blanket");
    disagrees(
        &by_blanket,
        blanket,
        paper,
        "the search paper, which ends at another structure, with 25 edges",
    );
    // Mode blanket has options that no file records: that it ends elsewhere is told, and is no disagreement.
    let told = |model: &str| {
        sandbox.write("e.model.json", model);
        let ran = sandbox.run(&format!("check e.model.json {table}")).succeeds();
        ran.says(&["ends with its usual options at another structure, with 24 edges", "The referee agrees."]);
        assert_eq!(sandbox.json(&format!("check e.model.json {table}"))["search_repeated"], false);
    };
    told(&learn("--search paper").replacen(paper, blanket, 1));
    let limited = learn("--search blanket --max-neighbors 2 --candidates and");
    told(&limited);
    // What is called the best has no better one beside it.
    disagrees(&limited, blanket, "\"search\": \"exact\"", "gives the higher score");
}

#[test]
fn a_key_that_stands_twice_is_refused_by_name() {
    let sandbox = Sandbox::new();
    sandbox.run("learn data/coronary_heart.csv -o m.model.json").succeeds();
    let model = sandbox.read("m.model.json");
    let twice = model.replacen(
        "\"where\": {\"smoking\": \"yes\"",
        "\"where\": {\"smoking\": \"yes\", \"smoking\": \"yes\"",
        1,
    );
    assert_ne!(twice, model);
    sandbox.write("t.model.json", twice).run("describe t.model.json");
    sandbox
        .run("draw t.model.json -o -")
        .refused(2, &["parameters.terms", "the key \"smoking\" appears twice"]);
    let twice = model.replacen("\"edges\":", "\"edges\": [], \"edges\":", 1);
    sandbox
        .write("t.model.json", twice)
        .run("draw t.model.json -o -")
        .refused(2, &["duplicate field `edges`"]);
    sandbox.write("s.toml", "[levels]\na = [0]\n\" a\" = [1]\n").write("t.csv", "a\n0\n1\n");
    sandbox.run("describe t.csv --schema s.toml").refused(2, &["s.toml, line", "\"a\" appears twice"]);
}
