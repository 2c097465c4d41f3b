//! The distributed GraphVM: every worker owns a range of the vertices with their edges, runs the CPU machine's kernels
//! on them, and exchanges what others must know on timely dataflow.
//!
//! | file | concept |
//! |---|---|
//! | `cluster` | which processes and workers take part, and how processes find each other |
//! | `wires` | exchanges of bytes between workers; all that is known of timely |
//! | `session` | a worker's place in a run; what all workers do together |
//! | `cut` | who owns which vertices |
//! | `plan` | what an operator needs to know before, and to tell after; or why it is refused |
//! | `executable` | carrying out a worker's share of an operator |
//! | `changes` | what was changed in a vector that all may write |
//! | `reach` | the entries that a push from few vertices can reach |
//! | `message` | numbers and sets as bytes |
//! | `run`, `worker` | the run of the caller and those of its followers |
//! | `capability` | which schedules can be run |
//!
//! Nothing here knows an algorithm.

mod capability;
mod changes;
mod cluster;
mod cut;
mod executable;
mod message;
mod plan;
mod reach;
mod run;
mod session;
mod wires;
mod worker;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use gw_cpu::CpuVm;
use gw_exec::{Executable, GraphVm, Result};
use gw_ir::module::Module;
use gw_schedule::{Capabilities, Family};

pub use cluster::{Cluster, ClusterError};
use executable::FlowExecutable;
use run::Start;
use session::Traffic;

/// The name of the machine.
const NAME: &str = "flow";

/// The distributed machine, as one process sees it.
pub struct FlowVm {
    cluster: Arc<Cluster>,
    traffic: Arc<Traffic>,
    /// Threads of a worker.
    threads: usize,
    local: CpuVm,
}

impl FlowVm {
    /// The machine on these workers. `threads` is what this process computes with, 0 for all cores; its workers share
    /// them, and each has at least one.
    pub fn new(cluster: Cluster, threads: usize) -> FlowVm {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = (if threads == 0 { cores() } else { threads } / cluster.workers()).max(1);
        let local = CpuVm::one_by_one(threads);
        FlowVm { cluster: Arc::new(cluster), traffic: Arc::default(), threads, local }
    }
}

impl GraphVm for FlowVm {
    fn name(&self) -> &str {
        NAME
    }

    fn family(&self) -> Family {
        Family::Cpu
    }

    fn capabilities(&self) -> Capabilities {
        capability::capabilities()
    }

    fn prepare(&self, module: Arc<Module>) -> Result<Box<dyn Executable>> {
        let local = self.local.prepare(Arc::clone(&module))?;
        let start = Start::Leader {
            cluster: Arc::clone(&self.cluster),
            traffic: Arc::clone(&self.traffic),
            module: Arc::clone(&module),
            threads: self.threads,
        };
        Ok(Box::new(FlowExecutable::new(&module, local, start)?))
    }

    fn report(&self) -> Option<String> {
        let (bytes, exchanges) = (&self.traffic.bytes, &self.traffic.exchanges);
        let (bytes, exchanges) = (bytes.load(Ordering::Relaxed), exchanges.load(Ordering::Relaxed));
        let (workers, own) = (self.cluster.workers_in_all(), self.cluster.workers());
        let exchanges = exchanges / own as u64;
        Some(format!("{workers} workers, {own} of them here, which sent {bytes} bytes in {exchanges} exchanges\n"))
    }
}
