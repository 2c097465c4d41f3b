//! Numbers for the ids of a user.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rustc_hash::FxHashMap;

use crate::worker::detached;

type Numbered<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<i64>>);

/// Numbers for integer ids: the ids that occur, in ascending order, are vertices 0, 1, 2, ...
#[pyfunction]
pub fn number_integers<'py>(
    py: Python<'py>,
    source: PyReadonlyArray1<'py, i64>,
    target: PyReadonlyArray1<'py, i64>,
) -> PyResult<Numbered<'py>> {
    let (source, target) = (source.as_slice()?, target.as_slice()?);
    let (source, target, ids) = detached(py, || {
        let (ends, least, most) = bounds(source, target);
        let width = most.wrapping_sub(least) as u64;
        // A table over the range where that is not much larger than the lists, else a hash table.
        match ends == 0 || width < 8 * ends as u64 + 1024 {
            true => by_table(source, target, least, if ends == 0 { 0 } else { width as usize + 1 }),
            false => by_hash(source, target),
        }
    })?;
    Ok((PyArray1::from_vec(py, source), PyArray1::from_vec(py, target), PyArray1::from_vec(py, ids)))
}

fn bounds(source: &[i64], target: &[i64]) -> (usize, i64, i64) {
    let all = source.iter().chain(target).copied();
    let (least, most) = all.fold((i64::MAX, i64::MIN), |(least, most), id| (least.min(id), most.max(id)));
    (source.len() + target.len(), least, most)
}

fn by_table(source: &[i64], target: &[i64], least: i64, width: usize) -> (Vec<u32>, Vec<u32>, Vec<i64>) {
    let mut number = vec![u32::MAX; width];
    let place = |id: i64| id.wrapping_sub(least) as usize;
    source.iter().chain(target).for_each(|&id| number[place(id)] = 0);
    let mut ids = Vec::new();
    for (at, number) in number.iter_mut().enumerate().filter(|(_, number)| **number == 0) {
        *number = ids.len() as u32;
        ids.push(least.wrapping_add(at as i64));
    }
    let convert = |list: &[i64]| list.iter().map(|&id| number[place(id)]).collect();
    (convert(source), convert(target), ids)
}

fn by_hash(source: &[i64], target: &[i64]) -> (Vec<u32>, Vec<u32>, Vec<i64>) {
    let mut number: FxHashMap<i64, u32> = FxHashMap::default();
    source.iter().chain(target).for_each(|&id| {
        number.insert(id, 0);
    });
    let mut ids: Vec<i64> = number.keys().copied().collect();
    ids.sort_unstable();
    ids.iter().enumerate().for_each(|(at, &id)| {
        number.insert(id, at as u32);
    });
    let convert = |list: &[i64]| list.iter().map(|id| number[id]).collect();
    (convert(source), convert(target), ids)
}

/// Numbers for any objects that can be keys: in the order in which they first occur. Gives the numbers of the objects
/// and adds new objects to `known`.
#[pyfunction]
pub fn number_objects<'py>(
    py: Python<'py>,
    objects: &Bound<'py, PyAny>,
    known: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let mut numbers = Vec::with_capacity(objects.len().unwrap_or(0));
    for object in objects.try_iter()? {
        let object = object?;
        let number = match known.get_item(&object)? {
            Some(number) => number.extract()?,
            None => {
                let number = known.len() as u32;
                known.set_item(object, number)?;
                number
            }
        };
        numbers.push(number);
    }
    Ok(PyArray1::from_vec(py, numbers))
}
