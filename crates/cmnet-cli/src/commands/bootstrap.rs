//! `cmnet bootstrap`: how sure each edge and each context is.

use crate::args::{BootstrapArgs, Format, Printed};
use crate::commands::fitting::{TimeLimit, options_without_backbone, time_limit};
use crate::exit::{Outcome, Usage};
use crate::progress::Watch;
use crate::{checkpoint, files, output, share, weights};
use cmnet::{
    Bootstrap, BootstrapOptions, Checkpointer, Control, CountedTable, ElementSupport, Ensemble, Frequency,
    Job, KappaChoice, LearnEvent, LearnObserver, Model, Schema, Stability, StopReason, Structure,
    WeightedCounts, bootstrap_from, bootstrap_weighted, write_atomic,
};
use cmnet_report::answer::BootstrappedAnswer;
use cmnet_report::{element_name, many, support_chart};
use std::fmt::Write;
use std::path::Path;

/// The most lines of elements that are printed; JSON has them all.
const MOST_LINES: usize = 40;

pub(crate) fn run(arguments: &Printed<BootstrapArgs>) -> anyhow::Result<Outcome> {
    let options = BootstrapOptions {
        replicates: arguments.replicates,
        seed: arguments.seed,
        threshold: arguments.threshold,
        resample: arguments.resample,
        share: arguments.share,
        start: arguments.start,
        kappa_choice: arguments.kappa_choice,
        bound: arguments.bound,
        stop_early: arguments.stop_early,
        learn: options_without_backbone(&arguments.search)?,
    };
    check_outputs(arguments)?;
    let division = share::with_checkpoints(&arguments.division, &arguments.checkpoints)?;
    share::check(&division, &arguments.data.files())?;
    let time_limit = TimeLimit::begin(time_limit(&arguments.search)?);
    if weights::are_of_a_design(&arguments.data, &arguments.weighing) {
        return weighted(arguments, &options, time_limit);
    }
    let read = files::table_with_note(&arguments.data, None, &options.learn, &Watch::new(time_limit.left()));
    let data = match read {
        Err(error) if weights::are_real(&error) => return weighted(arguments, &options, time_limit),
        read => read?,
    };
    let job = Job::Bootstrap(options.clone());
    if let Some(outcome) = share::run(&division, &job, &data, &Watch::new(time_limit.left()))? {
        return Ok(outcome);
    }
    let known = share::known(&division, &job, &data)?;
    share::note_rest(&job, &data, &known);
    let checkpoints = &arguments.checkpoints;
    let open = |path, pace| Checkpointer::open_bootstrap(path, checkpoints.resume, (&data, &options), pace);
    let (checkpointer, state) = checkpoint::open(checkpoints, open)?;
    let state = if division.known.is_some() { known.resamples } else { state };
    let watch = Watch::with_checkpoints(time_limit.left(), checkpointer);
    if arguments.ensemble.is_some() {
        options.check_ensemble()?;
        watch.observe_learning(&LearnEvent::EnsembleAhead);
    }
    let found = bootstrap_from(state, &data, &options, &watch)?;
    let model = found.to_model(&data, &options, &watch)?;
    let fit_all = || found.ensemble(&data, &options, &watch);
    let ensemble = if arguments.ensemble.is_some() { fit_all()? } else { None };
    let stable = found.stability(&data, &options, &arguments.drop_rows, &watch)?;
    let answer = BootstrappedAnswer {
        schema: data.schema(),
        found: &found,
        consensus: model.as_ref(),
        stability: stable.as_ref(),
        ensemble: ensemble.as_ref(),
    };
    tell(arguments, &answer, watch)
}

/// The same with weights that are no whole numbers, or those of a design.
fn weighted(
    arguments: &Printed<BootstrapArgs>,
    options: &BootstrapOptions,
    time_limit: TimeLimit,
) -> anyhow::Result<Outcome> {
    let (checkpoints, division) = (&arguments.checkpoints, &arguments.division);
    let asked = [
        ("--checkpoint", checkpoints.checkpoint.is_some()),
        ("--shard", division.shard.is_some()),
        ("--known", division.known.is_some()),
        ("--ensemble", arguments.ensemble.is_some()),
        ("--drop-rows", !arguments.drop_rows.is_empty()),
    ];
    if let Some((flag, _)) = asked.into_iter().find(|(_, asked)| *asked) {
        let problem =
            format!("{flag}: not with weights that are no whole numbers; leave it out, or round the weights");
        return Err(Usage(problem).into());
    }
    let loaded = weights::table(&arguments.data, &arguments.weighing)?;
    let table = &loaded.table;
    let watch = Watch::new(time_limit.left());
    let found = bootstrap_weighted(table, options, &watch)?;
    let counts = WeightedCounts::new(table);
    let counted = CountedTable::with_digest(&counts, table.schema(), || table.digest())?;
    let model = found.to_model_of(&counted, options, &watch)?;
    let (schema, consensus) = (table.schema(), model.as_ref());
    let answer = BootstrappedAnswer { schema, found: &found, consensus, stability: None, ensemble: None };
    tell(arguments, &answer, watch)
}

