//! `cargo xtask release --dry-run`: all that a release would publish, made from a clean clone,
//! installed into empty environments and tried. Nothing leaves this machine.

use crate::python::step;
use crate::python_package::target;
use crate::release_policy;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crates of the registry, each after those that it needs.
const CRATES: [&str; 5] = ["cmnet", "cmnet-report", "cmnet-paper", "cmnet-check", "cmnet-cli"];

/// What the installed Python package is asked.
const SMOKE: &str = "xtask/src/release_smoke.py";

/// The parts, in the order in which they are made.
pub(crate) const PARTS: [&str; 5] = ["crates", "command", "python", "policy", "book"];

/// Makes one part, or all of them. A part that fails keeps no other from being made.
pub(crate) fn dry_run(part: Option<&str>) -> Result<()> {
    if let Some(part) = part.filter(|part| !PARTS.contains(part)) {
        bail!("there is no part {part:?}; the parts are {}", PARTS.join(", "));
    }
    let release = Release::of_a_clean_clone()?;
    let mut failures = Failures::default();
    for name in PARTS.into_iter().filter(|name| part.is_none_or(|part| part == *name)) {
        println!("xtask: release, {name}");
        failures.note(
            name,
            match name {
                "crates" => release.crates(),
                "command" => release.command(),
                "python" => release.python(),
                "policy" => release_policy::check(&release.clone),
                _ => crate::book::run(&release.clone, &release.folder.join("book")),
            },
        );
    }
    failures.end()?;
    match part {
        Some(part) => println!("xtask: the part {part} can be made; nothing was published"),
        None => println!("xtask: the release can be made; nothing was published"),
    }
    Ok(())
}

/// What failed, each with its name: one failure hides no other.
#[derive(Default)]
pub(crate) struct Failures(Vec<String>);

impl Failures {
    pub(crate) fn note(&mut self, name: &str, result: Result<()>) {
        if let Err(error) = result {
            self.0.push(format!("{name}: {error:#}"));
        }
    }

    /// All of them as one error.
    pub(crate) fn end(self) -> Result<()> {
        if self.0.is_empty() { Ok(()) } else { bail!("{}", self.0.join("\n  ")) }
    }
}

/// A clone of the last commit, and the folder of what is made of it.
struct Release {
    clone: PathBuf,
    folder: PathBuf,
}

impl Release {
    fn of_a_clean_clone() -> Result<Self> {
        let folder = std::path::absolute(target().join("release-check"))?;
        let clone = folder.join("clone");
        let _ = std::fs::remove_dir_all(&clone);
        std::fs::create_dir_all(&folder)?;
        let changed =
            Command::new("git").args(["status", "--porcelain"]).output().context("cannot start git")?;
        if !changed.stdout.is_empty() {
            println!("xtask: some changes are not committed; the release has the last commit only");
        }
        step(Command::new("git").args(["clone", "--quiet", "--no-hardlinks", "."]).arg(&clone))?;
        Ok(Self { clone, folder })
    }

    /// Packages every crate; cargo compiles each from its package alone.
    fn crates(&self) -> Result<()> {
        let names = CRATES.into_iter().flat_map(|name| ["--package", name]);
        step(self.cargo(&["package", "--quiet", "--no-metadata"]).args(names).current_dir(&self.clone))?;
        for name in CRATES {
            let package = self.package(name)?;
            println!("  {} {}", kilobytes(&package)?, shown(&package));
        }
        Ok(())
    }

    /// Installs the command from the packages into an empty folder and asks it something.
    fn command(&self) -> Result<()> {
        let unpacked = self.empty("unpacked")?;
        for name in CRATES {
            let package = self.package(name).context("make the part crates first")?;
            step(Command::new("tar").arg("-xzf").arg(package).arg("-C").arg(&unpacked))?;
        }
        std::fs::write(unpacked.join("Cargo.toml"), instead_of_the_registry())?;
        let root = self.empty("command")?;
        let mut install = self.cargo(&["install", "--quiet", "--root"]);
        step(install.arg(&root).arg("--path").arg(unpacked.join(versioned("cmnet-cli"))))?;
        let command = root.join("bin").join("cmnet");
        println!("  {} stripped command", kilobytes(&command)?);
        self.try_command(&command)
    }

