//! What a machine with a device of its own tells about it: what it is, and what it has done so far.

use std::ops::{Add, Sub};

use serde::Serialize;

/// A device beside the processor, such as a GPU.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeviceFacts {
    /// Its name.
    pub name: String,
    /// What it can do, in the words of its maker: the compute capability `9.0` of a GPU.
    pub capability: String,
    /// Its processors: the multiprocessors of a GPU.
    pub processors: u32,
    /// Bytes of its memory.
    pub memory_bytes: u64,
    /// Bytes of its last cache.
    pub cache_bytes: u64,
    /// The version of its driver.
    pub driver: String,
    /// The compiler of its kernels, with its version.
    pub compiler: String,
    /// Bytes per second of its memory as the driver describes it.
    pub described_bandwidth: f64,
    /// Bytes per second read and written by a copy within its memory, when that was measured.
    pub copy_bandwidth: Option<f64>,
}

impl DeviceFacts {
    /// The measured bandwidth, else the described one.
    pub fn peak_bandwidth(&self) -> f64 {
        self.copy_bandwidth.unwrap_or(self.described_bandwidth)
    }
}

/// What a machine has done since it was opened. The difference of two says what happened in between.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct MachineUsage {
    /// Seconds spent on compiling kernels and loading them.
    pub compile_seconds: f64,
    /// Kernels compiled.
    pub compiled: u64,
    /// Kernels found in a cache.
    pub cached: u64,
    /// Seconds spent on transfers between host and device, in both directions.
    pub transfer_seconds: f64,
    /// The part of these seconds that was spent on transfers from the device to the host.
    pub download_seconds: f64,
    /// Bytes sent to the device.
    pub uploaded_bytes: u64,
    /// Bytes read from the device.
    pub downloaded_bytes: u64,
    /// Kernels launched.
    pub launches: u64,
    /// Times the host waited for the device.
    pub waits: u64,
}

impl MachineUsage {
    /// Seconds spent on transfers from the host to the device.
    pub fn upload_seconds(&self) -> f64 {
        (self.transfer_seconds - self.download_seconds).max(0.0)
    }
}

/// A step of opening a machine, such as starting a driver.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StartStep {
    /// What was done.
    pub what: &'static str,
    /// Seconds it took.
    pub seconds: f64,
}

impl Add for MachineUsage {
    type Output = MachineUsage;

    /// Both together.
    fn add(self, other: MachineUsage) -> MachineUsage {
        MachineUsage {
            compile_seconds: self.compile_seconds + other.compile_seconds,
            compiled: self.compiled + other.compiled,
            cached: self.cached + other.cached,
            transfer_seconds: self.transfer_seconds + other.transfer_seconds,
            download_seconds: self.download_seconds + other.download_seconds,
            uploaded_bytes: self.uploaded_bytes + other.uploaded_bytes,
            downloaded_bytes: self.downloaded_bytes + other.downloaded_bytes,
            launches: self.launches + other.launches,
            waits: self.waits + other.waits,
        }
    }
}

impl Sub for MachineUsage {
    type Output = MachineUsage;

    /// What happened since `before`.
    fn sub(self, before: MachineUsage) -> MachineUsage {
        MachineUsage {
            compile_seconds: self.compile_seconds - before.compile_seconds,
            compiled: self.compiled - before.compiled,
            cached: self.cached - before.cached,
            transfer_seconds: self.transfer_seconds - before.transfer_seconds,
            download_seconds: self.download_seconds - before.download_seconds,
            uploaded_bytes: self.uploaded_bytes - before.uploaded_bytes,
            downloaded_bytes: self.downloaded_bytes - before.downloaded_bytes,
            launches: self.launches - before.launches,
            waits: self.waits - before.waits,
        }
    }
}
