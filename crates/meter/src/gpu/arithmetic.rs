//! Rates, latencies and energy of arithmetic operations.

use gw_device::{Launch, Unit};

use super::kernels::{UNROLL, arithmetic};
use super::purity::Purity;
use super::runner::Runner;
use super::table::{ARITHMETIC, Row};
use crate::error::Result;
use crate::measured::Measured;
use crate::sheet::Operation;

/// Accumulators of a thread: with two warps per scheduler they would already hide all latencies.
const CHAINS: usize = 4;

/// Operations in the loop of a row: fewer where each becomes many instructions.
pub(super) fn unrolled(row: &Row) -> usize {
    match row.instructions {
        0 => 64,
        n => UNROLL / n,
    }
}

/// The kernel for the rate of a row.
pub(super) fn rate_unit(row: &Row) -> Unit {
    arithmetic(row, CHAINS, unrolled(row), 0, "")
}

/// The kernel for the latency of a row: one chain.
pub(super) fn latency_unit(row: &Row) -> Unit {
    arithmetic(row, 1, unrolled(row) / 4, 0, "_latency")
}

/// The setting that keeps the values of a row's accumulators bounded.
pub(super) fn knob(row: &Row) -> u32 {
    if row.ptx.starts_with("mul.rn") || row.ptx.starts_with("div") { 3 } else { 1 }
}

/// Measures all rows.
pub(super) fn measure(runner: &Runner<'_>, purity: &Purity) -> Result<Vec<Operation>> {
    ARITHMETIC.iter().map(|row| operation(runner, purity, row)).collect()
}

fn operation(runner: &Runner<'_>, purity: &Purity, row: &Row) -> Result<Operation> {
    let unit = rate_unit(row);
    let kernel = runner.compile(&unit)?;
    let launch = runner.full(&kernel);
    let steady = runner.steady(&kernel, launch, runner.arguments(knob(row)))?;
    let per_thread = steady.steps as f64 * unrolled(row) as f64;
    let threads = f64::from(launch.grid) * f64::from(launch.block);
    let per_sm = per_thread * f64::from(kernel.blocks_per_processor) * f64::from(launch.block);

    let single = Launch { grid: 1, block: 32, cooperative: false };
    let latency_unit = latency_unit(row);
    let mut arguments = runner.arguments(knob(row));
    arguments.steps = 2000;
    let kernel = runner.compile(&latency_unit)?;
    let mut cycles = Vec::new();
    for _ in 0..runner.effort.pick(7, 3) {
        runner.launch(&kernel, single, &arguments)?;
        let operations = arguments.steps as f64 * (unrolled(row) / 4) as f64;
        cycles.push(runner.first_cycles()? / operations);
    }
    let found = purity.of(&unit, row.codes, unrolled(row) * row.instructions, unrolled(row));
    Ok(Operation {
        name: row.name.to_string(),
        class: row.class.to_string(),
        ptx: row.ptx.to_string(),
        per_cycle_per_sm: Measured { median: per_sm / steady.cycles, ..steady.seconds },
        specified_per_cycle_per_sm: row.specified,
        // The least of two equal numbers is no operation, and the compiler knows that: such a chain takes no time.
        latency_cycles: Some(Measured::of(cycles)).filter(|latency| latency.median >= 1.0),
        net_nj: steady.net_nj(per_thread * threads, runner.idle()),
        watts: steady.watts,
        purity: found.filter(|_| row.instructions > 0).map(|found| found.purity),
        machine_instructions: found.map(|found| found.instructions),
    })
}
