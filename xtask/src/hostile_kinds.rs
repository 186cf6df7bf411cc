//! What `cargo xtask hostile` damages, and the commands that read it.

use anyhow::{Result, bail};
use std::path::Path;
use std::process::{Command, Stdio};

/// A kind of file: its samples and the commands to try. `FILE` stands for the damaged file.
pub(crate) struct Kind {
    pub(crate) samples: &'static [&'static str],
    pub(crate) name: &'static str,
    pub(crate) commands: &'static [&'static str],
}

pub(crate) const KINDS: [Kind; 10] = [
    Kind {
        samples: &[
            "heart.model.json",
            "hand.model.json",
            "contraceptive.model.json",
            "stratified.model.json",
            "cut.model.json",
        ],
        name: "damaged.model.json",
        commands: &[
            "check FILE data/coronary_heart.csv",
            "score FILE data/coronary_heart.csv --kappa n^-0.5",
            "query FILE",
            "query FILE --map",
            "query FILE --method gibbs --sweeps 20 --warm-up 5",
            "explain FILE",
            "sample FILE -n 5",
            "draw FILE -o drawn.svg",
            "fit FILE data/coronary_heart.csv",
            "evaluate FILE data/coronary_heart.csv",
            "predict FILE few.csv --target contraceptive_method",
            "predict FILE numbers.csv --target c",
            "impute FILE holes.csv -o filled.csv",
            "export FILE -o exported.uai",
            "compare FILE heart.model.json",
            "explore FILE -o page.html",
            "report FILE -o page.html",
        ],
    },
    Kind {
        samples: &["few.csv", "data/coronary_heart.csv", "data/economic_activity.csv"],
        name: "damaged.csv",
        commands: &[
            "describe FILE",
            "learn FILE -o learned.model.json",
            "learn FILE --kappa n^-0.25 --search blanket -o learned.model.json",
            "learn FILE --components 2 -o learned.model.json",
            "fit hand.model.json FILE",
            "evaluate heart.model.json FILE",
            "predict heart.model.json FILE --target smoking --on-unknown missing",
            "cv FILE --folds 2 --kappa eps",
            "bootstrap FILE --replicates 3 --kappa n^-0.5",
            "posterior FILE --chains 2 --sweeps 20",
        ],
    },
    Kind {
        samples: &["numbers.csv"],
        name: "damaged.csv",
        commands: &[
            "describe FILE --bins 3",
            "discretize FILE --bins 3 -o cut-again.csv",
            "discretize FILE --bins graph:3 --bins a=at:-1,0,1 -o cut-again.csv",
            "learn FILE --bins width:3 --drop w --kappa n^-0.5 -o learned.model.json",
            "learn FILE --bins 2 --weights w -o learned.model.json",
            "learn FILE --bins 2 --weights w --weights-as counts -o learned.model.json",
            "learn FILE --bins 2 --drop w --group g --permutations 9 -o learned.model.json",
            "learn FILE --bins 2 --components auto --time-limit 2s -o learned.model.json",
            "evaluate cut.model.json FILE",
            "predict cut.model.json FILE --target c --on-unknown missing",
        ],
    },
    Kind {
        samples: &["holes.csv"],
        name: "damaged.csv",
        commands: &[
            "describe FILE --on-missing model",
            "learn FILE --on-missing model --completions 2 --rounds 2 --kappa eps -o learned.model.json",
            "learn FILE --on-missing drop -o learned.model.json",
            "fit holes.model.json FILE --on-missing model -o fitted.model.json",
            "evaluate holes.model.json FILE --on-missing model",
            "impute holes.model.json FILE -o filled.csv",
        ],
    },
    Kind {
        samples: &["mixture.model.json"],
        name: "damaged.model.json",
        commands: &[
            "check FILE data/coronary_heart.csv",
            "query FILE",
            "predict FILE data/coronary_heart.csv --target smoking",
            "sample FILE -n 5",
            "explain FILE",
            "evaluate FILE data/coronary_heart.csv",
            "draw FILE -o drawn.svg",
            "compare FILE mixture.model.json --data data/coronary_heart.csv",
        ],
    },
    Kind {
        samples: &["ensemble.json"],
        name: "damaged.model.json",
        commands: &[
            "check FILE data/coronary_heart.csv",
            "query FILE --given smoking=yes",
            "query FILE --target smoking,family_anamnesis --joint --information",
            "predict FILE data/coronary_heart.csv --target smoking",
            "explain FILE",
            "evaluate FILE data/coronary_heart.csv",
            "draw FILE -o drawn.svg --widths",
        ],
    },
    Kind {
        samples: &["learn.part", "bootstrap.part"],
        name: "damaged.part",
        commands: &[
            "merge FILE -o merged.part",
            "merge FILE learn.part -o merged.part",
            "learn data/coronary_heart.csv --known FILE --no-output",
            "bootstrap data/coronary_heart.csv --replicates 4 --known FILE",
            "bootstrap data/coronary_heart.csv --replicates 4 --shard 1/2 --part FILE",
        ],
    },
    Kind {
        samples: &["voting.checkpoint"],
        name: "damaged.checkpoint",
        commands: &[
            "learn data/congressional_voting.csv --kappa n^-0.25 --search blanket --max-neighbors 12 --max-configurations 65536 --checkpoint FILE --resume \
                     --time-limit 1s -o learned.model.json",
        ],
    },
    Kind { samples: &["heart.uai"], name: "damaged.uai", commands: &["import FILE -o imported.model.json"] },
    Kind {
        samples: &["levels.toml", "cut.schema.toml", "edges.toml"],
        name: "damaged.toml",
        commands: &[
            "describe data/coronary_heart.csv --schema FILE",
            "describe numbers.csv --schema FILE",
            "learn data/coronary_heart.csv --knowledge FILE --kappa eps --no-output",
        ],
    },
];

