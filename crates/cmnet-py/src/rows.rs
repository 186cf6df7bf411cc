//! Rows of categories in their order: what sampling and bundled tables give.

use crate::errors::OrRaise;
use crate::options::Reading;
use crate::table::{Levels, levels, schema, unsigned};
use crate::work;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, StringArray, StructArray};
use arrow_schema::{ArrowError, DataType, Field, Fields};
use cmnet::{
    Codes, Dataset, Error, OnUnknown, Result, Schema, Source as File, Under, Variable, read_csv, visit_rows,
};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::ffi::{ArrayIterator, to_stream_pycapsule};
use std::sync::Arc;

/// Rows that are packed at once.
const CHUNK: usize = 1 << 16;

/// Memory that must be there before rows are packed: the system would end the interpreter
/// without a word if a small request failed.
const SPARE: usize = 1 << 25;

/// Rows of categories in their order.
#[pyclass(frozen, eq, module = "cmnet._cmnet")]
#[derive(PartialEq)]
pub(crate) struct Rows {
    schema: Arc<Schema>,
    count: usize,
    /// Each has the codes of every variable for as many rows as the others, but for the last.
    chunks: Arc<Vec<Vec<Codes>>>,
}

/// Rows that come one by one.
pub(crate) struct RowsBuilder {
    schema: Schema,
    count: usize,
    chunks: Vec<Vec<Codes>>,
    /// Codes by variable that are not packed yet.
    open: Vec<Vec<u16>>,
}

impl RowsBuilder {
    pub(crate) fn new(schema: &Schema) -> Self {
        let open = vec![Vec::new(); schema.len()];
        Self { schema: schema.clone(), count: 0, chunks: Vec::new(), open }
    }

    /// Adds a row of levels of all variables.
    ///
    /// # Errors
    /// When the system has no memory left for them.
    pub(crate) fn push(&mut self, levels: &[u32]) -> Result<()> {
        self.open.iter_mut().zip(levels).for_each(|(column, &level)| column.push(level as u16));
        self.count += 1;
        if self.count.is_multiple_of(CHUNK) {
            check_memory(SPARE + CHUNK * self.open.len() * size_of::<u16>(), self.count)?;
            self.pack();
        }
        Ok(())
    }

    fn pack(&mut self) {
        let pack = |column: &mut Vec<u16>| Codes::from_codes(column.drain(..));
        self.chunks.push(self.open.iter_mut().map(pack).collect());
    }

    pub(crate) fn finish(mut self) -> Rows {
        if !self.count.is_multiple_of(CHUNK) {
            self.pack();
        }
        Rows { schema: Arc::new(self.schema), count: self.count, chunks: Arc::new(self.chunks) }
    }
}

/// Whether the system would give so many bytes.
///
/// # Errors
/// When it would not; `rows` have been made until then.
pub(crate) fn check_memory(bytes: usize, rows: usize) -> Result<()> {
    Vec::<u8>::new().try_reserve_exact(bytes).map_err(|_| {
        let hint = "ask for fewer rows at a time, with another seed each time";
        Error::limit(format!("what comes after {rows} rows"), "the system's memory", hint)
    })
}

impl Rows {
    fn column(&self, variable: usize) -> impl Iterator<Item = i32> + '_ {
        self.chunks.iter().flat_map(move |chunk| chunk[variable].iter().map(|code| code as i32))
    }
}

#[pymethods]
impl Rows {
    /// The rows of a CSV file without missing values, in the order of the file.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, name: &str, bytes: &[u8], reading: Reading) -> PyResult<Self> {
        let options = reading.options().or_raise(py)?;
        let file = File::bytes(name, bytes.to_vec());
        work::call(py, 1, move |stop| {
            let options = Under::new(&options, stop);
            let schema = read_csv(&file, options)?.data.schema().clone();
            let mut found = RowsBuilder::new(&schema);
            let mut levels = Vec::new();
            visit_rows(&file, options, OnUnknown::Error, &schema, |row| {
                levels.clear();
                levels.extend(row.levels.iter().map(|level| level.unwrap_or(0)));
                found.push(&levels)
            })?;
            Ok(found.finish())
        })
    }

    /// Puts rows together from their parts.
    #[staticmethod]
    fn from_parts(py: Python<'_>, levels: Levels, columns: Vec<PyReadonlyArray1<'_, i32>>) -> PyResult<Self> {
        let columns = unsigned(&columns)?;
        work::guarded(py, || {
            let schema = schema(levels)?;
            // Building a table checks lengths and codes.
            Dataset::from_columns(schema.clone(), &columns, None)?;
            let mut rows = RowsBuilder::new(&schema);
            for row in 0..columns.first().map_or(0, Vec::len) {
                rows.push(&columns.iter().map(|column| column[row]).collect::<Vec<u32>>())?;
            }
            Ok(rows.finish())
        })
    }

    fn __len__(&self) -> usize {
        self.count
    }

    #[getter]
    fn levels(&self) -> Levels {
        levels(&self.schema)
    }

    /// The codes of a column.
    fn codes<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray1<i32>>> {
        let found = cmnet::find_variable(&self.schema, name);
        let variable = found.or_raise(py)?;
        check_memory(self.count * size_of::<i32>(), 0).or_raise(py)?;
        let mut codes = Vec::with_capacity(self.count);
        codes.extend(self.column(variable));
        Ok(PyArray1::from_vec(py, codes))
    }

    /// Arrow: batches of dictionary columns, each made when it is asked for.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let kind = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        let field =
            |variable: &Variable| Field::new(&variable.name, kind.clone(), false).with_dict_is_ordered(true);
        let variables = self.schema.variables();
        let fields: Fields = variables.iter().map(field).collect();
        let label = |variable: &Variable| Arc::new(StringArray::from_iter_values(&variable.levels));
        let labels: Vec<Arc<StringArray>> = variables.iter().map(label).collect();
        let whole = Arc::new(Field::new_struct("", fields.clone(), false));
        let chunks = self.chunks.clone();
        let batches = (0..chunks.len()).map(move |place| {
            let arrays = chunks[place].iter().zip(&labels).map(|(codes, labels)| dictionary(codes, labels));
            let arrays = arrays.collect::<std::result::Result<Vec<_>, _>>()?;
            Ok(Arc::new(StructArray::try_new(fields.clone(), arrays, None)?) as ArrayRef)
        });
        Ok(to_stream_pycapsule(py, Box::new(ArrayIterator::new(batches, whole)), requested_schema)?)
    }
}

fn dictionary(codes: &Codes, labels: &Arc<StringArray>) -> std::result::Result<ArrayRef, ArrowError> {
    let keys = Int32Array::from_iter_values(codes.iter().map(|code| code as i32));
    Ok(Arc::new(DictionaryArray::<Int32Type>::try_new(keys, labels.clone())?))
}
