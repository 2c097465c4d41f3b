//! A sheet as tables of texts.

use super::number::{bytes, digits, optional, percent, scaled, with_spread};
use crate::curve::Curve;
use crate::sheet::{CpuSheet, GpuSheet, Sheet};

/// A table for people. The first column is text, the others are numbers.
pub(super) struct Table {
    pub title: String,
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// What a reader must know about the columns.
    pub note: String,
}

fn table(title: &str, head: &[&str], rows: Vec<Vec<String>>, note: &str) -> Table {
    let head = head.iter().map(|cell| cell.to_string()).collect();
    Table { title: title.to_string(), head, rows, note: note.to_string() }
}

/// All tables of a sheet.
pub(super) fn tables(sheet: &Sheet) -> Vec<Table> {
    let mut tables = Vec::new();
    tables.extend(sheet.cpu.iter().flat_map(of_cpu));
    tables.extend(sheet.gpu.iter().flat_map(of_gpu));
    tables
}

fn of_cpu(cpu: &CpuSheet) -> Vec<Table> {
    let pair = |name: &str, value: String| vec![name.to_string(), value];
    let mut facts = vec![
        pair("cores", cpu.cores.to_string()),
        pair("cycle", format!("{} ns", with_spread(&cpu.cycle_ns))),
        pair("atomic addition, own line", format!("{} ns", with_spread(&cpu.atomic_own_line_ns))),
    ];
    if let Some(shared) = &cpu.atomic_shared_line_ns {
        facts.push(pair("atomic addition, line of all cores", format!("{} ns", with_spread(shared))));
    }
    facts.push(pair("waking a thread", format!("{} µs", with_spread(&cpu.wake_us))));
    for (name, watts) in [("power, idle", &cpu.idle_w), ("power, all cores reading", &cpu.busy_w)] {
        if let Some(watts) = watts {
            facts.push(pair(name, format!("{} W", with_spread(watts))));
        }
    }
    facts.push(pair("pages of the arrays", cpu.pages.clone()));
    let caches = cpu.caches.iter().map(|cache| {
        let line = format!("{} B", cache.line_bytes);
        vec![format!("L{}", cache.level), bytes(cache.bytes), line, cache.shared_by.to_string()]
    });
    let level = |level: &crate::sheet::Level| {
        let ns = |chains: f64| digits(level.seconds_per_access.at(chains) * 1e9);
        let rate = &level.read_bytes_per_second;
        vec![
            level.name.clone(),
            bytes(level.footprint_bytes),
            ns(1.0),
            ns(4.0),
            ns(8.0),
            ns(16.0),
            ns(32.0),
            digits(level.seconds_per_access.at(1.0) / level.seconds_per_access.least()),
            scaled(rate.at(1.0), "B/s"),
            scaled(rate.points()[rate.points().len() - 1].y.median, "B/s"),
        ]
    };
    let head =
        ["level", "array", "1 chain", "4", "8", "16", "32 chains", "parallelism", "read, 1 core", "read, all cores"];
    vec![
        table("The processor", &["", ""], facts, "± is half the distance of the quartiles of the repetitions."),
        table("Caches", &["level", "size", "line", "shared by"], caches.collect(), ""),
        table(
            "Memory by level",
            &head,
            cpu.levels.iter().map(level).collect(),
            "Nanoseconds per access of one core against independent chains of dependent loads; parallelism is how many \
             accesses the core keeps in flight.",
        ),
    ]
}

fn of_gpu(gpu: &GpuSheet) -> Vec<Table> {
    vec![device(gpu), service(gpu), memories(gpu), atomics(gpu), arithmetic(gpu)]
        .into_iter()
        .chain(knobs(gpu))
        .collect()
}

fn device(gpu: &GpuSheet) -> Table {
    let pair = |name: &str, value: String| vec![name.to_string(), value];
    let mut rows = vec![
        pair("compute capability", gpu.capability.clone()),
        pair("multiprocessors", gpu.multiprocessors.to_string()),
        pair("warps per multiprocessor", gpu.resident_warps_per_sm.to_string()),
        pair("clock under load", format!("{} GHz", with_spread(&gpu.clock_ghz))),
        pair("L2 cache", bytes(gpu.l2_bytes)),
        pair("memory", bytes(gpu.memory_bytes)),
        pair("memory bandwidth, specified", scaled(gpu.specified_bytes_per_second, "B/s")),
        pair("copy within the device", scaled(gpu.copies.within_device_bytes_per_second.median, "B/s")),
        pair("launch, queued", format!("{} µs", with_spread(&gpu.launch_us))),
        pair("launch and wait", format!("{} µs", with_spread(&gpu.launch_and_wait_us))),
        pair("barrier of the grid", format!("{} µs", with_spread(&gpu.grid_barrier_us))),
        pair("copy to the device, largest", scaled(gpu.copies.to_device_bytes_per_second.greatest(), "B/s")),
        pair("copy from the device, largest", scaled(gpu.copies.from_device_bytes_per_second.greatest(), "B/s")),
        pair("copy of 4 bytes to the device", format!("{} µs", with_spread(&gpu.copies.to_device_latency_us))),
        pair("copy of 4 bytes from the device", format!("{} µs", with_spread(&gpu.copies.from_device_latency_us))),
    ];
    if let Some(idle) = &gpu.idle_w {
        rows.push(pair("power, idle", format!("{} W", with_spread(idle))));
    }
    rows.push(pair("power by", gpu.power_source.clone().unwrap_or_else(|| "no meter".to_string())));
    rows.push(pair("software", gpu.software.clone()));
    table("The device", &["", ""], rows, "")
}

