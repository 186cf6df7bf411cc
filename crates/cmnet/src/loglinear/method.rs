//! Which estimate is made: exact where the junction trees fit the memory.

use super::options::{Estimate, FitMethod, FitOptions, FitReason};
use super::part::Part;
use crate::Structure;
use crate::error::{Error, OptionName, Remedy, Result};
use crate::graph::VarSet;
use crate::tree::{TreePlan, best_plan};

/// Tables per clique that fitting holds at once: potentials, marginals, and two directions.
const TABLES: u64 = 4;

/// What is done, and why.
pub(super) enum Plans {
    Exact(Vec<TreePlan>, FitReason),
    Pseudo(FitReason),
}

impl Plans {
    pub(super) fn method(self) -> (Estimate, FitReason) {
        match self {
            Self::Exact(_, reason) => (Estimate::Exact, reason),
            Self::Pseudo(reason) => (Estimate::Pseudo, reason),
        }
    }
}

pub(super) fn plan(structure: &Structure, parts: &[Part], options: &FitOptions) -> Result<Plans> {
    if options.method == FitMethod::Pseudo || options.target.is_some() {
        return Ok(Plans::Pseudo(FitReason::AskedFor));
    }
    let most_cells = options.memory / (8 * TABLES);
    let one =
        |variables: &VarSet| best_plan(structure.graph(), variables, structure.cardinalities(), most_cells);
    let plans: Vec<TreePlan> = parts.iter().map(|part| one(&part.variables)).collect();
    let cost = TreePlan::total_cost(&plans);
    let budget = format!("{} MiB", options.memory >> 20);
    if !cost.at_least && cost.bytes(TABLES) <= options.memory {
        let size = cost.bytes(TABLES).div_ceil(1 << 20);
        let reason = format!("the junction tree ({cost}) takes {size} MiB of {budget}");
        return Ok(Plans::Exact(plans, FitReason::Stated(reason)));
    }
    if options.method == FitMethod::Exact {
        return Err(Error::limit(
            format!("exact fitting with {cost}"),
            budget,
            [Remedy::MoreMemory, Remedy::FitByPseudoLikelihood],
        ));
    }
    let reason = format!("the junction tree ({cost}) does not fit {budget}");
    Ok(Plans::Pseudo(FitReason::Stated(reason)))
}

/// Refuses a target that is no variable, or one that exact estimation is asked for.
pub(super) fn check_target(structure: &Structure, options: &FitOptions) -> Result<()> {
    let Some(target) = options.target else { return Ok(()) };
    if target >= structure.variables() {
        let expected = "the number of one of the variables";
        return Err(Error::option(OptionName::Target, target.to_string(), expected));
    }
    if options.method == FitMethod::Exact {
        let expected = "another method: a target's terms are estimated by its conditional likelihood";
        return Err(Error::option(OptionName::Method, "exact", expected));
    }
    Ok(())
}