/// Commands that make the samples that are not files of version 0.1.
const MAKERS: [&str; 7] = [
    "learn data/coronary_heart.csv --components 2 -o mixture.model.json",
    "bootstrap data/coronary_heart.csv --replicates 4 --kappa n^-0.5 --ensemble ensemble.json",
    "learn data/coronary_heart.csv --shard 1/1 --part learn.part",
    "bootstrap data/coronary_heart.csv --replicates 4 --shard 1/2 --part bootstrap.part",
    "learn numbers.csv --bins 3 --drop w,g -o cut.model.json",
    "discretize numbers.csv --bins 3 -o cut.csv",
    "learn holes.csv --on-missing drop -o holes.model.json",
];

const EDGES: &str = "\
require = ['smoking-lipoprotein_ratio']
forbid = ['smoking-*physical_work']
no_contexts = ['smoking-lipoprotein_ratio']
tiers = [['smoking'], ['family_anamnesis'], ['lipoprotein_ratio']]

[[prior]]
edge = 'smoking-systolic_blood_pressure'
p = 0.3
";

/// Makes in a folder the samples of what version 0.1 did not have.
pub(crate) fn make(command: &Path, folder: &Path) -> Result<()> {
    std::fs::write(folder.join("numbers.csv"), numbers())?;
    std::fs::write(folder.join("edges.toml"), EDGES)?;
    let whole = std::fs::read_to_string(folder.join("data/coronary_heart.csv"))?;
    std::fs::write(folder.join("holes.csv"), with_holes(&whole, 80))?;
    for line in MAKERS {
        let mut run = Command::new(command);
        run.args(line.split(' ')).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::piped());
        let ended = run.output()?;
        if !ended.status.success() {
            bail!("cmnet {line}: {}", String::from_utf8_lossy(&ended.stderr));
        }
    }
    Ok(())
}

/// A table of numbers, of levels, of a group and of weights, the same in every run.
fn numbers() -> String {
    let row = |row: i32| {
        let (one, other) = (row * 37 % 101, row * 53 % 97);
        let number = |of: i32| f64::from(of - 50) / 16.0;
        let level = if one + other > 98 { "high" } else { "low" };
        let group = if row % 3 == 0 { "men" } else { "women" };
        let weight = f64::from(row % 7 + 1) / 4.0;
        format!("{},{},{level},{group},{weight}\n", number(one), number(one / 2 + other / 2))
    };
    String::from("a,b,c,g,w\n") + &(0..120).map(row).collect::<String>()
}

/// The first rows of a table with every eleventh value missing.
pub(crate) fn with_holes(table: &str, rows: usize) -> String {
    let mut place = 0;
    let mut hole = |field: &str| {
        place += 1;
        if place % 11 == 0 { String::new() } else { field.to_owned() }
    };
    let mut lines = table.lines();
    let mut text = lines.next().unwrap_or_default().to_owned() + "\n";
    for line in lines.take(rows) {
        let fields: Vec<String> = line.split(',').map(&mut hole).collect();
        text += &(fields.join(",") + "\n");
    }
    text
}
