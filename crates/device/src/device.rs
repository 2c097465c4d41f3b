//! What Graphwright needs of a GPU: memory, compiled kernels, launches, time. One implementation drives an NVIDIA GPU;
//! tests have another that runs the same kernels on the CPU.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// An address in device memory; 0 is no address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Address(pub u64);

impl Address {
    /// The address so many bytes further on.
    pub fn offset(self, bytes: usize) -> Address {
        Address(self.0 + bytes as u64)
    }
}

/// What is known about a device.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// Its name.
    pub name: String,
    /// Compute capability, e.g. `(9, 0)`.
    pub capability: (u32, u32),
    /// Multiprocessors.
    pub processors: u32,
    /// Bytes of memory.
    pub memory: u64,
    /// Bytes of the second-level cache.
    pub cache: u64,
    /// Peak bytes per second of its memory as the driver describes it.
    pub bandwidth: f64,
    /// Version of the driver, e.g. `13.0`.
    pub driver: String,
    /// Version of the compiler, e.g. `NVRTC 13.0`.
    pub compiler: String,
    /// Blocks of one grid can be made to wait for each other.
    pub cooperative: bool,
    /// The device can launch a kernel again by itself ([`Device::launch_while`]).
    pub repeats: bool,
}

impl Facts {
    /// Threads that can be on the device at once. The numbers per multiprocessor are those of the CUDA programming
    /// guide, table of technical specifications per compute capability.
    pub fn resident_threads(&self) -> u64 {
        let per_processor = match self.capability {
            (7, 5) => 1024,
            (8, 6 | 7 | 9) | (12, _) => 1536,
            _ => 2048,
        };
        per_processor * u64::from(self.processors)
    }

    /// Why the device cannot launch kernels by itself; `None` when it can.
    pub fn no_repeats(&self) -> Option<DeviceError> {
        let reason = || {
            format!(
                "launches that the device repeats need a driver of CUDA 12.4 or newer with conditional nodes in graphs; this \
                 one is of CUDA {}",
                self.driver
            )
        };
        (!self.repeats).then(|| DeviceError::Lacking(reason()))
    }
}

/// A compiled kernel, ready to launch; clones share it.
#[derive(Clone)]
pub struct Kernel {
    /// Its name in the source.
    pub name: Arc<str>,
    /// Blocks that one multiprocessor can hold at once, for the block size and shared memory it was compiled for.
    pub blocks_per_processor: u32,
    /// Registers per thread, when known.
    pub registers: u32,
    /// The device's own handle.
    pub handle: Arc<dyn std::any::Any + Send + Sync>,
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kernel({})", self.name)
    }
}

/// A kernel to be compiled: one translation unit with one `extern "C" __global__` function.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Unit {
    /// Name of the kernel function.
    pub name: String,
    /// The source. It includes headers of [`crate::headers`] by name and nothing else.
    pub source: String,
    /// Threads per block it will be launched with.
    pub block: u32,
}

/// How a kernel is launched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    /// Blocks.
    pub grid: u32,
    /// Threads per block.
    pub block: u32,
    /// The blocks wait for each other: all must be on the device at once.
    pub cooperative: bool,
}

/// What can go wrong on a device.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DeviceError {
    /// There is no usable device.
    #[error("{0}")]
    Missing(String),
    /// Memory does not suffice.
    #[error("{needed} bytes of device memory are needed, {free} are free")]
    OutOfMemory {
        /// Bytes asked for.
        needed: u64,
        /// Bytes that were free.
        free: u64,
    },
    /// The memory of the host does not suffice for what goes to the device.
    #[error(transparent)]
    HostMemory(#[from] gw_graph::memory::OutOfMemory),
    /// The compiler refused a kernel.
    #[error("the device compiler refused `{kernel}`:\n{log}")]
    Compile {
        /// The kernel.
        kernel: String,
        /// What the compiler said.
        log: String,
    },
    /// The device or its driver lacks something that not all of them have.
    #[error("{0}")]
    Lacking(String),
    /// The run was stopped while the host waited for the device.
    #[error("the run was stopped while the device was at work")]
    Stopped,
    /// A kernel did not end when its run was stopped, and nothing can be done on the device any more.
    #[error("the device is still at work on a run that was stopped; it is free again when this process ends")]
    Lost,
    /// A call failed.
    #[error("{call} failed: {reason}")]
    Call {
        /// The call.
        call: &'static str,
        /// The error of the driver.
        reason: String,
    },
}

impl From<gw_graph::GraphError> for DeviceError {
    fn from(error: gw_graph::GraphError) -> Self {
        match error {
            gw_graph::GraphError::Memory(refused) => DeviceError::HostMemory(refused),
            other => DeviceError::Call { call: "reading a graph", reason: other.to_string() },
        }
    }
}

