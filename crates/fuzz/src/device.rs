//! Machines with a GPU: the one of this computer, and the emulated one.

#[path = "../../cuda/tests/emulator/mod.rs"]
mod emulator;

use std::sync::Arc;

use gw_cuda::CudaVm;
use gw_exec::GraphVm;

/// The CUDA machine on the GPU of this computer.
pub fn nvidia() -> Result<Box<dyn GraphVm>, String> {
    CudaVm::open().map(|vm| Box::new(vm) as _).map_err(|error| error.to_string())
}

/// The CUDA machine on the emulated device, whose threads run in the order of a seed.
pub fn emulator(seed: u64) -> Result<Box<dyn GraphVm>, String> {
    let device = emulator::EmulatedDevice::new().ok_or("no emulated device: g++ is missing")?;
    Ok(Box::new(CudaVm::on(Arc::new(device.with_seed(seed + 1)))))
}
