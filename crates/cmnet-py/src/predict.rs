//! One variable predicted in each row of a table.

use crate::ask::Inference;
use crate::each_row::{EachRow, RowReading, over_rows};
use crate::errors::OrRaise;
use crate::model::{Data, Model};
use crate::work::Stop;
use cmnet::{ExactOptions, Prediction, Predictor, Result, Schema, Var, find_variable};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

/// A question about one variable in each row.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct RowQuestion<'py> {
    data: Data<'py>,
    target: String,
    rows: RowReading,
    inference: Inference,
}

/// The variable in the terms of a schema, and how it is inferred.
pub(crate) struct Sought {
    pub(crate) target: Var,
    pub(crate) exact: ExactOptions,
}

impl RowQuestion<'_> {
    /// What a job finds in the rows, and how many levels the variable has.
    pub(crate) fn answer<T: Send + 'static>(
        self,
        py: Python<'_>,
        schema: &Schema,
        job: impl FnOnce(&Sought, &mut dyn EachRow, &Stop) -> Result<T> + Send + 'static,
    ) -> PyResult<(T, usize)> {
        let target = find_variable(schema, &self.target).or_raise(py)?;
        let sought = Sought { target, exact: self.inference.exact().or_raise(py)? };
        let found = over_rows(py, schema, self.data, &self.rows, move |rows, stop| job(&sought, rows, stop))?;
        Ok((found, schema.variable(target).levels.len()))
    }
}

/// The probabilities of a target's levels in each row, the most probable level, the level
/// that the row has, -1 where it has none, and the row's weight.
#[pyfunction]
pub(crate) fn predict<'py>(
    py: Python<'py>,
    model: &Model,
    question: RowQuestion<'py>,
) -> PyResult<PredictedArrays<'py>> {
    let network = model.network(py)?;
    let (found, levels) = question.answer(py, model.model.schema(), move |sought, rows, stop| {
        let mut predictor = Predictor::under(&network, sought.target, &sought.exact, stop)?;
        Predicted::over(rows, sought.target, &mut |row| predictor.predict(row))
    })?;
    found.arrays(py, levels)
}

/// Probabilities, most probable levels, true levels and weights of rows.
pub(crate) type PredictedArrays<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<i32>>,
    Bound<'py, PyArray1<i32>>,
    Bound<'py, PyArray1<u64>>,
);

/// Predictions of rows, one after the other.
#[derive(Default)]
pub(crate) struct Predicted {
    probabilities: Vec<f64>,
    best: Vec<i32>,
    truth: Vec<i32>,
    weights: Vec<u64>,
}

impl Predicted {
    /// Predicts a variable in every row.
    pub(crate) fn over(
        rows: &mut dyn EachRow,
        target: Var,
        predict: &mut dyn FnMut(&[Option<u32>]) -> Result<Prediction>,
    ) -> Result<Self> {
        let mut found = Self::default();
        rows.each(&mut |row, weight| {
            found.push(&predict(row)?, row[target], weight);
            Ok(())
        })?;
        Ok(found)
    }

    fn push(&mut self, prediction: &Prediction, truth: Option<u32>, weight: u64) {
        self.probabilities.extend_from_slice(&prediction.probabilities);
        self.best.push(prediction.level as i32);
        self.truth.push(truth.map_or(-1, |level| level as i32));
        self.weights.push(weight);
    }

    pub(crate) fn arrays(self, py: Python<'_>, levels: usize) -> PyResult<PredictedArrays<'_>> {
        let shape = [self.best.len(), levels];
        let probabilities = PyArray1::from_vec(py, self.probabilities).reshape(shape)?;
        let [best, truth] = [self.best, self.truth].map(|codes| PyArray1::from_vec(py, codes));
        Ok((probabilities, best, truth, PyArray1::from_vec(py, self.weights)))
    }
}
