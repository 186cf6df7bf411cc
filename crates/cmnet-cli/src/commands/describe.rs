//! `cmnet describe`: what is in a table.

use crate::args::{DataArgs, Format, Printed};
use crate::dialect::CommandLine;
use crate::exit::Outcome;
use crate::progress::Watch;
use crate::{files, output};
use cmnet::{LearnOptions, OnMissing};
use cmnet_report::answer::Description;

pub(crate) fn run(arguments: &Printed<DataArgs>) -> anyhow::Result<Outcome> {
    let description = if arguments.reading.on_missing == OnMissing::Model {
        let (learning, watch) = (LearnOptions::default(), Watch::new(None));
        Description::of_incomplete(&files::read_incomplete_table(None, arguments, &learning, &watch)?)
    } else {
        Description::of_loaded(&files::read(None, arguments, &LearnOptions::default(), &Watch::new(None))?)
    };
    let description = description.in_words(&CommandLine);
    match arguments.format {
        Format::Text => output::page(&description.to_string())?,
        Format::Json => output::answer(&description)?,
    }
    Ok(Outcome::Done)
}
