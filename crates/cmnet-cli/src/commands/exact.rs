//! `cmnet exact`: the structure with the highest score, proven.

use super::fitting::{fit_options, knowledge, tune_options};
use crate::args::{ExactArgs, Format, Printed};
use crate::exit::Outcome;
use crate::progress::Watch;
use crate::{files, output};
use cmnet::{Alpha, FixedOnly, Kappa, Optimum, OptionName, parse_duration};
use cmnet_report::answer::OptimumAnswer;
use cmnet_report::{Drawing, Proof, text};
use std::fmt::Write as _;

pub(crate) fn run(arguments: &Printed<ExactArgs>) -> anyhow::Result<Outcome> {
    let (kappa, alpha): (Kappa, Alpha) = (arguments.kappa.parse()?, arguments.alpha.parse()?);
    tune_options(&arguments.fitting)?.check_fixed(FixedOnly::Proof)?;
    let known = knowledge(&arguments.knowledge)?;
    let limit = arguments.time_limit.as_deref();
    let limit = limit.map(|text| parse_duration(OptionName::TimeLimit, text)).transpose()?;
    if let Some(path) = &arguments.output {
        files::check_output(path, &arguments.data.files())?;
    }
    let watch = Watch::new(limit);
    let data = files::table_with_note(&arguments.data, None, &cmnet::LearnOptions::default(), &watch)?;
    let proof = Proof::of(&data, (kappa, alpha, &known), &fit_options(&arguments.fitting)?, &watch)?;
    if proof.is_too_large {
        output::note("the structure is too large to be fitted with this memory: it has no parameters");
    }
    drop(watch);
    let answer = proof.answer();
    match arguments.format {
        Format::Text => output::page(&as_text(&answer, &arguments.data.data)?)?,
        Format::Json => output::answer(&answer)?,
    }
    if let Some(path) = &arguments.output {
        proof.model.save(path)?;
        output::note(&format!("wrote {}", path.display()));
    }
    Ok(Outcome::of(proof.found.stop))
}

fn as_text(answer: &OptimumAnswer<'_>, file: &str) -> anyhow::Result<String> {
    let found: &Optimum = answer.found;
    let (score, greedy) = (found.score.to_f64(), found.greedy.to_f64());
    let mut page = format!("{file}: kappa {}, alpha {}\n", answer.prior.kappa(), answer.alpha);
    if found.is_proven() {
        writeln!(page, "score          {score:.6}, proven: no structure has a higher one")?;
    } else {
        writeln!(page, "score          {score:.6}, the best found before the end ({})", found.stop)?;
        writeln!(page, "upper bound    {:.6}: what no structure exceeds", found.bound.to_f64())?;
    }
    let gap = found.score - found.greedy;
    match gap.units() {
        0 => writeln!(page, "greedy search  {greedy:.6}, the same")?,
        _ => writeln!(page, "greedy search  {greedy:.6}, lower by {:.6}", gap.to_f64())?,
    }
    writeln!(page, "branches       {}\n", found.branches)?;
    page += &text::render(&Drawing::new(answer.model.schema(), &found.structure)?);
    Ok(page)
}
