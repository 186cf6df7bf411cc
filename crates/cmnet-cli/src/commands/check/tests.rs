//! Score tests of single edges and context elements.

use crate::exit::Usage;
use crate::interrupt::{self, Interrupt};
use crate::weights::Weighed;
use cmnet::{DataDigest, Model, RowCounts, Schema, ScoreTest, WeightedCounts, score_tests};
use cmnet_report::answer::names;
use std::fmt::Write as _;

/// Lines that are printed; JSON has them all.
const MOST_LINES: usize = 40;

/// The tests of a model on the table that it was fitted to.
pub(super) fn of(model: &Model, weighed: &Weighed) -> anyhow::Result<Vec<ScoreTest>> {
    let Some(fit) = model.fit() else {
        return Err(
            Usage("--tests: this model has no parameters; cmnet fit estimates them".to_owned()).into()
        );
    };
    let digest = match weighed {
        Weighed::Whole(data) => DataDigest::of(data),
        Weighed::Real(table) => table.digest(),
    };
    if fit.digest.as_ref().is_some_and(|own| *own != digest) {
        let problem = "--tests: this is not the table that the model was fitted to; give that one, or fit \
                       the model to this one with cmnet fit";
        return Err(Usage(problem.to_owned()).into());
    }
    interrupt::listen();
    Ok(match weighed {
        Weighed::Whole(data) => score_tests(model.structure(), fit, &RowCounts::new(data), &Interrupt)?,
        Weighed::Real(table) => score_tests(model.structure(), fit, &WeightedCounts::new(table), &Interrupt)?,
    })
}

/// The tests, the strongest evidence first.
pub(super) fn as_text(schema: &Schema, tests: &[ScoreTest]) -> String {
    let mut text = String::from(
        "Score tests: p, p among all tests (Holm), statistic, degrees of freedom, what the model lacks\n",
    );
    let mut sorted: Vec<&ScoreTest> = tests.iter().filter(|test| test.degrees > 0).collect();
    sorted.sort_by(|one, other| one.p_value.total_cmp(&other.p_value));
    for test in sorted.iter().take(MOST_LINES) {
        let ends = names::edge(schema, test.edge).join(" - ");
        let what = match &test.element {
            None => format!("edge {ends}"),
            Some((_, given)) => {
                let level = |&known: &(usize, u32)| {
                    format!("{} = {}", schema.name(known.0), names::label(schema, known))
                };
                let given: Vec<String> = given.iter().map(level).collect();
                format!("dependence {ends} where {}", given.join(", "))
            }
        };
        let (p, adjusted) = (test.p_value, test.adjusted);
        let _ =
            writeln!(text, "  {p:.2e}  {adjusted:.2e}  {:>9.3}  {:>3}  {what}", test.statistic, test.degrees);
    }
    if sorted.len() > MOST_LINES {
        let _ = writeln!(text, "  ... and {} more (--format json)", sorted.len() - MOST_LINES);
    }
    if sorted.is_empty() {
        text += "  none: the model has every edge and no context\n";
    }
    text
}
