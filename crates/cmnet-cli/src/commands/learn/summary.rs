//! What `cmnet learn` prints for people.

use crate::dialect::CommandLine;
use crate::output;
use cmnet::{
    Criterion, Estimate, Fit, FitReason, FitStatus, Learned, LearnedModel, LoadedIncomplete, LoadedTable,
    LoadedWeighted, Nats, Schema, SearchReason, SearchUsed, StopReason,
};
use cmnet_report::answer::by_rows::{ByRowsAnswer, FoldsCut, KappaTried};
use cmnet_report::answer::{confirmed_lines, contexts_chosen_line, names};
use cmnet_report::{Drawing, text};
use std::fmt::Write;
use std::path::PathBuf;

/// The table, as it is told.
pub(super) struct Told<'a> {
    file: &'a str,
    rows: u64,
    distinct_rows: usize,
    schema: &'a Schema,
    dropped_rows: u64,
    /// What was done about missing values or weights.
    rounds: Option<String>,
}

impl<'a> Told<'a> {
    pub(super) fn of(loaded: &'a LoadedTable) -> Self {
        let data = &loaded.data;
        Self {
            file: &loaded.file,
            rows: data.rows(),
            distinct_rows: data.distinct_rows(),
            schema: data.schema(),
            dropped_rows: loaded.dropped_rows,
            rounds: None,
        }
    }

    pub(super) fn of_weighted(loaded: &'a LoadedWeighted, weights: String) -> Self {
        let table = &loaded.table;
        Self {
            file: &loaded.file,
            rows: table.rows(),
            distinct_rows: table.units().distinct_rows(),
            schema: table.schema(),
            dropped_rows: loaded.dropped_rows,
            rounds: Some(weights),
        }
    }

    pub(super) fn of_incomplete(loaded: &'a LoadedIncomplete, rounds: String) -> Self {
        let table = &loaded.table;
        Self {
            file: &loaded.file,
            rows: table.rows(),
            distinct_rows: table.distinct_rows(),
            schema: table.schema(),
            dropped_rows: 0,
            rounds: Some(rounds),
        }
    }
}

/// The table, one line per kappa, the chosen structure in words, the files written.
pub(super) fn render(learned: &Learned, told: &Told<'_>, written: &[PathBuf]) -> anyhow::Result<String> {
    let schema = told.schema;
    let mut page = String::new();
    writeln!(
        page,
        "{}: {} rows ({} distinct), {} variables",
        told.file,
        told.rows,
        told.distinct_rows,
        schema.len()
    )?;
    if told.dropped_rows > 0 {
        writeln!(page, "{} rows with missing values were left out", told.dropped_rows)?;
    }
    if let Some(rounds) = &told.rounds {
        writeln!(page, "{rounds}")?;
    }
    writeln!(
        page,
        "search: {}{}\n",
        learned.search,
        if learned.search_reason == SearchReason::AskedFor { "" } else { " (auto)" }
    )?;
    table(&mut page, learned)?;
    notes(&mut page, learned, schema)?;
    if let Some(chosen) = learned.selected.map(|place| &learned.models[place]) {
        writeln!(page)?;
        page += &text::render(&Drawing::new(schema, &chosen.structure)?);
        confirmed(&mut page, chosen, schema)?;
    }
    if let ([path, ..], None, Some(kept)) = (written, learned.selected, learned.kept(told.rows)) {
        let (why, what) = if learned.stop == StopReason::Interrupted {
            ("none was fitted", "cmnet fit adds them")
        } else {
            ("none could be fitted", "--kappa with another keeps that one")
        };
        writeln!(
            page,
            "{why}, so none was chosen: {} has the structure of kappa {}, the smallest, without \
             parameters; {what}",
            path.display(),
            kept.prior.kappa()
        )?;
    }
    if let Some(files) = super::outputs::named(written) {
        writeln!(page, "\nwrote {files}")?;
    }
    Ok(page)
}

