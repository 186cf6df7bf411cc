//! `cmnet learn --on-missing model`: structures from a table with missing values.

use super::outputs::{self, Outputs};
use super::summary::{self, Told};
use crate::args::{CompletingArgs, Format, LearnArgs, Printed};
use crate::commands::missing;
use crate::dialect::CommandLine;
use crate::exit::{Outcome, Usage};
use crate::progress::Watch;
use crate::{checkpoint, output};
use cmnet::{
    Checkpointer, CompletedLearning, CompletionOptions, CompletionRound, LearnOptions, LoadedIncomplete,
    Schema, StopReason, learn_incomplete_from,
};
use cmnet_report::answer::LearnedAnswer;
use cmnet_report::many;
use std::fmt::Write;
use std::time::Duration;

/// Refuses what only rows with missing values have a use for.
pub(super) fn check_unused(completing: &CompletingArgs) -> anyhow::Result<()> {
    let usual = CompletionOptions::default();
    let asked = [
        ("--completions", completing.completions != usual.completions),
        ("--rounds", completing.rounds != usual.rounds),
        ("--agreement", completing.agreement.total_cmp(&usual.agreement).is_ne()),
    ];
    match asked.into_iter().find(|(_, asked)| *asked) {
        Some((flag, _)) => Err(Usage(format!("{flag} goes with --on-missing model; leave it out")).into()),
        None => Ok(()),
    }
}

pub(super) fn run(
    arguments: &Printed<LearnArgs>,
    learn: LearnOptions,
    loaded: &LoadedIncomplete,
    outputs: &Outputs,
    time_limit: Option<Duration>,
) -> anyhow::Result<Outcome> {
    if arguments.target.is_some() {
        let problem = "--target holds out rows without missing values; use --on-missing drop";
        return Err(Usage(problem.to_owned()).into());
    }
    let completing = &arguments.completing;
    let options = CompletionOptions {
        completions: completing.completions,
        rounds: completing.rounds,
        seed: learn.tune.seed,
        agreement: completing.agreement,
        learn,
    };
    let table = &loaded.table;
    missing::tell(&loaded.file, table);
    let checkpoints = &arguments.checkpoints;
    let open = |path, pace| Checkpointer::open_completion(path, checkpoints.resume, (table, &options), pace);
    let (checkpointer, state) = checkpoint::open(checkpoints, open)?;
    let watch = Watch::with_checkpoints(time_limit, checkpointer);
    let found = learn_incomplete_from(state, table, &options, &watch)?;
    // A disk that is full must not swallow the answer: it is printed either way.
    let checkpointed = watch.finish();
    let written =
        match found.kept().map(|place| found.to_model(place, table, &options)).transpose()?.flatten() {
            Some(model) => outputs.write_model(&model),
            None => Ok(Vec::new()),
        };
    let paths = written.as_deref().unwrap_or_default();
    match arguments.format {
        Format::Text => {
            let told = Told::of_incomplete(loaded, rounds(&found, options.rounds));
            let mut page = summary::render(&found.learned, &told, &[])?;
            agreement(&mut page, table.schema(), &found)?;
            if let Some(files) = outputs::named(paths) {
                writeln!(page, "\nwrote {files}")?;
            }
            output::page(&page)?;
        }
        Format::Json => {
            output::answer(&LearnedAnswer::of_incomplete(&found, table, &CommandLine))?;
            outputs::note_written(paths);
        }
    }
    written?;
    checkpointed?;
    Ok(super::ended(&found.learned))
}

/// What the rounds were, on one line.
fn rounds(found: &CompletedLearning, asked: u64) -> String {
    let end = end(&found.rounds, asked, found.stable, found.learned.stop);
    let rounds = many(found.rounds.len(), "round");
    let (tables, seed) = (found.completions, found.seed);
    format!("missing values: {tables} completed tables in each of {rounds}, seed {seed}; {end}")
}

/// How the rounds ended.
fn end(rounds: &[CompletionRound], asked: u64, stable: bool, stop: StopReason) -> &'static str {
    let Some(next) = rounds.last().map(CompletionRound::union) else { return "no round was finished" };
    if stable {
        "another round would find the same"
    } else if stop != StopReason::Converged {
        "ended early, before the graph stayed as it is"
    } else if rounds.iter().any(|round| round.drawn_from == next) {
        "the graphs come back in a circle"
    } else if (rounds.len() as u64) < asked {
        "the next graph is too large for --memory"
    } else {
        "the graph still changed from round to round: --rounds allows more"
    }
}

/// How far the completed tables agree on the chosen structure, and what else some of them found.
fn agreement(page: &mut String, schema: &Schema, found: &CompletedLearning) -> anyhow::Result<()> {
    let Some((place, known)) = found.kept().and_then(|place| Some((place, found.agreement.get(place)?)))
    else {
        return Ok(());
    };
    let schema = output::printable(schema);
    let structure = &found.learned.models[place].structure;
    writeln!(page, "\nagreement of the completed tables (kept from {} on)", found.threshold)?;
    let mut edges: Vec<_> = known.edges.iter().collect();
    edges.sort_by_key(|known| std::cmp::Reverse(known.found.count));
    for edge in edges {
        let [low, high] = [edge.edge.low(), edge.edge.high()].map(|v| schema.name(v));
        let kept = if structure.graph().contains(edge.edge) { "" } else { ", not kept" };
        writeln!(page, "  {} of {}  {low} - {high}{kept}", edge.found.count, edge.found.of)?;
    }
    let cut = |edge, cell| structure.context(edge).is_some_and(|context| context.contains(cell));
    for element in &known.elements {
        let ends = [element.edge.low(), element.edge.high()].map(|v| schema.name(v));
        let level = |&(v, level): &(usize, u32)| {
            format!("{}={}", schema.name(v), schema.variable(v).levels[level as usize])
        };
        let given: Vec<String> = element.given.iter().map(level).collect();
        let kept = if cut(element.edge, element.cell) { "" } else { ", not kept" };
        let (count, of) = (element.found.count, element.found.of);
        writeln!(page, "  {count} of {of}  {} | {} given {}{kept}", ends[0], ends[1], given.join(", "))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cmnet::{Edge, Graph};

    #[test]
    fn rounds_that_did_not_settle_say_why() {
        let mut graph = Graph::empty(2);
        graph.add_edge(Edge::new(0, 1).unwrap());
        // Rounds without tables find no edge.
        let round =
            |drawn_from: &Graph| CompletionRound { drawn_from: drawn_from.clone(), tables: Vec::new() };
        let one = [round(&graph)];
        let two = [round(&Graph::empty(2)), round(&graph)];
        assert!(end(&one, 1, false, StopReason::Converged).contains("--rounds allows more"));
        assert!(end(&one, 2, false, StopReason::Converged).contains("too large for --memory"));
        assert!(end(&two, 2, false, StopReason::Converged).contains("in a circle"));
        assert!(end(&two, 2, true, StopReason::Converged).contains("would find the same"));
        assert!(end(&one, 1, false, StopReason::TimeLimit).contains("ended early"));
        assert!(end(&[], 1, false, StopReason::Interrupted).contains("no round"));
    }
}
