//! `cmnet describe`: what is in a table.

use crate::args::{DescribeArgs, Format};
use crate::dialect::CommandLine;
use crate::exit::Outcome;
use crate::{files, output};

pub(crate) fn run(arguments: &DescribeArgs) -> anyhow::Result<Outcome> {
    let description = files::read(&arguments.data)?.describe().in_words(&CommandLine);
    match arguments.format.format {
        Format::Text => output::page(&description.to_string())?,
        Format::Json => output::json(&description)?,
    }
    Ok(Outcome::Done)
}
