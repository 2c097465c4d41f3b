//! An NVIDIA GPU, driven by its driver's interface: libcuda and libnvrtc are loaded when a device is opened, nothing
//! of CUDA is needed before.
//!
//! All work goes through one stream, memory included: what is released may be taken again at once, because whoever
//! uses it next comes later in the stream.

mod ahead;
mod cache;
mod calls;
mod compiler;
mod context;
mod driver;
mod facts;
mod graph;
mod kernel;
mod known;
mod memory;
mod nvrtc;
mod staging;
mod survey;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::{Address, Device, DeviceError, Facts, Kernel, Launch, Mark, StartStep, Unit, Usage};
use ahead::Ahead;
use compiler::Compiler;
use context::{Context, Event};
use driver::call;
use kernel::Loaded;
use known::Known;
use memory::Memory;
use staging::Staging;

pub use cache::Cache;
pub use compiler::compile_only;
pub use survey::{CompilerFound, Gpu, Survey, Version, compiler, survey};

/// Transfers of fewer bytes are not timed: they cost a call, not a transfer.
const TIMED: usize = 4 << 10;

/// Launches after which the host waits for the device although nobody asked.
const UNWAITED: u32 = 512;

/// An opened NVIDIA GPU.
pub struct NvidiaDevice {
    facts: Facts,
    start: Vec<StartStep>,
    ahead: Ahead,
    /// Kernels by the unit they were made of; the inner lock is held while one is made, so that nobody makes it twice.
    kernels: Mutex<HashMap<Unit, Arc<Mutex<Option<Kernel>>>>>,
    usage: Mutex<Usage>,
    /// Kernels launched since the host last waited.
    unwaited: AtomicU32,
    staging: Staging,
    memory: Memory,
    context: Arc<Context>,
}

impl NvidiaDevice {
    /// Opens the GPU with the number in `GW_DEVICE`, 0 without, with the user's cache of kernels.
    ///
    /// The error says what is missing: the driver, a GPU, the compiler, or versions that fit together.
    pub fn open() -> Result<NvidiaDevice, DeviceError> {
        let mut clock = Clock::new();
        driver::load()?;
        clock.step("loading the driver's library");
        let version = driver::start()?;
        clock.step("cuInit");
        let index = chosen(std::env::var_os("GW_DEVICE"), driver::device_count()?)?;
        let device = facts::device(index)?;
        let mut facts = facts::read(device, version)?;
        let cache = Cache::of_user();
        let known = Known::get(&cache, version)?;
        if let Some(obstacle) = facts::obstacle(facts.capability, version, known.version, &known.architectures) {
            return Err(DeviceError::Missing(format!("GPU {index} ({}): {obstacle}", facts.name)));
        }
        let architecture = facts::architecture(facts.capability, &known.architectures);
        let architecture = architecture.map_or_else(String::new, |number| format!("sm_{number}"));
        let compiler = Compiler::new(known, &architecture, cache, version);
        facts.compiler = compiler.version();
        clock.step("finding the compiler");

        let context = Context::open(device)?;
        clock.step("context and streams");
        context.prepare_to_tell()?;
        let memory = Memory::new(&context)?;
        clock.step("pool of memory");
        Ok(NvidiaDevice {
            unwaited: AtomicU32::new(0),
            facts,
            start: clock.steps,
            ahead: Ahead::new(compiler),
            kernels: Mutex::default(),
            usage: Mutex::default(),
            staging: Staging::new(&context),
            memory,
            context,
        })
    }

    /// A kernel that was compiled here.
    fn own<'k>(&self, kernel: &'k Kernel, call: &'static str) -> Result<&'k Loaded, DeviceError> {
        let loaded = kernel.handle.downcast_ref::<Loaded>().filter(|loaded| loaded.is_of(&self.context));
        loaded.ok_or_else(|| {
            let reason = format!("the kernel `{}` was compiled on another device", kernel.name);
            DeviceError::Call { call, reason }
        })
    }

    /// Notes a launch. Where the host never waits by itself it does so now and then: the driver takes about a
    /// thousand launches and then waits for the first of them, where nothing can interrupt it.
    fn launched(&self) -> Result<(), DeviceError> {
        self.count().launches += 1;
        if self.unwaited.fetch_add(1, Ordering::Relaxed) < UNWAITED {
            return Ok(());
        }
        self.unwaited.store(0, Ordering::Relaxed);
        self.context.wait()
    }