/// What the table says about the contexts of the chosen structure, where they were confirmed or were to be.
fn confirmed(page: &mut String, chosen: &LearnedModel, schema: &Schema) -> anyhow::Result<()> {
    if let Some(why) = &chosen.unconfirmed {
        writeln!(page, "\nthe contexts were not tested: {}", why.words(&CommandLine))?;
    }
    if let Some(contexts) = &chosen.contexts_chosen {
        writeln!(page, "\n{}", contexts_chosen_line(contexts))?;
    }
    let Some(known) = &chosen.confirmed else { return Ok(()) };
    let printable = output::printable(schema);
    writeln!(page, "\nconfirmed: contexts in {} of {} configurations", known.elements.len(), known.tested)?;
    for line in confirmed_lines(&printable, &chosen.structure, known) {
        writeln!(page, "  {line}")?;
    }
    for edge in &known.removed {
        let [one, other] = names::edge(&printable, *edge);
        writeln!(page, "left out: {one} - {other} (no dependence in any configuration)")?;
    }
    Ok(())
}

fn table(page: &mut String, learned: &Learned) -> anyhow::Result<()> {
    let fitted = learned.models.iter().any(|model| model.fit.is_some());
    write!(
        page,
        "  {:<10} {:>5} {:>8} {:>14} {:>12} {:>14}",
        "kappa", "edges", "contexts", "log MPL", "log prior", "score"
    )?;
    writeln!(
        page,
        "{}",
        if fitted {
            format!(" {:>10} {:>14} {:>12}", "parameters", "log-likelihood", "BIC / n")
        } else {
            String::new()
        }
    )?;
    for (place, model) in learned.models.iter().enumerate() {
        let mark = if learned.selected == Some(place) { "*" } else { " " };
        writeln!(page, "{mark} {}{}", scores(model), model.compared().map(fit_cells).unwrap_or_default())?;
    }
    Ok(())
}

fn scores(model: &LearnedModel) -> String {
    let number = |nats: Option<Nats>| nats.map_or("-".to_owned(), |nats| format!("{:.4}", nats.to_f64()));
    format!(
        "{:<10} {:>5} {:>8} {:>14} {:>12} {:>14}",
        model.prior.kappa().to_string(),
        model.structure.graph().edge_count(),
        model.structure.context_elements(),
        number(Some(model.score.log_mpl)),
        number(model.score.log_prior),
        number(model.score.total()),
    )
}

fn fit_cells(fit: &Fit) -> String {
    let fitted = fit.log_likelihood.or(fit.pseudo_log_likelihood).unwrap_or(f64::NAN);
    format!(" {:>10} {fitted:>14.4} {:>12.6}", fit.free_parameters, fit.sbic())
}

/// What a reader of the table must know.
fn notes(page: &mut String, learned: &Learned, schema: &Schema) -> anyhow::Result<()> {
    match (learned.selected, learned.criterion) {
        (Some(place), Some(Criterion::Bic)) => {
            let among = if learned.models.iter().all(|model| model.fit.is_some()) {
                ""
            } else {
                " among those fitted"
            };
            writeln!(page, "* chosen by BIC{among}: kappa {}", learned.models[place].prior.kappa())?;
        }
        (Some(place), Some(Criterion::Heldout)) => {
            writeln!(page, "* chosen by held-out rows: kappa {}", learned.models[place].prior.kappa())?;
        }
        (Some(place), Some(Criterion::PseudoBic)) => writeln!(
            page,
            "* chosen by the pseudo-likelihood's BIC: kappa {}; the log-likelihood column is the \
             pseudo-log-likelihood{}",
            learned.models[place].prior.kappa(),
            reason(learned)
        )?,
        _ => {}
    }
    if let Some(known) = ByRowsAnswer::of(learned, schema) {
        by_rows(page, learned, &known)?;
    }
    let fits = || learned.models.iter().filter_map(|model| model.fit.as_ref());
    let boundary = fits().filter(|fit| fit.status == FitStatus::Boundary).map(|fit| fit.boundary.len()).max();
    if let Some(terms) = boundary {
        let estimate = if fits().any(|fit| fit.estimate == Estimate::Pseudo) {
            "pseudo-likelihood"
        } else {
            "likelihood"
        };
        writeln!(
            page,
            "zero margins: the {estimate} has its supremum at infinity in up to {terms} terms; the value is the supremum"
        )?;
    }
    learned.models.iter().try_for_each(|model| refinement_note(page, model))?;
    learned.models.iter().try_for_each(|model| fit_notes(page, model))?;
    if learned.ties() > 0 {
        writeln!(page, "{} choices among exactly equal moves were decided by column order", learned.ties())?;
    }
    limits(page, learned, schema)?;
    rounds(page, learned)?;
    passed_over(page, learned)?;
    if !learned.search_converged() {
        writeln!(
            page,
            "the search was ended early ({}): the last structure may not be a local maximum",
            learned.stop
        )?;
    } else if learned.stop != StopReason::Converged {
        writeln!(
            page,
            "what comes after the search was ended early ({}): not all was fitted, compared or tuned",
            learned.stop
        )?;
    }
    Ok(())
}

