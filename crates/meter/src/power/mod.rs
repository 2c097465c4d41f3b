//! Joules and watts: what a meter tells, and the record of it while something runs.
//!
//! | file | meter |
//! |---|---|
//! | `nvml` | the board of an NVIDIA GPU, by its management library |
//! | `rapl` | the packages of a processor, by the counters of the kernel's `powercap` |
//! | `trace` | the record of a meter over time |
//! | `repeated` | the energy of a short run, by repeating it |

mod nvml;
mod rapl;
mod repeated;
mod trace;

pub use nvml::{GpuState, Nvml};
pub use rapl::Rapl;
pub use repeated::{Gauge, RunEnergy, repeated};
pub use trace::{EnergyTrace, Sample, recorded};

/// A meter that counts energy.
pub trait EnergyMeter: Send + Sync {
    /// What is metered and how, such as `NVML energy counter`.
    fn name(&self) -> String;

    /// Joules counted so far, from an arbitrary begin; `None` when the meter cannot be read just now.
    fn joules(&self) -> Option<f64>;

    /// Watts drawn now; `None` where the meter only counts energy.
    fn watts(&self) -> Option<f64>;
}

/// The meter of the machine that a target computes on, or why there is none.
pub fn meter_of(target: crate::sheet::Target) -> Result<Box<dyn EnergyMeter>, String> {
    match target {
        crate::sheet::Target::Cpu => Ok(Box::new(Rapl::of_system()?)),
        crate::sheet::Target::Cuda => Ok(Box::new(Nvml::open()?)),
    }
}
