//! The CPU GraphVM: every operator, with the user's functions inlined, becomes machine code (Cranelift) that a team of
//! threads runs over ranges of vertices.
//!
//! | file | concept |
//! |---|---|
//! | `codegen/` | GraphIR functions and operators to kernels |
//! | `abi` | what kernels and runtime agree on |
//! | `executable` | kernels of a module, operator calls |
//! | `edges`, `vertices` | carrying out an edge or a vertex operator |
//! | `joined` | a pull and the vertex operator behind it in one pass |
//! | `drive`, `team`, `pool` | chunks, workers, threads |
//! | `sharing` | how many threads share a step |
//! | `choose` | the rules for the schedule taken when nobody gives one |
//! | `tuning` | constants that were measured |
//! | `capability` | which schedules can be run |
//! | `set`, `loan` | frontiers as maps, and in the form that a kernel wants |
//! | `eager`, `ordered`, `fetch` | ordered loops with eager buckets |
//! | `lazy`, `constant_sum` | lazy buckets, sums counted before they are added |
//! | `par_for` | loops whose bodies become kernels |
//! | `intersect` | common neighbours |
//!
//! Nothing here knows an algorithm. What is not compiled (printing, extern functions) runs on the
//! reference machine.

mod abi;
mod bits;
mod capability;
mod choose;
mod chunks;
mod codegen;
mod constant_sum;
mod drive;
mod eager;
mod edges;
mod executable;
mod fetch;
mod groups;
mod helpers;
mod intersect;
mod joined;
mod lazy;
mod list_form;
mod loan;
mod ordered;
mod par_for;
mod pool;
mod reduce;
mod set;
mod sharing;
mod slots;
mod spare;
mod team;
mod tuning;
mod vertices;

use std::sync::{Arc, Mutex, OnceLock};

use gw_exec::{Choice, Executable, GraphFacts, GraphVm, MachineReport, Needs, ReferenceVm, Result, host_needs};
use gw_graph::Graph;
use gw_ir::module::Module;
use gw_schedule::{Capabilities, Family};

pub use bits::{set_of_bits, with_bits};
pub use capability::kernel_capabilities;
pub use codegen::Listing;
use executable::CpuExecutable;
use sharing::Sharing;
use team::Team;

/// The CPU machine.
pub struct CpuVm {
    threads: usize,
    sharing: Sharing,
    /// The threads of all that runs on this machine: of two teams, one would be in the way of the other.
    team: OnceLock<Arc<Mutex<Team>>>,
}

impl CpuVm {
    /// A machine with this many threads; 0 means all cores.
    pub fn new(threads: usize) -> Self {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if threads == 0 { cores() } else { threads };
        CpuVm { threads, sharing: Sharing::USUAL, team: OnceLock::new() }
    }

    /// A machine that shares even the smallest work among its threads, in the smallest chunks: for tests that look for
    /// races.
    pub fn with_tiny_chunks(threads: usize) -> Self {
        CpuVm { sharing: Sharing::TINY, ..CpuVm::new(threads) }
    }

    /// A machine that carries out every operator in its own call, even where two could share a pass: for machines
    /// that stand on this one and look at the vectors after each call.
    pub fn one_by_one(threads: usize) -> Self {
        CpuVm { sharing: Sharing { joined_members: usize::MAX, ..Sharing::USUAL }, ..CpuVm::new(threads) }
    }

    /// Cranelift's intermediate form and the assembly of every kernel of a module.
    pub fn listings(&self, module: Arc<Module>) -> Result<Vec<(String, Listing)>> {
        Ok(self.executable(module)?.listings())
    }

    fn executable(&self, module: Arc<Module>) -> Result<CpuExecutable> {
        let reference = ReferenceVm::new().prepare(Arc::clone(&module))?;
        let team = self.team.get_or_init(|| Arc::new(Mutex::new(Team::new(self.threads))));
        CpuExecutable::new(module, Arc::clone(team), self.sharing, reference)
    }
}

impl GraphVm for CpuVm {
    fn name(&self) -> &str {
        "cpu"
    }

    fn family(&self) -> Family {
        Family::Cpu
    }

    fn renumbers_from(&self) -> Option<u32> {
        Some(tuning::RENUMBERS_FROM)
    }

    fn capabilities(&self) -> Capabilities {
        capability::capabilities()
    }

    fn threads(&self) -> u64 {
        self.threads as u64
    }

    fn prepare(&self, module: Arc<Module>) -> Result<Box<dyn Executable>> {
        Ok(Box::new(self.executable(module)?))
    }

    fn choose(&self, module: Module, graph: &Graph) -> (Module, Choice) {
        choose::choose(module, &GraphFacts::of(graph))
    }

    fn needs(&self, module: &Module, graph: &Graph) -> Result<Needs> {
        Ok(host_needs(module, graph))
    }
}

impl MachineReport for CpuVm {}
