//! The GPU GraphVM: every operator, with the user's functions, becomes CUDA C++ that is compiled at run time.
//!
//! | file | concept |
//! |---|---|
//! | `codegen/` | GraphIR regions to CUDA C++ |
//! | `listings` | the code of a module, for readers |
//! | `expected` | the kernels of a run, before it begins |
//! | `executable` | a module on the device: its kernels |
//! | `operator_calls`, `fused`, `queue_calls` | operators, loops and queues of a run |
//! | `answers` | what the executor asks: the contract of machines |
//! | `requirements` | what a kernel takes for granted about lengths, compared before its launch |
//! | `launch` | from values to arguments, from results to values |
//! | `launch_values` | the values of one launch |
//! | `work_memory` | memory that kernels work in, kept from kernel to kernel |
//! | `faults` | from the fault of a kernel to an error with its place |
//! | `residency` | graphs on the device |
//! | `contract`, `ranks` | graphs between labels and positions in order, made on the device |
//! | `changing/` | lists that change, in blocks, and batches of changes on the device |
//! | `renumber` | lists under other numbers, made on the device |
//! | `vectors`, `set`, `queue` | vectors, sets and queues of a run |
//! | `kernels` | kernels that belong to no operator |
//! | `told` | what step records tell of an operator |
//! | `needs`, `plan` | the memory of a run before it begins; the machine without a device |
//! | `peak` | the bandwidth of the device's memory |
//! | `error` | errors of the device as the executor reports them |
//! | `capability`, `choose` | which schedules can be run, and which is taken when nobody gives one |
//!
//! The GPU itself is the crate device. Nothing here knows an algorithm.

mod answers;
mod bindings;
mod capability;
mod changing;
mod choose;
mod codegen;
mod context;
mod contract;
mod edges_read;
mod error;
mod executable;
mod expected;
mod faults;
mod fused;
mod kernels;
mod launch;
mod launch_values;
mod listings;
mod needs;
mod operator_calls;
mod outcomes;
mod peak;
mod plan;
mod prepared;
mod queue;
mod queue_calls;
mod ranks;
mod renumber;
mod requirements;
mod residency;
mod set;
mod sums;
mod tuning;
mod vectors;
mod work_memory;

use std::sync::Arc;

use gw_device::nvidia::NvidiaDevice;
use gw_device::{Address, Device, DeviceError, Facts, Unit};
use gw_exec::{
    Choice, DeviceFacts, EdgeChange, ErrorKind, ExecError, Executable, GraphFacts, GraphVm, MachineReport,
    MachineUsage, Needs, Result, StartStep,
};
use gw_graph::{AdjacencyId, Graph};
use gw_ir::module::Module;
use gw_schedule::Capabilities;

pub use changing::{AppliedChanges, DeviceLists, EdgeChanges, Occupancy};
use context::Context;
pub use plan::PlanVm;

/// The CUDA machine.
pub struct CudaVm {
    context: Arc<Context>,
    start: Vec<StartStep>,
}

impl CudaVm {
    /// The machine on the first NVIDIA GPU.
    pub fn open() -> std::result::Result<CudaVm, DeviceError> {
        Ok(CudaVm::on(Arc::new(NvidiaDevice::open()?)))
    }

    /// The machine on a given device.
    pub fn on(device: Arc<dyn Device>) -> CudaVm {
        CudaVm::with_few_rounds(device, launch::LAST_ROUND)
    }

    /// The machine on a given device, whose programs soon run out of numbers for rounds: for tests.
    #[doc(hidden)]
    pub fn with_few_rounds(device: Arc<dyn Device>, rounds: u32) -> CudaVm {
        let start = device.start_steps().iter().map(|step| StartStep { what: step.what, seconds: step.seconds });
        CudaVm { start: start.collect(), context: Context::new(device, rounds) }
    }

    /// An error where the lists of the graph and the vectors need more memory than the device has: better before the
    /// first transfer than in the middle of a run.
    fn refuse_what_never_fits(&self, module: &Module, graph: &Graph) -> Result<()> {
        let has = self.context.device.facts().memory;
        // Sets and balancers are told at their most, and so cannot be a reason.
        let sure = needs::needs(module, graph)?.parts.into_iter().filter(|need| need.host_bytes > 0);
        let sure: Vec<_> = sure.filter(|need| need.device_bytes > 0).collect();
        let needed: u64 = sure.iter().map(|need| need.device_bytes).sum();
        if needed <= has {
            return Ok(());
        }
        let size = |bytes: u64| gw_graph::memory::human_bytes(bytes.into());
        let listed: Vec<String> =
            sure.iter().map(|need| format!("{} {}", need.what, size(need.device_bytes))).collect();
        let what = format!(
            "the run needs {} on the device ({}), which has {}; it",
            size(needed),
            listed.join(", "),
            size(has)
        );
        Err(ErrorKind::OutOfMemory { what }.into())
    }

    /// What is known about the device.
    pub fn facts(&self) -> Facts {
        self.context.device.facts().clone()
    }
}

/// The CUDA C++ of every kernel of a module, for graphs with 32-bit offsets and the declared weights. Needs no GPU.
pub fn listings(module: &Arc<Module>) -> Result<Vec<Unit>> {
    units(module, false)
}