/// Time and traffic of a device since it was opened; differences of two say what happened in between.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// Bytes sent to the device.
    pub uploaded: u64,
    /// Bytes read from the device.
    pub downloaded: u64,
    /// Seconds spent on transfers of more than a few bytes, in both directions.
    pub transfer_seconds: f64,
    /// The part of these seconds that was spent on transfers from the device.
    pub download_seconds: f64,
    /// Seconds spent on compiling kernels and loading them.
    pub compile_seconds: f64,
    /// Kernels compiled, not found in a cache.
    pub compiled: u64,
    /// Kernels found in a cache on disk.
    pub cached: u64,
    /// Kernels launched by the host; one that the device repeats counts once.
    pub launches: u64,
    /// Times the host waited for the device.
    pub waits: u64,
}

/// A step of opening a device, such as starting a driver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StartStep {
    /// What was done.
    pub what: &'static str,
    /// Seconds it took.
    pub seconds: f64,
}

/// A point in the stream of work, for timing.
#[derive(Clone)]
pub struct Mark(pub Arc<dyn std::any::Any + Send + Sync>);

/// A GPU with one stream of work. Calls other than downloads and `wait` may return before the work is done; work is
/// done in the order of the calls.
pub trait Device: Send + Sync {
    /// What is known about it.
    fn facts(&self) -> &Facts;

    /// Takes memory, aligned to 256 bytes, from a pool.
    fn allocate(&self, bytes: usize) -> Result<Address, DeviceError>;

    /// Returns memory to the pool, once the work enqueued so far is done with it.
    fn release(&self, address: Address);

    /// Bytes that could still be allocated.
    fn free_bytes(&self) -> Result<u64, DeviceError>;

    /// Copies to the device.
    fn upload(&self, to: Address, from: &[u8]) -> Result<(), DeviceError>;

    /// Copies from the device, after all work enqueued before.
    fn download(&self, to: &mut [u8], from: Address) -> Result<(), DeviceError>;

    /// Copies within the device.
    fn copy(&self, to: Address, from: Address, bytes: usize) -> Result<(), DeviceError>;

    /// Sets `count` cells of 1 or 4 bytes (`bytes`) to the low bytes of `value`.
    fn fill(&self, to: Address, value: u32, bytes: usize, count: usize) -> Result<(), DeviceError>;

    /// Compiles a kernel, or finds it in a cache.
    fn compile(&self, unit: &Unit) -> Result<Kernel, DeviceError>;

    /// Begins to compile kernels that [`Device::compile`] is expected to be asked for, side by side, where the device
    /// can do that. What goes wrong is told when the kernel is asked for.
    fn compile_ahead(&self, _units: Vec<Unit>) {}

    /// Enqueues a kernel. `arguments` are the bytes of its one parameter, a struct passed by value.
    fn launch(&self, kernel: &Kernel, launch: Launch, arguments: &[u8]) -> Result<(), DeviceError>;

    /// Enqueues a kernel that the device launches again and again, without the host, until the kernel sets its
    /// condition to zero (`condition.cuh`). Every launch must set it. The kernel's parameter is `arguments` and,
    /// behind them, 8 bytes that the device adds: the handle of the condition.
    ///
    /// [`DeviceError::Lacking`] where [`Facts::repeats`] is false.
    fn launch_while(&self, kernel: &Kernel, launch: Launch, arguments: &[u8]) -> Result<(), DeviceError>;

    /// Waits until all work is done.
    fn wait(&self) -> Result<(), DeviceError>;

    /// Marks this point in the stream.
    fn mark(&self) -> Result<Mark, DeviceError>;

    /// Seconds between two marks; waits for the second.
    fn seconds(&self, from: &Mark, to: &Mark) -> Result<f64, DeviceError>;

    /// Time and traffic so far.
    fn usage(&self) -> Usage;

    /// What the device has to tell a person about its work so far.
    fn report(&self) -> Option<String> {
        None
    }

    /// What opening the device took, step by step.
    fn start_steps(&self) -> &[StartStep] {
        &[]
    }

    /// From now on calls that wait give up with [`DeviceError::Stopped`] soon after the flag is raised, after the
    /// word at `word`, if that is an address, was set to 1 for kernels to see. A kernel that does not end then is
    /// left to itself, and the device is of no use any more ([`DeviceError::Lost`]). `None`: calls wait as long as it
    /// takes.
    fn watch(&self, stop: Option<Arc<AtomicBool>>, word: Address);
}
