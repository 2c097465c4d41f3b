//! The memory bandwidth this machine reaches at best, by two loops in the manner of McCalpin's STREAM.
//!
//! Three arrays, each twice the last cache, at least 64 MiB and at most 256 MiB, all together at most an eighth of
//! the memory that may be used; on huge pages where the system has them, as the arrays of graphs are. *Read* adds up
//! all three side by side, since one stream per core does not keep the memory busy. *Triad* is `a = b + s * c`, its
//! bytes counted as STREAM counts them: what a cache reads before it writes is left out.

use std::hint::black_box;
use std::time::Instant;

use rayon::prelude::*;
use serde::Serialize;

use crate::error::{MeterError, Result};
use crate::machine::MachineFacts;
use crate::measured::Measured;

/// Measured memory bandwidth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Peak {
    /// Bytes per second of reading.
    pub read: f64,
    /// Bytes per second of the triad.
    pub triad: f64,
    /// Bytes per array.
    pub array_bytes: u64,
}

impl Peak {
    /// The better of the two.
    pub fn best(&self) -> f64 {
        self.read.max(self.triad)
    }
}

/// Times each loop this often; the best counts.
const REPEATS: usize = 5;
/// Entries that one task takes: long enough for the hardware to fetch ahead, short enough to share fairly.
const CHUNK: usize = 1 << 16;

/// Measures the bandwidth with all threads of the current pool. Takes about a second.
pub fn measure_peak(facts: &MachineFacts) -> Result<Peak> {
    let room = gw_graph::memory::room().map_or(2 << 30, |room| room.bytes);
    let entries = array_bytes(facts.last_cache_bytes(), room) as usize / size_of::<f64>();
    let rates = rates(entries, REPEATS)?;
    let best = |rates: &[f64]| rates.iter().copied().fold(0.0, f64::max);
    Ok(Peak { read: best(&rates.read), triad: best(&rates.triad), array_bytes: (entries * size_of::<f64>()) as u64 })
}

/// Read and triad rates in bytes per second with a number of threads.
pub(crate) fn measure_with(facts: &MachineFacts, threads: usize, repeats: usize) -> Result<(Measured, Measured)> {
    let room = gw_graph::memory::room().map_or(2 << 30, |room| room.bytes);
    let entries = array_bytes(facts.last_cache_bytes(), room) as usize / size_of::<f64>();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| MeterError::Thread(std::io::Error::other(error)))?;
    let rates = pool.install(|| rates(entries, repeats))?;
    Ok((Measured::of(rates.read), Measured::of(rates.triad)))
}

/// Bytes of one array on a machine with this last cache where this much memory may be used.
fn array_bytes(last_cache: u64, room: u64) -> u64 {
    // The caches of a large server add up to hundreds of MiB, of which a core reaches its own part only.
    (2 * last_cache).clamp(64 << 20, 256 << 20).min(room / 24)
}

/// Bytes per second of every repetition.
struct Rates {
    read: Vec<f64>,
    triad: Vec<f64>,
}

/// Times both loops with all threads of the current pool.
fn rates(entries: usize, repeats: usize) -> Result<Rates> {
    let array = || crate::memory::fresh(entries * size_of::<f64>());
    let (mut a, mut b, mut c) = (array()?, array()?, array()?);
    let a: &mut [f64] = bytemuck::cast_slice_mut(&mut a);
    let b: &[f64] = filled(bytemuck::cast_slice_mut(&mut b), 1.0);
    let c: &[f64] = filled(bytemuck::cast_slice_mut(&mut c), 2.0);
    filled(a, 0.0);
    let scale = black_box(3.0);
    let bytes = 3.0 * (entries * size_of::<f64>()) as f64;
    let mut rates = Rates { read: Vec::new(), triad: Vec::new() };
    for _ in 0..repeats {
        rates.read.push(
            bytes
                / timed(|| {
                    let parts = a.par_chunks(CHUNK).zip(b.par_chunks(CHUNK)).zip(c.par_chunks(CHUNK));
                    // Adding the bits as integers may be done in any order, which lets the compiler use wide registers.
                    let sum = |((a, b), c): ((&[f64], &[f64]), &[f64])| {
                        let triples = a.iter().zip(b).zip(c);
                        triples.fold(0u64, |sum, ((a, b), c)| {
                            sum.wrapping_add(a.to_bits()).wrapping_add(b.to_bits()).wrapping_add(c.to_bits())
                        })
                    };
                    black_box(parts.map(sum).reduce(|| 0, u64::wrapping_add));
                }),
        );
        rates.triad.push(
            bytes
                / timed(|| {
                    let parts = a.par_chunks_mut(CHUNK).zip(b.par_chunks(CHUNK)).zip(c.par_chunks(CHUNK));
                    parts.for_each(|((a, b), c)| a.iter_mut().zip(b).zip(c).for_each(|((a, b), c)| *a = b + scale * c));
                    black_box(&a);
                }),
        );
    }
    Ok(rates)
}

/// Written in parallel, so that each page lies near a thread that uses it.
fn filled(array: &mut [f64], value: f64) -> &[f64] {
    array.par_chunks_mut(CHUNK).for_each(|chunk| chunk.fill(value));
    array
}

fn timed(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_larger_than_caches_and_bounded() {
        const MIB: u64 = 1 << 20;
        assert_eq!(array_bytes(8 * MIB, 16 << 30), 64 * MIB);
        assert_eq!(array_bytes(36 * MIB, 16 << 30), 72 * MIB);
        assert_eq!(array_bytes(480 * MIB, 64 << 30), 256 * MIB);
        assert_eq!(array_bytes(36 * MIB, 240 * MIB), 10 * MIB);
    }

    #[test]
    fn bandwidth_is_a_positive_number() {
        let rates = rates(1 << 18, 2).unwrap();
        assert_eq!((rates.read.len(), rates.triad.len()), (2, 2));
        assert!(rates.read.iter().chain(&rates.triad).all(|rate| rate.is_finite() && *rate > 1e6));
        let peak = Peak { read: 2.0, triad: 3.0, array_bytes: 0 };
        assert_eq!(peak.best(), 3.0);
    }
}
