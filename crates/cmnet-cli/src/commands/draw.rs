//! `cmnet draw`: a model's labelled graph as a picture or text.

use crate::args::{DrawArgs, Format, Printed};
use crate::exit::Outcome;
use crate::{files, output};
use cmnet_report::answer::DrawnAnswer;
use cmnet_report::{Drawing, Format as Picture};

pub(crate) fn run(arguments: &Printed<DrawArgs>) -> anyhow::Result<Outcome> {
    let format = Picture::from_path(&arguments.output)?;
    let to_stdout = arguments.output.as_os_str() == "-";
    if !to_stdout {
        files::check_output(&arguments.output, &[&arguments.model.model])?;
    }
    let model = files::model(&arguments.model.model)?;
    let picture = format.render(&Drawing::new(model.schema(), model.structure())?);
    if !to_stdout {
        cmnet::write_atomic(&arguments.output, picture.as_bytes())?;
    }
    match arguments.format {
        Format::Text if to_stdout => output::text(&picture)?,
        Format::Text => output::note(&format!("wrote {}", arguments.output.display())),
        Format::Json => output::answer(&DrawnAnswer {
            file: (!to_stdout).then(|| arguments.output.display().to_string()),
            text: to_stdout.then_some(picture),
        })?,
    }
    Ok(Outcome::Done)
}
