//! The schedules this machine can execute: those of the CPU machine that mean the same on several workers.

use gw_schedule::Capabilities;

/// The name of the machine.
pub(crate) const NAME: &str = "flow";

/// What the machine can run. Adaptive schedules are missing, since their guard looks at the clock and workers would
/// choose differently; so are eager buckets and segments, which belong to one memory.
pub(crate) fn capabilities() -> Capabilities {
    gw_cpu::kernel_capabilities(NAME)
}
