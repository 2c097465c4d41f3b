//! The sheet of a processor.
//!
//! | file | what is measured |
//! |---|---|
//! | `chase` | seconds per access of a level against independent chains |
//! | `bandwidth` | bytes read per second from a level against cores |
//! | `threads` | cycle, atomic additions, waking a thread |
//!
//! The bandwidth of DRAM is that of `peak`, which `gw bench` uses as well.

mod bandwidth;
mod chase;
mod threads;

use crate::clock::utc_now;
use crate::curve::{Curve, Point};
use crate::effort::{Effort, Listener};
use crate::error::{MeterError, Result};
use crate::machine::{MachineFacts, line_bytes, processors};
use crate::measured::Measured;
use crate::peak;
use crate::power::{Rapl, recorded};
use crate::sheet::{CacheFact, CpuSheet, Level, Sheet, Target, VERSION};

/// Measures the processor of this computer: about 20 seconds, 3 where `effort` is [`Effort::Quick`].
pub fn measure_cpu(effort: Effort, listener: &dyn Listener) -> Result<Sheet> {
    let facts = MachineFacts::read();
    let mut remarks = Vec::new();
    if let Some(load) = load().filter(|&load| load > 0.5) {
        remarks.push(format!(
            "{load:.1} other processes computed when the measurement began: times of several threads are too long"
        ));
    }
    let caches = caches(&facts);
    if caches.is_empty() {
        remarks.push("the system does not tell the sizes of caches: only DRAM was measured".to_string());
    }
    listener.begins("cycle, atomics, threads");
    let cycle_ns = threads::cycle_ns(effort);
    let atomic_own_line_ns = threads::own_line_ns(effort);
    let atomic_shared_line_ns = (facts.cores > 1).then(|| threads::shared_line_ns(facts.cores, effort));
    let wake_us = threads::wake_us(effort);

    listener.begins("bandwidth of memory");
    let (mut reads, mut triads) = (Vec::new(), Vec::new());
    for count in bandwidth::core_counts(facts.cores) {
        let (read, triad) = peak::measure_with(&facts, count, effort.pick(9, 3))?;
        reads.push(Point { x: count as f64, y: read });
        triads.push(Point { x: count as f64, y: triad });
    }
    let against_cores = |points| Curve::new("cores", "bytes per second", points).map_err(MeterError::Device);

    let mut levels = Vec::new();
    for cache in &caches {
        listener.begins(&name_of(cache));
        levels.push(level_of(cache, &facts, effort)?);
    }
    listener.begins("DRAM");
    let bytes = dram_footprint(facts.last_cache_bytes(), effort);
    let (seconds_per_access, is_huge) = chase::seconds_per_access(bytes, effort)?;
    levels.push(Level {
        name: "DRAM".to_string(),
        footprint_bytes: bytes as u64,
        seconds_per_access,
        read_bytes_per_second: against_cores(reads)?,
    });

    listener.begins("power");
    let (idle_w, busy_w) = match Rapl::of_system() {
        Ok(meter) => watts(&meter, &facts, effort)?,
        Err(reason) => {
            remarks.push(format!("no power of the processor: {reason}"));
            (None, None)
        }
    };
    Ok(Sheet {
        version: VERSION,
        machine: facts.cpu.clone().unwrap_or_else(|| "unknown processor".to_string()),
        target: Target::Cpu,
        measured: utc_now(),
        quick: effort == Effort::Quick,
        cpu: Some(CpuSheet {
            cores: facts.cores as u32,
            cycle_ns,
            caches,
            levels,
            triad_bytes_per_second: against_cores(triads)?,
            atomic_own_line_ns,
            atomic_shared_line_ns,
            wake_us,
            idle_w,
            busy_w,
            pages: if is_huge { "huge" } else { "small" }.to_string(),
        }),
        gpu: None,
        remarks,
    })
}

fn name_of(cache: &CacheFact) -> String {
    format!("L{}", cache.level)
}

/// Measures a cache.
fn level_of(cache: &CacheFact, facts: &MachineFacts, effort: Effort) -> Result<Level> {
    // Neighbours that are not seen from here, such as other virtual machines, have a part of a shared cache.
    let own = if cache.shared_by > 1 { cache.bytes / 2 } else { cache.bytes };
    let bytes = footprint(own);
    let (seconds_per_access, _) = chase::seconds_per_access(bytes, effort)?;
    // A cache that many cores share is read by each of them in its own part.
    let sharing = (cache.shared_by as usize).clamp(1, facts.cores);
    let part = footprint(own / sharing as u64);
    let read_bytes_per_second = bandwidth::read_rate(part, facts.cores, effort)?;
    Ok(Level { name: name_of(cache), footprint_bytes: bytes as u64, seconds_per_access, read_bytes_per_second })
}

/// Watts of the processor while it does nothing, and while all cores read memory.
fn watts(meter: &Rapl, facts: &MachineFacts, effort: Effort) -> Result<(Option<Measured>, Option<Measured>)> {
    let seconds = effort.pick(3.0, 0.5);
    let idle = recorded(meter, || std::thread::sleep(std::time::Duration::from_secs_f64(seconds))).1.watts(0.2);
    let read = || {
        let start = std::time::Instant::now();
        while start.elapsed().as_secs_f64() < seconds {
            peak::measure_with(facts, facts.cores, 3)?;
        }
        Ok::<(), MeterError>(())
    };
    let (result, trace) = recorded(meter, read);
    result?;
    Ok((idle, trace.watts(0.2)))
}

/// The data caches, nearest first.
fn caches(facts: &MachineFacts) -> Vec<CacheFact> {
    let data = facts.caches.iter().filter(|cache| cache.kind != "instruction");
    let fact = |cache: &crate::machine::Cache| CacheFact {
        level: cache.level,
        bytes: cache.bytes,
        line_bytes: line_bytes(),
        shared_by: processors(&cache.shared).max(1),
    };
    data.map(fact).collect()
}

/// Bytes of an array that a cache of this size surely holds and the cache before it does not: a quarter to a half,
/// as a power of two.
fn footprint(cache: u64) -> usize {
    1 << (cache / 2).max(4096).ilog2()
}

/// Bytes of an array that no cache holds, and that fits into the memory which may be used.
fn dram_footprint(last_cache: u64, effort: Effort) -> usize {
    let room = gw_graph::memory::room().map_or(1 << 30, |room| room.bytes);
    let wanted = (effort.pick(16, 4) * last_cache).clamp(64 << 20, 1 << 30);
    1 << wanted.min(room / 4).max(1 << 20).ilog2()
}

/// Processes that compute, as the mean of the last minute; `None` where the system does not tell.
fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn footprints_fit_their_cache() {
        assert_eq!(footprint(32 << 10), 16 << 10);
        assert_eq!(footprint(48 << 10), 16 << 10);
        assert_eq!(footprint(36 << 20), 16 << 20);
        assert_eq!(footprint(1), 4096);
        let dram = dram_footprint(36 << 20, Effort::Quick);
        assert!(dram.is_power_of_two() && dram >= 1 << 20);
    }
}
