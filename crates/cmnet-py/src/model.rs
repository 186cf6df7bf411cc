//! Models: what they are, and what rows mean to them.

use crate::each_row::{RowReading, over_rows};
use crate::errors::{self, OrRaise};
use crate::incomplete::{not_normalised, takes_missing};
use crate::intake::{Files, Packing, Source, read};
use crate::options::{Fitting, Reading};
use crate::table::{Table, levels};
use crate::work::Lazy;
use crate::{value, work};
use cmnet::{
    DataDigest, Dataset, Error, Evaluator, Evidence, ExactOptions, Fit, FitOptions, FixedOnly,
    IncompleteTable, InputProblem, Judged, LevelOrder, MissingValues, Network, OnMissing, OptionName,
    Outcome, Place, ReadOptions, Result, RowCounts, Schema, Under, context_records, edge_names,
    evaluate_under, find_variable, fit_incomplete, fit_with, read_csv, tune, write_atomic,
};
use cmnet_report::answer::{EvaluatedAnswer, FitFacts};
use cmnet_report::{Drawing, Explorer, Format, Places, sentence};
use numpy::PyArray1;
use pyo3::prelude::*;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A contextual Markov network with names.
#[pyclass(frozen, eq, module = "cmnet._cmnet")]
pub(crate) struct Model {
    pub(crate) model: Arc<cmnet::Model>,
    network: Lazy<Network>,
}

impl PartialEq for Model {
    fn eq(&self, other: &Self) -> bool {
        self.model == other.model
    }
}

/// Whether a drawing can be written to a file by that name.
///
/// # Errors
/// When its ending is none of a picture.
pub(crate) fn check_picture(py: Python<'_>, path: &Path) -> PyResult<()> {
    if path.as_os_str() == "-" || Format::from_path(path).is_err() {
        let expected = "a file that ends in .svg, .dot, .gv, .tex, .tikz, .graphml or .txt";
        return Err(errors::option(py, "path", &path.display().to_string(), expected));
    }
    Ok(())
}

