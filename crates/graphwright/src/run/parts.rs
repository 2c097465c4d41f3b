//! Where the time of a run goes: parts that do not overlap, so that they add up.

use std::ops::Add;

use gw_exec::{MachineUsage, RunResult};
use serde::Serialize;

/// Seconds of a run, from reading the graph to results in the memory of the host, part by part.
///
/// All parts are intervals of the thread that asks for the run, by the clock of the host. What another thread does in
/// the meantime (a device that starts while the graph is read, a kernel that is compiled ahead) counts only as far as
/// somebody waited for it. So no part is counted twice, and the sum is at most the time that passed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Parts {
    /// Reading or generating graphs, and seeing them as the program needs them.
    pub read_graph: f64,
    /// Waiting for a device to start: its driver, its context.
    pub start_device: f64,
    /// Choosing the schedule, the passes, machine code for operators, loading kernels.
    pub compile: f64,
    /// Graphs and vectors on their way to the device. Nothing where there is no device.
    pub to_device: f64,
    /// The program itself: its start-up statements and `main`, without the other parts.
    pub run: f64,
    /// Results on their way from the device to the host, after the end of `main`.
    pub results_back: f64,
}

impl Parts {
    /// The parts of a finished run of a compiled program; `usage` is what the machine counted during the run.
    ///
    /// Kernels are compiled and graphs sent where the program first needs them, in the middle of `main`: both are taken
    /// out of the run. Values that the host reads in the middle of `main` belong to the run.
    pub fn of_run(ran: &RunResult, usage: Option<&MachineUsage>) -> Parts {
        let timings = &ran.timings;
        let compile = usage.map_or(0.0, |usage| usage.compile_seconds);
        let to_device = usage.map_or(0.0, MachineUsage::upload_seconds);
        let walked = timings.startup + ran.seconds;
        Parts {
            read_graph: timings.load,
            start_device: 0.0,
            compile,
            to_device,
            run: (walked - timings.load - compile - to_device).max(0.0),
            results_back: timings.fetch,
        }
    }

    /// All parts together.
    pub fn sum(&self) -> f64 {
        self.read_graph + self.start_device + self.compile + self.to_device + self.run + self.results_back
    }
}

impl Add for Parts {
    type Output = Parts;

    /// Both, part by part.
    fn add(self, other: Parts) -> Parts {
        Parts {
            read_graph: self.read_graph + other.read_graph,
            start_device: self.start_device + other.start_device,
            compile: self.compile + other.compile,
            to_device: self.to_device + other.to_device,
            run: self.run + other.run,
            results_back: self.results_back + other.results_back,
        }
    }
}
