//! A GPU: its memory, kernels that are compiled at run time, launches, and the headers that kernels include.
//!
//! | file | concept |
//! |---|---|
//! | `device` | what Graphwright needs of a GPU: the trait [`Device`] |
//! | `buffer` | device memory with an owner |
//! | `headers`, `../headers/*.cuh` | the device runtime, one concept per header |
//! | `nvidia/` | an NVIDIA GPU: driver, NVRTC, cache of kernels |
//!
//! The crate knows kernels as texts and arguments as bytes. It knows no program.

mod buffer;
mod device;
pub mod headers;
pub mod nvidia;

pub use buffer::Buffer;
pub use device::{Address, Device, DeviceError, Facts, Kernel, Launch, Mark, StartStep, Unit, Usage};
