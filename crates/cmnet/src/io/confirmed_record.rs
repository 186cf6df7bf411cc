//! The effects of a model's confirmed context elements, as they stand in the file.

use super::model_error::error_at;
use super::support_record::{Told, element_labels};
use crate::data::Schema;
use crate::error::Result;
use crate::graph::Edge;
use crate::model::Confirmed;
use crate::precision::ElementEffect;
use crate::structure::Structure;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ConfirmedRecord {
    tested: usize,
    contexts: Vec<EffectRecord>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    removed: Vec<[String; 2]>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EffectRecord {
    edge: [String; 2],
    element: Vec<String>,
    log_odds_ratio: Option<f64>,
    error: Option<f64>,
    p_value: f64,
    probability: f64,
}

impl ConfirmedRecord {
    pub(super) fn new(schema: &Schema, structure: &Structure, confirmed: &Confirmed) -> Self {
        let names = |edge: Edge| [edge.low(), edge.high()].map(|v| schema.name(v).to_owned());
        let effects = confirmed.elements.iter().filter_map(|(&(edge, cell), effect)| {
            Some(EffectRecord {
                edge: names(edge),
                element: element_labels(schema, structure, edge, cell)?,
                log_odds_ratio: effect.log_odds_ratio.map(|(value, _)| value),
                error: effect.log_odds_ratio.map(|(_, error)| error),
                p_value: effect.p_value,
                probability: effect.probability,
            })
        });
        let removed = confirmed.removed.iter().map(|&edge| names(edge)).collect();
        Self { tested: confirmed.tested, contexts: effects.collect(), removed }
    }

    /// The effects by number. That they are those of the structure is checked with the model.
    pub(super) fn to_confirmed(
        &self,
        file: &str,
        schema: &Schema,
        structure: &Structure,
    ) -> Result<Confirmed> {
        let mut elements = BTreeMap::new();
        for (place, record) in self.contexts.iter().enumerate() {
            let at = format!("confirmed.contexts[{place}]");
            let element = Told { file, at: &at, schema, structure }.element(&record.edge, &record.element)?;
            let EffectRecord { log_odds_ratio, error, p_value, probability, .. } = *record;
            if log_odds_ratio.is_some() != error.is_some() {
                let problem = "a log odds ratio has a standard error, and no other has one";
                return Err(error_at(file, &at, problem.to_owned()));
            }
            let effect = ElementEffect { log_odds_ratio: log_odds_ratio.zip(error), p_value, probability };
            if elements.insert(element, effect).is_some() {
                return Err(error_at(file, &at, "this element appears twice".to_owned()));
            }
        }
        let removed = self.removed.iter().enumerate().map(|(place, names)| {
            let at = format!("confirmed.removed[{place}]");
            Told { file, at: &at, schema, structure }.pair(names)
        });
        let removed = removed.collect::<Result<_>>()?;
        let confirmed = Confirmed { tested: self.tested, elements, removed };
        confirmed.check(schema, structure).map_err(|error| error_at(file, "confirmed", error.to_string()))?;
        Ok(confirmed)
    }
}
