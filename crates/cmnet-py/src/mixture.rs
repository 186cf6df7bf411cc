//! Mixtures of networks.

use crate::ask::{Given, Inference, Question};
use crate::dialect::Keywords;
use crate::ensemble::Ensemble;
use crate::errors::OrRaise;
use crate::incomplete::evaluate_together;
use crate::learn::limited;
use crate::model::{Data, Model};
use crate::options::{Learning, Reading};
use crate::predict::{Predicted, PredictedArrays, RowQuestion};
use crate::rows::{Rows, RowsBuilder};
use crate::table::{Table, levels};
use crate::value;
use crate::watch::Watch;
use crate::work::{self, Lazy, Stop};
use cmnet::options::OptionName;
use cmnet::{
    AnyModel, Dataset, Error, Evidence, LearnOptions, LearnedMixture, MixtureNetwork, MixtureOptions,
    MixturePredictor, Result, Under, Var, find_variables, learn_mixture as learn,
};
use cmnet_report::Together;
use cmnet_report::answer::learned::ScoreRow;
use cmnet_report::answer::queried::{ChosenMethod, JointDistribution};
use cmnet_report::answer::{
    ExplainedMixture, MixtureFacts, MixtureMarginals, MixtureMostProbable, class_models,
};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;

/// A latent class with a network for each of its values.
#[pyclass(frozen, eq, module = "cmnet._cmnet")]
pub(crate) struct Mixture {
    mixture: Arc<cmnet::Mixture>,
    network: Lazy<MixtureNetwork>,
}

impl PartialEq for Mixture {
    fn eq(&self, other: &Self) -> bool {
        self.mixture == other.mixture
    }
}

impl Mixture {
    fn new(mixture: cmnet::Mixture) -> Self {
        Self { mixture: Arc::new(mixture), network: Lazy::default() }
    }

    /// The mixture as something that answers questions, made once.
    fn network(&self, py: Python<'_>) -> PyResult<Arc<MixtureNetwork>> {
        let mixture = self.mixture.clone();
        self.network.get(py, move || mixture.network())
    }

    /// Asks the mixture a question.
    fn ask<'py>(
        &self,
        py: Python<'py>,
        question: Question,
        answer: impl FnOnce(&Asked<'_>) -> Result<Value> + Send + 'static,
    ) -> PyResult<Bound<'py, PyAny>> {
        let network = self.network(py)?;
        work::answer(py, 1, move |stop| {
            cmnet::Mixture::check_exact(question.method.parse()?)?;
            let evidence = question.given.evidence(network.schema())?;
            let targets = find_variables(network.schema(), &question.targets)?;
            answer(&Asked { network: &network, evidence, targets, question: &question, stop })
        })
    }
}

/// A question in the terms of a mixture.
struct Asked<'a> {
    network: &'a MixtureNetwork,
    evidence: Evidence,
    targets: Vec<Var>,
    question: &'a Question,
    stop: &'a Stop,
}

impl Asked<'_> {
    /// The targets that were named, or all variables that are not given.
    fn variables(&self) -> Result<Vec<Var>> {
        if self.targets.is_empty() { self.network.free(&self.evidence) } else { Ok(self.targets.clone()) }
    }
}

fn marginals(asked: &Asked<'_>) -> Result<Value> {
    let exact = asked.question.inference.exact()?;
    let under = Under::new(&exact, asked.stop);
    let answer = asked.network.marginals(&asked.variables()?, &asked.evidence, under)?;
    value::of(&MixtureMarginals::of(asked.network.schema(), &asked.evidence, &answer))
}

fn joint(asked: &Asked<'_>) -> Result<Value> {
    let (exact, targets) = (asked.question.inference.exact()?, asked.variables()?);
    let joint = asked.network.joint(&targets, &asked.evidence, Under::new(&exact, asked.stop))?;
    let chosen = ChosenMethod { method: "exact".to_owned(), reason: "a mixture".to_owned() };
    value::of(&JointDistribution::exact(asked.network.schema(), &targets, &joint, chosen))
}

fn maximum(asked: &Asked<'_>) -> Result<Value> {
    let exact = asked.question.inference.exact()?;
    let named = (!asked.targets.is_empty()).then_some(asked.targets.as_slice());
    let found = asked.network.maximum(named, &asked.evidence, Under::new(&exact, asked.stop))?;
    value::of(&MixtureMostProbable::of(asked.network, &asked.evidence, &found))
}

#[pymethods]
impl Mixture {
    /// Reads and checks the text of a mixture's file.
    #[staticmethod]
    fn from_text(py: Python<'_>, text: String, name: String) -> PyResult<Self> {
        work::guarded(py, || cmnet::Mixture::from_json(&text, &name).map(Self::new))
    }

    fn text(&self, py: Python<'_>) -> PyResult<String> {
        work::guarded(py, || self.mixture.to_json())
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let mixture = self.mixture.clone();
        work::call(py, 1, move |_| mixture.save(&path))
    }

    #[getter]
    fn levels(&self) -> Vec<(String, Vec<String>)> {
        levels(self.mixture.schema())
    }