/// Kappas whose toggles were taken in turn, and those that ended at the bound of their sweeps.
fn rounds(page: &mut String, learned: &Learned) -> anyhow::Result<()> {
    let kappas = |which: fn(&LearnedModel) -> bool| {
        let models = learned.models.iter().filter(|model| which(model));
        models.map(|model| model.prior.kappa().to_string()).collect::<Vec<_>>().join(", ")
    };
    let in_turn = kappas(|model| model.climb.rounds.sweeps > 0);
    if !in_turn.is_empty() {
        writeln!(
            page,
            "kappa {in_turn}: toggles that improve were taken in turn, since a sweep over all costs much"
        )?;
    }
    let spent = kappas(|model| model.climb.rounds.spent);
    if !spent.is_empty() {
        writeln!(
            page,
            "kappa {spent}: sweeps reached their bound, so the structure may not be a local maximum"
        )?;
    }
    Ok(())
}

/// Kappas that were not searched for.
fn passed_over(page: &mut String, learned: &Learned) -> anyhow::Result<()> {
    if learned.passed_over.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = learned.passed_over.iter().map(ToString::to_string).collect();
    writeln!(
        page,
        "kappa {} passed over: BIC had fallen before (--search blanket searches every kappa)",
        names.join(", ")
    )?;
    Ok(())
}

/// What rows that were held out chose.
fn by_rows(page: &mut String, learned: &Learned, known: &ByRowsAnswer) -> anyhow::Result<()> {
    let number = |value: Option<f64>| value.map_or("not fitted".to_owned(), |value| format!("{value:.5}"));
    if let Some(cut) = known.cut {
        writeln!(page, "{}", folds_cut(learned, cut))?;
    }
    if !known.kappas.is_empty() {
        let each = |one: &KappaTried| format!("{} {}", one.kappa, number(one.predictive));
        let all: Vec<String> = known.kappas.iter().map(each).collect();
        writeln!(page, "log-probability of a held-out row: {}", all.join(", "))?;
    }
    if let Some(tuned) = &learned.tuned {
        writeln!(
            page,
            "order {} and ridge {} by held-out rows: log-probability {}, best of {}",
            tuned.options.order,
            tuned.options.ridge,
            number(tuned.predictive()),
            known.settings.len()
        )?;
    }
    if let Some(target) = &known.target {
        let terms = if target.connected { "terms with every variable" } else { "the structure as learned" };
        writeln!(
            page,
            "{}: {terms}, order {}, ridge {}; log-probability in a held-out row {}",
            target.variable,
            target.order,
            target.ridge,
            number(target.predictive)
        )?;
    }
    Ok(())
}

/// That folds were not finished, and what chose instead.
fn folds_cut(learned: &Learned, FoldsCut { finished, of }: FoldsCut) -> String {
    let instead = match learned.criterion {
        Some(Criterion::PseudoBic) => {
            "the pseudo-likelihood's BIC chose among the structures found on all rows"
        }
        Some(_) => "BIC chose among the structures found on all rows",
        None => "none was chosen",
    };
    format!(
        "held-out rows did not choose the kappa: {finished} of {of} folds were finished when it was ended ({}); \
         {instead}",
        learned.stop
    )
}

/// What a refinement did.
fn refinement_note(page: &mut String, model: &LearnedModel) -> anyhow::Result<()> {
    let Some(refinement) = &model.refinement else { return Ok(()) };
    let kappa = model.prior.kappa();
    let (added, removed) = (refinement.added.len(), refinement.removed.len());
    let scores = format!("conditional BIC {:.4}, before {:.4}", refinement.after, refinement.before);
    match (refinement.kept, added + removed) {
        (true, _) => {
            writeln!(page, "kappa {kappa} refined: {added} edges added, {removed} removed; {scores}")?;
        }
        (false, 0) => writeln!(page, "kappa {kappa} refined: nothing to toggle")?,
        (false, _) => writeln!(
            page,
            "kappa {kappa} stays as the search found it: refined ({added} edges added, {removed} removed) its BIC \
             is not higher"
        )?,
    }
    Ok(())
}