    fn count(&self) -> MutexGuard<'_, Usage> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for NvidiaDevice {
    fn drop(&mut self) {
        // Buffers of the host must outlive the copies from them. Nobody is left to tell of an error.
        let _ = self.context.wait();
        self.context.no_longer_tell();
    }
}

/// Times the steps of opening a device.
struct Clock {
    last: Instant,
    steps: Vec<StartStep>,
}

impl Clock {
    fn new() -> Clock {
        Clock { last: Instant::now(), steps: Vec::new() }
    }

    /// Notes what was done since the last step.
    fn step(&mut self, what: &'static str) {
        let now = Instant::now();
        self.steps.push(StartStep { what, seconds: (now - self.last).as_secs_f64() });
        self.last = now;
    }
}

/// The PCI address, such as `0000:65:00.0`, of the GPU that [`NvidiaDevice::open`] opens: tools that do not go through
/// CUDA know the GPU by it.
pub fn pci_bus_id() -> Result<String, DeviceError> {
    driver::load()?;
    driver::start()?;
    let index = chosen(std::env::var_os("GW_DEVICE"), driver::device_count()?)?;
    facts::pci_bus_id(facts::device(index)?)
}

/// The number of the GPU to open.
fn chosen(wanted: Option<std::ffi::OsString>, count: u32) -> Result<u32, DeviceError> {
    if count == 0 {
        return Err(DeviceError::Missing(
            "the CUDA driver finds no GPU; look at `nvidia-smi` and at CUDA_VISIBLE_DEVICES".into(),
        ));
    }
    let Some(wanted) = wanted.filter(|wanted| !wanted.is_empty()) else { return Ok(0) };
    let wanted = wanted.to_string_lossy();
    match wanted.trim().parse() {
        Ok(index) if index < count => Ok(index),
        _ => Err(DeviceError::Missing(format!(
            "GW_DEVICE is `{wanted}`; there are {count} GPUs, numbered from 0 to {} (see `gw devices`)",
            count - 1
        ))),
    }
}

// The addresses that come in are those of `allocate` by the contract of `Device`, whose users alone make them:
// kernels take them in any case unchecked.
impl Device for NvidiaDevice {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn allocate(&self, bytes: usize) -> Result<Address, DeviceError> {
        self.memory.allocate(bytes)
    }

    fn release(&self, address: Address) {
        self.memory.release(address);
    }

    fn free_bytes(&self) -> Result<u64, DeviceError> {
        self.memory.free_bytes()
    }

    fn upload(&self, to: Address, from: &[u8]) -> Result<(), DeviceError> {
        if from.is_empty() {
            return Ok(());
        }
        let start = Instant::now();
        // SAFETY: see above.
        let waited = unsafe { self.staging.upload(to, from) }?;
        let mut usage = self.count();
        usage.uploaded += from.len() as u64;
        usage.waits += u64::from(waited);
        if from.len() > TIMED {
            usage.transfer_seconds += start.elapsed().as_secs_f64();
        }
        Ok(())
    }

    fn download(&self, to: &mut [u8], from: Address) -> Result<(), DeviceError> {
        if to.is_empty() {
            return Ok(());
        }
        // Work enqueued before is not part of a transfer that is long enough to be worth the second wait.
        if to.len() > staging::TINY {
            self.context.wait()?;
        }
        let start = Instant::now();
        // SAFETY: see above.
        unsafe { self.staging.download(to, from) }?;
        self.unwaited.store(0, Ordering::Relaxed);
        let mut usage = self.count();
        usage.downloaded += to.len() as u64;
        usage.waits += 1;
        if to.len() > staging::TINY {
            let seconds = start.elapsed().as_secs_f64();
            usage.transfer_seconds += seconds;
            usage.download_seconds += seconds;
        }
        Ok(())
    }

    fn copy(&self, to: Address, from: Address, bytes: usize) -> Result<(), DeviceError> {
        if bytes == 0 {
            return Ok(());
        }
        self.context.enter()?;
        // SAFETY: see above.
        unsafe { call!(cuMemcpyDtoDAsync_v2(to.0, from.0, bytes, self.context.stream())) }
    }

