//! Reductions over whole vectors.

use gw_exec::{Reduction, Scalar, Value, Vector};
use rayon::prelude::*;

/// Cells per task. Fixed, so that float sums do not depend on the number of threads.
const TASK: usize = 1 << 16;

/// The reduction of a flat vector of numbers; `None` leaves it to the host.
pub(crate) fn reduce(reduction: Reduction, vector: &Vector) -> Option<Value> {
    if vector.dims().len() != 1 || vector.is_empty() {
        return None;
    }
    match vector.scalar() {
        Scalar::Float => floats(reduction, cells::<f32>(vector), f64::from, |x| Value::Float(x as f32)),
        Scalar::Double => floats(reduction, cells::<f64>(vector), |x| x, Value::Double),
        Scalar::Int => integers(reduction, cells::<i32>(vector), i64::from, |x| Value::Int(x as i32)),
        Scalar::Uint => integers(reduction, cells::<u32>(vector), i64::from, |x| Value::Uint(x as u32)),
        _ => None,
    }
}

fn cells<T>(vector: &Vector) -> &[T] {
    debug_assert_eq!(size_of::<T>(), vector.cell_bytes());
    // SAFETY: the vector holds `len` cells of this size at this address, and nobody writes them between operators.
    unsafe { std::slice::from_raw_parts(vector.as_ptr().cast(), vector.len()) }
}

/// Sums are accumulated in double precision, chunk by chunk.
fn floats<T: Copy + Sync>(
    reduction: Reduction,
    cells: &[T],
    widen: impl Fn(T) -> f64 + Sync,
    narrow: impl Fn(f64) -> Value,
) -> Option<Value> {
    match reduction {
        Reduction::Sum => {
            let parts: Vec<f64> =
                cells.par_chunks(TASK).map(|chunk| chunk.iter().map(|&x| widen(x)).sum::<f64>()).collect();
            Some(narrow(parts.iter().sum()))
        }
        // Largest and smallest of floats involve NaN rules that the host defines.
        _ => None,
    }
}

fn integers<T: Copy + Sync>(
    reduction: Reduction,
    cells: &[T],
    widen: impl Fn(T) -> i64 + Sync,
    narrow: impl Fn(i64) -> Value,
) -> Option<Value> {
    let parts = cells.par_chunks(TASK).map(|chunk| {
        let values = chunk.iter().map(|&x| widen(x));
        match reduction {
            Reduction::Sum => values.fold(0, i64::wrapping_add),
            Reduction::Max => values.max().unwrap_or(i64::MIN),
            Reduction::Min => values.min().unwrap_or(i64::MAX),
            Reduction::Count => values.filter(|&x| x != 0).count() as i64,
        }
    });
    let total = match reduction {
        Reduction::Sum | Reduction::Count => parts.reduce(|| 0, i64::wrapping_add),
        Reduction::Max => parts.reduce(|| i64::MIN, i64::max),
        Reduction::Min => parts.reduce(|| i64::MAX, i64::min),
    };
    Some(match reduction {
        Reduction::Count => Value::Int(total as i32),
        _ => narrow(total),
    })
}
