//! The columns of a table: their names, which are variables, which one holds the weights.

use super::csv::ReadOptions;
use super::records::Records;
use super::schema_file::unknown_column;
use crate::data::{Coder, check_names};
use crate::error::{Error, InputProblem, Place, Result, quoted_bytes};

/// The columns of a table: which of them are variables, which one holds the weights.
#[derive(Debug)]
pub struct Columns {
    file: String,
    /// All names in file order.
    pub(super) names: Vec<String>,
    /// The places of the variables, ascending.
    pub(super) variables: Vec<usize>,
    /// The place of the weights.
    pub(super) weights: Option<usize>,
}

impl Columns {
    /// Takes the names from the row just read, or makes them up, and chooses the columns.
    pub(super) fn new(first: &Records<'_>, options: &ReadOptions) -> Result<Self> {
        let names = if options.header { header_names(first)? } else { numbered_names(first.len()) };
        Self::of(first.place().file, names, options)
    }

    /// The columns of a table with these names; `file` stands for it in errors.
    ///
    /// # Errors
    /// When a column that the options name is not there, or none is left.
    pub fn of(file: String, names: Vec<String>, options: &ReadOptions) -> Result<Self> {
        let mut columns = Self { file, names, variables: Vec::new(), weights: None };
        columns.weights = options.weights.as_deref().map(|name| columns.find(name)).transpose()?;
        columns.variables = columns.choose(options)?;
        if let Some(schema) = &options.schema {
            schema.check_columns(&columns.names)?;
        }
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
            return Err(Error::input(Place::file(&self.file), InputProblem::NoColumns));
        }
        Ok(variables)
    }

    fn find(&self, name: &str) -> Result<usize> {
        self.names
            .iter()
            .position(|known| known == name.trim_ascii())
            .ok_or_else(|| unknown_column(Place::file(&self.file), name, &self.names))
    }

    /// The places of the variables among the columns, ascending.
    pub fn variables(&self) -> &[usize] {
        &self.variables
    }

    /// The place of the column of weights.
    pub fn weights(&self) -> Option<usize> {
        self.weights
    }

    /// The name of a column.
    pub fn name(&self, column: usize) -> &str {
        &self.names[column]
    }

    /// The names of the variables.
    pub(super) fn variable_names(&self) -> Vec<String> {
        self.variables.iter().map(|&column| self.names[column].clone()).collect()
    }

    /// What turns the labels of each variable into codes.
    pub(super) fn coders(&self, options: &ReadOptions) -> Vec<Coder> {
        // Fields are compared without the blanks around them.
        let missing: Vec<String> = options.missing.iter().map(|text| text.trim_ascii().to_owned()).collect();
        let declared = |name: &str| options.schema.as_ref()?.levels(name);
        let coder = |&column: &usize| match declared(&self.names[column]) {
            Some(levels) => Coder::declared(levels, &missing),
            None => Coder::open(&missing),
        };
        self.variables.iter().map(coder).collect()
    }

    /// Whether a row says the same as the header line.
    pub(super) fn are_named_in(&self, row: &Records<'_>) -> bool {
        self.names.iter().enumerate().all(|(column, name)| row.field(column) == name.as_bytes())
    }

    /// The place of a column in the file.
    pub fn place(&self, column: usize) -> Place {
        Place::file(&self.file).at_column(column + 1, Some(&self.names[column]))
    }
}

fn header_names(first: &Records<'_>) -> Result<Vec<String>> {
    let place = |column| first.place().at_line(first.line()).at_column(column, None);
    let mut names = Vec::with_capacity(first.len());
    for column in 0..first.len() {
        let field = first.field(column);
        let name = str::from_utf8(field).map_err(|_| {
            Error::input(place(column + 1), InputProblem::InvalidUtf8 { text: quoted_bytes(field) })
        })?;
        names.push(name.to_owned());
    }
    check_names(names.iter().map(String::as_str))
        .map_err(|(column, problem)| Error::input(place(column), problem))?;
    Ok(names)
}

fn numbered_names(width: usize) -> Vec<String> {
    (1..=width).map(|column| format!("X{column}")).collect()
}
