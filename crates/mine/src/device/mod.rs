//! Mining on a GPU: candidates are checked by kernels, everything else stays as it is on the host.
//!
//! | file | concept |
//! |---|---|
//! | `kernels` | the CUDA C++ (`crates/mine/device/*.cu`) with the numbers that host and device agree on |
//! | `segment` | a piece of the trace in device memory, column by column as they are asked for |
//! | `launches` | candidates and a segment become launches |
//! | `checker` | [`OnDevice`]: passes over the trace, and what the cores must look at again |
//!
//! What is found is what the cores find. Sums, products and roots are the same numbers on both. Logarithms and powers
//! may differ in their last bits, so that candidates for which this could matter are left to the cores.

mod checker;
mod kernels;
mod launches;
mod segment;

pub use checker::{OnDevice, Use};
pub use kernels::units;
