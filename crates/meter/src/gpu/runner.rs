//! Runs kernels on a device: memory, calibration, time of a launch in the steady state, power meanwhile.

use std::sync::Arc;
use std::time::Instant;

use gw_device::{Address, Device, DeviceError, Kernel, Launch, Unit};

use super::kernels::{Arguments, BLOCK, IMPOSSIBLE, Order};
use crate::effort::Effort;
use crate::error::{MeterError, Result};
use crate::measured::Measured;
use crate::power::{EnergyMeter, recorded};

impl From<DeviceError> for MeterError {
    fn from(error: DeviceError) -> MeterError {
        MeterError::Device(error.to_string())
    }
}

/// Seconds that a launch shall take: many thousand times what a launch costs, and short enough to be stopped.
const LAUNCH: f64 = 10e-3;
/// Seconds of work before power is taken to be steady.
const WARM_UP: f64 = 0.3;

/// A device with what benchmarks need on it.
pub(super) struct Runner<'a> {
    pub device: Arc<dyn Device>,
    pub effort: Effort,
    /// Energy and idle power; `None` where no meter can be read.
    pub power: Option<(&'a dyn EnergyMeter, f64)>,
    /// Two numbers per block: cycles and nanoseconds.
    out: Memory,
    /// The memory that is worked on.
    pub data: Memory,
}

/// Device memory that is released at the end.
pub(super) struct Memory {
    device: Arc<dyn Device>,
    pub address: Address,
    pub bytes: usize,
}

impl Memory {
    fn zeroed(device: &Arc<dyn Device>, bytes: usize) -> Result<Memory> {
        let address = device.allocate(bytes)?;
        let memory = Memory { device: Arc::clone(device), address, bytes };
        device.fill(address, 0, 4, bytes / 4)?;
        Ok(memory)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.device.release(self.address);
    }
}

/// What a kernel does when it runs again and again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Steady {
    /// Iterations of the loop in a launch.
    pub steps: u64,
    /// Seconds per launch.
    pub seconds: Measured,
    /// Cycles of the timed part of the block that took longest. A multiprocessor prefers its older block, which may
    /// then end long before the other.
    pub cycles: f64,
    /// Clock of the multiprocessors in GHz.
    pub clock_ghz: f64,
    /// Power of the whole device.
    pub watts: Option<Measured>,
}

impl Steady {
    /// Nanojoules per unit of work beyond idle power, where a launch does `units`.
    pub fn net_nj(&self, units: f64, idle: Option<f64>) -> Option<Measured> {
        let (watts, idle) = (self.watts?, idle?);
        let joules = (watts.median - idle) * self.seconds.median;
        Some(Measured { median: joules * 1e9 / units, ..watts })
    }
}

impl<'a> Runner<'a> {
    /// A runner with up to 4 GiB of memory to work on, a power of two of bytes.
    pub fn new(
        device: &Arc<dyn Device>,
        power: Option<(&'a dyn EnergyMeter, f64)>,
        effort: Effort,
    ) -> Result<Runner<'a>> {
        let free = device.free_bytes()? / 2;
        let bytes = 1_usize << free.clamp(1 << 26, effort.pick(4 << 30, 1 << 30)).ilog2();
        let out = Memory::zeroed(device, 1 << 20)?;
        let data = Memory::zeroed(device, bytes)?;
        Ok(Runner { device: Arc::clone(device), effort, power, out, data })
    }

    /// Idle power, where it is known.
    pub fn idle(&self) -> Option<f64> {
        self.power.map(|(_, idle)| idle)
    }

    /// Compiles a kernel.
    pub fn compile(&self, unit: &Unit) -> Result<Kernel> {
        Ok(self.device.compile(unit)?)
    }

    /// A launch that fills the device with blocks of the usual size.
    pub fn full(&self, kernel: &Kernel) -> Launch {
        Launch { grid: self.device.facts().processors * kernel.blocks_per_processor, block: BLOCK, cooperative: false }
    }

    /// Arguments for this runner's memory.
    pub fn arguments(&self, knob: u32) -> Arguments {
        let (out, data) = (self.out.address.0, self.data.address.0);
        Arguments { out, data, size: self.data.bytes as u64, steps: 1, knob, impossible: IMPOSSIBLE }
    }

