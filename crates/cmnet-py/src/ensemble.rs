//! Ensembles of networks of resamples.

use crate::ask::{Given, Inference, Question};
use crate::incomplete::evaluate_together;
use crate::model::{Data, Model, check_picture};
use crate::options::Reading;
use crate::predict::{Predicted, PredictedArrays, RowQuestion};
use crate::table::levels;
use crate::value;
use crate::work::{self, Lazy};
use cmnet::{
    EnsembleNetwork, EnsemblePredictor, Evidence, ExactOptions, Result, Spread, Under, Var, find_variables,
    write_atomic,
};
use cmnet_report::answer::ensemble::ensemble_joint;
use cmnet_report::answer::{EnsembleFacts, EnsembleMarginals, ExplainedEnsemble};
use cmnet_report::{Drawing, Format, Together};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;

/// The networks of resamples.
#[pyclass(frozen, eq, module = "cmnet._cmnet")]
pub(crate) struct Ensemble {
    ensemble: Arc<cmnet::Ensemble>,
    network: Lazy<EnsembleNetwork>,
}

impl PartialEq for Ensemble {
    fn eq(&self, other: &Self) -> bool {
        self.ensemble == other.ensemble
    }
}

impl Ensemble {
    pub(crate) fn new(ensemble: cmnet::Ensemble) -> Self {
        Self { ensemble: Arc::new(ensemble), network: Lazy::default() }
    }

    /// The ensemble as something that answers questions, made once.
    fn network(&self, py: Python<'_>) -> PyResult<Arc<EnsembleNetwork>> {
        let ensemble = self.ensemble.clone();
        self.network.get(py, move || ensemble.network())
    }

    /// Asks the ensemble a question.
    fn ask<'py>(
        &self,
        py: Python<'py>,
        question: Question,
        answer: impl FnOnce(&Asked<'_>, Under<'_, ExactOptions>) -> Result<Value> + Send + 'static,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (network, ensemble) = (self.network(py)?, self.ensemble.clone());
        work::answer(py, 1, move |stop| {
            cmnet::Ensemble::check_exact(question.method.parse()?)?;
            let (schema, exact) = (network.schema(), question.inference.exact()?);
            let evidence = question.given.evidence(schema)?;
            let named = find_variables(schema, &question.targets)?;
            let targets = if named.is_empty() { network.free(&evidence)? } else { named };
            let asked = Asked { network: &network, ensemble: &ensemble, evidence, targets };
            answer(&asked, Under::new(&exact, stop))
        })
    }
}

/// A question in the terms of an ensemble.
struct Asked<'a> {
    network: &'a EnsembleNetwork,
    ensemble: &'a cmnet::Ensemble,
    evidence: Evidence,
    targets: Vec<Var>,
}

