//! Machines by name: what is registered, what is missing, and which one `auto` is.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use gw_exec::{GraphVm, ReferenceVm};
use gw_schedule::Family;

use super::worth::Worth;
use crate::error::{Error, Result};
use crate::schedule::AUTO;

/// The name of the machine that can run everything that fits into the memory of the host.
pub const CPU: &str = "cpu";

/// A kind of machine: what it is called and how one is opened.
pub trait MachineKind: Send + Sync {
    /// The name on the command line and in records.
    fn name(&self) -> &'static str;
    /// What it is, in one line.
    fn about(&self) -> &'static str;
    /// The family of its schedules.
    fn family(&self) -> Family;
    /// Opens it, or says what is missing.
    fn open(&self, options: &MachineOptions) -> Result<Machine, Missing>;
    /// Whether `auto` may pick it: the first registered kind that can be opened is taken.
    fn is_preferred(&self) -> bool {
        false
    }
    /// Whether opening it takes so long that it is worth a thread of its own ([`Machines::begin`]).
    fn starts_slowly(&self) -> bool {
        false
    }
}

/// How a machine is opened.
#[derive(Debug, Clone, Default)]
pub struct MachineOptions {
    /// Threads of the host to compute with; 0 for all cores.
    pub threads: usize,
}

/// Why a machine cannot be used here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the machine {machine} cannot be used: {lacks}{}", mend.as_ref().map(|m| format!("\n{m}")).unwrap_or_default())]
pub struct Missing {
    /// The machine.
    pub machine: String,
    /// What it lacks.
    pub lacks: String,
    /// What to do about it.
    pub mend: Option<String>,
    /// There is none, as opposed to one that fails.
    pub is_absent: bool,
}

/// A machine ready for use. Clones share it.
#[derive(Clone)]
pub struct Machine {
    vm: Arc<dyn GraphVm>,
    threads: usize,
    start: Start,
}

/// How a machine came about.
#[derive(Debug, Clone, Default)]
pub struct Start {
    /// Seconds that opening the machine took, waited for or not.
    pub seconds: f64,
    /// Threads of the host that were asked for; 0 for all cores.
    pub threads: usize,
    /// The machine was chosen (`auto`) and not asked for: where it has too little memory, the CPU takes over.
    pub is_chosen: bool,
    /// Why this machine was chosen, where the machines were weighed.
    pub worth: Option<Worth>,
    /// Machines that would have been chosen, but are there and fail.
    pub failed: Vec<Missing>,
}

impl Machine {
    /// A machine of one's own; `threads` of the host compute, for the record.
    pub fn new(vm: impl GraphVm + 'static, threads: usize) -> Machine {
        Machine::shared(Arc::new(vm), threads)
    }

    /// A machine that its owner keeps hold of, to ask it about its runs.
    pub fn shared(vm: Arc<dyn GraphVm>, threads: usize) -> Machine {
        Machine { vm, threads, start: Start::default() }
    }

    pub(crate) fn started(self, start: Start) -> Machine {
        Machine { start, ..self }
    }

    /// Opens a standard machine by name: `cpu`, `cuda`, `reference`, or `auto` for the best one at hand.
    ///
    /// ```
    /// let machine = graphwright::Machine::open("cpu")?;
    /// assert_eq!(machine.name(), "cpu");
    /// assert!(graphwright::Machine::open("cup").is_err_and(|e| e.to_string().contains("did you mean `cpu`?")));
    /// # Ok::<(), graphwright::Error>(())
    /// ```
    pub fn open(name: &str) -> Result<Machine> {
        Machines::standard().open(name, &MachineOptions::default())
    }

    /// The CPU of this computer on all its cores; all jobs without a machine share it.
    pub fn usual() -> &'static Machine {
        static USUAL: OnceLock<Machine> = OnceLock::new();
        USUAL.get_or_init(|| cpu(&MachineOptions::default()))
    }

    /// The CPU of this computer; `threads` is 0 for all cores.
    pub fn cpu(threads: usize) -> Machine {
        match threads {
            0 => Machine::usual().clone(),
            _ => cpu(&MachineOptions { threads }),
        }
    }

    /// The name.
    pub fn name(&self) -> &str {
        self.vm.name()
    }

    /// Threads of the host that it computes with.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// How the machine came about.
    pub fn start(&self) -> &Start {
        &self.start
    }

    /// Whether the CPU may take over: the machine was chosen and not asked for, and is another one.
    pub(crate) fn is_replaceable(&self) -> bool {
        self.start.is_chosen && self.name() != CPU
    }

    /// The machine as compilers and measurements see it.
    pub fn vm(&self) -> &dyn GraphVm {
        &*self.vm
    }
}

