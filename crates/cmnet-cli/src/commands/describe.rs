//! `cmnet describe`: what is in a table.

use crate::args::{DescribeArgs, Format};
use crate::dialect::CommandLine;
use crate::exit::Outcome;
use crate::{files, output};
use cmnet_report::answer::Description;

pub(crate) fn run(arguments: &DescribeArgs) -> anyhow::Result<Outcome> {
    let description = Description::of_loaded(&files::read(&arguments.data)?).in_words(&CommandLine);
    match arguments.format.format {
        Format::Text => output::page(&description.to_string())?,
        Format::Json => output::answer(&description)?,
    }
    Ok(Outcome::Done)
}
