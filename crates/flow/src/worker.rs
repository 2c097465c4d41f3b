//! The machine of one follower: its executables find their place when a run begins.

use std::sync::Arc;

use gw_cpu::CpuVm;
use gw_exec::{Choice, Executable, GraphVm, MachineReport, Needs, Result, host_needs};
use gw_graph::Graph;
use gw_ir::module::Module;
use gw_schedule::{Capabilities, Family};

use crate::cluster::Manners;
use crate::executable::FlowExecutable;
use crate::run::{Seat, Start};
use crate::session::Traffic;

/// A worker that follows the run of another.
pub(crate) struct WorkerVm {
    seat: Seat,
    traffic: Arc<Traffic>,
    local: CpuVm,
    manners: Manners,
}

impl WorkerVm {
    /// A worker with this many threads for its kernels.
    pub(crate) fn new(seat: Seat, traffic: Arc<Traffic>, threads: usize, manners: Manners) -> WorkerVm {
        WorkerVm { seat, traffic, local: CpuVm::one_by_one(threads), manners }
    }
}

impl GraphVm for WorkerVm {
    fn name(&self) -> &str {
        crate::capability::NAME
    }

    fn family(&self) -> Family {
        Family::Cpu
    }

    fn capabilities(&self) -> Capabilities {
        crate::capability::capabilities()
    }

    /// Workers may have different numbers of threads, and all must compute the same.
    fn threads(&self) -> u64 {
        1
    }

    fn prepare(&self, module: Arc<Module>) -> Result<Box<dyn Executable>> {
        let local = self.local.prepare(Arc::clone(&module))?;
        let (seat, traffic) = (Arc::clone(&self.seat), Arc::clone(&self.traffic));
        let start = Start::Follower { seat, traffic, manners: self.manners };
        Ok(Box::new(FlowExecutable::new(&module, local, start)?))
    }

    fn choose(&self, module: Module, graph: &Graph) -> (Module, Choice) {
        crate::choose::choose(module, graph)
    }

    fn needs(&self, module: &Module, graph: &Graph) -> Result<Needs> {
        Ok(host_needs(module, graph))
    }
}

impl MachineReport for WorkerVm {}
