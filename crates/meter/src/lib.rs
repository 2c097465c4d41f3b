//! The meter: what a machine reaches at best, measured once by micro-benchmarks and kept as a [`Sheet`].
//!
//! | module | contents |
//! |---|---|
//! | `sheet` | the sheet of a machine: its types, reading, writing |
//! | `curve`, `measured` | a measured function of one variable; a measured number with its spread |
//! | `cpu` | the benchmarks of a processor |
//! | `gpu` | the benchmarks of an NVIDIA GPU, behind the feature `cuda` |
//! | `peak`, `machine` | memory bandwidth of the computer, facts that the system tells about it |
//! | `power` | energy and power by NVML and RAPL |
//! | `show` | the sheet as text and as a page |
//! | `effort`, `error` | how thorough a measurement is; what can go wrong |
//! | `clock`, `memory`, `permutation` | time of a thread, arrays on huge pages, the order of a pointer chase |

mod clock;
mod cpu;
mod curve;
mod effort;
mod error;
#[cfg(feature = "cuda")]
mod gpu;
mod machine;
mod measured;
mod memory;
mod peak;
mod permutation;
mod plausible;
pub mod power;
mod sheet;
mod show;

pub use cpu::measure_cpu;
pub use curve::{Curve, Point};
pub use effort::{Effort, Listener, Silent};
pub use error::{MeterError, Result};
#[cfg(feature = "cuda")]
pub use gpu::{measure_device, measure_gpu};
pub use machine::{Cache, MachineFacts};
pub use measured::Measured;
pub use peak::{Peak, measure_peak};
pub use sheet::{
    AtomicRate, CacheFact, Copies, CpuSheet, Dynamic, DynamicPoint, GpuSheet, Level, MemoryRate, Operation, Sheet,
    Target, VERSION,
};
pub use show::{sheet_page, sheet_text};