/// A table that a model reads: packed, in memory, or a file.
#[derive(FromPyObject)]
pub(crate) enum Data<'py> {
    Table(PyRef<'py, Table>),
    File(Files),
    Memory(Source<'py>),
}

/// Where a drawing takes the places of its variables from.
#[derive(FromPyObject)]
pub(crate) enum Positions {
    Model(Py<Model>),
    File(PathBuf),
}

impl Model {
    pub(crate) fn new(model: cmnet::Model) -> Self {
        Self { model: Arc::new(model), network: Lazy::default() }
    }

    /// Parameters from what is known of every row.
    fn fit_incomplete(
        &self,
        py: Python<'_>,
        data: Data<'_>,
        reading: Reading,
        options: FitOptions,
    ) -> PyResult<Self> {
        let model = self.model.clone();
        let how = RowReading { reading, forgiving: false };
        let fitted = over_rows(py, self.model.schema(), data, &how, move |rows, stop| {
            let mut table = IncompleteTable::new(model.schema().clone());
            rows.each(&mut |levels, weight| table.push(levels, weight))?;
            match fit_incomplete(model.structure(), &table, &options, stop)? {
                Outcome::Done(found) => Ok(found.fit),
                Outcome::Stopped(_) => Err(work::interrupted()),
            }
        })?;
        let model = (*self.model).clone().with_fit(fitted).or_raise(py)?;
        Ok(Self::new(model))
    }

    /// The model as something that answers questions, made once.
    pub(crate) fn network(&self, py: Python<'_>) -> PyResult<Arc<Network>> {
        let model = self.model.clone();
        self.network.get(py, move || model.network())
    }

    /// The options with which this model reads its own columns and levels.
    fn reading(&self, py: Python<'_>, reading: &Reading) -> PyResult<ReadOptions> {
        let mut options = reading.options().or_raise(py)?;
        if options.columns.is_none() && options.drop.is_empty() {
            let names = self.model.schema().variables().iter().map(|variable| variable.name.clone());
            options.columns = Some(names.collect());
        }
        options.schema.get_or_insert_with(|| LevelOrder::of(self.model.schema()));
        Ok(options)
    }

    /// As [`Model::dataset`], where a table is given.
    pub(crate) fn optional_dataset(
        &self,
        py: Python<'_>,
        data: Option<Data<'_>>,
        reading: &Reading,
    ) -> PyResult<Option<Arc<Dataset>>> {
        data.map(|data| self.dataset(py, data, reading)).transpose()
    }

    /// A table with this model's variables and levels.
    pub(crate) fn dataset(
        &self,
        py: Python<'_>,
        data: Data<'_>,
        reading: &Reading,
    ) -> PyResult<Arc<Dataset>> {
        let options = self.reading(py, reading)?;
        let model = self.model.clone();
        let arranged = match data {
            Data::Table(table) => {
                let data = table.data.clone();
                work::call(py, 1, move |_| model.arrange(own_columns(model.schema(), &data)?))?
            }
            Data::Memory(source) => {
                let mut packing = Packing::new(options);
                read(py, source, &mut packing)?;
                let loaded = packing.finish(py)?;
                work::call(py, 1, move |_| model.arrange(loaded.data))?
            }
            Data::File(path) => work::call(py, 1, move |stop| {
                model.arrange(read_csv(&path.source(), Under::new(&options, stop))?.data)
            })?,
        };
        Ok(Arc::new(arranged))
    }
}

/// The columns of a table that a schema names.
fn own_columns(schema: &Schema, data: &Dataset) -> Result<Dataset> {
    let places: Option<Vec<usize>> =
        schema.variables().iter().map(|variable| data.schema().find(&variable.name)).collect();
    match places {
        Some(places) => data.select(&places),
        None => Ok(data.clone()),
    }
}

#[pymethods]
impl Model {
    /// Reads and checks the text of a model file.
    #[staticmethod]
    fn from_text(py: Python<'_>, text: String, name: String) -> PyResult<Self> {
        work::guarded(py, || cmnet::Model::from_json(&text, &name).map(Self::new))
    }

    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        work::call(py, 1, move |_| cmnet::Model::load(&path).map(Self::new))
    }

    fn text(&self, py: Python<'_>) -> PyResult<String> {
        work::guarded(py, || self.model.to_json())
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let model = self.model.clone();
        work::call(py, 1, move |_| model.save(&path))
    }

    #[getter]
    fn levels(&self) -> Vec<(String, Vec<String>)> {
        levels(self.model.schema())
    }

    #[getter]
    fn edges(&self) -> Vec<(String, String)> {
        let edges = edge_names(self.model.schema(), self.model.structure());
        edges.into_iter().map(|[one, other]| (one, other)).collect()
    }

    /// Edge, common neighbours, elements and a sentence of each context.
    #[getter]
    #[allow(clippy::type_complexity, reason = "a row of plain values, taken apart in Python")]
    fn contexts(&self) -> Vec<((String, String), Vec<String>, Vec<Vec<String>>, String)> {
        let (schema, structure) = (self.model.schema(), self.model.structure());
        let sentences = structure.contexts().map(|context| sentence(schema, context));
        let records = context_records(schema, structure).into_iter().zip(sentences);
        records
            .map(|(record, sentence)| {
                let [one, other] = record.edge;
                ((one, other), record.given, record.elements, sentence)
            })
            .collect()
    }

    fn markov_blanket(&self, py: Python<'_>, name: &str) -> PyResult<Vec<String>> {
        let schema = self.model.schema();
        let variable = find_variable(schema, name).or_raise(py)?;
        let blanket = self.model.structure().markov_blanket(variable);
        Ok(blanket.iter().map(|v| schema.name(v).to_owned()).collect())
    }

    /// Where it came from and how it was fitted.
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let learned = self.model.provenance().map(|learned| {
            json!({"rows": learned.rows, "digest": learned.digest, "weights": learned.weights,
                "kappa": learned.kappa.to_string(),
                "alpha": learned.alpha.to_string(), "edge_prior": learned.edge_prior.to_string(), "knowledge": learned.knowledge,
                "search": learned.search, "stop": learned.stop,
                "conditional_bic": learned.refined.map(|refined| refined.conditional_bic),
                "log_mpl": learned.log_mpl, "log_prior": finite(learned.log_prior),
                "score": finite(learned.score())})
        });
        let fit = self.model.fit().map(FitFacts::from);
        value::to_python(py, &json!({"learned": learned, "fit": fit}))
    }

    /// The drawing as `svg`, `dot`, `tex`, `graphml` or `txt`.
    fn drawing(&self, py: Python<'_>, format: &str) -> PyResult<String> {
        let file = PathBuf::from(if format == "txt" { "-".to_owned() } else { format!("drawing.{format}") });
        let model = self.model.clone();
        work::call(py, 1, move |_| {
            Ok(Format::from_path(&file)?.render(&Drawing::new(model.schema(), model.structure())?))
        })
    }

    /// Writes the drawing to a file whose ending says what it is: with the variables where another drawing
    /// has them, an SVG file or a model; with stronger edges wider.
    fn draw(
        &self,
        py: Python<'_>,
        path: PathBuf,
        positions: Option<Positions>,
        widths: bool,
        support: bool,
    ) -> PyResult<()> {
        check_picture(py, &path)?;
        if support && self.model.support().is_none() {
            let expected = "a model with the support of its edges, from cmnet.bootstrap";
            return Err(errors::option(py, "support", "True", expected));
        }
        let network = if widths { Some(self.network(py)?) } else { None };
        let positions = match positions {
            Some(Positions::Model(other)) => Some(Err(other.get().model.clone())),
            Some(Positions::File(file)) => Some(Ok(file)),
            None => None,
        };
        let model = self.model.clone();
        work::call(py, 1, move |stop| {
            let mut drawing = Drawing::new(model.schema(), model.structure())?;
            if let Some(from) = &positions {
                drawing = drawing.with_places(&match from {
                    Ok(file) => {
                        let text = std::fs::read_to_string(file);
                        Places::from_svg(&text.map_err(|source| Error::io(file, "read", source))?)?
                    }
                    Err(other) => Places::of(&Drawing::new(other.schema(), other.structure())?),
                })?;
            }
            if let Some(network) = &network {
                let exact = ExactOptions::default();
                drawing = drawing
                    .with_strengths(&network.explain(&Evidence::none(), Under::new(&exact, stop))?.edges);
            }
            if let Some(found) = model.support().filter(|_| support) {
                drawing = drawing.with_support(found);
            }
            write_atomic(&path, Format::from_path(&path)?.render(&drawing).as_bytes())
        })
    }

    /// The page to explore the model by, with the shares of a table where there is one.
    fn page(
        &self,
        py: Python<'_>,
        title: String,
        data: Option<Data<'_>>,
        reading: Reading,
    ) -> PyResult<String> {
        let data = self.optional_dataset(py, data, &reading)?;
        let model = self.model.clone();
        work::call(py, 0, move |stop| {
            let explorer = Explorer::new(&model, "MODEL").with_title(title);
            let explorer = match &data {
                Some(table) => explorer.with_table(table),
                None => explorer,
            };
            explorer.page(stop).map(|page| page.html)
        })
    }

    /// Writes a page.
    #[staticmethod]
    fn write_page(py: Python<'_>, path: PathBuf, html: String) -> PyResult<()> {
        work::call(py, 1, move |_| write_atomic(&path, html.as_bytes()))
    }

    fn fit(&self, py: Python<'_>, data: Data<'_>, reading: Reading, fitting: Fitting) -> PyResult<Self> {
        let options = fitting.options().or_raise(py)?;
        let on_missing = reading.options().or_raise(py)?.on_missing;
        if on_missing == OnMissing::Model {
            let fixed = fitting.fixed(FixedOnly::MissingValues);
            let options = fixed.or_raise(py)?;
            return self.fit_incomplete(py, data, reading, options);
        }
        let rows = fitting.tune().or_raise(py)?;
        let data = self.dataset(py, data, &reading)?;
        let model = self.model.clone();
        let fitted = work::call(py, 0, move |stop| {
            let judged = Judged { structure: model.structure(), relearned: &[], data: &data, target: None };
            let options = match tune(judged, &options, rows, stop)? {
                Outcome::Done(tuned) => tuned.options,
                Outcome::Stopped(_) => return Err(work::interrupted()),
            };
            match fit_with(model.structure(), &RowCounts::new(&data), &options, stop)? {
                Outcome::Done(fitted) => Ok(Fit { digest: Some(DataDigest::of(&data)), ..fitted }),
                Outcome::Stopped(_) => Err(work::interrupted()),
            }
        })?;
        let model = (*self.model).clone().with_fit(fitted).or_raise(py)?;
        Ok(Self::new(model))
    }

    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        data: Data<'py>,
        reading: Reading,
    ) -> PyResult<Bound<'py, PyAny>> {
        if takes_missing(py, &reading)? {
            return self.evaluate_incomplete(py, data, reading);
        }
        let data = self.dataset(py, data, &reading)?;
        let model = self.model.clone();
        work::answer(py, 1, move |stop| {
            let fit = model.normalized_fit_under(stop)?;
            value::of(&EvaluatedAnswer::from(&evaluate_under(&fit, &data, stop)?))
        })
    }

    /// The log-probability of each row, or its pseudo-log-probability; NaN where a value is
    /// missing and that is no error.
    fn log_prob<'py>(
        &self,
        py: Python<'py>,
        data: Data<'py>,
        rows: RowReading,
        pseudo: bool,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let options = rows.reading.options().or_raise(py)?;
        let (on_missing, header) = (options.on_missing, options.header);
        let source = match &data {
            Data::File(path) => Some((path.clone().source().name(), u64::from(header))),
            Data::Memory(_) | Data::Table(_) => None,
        };
        if on_missing == OnMissing::Model && !pseudo {
            return self.observed_log_prob(py, data, &rows);
        }
        let model = self.model.clone();
        let answers = over_rows(py, self.model.schema(), data, &rows, move |rows, stop| {
            let fit = model.normalized_fit_under(stop)?;
            if !pseudo && fit.parameters.log_partition().is_none() {
                return Err(not_normalised());
            }
            let evaluator = fit.parameters.evaluator_under(stop)?;
            let mut gaps = Gaps::new(model.schema());
            let mut answers = Vec::new();
            rows.each(&mut |levels, _| {
                let row = gaps.complete(levels);
                answers.push(row.map_or(f64::NAN, |row| log_prob(&evaluator, &row, pseudo)));
                Ok(())
            })?;
            gaps.check(on_missing, source)?;
            Ok(answers)
        })?;
        Ok(PyArray1::from_vec(py, answers))
    }
}

