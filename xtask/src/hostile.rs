//! `cargo xtask hostile`: models, tables, checkpoints and other files with random damage. Every
//! command ends in time and memory, with an answer or with an error of its own.

use crate::bench_search::release;
use crate::hostile_kinds::{KINDS, make};
use anyhow::{Context, Result, bail};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A command that keeps the processor longer hangs, in seconds.
const MOST_WORK: &str = "10";

/// A command that takes longer hangs too, whether it works or waits, in seconds: what a busy machine
/// may take.
const MOST_TIME: &str = "300";

/// What `timeout` says of such a command.
const OUT_OF_TIME: i32 = 124;

/// The signal of a command that kept the processor too long.
const OUT_OF_WORK: i32 = 24;

/// Address space of a command in KiB. The commands allow themselves up to 1 GiB for tables;
/// threads and the program itself take some more.
const MOST_MEMORY: &str = "2500000";

/// Files of a worker after which it says how far it is: a campaign that is ended early has a figure.
const TOLD: u64 = 500;

/// Threads that start commands.
const WORKERS: u64 = 2;

/// How many commands ended how.
#[derive(Default)]
struct Tally {
    answered: u64,
    refused: u64,
    slowest: Duration,
    bad: Vec<String>,
}

pub(crate) fn run(count: u64, command: Option<PathBuf>) -> Result<()> {
    let command = std::path::absolute(command.map_or_else(|| release("cmnet-cli"), Ok)?)?;
    let root = command.parent().context("no folder")?.join("hostile");
    let worker = |number: u64| -> Result<Tally> {
        let share = count / WORKERS + u64::from(number < count % WORKERS);
        Campaign::new(&command, &root, number)?.runs(share)
    };
    let tallies: Vec<Result<Tally>> = std::thread::scope(|scope| {
        let started: Vec<_> = (0..WORKERS).map(|number| scope.spawn(move || worker(number))).collect();
        started.into_iter().map(|one| one.join().unwrap_or_else(|_| bail!("a worker panicked"))).collect()
    });
    let mut all = Tally::default();
    for tally in tallies {
        let tally = tally?;
        all.answered += tally.answered;
        all.refused += tally.refused;
        all.slowest = all.slowest.max(tally.slowest);
        all.bad.extend(tally.bad);
    }
    println!(
        "hostile: {count} damaged files, {} answered, {} refused, slowest {:.1} s, {} bad",
        all.answered,
        all.refused,
        all.slowest.as_secs_f64(),
        all.bad.len()
    );
    if all.bad.is_empty() {
        return Ok(());
    }
    bail!("{}\nthe files are kept in {}", all.bad.join("\n"), root.display())
}

/// One worker with a folder of its own.
struct Campaign<'a> {
    command: &'a Path,
    folder: PathBuf,
    kept: PathBuf,
    number: u64,
    generator: Pcg64Mcg,
}

impl<'a> Campaign<'a> {
    fn new(command: &'a Path, root: &Path, number: u64) -> Result<Self> {
        let (folder, kept) = (root.join(format!("worker-{number}")), root.join("kept"));
        samples(&folder)?;
        make(command, &folder)?;
        std::fs::create_dir_all(&kept)?;
        Ok(Self { command, folder, kept, number, generator: Pcg64Mcg::seed_from_u64(number) })
    }

    fn runs(mut self, count: u64) -> Result<Tally> {
        let mut tally = Tally::default();
        for place in 0..count {
            if place > 0 && place % TOLD == 0 {
                println!("hostile: worker {}, {place} files, {} bad", self.number, tally.bad.len());
            }
            let kind = &KINDS[self.generator.random_range(0..KINDS.len())];
            let sample = self.pick(kind.samples);
            let line = self.pick(kind.commands);
            let mut bytes = std::fs::read(self.folder.join(sample))?;
            // A whole table only makes every run long: damage does not need it.
            bytes.truncate(20_000);
            for _ in 0..[1, 1, 2, 3][self.generator.random_range(0..4)] {
                damage(&mut bytes, &mut self.generator);
            }
            let file = self.folder.join(kind.name);
            std::fs::write(&file, &bytes)?;
            let started = Instant::now();
            let verdict = self.ends_well(&line.replace("FILE", kind.name))?;
            tally.slowest = tally.slowest.max(started.elapsed());
            match verdict {
                Ok(0 | 1) => tally.answered += 1,
                Ok(_) => tally.refused += 1,
                Err(why) => {
                    let name = format!("{place}-{}", kind.name);
                    std::fs::copy(&file, self.kept.join(&name))?;
                    tally.bad.push(format!("{why}: cmnet {line} ({name}, from {sample})"));
                }
            }
        }
        Ok(tally)
    }

