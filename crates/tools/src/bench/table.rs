//! The table of `gw bench`: a line per row, printed as it comes.

use std::fmt::Write;

use gw_lab::{Counted, Measurement, Plan, Provenance, RowUsage};

use crate::output::{bytes, grouped, rate, seconds};

/// Widths of the columns whose words are known beforehand.
pub struct Table {
    program: usize,
    graph: usize,
    schedule: usize,
    machine: String,
}

/// Longer names of schedules are cut.
const SCHEDULE: usize = 28;

impl Table {
    /// A table for the rows of a plan.
    pub fn new(plan: &Plan, provenance: &Provenance) -> Table {
        let width = |title: &str, word: fn(&gw_lab::CellName) -> &str| {
            plan.cells().iter().map(|cell| word(&cell.name).chars().count()).max().unwrap_or(0).max(title.len())
        };
        Table {
            program: width("program", |name| &name.program),
            graph: width("graph", |name| &name.graph),
            schedule: width("schedule", |name| &name.schedule).min(SCHEDULE),
            machine: machine(provenance),
        }
    }

    /// The machine, and the titles of the columns.
    pub fn header(&self) -> String {
        let titles = self.line(
            ["program", "graph", "schedule"],
            ["runs", "median", "min", "spread", "first run", "touched/s", "edges/s", "bandwidth", "peak", "verified"],
        );
        self.machine.clone() + &titles
    }

    /// The line of a row, and what is wrong with it.
    pub fn row(&self, row: &Measurement) -> String {
        let dash = || "-".to_string();
        let per_source = row.trials.checked_div(row.sources.len()).unwrap_or(0);
        let runs = match row.sources.len() {
            0 => row.trials.to_string(),
            _ if row.trials == 0 => "0".to_string(),
            sources if per_source * sources == row.trials => format!("{sources}x{per_source}"),
            _ => row.trials.to_string(),
        };
        let touched = match row.counted {
            Counted::Steps => row.edges_per_second,
            Counted::Unknown => None,
        };
        let share = row.bandwidth.map(|b| format!("{:.0} %", 100.0 * b / row.peak_bandwidth));
        let verified = match (&row.problem, row.verified) {
            (Some(_), _) => "WRONG".to_string(),
            (None, true) => format!("{}/{}", row.verified_trials, row.trials),
            (None, false) => "no".to_string(),
        };
        let mut lines = self.line(
            [&row.program, &row.graph, &row.schedule_name],
            [
                &runs,
                &row.median_seconds.map_or_else(dash, seconds),
                &row.min_seconds.map_or_else(dash, seconds),
                &row.spread.map_or_else(dash, |s| format!("{:.0} %", 100.0 * s)),
                &row.first_seconds.map_or_else(dash, seconds),
                &touched.map_or_else(dash, |r| rate(r, "")),
                &row.graph_edges_per_second.map_or_else(dash, |r| rate(r, "")),
                &row.bandwidth.map_or_else(dash, |r| rate(r, "B/s")),
                &share.unwrap_or_else(dash),
                &verified,
            ],
        );
        if let Some(usage) = &row.usage {
            let _ = writeln!(lines, "    {}", used(usage, row.device_seconds));
        }
        if let Some(energy) = &row.energy {
            let highest = energy.highest_watts.map(|watts| format!(", at most {watts:.0} W")).unwrap_or_default();
            let _ = writeln!(
                lines,
                "    energy: {} J per run, {:.0} W{highest}, {} runs of {}",
                joules(energy.joules),
                energy.watts,
                energy.runs,
                seconds(energy.seconds)
            );
        }
        for (what, text) in [("failed", &row.error), ("wrong result", &row.problem)] {
            if let Some(text) = text {
                let _ = writeln!(lines, "    {what}: {text}");
            }
        }
        lines
    }

    /// What the columns mean, under the table.
    pub fn footer(&self, rows: &[Measurement]) -> String {
        let mut text =
            "median: by the host's clock; first run: on a graph nobody has run on, with derived forms and transfer\n\
             touched/s: edges the program looked at; edges/s: edges of the graph; bandwidth: a lower bound on \
                        bytes moved, peak: its share of the best measured\n"
                .to_string();
        if rows.iter().any(|row| row.verified && row.verified_trials < row.trials) {
            text += "verified: the first run from every source\n";
        }
        text
    }

