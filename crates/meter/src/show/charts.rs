//! A sheet as charts.

use super::chart::{Chart, Line};
use crate::curve::Curve;
use crate::sheet::{CpuSheet, GpuSheet, Sheet};

/// Title, what a reader must know, and the chart.
pub(super) fn charts(sheet: &Sheet) -> Vec<(String, String, Chart)> {
    let mut charts = Vec::new();
    charts.extend(sheet.cpu.iter().flat_map(of_cpu));
    charts.extend(sheet.gpu.iter().flat_map(of_gpu));
    charts
}

fn line(name: &str, curve: &Curve) -> Line {
    let points = curve.points().iter().map(|point| (point.x, point.y.median)).collect();
    Line { name: name.to_string(), points, marked: true }
}

fn of_cpu(cpu: &CpuSheet) -> Vec<(String, String, Chart)> {
    let access = Chart {
        x: ("independent chains of dependent loads".into(), ""),
        y: ("time per access".into(), "s"),
        lines: cpu.levels.iter().map(|level| line(&level.name, &level.seconds_per_access)).collect(),
    };
    let mut lines: Vec<Line> = cpu.levels.iter().map(|level| line(&level.name, &level.read_bytes_per_second)).collect();
    lines.push(line("DRAM, triad", &cpu.triad_bytes_per_second));
    let bandwidth = Chart { x: ("cores".into(), ""), y: ("bytes per second, all cores".into(), "B/s"), lines };
    vec![
        (
            "Time per access of one core".into(),
            "One chain waits for every load: its time is the latency. More chains have more loads in flight, until the core or \
             the memory can take no more."
                .into(),
            access,
        ),
        ("Bandwidth".into(), "Bytes read per second against the cores that read.".into(), bandwidth),
    ]
}

fn of_gpu(gpu: &GpuSheet) -> Vec<(String, String, Chart)> {
    let service = Chart {
        x: ("32-byte sectors in flight on the device, m".into(), ""),
        y: ("S(m): time per sector".into(), "s"),
        lines: vec![
            line("L2 hit", &gpu.l2_hit_s),
            line("DRAM, rising", &gpu.dram_sequential_s),
            line("DRAM, random", &gpu.dram_random_s),
        ],
    };
    let copies = Chart {
        x: ("bytes of a copy".into(), "B"),
        y: ("bytes per second".into(), "B/s"),
        lines: vec![
            line("to the device", &gpu.copies.to_device_bytes_per_second),
            line("from the device", &gpu.copies.from_device_bytes_per_second),
        ],
    };
    vec![
        (
            "Roofline".into(),
            "What a program can reach at best: the slopes are the memories, the flat parts the arithmetic units. Graph programs \
             do less than one operation per byte and live on the slopes."
                .into(),
            roofline(gpu),
        ),
        (
            "Service times".into(),
            "One request in flight waits for its whole latency; with more in flight answers come faster, until the server is \
             saturated."
                .into(),
            service,
        ),
        ("Copies between host and device".into(), "As programs make them: memory of the host goes through a pinned buffer.".into(), copies),
    ]
}

/// Operations per second against operations per byte.
fn roofline(gpu: &GpuSheet) -> Chart {
    let device = f64::from(gpu.multiprocessors) * gpu.clock_ghz.median * 1e9;
    let rate = |name: &str| {
        let found = gpu.arithmetic.iter().find(|operation| operation.name == name);
        found.map(|operation| operation.per_cycle_per_sm.median * device)
    };
    let highest = gpu.arithmetic.iter().map(|operation| operation.per_cycle_per_sm.median * device).fold(0.0, f64::max);
    let (least, most) = (1e-2, 1e3);
    let mut lines = Vec::new();
    for (name, unit) in [("fp32 fma", "fp32 fma"), ("int32 add", "int32 add"), ("fp64 fma", "fp64 fma")] {
        if let Some(rate) = rate(unit) {
            lines.push(Line { name: name.into(), points: vec![(least, rate), (most, rate)], marked: false });
        }
    }
    for memory in gpu.memories.iter().filter(|memory| memory.access == "load" && memory.memory != "constant") {
        let bytes = memory.bytes_per_second.median;
        let ridge = (highest / bytes).min(most);
        let points = vec![(least, bytes * least), (ridge, bytes * ridge)];
        lines.push(Line { name: memory.memory.clone(), points, marked: false });
    }
    Chart { x: ("operations per byte".into(), ""), y: ("operations per second".into(), "/s"), lines }
}
