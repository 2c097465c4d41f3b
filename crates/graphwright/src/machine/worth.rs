//! Whether a single run is worth a device: what the device saves against what it costs to start it and to send the
//! graph there. All numbers of this choice stand here.
//!
//! The costs per edge are those of `kron:22` (128 million stored edges) in `bench/gpu-h200.md`, `bench/cpu-scaling.md`
//! and the measurements of 16 cores that the latter agrees with: on 2 and on 16 cores the programs need the same time
//! of all cores together per edge, so that one number serves for any number of threads. A program of one's own is
//! taken for one that goes through the edges a few times.

use gw_graph::Graph;
use serde::Serialize;

/// Seconds until a GPU is ready: driver, context, loading kernels from the cache. Measured on one H200.
const START_SECONDS: f64 = 0.20;
/// Seconds that the driver takes to give the GPU back when the process ends. Measured there, too.
const END_SECONDS: f64 = 0.11;
/// Bytes per second to the device: 505 MiB in 36 ms on one H200.
const BYTES_PER_SECOND: f64 = 14e9;
/// Seconds of the CPU machine for everything that does not grow with the graph.
const CPU_SECONDS: f64 = 1e-3;
/// Under `auto` a device is started before the graph is read only for files from this size on: reading them takes
/// about as long as the start, and a smaller graph is not worth a device.
const LARGE_FILE: u64 = 64 << 20;

/// What a program costs on a graph, in nanoseconds per stored edge.
struct Costs {
    program: &'static str,
    /// On the CPU, of all cores together.
    cpu: f64,
    /// On the device, once the graph is there.
    device: f64,
}

const COSTS: &[Costs] = &[
    Costs { program: "bfs", cpu: 1.3, device: 0.004 },
    // As `bfs`; not measured.
    Costs { program: "bfs-levels", cpu: 1.3, device: 0.004 },
    Costs { program: "cc-fast", cpu: 2.6, device: 0.01 },
    Costs { program: "sssp-delta", cpu: 16.0, device: 0.05 },
    // With the usual tolerance, 1e-6.
    Costs { program: "pagerank", cpu: 80.0, device: 0.16 },
    Costs { program: "bc", cpu: 8.5, device: 0.026 },
    // On the CPU by its relation to `bfs` on `kron:18`, 2 threads.
    Costs { program: "kcore", cpu: 15.0, device: 0.23 },
    // With numbers by degree, which are made on the device.
    Costs { program: "tc", cpu: 213.0, device: 0.35 },
];

/// A program that is not in the table: between the cheap and the dear ones in it, not measured.
const OTHER: Costs = Costs { program: "", cpu: 8.0, device: 0.05 };

/// Where a run is expected to be done first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Worth {
    /// Whether the device is.
    pub on_device: bool,
    /// Seconds expected on the CPU.
    pub cpu_seconds: f64,
    /// Seconds expected on the device, with what is left of its start, and the transfer.
    pub device_seconds: f64,
    /// The reason, in words.
    pub because: String,
}

/// Weighs a run of a program on a graph on `threads` of the CPU against the same run on a device that began to start
/// `started` seconds ago (0: not yet).
pub(crate) fn worth(program: &str, graph: &Graph, threads: usize, started: f64) -> Worth {
    weigh(program, graph.edges() as f64, bytes_to_send(graph), threads, started)
}

/// Whether a device is to be started before this graph, the text of an argument, is read.
pub(crate) fn is_worth_starting(graph: &str) -> bool {
    std::fs::metadata(graph).is_ok_and(|file| file.len() >= LARGE_FILE)
}

/// Bytes of a graph that go to the device: its lists with their weights, in both directions where these differ.
fn bytes_to_send(graph: &Graph) -> f64 {
    let directions = if graph.is_symmetric() { 1 } else { 2 };
    (directions * graph.out().bytes()) as f64
}

fn weigh(program: &str, edges: f64, bytes: f64, threads: usize, started: f64) -> Worth {
    let costs = COSTS.iter().find(|costs| costs.program == program).unwrap_or(&OTHER);
    let cpu_seconds = CPU_SECONDS + 1e-9 * costs.cpu * edges / threads.max(1) as f64;
    let (start, transfer) = ((START_SECONDS - started).max(0.0), bytes / BYTES_PER_SECOND);
    let run = 1e-9 * costs.device * edges;
    let device_seconds = start + transfer + run + END_SECONDS;
    let on_device = device_seconds < cpu_seconds;
    let because = format!(
        "expected are {:.3} s on {threads} threads of the CPU, and {device_seconds:.3} s on the device: {start:.3} s until \
         it is ready, {transfer:.3} s of transfer, {run:.3} s of work and {END_SECONDS} s to leave it",
        cpu_seconds
    );
    Worth { on_device, cpu_seconds, device_seconds, because }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KRON_22: f64 = 128e6;

    #[test]
    fn short_runs_stay_on_the_cpu_and_long_ones_go_to_the_device() {
        let on_device =
            |program, edges: f64, threads, started| weigh(program, edges, 4.2 * edges, threads, started).on_device;
        // A search is over before a device is ready, on however many edges.
        assert!(!on_device("bfs", KRON_22, 16, 0.0) && !on_device("bfs", 1e3, 1, 0.0));
        assert!(on_device("pagerank", KRON_22, 16, 0.0) && !on_device("pagerank", KRON_22 / 16.0, 16, 0.0));
        // A device that is nearly ready costs less.
        assert!(on_device("sssp-delta", 3.0 * KRON_22, 16, 0.2) && !on_device("sssp-delta", 3.0 * KRON_22, 16, 0.0));
        assert!(on_device("a program of one's own", 20.0 * KRON_22, 16, 0.0));
        let worth = weigh("sssp-delta", KRON_22, 1.05e9, 2, 0.1);
        assert!((worth.cpu_seconds - 1.025).abs() < 1e-9, "{worth:?}");
        assert_eq!(
            worth.because,
            "expected are 1.025 s on 2 threads of the CPU, and 0.291 s on the device: 0.100 s until it is ready, 0.075 s \
             of transfer, 0.006 s of work and 0.11 s to leave it"
        );
    }

    #[test]
    fn every_program_of_the_table_is_a_standard_program() {
        for costs in COSTS {
            assert!(gw_programs::find(costs.program).is_ok(), "{}", costs.program);
        }
        assert!(!is_worth_starting("kron:24"));
    }
}
