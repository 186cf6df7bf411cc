//! One training set: a network per kappa, the choice by BIC and the baseline, measured.

use super::host::Host;
use crate::sgm::{self, SgmOptions};
use crate::synthetic::KnownModel;
use cmnet::{
    Dataset, Edge, Error, Fit, FitMethod, FitOptions, FitStatus, LearnOptions, Result, RowCounts, SearchMode,
    Select, StopReason, Structure, fit_with, learn,
};
use serde::{Deserialize, Serialize};

/// How a model is judged.
pub(super) enum Judge<'a> {
    /// By its predictive accuracy, the mean log probability of held-out rows.
    HeldOut(&'a Dataset),
    /// By the divergence from a known distribution to it.
    Truth(&'a KnownModel),
}

impl Judge<'_> {
    fn judge(&self, log_probability: impl Fn(&[u32]) -> f64) -> f64 {
        match self {
            Self::HeldOut(rows) => {
                let one = |(row, &weight): (usize, &u32)| f64::from(weight) * log_probability(&rows.row(row));
                rows.weights().iter().enumerate().map(one).sum::<f64>() / rows.rows() as f64
            }
            Self::Truth(model) => model.divergence(log_probability),
        }
    }
}

/// What is learned from, and how the result is judged.
pub(super) struct Trial<'a> {
    pub(super) train: &'a Dataset,
    pub(super) judge: Judge<'a>,
    /// Pseudo-counts of the smoothed estimate.
    pub(super) smoothing: f64,
    /// How to search for a stratified model, where one is wanted.
    pub(super) sgm: Option<SgmOptions>,
}

/// A structure without its names: edges with the cells of their contexts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Outline(pub(super) Vec<(usize, usize, Vec<u64>)>);

impl Outline {
    pub(super) fn of(structure: &Structure) -> Self {
        let cells = |edge| structure.context(edge).map_or(Vec::new(), |context| context.elements().collect());
        Self(structure.graph().edges().map(|edge| (edge.low(), edge.high(), cells(edge))).collect())
    }

    pub(super) fn structure(&self, cardinalities: &[u32]) -> Result<Structure> {
        let mut structure = Structure::empty(cardinalities);
        for &(low, high, _) in &self.0 {
            structure.toggle_edge(Edge::new(low, high)?)?;
        }
        for (low, high, cells) in &self.0 {
            for &cell in cells {
                structure.add_context_element(Edge::new(*low, *high)?, cell)?;
            }
        }
        Ok(structure)
    }
}

/// One fitted structure, measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Measured {
    pub(super) sbic: f64,
    /// Predictive accuracy on held-out rows, or divergence from the truth.
    pub(super) quality: f64,
    /// The same by the bare maximum likelihood estimate; `None` where a row has probability 0.
    pub(super) bare: Option<f64>,
    pub(super) edges: usize,
    pub(super) parameters: usize,
    /// Whether the estimate lies on the boundary: margins of the data are zero.
    pub(super) boundary: bool,
    pub(super) outline: Outline,
}

/// Thread seconds spent.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Seconds {
    pub(super) search: f64,
    pub(super) fit: f64,
    pub(super) sgm: f64,
}

/// Everything measured on one training set.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Cell {
    /// One per kappa of the paper's grid; the first is the plain Markov network.
    pub(super) models: Vec<Measured>,
    /// The model with the highest BIC, the smallest kappa among equals.
    pub(super) selected: usize,
    pub(super) sgm: Option<Measured>,
    pub(super) seconds: Seconds,
}

impl Cell {
    /// The result of a method: 0 is CMN, 1 MN, 2 SGM, 3 to 6 the four kappas.
    pub(super) fn method(&self, method: usize) -> Option<&Measured> {
        match method {
            0 => self.models.get(self.selected),
            1 => self.models.first(),
            2 => self.sgm.as_ref(),
            kappa => self.models.get(kappa - 3),
        }
    }

    /// By how much a value of one method is above that of another on the same data.
    pub(super) fn difference(
        &self,
        one: usize,
        other: usize,
        value: impl Fn(&Measured) -> Option<f64>,
    ) -> Option<f64> {
        Some(value(self.method(one)?)? - value(self.method(other)?)?)
    }
}