fn service(gpu: &GpuSheet) -> Table {
    let row = |name: &str, curve: &Curve| {
        let saturated = 32.0 / curve.least();
        vec![
            name.to_string(),
            scaled(curve.at(1.0), "s"),
            scaled(curve.at(1024.0), "s"),
            scaled(curve.at(32_768.0), "s"),
            scaled(curve.least(), "s"),
            scaled(saturated, "B/s"),
            digits(curve.saturation(1.1)),
        ]
    };
    let rows = vec![
        row("L2 hit", &gpu.l2_hit_s),
        row("DRAM, rising addresses", &gpu.dram_sequential_s),
        row("DRAM, random", &gpu.dram_random_s),
    ];
    table(
        "Service times: seconds per 32-byte sector with m in flight",
        &["server", "m = 1", "m = 1,024", "m = 32,768", "least", "bandwidth", "m needed"],
        rows,
        "m needed: sectors in flight that bring the service time within 10 % of the least.",
    )
}

fn memories(gpu: &GpuSheet) -> Table {
    let row = |rate: &crate::sheet::MemoryRate| {
        vec![
            format!("{} {}", rate.memory, rate.access),
            digits(rate.warp_requests_per_cycle_per_sm.median),
            scaled(rate.bytes_per_second.median, "B/s"),
            optional(&rate.latency_cycles),
            optional(&rate.watts),
            optional(&rate.net_nj),
            rate.purity.map_or("-".to_string(), percent),
        ]
    };
    table(
        "Memories",
        &["access", "requests/cycle/SM", "device", "latency, cycles", "W", "net nJ/request", "purity"],
        gpu.memories.iter().map(row).collect(),
        "A request is one instruction of a warp: 128 bytes of shared memory, 256 of L1, L2 and DRAM, one word of constant \
         memory. Net energy is without idle power.",
    )
}

fn atomics(gpu: &GpuSheet) -> Table {
    let mut operations: Vec<&str> = gpu.atomics.iter().map(|rate| rate.operation.as_str()).collect();
    operations.dedup();
    let places = ["same address", "spread L2", "spread DRAM"];
    let row = |operation: &&str| {
        let rates =
            places.iter().map(|place| gpu.atomic(operation, place).map_or("-".to_string(), |rate| scaled(rate, "/s")));
        [operation.to_string()].into_iter().chain(rates).collect()
    };
    let head = ["operation", places[0], places[1], places[2]];
    table("Atomic operations per second", &head, operations.iter().map(row).collect(), "")
}

fn arithmetic(gpu: &GpuSheet) -> Table {
    let row = |operation: &crate::sheet::Operation| {
        vec![
            operation.name.clone(),
            digits(operation.per_cycle_per_sm.median),
            operation.specified_per_cycle_per_sm.map_or("-".to_string(), digits),
            optional(&operation.latency_cycles),
            optional(&operation.watts),
            optional(&operation.net_nj),
            operation.purity.map_or("-".to_string(), percent),
            operation.machine_instructions.map_or("-".to_string(), digits),
        ]
    };
    table(
        "Arithmetic",
        &["operation", "op/cycle/SM", "specified", "latency, cycles", "W", "net nJ/op", "purity", "instructions"],
        gpu.arithmetic.iter().map(row).collect(),
        "Specified: NVIDIA's CUDA C++ Programming Guide. Purity: machine instructions of the operation among all of the timed \
         loop. Instructions: machine instructions per operation.",
    )
}

fn knobs(gpu: &GpuSheet) -> Vec<Table> {
    let one = |dynamic: &crate::sheet::Dynamic| {
        let row = |point: &crate::sheet::DynamicPoint| {
            vec![
                point.knob.to_string(),
                scaled(point.ns_per_unit.median * 1e-9, "s"),
                percent(point.share_of_best),
                optional(&point.watts),
                point.net_nj.as_ref().map_or("-".to_string(), |nj| scaled(nj.median * 1e-9, "J")),
            ]
        };
        table(
            &format!("With a knob: {}", dynamic.name),
            &[&dynamic.knob, "device time per unit", "rate, share of best", "W", "net energy per unit"],
            dynamic.points.iter().map(row).collect(),
            "",
        )
    };
    gpu.dynamic.iter().map(one).collect()
}
