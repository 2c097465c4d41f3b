//! The bandwidth that the memory of a device reaches, by copying within it.

use std::sync::Arc;

use gw_device::{Buffer, Device, DeviceError};

/// Copies that are timed; the best counts.
const REPEATS: usize = 5;

/// Bytes per second that copies read and write, counted together. The arrays are many times the cache, at most 1 GiB
/// and at most a quarter of the memory that is free.
pub(crate) fn copy_bandwidth(device: &Arc<dyn Device>) -> Result<f64, DeviceError> {
    let wanted = (16 * device.facts().cache).clamp(64 << 20, 1 << 30);
    let bytes = wanted.min(device.free_bytes()? / 4) as usize;
    let (from, to) = (Buffer::zeroed(device, bytes)?, Buffer::zeroed(device, bytes)?);
    let mut best = f64::INFINITY;
    for _ in 0..REPEATS {
        let start = device.mark()?;
        device.copy(to.address(), from.address(), bytes)?;
        let end = device.mark()?;
        best = best.min(device.seconds(&start, &end)?);
    }
    Ok(2.0 * bytes as f64 / best)
}