/// The kinds of machines that programs can run on.
pub struct Machines(Vec<Box<dyn MachineKind>>);

impl Machines {
    /// None yet.
    pub fn none() -> Machines {
        Machines(Vec::new())
    }

    /// Those that come with Graphwright, as it was built.
    pub fn standard() -> Machines {
        let mut machines = Machines::none();
        machines.register(Reference);
        machines.register(Swarm(gw_swarm::Config::default()));
        machines.register(Flow(None));
        #[cfg(feature = "cuda")]
        machines.register(Cuda);
        machines.register(Cpu);
        machines
    }

    /// Adds a kind; it replaces one of the same name.
    pub fn register(&mut self, kind: impl MachineKind + 'static) {
        self.0.retain(|known| known.name() != kind.name());
        self.0.push(Box::new(kind));
    }

    /// All kinds, in the order in which `auto` tries them.
    pub fn iter(&self) -> impl Iterator<Item = &dyn MachineKind> {
        self.0.iter().map(|kind| &**kind)
    }

    /// The kind of this name.
    pub fn find(&self, name: &str) -> Result<&dyn MachineKind> {
        self.iter().find(|kind| kind.name() == name).ok_or_else(|| {
            let names: Vec<&str> = self.iter().map(MachineKind::name).chain([AUTO]).collect();
            Error::UnknownMachine {
                name: name.to_string(),
                nearest: gw_lang::suggest::nearest(name, names.iter().copied()).map(str::to_string),
                known: names.join(", "),
            }
        })
    }

    /// Opens the machine of this name. For `auto` that is the first preferred one that can be used; its
    /// [`Machine::start`] has those that are there but failed.
    pub fn open(&self, name: &str, options: &MachineOptions) -> Result<Machine> {
        let begin = Instant::now();
        let machine = match name {
            AUTO => self.open_auto(options)?,
            name => self.find(name)?.open(options)?,
        };
        let (seconds, threads) = (begin.elapsed().as_secs_f64(), options.threads);
        let start = Start { seconds, threads, ..machine.start.clone() };
        Ok(machine.started(start))
    }

    fn open_auto(&self, options: &MachineOptions) -> Result<Machine> {
        let mut failed = Vec::new();
        for kind in self.iter().filter(|kind| kind.is_preferred()) {
            match kind.open(options) {
                Ok(machine) => {
                    return Ok(machine.started(Start { is_chosen: true, failed, ..Start::default() }));
                }
                Err(missing) if missing.is_absent => {}
                Err(missing) => failed.push(missing),
            }
        }
        let lacks = "no machine that can be used is registered".to_string();
        Err(Missing { machine: AUTO.to_string(), lacks, mend: None, is_absent: true }.into())
    }
}

impl Default for Machines {
    fn default() -> Self {
        Machines::standard()
    }
}

struct Reference;

impl MachineKind for Reference {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn about(&self) -> &'static str {
        "Single-threaded and simple: defines what programs mean"
    }

    fn family(&self) -> Family {
        Family::Cpu
    }

    fn open(&self, _: &MachineOptions) -> Result<Machine, Missing> {
        Ok(Machine::new(ReferenceVm::new(), 1))
    }
}

/// The simulated Swarm machine with these parameters.
pub struct Swarm(pub gw_swarm::Config);

impl MachineKind for Swarm {
    fn name(&self) -> &'static str {
        "swarm"
    }

    fn about(&self) -> &'static str {
        "Simulated machine of ordered speculative tasks: results, and cycles (see `gw swarm`)"
    }

    fn family(&self) -> Family {
        Family::Swarm
    }

    fn open(&self, _: &MachineOptions) -> Result<Machine, Missing> {
        let machine = gw_swarm::SwarmVm::new(self.0.clone()).map_err(|error| Missing {
            machine: "swarm".to_string(),
            lacks: error.to_string(),
            mend: None,
            is_absent: false,
        })?;
        Ok(Machine::new(machine, 1))
    }
}

/// The distributed machine on these workers; on two of this process where none are given.
pub struct Flow(pub Option<gw_flow::Cluster>);