    fn try_command(&self, command: &Path) -> Result<()> {
        let folder = self.empty("tried")?;
        std::fs::copy(self.clone.join("data/coronary_heart.csv"), folder.join("heart.csv"))?;
        for line in [
            "--version",
            "learn heart.csv -o heart.json",
            "check heart.json heart.csv",
            "query heart.json --given smoking=yes",
            "report heart.json --data heart.csv --folds 0 -o heart.html",
        ] {
            // No variable of this shell can help: the command needs none.
            let run =
                Command::new(command).args(line.split(' ')).current_dir(&folder).env_clear().output()?;
            if !run.status.success() {
                bail!("cmnet {line}: {}", String::from_utf8_lossy(&run.stderr));
            }
        }
        println!("  the installed command learns, checks, answers and reports");
        Ok(())
    }

    /// Builds the wheel and the source archive, installs each into an empty environment, tries it.
    fn python(&self) -> Result<()> {
        let python = self.environment("builder")?;
        step(Command::new(&python).args(["-m", "pip", "install", "--quiet", "maturin>=1.7,<2"]))?;
        let archives = self.empty("archives")?;
        let build = ["-m", "maturin", "build", "--quiet", "--release", "--strip", "--sdist", "--out"];
        step(self.built(&python).args(build).arg(&archives).current_dir(&self.clone))?;
        for (ending, name) in [(".whl", "wheel"), (".tar.gz", "source")] {
            let archive = one_ending(&archives, ending)?;
            println!("  {} {}", kilobytes(&archive)?, shown(&archive));
            if ending == ".whl" && !shown(&archive).contains("-abi3-") {
                bail!("{} is for one version of Python only", archive.display());
            }
            let python = self.environment(name)?;
            step(self.built(&python).args(["-m", "pip", "install", "--quiet"]).arg(&archive))?;
            let table = self.clone.join("data/coronary_heart.csv");
            step(Command::new(&python).arg("-I").arg(self.clone.join(SMOKE)).arg(table))?;
        }
        Ok(())
    }

    /// The interpreter of an environment made anew, with nothing in it.
    fn environment(&self, name: &str) -> Result<PathBuf> {
        let folder = self.folder.join(name);
        step(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        Ok(folder.join("bin").join("python"))
    }

    /// A folder made anew.
    fn empty(&self, name: &str) -> Result<PathBuf> {
        let folder = self.folder.join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    fn cargo(&self, words: &[&str]) -> Command {
        let mut cargo = self.built(Path::new(&std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())));
        cargo.args(words);
        cargo
    }

    /// A program whose builds all go into one folder: dependencies are compiled once.
    fn built(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env("CARGO_TARGET_DIR", self.folder.join("target"));
        command
    }

    fn package(&self, name: &str) -> Result<PathBuf> {
        let path = self.folder.join("target/package").join(versioned(name) + ".crate");
        if path.exists() { Ok(path) } else { bail!("there is no {}", path.display()) }
    }
}

/// A workspace of the unpacked packages: each finds the others there and not in the registry, which
/// does not have them yet. The command is stripped.
fn instead_of_the_registry() -> String {
    let places: Vec<String> =
        CRATES.map(|name| format!("{name} = {{ path = '{}' }}", versioned(name))).into();
    format!(
        "[workspace]\nresolver = '3'\nmembers = ['cmnet-*']\n\n[patch.crates-io]\n{}\n\n\
         [profile.release]\nstrip = 'symbols'\n",
        places.join("\n")
    )
}

/// All crates have one version, that of this program.
fn versioned(name: &str) -> String {
    format!("{name}-{}", env!("CARGO_PKG_VERSION"))
}

fn one_ending(folder: &Path, ending: &str) -> Result<PathBuf> {
    let paths = std::fs::read_dir(folder)?.flatten().map(|entry| entry.path());
    let mut found = paths.filter(|path| path.to_string_lossy().ends_with(ending));
    match (found.next(), found.next()) {
        (Some(path), None) => Ok(path),
        _ => bail!("expected one file *{ending} in {}", folder.display()),
    }
}

fn kilobytes(path: &Path) -> Result<String> {
    Ok(format!("{:>6} kB", std::fs::metadata(path)?.len().div_ceil(1000)))
}

fn shown(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
