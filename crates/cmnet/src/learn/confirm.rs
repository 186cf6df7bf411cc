//! Contexts that the table confirms: each element that a search found is tested in the fit of
//! the graph without contexts, and what does not hold there is left out.

use super::observer::FitControl;
use super::{ContextChoice, Learned, Step};
use crate::control::{Control, Halt, Halting, Outcome};
use crate::counts::CountSource;
use crate::data::Schema;
use crate::error::{ErrorKind, Result, Unfitted};
use crate::loglinear::{Estimated, FitOptions, FitRequest, Ridge, fit_named};
use crate::model::Confirmed;
use crate::precision::Precision;
use crate::score::Scorer;
use crate::structure::Structure;

/// An element is left out when it is less probable than this that its odds ratios are one.
const PROBABLE: f64 = 0.5;

/// Leaves out the elements that the table does not confirm, where that was asked for, and scores
/// what is left.
pub(super) fn confirm<S: CountSource>(learned: &mut Learned, step: &Step<'_, '_, S>) -> Result<()> {
    let &Step { table, options, observer } = step;
    if options.contexts == ContextChoice::All {
        return Ok(());
    }
    let scorer = Scorer::with_memory(table.counts(), options.alpha, options.fit.memory);
    let control = FitControl { observer, searched: learned.search_converged(), fitted: false };
    for place in 0..learned.models.len() {
        let structure = &learned.models[place].structure;
        let job = Job { counts: table.counts(), names: table.schema(), options: &options.fit };
        match job.confirmed(structure, &control) {
            Ok((structure, confirmed)) => {
                let model = &mut learned.models[place];
                if structure != model.structure {
                    model.score = scorer.score(&structure, &model.prior)?;
                    (model.fit, model.pseudo_fit, model.unfitted) = (None, None, None);
                    model.structure = structure;
                }
                model.confirmed = Some(confirmed);
            }
            Err(Halt::Stopped(reason)) => {
                learned.models[place].unconfirmed = Some(Unfitted::Interrupted);
                learned.stop = reason;
            }
            Err(Halt::Failed(error)) => match error.kind() {
                ErrorKind::Limit(limit) => {
                    learned.models[place].unconfirmed = Some(Unfitted::Limit(limit.clone()));
                }
                _ => return Err(error),
            },
        }
    }
    Ok(())
}

struct Job<'a> {
    counts: &'a dyn CountSource,
    names: &'a Schema,
    options: &'a FitOptions,
}

impl Job<'_> {
    /// The structure with the elements that are confirmed, and their effects.
    fn confirmed(&self, structure: &Structure, control: &dyn Control) -> Halting<(Structure, Confirmed)> {
        let tested = structure.context_elements();
        let mut kept = Confirmed { tested, ..Confirmed::default() };
        if tested == 0 {
            return Ok((structure.clone(), kept));
        }
        let mut plain = structure.clone();
        plain.clear_contexts();
        let bare = FitOptions { ridge: Ridge::NONE, ..self.options.clone() };
        let request = FitRequest::new(&plain, self.counts, Some(self.names), &bare);
        let fit = match fit_named(&request, control)? {
            Outcome::Done(fit) => fit,
            Outcome::Stopped(reason) => return Err(Halt::Stopped(reason)),
        };
        let (counts, memory) = (Some(self.counts), self.options.memory);
        let estimated = Estimated { structure: &plain, fit: &fit, counts, memory };
        let effects = Precision::within(estimated, control)?.element_effects(structure, control)?;
        let mut left = plain.clone();
        for context in structure.contexts() {
            for cell in context.elements() {
                let place = (context.edge(), cell);
                if let Some(effect) = effects.get(&place).filter(|effect| effect.probability >= PROBABLE) {
                    left.add_context_element(place.0, cell)?;
                    kept.elements.insert(place, *effect);
                }
            }
        }
        Ok((left, kept))
    }
}
