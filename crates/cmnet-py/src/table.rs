//! Packed tables.

use crate::dialect::Keywords;
use crate::errors;
use crate::intake::{Packing, Source, read};
use crate::options::Reading;
use crate::rows::{Rows, RowsBuilder};
use crate::work::{self, Stop};
use cmnet::{
    Bins, Cuts, DataDigest, Dataset, LearnOptions, LoadedTable, Schema, Source as File, Under, Variable,
    Warning, cut_by_graph, find_variable, read_csv,
};
use cmnet_report::warning_text;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// Names and levels as Python passes and gets them.
pub(crate) type Levels = Vec<(String, Vec<String>)>;

/// A table of categories, packed: equal rows are one, with a weight.
#[pyclass(frozen, eq, module = "cmnet._cmnet")]
pub(crate) struct Table {
    pub(crate) data: Arc<Dataset>,
    warnings: Vec<String>,
    dropped_rows: u64,
    missing: Vec<(String, u64)>,
}

impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        self.data == other.data
    }
}

impl Table {
    fn of(loaded: LoadedTable) -> Self {
        let names = loaded.data.schema().variables().iter().map(|variable| variable.name.clone());
        Self {
            warnings: in_words(&loaded.warnings),
            missing: names.zip(loaded.missing).filter(|(_, count)| *count > 0).collect(),
            dropped_rows: loaded.dropped_rows,
            data: Arc::new(loaded.data),
        }
    }
}

#[pymethods]
impl Table {
    /// Packs a table that is in memory.
    #[staticmethod]
    fn from_memory(py: Python<'_>, source: Source<'_>, reading: Reading) -> PyResult<Self> {
        let options = reading.options().map_err(|error| errors::to_python(py, &error))?;
        let bins = options.bins.clone();
        let mut packing = Packing::new(options);
        read(py, source, &mut packing)?;
        Ok(Self::of(cut(py, packing.finish(py)?, bins)?))
    }

    /// Reads a CSV or TSV file.
    #[staticmethod]
    fn from_path(py: Python<'_>, path: PathBuf, reading: Reading) -> PyResult<Self> {
        let options = reading.options().map_err(|error| errors::to_python(py, &error))?;
        let bins = options.bins.clone();
        let read = move |stop: &Stop| read_csv(&File::Path(path), Under::new(&options, stop));
        Ok(Self::of(cut(py, work::call(py, 1, read)?, bins)?))
    }

    /// Puts a table together from its parts.
    #[staticmethod]
    #[pyo3(signature = (levels, columns, weights, dropped_rows, missing, cuts = Vec::new()))]
    fn from_parts(
        py: Python<'_>,
        levels: Levels,
        columns: Vec<PyReadonlyArray1<'_, i32>>,
        weights: PyReadonlyArray1<'_, u32>,
        dropped_rows: u64,
        missing: Vec<(String, u64)>,
        cuts: Vec<(String, Vec<f64>)>,
    ) -> PyResult<Self> {
        let columns = unsigned(&columns)?;
        let weights = weights.as_slice()?.to_vec();
        let data = schema(levels)
            .and_then(|schema| with_cuts(schema, cuts))
            .and_then(|schema| Dataset::from_columns(schema, &columns, Some(&weights)))
            .map_err(|error| errors::to_python(py, &error))?;
        let warnings = in_words(&Warning::of(&data));
        Ok(Self { data: Arc::new(data), warnings, dropped_rows, missing })
    }

    /// The distinct rows as codes per column, and their weights.
    #[allow(clippy::type_complexity, reason = "plain values, taken apart in Python")]
    fn parts<'py>(
        &self,
        py: Python<'py>,
    ) -> (Levels, Vec<Bound<'py, PyArray1<i32>>>, Bound<'py, PyArray1<u32>>) {
        let codes = |v| PyArray1::from_iter(py, self.data.column(v).iter().map(|code| code as i32));
        let columns = (0..self.data.variables()).map(codes).collect();
        (levels(self.data.schema()), columns, PyArray1::from_slice(py, self.data.weights()))
    }

    #[getter]
    fn levels(&self) -> Levels {
        levels(self.data.schema())
    }

    /// The cut points of the variables that are cut.
    #[getter]
    fn cuts(&self) -> Vec<(String, Vec<f64>)> {
        cuts(self.data.schema())
    }

    #[getter]
    fn rows(&self) -> u64 {
        self.data.rows()
    }

    #[getter]
    fn distinct_rows(&self) -> usize {
        self.data.distinct_rows()
    }

    #[getter]
    fn digest(&self) -> String {
        DataDigest::of(&self.data).as_str().to_owned()
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    #[getter]
    fn dropped_rows(&self) -> u64 {
        self.dropped_rows
    }

    #[getter]
    fn missing(&self) -> Vec<(String, u64)> {
        self.missing.clone()
    }

    /// The bytes that codes and weights take.
    #[getter]
    fn packed_bytes(&self) -> usize {
        let columns: usize = (0..self.data.variables()).map(|v| self.data.column(v).bytes()).sum();
        columns + size_of_val(self.data.weights())
    }

    /// Every observation as a row, equal ones beside each other.
    fn observations(&self, py: Python<'_>) -> PyResult<Rows> {
        let data = self.data.clone();
        work::call(py, 1, move |stop| {
            let mut rows = RowsBuilder::new(data.schema());
            for (row, &weight) in data.weights().iter().enumerate() {
                let levels = data.row(row);
                for _ in 0..weight {
                    stop.check()?;
                    rows.push(&levels)?;
                }
            }
            Ok(rows.finish())
        })
    }
}

/// Lets the graph find cut points where that was asked for.
fn cut(py: Python<'_>, mut loaded: LoadedTable, bins: Bins) -> PyResult<LoadedTable> {
    if loaded.raw.is_none() {
        return Ok(loaded);
    }
    work::call(py, 0, move |stop| {
        cut_by_graph(&mut loaded, &bins, &LearnOptions::default(), stop)?;
        Ok(loaded)
    })
}

/// The cut points of the variables that are cut.
pub(crate) fn cuts(schema: &Schema) -> Vec<(String, Vec<f64>)> {
    let own = |v: usize| Some((schema.name(v).to_owned(), schema.cuts(v)?.points().to_vec()));
    (0..schema.len()).filter_map(own).collect()
}

fn with_cuts(mut schema: Schema, cuts: Vec<(String, Vec<f64>)>) -> cmnet::Result<Schema> {
    for (name, points) in cuts {
        let variable = find_variable(&schema, &name)?;
        schema = schema.with_cuts(variable, Cuts::new(points)?)?;
    }
    Ok(schema)
}

fn in_words(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(|warning| warning_text(warning, &Keywords)).collect()
}

/// Codes that Python gave; what is negative becomes too large, and is refused as such.
pub(crate) fn unsigned(columns: &[PyReadonlyArray1<'_, i32>]) -> PyResult<Vec<Vec<u32>>> {
    let column = |column: &PyReadonlyArray1<'_, i32>| -> PyResult<Vec<u32>> {
        Ok(column.as_slice()?.iter().map(|&code| code as u32).collect())
    };
    columns.iter().map(column).collect()
}

pub(crate) fn levels(schema: &Schema) -> Levels {
    schema.variables().iter().map(|variable| (variable.name.clone(), variable.levels.clone())).collect()
}

pub(crate) fn schema(levels: Levels) -> cmnet::Result<Schema> {
    Schema::new(levels.into_iter().map(|(name, levels)| Variable { name, levels }).collect())
}
