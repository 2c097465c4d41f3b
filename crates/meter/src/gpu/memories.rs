//! Rates, latencies and energy of the memories of a device.

use gw_device::{Launch, Unit};

use super::kernels::{IMPOSSIBLE, Order, UNROLL, chase, constant, shared, store};
use super::purity::Purity;
use super::runner::Runner;
use crate::error::Result;
use crate::measured::Measured;
use crate::sheet::MemoryRate;

/// Loads and stores in the loop of a row.
const LOADS: usize = 256;
const LDG: u16 = 0x181;
const STG: u16 = 0x186;
const LDS: u16 = 0x184;
const STS: u16 = 0x188;
const LDC: u16 = 0x182;

/// How the memory is prepared for a row.
#[derive(Clone, Copy)]
enum Prepared {
    /// Full of zeros.
    Zeros,
    /// Every thread has cells of its own that lie in the cache.
    Own,
    /// All threads together sweep all of the memory.
    Sweep,
}

struct Row {
    memory: &'static str,
    access: &'static str,
    unit: Unit,
    prepared: Prepared,
    /// Accesses in the loop, and their operation code.
    count: usize,
    code: u16,
    /// Bytes that a warp gets or gives with one access.
    bytes: f64,
}

/// All kernels of this file with their operation code and number of accesses, for the check of machine code.
pub(super) fn units() -> Vec<(Unit, u16, usize)> {
    rows().into_iter().map(|row| (row.unit, row.code, row.count)).collect()
}

fn rows() -> Vec<Row> {
    let row =
        |memory, access, unit, prepared, count, code, bytes| Row { memory, access, unit, prepared, count, code, bytes };
    use Prepared::{Own, Sweep, Zeros};
    vec![
        row("constant", "load", constant(), Zeros, UNROLL, LDC, 4.0),
        row("shared", "load", shared(false), Zeros, UNROLL, LDS, 128.0),
        row("shared", "store", shared(true), Zeros, UNROLL, STS, 128.0),
        row("L1", "load", chase("ca", 2, LOADS), Own, LOADS, LDG, 256.0),
        row("L2", "load", chase("cg", 4, LOADS), Own, LOADS, LDG, 256.0),
        row("L2", "store", store(false), Zeros, 256, STG, 256.0),
        row("DRAM", "load", chase("cg", 4, LOADS), Sweep, LOADS, LDG, 256.0),
        row("DRAM", "store", store(true), Zeros, 256, STG, 256.0),
    ]
}

/// Measures all memories.
pub(super) fn measure(runner: &Runner<'_>, purity: &Purity) -> Result<Vec<MemoryRate>> {
    rows().iter().map(|row| rate(runner, purity, row)).collect()
}

fn rate(runner: &Runner<'_>, purity: &Purity, row: &Row) -> Result<MemoryRate> {
    let kernel = runner.compile(&row.unit)?;
    let mut launch = runner.full(&kernel);
    let mut arguments = runner.arguments(1);
    let cells = (runner.data.bytes / 8).ilog2();
    match row.prepared {
        Prepared::Zeros => runner.clear()?,
        Prepared::Own => {
            // The nearest cache holds the cells of one block per multiprocessor.
            if row.memory == "L1" {
                launch.grid = runner.device.facts().processors;
                launch.block = 512;
            }
            runner.link(cells, 1, Order::Own, 1)?;
            (arguments.size, arguments.knob) = (u64::from(cells), Order::Own as u32 | 1 << 8);
        }
        Prepared::Sweep => {
            let chains = u64::from(launch.grid) * u64::from(launch.block) * 4;
            runner.link(cells, 1, Order::Sweep, chains)?;
            (arguments.size, arguments.knob) = (u64::from(cells), Order::Sweep as u32 | 1 << 8);
        }
    }
    let steady = runner.steady(&kernel, launch, arguments)?;
    let per_warp = steady.steps as f64 * row.count as f64;
    let warps = f64::from(launch.grid * launch.block / 32);
    let facts = runner.device.facts();
    let found = purity.of(&row.unit, &[row.code], row.count, row.count);
    Ok(MemoryRate {
        memory: row.memory.to_string(),
        access: row.access.to_string(),
        warp_requests_per_cycle_per_sm: Measured {
            median: per_warp * warps / f64::from(facts.processors) / steady.cycles,
            ..steady.seconds
        },
        bytes_per_second: steady.seconds.rate(per_warp * warps * row.bytes),
        latency_cycles: match row.access {
            "load" => Some(latency(runner, row)?),
            _ => None,
        },
        net_nj: steady.net_nj(per_warp * warps, runner.idle()),
        watts: steady.watts,
        purity: found.map(|found| found.purity),
    })
}

/// Cycles of a load that waits for the load before it, by one warp (one thread where sectors are apart).
fn latency(runner: &Runner<'_>, row: &Row) -> Result<Measured> {
    let mut launch = Launch { grid: 1, block: 32, cooperative: false };
    let mut arguments = runner.arguments(1);
    // One thread on a random cycle of sectors: a piece of L2, or all of the memory.
    let (unit, chains) = match row.memory {
        "constant" | "shared" => (row.unit.clone(), 4.0),
        "L1" => {
            let cells = (runner.data.bytes / 8).ilog2();
            runner.link(cells, 1, Order::Own, 1)?;
            (arguments.size, arguments.knob) = (u64::from(cells), Order::Own as u32 | 1 << 8);
            (chase("ca", 1, LOADS), 1.0)
        }
        memory => {
            let sectors = if memory == "L2" { 1 << 24 } else { runner.data.bytes } / 32;
            runner.link(sectors.ilog2(), 4, Order::Random, 1)?;
            (arguments.size, arguments.knob) = (u64::from(sectors.ilog2()), Order::Random as u32 | 4 << 8);
            launch.block = 1;
            (chase("cg", 1, LOADS), 1.0)
        }
    };
    let kernel = runner.compile(&unit)?;
    let mut cycles = Vec::new();
    arguments.steps = 200;
    for repeat in 0..runner.effort.pick(7, 3) {
        arguments.impossible = IMPOSSIBLE | repeat;
        runner.launch(&kernel, launch, &arguments)?;
        // Chains of one thread wait beside each other.
        let waits = arguments.steps as f64 * row.count.min(UNROLL) as f64 / chains;
        cycles.push(runner.first_cycles()? / waits);
    }
    Ok(Measured::of(cycles))
}