    #[getter]
    fn models(&self) -> Vec<Model> {
        self.mixture.components().iter().map(|component| Model::new(component.model.clone())).collect()
    }

    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        value::told(py, &MixtureFacts::from(&*self.mixture))
    }

    fn query<'py>(&self, py: Python<'py>, question: Question) -> PyResult<Bound<'py, PyAny>> {
        self.ask(py, question, marginals)
    }

    fn joint<'py>(&self, py: Python<'py>, question: Question) -> PyResult<Bound<'py, PyAny>> {
        self.ask(py, question, joint)
    }

    fn most_probable<'py>(&self, py: Python<'py>, question: Question) -> PyResult<Bound<'py, PyAny>> {
        self.ask(py, question, maximum)
    }

    fn sample(&self, py: Python<'_>, rows: usize, question: Question) -> PyResult<Rows> {
        let network = self.network(py)?;
        work::call(py, 1, move |stop| {
            let (evidence, exact) = (question.given.evidence(network.schema())?, question.inference.exact()?);
            let sampler = network.sampler(&evidence, question.seed, Under::new(&exact, stop))?;
            let mut drawn = RowsBuilder::new(network.schema());
            for start in (0..rows).step_by(BLOCK) {
                sampler.rows(start..rows.min(start + BLOCK))?.iter().try_for_each(|row| drawn.push(row))?;
            }
            Ok(drawn.finish())
        })
    }

    fn predict<'py>(&self, py: Python<'py>, question: RowQuestion<'py>) -> PyResult<PredictedArrays<'py>> {
        let network = self.network(py)?;
        let (found, levels) = question.answer(py, self.mixture.schema(), move |sought, rows, stop| {
            let mut predictor = MixturePredictor::new(&network, sought.target, &sought.exact, stop)?;
            Predicted::over(rows, sought.target, &mut |row| predictor.predict(row))
        })?;
        found.arrays(py, levels)
    }

    fn explain<'py>(
        &self,
        py: Python<'py>,
        given: Given,
        inference: Inference,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mixture = self.mixture.clone();
        work::answer(py, 1, move |stop| {
            let (evidence, exact) = (given.evidence(mixture.schema())?, inference.exact()?);
            value::of(&ExplainedMixture::of(&mixture, &evidence, Under::new(&exact, stop))?)
        })
    }

    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        data: Data<'py>,
        reading: Reading,
    ) -> PyResult<Bound<'py, PyAny>> {
        evaluate_together(py, self.mixture.clone(), (data, reading))
    }
}

/// Rows drawn at a time.
const BLOCK: usize = 1 << 14;

/// What was learned, ready to be handed over.
struct Found {
    facts: Value,
    mixture: cmnet::Mixture,
}

impl Found {
    fn of(learned: LearnedMixture, data: &Dataset) -> Result<Self> {
        let rows: Vec<ScoreRow> =
            class_models(&learned, data, &Keywords).into_iter().map(ScoreRow::from).collect();
        let first = learned.parts.first();
        let mut facts = json!({
            "search": first.map(|part| part.search.to_string()),
            "search_reason": first.map(|part| part.search_reason.to_string()),
            "stop": learned.stop.to_string(),
            "ties": learned.parts.iter().map(cmnet::Learned::ties).sum::<u64>(),
            "selected": null, "limited": [], "passed_over": [],
        });
        facts["criterion"] = value::of(&learned.criterion)?;
        facts["scores"] = value::of(&rows)?;
        facts["mixture"] = value::of(&MixtureFacts::of(&learned))?;
        Ok(Self { facts, mixture: learned.mixture })
    }
}

/// Facts and the mixture, and what interrupted the work.
type Answer<'py> = (Option<(Bound<'py, PyAny>, Mixture)>, Option<PyErr>);

/// Learns a mixture from a packed table.
#[pyfunction]
pub(crate) fn learn_mixture<'py>(
    py: Python<'py>,
    table: PyRef<'py, Table>,
    learning: Learning,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Answer<'py>> {
    let options = learning.options(table.data.schema()).or_raise(py)?;
    let how = mixture_options(&learning, &options).or_raise(py)?;
    let time_limit = learning.time_limit().or_raise(py)?;
    let data = table.data.clone();
    let work = move |watch: &Watch| Found::of(learn(&data, &options, &how, watch)?, &data);
    limited(py, time_limit, progress, work)?
        .in_time(py, |found| Ok((value::to_python(py, &found.facts)?, Mixture::new(found.mixture))))
}

fn mixture_options(learning: &Learning, options: &LearnOptions) -> Result<MixtureOptions> {
    let refuse = |option| Err(Error::option(option, "a value", "nothing: components does not use it"));
    if learning.is_stratified()? {
        return refuse(OptionName::Model);
    }
    if learning.checkpoint.is_some() || learning.resume {
        return refuse(OptionName::Checkpoint);
    }
    let components = learning.components.as_deref().unwrap_or("auto").parse()?;
    Ok(MixtureOptions { components, seed: options.tune.seed, ..MixtureOptions::default() })
}

/// What a model file can hold: the others are None.
type Loaded = (Option<Model>, Option<Mixture>, Option<Ensemble>);

/// Reads a model file: a network, a mixture or an ensemble.
#[pyfunction]
pub(crate) fn load_any(py: Python<'_>, path: PathBuf) -> PyResult<Loaded> {
    work::call(py, 1, move |_| {
        Ok(match AnyModel::load(&path)? {
            AnyModel::Network(model) => (Some(Model::new(*model)), None, None),
            AnyModel::Mixture(mixture) => (None, Some(Mixture::new(mixture)), None),
            AnyModel::Ensemble(ensemble) => (None, None, Some(Ensemble::new(ensemble))),
        })
    })
}
