//! What people and CI run: `cargo xtask test`.

mod bench_inference;
mod test;

use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask COMMAND

  test   formatting, lints, documentation and every test: what CI runs
  bench inference   exact inference beside pyAgrum and toulbar2
";

fn main() -> ExitCode {
    let command = std::env::args().nth(1);
    let result = match command.as_deref() {
        Some("test") => test::run(),
        Some("bench") => match std::env::args().nth(2).as_deref() {
            Some("inference") => bench_inference::run(),
            _ => {
                eprint!("{USAGE}");
                return ExitCode::from(2);
            }
        },
        Some("help" | "--help" | "-h") => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
