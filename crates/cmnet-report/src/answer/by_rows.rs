//! What rows that were held out chose: kappa, order and ridge, or a model for one variable.

use cmnet::{Learned, Schema, TargetModel, Tried, Tuned};
use serde::Serialize;

/// What was tried on rows that were held out, and how well it predicted them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ByRowsAnswer {
    /// Where the folds were cut, so that held-out rows chose no kappa.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<FoldsCut>,
    /// The kappas.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kappas: Vec<KappaTried>,
    /// Orders and ridges of the chosen structure.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<SettingTried>,
    /// The model that predicts one variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<TargetAnswer>,
}

/// Folds that were ended early: the kappa was chosen without them, by what `criterion` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FoldsCut {
    /// Folds that were finished.
    pub finished: usize,
    /// Folds that were asked for.
    pub of: usize,
}

/// A kappa that was tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KappaTried {
    /// Kappa.
    pub kappa: String,
    /// The mean log-probability of a held-out row; null where a structure could not be fitted.
    pub predictive: Option<f64>,
}

/// An order and a ridge that were tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SettingTried {
    /// The most variables of a term, or `full`.
    pub order: String,
    /// The strengths of the ridge.
    pub ridge: String,
    /// The mean log-probability of a held-out row, or of its target given the rest; null where it
    /// could not be fitted.
    pub predictive: Option<f64>,
}

/// A model that predicts one variable.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TargetAnswer {
    /// The variable.
    pub variable: String,
    /// Whether it has terms with every other variable; otherwise those of the structure.
    pub connected: bool,
    /// The most variables of a term, or `full`.
    pub order: String,
    /// The strengths of the ridge.
    pub ridge: String,
    /// The mean log-probability of the variable in a held-out row, given the rest.
    pub predictive: Option<f64>,
    /// What was tried for the structure as learned.
    pub as_learned: Vec<SettingTried>,
    /// What was tried with terms of the variable with every other.
    pub with_all: Vec<SettingTried>,
}

impl ByRowsAnswer {
    /// What rows chose when a model was learned; `None` where they chose nothing.
    pub fn of(learned: &Learned, schema: &Schema) -> Option<Self> {
        let target = learned.selected.and_then(|place| learned.models[place].target.as_ref());
        let cut = learned.by_rows.as_ref().filter(|known| known.is_cut());
        let answer = Self {
            cut: cut.map(|known| FoldsCut { finished: known.finished, of: known.parts }),
            kappas: learned.by_rows.iter().flat_map(|known| &known.predictive).map(kappa).collect(),
            settings: settings(learned.tuned.as_ref()),
            target: target.map(|target| TargetAnswer::of(target, schema)),
        };
        (answer != Self::default()).then_some(answer)
    }
}

fn kappa(&(kappa, predictive): &(cmnet::Kappa, Option<f64>)) -> KappaTried {
    KappaTried { kappa: kappa.to_string(), predictive }
}

fn settings(tuned: Option<&Tuned>) -> Vec<SettingTried> {
    tuned.iter().flat_map(|tuned| &tuned.tried).map(SettingTried::from).collect()
}

impl From<&Tried> for SettingTried {
    fn from(tried: &Tried) -> Self {
        Self { order: tried.order.to_string(), ridge: tried.ridge.to_string(), predictive: tried.predictive }
    }
}

impl TargetAnswer {
    fn of(model: &TargetModel, schema: &Schema) -> Self {
        let [as_learned, with_all] = &model.tuned;
        Self {
            variable: schema.name(model.target).to_owned(),
            connected: model.is_connected,
            order: model.fit.parameters.terms().order().to_string(),
            ridge: model.fit.ridge.to_string(),
            predictive: model.predictive(),
            as_learned: settings(as_learned.as_ref()),
            with_all: settings(with_all.as_ref()),
        }
    }
}
