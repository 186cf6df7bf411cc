//! `cmnet draw`: a model's labelled graph as a picture or text.

use crate::args::{DrawArgs, Format, Printed};
use crate::exit::Outcome;
use crate::interrupt::{self, Interrupt};
use crate::{files, output};
use cmnet::{AnyModel, Error, Evidence, ExactOptions, Model, Under};
use cmnet_report::answer::DrawnAnswer;
use cmnet_report::{Drawing, Format as Picture, Places};
use std::path::Path;

pub(crate) fn run(arguments: &Printed<DrawArgs>) -> anyhow::Result<Outcome> {
    let format = Picture::from_path(&arguments.output)?;
    let to_stdout = arguments.output.as_os_str() == "-";
    if !to_stdout {
        let mut inputs = vec![arguments.model.model.as_path()];
        inputs.extend(arguments.positions.as_deref());
        files::check_output(&arguments.output, &inputs)?;
    }
    let model = match files::any_model(&arguments.model.model)? {
        AnyModel::Network(model) => *model,
        AnyModel::Mixture(mixture) => return super::mixture::draw::run(arguments, &mixture, format),
        AnyModel::Ensemble(ensemble) => return super::ensemble::draw::run(arguments, &ensemble, format),
    };
    let mut drawing = placed(arguments, &model)?;
    if arguments.widths {
        files::fit_of(&model, &arguments.model.model)?;
        interrupt::listen();
        let exact = ExactOptions::default();
        let explained = model.network()?.explain(&Evidence::none(), Under::new(&exact, &Interrupt))?;
        drawing = drawing.with_strengths(&explained.edges);
    }
    if arguments.support {
        drawing = drawing.with_support(files::support_of(&model, &arguments.model.model)?);
    }
    finish(arguments, format, &drawing)
}

/// A model's graph with its variables where they are to be.
pub(super) fn placed<'a>(arguments: &DrawArgs, model: &'a Model) -> anyhow::Result<Drawing<'a>> {
    let drawing = Drawing::new(model.schema(), model.structure())?;
    Ok(match &arguments.positions {
        Some(from) => drawing.with_places(&places(from)?)?,
        None => drawing,
    })
}

/// Writes or prints a drawing.
pub(super) fn finish(
    arguments: &Printed<DrawArgs>,
    format: Picture,
    drawing: &Drawing<'_>,
) -> anyhow::Result<Outcome> {
    let to_stdout = arguments.output.as_os_str() == "-";
    let picture = format.render(drawing);
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

/// The places in a drawing, or in that of a model.
pub(super) fn places(from: &Path) -> anyhow::Result<Places> {
    if from.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg")) {
        let text = std::fs::read_to_string(from).map_err(|source| Error::io(from, "read", source))?;
        return Ok(Places::from_svg(&text)?);
    }
    let model = files::model(from)?;
    Ok(Places::of(&Drawing::new(model.schema(), model.structure())?))
}
