//! The distributed GraphVM: every worker owns a range of the vertices with their edges, runs the CPU machine's kernels
//! on them, and exchanges with the others what they must know. What carries the bytes is a fabric (crate `fabric`).
//!
//! | file | concept |
//! |---|---|
//! | `cluster` | which workers take part |
//! | `session` | a worker's place in a run; what all workers do together |
//! | `agreement` | what all processes must agree on |
//! | `cut` | who owns which vertices |
//! | `shares` | graphs that every process has a share of |
//! | `plan` | what an operator needs to know before, and to tell after |
//! | `obstacle` | what keeps workers from sharing an operator, in the words of the program |
//! | `prepared` | the operators of a module with their plans |
//! | `executable` | a module on one worker: the calls of its operators |
//! | `local_half` | a worker's share of one operator, between what it fetches and what it tells |
//! | `alone` | operators that the first worker carries out for all |
//! | `settle` | pushes whose changes only owners hear of, and how far a worker goes before it tells them |
//! | `bound`, `scalars` | vectors and global scalars of one call |
//! | `truth` | which entries of vectors are true on a worker |
//! | `mirrors` | who needs which vertices |
//! | `changes` | what was changed in a vector that all may write |
//! | `reach` | the entries that a push from few vertices can reach |
//! | `message` | numbers as bytes |
//! | `sets` | vertex sets as bytes, and the members that a worker owns |
//! | `run`, `worker` | the run of the caller and those of its followers |
//! | `capability` | which schedules can be run |
//! | `choose` | the schedule where nobody gives one |
//!
//! Nothing here knows an algorithm.

mod agreement;
mod alone;
mod bound;
mod capability;
mod changes;
mod choose;
mod cluster;
mod cut;
mod executable;
mod local_half;
mod message;
mod mirrors;
mod obstacle;
mod plan;
mod prepared;
mod reach;
mod run;
mod scalars;
mod session;
mod sets;
mod settle;
mod shares;
mod truth;
mod worker;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use gw_cpu::CpuVm;
use gw_exec::{Choice, Executable, GraphVm, MachineReport, Needs, Result, Shortfall, Sites, host_needs};
use gw_graph::Graph;
use gw_ir::module::Module;
use gw_schedule::{Capabilities, Family};

pub use cluster::{Cluster, ClusterError, Exchange, Sync};
use executable::FlowExecutable;
use run::{Follower, Start};
use session::Traffic;

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
        let threads = if threads == 0 { cores() } else { threads };
        let threads = (threads / cluster.workers()).max(1);
        let local = CpuVm::one_by_one(threads);
        FlowVm { cluster: Arc::new(cluster), traffic: Arc::default(), threads, local }
    }
}

impl GraphVm for FlowVm {
    fn name(&self) -> &str {
        capability::NAME
    }

    fn family(&self) -> Family {
        Family::Cpu
    }

    fn capabilities(&self) -> Capabilities {
        capability::capabilities()
    }

    /// Workers may have different numbers of threads, and all must compute the same.
    fn threads(&self) -> u64 {
        1
    }

    fn prepare(&self, module: Arc<Module>) -> Result<Box<dyn Executable>> {
        let local = self.local.prepare(Arc::clone(&module))?;
        let follower = |_| Follower::new(&module, &self.traffic, self.threads, self.cluster.manners());
        let followers = (1..self.cluster.workers()).map(follower).collect::<Result<_>>()?;
        let (cluster, traffic) = (Arc::clone(&self.cluster), Arc::clone(&self.traffic));
        let start = Start::Leader { cluster, traffic, followers, threads: self.threads };
        Ok(Box::new(FlowExecutable::new(&module, local, start)?))
    }

    fn choose(&self, module: Module, graph: &Graph) -> (Module, Choice) {
        choose::choose(module, graph)
    }

    fn shortfalls(&self, optimised: &mut dyn FnMut() -> Option<Module>) -> Vec<Shortfall> {
        if self.cluster.workers_in_all() == 1 {
            return Vec::new();
        }
        let Some(module) = optimised() else { return Vec::new() };
        let obstacles = Sites::of(&module).operators.into_iter().filter_map(|(site, operator)| {
            let obstacle = plan::Plan::of(&module, operator).err()?;
            Some(obstacle.shortfall(site.span))
        });
        let mut found: Vec<Shortfall> = obstacles.collect();
        // Copies of a function for several schedules are one place of the program.
        let mut seen = std::collections::HashSet::new();
        found.retain(|shortfall| seen.insert(shortfall.text.clone()));
        found
    }

    fn needs(&self, module: &Module, graph: &Graph) -> Result<Needs> {
        Ok(host_needs(module, graph))
    }
}

impl MachineReport for FlowVm {
    fn report(&self) -> Option<String> {
        let count = |of: &std::sync::atomic::AtomicU64| of.load(Ordering::Relaxed);
        let (workers, own) = (self.cluster.workers_in_all(), self.cluster.workers());
        let exchanges = count(&self.traffic.exchanges) / own as u64;
        let (sent, shown) = (count(&self.traffic.sent), count(&self.traffic.shown));
        let mut line = format!("{workers} workers, {exchanges} exchanges");
        if own > 1 {
            line += &format!("; {shown} bytes between the {own} workers of this process");
        }
        if self.cluster.number() > 1 {
            line += &format!("; {sent} bytes from this process to the {} others", self.cluster.number() - 1);
        }
        Some(line + "\n")
    }
}
