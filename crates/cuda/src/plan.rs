//! The CUDA machine without a device: it chooses schedules and tells what runs would need, and runs nothing.

use std::sync::Arc;

use gw_exec::{Choice, ErrorKind, Executable, GraphVm, MachineReport, Needs, Result};
use gw_graph::Graph;
use gw_ir::module::Module;
use gw_schedule::{Capabilities, Family};

/// The machine as far as it can be known without a GPU.
pub struct PlanVm;

impl GraphVm for PlanVm {
    fn name(&self) -> &str {
        "cuda"
    }

    fn family(&self) -> Family {
        Family::Gpu
    }

    fn capabilities(&self) -> Capabilities {
        crate::capabilities()
    }

    fn threads(&self) -> u64 {
        1
    }

    fn prepare(&self, _: Arc<Module>) -> Result<Box<dyn Executable>> {
        Err(ErrorKind::Unsupported("there is no GPU to run programs on; see `gw devices`".into()).into())
    }

    fn choose(&self, module: Module, graph: &Graph) -> (Module, Choice) {
        crate::choose(module, graph)
    }

    fn needs(&self, module: &Module, graph: &Graph) -> Result<Needs> {
        crate::needs::needs(module, graph)
    }
}

impl MachineReport for PlanVm {}
