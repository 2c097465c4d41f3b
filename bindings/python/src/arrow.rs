//! Tables for the Arrow C data interface, so that libraries read graphs and results without pyarrow between them.
//!
//! Python says what a column consists of: the format of Arrow, and arrays of NumPy as its buffers. This module wraps
//! them into the structures of <https://arrow.apache.org/docs/format/CStreamInterface.html>: a stream of one batch.
//! Arrays stay with the structures until their reader releases them. With `arrays.rs` the only `unsafe` of this crate.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// A column as Python gives it: name, format, entries, missing entries, buffers and children.
type Given<'py> = (String, String, i64, i64, Vec<Option<Bound<'py, PyAny>>>, Vec<Bound<'py, PyAny>>);

/// A column whose buffers are arrays of NumPy, contiguous and locked against writing.
struct Column {
    name: CString,
    format: CString,
    length: i64,
    nulls: i64,
    /// The addresses of the buffers; null for one that is left out.
    buffers: Vec<usize>,
    children: Vec<Column>,
    /// Keeps the buffers.
    arrays: Vec<Py<PyAny>>,
}

impl Column {
    fn of(given: &Bound<'_, PyAny>) -> PyResult<Column> {
        let (name, format, length, nulls, arrays, children): Given<'_> = given.extract()?;
        let text = |text: String| CString::new(text).map_err(|_| PyValueError::new_err("a name has a zero in it"));
        let mut buffers = Vec::with_capacity(arrays.len());
        for array in &arrays {
            buffers.push(array.as_ref().map_or(Ok(0), address)?);
        }
        let children = children.iter().map(Column::of).collect::<PyResult<_>>()?;
        let arrays = arrays.into_iter().flatten().map(Bound::unbind).collect();
        Ok(Column { name: text(name)?, format: text(format)?, length, nulls, buffers, children, arrays })
    }
}

/// The address of the entries of an array.
fn address(array: &Bound<'_, PyAny>) -> PyResult<usize> {
    let array = array.cast::<PyUntypedArray>()?;
    if !array.is_c_contiguous() || array.getattr("flags")?.getattr("writeable")?.is_truthy()? {
        return Err(PyValueError::new_err("a column is not contiguous, or can be written to"));
    }
    let data: (usize, bool) = array.getattr("__array_interface__")?.get_item("data")?.extract()?;
    Ok(data.0)
}

/// `struct ArrowSchema`.
#[repr(C)]
struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    child_count: i64,
    children: *mut *mut Schema,
    dictionary: *mut Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private: *mut c_void,
}

/// `struct ArrowArray`.
#[repr(C)]
struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    buffer_count: i64,
    child_count: i64,
    buffers: *mut *const c_void,
    children: *mut *mut Array,
    dictionary: *mut Array,
    release: Option<unsafe extern "C" fn(*mut Array)>,
    private: *mut c_void,
}

/// `struct ArrowArrayStream`.
#[repr(C)]
struct Stream {
    get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Stream, *mut Array) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private: *mut c_void,
}

// SAFETY: the stream owns all that it points to, and that is Send: texts, addresses, and objects of Python, whose
// references may be dropped on any thread.
unsafe impl Send for Stream {}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: a stream with `release` has not been released.
            unsafe { release(self) };
        }
    }
}

/// What a schema or an array owns beside its column: the lists that it points to.
struct Owned<T> {
    column: Arc<Column>,
    buffers: Vec<*const c_void>,
    children: Vec<*mut T>,
}

/// The table, and whether its batch was given out.
struct Table {
    column: Arc<Column>,
    is_done: bool,
}

const NULLABLE: i64 = 2;

/// Children as the structures want them: those of a shared column, which keeps them.
fn child(parent: &Arc<Column>, at: usize) -> Arc<Column> {
    let own = &parent.children[at];
    let copy = |array: &Py<PyAny>| Python::attach(|py| array.clone_ref(py));
    Arc::new(copied(own, &copy))
}

fn copied(own: &Column, copy: &impl Fn(&Py<PyAny>) -> Py<PyAny>) -> Column {
    Column {
        name: own.name.clone(),
        format: own.format.clone(),
        length: own.length,
        nulls: own.nulls,
        buffers: own.buffers.clone(),
        children: own.children.iter().map(|child| copied(child, copy)).collect(),
        arrays: own.arrays.iter().map(copy).collect(),
    }
}

