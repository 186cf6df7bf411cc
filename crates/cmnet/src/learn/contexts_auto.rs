//! The contexts that the search found, or the confirmed ones: the exact BIC decides.

use super::better::{StructureBic, compared};
use super::choose::ROUNDING;
use super::{ContextChoice, Criterion, Step};
use crate::control::{Control, Halting, check};
use crate::counts::CountSource;
use crate::score::EdgeRules;
use crate::structure::Structure;

/// Which contexts a structure has, where both were learned: see [`ContextChoice::Auto`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContextsChosen {
    /// [`ContextChoice::All`] or [`ContextChoice::Confirmed`].
    pub kept: ContextChoice,
    /// What both are worth; `None` where one of them cannot be fitted. Then all that the search found are kept.
    pub by: Option<ContextsBic>,
}

/// What a structure with all contexts of the search and one with confirmed contexts are worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContextsBic {
    /// BIC, or that of the pseudo-likelihood where one of both cannot be fitted exactly.
    pub criterion: Criterion,
    /// With all contexts that the search found.
    pub all: StructureBic,
    /// With confirmed contexts.
    pub confirmed: StructureBic,
}

/// The choice between a structure that the search found and the one whose contexts are confirmed. Of equals the
/// latter is kept, which says more.
pub(super) fn choose_contexts<S: CountSource>(
    [found, confirmed]: [&Structure; 2],
    rules: &EdgeRules,
    step: &Step<'_, '_, S>,
    control: &dyn Control,
) -> Halting<ContextsChosen> {
    let Some((criterion, [all, confirmed])) = compared([found, confirmed], rules, step, control)? else {
        check(control)?;
        return Ok(ContextsChosen { kept: ContextChoice::All, by: None });
    };
    let rounding = ROUNDING * confirmed.total().abs().max(1.0);
    let kept = if all.total() > confirmed.total() + rounding {
        ContextChoice::All
    } else {
        ContextChoice::Confirmed
    };
    Ok(ContextsChosen { kept, by: Some(ContextsBic { criterion, all, confirmed }) })
}
