//! Networks that answer together.

use crate::answer::EvaluatedAnswer;
use cmnet::{
    Control, Dataset, Ensemble, Error, IncompleteTable, Mixture, Model, OptionName, QueryMethod, Result,
};

/// A mixture or an ensemble: what the command and the Python package ask of both alike.
pub trait Together {
    /// What they are, in words.
    const NAME: &'static str;

    /// Refuses methods that are not exact.
    ///
    /// # Errors
    /// When the method is another one.
    fn check_exact(method: QueryMethod) -> Result<()> {
        match method {
            QueryMethod::Auto | QueryMethod::Exact => Ok(()),
            QueryMethod::Gibbs | QueryMethod::Belief => {
                let expected = format!("exact or auto: the networks of {} are exact", Self::NAME);
                Err(Error::option(OptionName::Method, method.to_string(), expected))
            }
        }
    }

    /// The first network, which has the variables of all.
    fn first(&self) -> &Model;

    /// How probable these rows are.
    ///
    /// # Errors
    /// When the table has other variables or levels or no rows; when the control asks to stop.
    fn evaluated(&self, data: &Dataset, control: &dyn Control) -> Result<EvaluatedAnswer>;

    /// How probable the known values of these rows are.
    ///
    /// # Errors
    /// As [`Together::evaluated`]; when a junction tree does not fit the memory.
    fn evaluated_incomplete(
        &self,
        table: &IncompleteTable,
        memory: u64,
        control: &dyn Control,
    ) -> Result<EvaluatedAnswer>;
}

macro_rules! together {
    ($networks:ident, $name:literal, $all:ident) => {
        impl Together for $networks {
            const NAME: &'static str = $name;

            fn first(&self) -> &Model {
                &self.$all()[0].model
            }

            fn evaluated(&self, data: &Dataset, control: &dyn Control) -> Result<EvaluatedAnswer> {
                Ok(EvaluatedAnswer::from(&self.evaluate(data, control)?))
            }

            fn evaluated_incomplete(
                &self,
                table: &IncompleteTable,
                memory: u64,
                control: &dyn Control,
            ) -> Result<EvaluatedAnswer> {
                Ok(EvaluatedAnswer::from(&self.evaluate_incomplete(table, memory, control)?))
            }
        }
    };
}

together!(Mixture, "a mixture", components);
together!(Ensemble, "an ensemble", members);
