//! A GPU for tests on machines without one: kernels are compiled by g++ and run on the CPU, one thread at a time.
//!
//! The order in which threads run is drawn from a seed and can be repeated. The emulator stops a launch with a
//! message when threads race in shared memory, wait for each other for ever, leave allocated memory, or break the
//! rules of warp operations. Environment: `GW_EMULATOR_SEED` (a number, 1), `GW_EMULATOR_WATCH=0` (accesses to memory
//! are not observed: faster, finds less), `GW_EMULATOR_RACES` (0: no race check, 1: shared memory, 2: global memory
//! too), `GW_EMULATOR_SECONDS` (limit of one launch, 120).

mod compiler;
mod machine;
mod memory;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use gw_device::{Address, Device, DeviceError, Facts, Kernel, Launch, Mark, Unit, Usage};

use machine::Run;
use memory::Memory;

/// What a launch says that ended because its run was stopped.
const STOPPED: &str = "stopped";

/// Threads of one block at most.
const THREADS: u32 = 1024;

/// A device that runs kernels on the CPU.
pub struct EmulatedDevice {
    facts: Facts,
    largest_block: u32,
    blocks_per_processor: u32,
    seed: u64,
    watched: bool,
    races: Races,
    seconds: u32,
    stop: Mutex<Option<Arc<AtomicBool>>>,
    inner: Mutex<Inner>,
}

struct Inner {
    memory: Memory,
    usage: Usage,
}

/// Where races end a launch.
#[derive(Clone, Copy)]
pub enum Races {
    /// Nowhere.
    Nowhere = 0,
    /// In shared memory.
    Shared = 1,
    /// In global memory too: for kernels that do not race on purpose.
    Global = 2,
}

/// What a kernel's handle holds.
struct Compiled {
    library: Arc<compiler::Library>,
    block: u32,
}

impl EmulatedDevice {
    /// The same device with a compiler that refuses blocks of more threads.
    pub fn with_largest_block(self, threads: u32) -> EmulatedDevice {
        EmulatedDevice { largest_block: threads, ..self }
    }

    /// A device for a test; `None` where g++ is missing, which fails where all tools must be present
    /// ([`gw_testing::left_out`]).
    #[track_caller]
    pub fn new() -> Option<EmulatedDevice> {
        EmulatedDevice::open().map_err(|reason| gw_testing::left_out("g++", reason)).ok()
    }

