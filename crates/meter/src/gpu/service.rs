//! Service times of L2 and DRAM against the requests in flight, and rates of atomic operations.
//!
//! `m` chains of dependent loads have exactly `m` sectors in flight, each chain one; the time of all loads over their
//! number is `S(m)`, the mean time between two answers of the server.

use gw_device::Launch;

use super::kernels::{ATOMICS, IMPOSSIBLE, Order, atomic, chase};
use super::runner::Runner;
use crate::curve::{Curve, Point};
use crate::error::{MeterError, Result};
use crate::measured::Measured;
use crate::sheet::AtomicRate;

/// Loads per chain in one iteration of the loop.
const UNROLL: usize = 8;
/// Bytes that surely stay in L2, whose two halves may each keep a copy.
pub(super) const IN_L2: usize = 16 << 20;

/// A server whose service time is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Server {
    L2Hit,
    DramSequential,
    DramRandom,
}

/// `S(m)` of a server.
pub(super) fn service_time(runner: &Runner<'_>, server: Server) -> Result<Curve> {
    let processors = runner.device.facts().processors;
    let bytes = if server == Server::L2Hit { IN_L2.min(runner.data.bytes) } else { runner.data.bytes };
    let bits = (bytes / 32).ilog2();
    let order = if server == Server::DramSequential { Order::Sweep } else { Order::Random };
    if order == Order::Random {
        runner.link(bits, 4, order, 1)?;
    }
    let mut points = Vec::new();
    for exponent in (0..=21).step_by(runner.effort.pick(1, 3)) {
        let m = 1_u64 << exponent;
        let Some((launch, chains)) = shape(m, processors) else { break };
        if order == Order::Sweep {
            runner.link(bits, 4, order, m)?;
        }
        let kernel = runner.compile(&chase("cg", chains, UNROLL * chains))?;
        let mut arguments = runner.arguments(order as u32 | 4 << 8);
        arguments.size = u64::from(bits);
        // Half a millisecond of one chain; of many chains, no more than once through the memory.
        let once = (1 << bits) / m / UNROLL as u64;
        arguments.steps = match server {
            Server::L2Hit => (1 << 24) / m / UNROLL as u64,
            _ => once,
        }
        .clamp(2, 250);
        let loads = arguments.steps as f64 * (UNROLL as u64 * m) as f64;
        let mut times = Vec::new();
        for repeat in 0..=runner.effort.pick(5, 3) {
            // Sectors of DRAM that were read once may be in L2: go on to others.
            arguments.impossible = IMPOSSIBLE | repeat as u32;
            let seconds = runner.once(&kernel, launch, &arguments)?;
            // The first run fills L2, or the tables of pages.
            if repeat > 0 {
                times.push(seconds / loads);
            }
        }
        points.push(Point { x: m as f64, y: Measured::of(times) });
    }
    Curve::new("sectors in flight", "seconds per 32-byte sector", points).map_err(MeterError::Device)
}

/// A launch of `m` chains spread over all multiprocessors, all on the device at once, and the chains of a thread;
/// `None` where the device cannot hold as many.
fn shape(m: u64, processors: u32) -> Option<(Launch, usize)> {
    let most = u64::from(processors) * 2048;
    let chains = [1, 2, 4, 8].into_iter().find(|chains| m / chains <= most)?;
    let threads = m / chains;
    let block = match threads {
        0..=32 => threads,
        // As many blocks as a multiprocessor can have, then larger blocks.
        _ => [32, 64, 128, 256, 512, 1024]
            .into_iter()
            .find(|block| threads / block <= u64::from(processors) * (2048 / block).min(32))?,
    };
    let launch = Launch { grid: threads.div_ceil(block) as u32, block: block as u32, cooperative: false };
    Some((launch, chains as usize))
}

/// Rates of atomic operations at one address, spread over a piece of L2, and spread over all of the memory.
pub(super) fn atomics(runner: &Runner<'_>) -> Result<Vec<AtomicRate>> {
    let mut rates = Vec::new();
    for (operation, ptx) in ATOMICS {
        let kernel = runner.compile(&atomic(operation, ptx))?;
        let launch = runner.full(&kernel);
        for (place, bytes) in
            [("same address", 32), ("spread L2", IN_L2.min(runner.data.bytes)), ("spread DRAM", runner.data.bytes)]
        {
            runner.clear()?;
            let mut arguments = runner.arguments(1);
            arguments.size = bytes as u64 / 32 - 1;
            // Enough for some milliseconds; one address takes far longer per operation.
            arguments.steps = if bytes == 32 { 4 } else { 32 };
            let operations = f64::from(launch.grid) * f64::from(launch.block) * 8.0 * arguments.steps as f64;
            let mut times = Vec::new();
            for repeat in 0..=runner.effort.pick(5, 3) {
                let seconds = runner.once(&kernel, launch, &arguments)?;
                if repeat > 0 {
                    times.push(operations / seconds);
                }
            }
            rates.push(AtomicRate {
                operation: operation.to_string(),
                place: place.to_string(),
                operations_per_second: Measured::of(times),
            });
        }
    }
    Ok(rates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_have_the_chains_asked_for_and_fit() {
        for exponent in 0..=21 {
            let m = 1_u64 << exponent;
            let (launch, chains) = shape(m, 132).unwrap();
            let (grid, block) = (u64::from(launch.grid), u64::from(launch.block));
            assert_eq!(grid * block * chains as u64, m, "{launch:?}");
            assert!(grid.div_ceil(132) * block <= 2048 && block <= 1024, "{m}: {launch:?}");
        }
        assert!(shape(1 << 30, 132).is_none());
    }
}
