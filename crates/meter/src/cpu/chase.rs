//! Seconds per access of one core, by chains of dependent loads.
//!
//! The cells, one per cache line, form one cycle in a random order (`permutation`). A load gives the place of the next
//! load, so one chain has one access in flight: its time per access is the latency. `k` independent chains have up to
//! `k` accesses in flight, as far as the core can keep them apart. A cycle longer than a cache never finds a line
//! there that it left behind, as long as the cache drops what was not used for longest.

use crate::clock::computed;
use crate::curve::{Curve, Point};
use crate::effort::Effort;
use crate::error::{MeterError, Result};
use crate::measured::Measured;
use crate::memory::fresh;
use crate::permutation::mix;

/// The numbers of chains that are measured.
const CHAINS: [usize; 10] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32];
/// Cells of 8 bytes in a line of 64.
const STRIDE: usize = 8;
/// Seconds of a repetition: shorter than the time a busy system gives a process at once.
const SECONDS: f64 = 2e-3;
/// Arrays up to so many bytes are walked through twice before anything is timed; no cache holds larger ones.
const WARMED: usize = 64 << 20;

/// Seconds per access against the number of chains, in an array of `bytes` (a power of two), and whether the array was
/// on huge pages.
pub(super) fn seconds_per_access(bytes: usize, effort: Effort) -> Result<(Curve, bool)> {
    let lines = bytes / (STRIDE * size_of::<u64>());
    let bits = lines.ilog2();
    let mut memory = fresh(bytes)?;
    let cells: &mut [u64] = bytemuck::cast_slice_mut(&mut memory);
    let cell = |j: u64| mix(j, bits) as usize * STRIDE;
    for j in 0..lines as u64 {
        cells[cell(j)] = cell(j + 1) as u64;
    }
    // What a cache holds must be there before the first chain is timed, else one chain measures the level behind it
    // too.
    if bytes <= WARMED {
        walk(cells, &mut [cell(0)], 2 * lines);
    }
    let huge = crate::memory::has_huge_pages();
    let mut points = Vec::new();
    for chains in CHAINS {
        if effort == Effort::Quick && !chains.is_power_of_two() {
            continue;
        }
        let starts: Vec<usize> = (0..chains).map(|c| cell((c * lines / chains) as u64)).collect();
        points.push(Point { x: chains as f64, y: measure(cells, &starts, effort) });
    }
    let curve = Curve::new("independent chains", "seconds per access", points);
    Ok((curve.map_err(MeterError::Device)?, huge))
}

fn measure(cells: &[u64], starts: &[usize], effort: Effort) -> Measured {
    // The chains go on from where the last repetition left them, so that all of the array is visited.
    let mut places = starts.to_vec();
    let mut steps = 256;
    while computed(|| walk(cells, &mut places, steps)) < SECONDS / 2.0 {
        steps *= 2;
    }
    let repeats = effort.pick(25, 5);
    let accesses = (steps * starts.len()) as f64;
    Measured::of((0..repeats).map(|_| computed(|| walk(cells, &mut places, steps)) / accesses).collect())
}

/// Takes the steps of all chains, in a loop made for their number.
fn walk(cells: &[u64], places: &mut [usize], steps: usize) {
    match places.len() {
        1 => chains::<1>(cells, places, steps),
        2 => chains::<2>(cells, places, steps),
        3 => chains::<3>(cells, places, steps),
        4 => chains::<4>(cells, places, steps),
        6 => chains::<6>(cells, places, steps),
        8 => chains::<8>(cells, places, steps),
        12 => chains::<12>(cells, places, steps),
        16 => chains::<16>(cells, places, steps),
        24 => chains::<24>(cells, places, steps),
        _ => chains::<32>(cells, places, steps),
    }
}

fn chains<const K: usize>(cells: &[u64], places: &mut [usize], steps: usize) {
    let mut at: [usize; K] = std::array::from_fn(|chain| places[chain]);
    for _ in 0..steps {
        for place in &mut at {
            *place = cells[*place] as usize;
        }
    }
    places.copy_from_slice(&at);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_chains_take_less_time_per_access() {
        let (curve, _) = seconds_per_access(1 << 20, Effort::Quick).unwrap();
        assert_eq!(curve.points().len(), 6);
        assert!(curve.at(1.0) > 1e-10 && curve.at(1.0) < 1e-6, "{curve:?}");
        assert!(curve.at(8.0) < 0.8 * curve.at(1.0), "{curve:?}");
    }
}
