//! Approximate matching on a GPU: the same matches as on the cores.
//!
//! | file | concept |
//! |---|---|
//! | `kernels` | the CUDA C++ (`crates/pattern/device/*.cu`) with what host and device agree on |
//! | `target` | [`DeviceTarget`]: a target in device memory, for many queries |
//! | `search` | the three phases |
//!
//! Phase 1 takes a warp per target node and 64 query nodes at a time, phases 2 and 3 a warp per solution. Phase 1 by
//! the scoring [`crate::Thesis`] is left to the cores. Integers are added in any order, floating-point numbers in the
//! order of the host: 32 lanes weigh, then all of them add up.

mod kernels;
mod search;
mod target;

pub use kernels::units;
pub use target::DeviceTarget;