    fn fill(&self, to: Address, value: u32, bytes: usize, count: usize) -> Result<(), DeviceError> {
        if count == 0 {
            return Ok(());
        }
        self.context.enter()?;
        let stream = self.context.stream();
        // SAFETY: see above.
        match bytes {
            // SAFETY: as above.
            1 => unsafe { call!(cuMemsetD8Async(to.0, value as u8, count, stream)) },
            // SAFETY: as above.
            4 => unsafe { call!(cuMemsetD32Async(to.0, value, count, stream)) },
            bytes => {
                Err(DeviceError::Call { call: "cuMemset", reason: format!("cells of {bytes} bytes cannot be filled") })
            }
        }
    }

    fn compile(&self, unit: &Unit) -> Result<Kernel, DeviceError> {
        let slot = {
            let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
            match kernels.get(unit) {
                Some(slot) => Arc::clone(slot),
                None => Arc::clone(kernels.entry(unit.clone()).or_default()),
            }
        };
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = &*slot {
            return Ok(kernel.clone());
        }
        let start = Instant::now();
        let (cubin, compiled) = self.ahead.get(unit)?;
        let kernel = Loaded::load(&self.context, unit, &cubin)?;
        let mut usage = self.count();
        usage.compile_seconds += start.elapsed().as_secs_f64();
        usage.compiled += u64::from(compiled);
        usage.cached += u64::from(!compiled);
        Ok(slot.insert(kernel).clone())
    }

    fn compile_ahead(&self, units: Vec<Unit>) {
        self.ahead.begin(units);
    }

    fn launch(&self, kernel: &Kernel, launch: Launch, arguments: &[u8]) -> Result<(), DeviceError> {
        let loaded = self.own(kernel, "cuLaunchKernelEx")?;
        // SAFETY: what kernels do with their arguments is the promise of who generates both.
        unsafe { loaded.launch(launch, arguments) }?;
        self.launched()
    }

    fn launch_while(&self, kernel: &Kernel, launch: Launch, arguments: &[u8]) -> Result<(), DeviceError> {
        if let Some(error) = self.facts.no_repeats() {
            return Err(error);
        }
        let loaded = self.own(kernel, "cuGraphLaunch")?;
        // SAFETY: as for `launch`; the functions are there, see above.
        unsafe { loaded.launch_while(launch, arguments) }?;
        self.launched()
    }

    fn wait(&self) -> Result<(), DeviceError> {
        self.count().waits += 1;
        self.context.wait()
    }

    fn mark(&self) -> Result<Mark, DeviceError> {
        let event = Event::new(&self.context, true)?;
        event.record()?;
        Ok(Mark(Arc::new(event)))
    }

    fn seconds(&self, from: &Mark, to: &Mark) -> Result<f64, DeviceError> {
        let event = |mark: &Mark| {
            let other = || DeviceError::Call {
                call: "cuEventElapsedTime",
                reason: "the mark was made on another device".to_string(),
            };
            Arc::clone(&mark.0).downcast::<Event>().map_err(|_| other())
        };
        let (from, to) = (event(from)?, event(to)?);
        self.count().waits += 1;
        from.seconds_until(&to)
    }

    fn usage(&self) -> Usage {
        *self.count()
    }

    fn start_steps(&self) -> &[StartStep] {
        &self.start
    }

    fn report(&self) -> Option<String> {
        calls::report()
    }

    fn watch(&self, stop: Option<Arc<AtomicBool>>, word: Address) {
        self.context.watch(stop, word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gpu_is_chosen_by_its_number() {
        let chosen = |wanted: Option<&str>, count| super::chosen(wanted.map(Into::into), count);
        assert_eq!(chosen(None, 2), Ok(0));
        assert_eq!(chosen(Some(""), 2), Ok(0));
        assert_eq!(chosen(Some("1"), 2), Ok(1));
        for wrong in ["2", "-1", "first"] {
            let text = chosen(Some(wrong), 2).unwrap_err().to_string();
            assert!(text.contains(wrong) && text.contains("from 0 to 1"), "{text}");
        }
        assert!(chosen(None, 0).unwrap_err().to_string().contains("no GPU"));
    }

    /// On a computer with a GPU this opens it; without one it must be an error that says so, and no panic.
    #[test]
    fn a_missing_gpu_is_an_error() {
        let survey = survey();
        match NvidiaDevice::open() {
            Ok(device) => assert!(device.facts().processors > 0 && survey.driver.is_ok()),
            Err(DeviceError::Missing(reason)) => assert!(reason.contains(' '), "{reason}"),
            Err(other) => panic!("{other}"),
        }
        assert_eq!(survey.driver.is_err(), driver::start().is_err());
        if survey.driver.is_err() {
            assert!(survey.gpus.is_empty());
        }
    }
}
