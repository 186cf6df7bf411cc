//! Which contexts a structure has, where all of the search and the confirmed ones were compared.

use cmnet::{ContextsChosen, Criterion, StructureBic};
use serde::Serialize;

/// What was kept, and what both are worth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContextsChosenAnswer {
    /// `all` or `confirmed`.
    pub kept: String,
    /// What the choice went by; null where one of both could not be fitted.
    pub criterion: Option<Criterion>,
    /// With all contexts that the search found.
    pub all: Option<StructureBicAnswer>,
    /// With confirmed contexts.
    pub confirmed: Option<StructureBicAnswer>,
}

/// What a structure is worth beside another: the sum is compared.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StructureBicAnswer {
    /// The Bayesian information criterion.
    pub bic: f64,
    /// The logarithm of the prior of the edges.
    pub log_prior: f64,
}

impl From<StructureBic> for StructureBicAnswer {
    fn from(StructureBic { bic, log_prior }: StructureBic) -> Self {
        Self { bic, log_prior }
    }
}

impl From<ContextsChosen> for ContextsChosenAnswer {
    fn from(ContextsChosen { kept, by }: ContextsChosen) -> Self {
        Self {
            kept: kept.to_string(),
            criterion: by.map(|by| by.criterion),
            all: by.map(|by| by.all.into()),
            confirmed: by.map(|by| by.confirmed.into()),
        }
    }
}

/// The same in one line.
pub fn contexts_chosen_line(chosen: &ContextsChosen) -> String {
    let Some(by) = chosen.by else {
        return "contexts: all of the search, since one of both structures could not be fitted".to_owned();
    };
    let kept =
        if chosen.kept == cmnet::ContextChoice::Confirmed { "confirmed ones" } else { "all of the search" };
    let criterion = if by.criterion == Criterion::Bic { "BIC" } else { "BIC of the pseudo-likelihood" };
    let [all, confirmed] = [by.all, by.confirmed].map(|of| format!("{:.4}", 0.0 - of.log_prior));
    let edges = if all == confirmed {
        String::new()
    } else {
        format!(", less the prior of edges, {all} and {confirmed}")
    };
    format!(
        "contexts: {kept}; {criterion} {:.4} with all of the search, {:.4} with confirmed ones{edges}",
        by.all.bic, by.confirmed.bic
    )
}
