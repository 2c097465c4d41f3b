//! A row of results, with everything needed to judge and repeat it.

use serde::Serialize;

use gw_exec::{DeviceFacts, GraphVm, MachineUsage};
use gw_meter::{MachineFacts, Peak};

use crate::energy::RowEnergy;
use crate::error::Result;

/// What was measured of one program on one graph under one schedule. Its JSON form is the array that `gw bench --json`
/// prints; `docs/bench.md` explains the keys.
#[derive(Debug, Clone, Serialize)]
pub struct Measurement {
    /// The suite.
    pub suite: String,
    /// The program.
    pub program: String,
    /// The graph's name in the suite.
    pub graph: String,
    /// The file or spec of the graph.
    pub graph_spec: String,
    /// The machine: `cpu`, `cuda`, `reference`.
    pub target: String,
    /// The schedule in canonical text; the chosen one where the machine chooses, `auto` when it never came to that.
    pub schedule: String,
    /// The schedule as the suite names it.
    pub schedule_name: String,
    /// Threads of the machine.
    pub threads: usize,
    /// Middle of all timed runs, in seconds; null when there is none.
    pub median_seconds: Option<f64>,
    /// Fastest run.
    pub min_seconds: Option<f64>,
    /// Slowest run.
    pub max_seconds: Option<f64>,
    /// Distance of the quartiles as a share of the median; of the extremes below four runs.
    pub spread: Option<f64>,
    /// Timed runs in all.
    pub trials: usize,
    /// Every time, in the order of running: all sources of the first trial, then all of the second.
    pub seconds: Vec<f64>,
    /// The start vertices; empty for programs without one.
    pub sources: Vec<u32>,
    /// True when results were validated and all of these were right.
    pub verified: bool,
    /// How many runs were validated.
    pub verified_trials: usize,
    /// What a validator found wrong.
    pub problem: Option<String>,
    /// Why the row has no or fewer runs than planned.
    pub error: Option<String>,
    /// False when runs are missing.
    pub complete: bool,
    /// Arguments of the first run.
    pub arguments: Vec<String>,
    /// Median time from the first kernel to the last, by the clock of a device; null on machines without one.
    pub device_seconds: Option<f64>,
    /// Time of a run on a graph that nobody has run on before: derived forms of the graph and its transfer to a device
    /// are in it, compiling is not.
    pub first_seconds: Option<f64>,
    /// Median time of giving globals their first values, loading left out: the part of the times above that comes
    /// before `main`, by the host's clock.
    pub startup_seconds: Option<f64>,
    /// Time to compile, kernels that were compiled in the warm-up runs included.
    pub compile_seconds: Option<f64>,
    /// What the machine counted, where it counts.
    pub usage: Option<RowUsage>,
    /// Time to make or read the graph.
    pub graph_seconds: Option<f64>,
    /// Vertices of the graph.
    pub vertices: Option<usize>,
    /// Directed edges of the graph.
    pub graph_edges: Option<usize>,
    /// Edges touched by a run; null where the machine does not tell.
    pub edges: Option<u64>,
    /// Bytes a run must move at least; null where the machine does not tell.
    pub bytes: Option<u64>,
    /// Where `edges` and `bytes` come from.
    pub counted: Counted,
    /// `edges` by the median.
    pub edges_per_second: Option<f64>,
    /// `graph_edges` by the median: compares schedules that touch different numbers of edges.
    pub graph_edges_per_second: Option<f64>,
    /// `bytes` by the median, per second.
    pub bandwidth: Option<f64>,
    /// Best memory bandwidth of the machine or of its device, bytes per second.
    pub peak_bandwidth: f64,
    /// Joules and watts of a run; null where nobody asked or no meter can be read.
    pub energy: Option<RowEnergy>,
    /// The seed of sources and random choices.
    pub seed: u64,
    /// When the last run ended, in UTC.
    pub utc: String,
    /// What was measured with what.
    pub provenance: Provenance,
}

/// Where edges and bytes come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Counted {
    /// From the step records of the warm-up runs.
    Steps,
    /// The machine did not tell.
    Unknown,
}

/// What a machine counted for a row.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RowUsage {
    /// In all warm-up runs together: kernels are compiled and the graph is transferred there. A graph that a row
    /// before has brought to the device stays there.
    pub warm_up: MachineUsage,
    /// In a timed run, the median of each number over the runs whose results stayed on the device; null when all were
    /// fetched for validation.
    pub run: Option<MachineUsage>,
}

/// What was measured with what.
#[derive(Debug, Clone, Serialize)]
pub struct Provenance {
    /// Version of Graphwright.
    pub version: String,
    /// The commit it was built from, where there was one.
    pub commit: Option<String>,
    /// The computer.
    pub machine: MachineFacts,
    /// Its memory bandwidth; null when a device does the work.
    pub peak: Option<Peak>,
    /// The device that does the work, where that is not the processor.
    pub device: Option<DeviceFacts>,
}

impl Provenance {
    /// This program with a machine on this computer; measures the memory bandwidth, of the device where there is one.
    pub fn of(machine: &dyn GraphVm) -> Result<Provenance> {
        let device = machine.device();
        let machine = MachineFacts::read();
        let peak = match device {
            Some(_) => None,
            None => Some(gw_meter::measure_peak(&machine)?),
        };
        let commit = option_env!("GW_COMMIT").map(str::to_string);
        Ok(Provenance { version: env!("CARGO_PKG_VERSION").to_string(), commit, machine, peak, device })
    }

    /// Best memory bandwidth where the work is done, bytes per second.
    pub fn peak_bandwidth(&self) -> f64 {
        let host = self.peak.map_or(0.0, |peak| peak.best());
        self.device.as_ref().map_or(host, DeviceFacts::peak_bandwidth)
    }
}
