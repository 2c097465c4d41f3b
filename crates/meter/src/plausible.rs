//! Numbers that no machine has: what a sheet that was edited or damaged is refused for.
//!
//! Whoever computes with a sheet divides by its rates, adds its times and makes tables as large as its caches.

use crate::curve::Curve;
use crate::measured::Measured;
use crate::sheet::{CpuSheet, GpuSheet, Sheet};

/// Bytes that a cache may have.
const MOST_CACHE: u64 = 1 << 32;
/// Cores, multiprocessors and warps that a machine may have.
const MOST_UNITS: u32 = 1 << 20;

/// What is wrong with a sheet; `None` where all numbers can be those of a machine.
pub(crate) fn problem(sheet: &Sheet) -> Option<String> {
    let of_cpu = || sheet.cpu.as_ref().and_then(|cpu| of_cpu(cpu).err());
    let of_gpu = || sheet.gpu.as_ref().and_then(|gpu| of_gpu(gpu).err());
    of_cpu().or_else(of_gpu)
}

fn of_cpu(cpu: &CpuSheet) -> Result<(), String> {
    units("cores", cpu.cores)?;
    above_zero("cycle_ns", cpu.cycle_ns)?;
    for cache in &cpu.caches {
        bytes(&format!("the cache of level {}", cache.level), cache.bytes)?;
    }
    if cpu.level("DRAM").is_none() {
        return Err("it has no level of the name DRAM".to_string());
    }
    for level in &cpu.levels {
        curve(&format!("seconds_per_access of {}", level.name), &level.seconds_per_access)?;
        curve(&format!("read_bytes_per_second of {}", level.name), &level.read_bytes_per_second)?;
    }
    curve("triad_bytes_per_second", &cpu.triad_bytes_per_second)?;
    above_zero("atomic_own_line_ns", cpu.atomic_own_line_ns)?;
    optional("atomic_shared_line_ns", cpu.atomic_shared_line_ns)?;
    above_zero("wake_us", cpu.wake_us)
}

fn of_gpu(gpu: &GpuSheet) -> Result<(), String> {
    units("multiprocessors", gpu.multiprocessors)?;
    units("resident_warps_per_sm", gpu.resident_warps_per_sm)?;
    above_zero("clock_ghz", gpu.clock_ghz)?;
    bytes("l2_bytes", gpu.l2_bytes)?;
    curve("l2_hit_s", &gpu.l2_hit_s)?;
    curve("dram_sequential_s", &gpu.dram_sequential_s)?;
    curve("dram_random_s", &gpu.dram_random_s)?;
    for rate in &gpu.atomics {
        above_zero(&format!("the rate of `{}`, {}", rate.operation, rate.place), rate.operations_per_second)?;
    }
    above_zero("launch_us", gpu.launch_us)?;
    above_zero("launch_and_wait_us", gpu.launch_and_wait_us)?;
    above_zero("grid_barrier_us", gpu.grid_barrier_us)
}

fn above_zero(what: &str, measured: Measured) -> Result<(), String> {
    match measured.median.is_finite() && measured.median > 0.0 {
        true => Ok(()),
        false => Err(format!("{what} is {}, and must be above zero", measured.median)),
    }
}

fn optional(what: &str, measured: Option<Measured>) -> Result<(), String> {
    measured.map_or(Ok(()), |measured| above_zero(what, measured))
}

fn curve(what: &str, curve: &Curve) -> Result<(), String> {
    curve.points().iter().try_for_each(|point| above_zero(&format!("{what} at {}", point.x), point.y))
}

fn bytes(what: &str, bytes: u64) -> Result<(), String> {
    match bytes {
        1..=MOST_CACHE => Ok(()),
        _ => Err(format!("{what} has {bytes} bytes, and 1 to {MOST_CACHE} are possible")),
    }
}

fn units(what: &str, count: u32) -> Result<(), String> {
    match count {
        1..=MOST_UNITS => Ok(()),
        _ => Err(format!("{what} is {count}, and 1 to {MOST_UNITS} are possible")),
    }
}
