//! Groups of rows, compared pair by pair.

use crate::errors::OrRaise;
use crate::learn::Either;
use crate::model::Model;
use crate::options::Learning;
use crate::table::Table;
use crate::value;
use crate::watch::Watch;
use crate::work::{self, Stop};
use cmnet::{GroupNames, Grouping, LearnOptions, LearnState, find_variable, write_atomic};
use cmnet_report::answer::GroupsAnswer;
use cmnet_report::group_panels;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// How groups are asked for, as Python says it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct GroupsGiven {
    group: String,
    block: Option<String>,
    among: Vec<String>,
    permutations: u64,
    level: f64,
}

/// The groups of a packed table.
#[pyclass(frozen, module = "cmnet._cmnet")]
pub(crate) struct Groups {
    grouping: Arc<Grouping>,
}

#[pymethods]
impl Groups {
    /// The groups of a table that is learned from as `learning` says.
    #[staticmethod]
    fn of(py: Python<'_>, table: PyRef<'_, Table>, given: GroupsGiven, learning: Learning) -> PyResult<Self> {
        let known = learning.untargeted().or_raise(py)?.knowledge;
        let GroupsGiven { group, block, among, permutations, level } = given;
        let names = GroupNames { group, block, among, permutations, level, seed: learning.seed };
        let grouping = Grouping::new(&names, (*table.data).clone(), &known).or_raise(py)?;
        Ok(Self { grouping: Arc::new(grouping) })
    }

    /// The table to learn from: without the column of blocks.
    fn table(&self, py: Python<'_>, whole: PyRef<'_, Table>) -> PyResult<Table> {
        let data = self.grouping.table().or_raise(py)?;
        Ok(whole.with_data(data))
    }

    /// The edges that the group is required to have.
    #[getter]
    fn require(&self) -> Vec<String> {
        let edges = self.grouping.knowledge.require.iter();
        edges.map(|edge| serde_json::to_string(edge).unwrap_or_default()).collect()
    }

    /// What the comparison found; none where no permutation was finished in time.
    fn compare<'py>(
        &self,
        py: Python<'py>,
        model: Option<PyRef<'py, Model>>,
        learning: Learning,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let options = LearnOptions { target: None, ..learning.untargeted().or_raise(py)? };
        let watch = Watch::new(learning.time_limit().or_raise(py)?, None, LearnState::default());
        let (grouping, model) = (self.grouping.clone(), model.map(|model| model.model.clone()));
        let facts = work::call(py, 0, move |stop: &Stop| {
            let found = grouping.compare(&options, &Either(&watch, stop))?;
            let kept = model.as_ref().map(|model| (model.schema(), model.structure()));
            let answer = GroupsAnswer::of(&found, &grouping.options, grouping.data.schema(), kept);
            (found.permutations > 0).then(|| value::of(&answer)).transpose()
        })?;
        facts.map(|facts| value::to_python(py, &facts)).transpose()
    }
}

/// Writes the network of each group of a model beside the others.
#[pyfunction]
pub(crate) fn draw_groups(
    py: Python<'_>,
    model: PyRef<'_, Model>,
    group: &str,
    path: PathBuf,
) -> PyResult<()> {
    let own = model.model.clone();
    let group = find_variable(own.schema(), group).or_raise(py)?;
    work::call(py, 1, move |_| {
        write_atomic(&path, group_panels(own.schema(), own.structure(), group)?.as_bytes())
    })
}
