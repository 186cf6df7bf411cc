//! `cmnet draw` of an ensemble: what its networks agree on, fainter where fewer of them do.

use crate::args::{DrawArgs, Printed};
use crate::commands::draw::{finish, placed};
use crate::exit::Outcome;
use crate::interrupt::{self, Interrupt};
use cmnet::{BootstrapOptions, Ensemble, Evidence, ExactOptions, Under};
use cmnet_report::Format as Picture;

pub(crate) fn run(
    arguments: &Printed<DrawArgs>,
    ensemble: &Ensemble,
    format: Picture,
) -> anyhow::Result<Outcome> {
    let consensus = ensemble.consensus(BootstrapOptions::default().threshold)?;
    let model = consensus.to_model(ensemble.schema())?;
    let mut drawing = placed(arguments, &model)?.with_support(&consensus.support);
    if arguments.widths {
        interrupt::listen();
        let exact = ExactOptions::default();
        let under = Under::new(&exact, &Interrupt);
        drawing = drawing.with_means(&ensemble.network()?.strengths(&Evidence::none(), under)?);
    }
    finish(arguments, format, &drawing)
}