/// Writes what was asked for, and prints the answer.
fn tell(
    arguments: &Printed<BootstrapArgs>,
    answer: &BootstrappedAnswer<'_>,
    watch: Watch,
) -> anyhow::Result<Outcome> {
    let BootstrappedAnswer { schema, found, consensus: model, stability: stable, ensemble } = *answer;
    // A disk that is full must not swallow the answer, and a reader that has gone not the model: the
    // model is written first, and the answer is printed either way.
    let ended = watch.stop();
    let checkpointed = watch.finish();
    let saved = save(arguments, schema, found, (model, ensemble));
    match arguments.format {
        Format::Text => output::page(&as_text(schema, found, model, stable)?)?,
        Format::Json => output::answer(answer)?,
    }
    saved?;
    checkpointed?;
    let unfitted = model.is_some_and(|model| model.fit().is_none());
    let fitted = ensemble.map_or(0, |ensemble| ensemble.drawn().replicates);
    let cut_short = arguments.ensemble.is_some() && fitted < found.finished;
    let stop = stable.map_or(found.stop, |stable| stable.stop);
    let stop = if cut_short { ended.unwrap_or(stop) } else { stop };
    Ok(match Outcome::of(stop) {
        Outcome::Done if unfitted => {
            output::note("the consensus is too large to be fitted with this memory: it has no parameters");
            Outcome::Limited
        }
        outcome => outcome,
    })
}

/// Refuses, before any work, files that cannot be written.
fn check_outputs(arguments: &BootstrapArgs) -> anyhow::Result<()> {
    let outputs = [&arguments.output, &arguments.plot, &arguments.ensemble];
    let outputs: Vec<&Path> = outputs.into_iter().filter_map(|path| path.as_deref()).collect();
    for (place, path) in outputs.iter().enumerate() {
        files::check_output(path, &arguments.data.files())?;
        outputs[..place].iter().try_for_each(|other| files::check_apart(other, path))?;
    }
    checkpoint::check_apart(&arguments.checkpoints, &arguments.data.files(), outputs.iter().copied())
}

/// Writes the consensus, the picture and the ensemble, where they are asked for.
fn save(
    arguments: &BootstrapArgs,
    schema: &Schema,
    found: &Bootstrap,
    (model, ensemble): (Option<&Model>, Option<&Ensemble>),
) -> anyhow::Result<()> {
    if let (Some(model), Some(path)) = (model, &arguments.output) {
        model.save(path)?;
        output::note(&format!("wrote {}", path.display()));
    }
    if let Some(path) = arguments.plot.as_deref().filter(|_| found.finished > 0) {
        write_atomic(path, support_chart(schema, found).as_bytes())?;
        output::note(&format!("wrote {}", path.display()));
    }
    if let Some(path) = &arguments.ensemble {
        save_ensemble(ensemble, path)?;
    }
    Ok(())
}

fn save_ensemble(ensemble: Option<&Ensemble>, path: &Path) -> anyhow::Result<()> {
    let Some(ensemble) = ensemble else {
        output::note("no ensemble is written: the work ended before a replicate was fitted");
        return Ok(());
    };
    ensemble.save(path)?;
    output::note(&format!("wrote {}: {} networks", path.display(), ensemble.members().len()));
    if ensemble.left_out() > 0 {
        let left_out = ensemble.left_out();
        output::note(&format!(
            "{left_out} replicates are left out of it: their tables do not fit the memory"
        ));
    }
    Ok(())
}

fn as_text(
    schema: &Schema,
    found: &Bootstrap,
    model: Option<&Model>,
    stable: Option<&Stability>,
) -> anyhow::Result<String> {
    let Some(model) = model else {
        return Ok(format!("No replicate was finished ({}); nothing is kept.\n", found.stop));
    };
    let mut page = format!("{} replicates, seed {}\n", found.finished, found.seed);
    if found.stop != StopReason::Converged {
        writeln!(page, "Ended early ({}): {} were asked for.", found.stop, found.asked)?;
    }
    if found.settled {
        writeln!(
            page,
            "Settled: more replicates would not change the verdicts; {} were asked for.",
            found.asked
        )?;
    }
    if let [_, _, ..] = found.kappas.as_slice() {
        let chosen: Vec<String> = found
            .kappas
            .iter()
            .filter(|count| count.chosen > 0)
            .map(|count| format!("{} {} times", count.kappa, count.chosen))
            .collect();
        let how = match found.kappa_choice {
            KappaChoice::Anew => "kappa chosen",
            KappaChoice::Table => "kappa chosen for the whole table",
        };
        writeln!(page, "{how}: {}", chosen.join(", "))?;
    }
    edges(&mut page, schema, found)?;
    elements(&mut page, schema, &found.consensus, &found.elements)?;
    writeln!(
        page,
        "\nConsensus (support {} or more): {}, {}{}",
        found.threshold,
        many(model.structure().graph().edge_count(), "edge"),
        many(model.structure().context_elements(), "context element"),
        model.fit().map_or(String::new(), |fit| format!(", BIC {:.3}", fit.bic()))
    )?;
    writeln!(
        page,
        "Conclusive: the interval of the support lies above {}. Absent: it lies below {}. The interval\n\
         (95 %) tells what the number of replicates leaves open, and nothing else.",
        Frequency::CONCLUSIVE,
        Frequency::ABSENT
    )?;
    if found.bounded > 0 {
        writeln!(
            page,
            "{} replicates reached the bound of their work; they count with what they had found.",
            found.bounded
        )?;
    }
    if found.unclosed > 0 {
        writeln!(
            page,
            "{} replicates have structures too large for their closure; they are counted as they are.",
            found.unclosed
        )?;
    }
    stable.map(|stable| dropped(&mut page, stable)).transpose()?;
    Ok(page)
}

