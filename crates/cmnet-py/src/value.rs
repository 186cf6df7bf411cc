//! Answers and other JSON values as Python objects.

use crate::errors::OrRaise;
use cmnet::{Error, Result};
use cmnet_report::answer::fields;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde::Serialize;
use serde_json::Value;

/// The fields of an answer, which no longer borrow from what they are about.
pub(crate) fn of(answer: &impl Serialize) -> Result<Value> {
    fields(answer).map_err(|error| Error::question(error.to_string(), "please report this as a bug"))
}

/// The fields of an answer in Python.
pub(crate) fn told<'py>(py: Python<'py>, answer: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    to_python(py, &of(answer).or_raise(py)?)
}

/// Dictionaries keep the order of their keys.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(truth) => truth.into_bound_py_any(py),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(count), _) => count.into_bound_py_any(py),
            (None, Some(whole)) => whole.into_bound_py_any(py),
            (None, None) => number.as_f64().into_bound_py_any(py),
        },
        Value::String(text) => text.into_bound_py_any(py),
        Value::Array(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(to_python(py, item)?)?;
            }
            Ok(list.into_any())
        }
        Value::Object(fields) => {
            let dictionary = PyDict::new(py);
            for (name, field) in fields {
                dictionary.set_item(name, to_python(py, field)?)?;
            }
            Ok(dictionary.into_any())
        }
    }
}
