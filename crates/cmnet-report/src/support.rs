//! How sure a context is, where a model carries the support of resamples.

use cmnet::{EdgeContext, Model};

/// The share of resamples that had the least frequent element of a context.
pub(crate) fn least_support(model: &Model, context: &EdgeContext) -> Option<f64> {
    let support = model.support()?;
    let count = |cell| support.elements.get(&(context.edge(), cell)).copied();
    let least = context.elements().filter_map(count).min()?;
    Some(least as f64 / support.replicates as f64)
}
