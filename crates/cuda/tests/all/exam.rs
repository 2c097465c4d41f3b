//! The small programs of the exam on the emulated device: functions with loops, views of edges, host and device in
//! turns.

use std::sync::Arc;

use gw_cuda::CudaVm;
use gw_emulator::EmulatedDevice;

#[test]
fn host_and_machine_take_turns() {
    let Some(device) = EmulatedDevice::new() else { return };
    gw_exec::conformance::host_and_machine(&CudaVm::on(Arc::new(device))).unwrap();
}
