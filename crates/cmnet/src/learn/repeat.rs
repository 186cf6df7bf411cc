//! A recorded search, to be made once more.

use super::{LearnOptions, SearchMode, Select};
use crate::control::StopReason;
use crate::model::Model;
use crate::search::SearchUsed;

impl LearnOptions {
    /// The options with which a structure is searched for once more as its model records; nothing is fitted. Limits
    /// and candidates of mode `blanket`, which no model records, are the usual ones.
    ///
    /// `None` where the search ended early, what it found was refined or confirmed, or it is a consensus; and where it
    /// was proven to be the best, which takes too long to prove again.
    pub fn repeating(model: &Model) -> Option<Self> {
        let learned = model.provenance()?;
        let search = match learned.search {
            SearchUsed::Paper => SearchMode::Paper,
            SearchUsed::Blanket => SearchMode::Blanket,
            SearchUsed::Bootstrap | SearchUsed::Imputation | SearchUsed::Exact | SearchUsed::Other(_) => {
                return None;
            }
        };
        let changed = learned.refined.is_some() || model.confirmed().is_some();
        (learned.stop == StopReason::Converged && !changed).then(|| Self {
            kappas: vec![learned.kappa],
            search,
            alpha: learned.alpha,
            edge_prior: learned.edge_prior,
            knowledge: learned.knowledge.clone(),
            select: Select::None,
            ..Self::default()
        })
    }
}
