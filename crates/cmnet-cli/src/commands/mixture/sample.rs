//! `cmnet sample` of a mixture.

use super::{announce, check_method};
use crate::args::{Format, Printed};
use crate::ask_args::SampleArgs;
use crate::commands::{asking, sample::write_csv};
use crate::exit::Outcome;
use crate::interrupt::{self, Interrupt};
use crate::{files, output};
use cmnet::{Mixture, Under, write_atomic_with};
use cmnet_report::answer::MixtureSampled;
use std::io::Write;

pub(crate) fn run(arguments: &Printed<SampleArgs>, mixture: &Mixture) -> anyhow::Result<Outcome> {
    let how = &arguments.question;
    check_method(&how.method)?;
    let network = mixture.network()?;
    let schema = network.schema();
    let evidence = asking::evidence(schema, &how.given)?;
    if let Some(path) = &arguments.output {
        files::check_output(path, &how.given.files(&arguments.model))?;
    }
    announce(&how.tree, mixture);
    interrupt::listen();
    let exact = asking::exact(&how.tree)?;
    let sampler = network.sampler(&evidence, how.method.seed, Under::new(&exact, &Interrupt))?;
    let as_csv =
        |out: &mut dyn Write| write_csv(&|numbers| sampler.rows(numbers), schema, arguments.rows, out);
    if let Some(path) = &arguments.output {
        write_atomic_with(path, as_csv)?;
    } else if arguments.format == Format::Text {
        output::stream(as_csv)?;
    }
    if arguments.format == Format::Json {
        output::answer(&MixtureSampled::of(schema, &evidence, &sampler, arguments.rows))?;
    }
    Ok(Outcome::Done)
}
