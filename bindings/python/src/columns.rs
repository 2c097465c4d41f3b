//! Columns of tables out of arrays of NumPy.

use std::sync::Arc;

use gw_graph::columns::{Column, Table, Values};
use gw_graph::{Buffer, Names};
use numpy::{Element, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// A column as Python gives it: name, kind, values, rows without a value in ascending order, and texts that values number.
pub(crate) type GivenColumn<'py> = (String, String, Bound<'py, PyAny>, PyReadonlyArray1<'py, u32>, Option<Vec<String>>);

/// The table of these columns; `None` without columns.
pub(crate) fn table(columns: Vec<GivenColumn<'_>>, rows: usize) -> PyResult<Option<Arc<Table>>> {
    if columns.is_empty() {
        return Ok(None);
    }
    let columns = columns.into_iter().map(|given| column(given, rows)).collect::<PyResult<Vec<Column>>>()?;
    Ok(Some(Arc::new(Table { rows, columns, others: Vec::new() })))
}

fn column((name, kind, values, missing, texts): GivenColumn<'_>, rows: usize) -> PyResult<Column> {
    let found = values.len()?;
    if found != rows {
        return Err(PyValueError::new_err(format!("column '{name}' has {found} values for {rows} rows")));
    }
    let values = match (kind.as_str(), texts) {
        ("bool", None) => Values::Bool(buffer::<u8>(&values)?),
        ("int", None) => Values::Int(buffer::<i64>(&values)?),
        ("time", None) => Values::Time(buffer::<i64>(&values)?),
        ("double", None) => Values::Double(buffer::<f64>(&values)?),
        ("text", Some(texts)) => {
            Values::Text(buffer::<u32>(&values)?, Arc::new(Names::from_texts(texts.iter().map(String::as_str))))
        }
        _ => return Err(PyTypeError::new_err(format!("a column of the kind `{kind}` is not known"))),
    };
    let missing = Arc::new(missing.as_slice()?.to_vec().into());
    Ok(Column { name, values, missing })
}

fn buffer<T: Element + Copy>(values: &Bound<'_, PyAny>) -> PyResult<Arc<Buffer<T>>>
where
    Buffer<T>: From<Vec<T>>,
{
    let values: PyReadonlyArray1<'_, T> = values.extract()?;
    Ok(Arc::new(values.as_slice()?.to_vec().into()))
}
