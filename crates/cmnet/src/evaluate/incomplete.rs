//! The probability that a fitted model gives to what is known of rows with holes.

use crate::control::Control;
use crate::data::{IncompleteTable, Schema};
use crate::error::{Error, Remedy, Result, quoted};
use crate::missing::observed_log_likelihood;
use crate::model::Model;

/// What a fitted model says of the known cells of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObservedEvaluation {
    /// The number of rows.
    pub rows: u64,
    /// Those of them with holes.
    pub incomplete_rows: u64,
    /// The mean over rows of the natural-log probability of what is known of a row: the other cells are
    /// summed out.
    pub log_likelihood: f64,
    /// The number of free parameters.
    pub parameters: usize,
}

impl ObservedEvaluation {
    /// The Bayesian information criterion on these rows.
    pub fn bic(&self) -> f64 {
        let rows = self.rows as f64;
        self.log_likelihood * rows - self.parameters as f64 / 2.0 * libm::log(rows)
    }

    /// The criterion per row.
    pub fn sbic(&self) -> f64 {
        self.bic() / self.rows as f64
    }
}

/// Evaluates a fitted model on the known cells of a table that has its variables and levels.
///
/// # Errors
/// When the model has no parameters, the table has other variables or levels or no rows, or the junction
/// tree does not fit the memory; when the control asks to stop.
///
/// # Example
/// ```
/// use cmnet::{Dataset, IncompleteTable, LearnOptions, evaluate_incomplete, learn};
/// let data = Dataset::from_labels(&["a", "b"], [["0", "0"], ["1", "1"]].repeat(20))?;
/// let learned = learn(&data, &LearnOptions::default(), &())?;
/// let model = learned.models[0].to_model(&data, &LearnOptions::default(), &learned.search)?;
/// let mut rows = IncompleteTable::new(data.schema().clone());
/// rows.push(&[Some(0), None], 3)?;
/// let found = evaluate_incomplete(&model, &rows, 1 << 28, &())?;
/// assert!((found.log_likelihood - 0.5f64.ln()).abs() < 1e-9);
/// # Ok::<(), cmnet::Error>(())
/// ```
pub fn evaluate_incomplete(
    model: &Model,
    table: &IncompleteTable,
    memory: u64,
    control: &dyn Control,
) -> Result<ObservedEvaluation> {
    let Some(fit) = model.fit() else {
        let problem = "the model has no parameters, only a structure";
        return Err(Error::question(problem, Remedy::EstimateParameters));
    };
    check_rows(model.schema(), table)?;
    let total = observed_log_likelihood(model.structure(), &fit.parameters, table, (memory, control))?;
    Ok(ObservedEvaluation {
        rows: table.rows(),
        incomplete_rows: table.incomplete_rows(),
        log_likelihood: total / table.rows() as f64,
        parameters: fit.free_parameters,
    })
}

/// Refuses rows that a model with this schema has nothing to say about.
pub(crate) fn check_rows(schema: &Schema, table: &IncompleteTable) -> Result<()> {
    if table.schema() != schema {
        let own = quoted(&schema.variables().iter().map(|v| v.name.as_str()).collect::<Vec<_>>().join(", "));
        let problem = format!("the rows have other variables or levels than those of the model, {own}");
        return Err(Error::mismatch(problem, Remedy::ChooseColumns));
    }
    if table.rows() == 0 {
        return Err(Error::option("rows", "0 rows", "at least one row"));
    }
    Ok(())
}
