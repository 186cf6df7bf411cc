//! The columns of a table: their names, which are variables, which one holds the weights.

use super::read_options::ReadOptions;
use super::schema_file::unknown_column;
use crate::data::{Bins, Intake, Levels, MAX_ROWS, Origin, Schema, Variable};
use crate::error::{Error, InputProblem, OptionName, Place, Result, WeightDoubt, quoted_bytes};

/// The columns of a table: which of them are variables, which one holds the weights.
#[derive(Debug)]
pub struct Columns {
    origin: Origin,
    /// All names in file order.
    names: Vec<String>,
    /// The places of the variables, ascending.
    variables: Vec<usize>,
    /// The place of the weights.
    weights: Option<usize>,
}

impl Columns {
    /// The columns of a table in memory that has these names.
    ///
    /// # Errors
    /// When a column that the options name is not there, or none is left.
    pub fn of_memory(names: Vec<String>, options: &ReadOptions) -> Result<Self> {
        Self::of(Origin::Memory, names, options)
    }

    /// The columns of a table of any origin that has these names.
    pub(super) fn of(origin: Origin, names: Vec<String>, options: &ReadOptions) -> Result<Self> {
        let mut columns = Self { origin, names, variables: Vec::new(), weights: None };
        columns.weights = options.weights.as_deref().map(|name| columns.find(name)).transpose()?;
        columns.variables = columns.choose(options)?;
        if let Some(schema) = &options.schema {
            schema.check_columns(&columns.names)?;
        }
        options.bins.columns().try_for_each(|name| columns.check_cut(name))?;
        Ok(columns)
    }

    fn choose(&self, options: &ReadOptions) -> Result<Vec<usize>> {
        let find_all = |names: &[String]| names.iter().map(|name| self.find(name)).collect::<Result<_>>();
        let wanted: Option<Vec<usize>> = options.columns.as_deref().map(find_all).transpose()?;
        let dropped: Vec<usize> = find_all(&options.drop)?;
        if let (Some(weights), Some(wanted)) = (self.weights, &wanted)
            && wanted.contains(&weights)
        {
            return Err(Error::input(self.place(weights), InputProblem::WeightsAsVariable));
        }
        let mut chosen = vec![wanted.is_none(); self.names.len()];
        wanted.iter().flatten().for_each(|&column| chosen[column] = true);
        dropped.iter().chain(&self.weights).for_each(|&column| chosen[column] = false);
        let variables: Vec<usize> = (0..chosen.len()).filter(|&column| chosen[column]).collect();
        if variables.is_empty() {
            return Err(Error::input(self.origin.place(), InputProblem::NoColumns));
        }
        Ok(variables)
    }

    fn find(&self, name: &str) -> Result<usize> {
        self.names
            .iter()
            .position(|known| known == name.trim_ascii())
            .ok_or_else(|| unknown_column(self.origin.place(), name, &self.names))
    }

    /// Checks that a column that is to be cut is a variable.
    fn check_cut(&self, name: &str) -> Result<()> {
        let column = self.find(name)?;
        if self.variables.contains(&column) {
            return Ok(());
        }
        let expected = "columns that are variables: this one is left out, or has the weights";
        Err(Error::option(OptionName::Bins, name, expected))
    }

    /// The places of the variables among the columns, ascending.
    pub fn variables(&self) -> &[usize] {
        &self.variables
    }

    /// The place of the column of weights.
    pub fn weights(&self) -> Option<usize> {
        self.weights
    }

    /// The names of all columns, in the order of the table.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The name of a column.
    pub fn name(&self, column: usize) -> &str {
        &self.names[column]
    }

    /// An empty table of the variables. `known` says what the source itself knows of their
    /// levels; what the options declare goes first.
    ///
    /// # Errors
    /// As [`Intake::new`].
    pub fn intake(&self, options: &ReadOptions, known: Vec<Levels>) -> Result<Intake> {
        let levels = |(&column, known): (&usize, Levels)| {
            let name = &self.names[column];
            (name.clone(), levels_of(name, options, known))
        };
        let columns = self.variables.iter().zip(known).map(levels).collect();
        let numbers = self.variables.iter().map(|column| column + 1);
        let intake = Intake::of(self.origin.clone(), columns, &options.missing)?;
        Ok(intake.with_numbers(numbers).with_bins(options.bins.clone()))
    }

    /// As [`Columns::intake`], for a first look at a part of a table: it keeps no rows, and
    /// [`Intake::survey`] tells what it found out.
    ///
    /// # Errors
    /// As [`Intake::new`].
    pub fn survey(&self, options: &ReadOptions, known: Vec<Levels>) -> Result<Intake> {
        if options.bins != Bins::default() {
            let expected = "cut points in a schema: no part of a table knows those of the whole";
            return Err(Error::option(OptionName::Bins, "rules", expected));
        }
        let listed = |levels: &Levels| match without_missing(levels.clone(), &options.missing) {
            Levels::Ordered(levels) | Levels::Declared(levels) | Levels::Cut(levels, _) => Some(levels),
            Levels::Observed | Levels::Numbers | Levels::ManyNumbers => None,
        };
        let listed = known.iter().map(listed).collect();
        let open = vec![Levels::Observed; known.len()];
        // What is wrong with the levels that it lists is said here.
        self.intake(options, known)?;
        Ok(self.intake(options, open)?.surveying(listed))
    }

