//! Numbers for the ids of a user.

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU32, Ordering};

use hashbrown::HashTable;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyList, PyString};
use rayon::prelude::*;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::worker::detached;

/// Objects between two looks at signals.
const BETWEEN_SIGNALS: usize = 1 << 14;

/// Parts into which texts are shared out.
const MOST_PARTS: usize = 64;

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
/// and adds new objects to `known`. An object that stands for a missing value is refused.
#[pyfunction]
pub fn number_objects<'py>(
    py: Python<'py>,
    objects: &Bound<'py, PyAny>,
    known: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let mut numbers = Vec::with_capacity(objects.len().unwrap_or(0));
    for (at, object) in objects.try_iter()?.enumerate() {
        let object = object?;
        if at % BETWEEN_SIGNALS == 0 {
            py.check_signals()?;
        }
        let number = match known.get_item(&object)? {
            Some(number) => number.extract()?,
            None if is_missing(&object)? => {
                let end = if at % 2 == 0 { "source" } else { "target" };
                let message = format!("the {end} of edge {} is missing: {}", at / 2, object.repr()?);
                return Err(PyValueError::new_err(message));
            }
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

/// Whether an object stands for a missing value: None, a float that is no number, and the marks of pandas.
fn is_missing(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    if object.is_none() || object.cast::<PyFloat>().is_ok_and(|number| number.value().is_nan()) {
        return Ok(true);
    }
    let name = object.get_type().name()?;
    // NumPy's points in time that are none are not even equal to themselves.
    let is_time = name == "datetime64" || name == "timedelta64";
    Ok(name == "NAType" || name == "NaTType" || (is_time && object.ne(object)?))
}

/// Texts as they come out of two lists, with the numbers of their ends and one object per text.
type Texts<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>, Vec<Bound<'py, PyAny>>);

/// Numbers for texts, in the order in which they first occur, the source of an edge before its target; all threads
/// hash. None where an object is no text.
#[pyfunction]
pub fn number_texts<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyList>,
    target: &Bound<'py, PyList>,
) -> PyResult<Option<Texts<'py>>> {
    let mut objects = Vec::with_capacity(source.len() + target.len());
    for (at, (source, target)) in source.iter().zip(target).enumerate() {
        if at % BETWEEN_SIGNALS == 0 {
            py.check_signals()?;
        }
        for object in [source, target] {
            match object.cast_into_exact::<PyString>() {
                Ok(text) => objects.push(text),
                Err(_) => return Ok(None),
            }
        }
    }
    let mut texts = Vec::with_capacity(objects.len());
    for object in &objects {
        // Surrogates have no bytes.
        let Ok(text) = object.to_str() else { return Ok(None) };
        texts.push(text);
    }
    let (numbers, firsts) = detached(py, || numbered(&texts))?;
    let ids = firsts.into_iter().map(|first| objects[first as usize].clone().into_any()).collect();
    let end = |first: usize| PyArray1::from_iter(py, numbers.iter().skip(first).step_by(2).copied());
    Ok(Some((end(0), end(1), ids)))
}

/// The number of each text, and the place at which each number first occurs.
fn numbered(texts: &[&str]) -> (Vec<u32>, Vec<u32>) {
    let hasher = FxBuildHasher;
    let hashes: Vec<u64> = texts.par_iter().with_min_len(1 << 12).map(|text| hasher.hash_one(text)).collect();
    let parts = rayon::current_num_threads().clamp(1, MOST_PARTS);
    let part_of = |hash: u64| ((hash >> 48) as usize * parts) >> 16;
    // Each part has texts of its own, so that parts share nothing but the list of numbers.
    let numbers: Vec<AtomicU32> = (0..texts.len()).map(|_| AtomicU32::new(0)).collect();
    let firsts: Vec<Vec<u32>> = (0..parts)
        .into_par_iter()
        .map(|part| {
            let mut table: HashTable<u32> = HashTable::new();
            let mut firsts: Vec<u32> = Vec::new();
            for (at, &hash) in hashes.iter().enumerate().filter(|(_, hash)| part_of(**hash) == part) {
                let is_it = |&known: &u32| texts[firsts[known as usize] as usize] == texts[at];
                let number = match table.find(hash, is_it) {
                    Some(&number) => number,
                    None => {
                        let number = firsts.len() as u32;
                        firsts.push(at as u32);
                        table.insert_unique(hash, number, |&known| hashes[firsts[known as usize] as usize]);
                        number
                    }
                };
                numbers[at].store(number, Ordering::Relaxed);
            }
            firsts
        })
        .collect();
    let mut all: Vec<(u32, u32, u32)> = Vec::with_capacity(firsts.iter().map(Vec::len).sum());
    for (part, firsts) in firsts.iter().enumerate() {
        all.extend(firsts.iter().enumerate().map(|(number, &first)| (first, part as u32, number as u32)));
    }
    all.par_sort_unstable();
    let mut place: Vec<Vec<u32>> = firsts.iter().map(|firsts| vec![0; firsts.len()]).collect();
    for (number, &(_, part, own)) in all.iter().enumerate() {
        place[part as usize][own as usize] = number as u32;
    }
    let number = |(own, &hash): (AtomicU32, &u64)| place[part_of(hash)][own.into_inner() as usize];
    let numbers = numbers.into_par_iter().with_min_len(1 << 12).zip(&hashes).map(number).collect();
    (numbers, all.into_iter().map(|(first, ..)| first).collect())
}
