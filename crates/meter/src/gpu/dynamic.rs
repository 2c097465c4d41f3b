//! Benchmarks with a knob: how time and power change with the way a device is used.

use gw_device::{Kernel, Launch, Unit};

use super::kernels::{Arguments, UNROLL, arithmetic, coalescence, copy, divergence, shared};
use super::runner::Runner;
use super::table::row;
use crate::error::Result;
use crate::sheet::{Dynamic, DynamicPoint};

/// A point before it is measured.
struct Plan {
    knob: f64,
    unit: Unit,
    /// The knob as the kernel takes it.
    setting: u32,
    /// Threads of a block, and blocks in all; 0 blocks are as many as fit.
    block: u32,
    grid: u32,
    /// Units of work of a thread in one iteration of the loop.
    work: f64,
}

fn fma() -> &'static super::table::Row {
    row("fp32 fma")
}

/// The benchmarks: name, what the knob counts, points.
fn plans(processors: u32) -> Vec<(&'static str, &'static str, Vec<Plan>)> {
    let full =
        |knob: u32, unit: Unit, work: f64| Plan { knob: knob.into(), unit, setting: knob, block: 1024, grid: 0, work };
    let powers = |last: u32| (0..=last).map(|exponent| 1_u32 << exponent);
    let all = UNROLL as f64;
    vec![
        ("coalescence", "threads per contiguous group", powers(5).map(|g| full(g, coalescence(), 8.0)).collect()),
        (
            "access size",
            "bytes per thread and access",
            powers(4).map(|bytes| full(bytes, copy(bytes as usize), 4.0 * f64::from(bytes))).collect(),
        ),
        ("bank conflicts", "accesses of a warp to one bank", powers(5).map(|d| full(d, shared(false), all)).collect()),
        ("divergence", "threads per group on the same path", powers(5).map(|g| full(g, divergence(), 256.0)).collect()),
        (
            "block barriers",
            "barriers per 1024 instructions",
            [0, 1, 4, 16, 64, 128]
                .map(|b| Plan {
                    setting: 1,
                    ..full(b, arithmetic(fma(), 4, UNROLL, b as usize, &format!("_bar{b}")), all)
                })
                .into(),
        ),
        (
            "unrolling",
            "instructions per iteration",
            [1_u32, 4, 16, 64, 256, 1024]
                .map(|u| {
                    let unit = arithmetic(fma(), 4.min(u as usize), u as usize, 0, &format!("_unroll{u}"));
                    Plan { setting: 1, ..full(u, unit, u.into()) }
                })
                .into(),
        ),
        (
            "instruction parallelism",
            "independent chains per thread, one warp per scheduler",
            [1_u32, 2, 4, 8]
                .map(|c| {
                    let unit = arithmetic(fma(), c as usize, UNROLL, 0, &format!("_chains{c}"));
                    Plan { setting: 1, block: 128, grid: processors, ..full(c, unit, all) }
                })
                .into(),
        ),
        (
            "resident warps",
            "warps per multiprocessor, one chain each",
            [4_u32, 8, 16, 32, 64]
                .map(|w| {
                    let unit = arithmetic(fma(), 1, UNROLL, 0, "_warps");
                    let (block, grid) = if w == 64 { (1024, 2 * processors) } else { (32 * w, processors) };
                    Plan { setting: 1, block, grid, ..full(w, unit, all) }
                })
                .into(),
        ),
        (
            "active multiprocessors",
            "blocks of 1024 threads, one per multiprocessor",
            [1, processors / 4, processors / 2, 3 * processors / 4, processors]
                .into_iter()
                .filter(|&blocks| blocks > 0)
                .map(|s| Plan { setting: 1, grid: s, ..full(s, arithmetic(fma(), 4, UNROLL, 0, "_processors"), all) })
                .collect(),
        ),
    ]
}

/// All kernels of this file.
pub(super) fn units() -> Vec<Unit> {
    plans(132).into_iter().flat_map(|(_, _, plans)| plans).map(|plan| plan.unit).collect()
}

/// Measures all benchmarks.
pub(super) fn measure(runner: &Runner<'_>) -> Result<Vec<Dynamic>> {
    let mut found = Vec::new();
    for (name, knob, plans) in plans(runner.device.facts().processors) {
        runner.clear()?;
        let points = plans.iter().map(|plan| point(runner, plan)).collect::<Result<Vec<_>>>()?;
        found.push(with_shares(Dynamic { name: name.to_string(), knob: knob.to_string(), points }));
    }
    Ok(found)
}

fn point(runner: &Runner<'_>, plan: &Plan) -> Result<DynamicPoint> {
    let kernel: Kernel = runner.compile(&plan.unit)?;
    let arguments: Arguments = runner.arguments(plan.setting);
    let launch = match plan.grid {
        0 => runner.full(&kernel),
        grid => Launch { grid, block: plan.block, cooperative: false },
    };
    let steady = runner.steady(&kernel, launch, arguments)?;
    let units = steady.steps as f64 * plan.work * f64::from(launch.grid) * f64::from(launch.block);
    Ok(DynamicPoint {
        knob: plan.knob,
        ns_per_unit: steady.seconds.scaled(1e9 / units),
        share_of_best: 1.0,
        watts: steady.watts,
        net_nj: steady.net_nj(units, runner.idle()),
    })
}

/// Every point's rate as a share of the best point's.
fn with_shares(mut dynamic: Dynamic) -> Dynamic {
    let best = dynamic.points.iter().map(|point| point.ns_per_unit.median).fold(f64::INFINITY, f64::min);
    dynamic.points.iter_mut().for_each(|point| point.share_of_best = best / point.ns_per_unit.median);
    dynamic
}
