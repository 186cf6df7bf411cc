//! The command `cmnet`.

mod args;
mod ask_args;
mod checkpoint;
mod commands;
mod dialect;
mod exit;
mod files;
mod fit_args;
mod interrupt;
mod output;
mod progress;
mod share;
mod terminal;
mod weights;

use args::{Cli, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return exit::usage(&error),
    };
    interrupt::outlive_file_limits();
    let result = match &cli.command {
        Command::Describe(arguments) => commands::describe::run(arguments),
        Command::Discretize(arguments) => commands::discretize::run(arguments),
        Command::Learn(arguments) => commands::learn::run(arguments),
        Command::Exact(arguments) => commands::exact::run(arguments),
        Command::Score(arguments) => commands::score::run(arguments),
        Command::Check(arguments) => commands::check::run(arguments),
        Command::Fit(arguments) => commands::fit::run(arguments),
        Command::Evaluate(arguments) => commands::evaluate::run(arguments),
        Command::Bootstrap(arguments) => commands::bootstrap::run(arguments),
        Command::Posterior(arguments) => commands::posterior::run(arguments),
        Command::Cv(arguments) => commands::cv::run(arguments),
        Command::Merge(arguments) => commands::merge::run(arguments),
        Command::Compare(arguments) => commands::compare::run(arguments),
        Command::Report(arguments) => commands::report::run(arguments),
        Command::Draw(arguments) => commands::draw::run(arguments),
        Command::Experiment(arguments) => commands::experiment::run(arguments),
        Command::Ask(command) => commands::asking::run(command),
    };
    exit::code(result)
}