    /// A device with two processors that hold two blocks each, or why there is none.
    pub fn open() -> Result<EmulatedDevice, String> {
        let compiler = compiler::version().and_then(|version| machine::runtime().map(|_| version))?.to_owned();
        let number =
            |name: &str, default: u64| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default);
        let memory = 4 << 30;
        Ok(EmulatedDevice {
            facts: Facts {
                name: "emulated device".into(),
                capability: (9, 0),
                processors: 2,
                memory,
                cache: 1 << 20,
                bandwidth: 1e9,
                driver: "0.0".into(),
                compiler,
                cooperative: true,
                repeats: true,
            },
            blocks_per_processor: 2,
            largest_block: 1024,
            seed: number("GW_EMULATOR_SEED", 1),
            watched: number("GW_EMULATOR_WATCH", 1) != 0,
            races: match number("GW_EMULATOR_RACES", 1) {
                0 => Races::Nowhere,
                1 => Races::Shared,
                _ => Races::Global,
            },
            seconds: number("GW_EMULATOR_SECONDS", 120) as u32,
            stop: Mutex::default(),
            inner: Mutex::new(Inner { memory: Memory::new(memory), usage: Usage::default() }),
        })
    }

    /// The same device with another number of processors and of blocks on each.
    pub fn with_processors(mut self, processors: u32, blocks_per_processor: u32) -> EmulatedDevice {
        self.facts.processors = processors;
        self.blocks_per_processor = blocks_per_processor;
        self
    }

    /// The same device with another seed for the order of threads.
    pub fn with_seed(mut self, seed: u64) -> EmulatedDevice {
        self.seed = seed;
        self
    }

    /// The same device with another race check.
    pub fn with_races(mut self, races: Races) -> EmulatedDevice {
        self.races = races;
        self
    }

    /// The same device with an older driver, which cannot launch kernels again by itself.
    pub fn without_repeats(mut self) -> EmulatedDevice {
        self.facts.repeats = false;
        self
    }

    /// The same device with so much memory.
    pub fn with_memory(mut self, bytes: u64) -> EmulatedDevice {
        self.facts.memory = bytes;
        self.inner = Mutex::new(Inner { memory: Memory::new(bytes), usage: Usage::default() });
        self
    }

    fn inner(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

fn refused(call: &'static str) -> impl Fn(String) -> DeviceError {
    move |reason| DeviceError::Call { call, reason }
}

impl Device for EmulatedDevice {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn allocate(&self, bytes: usize) -> Result<Address, DeviceError> {
        self.inner().memory.allocate(bytes)
    }

    /// Panics where memory around the allocation was written or it was none: that is a defect in the code under test.
    fn release(&self, address: Address) {
        let result = self.inner().memory.release(address);
        if let Err(reason) = result {
            if std::thread::panicking() { eprintln!("{reason}") } else { panic!("{reason}") }
        }
    }

    fn free_bytes(&self) -> Result<u64, DeviceError> {
        Ok(self.inner().memory.free())
    }

    fn upload(&self, to: Address, from: &[u8]) -> Result<(), DeviceError> {
        let start = Instant::now();
        let mut inner = self.inner();
        let pointer = inner.memory.pointer(to, from.len()).map_err(refused("upload"))?;
        // SAFETY: `pointer` checked that the range is allocated, and the lock keeps it so.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), pointer, from.len()) };
        inner.usage.uploaded += from.len() as u64;
        inner.usage.transfer_seconds += start.elapsed().as_secs_f64();
        Ok(())
    }

    fn download(&self, to: &mut [u8], from: Address) -> Result<(), DeviceError> {
        let start = Instant::now();
        let mut inner = self.inner();
        let pointer = inner.memory.pointer(from, to.len()).map_err(refused("download"))?;
        // SAFETY: as for uploads.
        unsafe { std::ptr::copy_nonoverlapping(pointer, to.as_mut_ptr(), to.len()) };
        inner.usage.downloaded += to.len() as u64;
        inner.usage.waits += 1;
        let seconds = start.elapsed().as_secs_f64();
        inner.usage.transfer_seconds += seconds;
        inner.usage.download_seconds += seconds;
        Ok(())
    }

    fn copy(&self, to: Address, from: Address, bytes: usize) -> Result<(), DeviceError> {
        let inner = self.inner();
        let source = inner.memory.pointer(from, bytes).map_err(refused("copy"))?;
        let target = inner.memory.pointer(to, bytes).map_err(refused("copy"))?;
        if from < to.offset(bytes) && to < from.offset(bytes) {
            return Err(refused("copy")("the ranges overlap".into()));
        }
        // SAFETY: both ranges are allocated and apart.
        unsafe { std::ptr::copy_nonoverlapping(source, target, bytes) };
        Ok(())
    }

    fn fill(&self, to: Address, value: u32, bytes: usize, count: usize) -> Result<(), DeviceError> {
        let inner = self.inner();
        let pointer = inner.memory.pointer(to, bytes.saturating_mul(count)).map_err(refused("fill"))?;
        // SAFETY: the range is allocated; cells are of 1 byte or aligned ones of 4.
        match bytes {
            // SAFETY: as above.
            1 => unsafe { pointer.write_bytes(value as u8, count) },
            // SAFETY: as above.
            4 if to.0.is_multiple_of(4) => unsafe {
                std::slice::from_raw_parts_mut(pointer.cast::<u32>(), count).fill(value);
            },
            _ => return Err(refused("fill")(format!("cells of {bytes} bytes at {to:?}"))),
        }
        Ok(())
    }

    fn compile(&self, unit: &Unit) -> Result<Kernel, DeviceError> {
        if unit.block > self.largest_block {
            let log = format!("a block of {} threads is too large", unit.block);
            return Err(DeviceError::Compile { kernel: unit.name.clone(), log });
        }
        let start = Instant::now();
        let (library, built) = compiler::kernel(&unit.name, &unit.source, self.watched)
            .map_err(|log| DeviceError::Compile { kernel: unit.name.clone(), log })?;
        let mut inner = self.inner();
        inner.usage.compiled += u64::from(built);
        inner.usage.cached += u64::from(!built);
        inner.usage.compile_seconds += start.elapsed().as_secs_f64();
        Ok(Kernel {
            name: unit.name.as_str().into(),
            blocks_per_processor: self.blocks_per_processor,
            registers: 0,
            handle: Arc::new(Compiled { library, block: unit.block }),
        })
    }

    fn launch(&self, kernel: &Kernel, launch: Launch, arguments: &[u8]) -> Result<(), DeviceError> {
        let refuse = refused("launch");
        let compiled =
            kernel.handle.downcast_ref::<Compiled>().ok_or_else(|| refuse("not a kernel of this device".into()))?;
        let library = &compiled.library;
        let resident = self.facts.processors * self.blocks_per_processor;
        let problem = if launch.grid == 0 || launch.block == 0 || launch.block > THREADS {
            Some(format!("{} blocks of {} threads", launch.grid, launch.block))
        } else if launch.block > compiled.block {
            Some(format!("{} threads per block, compiled for {}", launch.block, compiled.block))
        } else if launch.cooperative && launch.grid > resident {
            Some(format!("{} blocks shall wait for each other, {resident} can", launch.grid))
        } else if arguments.len() != library.arguments {
            Some(format!("{} bytes of arguments, the kernel takes {}", arguments.len(), library.arguments))
        } else {
            None
        };
        if let Some(problem) = problem {
            return Err(refuse(format!("`{}`: {problem}", kernel.name)));
        }

        let mut inner = self.inner();
        inner.usage.launches += 1;
        let memory = inner.memory.ranges();
        // Aligned for any member of the kernel's parameter.
        let mut words = vec![0u128; arguments.len().div_ceil(16)];
        // SAFETY: `words` has room for all bytes.
        unsafe { std::ptr::copy_nonoverlapping(arguments.as_ptr(), words.as_mut_ptr().cast(), arguments.len()) };
        let stop = self.stop.lock().unwrap().clone();
        let run = Run {
            stop: stop.as_ref().map_or(std::ptr::null(), |stop| stop.as_ptr().cast()),
            enter: library.enter,
            probe: library.probe,
            shared_offset: library.shared_offset,
            shared_bytes: library.shared_bytes,
            arguments: words.as_ptr().cast(),
            argument_bytes: arguments.len() as u64,
            memory: memory.as_ptr(),
            ranges: memory.len() as u64,
            library: library.ranges.as_ptr(),
            library_ranges: library.ranges.len() as u64,
            seed: self.seed.wrapping_mul(1_000_003).wrapping_add(inner.usage.launches),
            grid: launch.grid,
            block: launch.block,
            resident,
            seconds: self.seconds,
            races: if self.watched { self.races as u32 } else { 0 },
        };
        machine::runtime().and_then(|runtime| runtime.launch(&run)).map_err(|message| {
            if message == STOPPED {
                return DeviceError::Stopped;
            }
            let message = with_places(library, &message);
            refuse(format!("`{}` (launch {}, seed {}): {message}", kernel.name, inner.usage.launches, self.seed))
        })
    }

    /// Unlike a GPU it finds out when a launch leaves the condition as it was.
    fn launch_while(&self, kernel: &Kernel, launch: Launch, arguments: &[u8]) -> Result<(), DeviceError> {
        if let Some(error) = self.facts.no_repeats() {
            return Err(error);
        }
        const UNSET: u32 = 2;
        let condition = AtomicU32::new(UNSET);
        let arguments = [arguments, &(condition.as_ptr() as u64).to_ne_bytes()].concat();
        let before = self.usage().launches;
        let result = loop {
            condition.store(UNSET, Ordering::Relaxed);
            if let Err(error) = self.launch(kernel, launch, &arguments) {
                break Err(error);
            }
            match condition.load(Ordering::Relaxed) {
                UNSET => break Err(refused("launch_while")(format!("`{}` did not set its condition", kernel.name))),
                0 => break Ok(()),
                _ => {}
            }
        };
        self.inner().usage.launches = before + 1;
        result
    }

    fn wait(&self) -> Result<(), DeviceError> {
        self.inner().usage.waits += 1;
        Ok(())
    }

    fn mark(&self) -> Result<Mark, DeviceError> {
        Ok(Mark(Arc::new(Instant::now())))
    }

    fn seconds(&self, from: &Mark, to: &Mark) -> Result<f64, DeviceError> {
        match (from.0.downcast_ref::<Instant>(), to.0.downcast_ref::<Instant>()) {
            (Some(from), Some(to)) => Ok(to.saturating_duration_since(*from).as_secs_f64()),
            _ => Err(refused("seconds")("not a mark of this device".into())),
        }
    }

    fn usage(&self) -> Usage {
        self.inner().usage
    }

    /// Kernels run while the host waits, so that nobody could write to the word: a launch ends by itself.
    fn watch(&self, stop: Option<Arc<AtomicBool>>, _word: Address) {
        *self.stop.lock().unwrap() = stop;
    }
}

/// Replaces `{0x...}`, the address of an instruction, by its place in the source.
fn with_places(library: &compiler::Library, message: &str) -> String {
    let mut text = String::new();
    let mut rest = message;
    while let Some((before, after)) = rest.split_once("{0x") {
        let (digits, tail) = after.split_once('}').unwrap_or((after, ""));
        let place = u64::from_str_radix(digits, 16).ok().and_then(|address| compiler::place(library, address));
        text.push_str(before);
        text.push_str(&place.unwrap_or_else(|| format!("0x{digits}")));
        rest = tail;
    }
    text + rest
}
