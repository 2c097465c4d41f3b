//! The machine of one follower: its executables are connected already.

use std::sync::{Arc, Mutex, PoisonError};

use gw_cpu::CpuVm;
use gw_exec::{ErrorKind, Executable, GraphVm, Result};
use gw_ir::module::Module;
use gw_schedule::{Capabilities, Family};

use crate::executable::FlowExecutable;
use crate::run::Start;
use crate::session::Traffic;
use crate::wires::Wires;

/// A worker that follows the run of another.
pub(crate) struct WorkerVm {
    wires: Mutex<Option<Wires>>,
    traffic: Arc<Traffic>,
    local: CpuVm,
}

impl WorkerVm {
    /// A worker with this many threads for its kernels.
    pub(crate) fn new(wires: Wires, traffic: Arc<Traffic>, threads: usize) -> WorkerVm {
        WorkerVm { wires: Mutex::new(Some(wires)), traffic, local: CpuVm::one_by_one(threads) }
    }
}

impl GraphVm for WorkerVm {
    fn name(&self) -> &str {
        crate::NAME
    }

    fn family(&self) -> Family {
        Family::Cpu
    }

    fn capabilities(&self) -> Capabilities {
        crate::capability::capabilities()
    }

    fn prepare(&self, module: Arc<Module>) -> Result<Box<dyn Executable>> {
        let wires = self.wires.lock().unwrap_or_else(PoisonError::into_inner).take();
        if wires.is_none() {
            return Err(ErrorKind::Machine("a follower runs once".to_string()).into());
        }
        let local = self.local.prepare(Arc::clone(&module))?;
        let start = Start::Follower { wires, traffic: Arc::clone(&self.traffic) };
        Ok(Box::new(FlowExecutable::new(&module, local, start)?))
    }
}
