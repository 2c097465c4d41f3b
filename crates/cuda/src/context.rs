//! A device and what is shared by all programs on it.

use std::sync::Arc;

use gw_device::Device;

use crate::residency::Residency;

/// A device with the graphs on it.
pub(crate) struct Context {
    pub(crate) device: Arc<dyn Device>,
    pub(crate) residency: Residency,
    /// No kernel begins at a later round of deduplication and of masks.
    pub(crate) last_round: u32,
}

impl Context {
    pub(crate) fn new(device: Arc<dyn Device>, last_round: u32) -> Arc<Context> {
        Arc::new(Context { residency: Residency::new(Arc::clone(&device)), device, last_round })
    }
}
