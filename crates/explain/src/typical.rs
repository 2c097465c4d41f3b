//! Sheets with typical figures, for machines that nobody has measured yet.
//!
//! The processor is a server of about 2020 (latencies as Intel's optimisation manual and public tables give them), the
//! GPU an H200 by its data sheet (4.8 TB/s, 132 multiprocessors, 50 MB of L2) with latencies as published for Hopper.
//! `gw meter` replaces them by what the machine at hand really does.

use gw_meter::{CacheFact, Copies, CpuSheet, Curve, GpuSheet, Level, Measured, Point, Sheet, Target};

/// A typical sheet for a target.
pub fn typical(target: Target) -> Sheet {
    let (cpu, gpu) = match target {
        Target::Cpu => (Some(cpu()), None),
        Target::Cuda => (None, Some(gpu())),
    };
    let machine = match target {
        Target::Cpu => "a typical server processor (not measured)",
        Target::Cuda => "H200 by its data sheet (not measured)",
    };
    Sheet {
        version: gw_meter::VERSION,
        machine: machine.to_string(),
        target,
        measured: "1970-01-01T00:00:00Z".to_string(),
        quick: true,
        cpu,
        gpu,
        remarks: vec!["typical figures; `gw meter` measures this machine".to_string()],
    }
}

fn number(median: f64) -> Measured {
    Measured { median, spread: 0.0, runs: 1 }
}

fn curve(x_is: &str, y_is: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Curve {
    let points: Vec<Point> = points.into_iter().map(|(x, y)| Point { x, y: number(y) }).collect();
    let alone = vec![Point { x: 1.0, y: number(1.0) }];
    Curve::new(x_is, y_is, points).or_else(|_| Curve::new(x_is, y_is, alone)).unwrap_or_else(|problem| {
        // The points above are constants of this file.
        unreachable!("{problem}")
    })
}

/// Seconds per access that fall with the parallelism until the server is saturated.
fn service(latency: f64, least: f64, most: u32) -> Curve {
    let points = (0..=most).map(|shift| {
        let m = f64::from(1u32 << shift);
        (m, (latency / m).max(least))
    });
    curve("requests in flight", "seconds per access", points)
}

pub(crate) fn cpu() -> CpuSheet {
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as u32;
    let cache = |level, bytes, shared_by| CacheFact { level, bytes, line_bytes: 64, shared_by };
    let level = |name: &str, bytes, latency: f64, least: f64, rate: f64| Level {
        name: name.to_string(),
        footprint_bytes: bytes,
        seconds_per_access: service(latency, least, 5),
        read_bytes_per_second: curve(
            "cores",
            "bytes per second",
            (1..=cores.max(2)).map(|c| (f64::from(c), rate * f64::from(c))),
        ),
    };
    CpuSheet {
        cores,
        cycle_ns: number(0.4),
        caches: vec![cache(1, 32 << 10, 1), cache(2, 1 << 20, 1), cache(3, 32 << 20, cores)],
        levels: vec![
            level("L1", 16 << 10, 2.0e-9, 0.2e-9, 1.0e11),
            level("L2", 512 << 10, 5.6e-9, 0.9e-9, 5.0e10),
            level("L3", 16 << 20, 28.0e-9, 2.5e-9, 2.0e10),
            level("DRAM", 512 << 20, 95.0e-9, 8.0e-9, 1.2e10),
        ],
        triad_bytes_per_second: curve(
            "cores",
            "bytes per second",
            (1..=cores.max(2)).map(|c| (f64::from(c), 1.1e10 * f64::from(c))),
        ),
        atomic_own_line_ns: number(8.0),
        atomic_shared_line_ns: Some(number(40.0)),
        wake_us: number(5.0),
        idle_w: None,
        busy_w: None,
        pages: "small".to_string(),
    }
}

pub(crate) fn gpu() -> GpuSheet {
    GpuSheet {
        capability: "9.0".to_string(),
        multiprocessors: 132,
        clock_ghz: number(1.8),
        l2_bytes: 50 << 20,
        memory_bytes: 141 << 30,
        specified_bytes_per_second: 4.8e12,
        resident_warps_per_sm: 64,
        l2_hit_s: service(150e-9, 32.0 / 7.0e12, 18),
        dram_sequential_s: service(420e-9, 32.0 / 4.2e12, 18),
        dram_random_s: service(480e-9, 32.0 / 1.9e12, 18),
        atomics: vec![
            rate("add u32", "same address", 2.5e9),
            rate("add u32", "spread L2", 2.0e11),
            rate("add u32", "spread DRAM", 4.0e10),
        ],
        launch_us: number(2.0),
        launch_and_wait_us: number(6.0),
        grid_barrier_us: number(1.5),
        copies: Copies {
            to_device_bytes_per_second: curve("bytes", "bytes per second", [(1e6, 5e10)]),
            from_device_bytes_per_second: curve("bytes", "bytes per second", [(1e6, 5e10)]),
            within_device_bytes_per_second: number(4.0e12),
            to_device_latency_us: number(8.0),
            from_device_latency_us: number(8.0),
        },
        arithmetic: Vec::new(),
        memories: Vec::new(),
        dynamic: Vec::new(),
        idle_w: None,
        power_source: None,
        software: "not measured".to_string(),
    }
}

fn rate(operation: &str, place: &str, per_second: f64) -> gw_meter::AtomicRate {
    gw_meter::AtomicRate {
        operation: operation.to_string(),
        place: place.to_string(),
        operations_per_second: number(per_second),
    }
}
