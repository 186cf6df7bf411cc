//! Packed tables, and rows in their order.

use crate::errors;
use crate::intake::{Packing, Source, read};
use crate::options::Reading;
use crate::work;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, StringArray, StructArray};
use arrow_schema::{DataType, Field, Fields};
use cmnet::data::{Codes, DataDigest, Dataset, Schema, Variable, Warning};
use cmnet::io::{Source as File, csv, rows};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::ffi::{ArrayIterator, to_stream_pycapsule};
use std::path::PathBuf;
use std::sync::Arc;

/// Names and levels as Python passes and gets them.
type Levels = Vec<(String, Vec<String>)>;

/// A table of categories, packed: equal rows are one, with a weight.
#[pyclass(frozen, eq, module = "cmnet._cmnet")]
pub(crate) struct Table {
    pub(crate) data: Arc<Dataset>,
    warnings: Vec<String>,
    dropped_rows: u64,
    dropped_weight: u64,
    missing: Vec<(String, u64)>,
}

impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        self.data == other.data
    }
}

impl Table {
    fn of(data: Dataset, warnings: &[Warning], dropped: (u64, u64), missing: &[u64]) -> Self {
        let names = data.schema().variables().iter().map(|variable| variable.name.clone());
        Self {
            warnings: warnings.iter().map(ToString::to_string).collect(),
            missing: names.zip(missing.iter().copied()).filter(|(_, count)| *count > 0).collect(),
            dropped_rows: dropped.0,
            dropped_weight: dropped.1,
            data: Arc::new(data),
        }
    }

    fn from_file(py: Python<'_>, file: File, reading: &Reading) -> PyResult<Self> {
        let options = reading.options().map_err(|error| errors::to_python(py, &error))?;
        let loaded = work::call(py, 1, move || csv::read(&file, &options))?;
        let dropped = (loaded.dropped_rows, loaded.dropped_weight);
        Ok(Self::of(loaded.data, &loaded.warnings, dropped, &loaded.missing))
    }
}

#[pymethods]
impl Table {
    /// Packs a table that is in memory.
    #[staticmethod]
    fn from_memory(py: Python<'_>, source: Source<'_>, reading: Reading) -> PyResult<Self> {
        let options = reading.options().map_err(|error| errors::to_python(py, &error))?;
        let mut packing = Packing::new(options);
        read(py, source, &mut packing)?;
        let taken = work::guarded(py, || packing.finish())?;
        Ok(Self::of(taken.data, &taken.warnings, (taken.dropped_rows, taken.dropped_weight), &taken.missing))
    }

    /// Reads a CSV or TSV file.
    #[staticmethod]
    fn from_path(py: Python<'_>, path: PathBuf, reading: Reading) -> PyResult<Self> {
        Self::from_file(py, File::Path(path), &reading)
    }

    /// Reads a table from the bytes of a CSV file.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, name: &str, bytes: &[u8], reading: Reading) -> PyResult<Self> {
        Self::from_file(py, File::bytes(name, bytes.to_vec()), &reading)
    }

    /// Puts a table together from its parts.
    #[staticmethod]
    fn from_parts(
        py: Python<'_>,
        levels: Levels,
        columns: Vec<PyReadonlyArray1<'_, i32>>,
        weights: PyReadonlyArray1<'_, u32>,
    ) -> PyResult<Self> {
        let columns = unsigned(&columns)?;
        let weights = weights.as_slice()?.to_vec();
        let data = schema(levels)
            .and_then(|schema| Dataset::from_columns(schema, &columns, Some(&weights)))
            .map_err(|error| errors::to_python(py, &error))?;
        let warnings = Warning::of(&data);
        Ok(Self::of(data, &warnings, (0, 0), &[]))
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
    fn dropped_weight(&self) -> u64 {
        self.dropped_weight
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
        work::guarded(py, || {
            let expanded = |v: usize| {
                let pairs = data.column(v).iter().zip(data.weights());
                Codes::from_codes(pairs.flat_map(|(code, &n)| std::iter::repeat_n(code as u16, n as usize)))
            };
            let columns = (0..data.variables()).map(expanded).collect();
            Ok(Rows { schema: Arc::new(data.schema().clone()), columns })
        })
    }
}

/// Rows of categories in their order.
#[pyclass(frozen, eq, module = "cmnet._cmnet")]
#[derive(PartialEq)]
pub(crate) struct Rows {
    schema: Arc<Schema>,
    columns: Vec<Codes>,
}

