//! Packed tables.

use crate::dialect::Keywords;
use crate::errors::{self, OrRaise};
use crate::intake::{Packing, Unpacked};
use crate::options::{Learning, Reading};
use crate::rows::{Rows, RowsBuilder};
use crate::work::{self};
use cmnet::{
    Bins, DataDigest, Dataset, ErrorKind, InputProblem, LearnOptions, ListedLevels, LoadedTable, ReadOptions,
    Schema, Survey, Under, Variable, Warning, cut_by_graph, read_csv, survey_csv,
};
use cmnet_report::warning_text;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
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
    pub(crate) fn of(loaded: LoadedTable) -> Self {
        let names = loaded.data.schema().variables().iter().map(|variable| variable.name.clone());
        Self {
            warnings: in_words(&loaded.warnings),
            missing: names.zip(loaded.missing).filter(|(_, count)| *count > 0).collect(),
            dropped_rows: loaded.dropped_rows,
            data: Arc::new(loaded.data),
        }
    }

    /// The same table with other columns: what is told about those that are left.
    pub(crate) fn with_data(&self, data: Dataset) -> Self {
        let kept = |name: &str| data.schema().find(name).is_some();
        Self {
            warnings: self.warnings.clone(),
            missing: self.missing.iter().filter(|(name, _)| kept(name)).cloned().collect(),
            dropped_rows: self.dropped_rows,
            data: Arc::new(data),
        }
    }
}

#[pymethods]
impl Table {
    /// Packs a table. Where the graph is to find cut points, it is learned as `learning` says; the column `spared` is
    /// no variable.
    #[staticmethod]
    #[pyo3(signature = (source, reading, learning=None, spared=None))]
    fn read(
        py: Python<'_>,
        source: Unpacked<'_>,
        reading: Reading,
        learning: Option<Learning>,
        spared: Option<String>,
    ) -> PyResult<Self> {
        let (options, learning) = how(py, &reading, learning.as_ref(), spared.as_deref())?;
        let bins = options.bins.clone();
        let file = |source: &_, options: Under<'_, _>| read_csv(source, options);
        let loaded = source.read(py, (1, options), file, Packing::new, Packing::finish)?;
        loaded.check_categories().or_raise(py)?;
        let loaded = cut(py, loaded, bins, learning)?;
        Ok(Self::of(unwarned(loaded, spared.as_deref())))
    }

    /// Packs one part of a table with levels that are known; `None` where no row is left.
    #[staticmethod]
    fn pack(py: Python<'_>, source: Unpacked<'_>, reading: Reading) -> PyResult<Option<Self>> {
        let options = reading.options().or_raise(py)?;
        let file = |source: &_, options: Under<'_, _>| some_rows(read_csv(source, options));
        let packed = source.read(py, (1, options), file, Packing::new, Packing::finish_part)?;
        Ok(packed.map(Self::of))
    }

    /// Finds out which levels a part of a table has: a text that `add_surveys` takes.
    #[staticmethod]
    fn survey(py: Python<'_>, source: Unpacked<'_>, reading: Reading) -> PyResult<String> {
        let options = reading.options().or_raise(py)?;
        let file = |source: &_, options: Under<'_, _>| survey_csv(source, options);
        let survey = source.read(py, (1, options), file, Packing::surveying, Packing::survey)?;
        serde_json::to_string(&survey).map_err(|error| errors::internal(py, &error.to_string()))
    }

    /// All observations of packed tables with the same levels.
    #[staticmethod]
    fn merged(py: Python<'_>, tables: Vec<PyRef<'_, Self>>) -> PyResult<Self> {
        let dropped_rows = tables.iter().map(|table| table.dropped_rows).sum();
        let data: Vec<Dataset> = tables.iter().map(|table| (*table.data).clone()).collect();
        drop(tables);
        let data = work::call(py, 1, move |stop| Dataset::merged(data, stop))?;
        Ok(Self {
            warnings: in_words(&Warning::of(&data)),
            data: Arc::new(data),
            dropped_rows,
            missing: Vec::new(),
        })
    }

    /// The same table with what was left out while it was read in parts.
    fn noted(&self, dropped_rows: u64, missing: Vec<(String, u64)>) -> Self {
        Self { data: self.data.clone(), warnings: self.warnings.clone(), dropped_rows, missing }
    }