fn schema(column: Arc<Column>) -> Schema {
    let children = (0..column.children.len()).map(|at| Box::into_raw(Box::new(schema(child(&column, at))))).collect();
    let mut owned = Box::new(Owned { column, buffers: Vec::new(), children });
    Schema {
        format: owned.column.format.as_ptr(),
        name: owned.column.name.as_ptr(),
        metadata: null(),
        flags: NULLABLE,
        child_count: owned.children.len() as i64,
        children: owned.children.as_mut_ptr(),
        dictionary: null_mut(),
        release: Some(release_schema),
        private: Box::into_raw(owned).cast(),
    }
}

fn array(column: Arc<Column>) -> Array {
    let children = (0..column.children.len()).map(|at| Box::into_raw(Box::new(array(child(&column, at))))).collect();
    let buffers = column.buffers.iter().map(|&address| address as *const c_void).collect();
    let mut owned = Box::new(Owned { column, buffers, children });
    Array {
        length: owned.column.length,
        null_count: owned.column.nulls,
        offset: 0,
        buffer_count: owned.buffers.len() as i64,
        child_count: owned.children.len() as i64,
        buffers: owned.buffers.as_mut_ptr(),
        children: owned.children.as_mut_ptr(),
        dictionary: null_mut(),
        release: Some(release_array),
        private: Box::into_raw(owned).cast(),
    }
}

/// Releases a schema.
///
/// # Safety
/// `schema` is one of [`schema`] that was not released.
unsafe extern "C" fn release_schema(schema: *mut Schema) {
    // SAFETY: `private` and the children were boxed in `schema`; a child that its reader moved away has no `release`.
    unsafe {
        let owned: Box<Owned<Schema>> = Box::from_raw((*schema).private.cast());
        for &child in &owned.children {
            if let Some(release) = (*child).release {
                release(child);
            }
            drop(Box::from_raw(child));
        }
        (*schema).release = None;
    }
}

/// Releases an array.
///
/// # Safety
/// `array` is one of [`array`] that was not released.
unsafe extern "C" fn release_array(array: *mut Array) {
    // SAFETY: as in `release_schema`.
    unsafe {
        let owned: Box<Owned<Array>> = Box::from_raw((*array).private.cast());
        for &child in &owned.children {
            if let Some(release) = (*child).release {
                release(child);
            }
            drop(Box::from_raw(child));
        }
        (*array).release = None;
    }
}

/// The schema of a stream.
///
/// # Safety
/// `stream` is one of [`arrow_stream`] that was not released, `out` has room for a schema.
unsafe extern "C" fn get_schema(stream: *mut Stream, out: *mut Schema) -> c_int {
    // SAFETY: promised by the reader of the stream.
    unsafe {
        let table = &*(*stream).private.cast::<Table>();
        out.write(schema(Arc::clone(&table.column)));
    }
    0
}

/// The batch of a stream, then an array that is released, which is the end.
///
/// # Safety
/// As for [`get_schema`].
unsafe extern "C" fn get_next(stream: *mut Stream, out: *mut Array) -> c_int {
    // SAFETY: promised by the reader of the stream.
    unsafe {
        let table = &mut *(*stream).private.cast::<Table>();
        let mut next = array(Arc::clone(&table.column));
        if std::mem::replace(&mut table.is_done, true) {
            release_array(&mut next);
        }
        out.write(next);
    }
    0
}

/// No call fails.
///
/// # Safety
/// None is needed.
unsafe extern "C" fn get_last_error(_: *mut Stream) -> *const c_char {
    null()
}

/// Releases a stream.
///
/// # Safety
/// `stream` is one of [`arrow_stream`] that was not released.
unsafe extern "C" fn release_stream(stream: *mut Stream) {
    // SAFETY: `private` was boxed in `arrow_stream`.
    unsafe {
        drop(Box::<Table>::from_raw((*stream).private.cast()));
        (*stream).release = None;
    }
}

/// A table as a stream of Arrow: `table` is its struct column. The buffers must be as the formats say.
#[pyfunction]
pub fn arrow_stream<'py>(py: Python<'py>, table: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyCapsule>> {
    const NAME: &CStr = c"arrow_array_stream";
    let table = Box::new(Table { column: Arc::new(Column::of(table)?), is_done: false });
    let stream = Stream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(get_last_error),
        release: Some(release_stream),
        private: Box::into_raw(table).cast(),
    };
    PyCapsule::new_with_value(py, stream, NAME)
}
