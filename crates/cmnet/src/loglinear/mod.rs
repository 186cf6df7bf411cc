//! The log-linear side of the paper: phi-terms, restrictions, parameters (sections 2.1, 2.2
//! and 4).

mod blanket;
mod block;
mod cholesky;
mod closure;
mod conjugate;
mod coordinates;
mod criterion;
mod decomposable;
mod enumerate;
mod fit;
mod held;
mod images;
mod information;
mod job;
mod lbfgs;
mod likelihood;
mod margins;
mod method;
mod modular;
mod newton;
mod objective;
mod options;
mod order;
mod panel;
mod parameters;
mod parameters_alone;
mod part;
mod penalty;
mod pseudo;
mod rank;
mod rao;
mod ratio;
mod response;
mod restriction;
mod ridge;
mod saturated;
mod term;

pub(crate) use cholesky::Cholesky;
pub use closure::{affordable_canonical, canonical, canonical_under, same_model};
pub use coordinates::Coordinates;
pub use enumerate::Enumeration;
pub(crate) use fit::{Prepared, fit_named, fit_to_predict};
pub use fit::{fit, fit_with};
pub(crate) use information::{Contrast, Estimated, Information};
pub(crate) use job::FitRequest;
pub use likelihood::{Likelihood, LikelihoodValue};
pub(crate) use objective::dot;
pub use options::{Estimate, Fit, FitMethod, FitOptions, FitReason, FitStatus, check_smoothing};
pub use order::Order;
pub use parameters::{Evaluator, Parameters};
pub use pseudo::RIDGE;
pub use rank::{parameter_count, parameter_count_of, parameter_count_under};
pub use rao::is_nested;
pub(crate) use rao::{RaoRequest, is_nested_with, rao};
pub use ratio::Ratio;
pub(crate) use response::{Asked, Response};
pub(crate) use restriction::ElementPattern;
pub use restriction::{Restriction, largest_violation, restrictions};
pub use ridge::Ridge;
pub use term::{Term, TermSet, Terms};

use crate::Structure;
use crate::data::{Dataset, Schema};
use crate::error::{Error, Result};

/// A structure and a table speak of the same variables.
pub(crate) fn check_match(structure: &Structure, data: &Dataset) -> Result<()> {
    check_cardinalities(structure, &data.schema().cardinalities(), Some(data.schema()))
}

/// A structure and counts with so many levels speak of the same variables. Names, where given,
/// serve the refusal.
pub(crate) fn check_cardinalities(
    structure: &Structure,
    table: &[u32],
    names: Option<&Schema>,
) -> Result<()> {
    let model = structure.cardinalities();
    let problem = if model.len() == table.len() {
        let differs = model.iter().zip(table).position(|(one, other)| one != other);
        differs.map(|variable| {
            let name = names
                .map_or_else(|| variable.to_string(), |schema| crate::error::quoted(schema.name(variable)));
            format!(
                "variable {name} has {} levels in the model and {} in the data",
                model[variable], table[variable]
            )
        })
    } else {
        Some(format!("the model has {} variables and the data have {}", model.len(), table.len()))
    };
    match problem {
        Some(problem) => {
            let advice = "use the table that the structure was learned from, or one coded like it";
            Err(Error::mismatch(problem, advice))
        }
        None => Ok(()),
    }
}
