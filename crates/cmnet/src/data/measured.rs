//! Columns that were read as categories and hold measurements.

use super::encode::number;
use super::variable::Schema;
use super::warning::MANY_NUMBERS;
use crate::error::{Error, InputProblem, Place, Remedy, Result};

/// A column of many numbers with decimals, each a level of its own: surely a measurement, and no category. Whole
/// numbers may be codes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasuredColumn {
    /// Its number in the table, counted from 1.
    pub number: usize,
    /// Its name.
    pub name: String,
    /// How many different numbers it has.
    pub numbers: usize,
}

impl MeasuredColumn {
    /// The columns of a table that are measured, of those that `may` be.
    pub(crate) fn of(schema: &Schema, numbers: &[usize], may: impl Fn(usize) -> bool) -> Vec<Self> {
        let measured = |variable: &usize| {
            let levels = &schema.variable(*variable).levels;
            let mut decimals = false;
            let mut is_number = |label: &String| {
                number(label).is_some_and(|value| {
                    decimals |= value.fract() != 0.0;
                    true
                })
            };
            levels.len() > MANY_NUMBERS && levels.iter().all(&mut is_number) && decimals
        };
        let columns = (0..schema.len()).filter(|&variable| may(variable)).filter(measured);
        let column = |variable: usize| Self {
            number: numbers[variable],
            name: schema.name(variable).to_owned(),
            numbers: schema.variable(variable).levels.len(),
        };
        columns.map(column).collect()
    }

    /// Refuses a table with such columns.
    pub(crate) fn refuse(columns: &[Self], file: &str) -> Result<()> {
        let Some(Self { number, name, numbers }) = columns.first() else { return Ok(()) };
        let what = format!("{numbers} different numbers with decimals");
        let remedies = [Remedy::CutNumbers, Remedy::DropColumn, Remedy::ListLevels];
        let problem = InputProblem::NotCategories { what, remedies: remedies.into() };
        Err(Error::input(Place::file(file).at_column(*number, Some(name)), problem))
    }
}