    /// A table as `packed` gives it, with what else is known about it.
    #[staticmethod]
    fn from_packed(
        py: Python<'_>,
        bytes: &[u8],
        dropped_rows: u64,
        missing: Vec<(String, u64)>,
        warnings: Vec<String>,
    ) -> PyResult<Self> {
        let data = work::guarded(py, || Dataset::from_bytes(bytes))?;
        Ok(Self { data: Arc::new(data), warnings, dropped_rows, missing })
    }

    /// Says which digest a copy of a table has: it is not computed again.
    fn say_digest(&self, py: Python<'_>, digest: &str) -> PyResult<()> {
        let Some(digest) = DataDigest::parse(digest) else {
            return Err(errors::internal(py, "this is no digest"));
        };
        digest.say_of(&self.data);
        Ok(())
    }

    /// The table as bytes: a few bits per cell.
    fn packed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = work::guarded(py, || Ok(self.data.to_bytes()))?;
        Ok(PyBytes::new(py, &bytes))
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

/// How a table is read, and how the graph is learned that finds cut points.
pub(crate) fn how(
    py: Python<'_>,
    reading: &Reading,
    learning: Option<&Learning>,
    spared: Option<&str>,
) -> PyResult<(ReadOptions, LearnOptions)> {
    let options = reading.options_sparing(spared);
    let learning = learning.map_or_else(|| Ok(LearnOptions::default()), Learning::untargeted);
    Ok((options.or_raise(py)?, learning.or_raise(py)?))
}

/// A table without warnings about the column that is no variable.
fn unwarned(mut loaded: LoadedTable, spared: Option<&str>) -> LoadedTable {
    loaded.warnings.retain(|warning| warning.column().is_none_or(|name| spared != Some(name)));
    loaded
}

/// Lets the graph find cut points where that was asked for.
fn cut(py: Python<'_>, mut loaded: LoadedTable, bins: Bins, learning: LearnOptions) -> PyResult<LoadedTable> {
    if loaded.raw.is_none() {
        return Ok(loaded);
    }
    work::call(py, 0, move |stop| {
        cut_by_graph(&mut loaded, &bins, &learning, stop)?;
        Ok(loaded)
    })
}

/// The cut points of the variables that are cut.
pub(crate) fn cuts(schema: &Schema) -> Vec<(String, Vec<f64>)> {
    let own = |v: usize| Some((schema.name(v).to_owned(), schema.cuts(v)?.points().to_vec()));
    (0..schema.len()).filter_map(own).collect()
}

/// A part of which no row is left is no error: others may have some.
pub(crate) fn some_rows(loaded: cmnet::Result<LoadedTable>) -> cmnet::Result<Option<LoadedTable>> {
    match loaded {
        Err(error)
            if matches!(error.kind(), ErrorKind::Input { problem: InputProblem::NoRows { .. }, .. }) =>
        {
            Ok(None)
        }
        loaded => loaded.map(Some),
    }
}

/// Puts what was found out about parts of a table together, in their order.
#[pyfunction]
pub(crate) fn add_surveys(py: Python<'_>, surveys: Vec<String>) -> PyResult<String> {
    let added = added(py, &surveys)?;
    serde_json::to_string(&added).map_err(|error| errors::internal(py, &error.to_string()))
}

/// Names and levels of a whole table, its rows, those left out, and missing values by column.
type Surveyed = (Levels, u64, u64, Vec<(String, u64)>);

/// The levels that all parts of a table have together; `all_listed` as data frames are put together.
#[pyfunction]
pub(crate) fn surveyed(
    py: Python<'_>,
    survey: String,
    all_listed: bool,
    on_missing: &str,
) -> PyResult<Surveyed> {
    let listed = if all_listed { ListedLevels::All } else { ListedLevels::First };
    let found = added(py, &[survey])?;
    let found = on_missing.parse().and_then(|on_missing| found.finish(listed, on_missing));
    let found = found.or_raise(py)?;
    let names = found.levels.iter().map(|(name, _)| name.clone());
    let missing = names.zip(found.missing).filter(|(_, count)| *count > 0).collect();
    Ok((found.levels, found.rows, found.dropped_rows, missing))
}

fn added(py: Python<'_>, surveys: &[String]) -> PyResult<Survey> {
    let mut whole: Option<Survey> = None;
    for text in surveys {
        let next: Survey =
            serde_json::from_str(text).map_err(|error| errors::internal(py, &error.to_string()))?;
        whole = Some(match whole {
            Some(own) => own.then(next).or_raise(py)?,
            None => next,
        });
    }
    whole.ok_or_else(|| errors::option(py, "table", "no part", "at least one part of a table"))
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