/// Says what a trial depends on beside the data.
pub(super) fn setup(smoothing: f64, sgm: Option<&SgmOptions>) -> String {
    let sgm = sgm.map_or("none".to_owned(), |options| {
        format!("{}+{} seed {}", options.graph_iterations, options.label_iterations, options.seed)
    });
    format!("cells/4, alpha 0.5, paper grid and search, even smoothing {smoothing} and bare, sgm {sgm}")
}

/// Learns and measures; `None` when the host asked to stop.
pub(super) fn measure(host: &dyn Host, trial: &Trial<'_>) -> Result<Option<Cell>> {
    let start = host.seconds();
    let options = LearnOptions {
        search: SearchMode::Paper,
        select: Select::None,
        threads: 1,
        ..LearnOptions::default()
    };
    let learned = learn(trial.train, &options, host)?;
    if learned.stop != StopReason::Converged {
        return Ok(None);
    }
    let searched = host.seconds();
    let mut models: Vec<Measured> = Vec::new();
    for model in &learned.models {
        let outline = Outline::of(&model.structure);
        let known = models.iter().find(|known| known.outline == outline).cloned();
        models.push(match known {
            Some(known) => known,
            None => match fitted(host, trial, &model.structure, outline)? {
                Some(measured) => measured,
                None => return Ok(None),
            },
        });
    }
    let fitted = host.seconds();
    let mut selected = 0;
    for place in 1..models.len() {
        if models[place].sbic > models[selected].sbic {
            selected = place;
        }
    }
    let sgm = match &trial.sgm {
        Some(options) => stratified(host, trial, options)?,
        None => None,
    };
    if host.stop().is_some() {
        return Ok(None);
    }
    let seconds = Seconds { search: searched - start, fit: fitted - searched, sgm: host.seconds() - fitted };
    Ok(Some(Cell { models, selected, sgm, seconds }))
}

/// Fits and measures a structure; `None` when the host asked to stop.
fn fitted(
    host: &dyn Host,
    trial: &Trial<'_>,
    structure: &Structure,
    outline: Outline,
) -> Result<Option<Measured>> {
    let Some(smoothed) = estimate(host, trial, structure, trial.smoothing)? else { return Ok(None) };
    let bare = if trial.smoothing == 0.0 {
        smoothed.clone()
    } else {
        let Some(bare) = estimate(host, trial, structure, 0.0)? else { return Ok(None) };
        bare
    };
    let judged = |fitted: &Fit| {
        let evaluator = fitted.parameters.evaluator();
        trial.judge.judge(|row| evaluator.log_probability(row).unwrap_or(f64::NEG_INFINITY))
    };
    Ok(Some(Measured {
        sbic: smoothed.sbic(),
        quality: judged(&smoothed),
        bare: Some(judged(&bare)).filter(|quality| quality.is_finite()),
        edges: structure.graph().edge_count(),
        parameters: smoothed.free_parameters,
        boundary: smoothed.status == FitStatus::Boundary,
        outline,
    }))
}

fn estimate(
    host: &dyn Host,
    trial: &Trial<'_>,
    structure: &Structure,
    smoothing: f64,
) -> Result<Option<Fit>> {
    let options = FitOptions { method: FitMethod::Exact, smoothing, ..FitOptions::default() };
    let fitted = fit_with(structure, &RowCounts::new(trial.train), &options, host)?.done();
    if fitted.as_ref().is_some_and(|fitted| fitted.status == FitStatus::IterationLimit) {
        let hint = "give more iterations";
        return Err(Error::limit("the estimation of a network", options.max_iterations, hint));
    }
    Ok(fitted)
}

/// Learns and measures a stratified model; a search that is asked to stop gives what it has.
pub(super) fn stratified(
    host: &dyn Host,
    trial: &Trial<'_>,
    options: &SgmOptions,
) -> Result<Option<Measured>> {
    let learned = sgm::learn(trial.train, options, host)?;
    let structure = learned.best.structure()?;
    let fitted = learned.best.fit(trial.train, trial.smoothing)?;
    let bare = learned.best.fit(trial.train, 0.0)?;
    let bare = trial.judge.judge(|row| bare.log_probability(row));
    Ok(Some(Measured {
        sbic: fitted.bic() / fitted.rows as f64,
        quality: trial.judge.judge(|row| fitted.log_probability(row)),
        bare: Some(bare).filter(|quality| quality.is_finite()),
        edges: structure.graph().edge_count(),
        parameters: fitted.free_parameters,
        boundary: false,
        outline: Outline::of(&structure),
    }))
}
