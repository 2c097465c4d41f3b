//! NumPy arrays as the arrays of a graph, and the arrays of a graph as NumPy arrays, without copies.
//!
//! With `arrow.rs` all `unsafe` of this crate. Python passes arrays of the right type, contiguous and locked against
//! writing; this module checks all three and keeps the array object for as long as the graph lives.

use bytemuck::Pod;
use gw_graph::{Buffer, Offsets, Weights};
use numpy::{Element, PyArray1, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods, ndarray::ArrayView1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// Keeps an array object of Python.
struct Owner(#[expect(dead_code, reason = "keeps the memory")] Py<PyAny>);

/// A type of plain 32- or 64-bit numbers.
trait Plain: Element + Copy + Send + Sync + 'static {}
impl Plain for u32 {}
impl Plain for i32 {}
impl Plain for u64 {}
impl Plain for i64 {}
impl Plain for f32 {}
impl Plain for f64 {}

/// The memory of an array as a buffer of `T`, which has the size of `S` and allows every bit pattern.
fn buffer<S: Plain, T: Pod>(array: &Bound<'_, PyAny>, what: &str) -> Option<PyResult<Buffer<T>>> {
    let typed = array.cast::<PyArray1<S>>().ok()?;
    if !typed.is_c_contiguous() {
        return Some(Err(PyValueError::new_err(format!("{what}: the array is not contiguous"))));
    }
    let writable = array.getattr("flags").and_then(|flags| flags.getattr("writeable")?.is_truthy());
    match writable {
        Ok(false) => {}
        Ok(true) => return Some(Err(PyValueError::new_err(format!("{what}: the array can be written to")))),
        Err(error) => return Some(Err(error)),
    }
    let (start, len) = (typed.data().cast_const().cast::<T>(), typed.len());
    if len == 0 {
        return Some(Ok(Vec::new().into()));
    }
    if !start.is_aligned() {
        return Some(Err(PyValueError::new_err(format!("{what}: the array is not aligned in memory"))));
    }
    let items = std::ptr::slice_from_raw_parts(start, len);
    // SAFETY: the array is contiguous and aligned, of `len` items of the size of `T` (`S` and `T` are the signed and
    // the unsigned form of one type, or the same), locked against writing, and the owner keeps it. Whoever unlocks it
    // breaks the promise that `Graph.from_numpy` documents.
    Some(Ok(unsafe { Buffer::foreign(items, Box::new(Owner(array.clone().unbind()))) }))
}

/// The offsets of a CSR adjacency.
pub fn offsets(array: &Bound<'_, PyAny>) -> PyResult<Offsets> {
    let narrow = buffer::<u32, u32>(array, "indptr").or_else(|| buffer::<i32, u32>(array, "indptr"));
    if let Some(narrow) = narrow {
        return narrow.map(Offsets::Narrow);
    }
    let wide = buffer::<u64, u64>(array, "indptr").or_else(|| buffer::<i64, u64>(array, "indptr"));
    wide.unwrap_or_else(|| Err(wrong("indptr", "32- or 64-bit integers", array))).map(Offsets::Wide)
}

/// The targets of a CSR adjacency.
pub fn targets(array: &Bound<'_, PyAny>) -> PyResult<Buffer<u32>> {
    let found = buffer::<u32, u32>(array, "indices").or_else(|| buffer::<i32, u32>(array, "indices"));
    found.unwrap_or_else(|| Err(wrong("indices", "32-bit integers", array)))
}

/// The weights of a CSR adjacency.
pub fn weights(array: Option<&Bound<'_, PyAny>>) -> PyResult<Weights> {
    let Some(array) = array else { return Ok(Weights::None) };
    if let Some(whole) = buffer::<i32, i32>(array, "weights") {
        return whole.map(Weights::Int);
    }
    if let Some(real) = buffer::<f32, f32>(array, "weights") {
        return real.map(Weights::Float);
    }
    if let Some(whole) = buffer::<i64, i64>(array, "weights") {
        return whole.map(Weights::Int64);
    }
    buffer::<f64, f64>(array, "weights")
        .unwrap_or_else(|| Err(wrong("weights", "int32, int64, float32 or float64", array)))
        .map(Weights::Double)
}

fn wrong(what: &str, expected: &str, array: &Bound<'_, PyAny>) -> PyErr {
    let found = match array.cast::<PyUntypedArray>() {
        Ok(array) => format!("an array of {} dimensions of {}", array.ndim(), array.dtype()),
        Err(_) => array.get_type().to_string(),
    };
    PyTypeError::new_err(format!("{what}: a one-dimensional array of {expected} is needed, not {found}"))
}

/// A read-only NumPy array over memory that `owner` keeps.
///
/// # Safety
/// `items` must stay valid and unchanged while `owner` lives.
pub unsafe fn view<'py, T: Element>(items: &[T], owner: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: promised by the caller; the array is not writable.
    let array = unsafe { PyArray1::borrow_from_array(&ArrayView1::from(items), owner.clone()) };
    array.getattr("flags")?.setattr("writeable", false)?;
    Ok(array.into_any())
}