    /// The column of each variable of a schema, `None` where the table has none for it.
    ///
    /// # Errors
    /// When the table has none at all; `hint` says where to look.
    pub fn places(&self, schema: &Schema, hint: &'static str) -> Result<Vec<Option<usize>>> {
        let place = |variable: &Variable| {
            self.variables.iter().copied().find(|&column| self.names[column] == variable.name)
        };
        let places: Vec<Option<usize>> = schema.variables().iter().map(place).collect();
        if places.iter().all(Option::is_none) {
            return Err(Error::mismatch("the data have none of the model's columns", hint));
        }
        Ok(places)
    }

    /// How often a row was observed: what its text in the column of weights says, once where
    /// there is no such column.
    ///
    /// # Errors
    /// When the text is no weight.
    #[inline]
    pub fn weight<'a>(
        &self,
        text: impl FnOnce(usize) -> Option<&'a [u8]>,
        line: impl FnOnce() -> u64,
    ) -> Result<u64> {
        self.weight_by(parse_weight, text, line).map(|weight| weight.unwrap_or(1))
    }

    /// The same where weights may be real numbers.
    ///
    /// # Errors
    /// When the text is no weight.
    pub fn real_weight<'a>(
        &self,
        text: impl FnOnce(usize) -> Option<&'a [u8]>,
        line: impl FnOnce() -> u64,
    ) -> Result<f64> {
        self.weight_by(parse_real, text, line).map(|weight| weight.unwrap_or(1.0))
    }

    /// The weight of a row; `None` where there is no column of weights.
    #[inline]
    fn weight_by<'a, W>(
        &self,
        parse: impl FnOnce(&[u8]) -> std::result::Result<W, WeightDoubt>,
        text: impl FnOnce(usize) -> Option<&'a [u8]>,
        line: impl FnOnce() -> u64,
    ) -> Result<Option<W>> {
        let Some(column) = self.weights else { return Ok(None) };
        let text = text(column).unwrap_or_default().trim_ascii();
        parse(text).map(Some).map_err(|doubt| {
            let problem = InputProblem::Weight { text: quoted_bytes(text), doubt };
            Error::input(self.place(column).at_line(line()), problem)
        })
    }

    /// The place of a column in the table.
    pub fn place(&self, column: usize) -> Place {
        self.origin.place().at_column(column + 1, Some(&self.names[column]))
    }
}

/// What is known of a column's levels: what the options say, or else what its source knows.
fn levels_of(name: &str, options: &ReadOptions, known: Levels) -> Levels {
    if options.bins.rule(name).is_some() {
        return Levels::Numbers;
    }
    let schema = options.schema.as_ref();
    match schema.and_then(|schema| Some((schema.levels(name)?, schema.cuts(name)))) {
        Some((levels, Some(cuts))) => Levels::Cut(levels.to_vec(), cuts.clone()),
        Some((levels, None)) => Levels::Declared(levels.to_vec()),
        None => match without_missing(known, &options.missing) {
            Levels::Observed if options.bins.cuts_other(name) => Levels::ManyNumbers,
            known => known,
        },
    }
}

/// Texts that mean "missing" mean it among categories too.
fn without_missing(levels: Levels, missing: &[String]) -> Levels {
    let Levels::Ordered(mut listed) = levels else { return levels };
    listed.retain(|level| !missing.iter().any(|text| text.trim_ascii() == level.trim_ascii()));
    if listed.is_empty() { Levels::Observed } else { Levels::Ordered(listed) }
}

/// A weight as digits.
///
/// # Errors
/// What may be wrong with it.
fn parse_weight(text: &[u8]) -> std::result::Result<u64, WeightDoubt> {
    let doubt = match text {
        [] => WeightDoubt::Empty,
        [b'-', ..] => WeightDoubt::Negative,
        _ if text.iter().all(u8::is_ascii_digit) => {
            let digits = text.iter().try_fold(0_u64, |value, digit| {
                value.checked_mul(10)?.checked_add(u64::from(digit - b'0')).filter(|&value| value <= MAX_ROWS)
            });
            return digits.ok_or(WeightDoubt::TooLarge { limit: MAX_ROWS });
        }
        _ if is_number(text, f64::is_finite) => WeightDoubt::NotDigits,
        _ if is_number(text, |_| true) => WeightDoubt::NotFinite,
        _ => WeightDoubt::OtherColumn,
    };
    Err(doubt)
}

/// Whether a text is a number of some kind.
fn is_number(text: &[u8], kind: impl Fn(f64) -> bool) -> bool {
    str::from_utf8(text).is_ok_and(|text| text.parse::<f64>().is_ok_and(kind))
}

/// A weight as a real number, 0 or more.
fn parse_real(text: &[u8]) -> std::result::Result<f64, WeightDoubt> {
    match str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok()) {
        _ if text.is_empty() => Err(WeightDoubt::Empty),
        Some(weight) if !weight.is_finite() => Err(WeightDoubt::NotFinite),
        Some(weight) if weight < 0.0 => Err(WeightDoubt::Negative),
        Some(weight) => Ok(weight),
        None => Err(WeightDoubt::OtherColumn),
    }
}