impl Rows {
    /// Rows of levels of all variables.
    pub(crate) fn new(schema: &Schema, rows: &[Vec<u32>]) -> Self {
        let column = |v: usize| Codes::from_codes(rows.iter().map(|row| row[v] as u16));
        Self { schema: Arc::new(schema.clone()), columns: (0..schema.len()).map(column).collect() }
    }
}

#[pymethods]
impl Rows {
    /// The rows of a CSV file without missing values, in the order of the file.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, name: &str, bytes: &[u8], reading: Reading) -> PyResult<Self> {
        let options = reading.options().map_err(|error| errors::to_python(py, &error))?;
        let file = File::bytes(name, bytes.to_vec());
        work::call(py, 1, move || {
            let schema = csv::read(&file, &options)?.data.schema().clone();
            let mut columns = vec![Vec::new(); schema.len()];
            rows::visit(&file, &options, &schema, |row| {
                let cells = columns.iter_mut().zip(row.levels);
                cells.for_each(|(column, level)| column.push(level.unwrap_or(0) as u16));
                Ok(())
            })?;
            let columns = columns.into_iter().map(Codes::from_codes).collect();
            Ok(Self { schema: Arc::new(schema), columns })
        })
    }

    /// Puts rows together from their parts.
    #[staticmethod]
    fn from_parts(py: Python<'_>, levels: Levels, columns: Vec<PyReadonlyArray1<'_, i32>>) -> PyResult<Self> {
        let columns = unsigned(&columns)?;
        // Building a table checks lengths and codes.
        schema(levels)
            .and_then(|schema| {
                Dataset::from_columns(schema.clone(), &columns, None)?;
                let packed = |codes: &Vec<u32>| Codes::from_codes(codes.iter().map(|&code| code as u16));
                Ok(Self { schema: Arc::new(schema), columns: columns.iter().map(packed).collect() })
            })
            .map_err(|error| errors::to_python(py, &error))
    }

    fn __len__(&self) -> usize {
        self.columns.first().map_or(0, Codes::len)
    }

    #[getter]
    fn levels(&self) -> Levels {
        levels(&self.schema)
    }

    /// The codes of a column.
    fn codes<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let found = cmnet::inference::find_variable(&self.schema, name);
        let variable = found.map_err(|error| errors::to_python(py, &error))?;
        Ok(PyArray1::from_iter(py, self.columns[variable].iter().map(|code| code as i32)))
    }

    /// Arrow: one batch of dictionary columns.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let kind = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        let field =
            |variable: &Variable| Field::new(&variable.name, kind.clone(), false).with_dict_is_ordered(true);
        let fields: Fields = self.schema.variables().iter().map(field).collect();
        let array = |(variable, codes): (&Variable, &Codes)| -> PyResult<ArrayRef> {
            let keys = Int32Array::from_iter_values(codes.iter().map(|code| code as i32));
            let values = Arc::new(StringArray::from_iter_values(&variable.levels));
            let dictionary = DictionaryArray::<Int32Type>::try_new(keys, values);
            Ok(Arc::new(dictionary.map_err(|error| errors::internal(py, &error.to_string()))?))
        };
        let arrays = self.schema.variables().iter().zip(&self.columns).map(array).collect::<PyResult<_>>()?;
        let batch = StructArray::try_new(fields.clone(), arrays, None)
            .map_err(|error| errors::internal(py, &error.to_string()))?;
        let whole = Arc::new(Field::new_struct("", fields, false));
        let batches = std::iter::once(Ok(Arc::new(batch) as ArrayRef));
        Ok(to_stream_pycapsule(py, Box::new(ArrayIterator::new(batches, whole)), requested_schema)?)
    }
}

/// Codes that Python gave; what is negative becomes too large, and is refused as such.
fn unsigned(columns: &[PyReadonlyArray1<'_, i32>]) -> PyResult<Vec<Vec<u32>>> {
    let column = |column: &PyReadonlyArray1<'_, i32>| -> PyResult<Vec<u32>> {
        Ok(column.as_slice()?.iter().map(|&code| code as u32).collect())
    };
    columns.iter().map(column).collect()
}

pub(crate) fn levels(schema: &Schema) -> Levels {
    schema.variables().iter().map(|variable| (variable.name.clone(), variable.levels.clone())).collect()
}

fn schema(levels: Levels) -> cmnet::Result<Schema> {
    Schema::checked(levels.into_iter().map(|(name, levels)| Variable { name, levels }).collect())
}
