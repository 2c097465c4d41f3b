//! A target in device memory.

use std::sync::Arc;

use gw_device::{Buffer, Device, DeviceError, Kernel};

use super::kernels::{Step, grow_unit, score_unit, units};
use crate::{LabelledGraph, PatternError, Result};

/// A target on a GPU, with the kernels that search it.
pub struct DeviceTarget<'t> {
    pub(super) device: Arc<dyn Device>,
    pub(super) target: &'t LabelledGraph,
    pub(super) offsets: Buffer,
    pub(super) neighbours: Buffer,
    pub(super) labels: Buffer,
    pub(super) starts: Kernel,
    pub(super) around: Kernel,
    pub(super) weights: Kernel,
    pub(super) grow: Kernel,
    pub(super) grow_thesis: Kernel,
}

impl<'t> DeviceTarget<'t> {
    /// Sends a target to a device and makes the kernels ready.
    pub fn new(device: Arc<dyn Device>, target: &'t LabelledGraph) -> Result<DeviceTarget<'t>> {
        device.compile_ahead(units());
        let offsets: Vec<u64> = target.offsets().iter().map(|&at| at as u64).collect();
        Ok(DeviceTarget {
            target,
            offsets: Buffer::with(&device, bytemuck::cast_slice(&offsets))?,
            neighbours: Buffer::with(&device, bytemuck::cast_slice(target.all_neighbours()))?,
            labels: Buffer::with(&device, bytemuck::cast_slice(target.labels()))?,
            starts: device.compile(&score_unit(Step::Starts))?,
            around: device.compile(&score_unit(Step::Around))?,
            weights: device.compile(&score_unit(Step::Weights))?,
            grow: device.compile(&grow_unit(false))?,
            grow_thesis: device.compile(&grow_unit(true))?,
            device,
        })
    }
}

impl From<DeviceError> for PatternError {
    fn from(error: DeviceError) -> PatternError {
        PatternError::Device(error.to_string())
    }
}