/// What a reader must know about one model's parameters.
fn fit_notes(page: &mut String, model: &LearnedModel) -> anyhow::Result<()> {
    let kappa = model.prior.kappa();
    match (&model.unfitted, &model.fit) {
        (Some(reason), None) => {
            writeln!(page, "kappa {kappa} was not fitted and not compared: {}", reason.words(&CommandLine))?;
        }
        (Some(reason), Some(_)) => {
            writeln!(
                page,
                "kappa {kappa} was not compared by pseudo-likelihood: {}",
                reason.words(&CommandLine)
            )?;
        }
        (None, _) => {}
    }
    if model.fit.as_ref().is_some_and(|fit| fit.status == FitStatus::IterationLimit) {
        writeln!(page, "kappa {kappa}: the estimate did not converge, so its BIC is only a lower bound")?;
    }
    Ok(())
}

/// Why the comparison goes by pseudo-likelihood, where nobody asked for that, and what the
/// parameters are then.
fn reason(learned: &Learned) -> String {
    let fits = || learned.models.iter().filter_map(|model| model.fit.as_ref());
    let unreachable =
        fits().find(|fit| fit.estimate == Estimate::Pseudo && fit.reason != FitReason::AskedFor);
    let some_exact = fits().any(|fit| fit.estimate == Estimate::Exact);
    match (unreachable, some_exact) {
        (None, _) => String::new(),
        (Some(fit), false) => format!(". Exact fitting is out of reach: {}", fit.reason),
        (Some(fit), true) => {
            format!(
                ". Exact fitting is out of reach for some: {}; the others keep their exact parameters",
                fit.reason
            )
        }
    }
}

/// Which variables a limit concerned.
fn limits(page: &mut String, learned: &Learned, schema: &Schema) -> anyhow::Result<()> {
    if learned.limited.is_empty() {
        return Ok(());
    }
    let name = |&variable: &usize| output::on_one_line(schema.name(variable));
    let names: Vec<_> = learned.limited.iter().take(8).map(name).collect();
    let more = if learned.limited.len() > 8 { ", ..." } else { "" };
    let advice = if learned.search == SearchUsed::Blanket {
        "raise --max-neighbors, --max-configurations or --max-cells"
    } else {
        "edges beyond it take too many configurations to count: group levels or leave out variables"
    };
    writeln!(
        page,
        "a limit kept the blankets of {} variables from growing ({}{more}); {advice}",
        learned.limited.len(),
        names.join(", ")
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cmnet::{Control, Dataset, LearnEvent, LearnObserver, LearnOptions, SearchObserver, Tune, learn};
    use std::sync::atomic::{AtomicBool, Ordering};

    /// The time is up when the search has ended.
    #[derive(Default)]
    struct AfterSearch(AtomicBool);

    impl Control for AfterSearch {
        fn stop(&self) -> Option<StopReason> {
            self.0.load(Ordering::Relaxed).then_some(StopReason::TimeLimit)
        }
    }

    impl SearchObserver for AfterSearch {}

    impl LearnObserver for AfterSearch {
        fn observe_learning(&self, event: &LearnEvent<'_>) {
            self.0.fetch_or(matches!(event, LearnEvent::Fitting { .. }), Ordering::Relaxed);
        }
    }

    #[test]
    fn a_choice_by_rows_that_was_cut_is_told() {
        let rows = [["0", "0"], ["1", "1"], ["0", "1"], ["1", "1"]].repeat(20);
        let data = Dataset::from_labels(&["a", "b"], rows).unwrap();
        let tune = Tune { order: true, ridge: true, ..Tune::NOTHING };
        let options = LearnOptions { kappas: vec![cmnet::Kappa::Epsilon], tune, ..LearnOptions::default() };
        let learned = learn(&data, &options, &AfterSearch::default()).unwrap();
        assert!(learned.search_converged() && learned.stop == StopReason::TimeLimit, "{}", learned.stop);
        let mut page = String::new();
        notes(&mut page, &learned, data.schema()).unwrap();
        assert!(page.contains("after the search was ended early (time-limit)"), "{page}");
    }
}