/// Predictions, and the standard deviation and the ends of the range of each probability.
type SpreadArrays<'py> = (PredictedArrays<'py>, [Bound<'py, PyArray2<f64>>; 3]);

#[pymethods]
impl Ensemble {
    /// Reads and checks the text of an ensemble's file.
    #[staticmethod]
    fn from_text(py: Python<'_>, text: String, name: String) -> PyResult<Self> {
        work::guarded(py, || cmnet::Ensemble::from_json(&text, &name).map(Self::new))
    }

    fn text(&self, py: Python<'_>) -> PyResult<String> {
        work::guarded(py, || self.ensemble.to_json())
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let ensemble = self.ensemble.clone();
        work::call(py, 1, move |_| ensemble.save(&path))
    }

    #[getter]
    fn levels(&self) -> Vec<(String, Vec<String>)> {
        levels(self.ensemble.schema())
    }

    #[getter]
    fn models(&self) -> Vec<Model> {
        self.ensemble.members().iter().map(|member| Model::new(member.model.clone())).collect()
    }

    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        value::told(py, &EnsembleFacts::from(&*self.ensemble))
    }

    fn query<'py>(&self, py: Python<'py>, question: Question) -> PyResult<Bound<'py, PyAny>> {
        self.ask(py, question, |asked, exact| {
            let answer = asked.network.marginals(&asked.targets, &asked.evidence, exact)?;
            value::of(&EnsembleMarginals::of(asked.ensemble, &asked.evidence, &answer))
        })
    }

    fn joint<'py>(&self, py: Python<'py>, question: Question) -> PyResult<Bound<'py, PyAny>> {
        self.ask(py, question, |asked, exact| {
            let joint = asked.network.joint(&asked.targets, &asked.evidence, exact)?;
            value::of(&ensemble_joint(asked.ensemble, &asked.targets, &joint))
        })
    }

    fn explain<'py>(
        &self,
        py: Python<'py>,
        given: Given,
        threshold: f64,
        inference: Inference,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (network, ensemble) = (self.network(py)?, self.ensemble.clone());
        work::answer(py, 1, move |stop| {
            let (evidence, exact) = (given.evidence(network.schema())?, inference.exact()?);
            let under = Under::new(&exact, stop);
            value::of(&ExplainedEnsemble::of((&*ensemble, &*network), &evidence, threshold, under)?)
        })
    }

    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        data: Data<'py>,
        reading: Reading,
    ) -> PyResult<Bound<'py, PyAny>> {
        evaluate_together(py, self.ensemble.clone(), (data, reading))
    }

    /// What so large a share of the networks agree on, without parameters.
    fn consensus(&self, py: Python<'_>, threshold: f64) -> PyResult<Model> {
        let ensemble = self.ensemble.clone();
        work::call(py, 1, move |_| {
            Ok(Model::new(ensemble.consensus(threshold)?.to_model(ensemble.schema())?))
        })
    }

    /// Writes a drawing of the consensus.
    fn draw(&self, py: Python<'_>, path: PathBuf, threshold: f64, widths: bool) -> PyResult<()> {
        check_picture(py, &path)?;
        let network = if widths { Some(self.network(py)?) } else { None };
        let ensemble = self.ensemble.clone();
        work::call(py, 1, move |stop| {
            let found = ensemble.consensus(threshold)?;
            let mut drawing = Drawing::new(ensemble.schema(), &found.structure)?.with_support(&found.support);
            if let Some(network) = &network {
                let exact = ExactOptions::default();
                let under = Under::new(&exact, stop);
                drawing = drawing.with_means(&network.strengths(&Evidence::none(), under)?);
            }
            write_atomic(&path, Format::from_path(&path)?.render(&drawing).as_bytes())
        })
    }

    fn predict<'py>(&self, py: Python<'py>, question: RowQuestion<'py>) -> PyResult<SpreadArrays<'py>> {
        let network = self.network(py)?;
        let answered = question.answer(py, self.ensemble.schema(), move |sought, rows, stop| {
            let mut predictor = EnsemblePredictor::new(&network, sought.target, &sought.exact, stop)?;
            let mut spreads: [Vec<f64>; 3] = Default::default();
            let found = Predicted::over(rows, sought.target, &mut |row| {
                let found = predictor.predict(row)?;
                found.spreads.iter().for_each(|spread| add(&mut spreads, spread));
                Ok(found.prediction)
            })?;
            Ok((found, spreads))
        });
        let ((found, spreads), count) = answered?;
        let array = |numbers: Vec<f64>| {
            let rows = numbers.len() / count;
            PyArray1::from_vec(py, numbers).reshape([rows, count])
        };
        let [deviation, low, high] = spreads.map(array);
        Ok((found.arrays(py, count)?, [deviation?, low?, high?]))
    }
}

/// Takes down the spread of one probability; a single network has none.
fn add(spreads: &mut [Vec<f64>; 3], spread: &Spread) {
    let numbers = [spread.deviation.unwrap_or(f64::NAN), spread.range[0], spread.range[1]];
    spreads.iter_mut().zip(numbers).for_each(|(all, number)| all.push(number));
}