fn log_prob(evaluator: &Evaluator, row: &[u32], pseudo: bool) -> f64 {
    if pseudo {
        evaluator.pseudo_log_probability(row)
    } else {
        evaluator.log_probability(row).unwrap_or(f64::NAN)
    }
}

/// Missing values met in rows.
struct Gaps {
    columns: Vec<(String, u64)>,
    rows: u64,
    of: u64,
    first_line: u64,
}

impl Gaps {
    fn new(schema: &Schema) -> Self {
        let columns = schema.variables().iter().map(|variable| (variable.name.clone(), 0)).collect();
        Self { columns, rows: 0, of: 0, first_line: 0 }
    }

    /// The row, if nothing of it is missing.
    fn complete(&mut self, levels: &[Option<u32>]) -> Option<Vec<u32>> {
        self.of += 1;
        let row: Option<Vec<u32>> = levels.iter().copied().collect();
        if row.is_none() {
            self.rows += 1;
            self.first_line = if self.rows == 1 { self.of } else { self.first_line };
            let gaps = self.columns.iter_mut().zip(levels);
            gaps.filter(|(_, level)| level.is_none()).for_each(|((_, count), _)| *count += 1);
        }
        row
    }

    /// Complains where that is asked for; `source` is a file and how many lines are above its rows.
    fn check(self, on_missing: OnMissing, source: Option<(String, u64)>) -> Result<()> {
        if on_missing == OnMissing::Model {
            let expected = "error or drop: a pseudo-likelihood takes all values of a row";
            return Err(Error::option(OptionName::OnMissing, "model", expected));
        }
        if self.rows == 0 || on_missing == OnMissing::Drop {
            return Ok(());
        }
        let columns = self.columns.into_iter().filter(|(_, count)| *count > 0).collect();
        let (file, above) = source.unwrap_or_else(|| (cmnet::UNNAMED_TABLE.to_owned(), 0));
        let first_line = self.first_line + above;
        let missing = MissingValues { rows: self.rows, of: self.of, first_line, columns };
        Err(Error::input(Place::file(&file), InputProblem::Missing(missing)))
    }
}

/// A number, or nothing where it is not finite: JSON has no other.
fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}
