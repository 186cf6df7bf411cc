//! The E-step: how often each configuration of each clique is expected, given what is known of
//! every row.

use crate::control::Control;
use crate::counts::{CountSource, MarginCounts};
use crate::data::{IncompleteTable, Schema};
use crate::error::{Error, Result};
use crate::graph::VarSet;
use crate::inference::{ExactOptions, Network, Session};
use crate::loglinear::Parameters;
use crate::structure::Structure;
use crate::table::Shape;
use rayon::prelude::*;

/// Rows with holes that one session answers: sums run over these parts in order, so that the
/// numbers are the same for any number of threads.
const PART: usize = 64;

/// Expected rows that are none: a share of fewer is no number that has a logarithm.
const NONE: f64 = 1e-200;

/// A structure and a table with holes.
pub(super) struct Observed<'a> {
    schema: &'a Schema,
    structure: &'a Structure,
    exact: ExactOptions,
    complete: Vec<(Vec<u32>, f64)>,
    incomplete: Vec<(Vec<Option<u32>>, f64)>,
    rows: u64,
}

/// What is expected of a table under some parameters.
#[derive(Clone, Debug)]
pub(super) struct Expected {
    cardinalities: Vec<u32>,
    shapes: Vec<Shape>,
    tables: Vec<Vec<f64>>,
    rows: u64,
    /// The log-likelihood of what is known, in all.
    pub(super) log_likelihood: f64,
    /// The log partition function of the parameters.
    pub(super) log_partition: f64,
}

impl<'a> Observed<'a> {
    pub(super) fn new(structure: &'a Structure, table: &'a IncompleteTable, memory: u64) -> Self {
        let (mut complete, mut incomplete) = (Vec::new(), Vec::new());
        for (row, weight) in table.iter() {
            let known: Option<Vec<u32>> = row.iter().copied().collect();
            match known {
                Some(known) => complete.push((known, weight as f64)),
                None => incomplete.push((row, weight as f64)),
            }
        }
        let exact = ExactOptions { memory, ..ExactOptions::default() };
        Self { schema: table.schema(), structure, exact, complete, incomplete, rows: table.rows() }
    }

    /// The E-step.
    pub(super) fn expect(&self, parameters: Parameters, control: &dyn Control) -> Result<Expected> {
        let network = Network::new(self.schema, self.structure, parameters)?;
        let session = Session::under(&network, &self.exact, control)?;
        let shapes: Vec<Shape> = session.shapes().cloned().collect();
        let log_partition = session.log_partition();
        let zeros = || shapes.iter().map(|shape| vec![0.0; shape.size()]).collect::<Vec<Vec<f64>>>();
        let mut tables = zeros();
        let mut log_likelihood = 0.0;
        for (row, weight) in &self.complete {
            for (shape, table) in shapes.iter().zip(&mut tables) {
                table[shape.cell(row)] += weight;
            }
            log_likelihood += weight * (network.parameters().energy(row) - log_partition);
        }
        let part = |rows: &[(Vec<Option<u32>>, f64)]| {
            let (mut session, mut tables, mut sum) = (session.clone(), zeros(), 0.0);
            for (row, weight) in rows {
                for (variable, level) in row.iter().enumerate() {
                    match level {
                        Some(level) => session.observe_anew(variable, *level)?,
                        None if session.evidence().level(variable).is_some() => session.retract(variable),
                        None => {}
                    }
                }
                sum += weight * session.add_marginals(*weight, &mut tables)?;
            }
            Ok((tables, sum))
        };
        let parts: Vec<(Vec<Vec<f64>>, f64)> =
            self.incomplete.par_chunks(PART).map(part).collect::<Result<_>>()?;
        for (more, sum) in parts {
            log_likelihood += sum;
            for (table, more) in tables.iter_mut().zip(more) {
                table.iter_mut().zip(more).for_each(|(cell, more)| *cell += more);
            }
        }
        for cell in tables.iter_mut().flatten().filter(|cell| **cell < NONE) {
            *cell = 0.0;
        }
        let cardinalities = self.structure.cardinalities().to_vec();
        Ok(Expected { cardinalities, shapes, tables, rows: self.rows, log_likelihood, log_partition })
    }
}

impl Expected {
    /// The same without cells that fewer rows than this are expected in; `None` where there is no such cell.
    pub(super) fn without(&self, few: f64) -> Option<Self> {
        let is_few = |cell: &f64| *cell > 0.0 && *cell < few;
        self.tables.iter().flatten().any(is_few).then(|| {
            let mut fewer = self.clone();
            fewer.tables.iter_mut().flatten().filter(|cell| is_few(cell)).for_each(|cell| *cell = 0.0);
            fewer
        })
    }
}

/// The log-likelihood of what is known of all rows, under a bound of memory in bytes and a control.
pub(crate) fn observed_log_likelihood(
    structure: &Structure,
    parameters: &Parameters,
    table: &IncompleteTable,
    (memory, control): (u64, &dyn Control),
) -> Result<f64> {
    Ok(Observed::new(structure, table, memory).expect(parameters.clone(), control)?.log_likelihood)
}

impl CountSource for Expected {
    fn cardinalities(&self) -> &[u32] {
        &self.cardinalities
    }

    fn rows(&self) -> u64 {
        self.rows
    }

    /// Expected counts are no whole numbers: fits read [`CountSource::weights`].
    fn margin(&self, _: &VarSet) -> Result<MarginCounts> {
        Err(beyond())
    }

    fn weights(&self, shape: &Shape) -> Result<Vec<f64>> {
        let has = |large: &Shape| shape.variables().iter().all(|v| large.variables().contains(v));
        let place = self.shapes.iter().position(has).ok_or_else(beyond)?;
        let mut margin = vec![0.0; shape.size()];
        self.shapes[place].walk_onto(shape).gather(&self.tables[place], &mut margin);
        Ok(margin)
    }
}

fn beyond() -> Error {
    Error::limit(
        "expected counts of variables that are not in one clique",
        "cliques",
        "report this: it is a defect",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Variable;
    use crate::graph::Edge;
    use crate::loglinear::{FitOptions, Terms, fit_with};

    /// On its way to a boundary EM comes to expect 5e-324 rows somewhere. A third of that is zero.
    #[test]
    fn so_few_expected_rows_that_shares_of_them_are_no_numbers_count_as_none() {
        let variable = |name: &str| Variable { name: name.into(), levels: vec!["0".into(), "1".into()] };
        let mut table = IncompleteTable::new(Schema::new(vec![variable("a"), variable("b")]).unwrap());
        for row in [[Some(0), Some(0)], [Some(0), Some(1)], [Some(1), None]] {
            table.push(&row, 1).unwrap();
        }
        let mut structure = Structure::empty(&[2, 2]);
        structure.toggle_edge(Edge::new(0, 1).unwrap()).unwrap();
        let terms = Terms::new(&structure, None).unwrap();
        let value = |term: usize| if terms.term(term).variables.len() == 2 { -744.0 } else { 0.0 };
        let parameters = Parameters::new(terms.clone(), (0..terms.len()).map(value).collect(), None);
        let expected = Observed::new(&structure, &table, 1 << 20).expect(parameters, &()).unwrap();
        let options = FitOptions { smoothing: 0.0, ..FitOptions::default() };
        let fit = fit_with(&structure, &expected, &options, &()).unwrap().done().unwrap();
        assert!(fit.parameters.values().iter().all(|value| value.is_finite()), "{:?}", fit.parameters);
    }
}
