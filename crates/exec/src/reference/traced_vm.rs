//! The reference machine that tells a listener what it does.

use std::sync::Arc;

use gw_graph::Graph;
use gw_ir::module::Module;
use gw_schedule::{Capabilities, Family};

use super::prepare_traced;
use crate::choice::Choice;
use crate::error::Result;
use crate::needs::{Needs, host_needs};
use crate::trace::SharedTrace;
use crate::vm::{Executable, GraphVm, MachineReport};

/// The reference machine that tells a [`Trace`](crate::Trace) what it does.
#[derive(Clone)]
pub struct TracedVm {
    trace: SharedTrace,
    family: Family,
}

impl TracedVm {
    /// A machine of this family that reports to `trace`: passes fill open settings with the family's defaults.
    pub fn new(trace: SharedTrace, family: Family) -> TracedVm {
        TracedVm { trace, family }
    }
}

impl GraphVm for TracedVm {
    fn name(&self) -> &str {
        "traced"
    }

    fn family(&self) -> Family {
        self.family
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::everything("traced")
    }

    fn threads(&self) -> u64 {
        1
    }

    fn prepare(&self, module: Arc<Module>) -> Result<Box<dyn Executable>> {
        prepare_traced(module, Arc::clone(&self.trace))
    }

    fn choose(&self, module: Module, _: &Graph) -> (Module, Choice) {
        (module, Choice::without_rule())
    }

    fn needs(&self, module: &Module, graph: &Graph) -> Result<Needs> {
        Ok(host_needs(module, graph))
    }
}

impl MachineReport for TracedVm {}