/// The CUDA C++ of all kernels that a run of a module may launch: those of [`listings`], the operators of loops,
/// which the host calls where a loop cannot run as a whole, and the code of every operator that checks all accesses.
/// Needs no GPU.
pub fn all_kernels(module: &Arc<Module>) -> Result<Vec<Unit>> {
    units(module, true)
}

/// The CUDA C++ of [`all_kernels`] for graphs that change, whose lists stand apart. Needs no GPU.
pub fn kernels_of_changing_graphs(module: &Arc<Module>) -> Result<Vec<Unit>> {
    told(listings::listings_apart(module))
}

fn units(module: &Arc<Module>, everything: bool) -> Result<Vec<Unit>> {
    told(listings::listings(module, everything))
}

fn told(made: std::result::Result<Vec<codegen::Generated>, codegen::Refusal>) -> Result<Vec<Unit>> {
    let made = made.map_err(|r| ExecError::from(ErrorKind::Unsupported(r.reason)).at(r.span))?;
    Ok(made.into_iter().map(|g| g.unit).collect())
}

/// The CUDA C++ of the kernels that belong to no program, such as those that answer for queues. Needs no GPU.
pub fn own_kernels() -> Vec<Unit> {
    let of_programs = kernels::all().into_iter().map(|g| g.unit);
    let renumbering = [(false, false), (false, true), (true, false), (true, true)];
    let renumbering = renumbering.map(|(wide, apart)| renumber::unit(wide, apart));
    let made = [contract::keys_unit(), contract::rows_unit(), ranks::unit()];
    of_programs.chain(renumbering).chain(made).chain(changing::units()).collect()
}

/// The schedules that the CUDA machine can execute. Needs no GPU.
pub fn capabilities() -> Capabilities {
    capability::capabilities()
}

/// The schedule that the CUDA machine takes for a module as lowered and a graph. Needs no GPU.
pub fn choose(module: Module, graph: &Graph) -> (Module, Choice) {
    choose::choose(module, graph)
}

/// As [`choose`], for a graph of which only these facts are known. Needs no GPU.
pub fn choose_by_facts(module: Module, graph: &GraphFacts) -> (Module, Choice) {
    choose::choose_by_facts(module, graph)
}

impl GraphVm for CudaVm {
    fn name(&self) -> &str {
        "cuda"
    }

    fn family(&self) -> gw_schedule::Family {
        gw_schedule::Family::Gpu
    }

    fn capabilities(&self) -> Capabilities {
        capabilities()
    }

    fn threads(&self) -> u64 {
        self.context.device.facts().resident_threads()
    }

    fn prepare(&self, module: Arc<Module>) -> Result<Box<dyn Executable>> {
        Ok(Box::new(executable::CudaExecutable::new(Arc::clone(&self.context), module)?))
    }

    fn prepare_for(&self, module: Arc<Module>, graph: &Graph) -> Result<Box<dyn Executable>> {
        self.refuse_what_never_fits(&module, graph)?;
        let executable = executable::CudaExecutable::new(Arc::clone(&self.context), module)?;
        self.context.device.compile_ahead(executable.expected(graph));
        Ok(Box::new(executable))
    }

    fn choose(&self, module: Module, graph: &Graph) -> (Module, Choice) {
        choose(module, graph)
    }

    fn renumbers_from(&self) -> Option<u32> {
        Some(tuning::RENUMBERS_FROM)
    }

    fn needs(&self, module: &Module, graph: &Graph) -> Result<Needs> {
        let device_has = Some(self.context.device.facts().memory);
        let device_free = self.context.device.free_bytes().ok();
        Ok(Needs { device_has, device_free, ..needs::needs(module, graph)? })
    }

    fn follow(
        &self,
        before: AdjacencyId,
        after: &Arc<Graph>,
        changes: &mut dyn Iterator<Item = EdgeChange>,
    ) -> Result<bool> {
        // No run is under way; one that was cancelled has left its flag raised, and the device would refuse to wait.
        self.context.device.watch(None, Address::default());
        self.context.residency.versions.follow(before, after, changes).map_err(error::exec_error)
    }
}

impl MachineReport for CudaVm {
    fn usage(&self) -> Option<MachineUsage> {
        let usage = self.context.device.usage();
        Some(MachineUsage {
            compile_seconds: usage.compile_seconds,
            compiled: usage.compiled,
            cached: usage.cached,
            transfer_seconds: usage.transfer_seconds,
            download_seconds: usage.download_seconds,
            uploaded_bytes: usage.uploaded,
            downloaded_bytes: usage.downloaded,
            launches: usage.launches,
            waits: usage.waits,
        })
    }

    fn report(&self) -> Option<String> {
        self.context.device.report()
    }

    fn start_steps(&self) -> &[StartStep] {
        &self.start
    }

    fn device(&self) -> Option<DeviceFacts> {
        let facts = self.facts();
        Some(DeviceFacts {
            capability: format!("{}.{}", facts.capability.0, facts.capability.1),
            name: facts.name,
            processors: facts.processors,
            memory_bytes: facts.memory,
            cache_bytes: facts.cache,
            driver: facts.driver,
            compiler: facts.compiler,
            described_bandwidth: facts.bandwidth,
            // A device too full to copy within is described all the same.
            copy_bandwidth: peak::copy_bandwidth(&self.context.device).ok(),
        })
    }
}
