//! Machines with a GPU: the one of this computer, and the emulated one.

use std::sync::Arc;

use gw_cuda::CudaVm;
use gw_emulator::EmulatedDevice;
use gw_exec::GraphVm;

/// The CUDA machine on the GPU of this computer.
pub fn nvidia() -> Result<Box<dyn GraphVm>, String> {
    CudaVm::open().map(|vm| Box::new(vm) as _).map_err(|error| error.to_string())
}

/// The CUDA machine on the emulated device, whose threads run in the order of a seed.
pub fn emulator(seed: u64) -> Result<Box<dyn GraphVm>, String> {
    let device = EmulatedDevice::open()?;
    Ok(Box::new(CudaVm::on(Arc::new(device.with_seed(seed + 1)))))
}
