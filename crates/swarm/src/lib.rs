//! The Swarm GraphVM: graph programs as ordered speculative tasks, and the simulator that runs them.
//!
//! | module | concept |
//! |---|---|
//! | [`sim`] | the simulated machine: it knows tasks, no graphs |
//! | [`lower`] | GraphIR operators and loops as task programs |
//! | `bind`, `executable` | names to memory, operator calls to runs |
//! | [`emit`] | the program as C++ with ordered loops, for people |
//! | [`report`], [`page`] | what a run tells, in lines and as a page |
//!
//! Loops over frontiers and priority queues become tasks without barriers; other operators become a tree of tasks each.
//! Operators that cannot become tasks (prints, extern functions, random draws) run on the reference machine; the report
//! names them.

mod bind;
pub mod emit;
mod executable;
pub mod lower;
pub mod page;
pub mod report;
pub mod sim;

use std::sync::{Arc, Mutex, PoisonError};

use gw_exec::{Choice, DeviceFacts, Executable, GraphVm, MachineReport, Needs, ReferenceVm, Result, host_needs};
use gw_graph::Graph;
use gw_ir::module::Module;
use gw_schedule::{Axis, Capabilities, Dedup, Direction, EdgeFilter, EdgeForm, Family, LoadBalance, PriorityUpdate};

use executable::SwarmExecutable;
pub use report::Report;
pub use sim::config::{Config, ConfigError};

/// The Swarm machine.
pub struct SwarmVm {
    config: Config,
    report: Arc<Mutex<Report>>,
}

impl SwarmVm {
    /// A machine with these parameters.
    pub fn new(config: Config) -> std::result::Result<SwarmVm, ConfigError> {
        Ok(SwarmVm { config: config.checked()?, report: Arc::default() })
    }

    /// What the last run on this machine told.
    pub fn last_report(&self) -> Report {
        self.report.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The task programs of a module: a title and the functions of each.
    pub fn listings(&self, module: &Arc<Module>) -> Result<Vec<(String, Vec<String>)>> {
        let executable = self.executable(module)?;
        let programs = executable.programs().into_iter();
        Ok(programs
            .map(|(title, code)| {
                let functions = code.functions.iter().enumerate().map(|(at, function)| format!("{at} {function}"));
                (title, functions.collect())
            })
            .collect())
    }

    fn executable(&self, module: &Arc<Module>) -> Result<SwarmExecutable> {
        let reference = ReferenceVm::new().prepare(Arc::clone(module))?;
        SwarmExecutable::new(module, reference, self.config.clone(), Arc::clone(&self.report))
    }
}

impl GraphVm for SwarmVm {
    fn name(&self) -> &str {
        "swarm"
    }

    fn family(&self) -> Family {
        Family::Swarm
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::new("swarm")
            .allow(Axis::Direction, &[Direction::Push])
            .allow(Axis::LoadBalance, &[LoadBalance::VertexBased, LoadBalance::EdgeBased])
            .allow(Axis::Edges, &[EdgeForm::Csr])
            .allow(Axis::Update, &[PriorityUpdate::Lazy])
            .allow_all(Axis::Delta)
            .allow(Axis::Dedup, Dedup::ALL)
            .allow_all(Axis::Queue)
            .allow_all(Axis::Coarsen)
            .allow_all(Axis::Hint)
            .allow_all(Axis::Stride)
            .allow(Axis::Filter, EdgeFilter::ALL)
    }

    fn threads(&self) -> u64 {
        1
    }

    fn prepare(&self, module: Arc<Module>) -> Result<Box<dyn Executable>> {
        Ok(Box::new(self.executable(&module)?))
    }

    fn choose(&self, module: Module, _: &Graph) -> (Module, Choice) {
        (module, Choice::without_rule())
    }

    fn needs(&self, module: &Module, graph: &Graph) -> Result<Needs> {
        Ok(host_needs(module, graph))
    }
}

impl MachineReport for SwarmVm {
    fn device(&self) -> Option<DeviceFacts> {
        let config = &self.config;
        let bytes = config.memory_controllers as f64 * 64.0 / config.memory_line_cycles.max(1) as f64;
        Some(DeviceFacts {
            name: format!("simulated Swarm machine with {} cores", config.cores),
            capability: format!("{} tiles", config.tiles()),
            processors: config.cores as u32,
            memory_bytes: 0,
            cache_bytes: (0..config.tiles()).map(|tile| config.llc_bytes(tile)).sum(),
            driver: String::new(),
            compiler: String::new(),
            described_bandwidth: bytes * config.frequency_ghz * 1e9,
            copy_bandwidth: None,
        })
    }

    fn report(&self) -> Option<String> {
        Some(self.last_report().in_words())
    }
}
