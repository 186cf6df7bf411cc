//! `cmnet merge`: the shares of a run put together.

use crate::args::{Format, MergeArgs, Printed};
use crate::exit::Outcome;
use crate::{files, output};
use cmnet::Part;
use cmnet_report::answer::MergedAnswer;
use std::path::{Path, PathBuf};

pub(crate) fn run(arguments: &Printed<MergeArgs>) -> anyhow::Result<Outcome> {
    let inputs: Vec<&Path> = arguments.parts.iter().map(PathBuf::as_path).collect();
    files::check_output(&arguments.output, &inputs)?;
    let parts = inputs.iter().map(|path| Part::load(path)).collect::<Result<Vec<_>, _>>()?;
    let whole = Part::merge(parts)?;
    whole.save(&arguments.output)?;
    let (run, shares, file) = (whole.run(), inputs.len(), arguments.output.display());
    match arguments.format {
        Format::Text => output::page(&format!(
            "{file}: {shares} shares of one run; end it with cmnet {run} DATA --known {file} and the same options\n"
        ))?,
        Format::Json => {
            output::answer(&MergedAnswer { run: run.to_owned(), shares, file: file.to_string() })?;
        }
    }
    Ok(Outcome::Done)
}