    fn line(&self, names: [&str; 3], cells: [&str; 10]) -> String {
        let [program, graph, schedule] = names;
        let schedule = match schedule.chars().count() > self.schedule {
            true => schedule.chars().take(self.schedule - 1).collect::<String>() + "…",
            false => schedule.to_string(),
        };
        let (p, g, s) = (self.program, self.graph, self.schedule);
        let mut line = format!("{program:<p$}  {graph:<g$}  {schedule:<s$}");
        for (cell, width) in cells.into_iter().zip([7, 8, 8, 6, 9, 9, 7, 10, 5, 8]) {
            let _ = write!(line, "  {cell:>width$}");
        }
        line + "\n"
    }
}

/// Joules with three digits.
fn joules(value: f64) -> String {
    let decimals = (2 - value.max(1e-9).log10().floor() as i32).clamp(0, 9) as usize;
    format!("{value:.decimals$}")
}

/// The line above the table.
fn machine(provenance: &Provenance) -> String {
    if let Some(device) = &provenance.device {
        let (described, measured) = (rate(device.described_bandwidth, "B/s"), device.copy_bandwidth);
        let bandwidth = match measured {
            Some(measured) => format!("{} in copies, {described} described", rate(measured, "B/s")),
            None => format!("{described} described"),
        };
        return format!(
            "{}, compute capability {}, {} multiprocessors, {} memory, driver {}, {}; memory bandwidth {bandwidth}\n",
            device.name,
            device.capability,
            device.processors,
            bytes(device.memory_bytes),
            device.driver,
            device.compiler,
        );
    }
    let machine = &provenance.machine;
    let peak = provenance.peak.map(|peak| {
        let (read, triad) = (rate(peak.read, "B/s"), rate(peak.triad, "B/s"));
        format!("; memory bandwidth {read} read, {triad} triad")
    });
    format!(
        "{}, {} cores, {} memory{}\n",
        machine.cpu.as_deref().unwrap_or("unknown processor"),
        machine.cores,
        machine.memory_bytes.map_or_else(|| "unknown".to_string(), bytes),
        peak.unwrap_or_default(),
    )
}

/// What a machine did for a row besides the times.
fn used(usage: &RowUsage, on_device: Option<f64>) -> String {
    let RowUsage { warm_up, run } = usage;
    let on_device = on_device.map(|time| format!("on the device {}; ", seconds(time))).unwrap_or_default();
    let mut text = format!(
        "{on_device}kernels: {} compiled, {} from the cache, {}; to the device: {} in {}",
        warm_up.compiled,
        warm_up.cached,
        seconds(warm_up.compile_seconds),
        bytes(warm_up.uploaded_bytes),
        seconds(warm_up.upload_seconds()),
    );
    if let Some(run) = run {
        let _ = write!(text, "; a run: {} launches, {} waits", grouped(run.launches), grouped(run.waits));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use gw_exec::{DeviceFacts, MachineUsage};
    use gw_lab::MachineFacts;

    #[test]
    fn devices_and_their_work_are_told() {
        let device = DeviceFacts {
            name: "Fast One".into(),
            capability: "9.0".into(),
            processors: 132,
            memory_bytes: 139 << 30,
            cache_bytes: 60 << 20,
            driver: "13.0".into(),
            compiler: "NVRTC 13.0".into(),
            described_bandwidth: 4.8e12,
            copy_bandwidth: Some(4.0e12),
        };
        let facts = MachineFacts { cpu: None, cores: 1, caches: Vec::new(), memory_bytes: None, os: "none".into() };
        let provenance =
            Provenance { version: "0".into(), commit: None, machine: facts, peak: None, device: Some(device) };
        assert_eq!(
            machine(&provenance),
            "Fast One, compute capability 9.0, 132 multiprocessors, 139.0 GiB memory, driver 13.0, NVRTC 13.0; memory \
             bandwidth 4000 GB/s in copies, 4800 GB/s described\n"
        );
        assert_eq!(provenance.peak_bandwidth(), 4.0e12);
        let warm_up = MachineUsage { compiled: 3, cached: 1, compile_seconds: 0.5, ..MachineUsage::default() };
        let run = MachineUsage { launches: 1200, waits: 2, ..MachineUsage::default() };
        let usage = used(&RowUsage { warm_up, run: Some(run) }, Some(0.25));
        assert!(
            usage.starts_with(
                "on the device 250.0 ms; kernels: 3 compiled, 1 from the cache, 500.0 ms; to the device: 0 "
            ),
            "{usage}"
        );
        assert!(usage.ends_with("; a run: 1,200 launches, 2 waits"), "{usage}");
    }
}
