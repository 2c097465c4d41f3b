//! Reductions over whole vectors.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use gw_exec::{Reduction, Scalar, Value, Vector};

use crate::drive::Crew;

/// Cells per task. Fixed, so that float sums do not depend on the number of threads.
const TASK: usize = 1 << 16;

/// The reduction of a flat vector of numbers; `None` leaves it to the host.
pub(crate) fn reduce(crew: &mut Crew, reduction: Reduction, vector: &Vector) -> Option<Value> {
    if vector.dims().len() != 1 || vector.is_empty() {
        return None;
    }
    match vector.scalar() {
        Scalar::Float => floats(crew, reduction, cells::<f32>(vector), f64::from),
        Scalar::Double => floats(crew, reduction, cells::<f64>(vector), |x| x),
        Scalar::Int => integers(crew, reduction, cells::<i32>(vector), i64::from, |x| Value::Int(x as i32)),
        Scalar::Uint => integers(crew, reduction, cells::<u32>(vector), i64::from, |x| Value::Uint(x as u32)),
        Scalar::Int64 => integers(crew, reduction, cells::<i64>(vector), |x| x, Value::Int64),
        // Sums wrap around; largest and smallest would need the sign.
        Scalar::Uint64 if reduction == Reduction::Sum => {
            let parts = parts(crew, cells::<u64>(vector), |chunk| chunk.iter().copied().fold(0, u64::wrapping_add));
            Some(Value::Uint64(parts.into_iter().fold(0, u64::wrapping_add)))
        }
        _ => None,
    }
}

fn cells<T>(vector: &Vector) -> &[T] {
    debug_assert_eq!(size_of::<T>(), vector.cell_bytes());
    // SAFETY: the vector holds `len` cells of this size at this address, and nobody writes them between operators.
    unsafe { std::slice::from_raw_parts(vector.as_ptr().cast(), vector.len()) }
}

/// The results of all tasks in order, as bits.
fn parts<T: Sync>(crew: &mut Crew, cells: &[T], task: impl Fn(&[T]) -> u64 + Sync) -> Vec<u64> {
    let chunks: Vec<&[T]> = cells.chunks(TASK).collect();
    if chunks.len() < 2 {
        return chunks.into_iter().map(task).collect();
    }
    let results: Vec<AtomicU64> = chunks.iter().map(|_| AtomicU64::new(0)).collect();
    let next = AtomicUsize::new(0);
    crew.share(chunks.len(), &|| {
        while let Some((chunk, result)) = {
            let i = next.fetch_add(1, Ordering::Relaxed);
            chunks.get(i).zip(results.get(i))
        } {
            result.store(task(chunk), Ordering::Relaxed);
        }
    });
    results.into_iter().map(AtomicU64::into_inner).collect()
}

/// Sums are accumulated in double precision, chunk by chunk; the host narrows them.
fn floats<T: Copy + Sync>(
    crew: &mut Crew,
    reduction: Reduction,
    cells: &[T],
    widen: impl Fn(T) -> f64 + Sync,
) -> Option<Value> {
    match reduction {
        Reduction::Sum => {
            // Eight sums side by side: one would wait for itself at every addition.
            let sum = |chunk: &[T]| {
                let mut lanes = [0.0; 8];
                let mut eights = chunk.chunks_exact(8);
                for eight in &mut eights {
                    lanes.iter_mut().zip(eight).for_each(|(lane, &x)| *lane += widen(x));
                }
                let rest: f64 = eights.remainder().iter().map(|&x| widen(x)).sum();
                (lanes.iter().sum::<f64>() + rest).to_bits()
            };
            // From 0.0: the sum of nothing by an iterator is -0.0.
            Some(Value::Double(parts(crew, cells, sum).into_iter().map(f64::from_bits).fold(0.0, |a, b| a + b)))
        }
        // Largest and smallest of floats involve NaN rules that the host defines.
        _ => None,
    }
}

fn integers<T: Copy + Sync>(
    crew: &mut Crew,
    reduction: Reduction,
    cells: &[T],
    widen: impl Fn(T) -> i64 + Sync,
    narrow: impl Fn(i64) -> Value,
) -> Option<Value> {
    let task = |chunk: &[T]| {
        let values = chunk.iter().map(|&x| widen(x));
        let part = match reduction {
            Reduction::Sum => values.fold(0, i64::wrapping_add),
            Reduction::Max => values.max().unwrap_or(i64::MIN),
            Reduction::Min => values.min().unwrap_or(i64::MAX),
            Reduction::Count => values.filter(|&x| x != 0).count() as i64,
        };
        part as u64
    };
    let parts = parts(crew, cells, task).into_iter().map(|bits| bits as i64);
    let total = match reduction {
        Reduction::Sum | Reduction::Count => parts.fold(0, i64::wrapping_add),
        Reduction::Max => parts.fold(i64::MIN, i64::max),
        Reduction::Min => parts.fold(i64::MAX, i64::min),
    };
    Some(match reduction {
        Reduction::Count => Value::Int(total as i32),
        // All 64 bits, in two's complement; the host narrows them.
        Reduction::Sum => Value::Uint64(total as u64),
        _ => narrow(total),
    })
}