    /// Enqueues a kernel.
    pub fn launch(&self, kernel: &Kernel, launch: Launch, arguments: &Arguments) -> Result<()> {
        Ok(self.device.launch(kernel, launch, bytemuck::bytes_of(arguments))?)
    }

    /// Seconds of one launch.
    pub fn once(&self, kernel: &Kernel, launch: Launch, arguments: &Arguments) -> Result<f64> {
        let begin = self.device.mark()?;
        self.launch(kernel, launch, arguments)?;
        let end = self.device.mark()?;
        Ok(self.device.seconds(&begin, &end)?)
    }

    /// Links the cells of the memory: `2^bits` cells, `stride` cells of 8 bytes apart.
    pub fn link(&self, bits: u32, stride: u32, order: Order, chains: u64) -> Result<()> {
        let kernel = self.compile(&super::kernels::links())?;
        let grid = self.device.facts().processors * kernel.blocks_per_processor;
        let mut arguments = self.arguments(order as u32);
        (arguments.size, arguments.steps, arguments.impossible) = (u64::from(bits), chains, stride);
        self.launch(&kernel, Launch { grid, block: 256, cooperative: false }, &arguments)
    }

    /// Fills the memory with zeros.
    pub fn clear(&self) -> Result<()> {
        Ok(self.device.fill(self.data.address, 0, 4, self.data.bytes / 4)?)
    }

    /// Runs a kernel again and again, with as many iterations as make a launch long enough, and meters the power where
    /// it can be metered.
    pub fn steady(&self, kernel: &Kernel, launch: Launch, mut arguments: Arguments) -> Result<Steady> {
        arguments.steps = 1;
        loop {
            let seconds = self.once(kernel, launch, &arguments)?;
            let wanted = self.effort.pick(LAUNCH, LAUNCH / 4.0);
            if seconds >= 0.6 * wanted || arguments.steps > 1 << 28 {
                break;
            }
            // A first launch may be far too short to tell the rate.
            let factor = (wanted / seconds.max(1e-9)).clamp(2.0, 64.0);
            arguments.steps = (arguments.steps as f64 * factor).ceil() as u64;
        }
        let pump = |seconds: f64, least: usize| self.pump(kernel, launch, &arguments, seconds, least);
        let (seconds, watts) = match self.power {
            Some((meter, _)) => {
                let window = WARM_UP + self.effort.pick(1.1, 0.3);
                let (seconds, trace) = recorded(meter, || pump(window, 5));
                (seconds?, trace.watts(WARM_UP))
            }
            None => (pump(0.0, self.effort.pick(7, 3))?, None),
        };
        let blocks = self.blocks(launch.grid)?;
        let longest = blocks.iter().max().copied().unwrap_or([0, 0]);
        let (cycles, nanoseconds) = (longest[0] as f64, longest[1] as f64);
        Ok(Steady {
            steps: arguments.steps,
            seconds: Measured::of(seconds),
            cycles,
            clock_ghz: cycles / nanoseconds,
            watts,
        })
    }

    /// Launches for some seconds and at least so often, one launch always waiting behind another. Seconds per launch.
    fn pump(
        &self,
        kernel: &Kernel,
        launch: Launch,
        arguments: &Arguments,
        seconds: f64,
        least: usize,
    ) -> Result<Vec<f64>> {
        let begin = Instant::now();
        let mut times = Vec::new();
        let mut before = self.device.mark()?;
        self.launch(kernel, launch, arguments)?;
        let mut running = self.device.mark()?;
        while times.len() < least || begin.elapsed().as_secs_f64() < seconds {
            self.launch(kernel, launch, arguments)?;
            let next = self.device.mark()?;
            times.push(self.device.seconds(&before, &running)?);
            (before, running) = (running, next);
        }
        self.device.wait()?;
        // The first launch found an idle device.
        times.remove(0);
        Ok(times)
    }

    /// Cycles of the first block of the last launch.
    pub fn first_cycles(&self) -> Result<f64> {
        Ok(self.blocks(1)?[0][0] as f64)
    }

    /// Cycles and nanoseconds of every block of the last launch.
    fn blocks(&self, grid: u32) -> Result<Vec<[u64; 2]>> {
        let mut blocks = vec![[0_u64; 2]; grid as usize];
        self.device.download(bytemuck::cast_slice_mut(&mut blocks), self.out.address)?;
        Ok(blocks)
    }
}