    fn pick(&mut self, words: &[&'static str]) -> &'static str {
        words[self.generator.random_range(0..words.len())]
    }

    /// The exit code of a command that ended as it should, or why it did not.
    fn ends_well(&self, line: &str) -> Result<std::result::Result<i32, String>> {
        let errors = self.folder.join("errors.txt");
        // The system watches the clock: to ask every moment would cost more than most commands.
        let limits =
            format!("ulimit -v {MOST_MEMORY}; ulimit -t {MOST_WORK}; exec timeout {MOST_TIME} \"$@\"");
        let status: ExitStatus = Command::new("sh")
            .args(["-c", &limits, "sh"])
            .arg(self.command)
            .args(line.split_whitespace())
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(&errors)?)
            .status()?;
        let said = String::from_utf8_lossy(&std::fs::read(&errors)?).into_owned();
        Ok(match status.code() {
            Some(0..=3) if !said.contains("panicked") => Ok(status.code().unwrap_or_default()),
            Some(OUT_OF_TIME) => Err(format!("more than {MOST_TIME} s")),
            code if code == Some(128 + OUT_OF_WORK) || status.signal() == Some(OUT_OF_WORK) => {
                Err(format!("more than {MOST_WORK} s of the processor"))
            }
            _ => Err(format!("{status}, {}", said.lines().last().unwrap_or_default())),
        })
    }
}

/// A folder made anew with the files of version 0.1 and, in `data`, the bundled tables.
pub(crate) fn samples(folder: &Path) -> Result<()> {
    let _ = std::fs::remove_dir_all(folder);
    let tables = folder.join("data");
    std::fs::create_dir_all(&tables)?;
    for (from, to) in [("suite/compatibility/0.1", folder), ("data", &tables)] {
        for entry in std::fs::read_dir(from).context("run this in the repository's folder")? {
            let path = entry?.path();
            if let (true, Some(name)) = (path.is_file(), path.file_name()) {
                std::fs::copy(&path, to.join(name))?;
            }
        }
    }
    Ok(())
}

/// What is put into a file.
const TOKENS: [&str; 22] = [
    "\0",
    "\"",
    "\\",
    ",",
    "\n",
    "{",
    "}",
    "[",
    "]]",
    "-1",
    "NaN",
    "1e999",
    "99999999999999999999",
    "0.1",
    "null",
    "true",
    "\u{202e}",
    "\u{feff}",
    "[[[[[[[[[[[[[[[[",
    "18446744073709551615",
    "4294967296",
    "\"a\":1,",
];

/// One change at a random place.
fn damage(bytes: &mut Vec<u8>, generator: &mut Pcg64Mcg) {
    if bytes.is_empty() {
        bytes.extend_from_slice(b"x");
    }
    let at = generator.random_range(0..bytes.len());
    let end = (at + generator.random_range(1..40)).min(bytes.len());
    match generator.random_range(0..10) {
        0 => bytes[at] ^= 1 << generator.random_range(0..8),
        1 => bytes.truncate(at),
        2 => drop(bytes.drain(at..end)),
        3 => {
            let again = bytes[at..end].to_vec();
            bytes.splice(at..at, again);
        }
        4 => {
            let token = TOKENS[generator.random_range(0..TOKENS.len())];
            bytes.splice(at..at, token.bytes());
        }
        5 => {
            // A number becomes another one.
            if let Some(digit) = bytes[at..].iter().position(u8::is_ascii_digit) {
                let number =
                    [b"0".as_slice(), b"7", b"1000000000000", b"0.5", b"-3"][generator.random_range(0..5)];
                bytes.splice(at + digit..=at + digit, number.iter().copied());
            }
        }
        // Two that leave a file well-formed, and so reach what lies behind the reader.
        6 | 7 => {
            if let Some(digit) = bytes[at..].iter().position(u8::is_ascii_digit) {
                bytes[at + digit] = generator.random_range(b'0'..=b'9');
            }
        }
        8 => exchange_lines(bytes, at, generator),
        _ => {
            let other = generator.random_range(0..bytes.len());
            let piece = bytes[at..end].to_vec();
            bytes.splice(other..other, piece);
        }
    }
}

/// Puts another line of the file in the place of the one around `at`.
fn exchange_lines(bytes: &mut Vec<u8>, at: usize, generator: &mut Pcg64Mcg) {
    let line = |place: usize| {
        let begin = bytes[..place].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let end =
            bytes[place..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |end| place + end);
        begin..end
    };
    let (one, other) = (line(at), line(generator.random_range(0..bytes.len())));
    let text = bytes[other].to_vec();
    bytes.splice(one, text);
}
