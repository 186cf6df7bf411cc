//! The probability of what is known of rows with holes.

use super::network::Network;
use super::options::ExactOptions;
use super::session::Session;
use crate::control::Control;
use crate::data::IncompleteTable;
use crate::error::Result;

impl Network {
    /// The natural-log probability of what is known of each distinct row of a table, in its order.
    ///
    /// # Errors
    /// When the junction tree does not fit the memory; when the control asks to stop.
    pub(crate) fn log_probabilities(
        &self,
        table: &IncompleteTable,
        memory: u64,
        control: &dyn Control,
    ) -> Result<Vec<f64>> {
        let exact = ExactOptions { memory, ..ExactOptions::default() };
        let mut session = Session::under(self, &exact, control)?;
        let mut log = |row: Vec<Option<u32>>| {
            for (variable, level) in row.into_iter().enumerate() {
                match level {
                    Some(level) => session.observe_anew(variable, level)?,
                    None if session.evidence().level(variable).is_some() => session.retract(variable),
                    None => {}
                }
            }
            session.log_evidence()
        };
        table.iter().map(|(row, _)| log(row)).collect()
    }
}
