//! What the host pays for a device: launches, barriers over a grid, copies.

use std::time::Instant;

use gw_device::Launch;

use super::arithmetic;
use super::kernels::{empty, grid_barriers};
use super::runner::Runner;
use super::table::row;
use crate::curve::{Curve, Point};
use crate::error::{MeterError, Result};
use crate::measured::Measured;
use crate::sheet::Copies;

/// What was found out.
pub(super) struct Host {
    pub resident_warps_per_sm: u32,
    pub launch_us: Measured,
    pub launch_and_wait_us: Measured,
    pub grid_barrier_us: Measured,
    pub copies: Copies,
}

/// Measures all of it.
pub(super) fn measure(runner: &Runner<'_>) -> Result<Host> {
    let device = &runner.device;
    let kernel = runner.compile(&empty())?;
    let small = Launch { grid: 1, block: 32, cooperative: false };
    let arguments = runner.arguments(0);
    let (mut queued, mut waited) = (Vec::new(), Vec::new());
    runner.once(&kernel, small, &arguments)?;
    for _ in 0..runner.effort.pick(15, 5) {
        const LAUNCHES: u32 = 200;
        let begin = device.mark()?;
        for _ in 0..LAUNCHES {
            runner.launch(&kernel, small, &arguments)?;
        }
        let end = device.mark()?;
        queued.push(device.seconds(&begin, &end)? * 1e6 / f64::from(LAUNCHES));
        let start = Instant::now();
        runner.launch(&kernel, small, &arguments)?;
        device.wait()?;
        waited.push(start.elapsed().as_secs_f64() * 1e6);
    }
    Ok(Host {
        resident_warps_per_sm: kernel.blocks_per_processor * kernel_warps(),
        launch_us: Measured::of(queued),
        launch_and_wait_us: Measured::of(waited),
        grid_barrier_us: barrier(runner)?,
        copies: copies(runner)?,
    })
}

/// Warps of the blocks that the empty kernel is compiled for.
fn kernel_warps() -> u32 {
    super::kernels::BLOCK / 32
}

/// Microseconds of a barrier: many barriers less few, over the difference.
fn barrier(runner: &Runner<'_>) -> Result<Measured> {
    runner.clear()?;
    let kernel = runner.compile(&grid_barriers())?;
    let grid = runner.device.facts().processors * kernel.blocks_per_processor;
    let launch = Launch { grid, block: 256, cooperative: true };
    let mut arguments = runner.arguments(0);
    let mut times = Vec::new();
    for _ in 0..runner.effort.pick(7, 3) {
        let mut timed = |barriers| {
            arguments.steps = barriers;
            runner.once(&kernel, launch, &arguments)
        };
        let few = timed(10)?;
        times.push((timed(1010)? - few) * 1e6 / 1000.0);
    }
    Ok(Measured::of(times))
}

/// Copies of many sizes, as programs make them.
fn copies(runner: &Runner<'_>) -> Result<Copies> {
    let device = &runner.device;
    let (mut to, mut from) = (Vec::new(), Vec::new());
    let (mut to_latency, mut from_latency) = (None, None);
    for exponent in [2, 12, 16, 20, 24, runner.effort.pick(28, 26)] {
        let bytes = 1_usize << exponent;
        let mut host = vec![1_u8; bytes];
        let (mut there, mut back) = (Vec::new(), Vec::new());
        for _ in 0..runner.effort.pick(5, 3) {
            device.wait()?;
            let start = Instant::now();
            device.upload(runner.data.address, &host)?;
            device.wait()?;
            there.push(start.elapsed().as_secs_f64());
            let start = Instant::now();
            device.download(&mut host, runner.data.address)?;
            back.push(start.elapsed().as_secs_f64());
        }
        let (there, back) = (Measured::of(there), Measured::of(back));
        if exponent == 2 {
            (to_latency, from_latency) = (Some(there.scaled(1e6)), Some(back.scaled(1e6)));
        } else {
            to.push(Point { x: bytes as f64, y: there.rate(bytes as f64) });
            from.push(Point { x: bytes as f64, y: back.rate(bytes as f64) });
        }
    }
    let curve = |points| Curve::new("bytes of a copy", "bytes per second", points).map_err(MeterError::Device);
    let half = runner.data.bytes / 2;
    let mut within = Vec::new();
    for _ in 0..5 {
        let begin = device.mark()?;
        device.copy(runner.data.address.offset(half), runner.data.address, half)?;
        let end = device.mark()?;
        within.push(2.0 * half as f64 / device.seconds(&begin, &end)?);
    }
    let missing = || MeterError::Device("no copy was timed".to_string());
    Ok(Copies {
        to_device_bytes_per_second: curve(to)?,
        from_device_bytes_per_second: curve(from)?,
        within_device_bytes_per_second: Measured::of(within),
        to_device_latency_us: to_latency.ok_or_else(missing)?,
        from_device_latency_us: from_latency.ok_or_else(missing)?,
    })
}

/// Clock of the multiprocessors while they compute.
pub(super) fn clock_ghz(runner: &Runner<'_>) -> Result<Measured> {
    let row = row("fp32 fma");
    let kernel = runner.compile(&arithmetic::rate_unit(row))?;
    let launch = runner.full(&kernel);
    let mut clocks = Vec::new();
    for _ in 0..3 {
        clocks.push(runner.steady(&kernel, launch, runner.arguments(arithmetic::knob(row)))?.clock_ghz);
    }
    Ok(Measured::of(clocks))
}