impl Flow {
    /// The machine on this many workers of this process.
    pub fn with_workers(workers: usize) -> Result<Flow, Missing> {
        gw_flow::Cluster::threads(workers).map(|cluster| Flow(Some(cluster))).map_err(missing_workers)
    }
}

fn missing_workers(error: gw_flow::ClusterError) -> Missing {
    Missing { machine: "flow".to_string(), lacks: error.to_string(), mend: None, is_absent: false }
}

impl MachineKind for Flow {
    fn name(&self) -> &'static str {
        "flow"
    }

    fn about(&self) -> &'static str {
        "Workers with parts of the graph, in one process or in several that are connected (see docs/flow.md)"
    }

    fn family(&self) -> Family {
        Family::Cpu
    }

    fn open(&self, options: &MachineOptions) -> Result<Machine, Missing> {
        let cluster = self.0.clone().map_or_else(|| gw_flow::Cluster::threads(2), Ok);
        let cluster = cluster.map_err(missing_workers)?;
        let threads = match options.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let threads_used = threads.max(cluster.workers());
        Ok(Machine::new(gw_flow::FlowVm::new(cluster, threads), threads_used))
    }
}

struct Cpu;

impl MachineKind for Cpu {
    fn name(&self) -> &'static str {
        CPU
    }

    fn about(&self) -> &'static str {
        "Machine code for this computer's processor, on several threads"
    }

    fn family(&self) -> Family {
        Family::Cpu
    }

    fn open(&self, options: &MachineOptions) -> Result<Machine, Missing> {
        Ok(cpu(options))
    }

    fn is_preferred(&self) -> bool {
        true
    }
}

fn cpu(options: &MachineOptions) -> Machine {
    let threads = match options.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    Machine::new(gw_cpu::CpuVm::new(options.threads), threads)
}

#[cfg(feature = "cuda")]
struct Cuda;

#[cfg(feature = "cuda")]
impl MachineKind for Cuda {
    fn name(&self) -> &'static str {
        "cuda"
    }

    fn about(&self) -> &'static str {
        "Machine code for an NVIDIA GPU (see `gw devices`)"
    }

    fn family(&self) -> Family {
        Family::Gpu
    }

    fn open(&self, _: &MachineOptions) -> Result<Machine, Missing> {
        let machine = gw_cuda::CudaVm::open().map_err(|error| Missing {
            machine: "cuda".to_string(),
            lacks: error.to_string(),
            mend: Some("`gw devices` tells more; the machine `cpu` runs on the processor".to_string()),
            is_absent: matches!(error, gw_device::DeviceError::Missing(_)),
        })?;
        Ok(Machine::new(machine, 1))
    }

    fn starts_slowly(&self) -> bool {
        true
    }

    fn is_preferred(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Broken {
        is_absent: bool,
    }

    impl MachineKind for Broken {
        fn name(&self) -> &'static str {
            "broken"
        }

        fn about(&self) -> &'static str {
            "Never opens"
        }

        fn family(&self) -> Family {
            Family::Cpu
        }

        fn open(&self, _: &MachineOptions) -> Result<Machine, Missing> {
            let (machine, lacks) = ("broken".to_string(), "a will of its own".to_string());
            Err(Missing { machine, lacks, mend: None, is_absent: self.is_absent })
        }

        fn is_preferred(&self) -> bool {
            true
        }
    }

    #[test]
    fn auto_passes_over_what_is_missing_and_tells_what_failed() {
        for is_absent in [true, false] {
            let mut machines = Machines::none();
            machines.register(Broken { is_absent });
            machines.register(Cpu);
            let machine = machines.open(AUTO, &MachineOptions { threads: 1 }).unwrap();
            let start = machine.start();
            assert_eq!((machine.name(), machine.threads(), start.failed.is_empty()), ("cpu", 1, is_absent));
            assert!(start.is_chosen && !machine.is_replaceable());
            let error = machines.open("broken", &MachineOptions::default()).err().unwrap().to_string();
            assert_eq!(error, "the machine broken cannot be used: a will of its own");
        }
        assert!(Machines::none().open(AUTO, &MachineOptions::default()).is_err());
    }

    #[test]
    fn a_registered_machine_replaces_one_of_its_name() {
        let mut machines = Machines::standard();
        let count = machines.iter().count();
        machines.register(Cpu);
        assert_eq!(machines.iter().count(), count);
        assert!(machines.find("swan").is_err_and(|e| e.to_string().contains("machines: reference, ")));
    }
}