/// What is found again when rows are dropped.
fn dropped(page: &mut String, stable: &Stability) -> anyhow::Result<()> {
    if stable.points.is_empty() {
        writeln!(page, "\nNo share of the rows was dropped to the end ({}).", stable.stop)?;
        return Ok(());
    }
    writeln!(page, "\nrows dropped  replicates  edges: mean F1  95 % reach  contexts: mean F1  95 % reach")?;
    for point in &stable.points {
        let (edges, elements) = (point.edges, point.elements);
        writeln!(
            page,
            "{:>12.2}  {:>10}  {:>14.3}  {:>10.3}  {:>17.3}  {:>10.3}",
            point.dropped, point.replicates, edges.mean, edges.least, elements.mean, elements.least
        )?;
    }
    if stable.stop != StopReason::Converged {
        writeln!(page, "Ended early ({}): not every share was tried to the end.", stable.stop)?;
    }
    match stable.coefficient() {
        Some(share) => writeln!(
            page,
            "Stability {share}: with so large a share of the rows dropped, 95 % of the structures still have edges\n\
             that agree with those of the whole table (F1 of {} or more).",
            Stability::SIMILAR
        )?,
        None => writeln!(
            page,
            "Not stable: at every share that was tried, more than 5 % of the structures have edges that agree\n\
             with those of the whole table by an F1 below {}.",
            Stability::SIMILAR
        )?,
    }
    Ok(())
}

fn edges(page: &mut String, schema: &Schema, found: &Bootstrap) -> anyhow::Result<()> {
    let pairs = schema.len() * schema.len().saturating_sub(1) / 2;
    let never = pairs - found.edges.len();
    if found.edges.is_empty() {
        writeln!(page, "\nNo replicate has an edge.")?;
        return Ok(());
    }
    let mut sorted: Vec<_> = found.edges.iter().collect();
    sorted.sort_by_key(|known| std::cmp::Reverse(known.found.count));
    let names: Vec<String> = sorted
        .iter()
        .map(|known| format!("{} - {}", schema.name(known.edge.low()), schema.name(known.edge.high())))
        .collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(4).max(4);
    writeln!(page, "\n{:<width$}  {:>7}  {:<14}  verdict", "edge", "support", "interval")?;
    for (known, name) in sorted.iter().zip(&names) {
        writeln!(page, "{name:<width$}  {}  {}", numbers(known.found), known.found.verdict())?;
    }
    if never > 0 {
        writeln!(page, "{never} other pairs: an edge in no replicate")?;
    }
    Ok(())
}

pub(super) fn numbers(found: Frequency) -> String {
    let [low, high] = found.interval();
    format!("{:>7.3}  {:<14}", found.support(), format!("{low:.3} - {high:.3}"))
}

/// The elements on edges of a consensus that are not rare.
pub(super) fn elements(
    page: &mut String,
    schema: &Schema,
    consensus: &Structure,
    all: &[ElementSupport],
) -> anyhow::Result<()> {
    let in_consensus =
        |known: &&ElementSupport| consensus.graph().contains(known.edge) && known.found.support() >= 0.1;
    let mut sorted: Vec<&ElementSupport> = all.iter().filter(in_consensus).collect();
    if sorted.is_empty() {
        return Ok(());
    }
    sorted.sort_by_key(|known| std::cmp::Reverse(known.found.count));
    let text = |known: &ElementSupport| element_name(schema, known.edge, &known.given);
    let shown: Vec<(String, &ElementSupport)> =
        sorted.iter().take(MOST_LINES).map(|known| (text(known), *known)).collect();
    let width = shown.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(7).max(7);
    writeln!(
        page,
        "\n{:<width$}  {:>7}  {:<14}  {:<12}  edge holds",
        "context", "support", "interval", "verdict"
    )?;
    for (name, known) in &shown {
        let verdict = known.found.verdict();
        let holds = known.holds.support();
        writeln!(page, "{name:<width$}  {}  {verdict:<12}  {holds:>10.3}", numbers(known.found))?;
    }
    let rest = all.len() - shown.len();
    if rest > 0 {
        writeln!(
            page,
            "{rest} others, less often or on edges outside of the consensus, are in the JSON answer"
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_no_verdict_where_no_share_was_tried() {
        let mut page = String::new();
        dropped(&mut page, &Stability { points: Vec::new(), stop: StopReason::TimeLimit }).unwrap();
        assert_eq!(page, "\nNo share of the rows was dropped to the end (time-limit).\n");
    }
}
