//! Bytes that cores read per second from a cache, each from an array of its own.

use std::hint::black_box;
use std::sync::Barrier;
use std::time::Instant;

use crate::curve::{Curve, Point};
use crate::effort::Effort;
use crate::error::{MeterError, Result};
use crate::measured::Measured;
use crate::memory::fresh;

/// Bytes that a core reads in one repetition.
const VOLUME: usize = 32 << 20;

/// The numbers of cores to measure with: powers of two and all.
pub(super) fn core_counts(cores: usize) -> Vec<usize> {
    let mut counts: Vec<usize> = (0..usize::BITS).map(|bit| 1 << bit).take_while(|&count| count < cores).collect();
    counts.push(cores);
    counts
}

/// Bytes per second of all cores together against their number; every core reads its own `bytes` again and again.
pub(super) fn read_rate(bytes: usize, cores: usize, effort: Effort) -> Result<Curve> {
    let mut points = Vec::new();
    for count in core_counts(cores) {
        let rates: Result<Vec<f64>> = (0..effort.pick(15, 3)).map(|_| once(bytes, count)).collect();
        points.push(Point { x: count as f64, y: Measured::of(rates?) });
    }
    Curve::new("cores", "bytes per second", points).map_err(MeterError::Device)
}

fn once(bytes: usize, count: usize) -> Result<f64> {
    let passes = (VOLUME / bytes).max(2);
    let start = Barrier::new(count);
    let results: Vec<Result<(Instant, Instant)>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(|| reader(bytes, passes, &start))).collect();
        let ended = |thread: std::thread::ScopedJoinHandle<'_, Result<(Instant, Instant)>>| match thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        threads.into_iter().map(ended).collect()
    });
    let times = results.into_iter().collect::<Result<Vec<_>>>()?;
    let first = times.iter().map(|time| time.0).min();
    let last = times.iter().map(|time| time.1).max();
    let seconds = first.zip(last).map_or(f64::NAN, |(first, last)| (last - first).as_secs_f64());
    Ok((count * passes * bytes) as f64 / seconds)
}

/// Fills an array, waits for the other readers, reads the array; gives its begin and end.
fn reader(bytes: usize, passes: usize, start: &Barrier) -> Result<(Instant, Instant)> {
    let memory = fresh(bytes);
    let mut memory = match memory {
        Ok(memory) => memory,
        Err(error) => {
            // The others wait for everybody.
            start.wait();
            return Err(error);
        }
    };
    let cells: &mut [u64] = bytemuck::cast_slice_mut(&mut memory);
    cells.fill(1);
    black_box(sum(cells));
    start.wait();
    let begin = Instant::now();
    for _ in 0..passes {
        black_box(sum(black_box(cells)));
    }
    Ok((begin, Instant::now()))
}

/// The sum by sixteen independent accumulators, as many as fit into eight registers of 16 bytes: wide loads, and no
/// addition waits for the one before.
fn sum(cells: &[u64]) -> u64 {
    let mut sums = [0_u64; 16];
    let (blocks, rest) = cells.as_chunks::<16>();
    for block in blocks {
        for (sum, cell) in sums.iter_mut().zip(block) {
            *sum = sum.wrapping_add(*cell);
        }
    }
    sums.iter().chain(rest).fold(0, |sum, cell| sum.wrapping_add(*cell))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_end_with_all_cores() {
        assert_eq!(core_counts(1), [1]);
        assert_eq!(core_counts(2), [1, 2]);
        assert_eq!(core_counts(6), [1, 2, 4, 6]);
    }

    #[test]
    fn sums_are_sums() {
        let cells: Vec<u64> = (0..77).collect();
        assert_eq!(sum(&cells), 76 * 77 / 2);
    }

    #[test]
    fn a_cache_is_read_at_some_rate() {
        let curve = read_rate(16 << 10, 1, Effort::Quick).unwrap();
        assert!(curve.at(1.0) > 1e8, "{curve:?}");
    }
}
