//! Exit codes, as the manual lists them.

use crate::dialect::CommandLine;
use crate::output;
use cmnet::{Error, ErrorKind, StopReason};
use cmnet_check::CheckError;
use std::process::ExitCode;

/// How a command ended when it did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Done.
    Done,
    /// Done, and the answer is "no".
    No,
    /// Ended by a limit that the user set, with what was found so far.
    Limited,
    /// Interrupted, with what was found so far saved.
    Interrupted,
}

impl Outcome {
    /// How a command ends whose work ended for this reason.
    pub(crate) fn of(stop: StopReason) -> Self {
        match stop {
            StopReason::Interrupted => Self::Interrupted,
            StopReason::TimeLimit => Self::Limited,
            _ => Self::Done,
        }
    }
}

/// The process's exit code; errors go to standard error.
pub(crate) fn code(result: anyhow::Result<Outcome>) -> ExitCode {
    let error = match result {
        Ok(outcome) => {
            return ExitCode::from(match outcome {
                Outcome::Done => 0,
                Outcome::No => 1,
                Outcome::Limited => 3,
                Outcome::Interrupted => 130,
            });
        }
        Err(error) => error,
    };
    if is_broken_pipe(&error) {
        return ExitCode::SUCCESS;
    }
    let fact = error.downcast_ref::<Error>();
    // An error of the library says its cause itself; others say theirs when asked.
    match fact {
        Some(fact) => output::note(&fact.words(&CommandLine)),
        None => output::note(&format!("{error:#}")),
    }
    ExitCode::from(match fact.map(Error::kind) {
        Some(ErrorKind::Stopped(StopReason::Interrupted)) => 130,
        Some(ErrorKind::Limit { .. } | ErrorKind::Stopped(_)) => 3,
        Some(_) => 2,
        None => match error.downcast_ref::<CheckError>() {
            Some(CheckError::TooLarge { .. }) => 3,
            Some(_) => 2,
            None if error.downcast_ref::<Usage>().is_some() => 2,
            None => 70,
        },
    })
}

/// What to do about arguments that cannot be understood: one line on standard error, as for every
/// other error. Help and version are printed as they are.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind;
    let asked = matches!(
        error.kind(),
        ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    );
    if asked {
        // A reader that has gone needs no help.
        let _ = error.print();
        return ExitCode::from(error.exit_code() as u8);
    }
    output::note(&usage_line(&error.to_string()));
    ExitCode::from(2)
}

/// The message, its hints and how to get help, on one line.
fn usage_line(message: &str) -> String {
    let mut said: Vec<String> = Vec::new();
    let mut usage = String::from("cmnet");
    for paragraph in message.trim_start_matches("error: ").split("\n\n") {
        let words = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
        match words.strip_prefix("Usage: ") {
            Some(line) => {
                let names =
                    line.split(' ').take_while(|word| word.starts_with(|c: char| c.is_ascii_lowercase()));
                usage = names.collect::<Vec<_>>().join(" ");
            }
            None if words.starts_with("For more information") || words.is_empty() => {}
            None => said.push(words.replace(" tip: ", "; ").trim_start_matches("tip: ").to_owned()),
        }
    }
    format!("{}; see {usage} --help", said.join("; "))
}

/// A reader that closes early, such as `head`, is not a failure.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind)
    };
    error.chain().any(|cause| kind(cause) == Some(std::io::ErrorKind::BrokenPipe))
}

/// Arguments that do not go together.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::Parser;

    #[test]
    fn errors_of_usage_take_one_line() {
        let said = |line: &str| {
            usage_line(
                &Cli::try_parse_from(line.split(' '))
                    .err()
                    .map(|error| error.to_string())
                    .unwrap_or_default(),
            )
        };
        assert_eq!(
            said("cmnet learn"),
            "the following required arguments were not provided: <DATA>; see cmnet learn --help"
        );
        assert_eq!(
            said("cmnet learn a.csv --kapa 1"),
            "unexpected argument '--kapa' found; a similar argument exists: '--kappa'; see cmnet learn --help"
        );
        assert_eq!(
            said("cmnet lern"),
            "unrecognized subcommand 'lern'; a similar subcommand exists: 'learn'; see cmnet --help"
        );
        for line in [
            "cmnet learn a.csv --search fast",
            "cmnet query",
            "cmnet sample m.json -n x",
            "cmnet learn a.csv --x y",
        ] {
            let said = said(line);
            assert!(!said.contains('\n') && !said.contains("Usage"), "{said}");
        }
    }
}
