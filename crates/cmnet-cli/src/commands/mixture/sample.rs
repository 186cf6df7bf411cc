//! `cmnet sample` of a mixture.

use super::begin;
use crate::args::{Format, Printed};
use crate::ask_args::SampleArgs;
use crate::commands::{asking, sample::write_rows};
use crate::exit::Outcome;
use crate::interrupt::Interrupt;
use crate::{files, output};
use cmnet::{Mixture, Under};
use cmnet_report::Together;
use cmnet_report::answer::MixtureSampled;

pub(crate) fn run(arguments: &Printed<SampleArgs>, mixture: &Mixture) -> anyhow::Result<Outcome> {
    let how = &arguments.question;
    Mixture::check_exact(how.method.method)?;
    let network = mixture.network()?;
    let schema = network.schema();
    let evidence = asking::evidence(schema, &how.given)?;
    if let Some(path) = &arguments.output {
        files::check_output(path, &how.given.files(&arguments.model))?;
    }
    let exact = begin(&how.tree, mixture)?;
    let sampler = network.sampler(&evidence, how.method.seed, Under::new(&exact, &Interrupt))?;
    write_rows(arguments, schema, &|numbers| sampler.rows(numbers))?;
    if arguments.format == Format::Json {
        output::answer(&MixtureSampled::of(schema, &evidence, &sampler, arguments.rows))?;
    }
    Ok(Outcome::Done)
}
